// TacSL at one point of a pad from the pose and the motion of the object relative to the pad.
#pragma once

#include "taxel/marker/tacsl_law.h"
#include "taxel/shape/shape_normal.h"

namespace taxel::internal {

/// The depth max(0, -phi) of the point p_P inside the object, and the forces there. motion: of the object
/// relative to the pad, in the pad's frame. What a gel that turns in the world does not see: Isaac Lab takes
/// the pad's velocity at the point and the object's at its nearest surface point, `depth` away, which here
/// move as if both were in one place; that is a difference of |angular velocity of the pad| times depth.
template <typename T>
TAXEL_HD inline T TacSlAt(const KernelShape<T>& object, const TacSlRates<T>& rates, const KernelPose<T>& X_PI,
                          const KernelMotion<T>& motion, const Triple<T>& p_P, TacSlForces<T>* forces) {
  *forces = {};
  const Triple<T> p_I = ApplyInverse(X_PI, p_P);
  const T depth = -ShapeDistance(object, p_I);
  if (!(depth > 0)) return 0;
  const Triple<T> n_I = ShapeNormal(object, p_I);
  const Triple<T> v = motion.v + Cross(motion.w, Rotate(X_PI, p_I + depth * n_I));
  const Triple<T> F_P = TacSlForce(rates, depth, Rotate(X_PI, n_I), Triple<T>{-v.x, -v.y, -v.z});
  *forces = ToTacSlForces(F_P);
  return depth;
}

}  // namespace taxel::internal
