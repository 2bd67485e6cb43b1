// Turns and velocities between poses, in float or double for host and device.
#pragma once

#include "taxel/math/kernel_pose.h"

namespace taxel {

/// Of unit length.
template <typename T>
struct KernelQuaternion {
  T w = 1, x = 0, y = 0, z = 0;
  friend bool operator==(const KernelQuaternion&, const KernelQuaternion&) = default;
};

/// Of the row-major rotation r, with w >= 0. The greatest of the four squares is rooted, so that no root is
/// of a small difference.
template <typename T>
TAXEL_HD inline KernelQuaternion<T> ToQuaternion(const T r[9]) {
  const T trace = r[0] + r[4] + r[8];
  T most = 1 + trace;
  int k = 0;
  for (int i = 0; i < 3; ++i) {
    const T square = 1 + 2 * r[4 * i] - trace;
    if (square > most) most = square, k = i + 1;
  }
  const T s = 2 * std::sqrt(most), quarter = T(0.25) * s;
  const T a = (r[7] - r[5]) / s, b = (r[2] - r[6]) / s, c = (r[3] - r[1]) / s;
  const T xy = (r[1] + r[3]) / s, xz = (r[2] + r[6]) / s, yz = (r[5] + r[7]) / s;
  KernelQuaternion<T> q{quarter, a, b, c};
  if (k == 1) q = {a, quarter, xy, xz};
  if (k == 2) q = {b, xy, quarter, yz};
  if (k == 3) q = {c, xz, yz, quarter};
  if (q.w < 0) q = {-q.w, -q.x, -q.y, -q.z};
  return q;
}

/// Axis times angle; the angle runs from 0 to 2 pi, so that -q and q differ.
template <typename T>
TAXEL_HD inline Triple<T> RotationVector(const KernelQuaternion<T>& q) {
  const T length = std::sqrt(q.x * q.x + q.y * q.y + q.z * q.z);
  const T scale = length > 0 ? 2 * std::atan2(length, q.w) / length : T(2);
  return {scale * q.x, scale * q.y, scale * q.z};
}

/// Velocity of a body's origin and its angular velocity, in one frame.
template <typename T>
struct KernelMotion {
  Triple<T> v, w;  ///< m/s, rad/s
};

template <typename T>
TAXEL_HD inline Triple<T> Cross(const Triple<T>& a, const Triple<T>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/// The steady motion that leads from one pose to the next in the time dt > 0; turns below half a turn.
template <typename T>
TAXEL_HD inline KernelMotion<T> MotionBetween(const KernelPose<T>& before, const KernelPose<T>& now, T dt) {
  T turn[9];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      turn[3 * i + j] = now.r[3 * i] * before.r[3 * j] + now.r[3 * i + 1] * before.r[3 * j + 1] +
                        now.r[3 * i + 2] * before.r[3 * j + 2];
  const T per = 1 / dt;
  return {{per * (now.t[0] - before.t[0]), per * (now.t[1] - before.t[1]), per * (now.t[2] - before.t[2])},
          per * RotationVector(ToQuaternion(turn))};
}

}  // namespace taxel
