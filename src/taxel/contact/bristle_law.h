// Friction with memory: an elastic stretch that yields at a bound.
#pragma once

#include <cmath>

#include "taxel/math/vec3.h"

namespace taxel {

/// mu(v) = mu_d + (mu_s - mu_d) exp(-(v / v_str)^2): Stribeck's drop from static to dynamic friction.
/// @pre stribeck_speed > 0.
TAXEL_HD inline double StribeckCoefficient(double slip_speed, double mu_static, double mu_dynamic,
                                           double stribeck_speed) {
  if (mu_static == mu_dynamic) return mu_dynamic;
  const double r = slip_speed / stribeck_speed;
  return mu_dynamic + (mu_static - mu_dynamic) * std::exp(-r * r);
}

/// The part of v along a surface with unit normal n.
TAXEL_HD inline Vec3 Tangential(const Vec3& v, const Vec3& n) { return v - dot(v, n) * n; }

/// A stretch carried to a place with another normal: turned into its plane, as long as before (projected only
/// where the planes are more than 60 degrees apart).
TAXEL_HD inline Vec3 CarriedStretch(const Vec3& s, const Vec3& n) {
  const Vec3 t = Tangential(s, n);
  const double before = norm2(s), after = norm2(t);
  return after > 0.25 * before && after > 0 ? std::sqrt(before / after) * t : t;
}

/// One step of the stretch s of a bristle, elasto-plastic LuGre (Dupont et al. 2002):
///     ds/dt = v - alpha(s) |v| s / s_max,    s_max = bound / stiffness.
/// alpha is 0 up to `breakaway` * s_max (purely elastic: a body held by friction does not creep, however it
/// is shaken) and rises to 1 at s_max. breakaway = 1 is the elastic-perfectly-plastic spring, breakaway = 0
/// is alpha = 1 everywhere: the original LuGre law. The yielding term is taken at the end of the step, so the
/// result is never longer than s_max, for any v and any step.
/// @param motion   v h, the relative displacement of this step, tangential
/// @param longest  s_max; 0 when there is no normal force
/// @pre 0 <= breakaway <= 1.
TAXEL_HD inline Vec3 AdvanceStretch(const Vec3& stretch, const Vec3& motion, double longest,
                                    double breakaway) {
  if (!(longest > 0)) return {};
  Vec3 s = stretch + motion;
  double length = norm(s);
  if (breakaway < 1 && length > breakaway * longest && (breakaway == 0 || dot(s, motion) > 0)) {
    double alpha = 1;
    if (breakaway > 0 && length < longest) {
      const double t = (length - breakaway * longest) / ((1 - breakaway) * longest);
      alpha = 0.5 - 0.5 * std::cos(3.14159265358979323846 * t);
    }
    const double shrink = 1 / (1 + alpha * norm(motion) / longest);
    s *= shrink;
    length *= shrink;
  }
  if (length > longest) s *= longest / length;
  return s;
}

}  // namespace taxel
