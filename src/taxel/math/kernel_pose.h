// Poses in float or double for host and device.
#pragma once

#include <cmath>

#include "taxel/math/pose.h"
#include "taxel/math/triple.h"

namespace taxel {

/// X_AB: takes coordinates in frame B to frame A. r: row-major.
template <typename T>
struct KernelPose {
  T r[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  T t[3] = {0, 0, 0};
  friend bool operator==(const KernelPose&, const KernelPose&) = default;
};

inline KernelPose<double> ToKernelPose(const Pose& X) {
  KernelPose<double> out;
  for (int i = 0; i < 9; ++i) out.r[i] = X.R.m[i];
  for (int i = 0; i < 3; ++i) out.t[i] = X.p[i];
  return out;
}

template <typename T>
TAXEL_HD inline Triple<T> Rotate(const KernelPose<T>& X, const Triple<T>& v) {
  return {X.r[0] * v.x + X.r[1] * v.y + X.r[2] * v.z, X.r[3] * v.x + X.r[4] * v.y + X.r[5] * v.z,
          X.r[6] * v.x + X.r[7] * v.y + X.r[8] * v.z};
}
template <typename T>
TAXEL_HD inline Triple<T> Apply(const KernelPose<T>& X, const Triple<T>& p) {
  return Rotate(X, p) + Triple<T>{X.t[0], X.t[1], X.t[2]};
}
/// Coordinates in frame B of a point given in frame A.
template <typename T>
TAXEL_HD inline Triple<T> ApplyInverse(const KernelPose<T>& X, const Triple<T>& p) {
  const Triple<T> d{p.x - X.t[0], p.y - X.t[1], p.z - X.t[2]};
  return {X.r[0] * d.x + X.r[3] * d.y + X.r[6] * d.z, X.r[1] * d.x + X.r[4] * d.y + X.r[7] * d.z,
          X.r[2] * d.x + X.r[5] * d.y + X.r[8] * d.z};
}
template <typename T>
TAXEL_HD inline KernelPose<T> Compose(const KernelPose<T>& a, const KernelPose<T>& b) {
  KernelPose<T> out;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j)
      out.r[3 * i + j] = a.r[3 * i] * b.r[j] + a.r[3 * i + 1] * b.r[3 + j] + a.r[3 * i + 2] * b.r[6 + j];
    out.t[i] = a.r[3 * i] * b.t[0] + a.r[3 * i + 1] * b.t[1] + a.r[3 * i + 2] * b.t[2] + a.t[i];
  }
  return out;
}
/// a^-1 b
template <typename T>
TAXEL_HD inline KernelPose<T> Between(const KernelPose<T>& a, const KernelPose<T>& b) {
  KernelPose<T> out;
  const T d[3] = {b.t[0] - a.t[0], b.t[1] - a.t[1], b.t[2] - a.t[2]};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j)
      out.r[3 * i + j] = a.r[i] * b.r[j] + a.r[3 + i] * b.r[3 + j] + a.r[6 + i] * b.r[6 + j];
    out.t[i] = a.r[i] * d[0] + a.r[3 + i] * d[1] + a.r[6 + i] * d[2];
  }
  return out;
}

/// A share `at` of the way from one pose to another: turned about one axis, the origin on a straight line. A
/// half turn has no one axis: then the rotation jumps at the end.
template <typename T>
TAXEL_HD inline KernelPose<T> Interpolate(const KernelPose<T>& from, const KernelPose<T>& to, T at) {
  if (at >= 1) return to;
  KernelPose<T> turn, out = from;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      turn.r[3 * i + j] = to.r[3 * i] * from.r[3 * j] + to.r[3 * i + 1] * from.r[3 * j + 1] +
                          to.r[3 * i + 2] * from.r[3 * j + 2];
  for (int i = 0; i < 3; ++i) out.t[i] = from.t[i] + at * (to.t[i] - from.t[i]);
  T x = turn.r[7] - turn.r[5], y = turn.r[2] - turn.r[6], z = turn.r[3] - turn.r[1];
  const T sine2 = std::sqrt(x * x + y * y + z * z), cosine2 = turn.r[0] + turn.r[4] + turn.r[8] - 1;
  if (!(sine2 > T(1e-7))) return out;
  x /= sine2, y /= sine2, z /= sine2;
  const T angle = at * std::atan2(sine2, cosine2), s = std::sin(angle), v = 1 - std::cos(angle);
  KernelPose<T> part;
  const T rodrigues[9] = {1 - v * (y * y + z * z), v * x * y - s * z,       v * x * z + s * y,
                          v * x * y + s * z,       1 - v * (x * x + z * z), v * y * z - s * x,
                          v * x * z - s * y,       v * y * z + s * x,       1 - v * (x * x + y * y)};
  for (int i = 0; i < 9; ++i) part.r[i] = rodrigues[i];
  const KernelPose<T> turned = Compose(part, KernelPose<T>{from});
  for (int i = 0; i < 9; ++i) out.r[i] = turned.r[i];
  return out;
}

}  // namespace taxel
