// Grey images of many worlds at once, on a GPU.
#pragma once

#include <memory>

#include "taxel/batch/cuda_images.h"
#include "taxel/batch/image_batch.h"

namespace taxel {

/// As RenderGreyBatch, but all arrays of a rendering are device memory, nothing waits for the GPU, and no
/// memory is taken after the constructor: renderings may be captured in a CUDA graph. Poses are not looked
/// at.
class CudaImages {
 public:
  /// `scene` is read here alone. Throws Error when there is no GPU, parts of the scene do not fit, a size is
  /// out of range (kMaxFingers), or the image has more pixels than a GPU's shared memory takes
  /// (CudaImageSpec).
  CudaImages(const GreyScene<float>& scene, int worlds, int fingers);

  /// Throws Error when a launch fails.
  void Render(const CudaImageArguments& arguments);

 private:
  std::shared_ptr<void> batch_;
};

}  // namespace taxel
