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
  /// The spring is pressed along the bristle, not along the normal of what it meets (Eq. 4).
  bool along_axis = false;
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

/// The same of a bristle whose direction has this cosine with the normal of what it meets: the force along
/// that normal at a penetration along it. By default it is the spring's (Eq. 4). `along_axis`: the spring is
/// shorter by s = penetration / cosine; a frictionless body then gets F(s) / cosine along its normal, F(s)
/// along the bristle, as from a column of a layer. Since s rises by 1 / cosine along the normal, that is the
/// gradient of the spring's energy. Below kSteepest (60 degrees) the cosine counts as that: the force stays
/// finite beside a wall.
SpringForce ForceAlongNormal(const BristleOptions& options, double penetration, double cosine);
inline constexpr double kSteepest = 0.5;

/// c_n in N s/m where none is given: the paper's rule, one hundredth of k (times one second).
inline double DampingRule(double stiffness) { return 0.01 * stiffness; }

/// Reads the keys  stiffness or curve, damping, depth or thickness, dead_band, friction, stribeck_speed,
/// sigma0, sigma1, viscosity, form, measure  (docs/guide/bristles.md has their meaning and defaults).
/// @throws Error that opens with description.where().
BristleOptions ReadBristles(const Description& description);
/// Does the description speak of bristles: does it give stiffness or curve?
bool HasBristles(const Description& description);

/// friction="mu" or "static dynamic", of bristles and of pressure fields. @throws Error
void ReadFriction(const Description& description, double* statics, double* dynamic);

/// @throws Error when a number is out of its range or two contradict each other.
void CheckBristles(const BristleOptions& options, const std::string& where);

}  // namespace taxel
