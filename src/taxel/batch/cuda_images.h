// The border between the library and its CUDA part for grey images; plain C types only.
#pragma once

#include <cstddef>
#include <cstdint>

#include "taxel/batch/cuda_api.h"
#include "taxel/image/image_law.h"

namespace taxel {

inline constexpr int kCudaImagesVersion = 2;

/// Everything a batch is made from: one object, the same pad and camera on all fingers, no shadows. Pointers
/// to host memory, read in `create` alone. The image must fit into shared memory: 8 bytes a pixel with a
/// membrane, 4 without, so up to about 29,000 or 58,000 pixels.
struct CudaImageSpec {
  int worlds = 0, fingers = 0;
  ImagePlane<float> plane;
  KernelShape<float> object;
  ImageSkin skin;
  const float* background = nullptr;  ///< (rows, cols, 3), 0 to 255
  const float* table = nullptr;       ///< (nodes, nodes, kPlaceTerms, kColours)
  int nodes = 0;
};

/// Device memory, (worlds, fingers, rows, cols) each; what is null is not written.
struct CudaImageOutput {
  float* grey = nullptr;          ///< 0 to 255, not rounded
  std::uint8_t* bytes = nullptr;  ///< rounded
  float* depth = nullptr;         ///< PenetrationAt, m
};

struct CudaImageArguments {
  CudaPoses poses;  ///< of one object
  CudaImageOutput out;
  void* stream = nullptr;
};

/// Nothing is remembered from image to image. All functions return 0, or 1 with a message; none synchronises
/// but create.
struct CudaImageApi {
  int version;
  int (*create)(const CudaImageSpec* spec, void** batch, char* error, std::size_t size);
  void (*destroy)(void* batch);
  int (*render)(void* batch, const CudaImageArguments* arguments, char* error, std::size_t size);
};

extern "C" {
const CudaImageApi* TaxelCudaImages();
}

}  // namespace taxel
