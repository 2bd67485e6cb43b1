// The border between the library and its CUDA part, which is a shared library of its own (libtaxel_cuda.so),
// loaded when a GPU is asked for: plain C types only. Here are devices, memory and streams; each model has a
// table of its own (cuda_api.h, cuda_baselines.h, cuda_images.h, cuda_gel.h).
#pragma once

#include <cstddef>

namespace taxel {

inline constexpr int kCudaDeviceVersion = 2;

enum class CudaNumber : int { kByte, kInt16, kInt32, kInt64, kHalf, kFloat, kDouble };

/// All functions but device_count return 0, or 1 with a message; none synchronises but a copy that waits.
struct CudaDeviceApi {
  int version;
  int (*device_count)(char* error, std::size_t size);
  int (*allocate)(std::size_t bytes, void** memory, char* error, std::size_t size);
  void (*release)(void* memory);
  int (*copy)(void* to, const void* from, std::size_t bytes, void* stream, int wait, char* error,
              std::size_t size);
  int (*clear)(void* memory, std::size_t bytes, void* stream, char* error, std::size_t size);
  /// to[i] = from[i] is not 0. Does not wait.
  int (*mask)(const void* from, CudaNumber kind, std::size_t count, unsigned char* to, void* stream,
              char* error, std::size_t size);
};

extern "C" {
const CudaDeviceApi* TaxelCudaDevice();
}

}  // namespace taxel
