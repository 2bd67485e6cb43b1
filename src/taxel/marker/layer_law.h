// An elastic layer bonded to a rigid base: what a loaded square of its surface does to another place of it.
#pragma once

#include <cmath>

#include "taxel/math/triple.h"

namespace taxel {

/// How far and how long a contact is solved for.
inline constexpr double kLayerDeepest = 0.9;     ///< of the local thickness: an object is held to be there
inline constexpr int kLayerMostIncrements = 64;  ///< of a step
inline constexpr double kLayerBulge = 0.3;  ///< of the depth: so far above the rest a gel may reach an object
inline constexpr double kLayerTolerance = 5e-4;  ///< of displacements, relative to the depth
inline constexpr double kLayerEarly = 6;         ///< times that before the last sweep, which mends it
inline constexpr double kLayerLeast = 0.02;      ///< of the depth: the shortest way remembered by itself
inline constexpr int kLayerSweeps = 2, kLayerPressureRounds = 20, kLayerFreeRounds = 8,
                     kLayerFrictionRounds = 20;

/// How far off a program of a sweep may end.
TAXEL_HD inline double SlackOf(int sweep, bool friction, double deepest) {
  return (friction && sweep + 1 < kLayerSweeps ? kLayerEarly : 1.0) * kLayerTolerance * deepest;
}

/// Displacement per traction (both in the pad's axes, z out of the layer), times the shear modulus:
///     u_x = xx t_x + xy t_y + xz t_z     u_y = xy t_x + yy t_y + yz t_z     u_z = -xz t_x - yz t_y + zz t_z
template <typename T>
struct LayerBlock {
  T xx = 0, xy = 0, yy = 0, xz = 0, yz = 0, zz = 0;
};

/// Of a half space with a square of side 2 half, loaded evenly about the origin, at (x, y) on its surface
/// (Boussinesq and Cerruti, integrated: Love 1929, Johnson 1985).
template <typename T>
TAXEL_HD inline LayerBlock<T> HalfSpaceSquare(T x, T y, T half, T poisson) {
  LayerBlock<T> out;
  T by_y = 0, by_x = 0, cross = 0, px = 0, py = 0;  // integrals of y^2/r^3, x^2/r^3, x y/r^3, x/r^2, y/r^2
  for (int i = -1; i <= 1; i += 2)
    for (int j = -1; j <= 1; j += 2) {
      const T X = x + T(i) * half, Y = y + T(j) * half, sign = T(i * j);
      const T ax = std::fabs(X), ay = std::fabs(Y), r2 = X * X + Y * Y;
      if (ax > 0) by_y += sign * X * std::asinh(Y / ax);
      if (ay > 0) by_x += sign * Y * std::asinh(X / ay);
      cross -= sign * std::sqrt(r2);
      if (!(r2 > 0)) continue;
      const T log = T(0.5) * std::log(r2);
      px += sign * (Y * log + (ax > 0 ? X * std::atan(Y / X) : T(0)));
      py += sign * (X * log + (ay > 0 ? Y * std::atan(X / Y) : T(0)));
    }
  constexpr double kTurn = 6.283185307179586;
  const T unit = T(1 / kTurn), squeeze = (T(1) - 2 * poisson) * T(0.5 / kTurn), one = T(1) - poisson;
  out.zz = one * unit * (by_x + by_y);
  out.xx = unit * (by_x + one * by_y);
  out.yy = unit * (by_y + one * by_x);
  out.xy = poisson * unit * cross;
  out.xz = squeeze * px;
  out.yz = squeeze * py;
  return out;
}

/// What the base changes, by radius over thickness: layer minus half space, for a point load.
/// Values at radius i * kLayerSpacing, the four functions side by side: zz, rz, and the round and the
/// cos 2 theta part of the tangential one.
inline constexpr int kLayerRadii = 241;
inline constexpr double kLayerSpacing = 0.05;

template <typename T>
TAXEL_HD inline LayerBlock<T> BaseOfLayer(const T* table, T x, T y) {
  LayerBlock<T> out;
  const T r = std::sqrt(x * x + y * y), s = r / T(kLayerSpacing);
  const int i = static_cast<int>(s);
  if (!(i < kLayerRadii - 2)) return out;
  // Catmull and Rom; the functions are even or odd in r, so the value before the first is known.
  const T f = s - T(i);
  const T w0 = T(0.5) * f * (f * (2 - f) - 1), w1 = T(0.5) * (f * f * (3 * f - 5) + 2),
          w2 = T(0.5) * f * (f * (4 - 3 * f) + 1), w3 = T(0.5) * f * f * (f - 1);
  T v[4];
  for (int c = 0; c < 4; ++c) {
    const T before = i > 0 ? table[4 * (i - 1) + c] : (c == 1 ? -table[4 + c] : table[4 + c]);
    v[c] = w0 * before + w1 * table[4 * i + c] + w2 * table[4 * (i + 1) + c] + w3 * table[4 * (i + 2) + c];
  }
  const T cx = r > 0 ? x / r : T(1), cy = r > 0 ? y / r : T(0), cos2 = cx * cx - cy * cy, sin2 = 2 * cx * cy;
  out.zz = v[0];
  out.xz = v[1] * cx;
  out.yz = v[1] * cy;
  out.xx = v[2] + v[3] * cos2;
  out.yy = v[2] - v[3] * cos2;
  out.xy = v[3] * sin2;
  return out;
}

/// A tangential traction cut to Coulomb's bound.
template <typename T>
TAXEL_HD inline void CutToDisc(T bound, T* x, T* y) {
  const T size2 = *x * *x + *y * *y;
  if (!(size2 > bound * bound)) return;
#if defined(__CUDA_ARCH__)
  const T scale = bound * rsqrt(size2);  // no division
#else
  const T scale = bound / std::sqrt(size2);
#endif
  *x *= scale;
  *y *= scale;
}

/// The part of an increment during which a place that was open is closed, from its gap before (>= 0) and the
/// gap it would have after (< 0 where it closes).
template <typename T>
TAXEL_HD inline T ClosedPart(T before, T after) {
  if (!(after < 0)) return T(1);
  if (!(before > 0)) return T(1);
  return -after / (before - after);
}

}  // namespace taxel
