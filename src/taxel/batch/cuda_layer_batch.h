// Marker fields of mode layer of many worlds at once, on a GPU.
#pragma once

#include <array>
#include <memory>

#include "taxel/batch/cuda_layer.h"
#include "taxel/marker/layer_field.h"

namespace taxel {

/// Copies of a field for worlds x fingers in device memory. As MarkerBatch, but all arrays of a step are
/// device memory in float, nothing waits for the GPU, and no memory is taken after the constructor: steps may
/// be captured in a CUDA graph. Poses are not looked at: what is not finite gives NaN and leaves the memory.
class CudaLayer {
 public:
  /// What the field remembers is not taken over. Throws Error when there is no GPU, a size is out of range
  /// (kMaxFingers, kMaxObjects), or an object is a mesh (make it trilinear).
  CudaLayer(const LayerField& field, int worlds, int fingers);

  /// Throws Error when a launch fails.
  void Step(const CudaStepArguments& arguments);
  /// mask (worlds) of bytes in device memory; null: all. keep_normal: only the tangential tractions go.
  void Reset(const std::uint8_t* mask, bool keep_normal, void* stream);
  /// (worlds, kLayerParameterCount) in device memory.
  void SetParameters(const float* parameters, void* stream);
  /// Steps of a finger so far that touched more cells than a kernel works with (4,096) and gave NaN. Waits.
  std::uint64_t Overflows() const;

  /// What all worlds start with, in the order of CudaLayerParameter.
  const std::array<float, kLayerParameterCount>& first_parameters() const { return first_; }

 private:
  std::array<float, kLayerParameterCount> first_{};
  std::shared_ptr<void> batch_;
};

}  // namespace taxel
