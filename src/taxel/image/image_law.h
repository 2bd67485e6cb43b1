// The grey image behind a flat gel that a kernel shape presses, pixel by pixel, for host and device.
#pragma once

#include "taxel/image/tactile_image.h"
#include "taxel/math/kernel_pose.h"
#include "taxel/shape/shape_exit.h"

namespace taxel {

/// Where the pixels lie on the gel's rest plane, z = centre_P.z of the pad. Row 0 is on top of the image. By
/// default as a camera behind the gel sees it that looks along z with x to its right: y is down.
template <typename T>
struct ImagePlane {
  int rows = 80, cols = 60;
  T pixel = T(0.26e-3);        ///< edge of a pixel on the gel [m]
  Triple<T> centre_P;          ///< middle of the image
  T right_x = 1, right_y = 0;  ///< unit vector along the columns, to the right, in x and y of the pad
  T down_x = 0, down_y = 1;    ///< and along the rows, downwards
  T max_depth = T(4e-3);       ///< thickness of the gel: no penetration is deeper [m]
};

/// Middle of a pixel.
template <typename T>
TAXEL_HD inline Triple<T> PixelPlace(const ImagePlane<T>& plane, int r, int c) {
  const T right = plane.pixel * (T(c) - T(0.5) * T(plane.cols - 1)),
          down = plane.pixel * (T(r) - T(0.5) * T(plane.rows - 1));
  return {plane.centre_P.x + right * plane.right_x + down * plane.down_x,
          plane.centre_P.y + right * plane.right_y + down * plane.down_y, plane.centre_P.z};
}

/// How deep the object reaches below the rest plane at a pixel [m], TacSL's depth there; 0 where the plane is
/// outside the object. So what lies below the plane without crossing it is not seen (a ball pressed in
/// deeper than its equator is seen as wide as at the plane).
template <typename T>
TAXEL_HD inline T PenetrationAt(const KernelShape<T>& object, const KernelPose<T>& X_PI,
                                const ImagePlane<T>& plane, int r, int c) {
  const Triple<T> inwards{-X_PI.r[6], -X_PI.r[7], -X_PI.r[8]};  // -z of the pad, in the object's frame
  return ShapeExit(object, ApplyInverse(X_PI, PixelPlace(plane, r, c)), inwards, plane.max_depth);
}

/// A TactileCamera as plain data, without lights.
struct GreyCamera {
  const float* background = nullptr;       ///< (rows, cols, 3)
  const float* grey_background = nullptr;  ///< (rows, cols)
  const float* table = nullptr;            ///< PhotometricTable::values
  int nodes = 0;
};

TAXEL_HD inline float ClampLevel(float v) { return v < 0 ? 0.0f : (v > 255 ? 255.0f : v); }

/// Grey level (0 to 255) of a pixel of the gel with the surface `height` [m]: RenderImage without shadows,
/// then ToGrey.
TAXEL_HD inline float GreyAt(const GreyCamera& camera, const float* height, int rows, int cols, float pixel,
                             int r, int c) {
  const std::size_t i = static_cast<std::size_t>(r) * cols + c;
  float sx, sy, nx, ny, colour[kColours];
  SlopeAt(height, rows, cols, pixel, r, c, &sx, &sy);
  if (sx == 0 && sy == 0) return camera.grey_background[i];
  NormalOfSlope(sx, sy, &nx, &ny);
  LookUpColour(camera.table, camera.nodes, nx, ny, PlaceOf(c, cols), PlaceOf(r, rows), colour);
  const float* ground = camera.background + 3 * i;
  return Luma(ClampLevel(ground[0] + colour[0]), ClampLevel(ground[1] + colour[1]),
              ClampLevel(ground[2] + colour[2]));
}

/// To a whole grey level.
TAXEL_HD inline unsigned char ToByte(float grey) {
  // NOLINTNEXTLINE(bugprone-incorrect-roundings): never negative, and lround is slow on a GPU
  return static_cast<unsigned char>(ClampLevel(grey) + 0.5f);
}

/// The skin over the indenter. Membrane: red-black sweeps of RelaxedHeight from the overlap, on the image's
/// own grid with the best over-relaxation (PressSkin goes from coarse to fine grids).
struct ImageSkin {
  bool membrane = false;
  int sweeps = 0;
  SkinRelaxation relaxation;
};
/// sweeps 0: 4 decay lengths in pixels, at least 6, which come within 0.5 % of the depth
/// (image_batch_test.cc).
inline ImageSkin MakeImageSkin(double decay_length, double pixel, int sweeps = 0) {
  const double ratio = decay_length / pixel;
  const int enough = ratio > 1.5 ? static_cast<int>(std::ceil(4 * ratio)) : 6;
  return {true, sweeps > 0 ? sweeps : enough,
          MakeRelaxation(static_cast<float>(ratio * ratio), BestOmega(ratio * ratio))};
}

/// Before the sweeps `height` is the overlap, as is `obstacle`.
inline void RelaxSkin(const ImageSkin& skin, int rows, int cols, const float* obstacle, float* height) {
  for (int sweep = 0; sweep < skin.sweeps; ++sweep) RelaxSweep(skin.relaxation, rows, cols, obstacle, height);
}

}  // namespace taxel
