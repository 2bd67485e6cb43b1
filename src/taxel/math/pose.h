// Rigid poses. X_AB takes coordinates in frame B to coordinates in frame A.
#pragma once

#include <cmath>

#include "taxel/math/vec3.h"

namespace taxel {

struct Pose {
  Mat3 R;
  Vec3 p;
  friend bool operator==(const Pose&, const Pose&) = default;
};

TAXEL_HD inline Vec3 operator*(const Pose& X_AB, const Vec3& p_B) { return X_AB.R * p_B + X_AB.p; }
TAXEL_HD inline Pose operator*(const Pose& X_AB, const Pose& X_BC) {
  return {X_AB.R * X_BC.R, X_AB.R * X_BC.p + X_AB.p};
}
TAXEL_HD inline Pose Inverse(const Pose& X_AB) { return {Transpose(X_AB.R), -TransposeMul(X_AB.R, X_AB.p)}; }

/// Rotation by `angle` radians about the unit `axis` (Rodrigues).
Mat3 RotationAbout(const Vec3& axis, double angle);
/// Rotation of a unit quaternion (w, x, y, z), MuJoCo's order. Normalises first.
Mat3 RotationFromQuaternion(double w, double x, double y, double z);
/// Every entry is finite.
inline bool is_finite(const Pose& X) {
  for (const double m : X.R.m)
    if (!std::isfinite(m)) return false;
  return is_finite(X.p);
}
/// Greatest entry of |R^T R - 1| and |det R - 1|: how far R is from a rotation.
double RotationDefect(const Mat3& R);

}  // namespace taxel
