// What the bristles of a pad are like: spring, damper, length, friction.
#pragma once

#include <vector>

#include "taxel/bristle/lugre.h"
#include "taxel/skin/description.h"

namespace taxel {

/// Every bristle of a pad is alike. SI units, per bristle.
struct BristleOptions {
  double stiffness = 0;  ///< k, N/m; of a curve: its first slope
  double damping = 0;    ///< c_n, N s/m
  double depth = 0;      ///< length of a probe: the greatest penetration, m
  double dead_band = 0;  ///< penetration without force, m
  /// Instead of k: penetration beyond the dead band and force, both rising, from (0, 0); straight between,
  /// and on with the last slope.
  struct CurvePoint {
    double depth, force;
  };
  std::vector<CurvePoint> curve;
  LuGreParameters friction;
  /// The coefficients above were given; else they come from elsewhere (the geoms).
  bool has_friction = false;
};

/// Elastic force at a penetration, and how it rises.
struct SpringForce {
  double force = 0, stiffness = 0;  ///< N, N/m
};
SpringForce ElasticForce(const BristleOptions& options, double penetration);

/// c_n in N s/m where none is given: the paper's rule, one hundredth of k (times one second).
inline double DampingRule(double stiffness) { return 0.01 * stiffness; }

/// Reads the keys  stiffness or curve, damping, depth or thickness, dead_band, friction, stribeck_speed,
/// sigma0, sigma1, viscosity, form  (docs/guide/bristles.md has their meaning and defaults).
/// @throws Error that opens with description.where().
BristleOptions ReadBristles(const Description& description);
/// Does the description speak of bristles: does it give stiffness or curve?
bool HasBristles(const Description& description);

/// friction="mu" or "static dynamic", of bristles and of pressure fields. @throws Error
void ReadFriction(const Description& description, double* statics, double* dynamic);

/// @throws Error when a number is out of its range or two contradict each other.
void CheckBristles(const BristleOptions& options, const std::string& where);

}  // namespace taxel
