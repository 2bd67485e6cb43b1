// How much a sample counts by its distance from the taxel.
#pragma once

#include <cmath>

namespace taxel {

enum class Window {
  kNone,       ///< 1
  kGauss,      ///< exp(-(d / r)^2 / (2 width^2)), width 0.4 by default
  kTukey,      ///< 1 up to (1 - width) r, then half a cosine down to 0 at r; width 0.3 by default
  kSquare,     ///< (1 - d / r)^2
  kQuadratic,  ///< (r - d)^2: the same shape as square, in m2 (for `sum` as the papers write it)
};

/// Weight of a sample at distance d in a receptive field of radius r (for a rectangular cell: half its
/// diagonal). 0 beyond r, except kNone, which leaves that to the field.
inline double WindowWeight(Window window, double width, double d, double r) {
  const double x = r > 0 ? d / r : 0;
  switch (window) {
    case Window::kNone:
      return 1;
    case Window::kGauss:
      return x <= 1 ? std::exp(-0.5 * (x / width) * (x / width)) : 0;
    case Window::kTukey:
      if (x <= 1 - width) return 1;
      return x < 1 ? 0.5 * (1 + std::cos(M_PI * (x - 1 + width) / width)) : 0;
    case Window::kSquare:
      return x < 1 ? (1 - x) * (1 - x) : 0;
    case Window::kQuadratic:
      return x < 1 ? (r - d) * (r - d) : 0;
  }
  return 0;
}

}  // namespace taxel
