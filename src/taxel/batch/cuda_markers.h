// Marker fields of many worlds at once, on a GPU.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "taxel/batch/cuda_api.h"
#include "taxel/marker/taxel_field.h"

namespace taxel {

/// Copies of a field for worlds x fingers in device memory, in float. As MarkerBatch, but all arrays of a
/// step are device memory, nothing waits for the GPU, and no memory is taken after the constructor: steps may
/// be captured in a CUDA graph. Poses are not looked at: NaN gives NaN.
class CudaMarkers {
 public:
  /// Throws Error when there is no GPU, a size is out of range (kMaxFingers, kMaxObjects), or a shape has no
  /// kernel (published modes: an exact distance to a mesh or an ellipsoid; make it trilinear).
  CudaMarkers(const TaxelField& field, int worlds, int fingers);
  CudaMarkers(const std::vector<MarkerField>& fields, int worlds, int fingers);

  /// Throws Error when a launch fails.
  void Step(const CudaStepArguments& arguments);
  void Reset(const std::uint8_t* mask, bool keep_normal, void* stream);
  /// (worlds, kParameterCount) in device memory.
  void SetParameters(const float* parameters, void* stream);
  std::size_t state_size() const;
  void GetState(float* state, void* stream);
  void SetState(const float* state, void* stream);
  /// Mode taxel alone, without substeps: throws Error for others. Creep gives NaN.
  void Vjp(const CudaVjpArguments& arguments);

  int worlds() const { return worlds_; }
  int fingers() const { return fingers_; }
  int objects() const { return objects_; }
  int markers() const { return markers_; }
  int points() const { return static_cast<int>(order_.size()); }
  /// Place of a point of the state among all points, object after object, as they were given.
  const std::vector<int>& order() const { return order_; }
  /// Empty where a step has a gradient.
  const std::string& why_no_gradient() const { return why_no_gradient_; }
  /// What all worlds start with, in the order of CudaParameter.
  const std::array<float, kParameterCount>& first_parameters() const { return first_; }

 private:
  void Create(CudaBatchSpec* spec, const std::vector<MarkerIndenter>& objects,
              const std::vector<Vec3>& markers, const std::vector<Vec3>& normals);

  int worlds_, fingers_, objects_ = 0, markers_ = 0;
  std::string why_no_gradient_;
  std::vector<int> order_;
  std::array<float, kParameterCount> first_{};
  std::shared_ptr<void> batch_;
};

/// Row of CudaParameter numbers.
std::array<float, kParameterCount> ToRow(const TaxelParameters& p);
std::array<float, kParameterCount> ToRow(const MarkerParameters& p);

}  // namespace taxel
