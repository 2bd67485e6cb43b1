// Friction coefficients without memory: regularised Coulomb, and Stribeck between static and dynamic
// friction.
#pragma once

#include <cmath>

#include "taxel/math/vec3.h"

namespace taxel {

/// 2 mu_A mu_B / (mu_A + mu_B), as Drake combines them; 0 when either side is frictionless.
TAXEL_HD inline double CombineFriction(double mu_A, double mu_B) {
  return mu_A > 0 && mu_B > 0 ? 2 * mu_A * mu_B / (mu_A + mu_B) : 0.0;
}

/// mu s (2 - s) for s = |v| / v_s < 1, mu beyond: continuous with its slope, zero at rest (a body on an
/// incline creeps at a fraction of v_s; friction with memory does not).
/// @pre stiction_speed v_s > 0.
TAXEL_HD inline double RegularizedCoulomb(double slip_speed, double mu, double stiction_speed) {
  const double s = std::fabs(slip_speed) / stiction_speed;
  return s < 1 ? mu * s * (2 - s) : mu;
}

/// Friction coefficient that rises to mu_static within the stiction speed and falls to mu_dynamic at the
/// Stribeck speed scale:  m(v) = mu_d + (mu_s - mu_d) exp(-(v / v_str)^2), regularised as above.
/// @pre mu_static >= mu_dynamic, stribeck_speed >> stiction_speed > 0.
TAXEL_HD inline double StribeckFriction(double slip_speed, double mu_static, double mu_dynamic,
                                        double stribeck_speed, double stiction_speed) {
  const double r = slip_speed / stribeck_speed;
  const double mu = mu_dynamic + (mu_static - mu_dynamic) * std::exp(-r * r);
  return RegularizedCoulomb(slip_speed, mu, stiction_speed);
}

/// Tangential traction of a face, Pa, opposite to the slip velocity; zero at rest.
TAXEL_HD inline Vec3 FrictionTraction(const Vec3& slip_velocity, double normal_traction, double coefficient) {
  const double speed = norm(slip_velocity);
  return speed > 0 ? (-coefficient * normal_traction / speed) * slip_velocity : Vec3{};
}

}  // namespace taxel
