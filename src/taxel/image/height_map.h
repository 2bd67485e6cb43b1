// The surface of a gel under an indenter, on the pixel grid of its camera.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "taxel/math/vec3.h"

namespace taxel {

/// A grid of square pixels over a gel that is flat at rest; row-major, row 0 on top of the image.
struct PixelGrid {
  int rows = 0;
  int cols = 0;
  double pixel = 0;  ///< edge of a pixel on the gel [m]

  std::size_t size() const { return static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols); }
};

/// How the gel around the contact follows the indenter.
enum class SkinModel {
  kRigid,     ///< not at all: the height is the overlap, max(0, penetration), as TacSL sees it
  kMembrane,  ///< a stretched skin on an elastic bed: one decay length, the contact area is found
  kPyramid,   ///< Gaussian blurs from wide to narrow, the overlap put back after each, as FOTS does it
};

struct SkinOptions {
  SkinModel model = SkinModel::kMembrane;
  /// Membrane: how far the surface needs to recover by 1/e beside a straight edge [m].
  double decay_length = 1e-3;
  /// Membrane: relaxation sweeps on the finest grid; each coarser one gets twice as many.
  int sweeps = 12;
  /// Pyramid: side of each blur's window [px], odd; its sigma is 0.3 (side/2 - 1) + 0.8.
  std::vector<int> windows = {51, 21, 11, 5};
  /// Pyramid: where the overlap is above this share of the deepest one it is put back after each blur.
  double contact_share = 0.4;
};

/// Scratch of PressSkin; reused, it allocates nothing for grids no larger than before.
struct PressWorkspace {
  struct Level {
    int rows = 0, cols = 0;
    std::vector<float> obstacle, height;
  };
  std::vector<Level> levels;
  std::vector<float> rows_blurred, kernel;
};

/// The height h of the pressed gel towards the camera [m], rows x cols, at least 0.
///
/// `penetration` [m]: how deep the point of the indenter above a pixel lies below the gel's rest plane;
/// negative where it lies above. It may be -infinity where there is no indenter; it must not be NaN.
///
/// Membrane: of all surfaces above the indenter (h >= penetration) the one of least energy
///   1/2 integral h^2 + l^2 |grad h|^2,
/// so outside the contact h = l^2 laplace h, and the surface leaves a smooth indenter without a kink. The rim
/// of the image is free (no slope across it). Solved by projected red-black relaxation from coarse to fine
/// grids: for a ball within 2 % of its depth of the closed form of ball_press.h (height_map_test.cc).
///
/// Pyramid: the last window is used once more at the end without putting back, which softens the edge.
void PressSkin(const PixelGrid& grid, const float* penetration, const SkinOptions& options,
               PressWorkspace* workspace, float* height);

/// Error unless the grid has at least 3 x 3 pixels of positive size.
void CheckGrid(const PixelGrid& grid, const char* what);

/// Numbers of a relaxation sweep of the membrane on one grid.
struct SkinRelaxation {
  float omega = 1;  ///< over-relaxation
  float two = 0, three = 0,
        four = 0;  ///< s / (1 + n s) for pixels with n neighbours, s = (decay length / pixel)^2
};
inline SkinRelaxation MakeRelaxation(float s, float omega) {
  return {omega, s / (1 + 2 * s), s / (1 + 3 * s), s / (1 + 4 * s)};
}
/// The omega that converges fastest from any start on a large grid.
inline float BestOmega(double s) {
  const double jacobi = 4 * s / (1 + 4 * s);
  return static_cast<float>(2 / (1 + std::sqrt(1 - jacobi * jacobi)));
}

/// One projected, over-relaxed step of (1 + s n) h = s sum of neighbours, h >= obstacle, at a pixel; n is the
/// number of neighbours inside the image, which makes the rim free. At least 2 rows and columns.
TAXEL_HD inline float RelaxedHeight(const SkinRelaxation& skin, const float* height, float obstacle, int rows,
                                    int cols, int r, int c) {
  const float* h = height + static_cast<std::size_t>(r) * cols + c;
  float sum = 0;
  int n = 0;
  if (c > 0) sum += h[-1], ++n;
  if (c < cols - 1) sum += h[1], ++n;
  if (r > 0) sum += h[-cols], ++n;
  if (r < rows - 1) sum += h[cols], ++n;
  const float weight = n == 4 ? skin.four : (n == 3 ? skin.three : skin.two);
  const float relaxed = *h + skin.omega * (weight * sum - *h);
  return relaxed > obstacle ? relaxed : obstacle;
}

/// One red-black sweep of RelaxedHeight over the image.
inline void RelaxSweep(const SkinRelaxation& skin, int rows, int cols, const float* obstacle, float* height) {
  for (int colour = 0; colour < 2; ++colour)
    for (int r = 0; r < rows; ++r) {
      const std::size_t row = static_cast<std::size_t>(r) * cols;
      const bool inside = r > 0 && r < rows - 1;
      int c = (r + colour) % 2;
      const auto relax = [&] {
        height[row + c] = RelaxedHeight(skin, height, obstacle[row + c], rows, cols, r, c);
      };
      if (inside && c == 0) relax(), c += 2;
      if (inside)  // four neighbours each: the same numbers without asking
        for (; c < cols - 1; c += 2) {
          float* h = height + row + c;
          const float sum = h[-1] + h[1] + h[-cols] + h[cols];
          const float relaxed = *h + skin.omega * (skin.four * sum - *h), least = obstacle[row + c];
          *h = relaxed > least ? relaxed : least;
        }
      for (; c < cols; c += 2) relax();
    }
}

/// Slope of the surface at a pixel along columns (x, to the right) and rows (y, downwards): central
/// differences, one-sided at the rim.
template <typename T>
TAXEL_HD inline void SlopeAt(const float* height, int rows, int cols, T pixel, int r, int c, float* sx,
                             float* sy) {
  const int c0 = c > 0 ? c - 1 : c, c1 = c < cols - 1 ? c + 1 : c;
  const int r0 = r > 0 ? r - 1 : r, r1 = r < rows - 1 ? r + 1 : r;
  const std::size_t w = static_cast<std::size_t>(cols);
  *sx = static_cast<float>((height[r * w + c1] - height[r * w + c0]) / (T(c1 - c0) * pixel));
  *sy = static_cast<float>((height[r1 * w + c] - height[r0 * w + c]) / (T(r1 - r0) * pixel));
}

}  // namespace taxel
