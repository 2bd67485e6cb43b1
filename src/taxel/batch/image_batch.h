// Grey images of many worlds at once, on threads.
#pragma once

#include <cstdint>
#include <vector>

#include "taxel/image/image_law.h"
#include "taxel/math/pose.h"

namespace taxel {

/// One object before the pads and cameras of all worlds and fingers. T: float or double, of the geometry;
/// heights and colours are float.
template <typename T>
struct GreyScene {
  ImagePlane<T> plane;
  KernelShape<T> object;
  ImageSkin skin;
  /// Of the size of the plane; its lights are not used. It must have passed CheckCamera.
  const TactileCamera* camera = nullptr;
};

/// Each (worlds x fingers, rows, cols); null: not written.
struct GreyOutput {
  float* grey = nullptr;          ///< 0 to 255, not rounded
  std::uint8_t* bytes = nullptr;  ///< rounded
  float* depth = nullptr;         ///< PenetrationAt, m
};

/// Throws Error for a scene whose parts do not fit.
template <typename T>
void CheckScene(const GreyScene<T>& scene);
extern template void CheckScene(const GreyScene<float>&);
extern template void CheckScene(const GreyScene<double>&);

/// X_PI: pose of the object in the pad's frame, one a world and finger. Throws Error for a scene whose parts
/// do not fit, a pose that is not finite or no rotation (then nothing is written), or threads below 0 (0:
/// all). The bits of the result do not depend on the threads.
template <typename T>
void RenderGreyBatch(const GreyScene<T>& scene, const std::vector<Pose>& X_PI, int threads,
                     const GreyOutput& out);
extern template void RenderGreyBatch(const GreyScene<float>&, const std::vector<Pose>&, int,
                                     const GreyOutput&);
extern template void RenderGreyBatch(const GreyScene<double>&, const std::vector<Pose>&, int,
                                     const GreyOutput&);

}  // namespace taxel
