// The image a camera behind the gel takes: untouched image + colour of the slope - shadows.
#pragma once

#include <cstdint>
#include <vector>

#include "taxel/image/height_map.h"
#include "taxel/image/photometric_table.h"
#include "taxel/image/shadow.h"

namespace taxel {

/// A calibrated camera: what it sees untouched, and how colour follows the slope.
struct TactileCamera {
  PixelGrid grid;
  std::vector<float> background;  ///< (rows, cols, 3) red, green, blue, 0 to 255
  PhotometricTable table;
  std::vector<ShadowLight> lights;  ///< none: no cast shadows
};

/// Error unless the parts fit together.
void CheckCamera(const TactileCamera& camera);

/// Scratch of RenderImage; reused, it allocates nothing.
struct ImageWorkspace {
  std::vector<float> shadow;
};

/// Place of a pixel's centre across the image, in [-1, 1].
TAXEL_HD inline float PlaceOf(int pixel, int count) { return (2.0f * pixel + 1.0f) / count - 1.0f; }

/// `image` (rows, cols, 3): the photo of the gel with the surface `height` [m], 0 to 255, not rounded. The
/// camera must have passed CheckCamera. `shadows` false leaves the lights out.
void RenderImage(const TactileCamera& camera, const float* height, bool shadows, ImageWorkspace* workspace,
                 float* image);

/// To whole grey levels, clamped to 0..255.
void ToBytes(const float* values, std::size_t count, std::uint8_t* bytes);

/// Luma of ITU-R BT.601.
TAXEL_HD inline float Luma(float red, float green, float blue) {
  return 0.299f * red + 0.587f * green + 0.114f * blue;
}

/// Luma, pixel by pixel.
void ToGrey(const float* image, std::size_t pixels, float* grey);

/// A marker dot: how much of a pixel at the distance `d` [px] from its centre is covered; the edge is one
/// pixel wide.
TAXEL_HD inline float DotCover(float d, float radius) {
  const float cover = radius + 0.5f - d;
  return cover < 0 ? 0 : (cover > 1 ? 1 : cover);
}

/// Darkens `image` (rows, cols, channels) where markers lie: a covered pixel keeps `brightness` (0 to 1) of
/// its value. `places` (count, 2): column and row of the dots' centres [px], pixel centres at whole numbers;
/// dots outside the image are cut off. Where dots overlap the darker cover counts. Error for a radius that is
/// not positive, a brightness outside [0, 1] or a place that is not finite.
void DrawMarkers(int rows, int cols, int channels, const double* places, std::size_t count, double radius,
                 double brightness, float* image);

/// The depth image of TacSL: a pinhole camera behind the gel that looks along its normal.
struct DepthCamera {
  int rows = 240, cols = 320;
  double distance = 0.0267;       ///< from the pinhole to the gel's rest plane [m]
  double half_height = 0.010375;  ///< what the image spans of the rest plane, up and down [m]
  double half_width = 0.012625;   ///< and left and right [m]
  double near = 1e-4;             ///< nearest depth [m]
};

/// `depth` (rows, cols) of the camera: distance along its axis to the surface `height` on `grid`, whose
/// centre lies on the axis. Outside the grid the gel is at rest.
void RenderDepth(const PixelGrid& grid, const float* height, const DepthCamera& camera, float* depth);

}  // namespace taxel
