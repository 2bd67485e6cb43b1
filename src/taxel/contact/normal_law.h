// From the elastic pressure to the normal traction: dissipation and rate, never suction.
#pragma once

#include <cmath>

#include "taxel/math/vec3.h"

namespace taxel {

/// d = (E*/E_A) d_A + (E*/E_B) d_B with E* = E_A E_B / (E_A + E_B): the softer side dissipates. A rigid side
/// (modulus <= 0) contributes nothing and the other side's value holds; two rigid sides give 0.
TAXEL_HD inline double CombineDissipation(double modulus_A, double dissipation_A, double modulus_B,
                                          double dissipation_B) {
  const bool soft_A = modulus_A > 0, soft_B = modulus_B > 0;
  if (soft_A && soft_B)
    return (modulus_B * dissipation_A + modulus_A * dissipation_B) / (modulus_A + modulus_B);
  return soft_A ? dissipation_A : (soft_B ? dissipation_B : 0.0);
}

/// Pressure gradients along the normal act like springs in series: 1/g = 1/g_A + 1/g_B (infinite for a rigid
/// side).
TAXEL_HD inline double SeriesGradient(double g_A, double g_B) {
  if (std::isinf(g_A)) return g_B;
  if (std::isinf(g_B)) return g_A;
  const double sum = g_A + g_B;
  return sum > 0 ? g_A * g_B / sum : 0.0;
}

/// Normal traction of a face, Pa.
///     p = max(0, p0 - h g v) max(0, 1 - d v),
/// p0 elastic pressure, g SeriesGradient, v normal speed (> 0: separating), h time step: the first factor is
/// the elastic pressure at the end of the step to first order, with the true step; the second is Hunt and
/// Crossley's. Both factors are clamped, so there is no suction however fast the bodies part. h = 0 gives the
/// instantaneous law.
TAXEL_HD inline double HuntCrossleyPressure(double p0, double gradient, double dissipation,
                                            double normal_speed, double time_step) {
  // 0 x infinity (no step, rigid on rigid) must not give NaN.
  const double rate = time_step > 0 && normal_speed != 0 ? time_step * gradient * normal_speed : 0.0;
  const double elastic = p0 - rate, damping = 1 - dissipation * normal_speed;
  return elastic > 0 && damping > 0 ? elastic * damping : 0.0;
}

}  // namespace taxel
