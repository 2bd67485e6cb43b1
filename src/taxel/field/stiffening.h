// Pressure as a piecewise linear function of a normalised depth u.
#pragma once

#include <limits>
#include <vector>

namespace taxel::internal {

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
///     p = E (s + (1 - s)(2^k - 1))   where 1 - u = (1 - s) / 2^k,  k = 0, 1, 2, 3, linear between these
///     knots:
/// each time the thickness that is left halves, the slope quadruples (2 E, 8 E, 32 E). The law ends at the
/// last knot, u = 1 - (1 - s) / 8, with the pressure E (s + 7 (1 - s)): there the layer is flat and what lies
/// beyond is the core (CoreDepth), which is no spring. Beyond it the last slope goes on, so that the pressure
/// still tells how deep a body is. Being piecewise linear the law is exact on polygons: nothing is integrated
/// approximately.
inline std::vector<Layer> StiffeningLaw(double modulus, double start) {
  constexpr int kKnots = 3;
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
  Layer beyond = layers.back();
  beyond.u0 = u0;
  beyond.u1 = std::numeric_limits<double>::infinity();
  layers.push_back(beyond);
  return layers;
}

/// A measured law: linear through 0 and the given pairs of depth u and pressure over modulus. It ends with
/// them.
inline std::vector<Layer> MeasuredLaw(double modulus, const std::vector<double>& pairs) {
  std::vector<Layer> layers;
  double u0 = 0, p0 = 0;
  for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) {
    const double u1 = pairs[i], p1 = modulus * pairs[i + 1], slope = (p1 - p0) / (u1 - u0);
    layers.push_back({u0, u1, slope, p0 - slope * u0});
    u0 = u1, p0 = p1;
  }
  Layer beyond = layers.back();
  beyond.u0 = u0;
  beyond.u1 = std::numeric_limits<double>::infinity();
  layers.push_back(beyond);
  return layers;
}
inline constexpr int kMostPairs = 10;

/// The depth u at which a body has no more to give: the end of a stiffening law; of a linear one 0.8, short
/// of the medial axis, beyond which its pressure would push the other way.
inline double CoreDepth(const std::vector<Layer>& law) { return law.size() > 1 ? law.back().u0 : 0.8; }

/// The law at one point; 0 for u <= 0.
inline double PressureOfDepth(const std::vector<Layer>& law, double u) {
  if (u <= 0) return 0;
  for (const Layer& l : law)
    if (u <= l.u1) return l.slope * u + l.offset;
  return 0;
}

/// The layer that holds a pressure.
inline const Layer& LayerOfPressure(const std::vector<Layer>& law, double p) {
  for (const Layer& l : law)
    if (p <= l.slope * l.u1 + l.offset) return l;
  return law.back();
}

/// The depth at which the law has the pressure p; 0 for p <= 0.
inline double DepthOfPressure(const std::vector<Layer>& law, double p) {
  if (p <= 0) return 0;
  const Layer& l = LayerOfPressure(law, p);
  return (p - l.offset) / l.slope;
}

}  // namespace taxel::internal
