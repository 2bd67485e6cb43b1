// Pressure as a piecewise linear function of a normalised depth u.
#pragma once

#include <limits>
#include <vector>

namespace taxel {

/// p = slope u + offset for u in [u0, u1].
struct Layer {
  double u0, u1, slope, offset;
};

/// The plain linear law p = E u, for every u >= 0.
inline std::vector<Layer> LinearLaw(double modulus) {
  return {{0, std::numeric_limits<double>::infinity(), modulus, 0}};
}

/// The law of a backed layer, u = depth / thickness. A foam that is pressed flat cannot give way any more:
///     p = E u                                                   for u <= s,
///     p = E (s + (1 - s)(2^k - 1))   where 1 - u = (1 - s) / 2^k,  k = 0, 1, ... 20, linear between these
///     knots,
/// that is, each time the thickness that is left halves, its stiffness quadruples in the limit (p ~ E (1-s)^2
/// / (1-u)). The slope is continuous in trend, never falls, and the pressure at the last knot is 2e5 E (6 GPa
/// for a foam of 3e4 Pa): no load gets through. Beyond it the last slope goes on. Being piecewise linear the
/// law is exact on polygons: nothing is integrated approximately.
inline std::vector<Layer> StiffeningLaw(double modulus, double start) {
  constexpr int kKnots = 20;
  std::vector<Layer> layers{{0, start, modulus, 0}};
  double u0 = start, p0 = modulus * start, left = 1 - start, power = 1;
  for (int k = 1; k <= kKnots; ++k) {
    left *= 0.5;
    power *= 2;
    const double u1 = 1 - left, p1 = modulus * (start + (1 - start) * (power - 1));
    const double slope = (p1 - p0) / (u1 - u0);
    layers.push_back({u0, u1, slope, p0 - slope * u0});
    u0 = u1, p0 = p1;
  }
  layers.back().u1 = std::numeric_limits<double>::infinity();
  return layers;
}

/// The law at one point; 0 for u <= 0.
inline double PressureOfDepth(const std::vector<Layer>& law, double u) {
  if (u <= 0) return 0;
  for (const Layer& l : law)
    if (u <= l.u1) return l.slope * u + l.offset;
  return 0;
}

}  // namespace taxel
