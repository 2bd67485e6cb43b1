// The border between the library and its CUDA part for marker mode layer; cuda_api.h has the one for the
// other modes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "taxel/batch/cuda_api.h"

namespace taxel {

namespace internal {
struct LayerScene;
}

inline constexpr int kCudaLayerVersion = 3;

/// Numbers of one world, in this order.
enum CudaLayerParameter : int {
  kLayerFriction,
  kLayerYoung,  ///< Pa
  kLayerPixel,  ///< m per px
  kLayerParameterCount
};

/// Everything a batch is made from; pointers to host memory, read in `create` alone.
struct CudaLayerSpec {
  int worlds = 0, fingers = 0;
  const internal::LayerScene* scene = nullptr;
  const float* parameters = nullptr;  ///< (worlds, kLayerParameterCount)
};

/// All functions return 0, or 1 with a message; none synchronises but create and `overflows`.
struct CudaLayerApi {
  int version;
  int (*create)(const CudaLayerSpec* spec, void** batch, char* error, std::size_t size);
  void (*destroy)(void* batch);
  /// turns and dt are not read.
  int (*step)(void* batch, const CudaStepArguments* arguments, char* error, std::size_t size);
  /// mask (worlds) of bytes on the device, or null for all. keep_normal: only the tangential memory goes.
  int (*reset)(void* batch, const std::uint8_t* mask, int keep_normal, void* stream, char* error,
               std::size_t size);
  /// parameters (worlds, kLayerParameterCount), in device memory.
  int (*set_parameters)(void* batch, const float* parameters, void* stream, char* error, std::size_t size);
  /// Steps of a finger so far that touched more cells than one gel works with, and gave NaN. Waits.
  int (*overflows)(void* batch, std::uint64_t* count, char* error, std::size_t size);
};

extern "C" {
const CudaLayerApi* TaxelCudaLayer();
}

}  // namespace taxel
