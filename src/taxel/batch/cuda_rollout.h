// Paths of many worlds with their gradients, on a GPU.
#pragma once

#include <cstddef>

#include "taxel/batch/cuda_markers.h"
#include "taxel/batch/device_memory.h"

namespace taxel {

/// Where the steps of a rollout read and write: rows of arrays with one row per step. Addresses alone, so
/// that it holds for any memory.
struct RolloutRows {
  std::size_t steps = 0;
  std::size_t copies = 0;  ///< worlds x fingers
  std::size_t objects = 0, markers = 0, points = 0;
  std::size_t state_size = 0;  ///< of one copy

  /// Numbers in the arrays: states (steps, copies, state_size); poses (steps, copies, objects, 3, 4);
  /// parameters (copies, kParameterCount).
  std::size_t states() const { return steps * copies * state_size; }
  std::size_t poses() const { return steps * row_of_poses(); }
  std::size_t parameters() const { return copies * kParameterCount; }
  /// ... and of what Backward works with: the gradient of the poses before the first step, which are the
  /// batch's own (copies, objects, 3, 4), then that of the stretches after and before a step, in turns (2,
  /// copies, points, 3).
  std::size_t work() const { return row_of_poses() + 2 * row_of_stretches(); }
  /// The first of them, which must be 0 at the start.
  std::size_t cleared_work() const { return row_of_poses(); }

  float* StateBefore(std::size_t step, float* states) const { return states + step * copies * state_size; }
  /// path (steps, copies, objects, 4, 4), displacement (steps, copies, markers, 3)
  CudaStepArguments Forward(std::size_t step, const float* path, float* displacement, void* stream) const;
  /// In descending order of the steps. cotangents: as the displacements.
  CudaVjpArguments Backward(std::size_t step, const float* path, const float* states, const float* cotangents,
                            float* work, float* poses, float* parameters, void* stream) const;

 private:
  std::size_t row_of_poses() const { return copies * objects * 12; }
  std::size_t row_of_stretches() const { return copies * points * 3; }
};

/// As MarkerRollout, but all arrays are device memory, nothing waits for the GPU, and the batch moves on.
class CudaRollout {
 public:
  /// Device memory; both must stay until the GPU is done.
  struct Gradients {
    DeviceMemory poses;       ///< (steps, worlds, fingers, objects, 3, 4)
    DeviceMemory parameters;  ///< (worlds, fingers, kParameterCount); creep's are 0
    DeviceMemory work;        ///< what the GPU writes on the way
  };

  /// path (steps, worlds, fingers, objects, 4, 4), displacement (steps, worlds, fingers, markers, 3), px. The
  /// markers and the path must outlive the rollout, which keeps `steps` copies of the state. Throws Error for
  /// a published mode or substeps, which have no gradient; creep gives NaN.
  CudaRollout(CudaMarkers* markers, const float* path, std::size_t steps, float* displacement, void* stream);

  /// cotangents: as the displacements. Taken at the batch's parameters of this moment.
  Gradients Backward(const float* cotangents, void* stream) const;

 private:
  CudaMarkers* markers_;
  const float* path_;
  RolloutRows rows_;
  DeviceMemory states_;
};

}  // namespace taxel
