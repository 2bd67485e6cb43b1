// What one point of the gel's skin does in contact or where it is glued on: for host and device.
//
// The skin is a set of points on the true surface of the gel, each riding on a particle p below it: with r =
// F_p r0,
//     x_s = x_p + r,     weights W_is = w_ip (1 + 4 (x_i - x_p) . r)
// in units of the solver (cells, steps, particles of mass). The weights sum to 1 and are exact for linear
// fields, the point moves with sum_i W_is v_i = v_p + C_p r exactly, and every node it acts on has mass.
// Contact and bonds act there, not at nodes, so nothing is felt before the surface touches, and the force is
// known point by point: an impulse l_s changes node i by W_is l_s / m_i. Jacobi's method with row sums,
// started from the last step's impulses:
//     d_s = sum_i |W_is| A_i / m_i,   A_i = sum_t |W_it|    (the most that l = 1 at every point does to v_s)
//     l_s <- project(l_s - (v_s - wanted velocity) / d_s)
// The rounds do not overshoot; where no weight is negative, a uniform error is gone after one. Friction pulls
// a point back to where it was gripped (SkinGrip) as the normal part pulls it out of the object.
#pragma once

#include <cmath>

#include "taxel/math/triple.h"

namespace taxel {

/// Share of a penetration (or of a bond's drift) that a step takes back.
inline constexpr float kSkinPull = 0.3f;
/// Share of the last impulse that a step starts from. Four points a cell face are more than the grid can tell
/// apart: without this leak the pull winds up impulses that cancel on the grid.
inline constexpr float kSkinKeep = 0.97f;

/// The last step's impulse as a start for this one, with the object's normal as it is now.
template <typename T>
TAXEL_HD inline Triple<T> ContactStart(const Triple<T>& impulse, const Triple<T>& n) {
  const T normal = Dot(impulse, n);
  return T(kSkinKeep) * (normal > 0 ? impulse : impulse - normal * n);
}

/// A point nearer than this (cells) still touches in a step without pressure: pressures of single points
/// flicker.
inline constexpr float kSkinTouch = 0.05f;
/// How fast the pressure that bounds friction follows that of the step.
inline constexpr float kSkinFollow = 0.2f;

/// What friction remembers of a point.
template <typename T>
struct SkinGrip {
  T friction = 0;   ///< Coulomb's coefficient; < 0: sticks whatever the pressure
  T pressed = 0;    ///< normal impulse, smoothed over some steps; 0: has just come
  Triple<T> drift;  ///< where the point is less where it was gripped
};

/// Most that a tangential impulse can be.
template <typename T>
TAXEL_HD inline T FrictionBound(const SkinGrip<T>& grip, T normal) {
  return grip.friction * (grip.pressed > 0 ? grip.pressed : normal);
}

/// New impulse of a point that touches. `v`: velocity of the gel relative to the object, `n`: outward normal
/// of the object, `gap`: its distance (cells). Friction holds the point where it was gripped, so that
/// rounding and flickering pressures do not add up to a creep.
template <typename T>
TAXEL_HD inline Triple<T> ContactImpulse(const Triple<T>& impulse, const Triple<T>& v, const Triple<T>& n,
                                         T gap, const SkinGrip<T>& grip, T row_sum) {
  const T bias = gap > 0 ? gap : T(kSkinPull) * gap;
  const T inverse = T(1) / row_sum;
  const T old_n = Dot(impulse, n), v_n = Dot(v, n);
  T normal = old_n - (v_n + bias) * inverse;
  if (!(normal > 0)) {
    if (!(grip.pressed > 0 && gap < T(kSkinTouch))) return {};
    normal = 0;
  }
  const Triple<T> slip = v + T(kSkinPull) * grip.drift;
  Triple<T> t = (impulse - old_n * n) - inverse * (slip - Dot(slip, n) * n);
  if (grip.friction >= 0) {
    const T length = std::sqrt(Dot(t, t)), most = FrictionBound(grip, normal);
    if (length > most) t = (length > 0 ? most / length : T(0)) * t;
  }
  return normal * n + t;
}

/// New impulse of a point that is glued to the hand. `drift`: where it is less where it belongs.
template <typename T>
TAXEL_HD inline Triple<T> BondImpulse(const Triple<T>& impulse, const Triple<T>& v, const Triple<T>& drift,
                                      T row_sum) {
  return impulse - (T(1) / row_sum) * (v + T(kSkinPull) * drift);
}

}  // namespace taxel
