// The kernels of marker fields, as a batch calls them: one file per mode.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "taxel/batch/marker_scene.cuh"

namespace taxel::cuda {

/// Of one mode. All throw std::runtime_error when CUDA says no; none waits.
struct MarkerKernels {
  /// Whether a step of this scene will find its shared memory: better now than then.
  void (*allow)(const Scene& scene);
  void (*step)(const Scene& scene, const CudaStepArguments& arguments);
  /// mask: one byte a world, null: all. keep_normal: only the tangential memory goes.
  void (*reset)(const Scene& scene, const std::uint8_t* mask, bool keep_normal, cudaStream_t stream);
  bool forces;  ///< whether it knows newtons
};

MarkerKernels TaxelKernels();
MarkerKernels PaperKernels();
MarkerKernels ReleaseKernels();

/// Gradients of a step in mode taxel.
void LaunchVjp(const Scene& scene, const CudaVjpArguments& arguments);

}  // namespace taxel::cuda
