// What one point of the gel's skin does in contact or where it is glued on: for host and device.
//
// The skin is a set of massless points on the true surface of the gel, carried by its velocity. Contact and
// bonds act there, not at the nodes of the grid, so nothing is felt before the surface touches, and the force
// is known point by point. In units of the solver (cells, steps, particles of mass): a point s at x_s with
// weights w_is has the velocity v_s = sum_i w_is v_i, and an impulse l_s changes the nodes by w_is l_s / m_i.
// Jacobi's method with row sums, started from the last step's impulses:
//     d_s = sum_i w_is W_i / m_i,   W_i = sum_t w_it    (what l = 1 at every point does to v_s)
//     l_s <- project(l_s - (v_s - wanted velocity) / d_s)
// A uniform error is gone after one round.
#pragma once

#include <cmath>

#include "taxel/marker/hydroshear_law.h"

namespace taxel {

/// Weight of a node for a point of the surface, along the normal. A particle under uniform stress pushes on
/// node i with 4 w(u) u, u = x_i - x_p (MLS); summed over particles at distances h/2, 3h/2, ... under the
/// surface that leaves the integral of that to the surface and the end correction of the midpoint rule,
///     W(u) = 4 int_u^1.5 t w(t) dt + h^2/6 (w + u w'),
/// and not w itself: with w a uniform stress would not be in balance with its own traction, and a patch up to
/// 20 % too soft. It sums to 1 over the nodes and reproduces linear fields, as w does. `correction` is h^2
/// / 6.
TAXEL_HD inline float SurfaceKernel(float u, float correction) {
  u = u < 0 ? -u : u;
  if (u < 0.5f) return 0.8125f + u * u * (u * u - 1.5f) + correction * (0.75f - 3 * u * u);
  const float t = 1.5f - u;
  return t > 0 ? t * (t * t * (1 - 0.5f * t) + correction * (0.5f * t - u)) : 0.0f;
}

/// Share of a penetration (or of a bond's drift) that a step takes back.
inline constexpr float kSkinPull = 0.2f;

/// New impulse of a point that touches. `v`: velocity of the gel relative to the object, `n`: outward normal
/// of the object, `gap`: its distance (cells), friction < 0: sticks whatever the pressure.
template <typename T>
TAXEL_HD inline Triple<T> ContactImpulse(const Triple<T>& impulse, const Triple<T>& v, const Triple<T>& n,
                                         T gap, T friction, T row_sum) {
  const T bias = gap > 0 ? gap : T(kSkinPull) * gap;
  const T inverse = T(1) / row_sum;
  const T old_n = Dot(impulse, n), v_n = Dot(v, n);
  T normal = old_n - (v_n + bias) * inverse;
  if (!(normal > 0)) return {};
  Triple<T> t = (impulse - old_n * n) - inverse * (v - v_n * n);
  if (friction >= 0) {
    const T length = std::sqrt(Dot(t, t)), most = friction * normal;
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
