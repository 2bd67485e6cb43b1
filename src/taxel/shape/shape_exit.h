// How far a line runs inside a kernel shape.
#pragma once

#include "taxel/shape/kernel_shape.h"

namespace taxel {

/// Where the line p + t d (d: unit) leaves a ball of radius r about the origin; false where it misses it.
template <typename T>
TAXEL_HD inline bool BallExit(T r, const Triple<T>& p, const Triple<T>& d, T* t) {
  const T b = Dot(p, d), length = std::sqrt(Dot(p, p)), c = (length - r) * (length + r), root2 = b * b - c;
  if (!(root2 >= 0)) return false;
  const T root = std::sqrt(root2);
  *t = b > 0 && c < 0 ? -c / (b + root) : root - b;  // without a small difference
  return true;
}

/// Where it enters and leaves an endless cylinder of radius r about z; false where it misses it.
template <typename T>
TAXEL_HD inline bool TubeSpan(T r, const Triple<T>& p, const Triple<T>& d, T* enter, T* leave) {
  const T a = d.x * d.x + d.y * d.y, b = p.x * d.x + p.y * d.y, length = std::sqrt(p.x * p.x + p.y * p.y),
          c = (length - r) * (length + r);
  if (!(a > T(1e-12))) {
    *enter = T(-1e9), *leave = T(1e9);
    return c < 0;
  }
  const T root2 = b * b - a * c;
  if (!(root2 >= 0)) return false;
  const T root = std::sqrt(root2);
  *enter = (-b - root) / a;
  *leave = b > 0 && c < 0 ? -c / (b + root) : (root - b) / a;
  return true;
}

/// And the slab |q| <= half, of one coordinate.
template <typename T>
TAXEL_HD inline void SlabSpan(T half, T q, T d, T* enter, T* leave) {
  if (std::fabs(d) < T(1e-9)) {
    const bool inside = std::fabs(q) <= half;
    *enter = inside ? T(-1e9) : T(1e9), *leave = -*enter;
    return;
  }
  const T t0 = (-half - q) / d, t1 = (half - q) / d;
  *enter = t0 < t1 ? t0 : t1, *leave = t0 < t1 ? t1 : t0;
}

inline constexpr int kMarchSteps = 16;

/// The length from a point p inside the shape along the unit vector d to where it first comes out, at most
/// `most`; 0 where p is not inside. Exact for primitives. On a lattice it marches: inside, the distance to
/// the surface is a safe step; steps are at least half a cell, and the crossing is interpolated. A wall that
/// the line leaves through after more than kMarchSteps is not found: the way marched is returned.
template <typename T>
TAXEL_HD inline T ShapeExit(const KernelShape<T>& s, const Triple<T>& p, const Triple<T>& d, T most) {
  T phi = ShapeDistance(s, p);
  if (!(phi < 0)) return 0;
  T t = most;
  switch (s.kind) {
    case KernelShapeKind::kSphere:
      BallExit(s.a, p, d, &t);
      break;
    case KernelShapeKind::kBox: {
      T enter, x, y, z;
      SlabSpan(s.a, p.x, d.x, &enter, &x);
      SlabSpan(s.b, p.y, d.y, &enter, &y);
      SlabSpan(s.c, p.z, d.z, &enter, &z);
      t = x < y ? (x < z ? x : z) : (y < z ? y : z);
      break;
    }
    case KernelShapeKind::kCylinder: {
      T enter, end, side;
      SlabSpan(s.b, p.z, d.z, &enter, &end);
      t = TubeSpan(s.a, p, d, &enter, &side) && side < end ? side : end;
      break;
    }
    case KernelShapeKind::kCapsule: {
      // Convex, and the union of a cylinder and two balls: the last exit of the three.
      T in_tube, side, in_slab, end, ball;
      t = 0;
      SlabSpan(s.b, p.z, d.z, &in_slab, &end);
      if (TubeSpan(s.a, p, d, &in_tube, &side)) {
        const T leave = side < end ? side : end;
        if (leave > (in_tube > in_slab ? in_tube : in_slab) && leave > t) t = leave;
      }
      if (BallExit(s.a, Triple<T>{p.x, p.y, p.z - s.b}, d, &ball) && ball > t) t = ball;
      if (BallExit(s.a, Triple<T>{p.x, p.y, p.z + s.b}, d, &ball) && ball > t) t = ball;
      break;
    }
    case KernelShapeKind::kHalfSpace:
      if (d.z > 0) t = -p.z / d.z;
      break;
    default: {
      const T least = T(0.5) * s.lattice.spacing;
      t = 0;
      for (int k = 0; k < kMarchSteps && t < most; ++k) {
        const T step = -phi > least ? -phi : least;
        const T next = ShapeDistance(s, p + (t + step) * d);
        if (!(next < 0)) {
          t += step * (phi / (phi - next));
          break;
        }
        t += step;
        phi = next;
      }
    }
  }
  return t < most ? t : most;
}

}  // namespace taxel
