// How stiff an elastic layer on a stiff back is to a contact of a given size.
#pragma once

#include <algorithm>
#include <cmath>

#include "taxel/math/vec3.h"

namespace taxel {

/// Sizes (radius of the contact over the thickness) within which the rule was fitted.
inline constexpr double kSmallestSize = 0.05, kWidestSize = 8;

/// m, the effective modulus over Young's: a model that presses each point of a layer by itself has the force
/// modulus V / H (V the overlap, H the thickness), and needs the modulus m E to have that of the layer. With
/// s the size, nu Poisson's ratio and M = (1 - nu) / ((1 + nu) (1 - 2 nu)), the confined modulus over
/// Young's:
///     small = 0.642 / ((1 - nu^2) s)                                   a half space
///     film  = 2.148 (1 + 33.87 (1 - 2 nu)^2) + 0.495 s^2 / (1 + nu)    squeezed out sideways
///     wide  = (M^-1.217 + film^-1.217)^(-1/1.217)
///     m     = (small^1.64 + wide^1.64)^(1/1.64)
/// Fitted to a ball and a punch on the exact layer, within 8 % of their mean (docs/theory/material.md; Python
/// has the same as taxel.sensors.effective_modulus). s is held within the sizes above, nu in 0 .. 0.4999.
TAXEL_HD inline double EffectiveModulus(double size, double poisson) {
  const double s = std::fmin(std::fmax(size, kSmallestSize), kWidestSize);
  const double confined = (1 - poisson) / ((1 + poisson) * (1 - 2 * poisson));
  const double small = 0.642 / ((1 - poisson * poisson) * s);
  const double free = 1 - 2 * poisson;
  const double film = 2.148 * (1 + 33.87 * free * free) + 0.495 * s * s / (1 + poisson);
  constexpr double kBulk = 1.217, kBend = 1.64;
  const double wide = std::pow(std::pow(confined, -kBulk) + std::pow(film, -kBulk), -1 / kBulk);
  return std::pow(std::pow(small, kBend) + std::pow(wide, kBend), 1 / kBend);
}

/// m where the layer is softest: of nearly incompressible ones near the size 1; of foams the confined
/// modulus, that of a wide, flat press.
inline double SoftestModulus(double poisson) {
  double least = (1 - poisson) / ((1 + poisson) * (1 - 2 * poisson));
  constexpr int kSteps = 400;
  const double ratio = std::pow(kWidestSize / kSmallestSize, 1.0 / (kSteps - 1));
  double s = kSmallestSize;
  for (int i = 0; i < kSteps; ++i, s *= ratio) least = std::min(least, EffectiveModulus(s, poisson));
  return least;
}

}  // namespace taxel
