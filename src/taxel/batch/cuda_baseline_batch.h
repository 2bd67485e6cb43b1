// FOTS and TacSL of many worlds at once, on a GPU.
#pragma once

#include <memory>
#include <vector>

#include "taxel/batch/cuda_baselines.h"
#include "taxel/marker/fots.h"
#include "taxel/marker/tacsl.h"

namespace taxel {

/// As FotsBatch and TacSlBatch, in float, but all arrays of a step are device memory, nothing waits for the
/// GPU, and no memory is taken after the constructor: steps may be captured in a CUDA graph. Poses are not
/// looked at.
class CudaBaselines {
 public:
  /// What the model remembers is not taken over. Throws Error when there is no GPU, a size is out of range
  /// (kMaxFingers), or the object has no kernel (the exact distance of a mesh or an ellipsoid).
  CudaBaselines(const Fots& fots, int worlds, int fingers);
  CudaBaselines(const TacSl& tacsl, int worlds, int fingers);

  /// Throws Error when a launch fails, or for TacSL with neither velocities nor dt > 0.
  void Step(const CudaBaselineArguments& arguments);
  /// mask (worlds) of bytes in device memory; null: all.
  void Reset(const std::uint8_t* mask, void* stream);
  /// (worlds, kFotsParameterCount or kTacSlParameterCount) in device memory.
  void SetParameters(const float* parameters, void* stream);

  /// What all worlds start with, in the order of CudaFotsParameter or CudaTacSlParameter.
  const std::vector<float>& first_parameters() const { return first_; }

 private:
  void Create(CudaBaselineSpec* spec, const std::vector<Vec3>& points, const MarkerDistance& object);

  std::vector<float> first_;
  std::shared_ptr<void> batch_;
};

}  // namespace taxel
