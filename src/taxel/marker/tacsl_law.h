// TacSL's force at one point, in float or double for host and device.
#pragma once

#include "taxel/math/kernel_turn.h"

namespace taxel {

/// What may differ from world to world; TacSlParameters has Isaac Lab's names.
template <typename T>
struct TacSlRates {
  T normal_stiffness = 1;      ///< N/m
  T tangential_stiffness = 0;  ///< N s/m
  T friction = 0;
};

/// On the gel, along the axes of the pad, N.
template <typename T>
struct TacSlForces {
  T normal = 0;  ///< along -z
  T shear_x = 0, shear_y = 0;
};

/// On the gel at a point `depth` > 0 inside the object. n: unit, out of the object; v: velocity of the point
/// less that of the object's nearest point; all in one frame.
///     F = k_n depth n - min(k_t |v_t|, mu k_n depth) v_t / |v_t|         v_t: the part of v across n
template <typename T>
TAXEL_HD inline Triple<T> TacSlForce(const TacSlRates<T>& rates, T depth, const Triple<T>& n,
                                     const Triple<T>& v) {
  const Triple<T> v_t = v - Dot(v, n) * n;
  const T speed = std::sqrt(Dot(v_t, v_t)), normal = rates.normal_stiffness * depth;
  const T viscous = rates.tangential_stiffness * speed, cone = rates.friction * normal;
  const T friction = cone < viscous ? cone : viscous;
  const Triple<T> F = normal * n;
  return speed > 0 ? F - (friction / speed) * v_t : F;
}

/// F_P: in the pad's frame.
template <typename T>
TAXEL_HD inline TacSlForces<T> ToTacSlForces(const Triple<T>& F_P) {
  return {-F_P.z, F_P.x, F_P.y};
}

/// A shear of no more than so much of the hardest pressed point's normal force has no direction: it is what
/// rounding leaves of a rest. Poses in float32 half a metre from the origin tremble by 3e-8 m, 2e-6 m/s at
/// 60 Hz, and with TacSL's numbers 1 mm deep that is 2e-4 of the normal force.
inline constexpr double kTacSlLeastShear = 1e-3;

/// The shear of a point as a unit vector, or 0. hardest: the largest normal force of all points of the pad.
template <typename T>
TAXEL_HD inline void MakeUnitShear(T hardest, T* shear_x, T* shear_y) {
  const T length = std::sqrt(*shear_x * *shear_x + *shear_y * *shear_y);
  const T scale = length > T(kTacSlLeastShear) * hardest ? 1 / length : T(0);
  *shear_x *= scale;
  *shear_y *= scale;
}

}  // namespace taxel
