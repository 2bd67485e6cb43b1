// Signed distance of a shape as plain data, for kernels in float or double.
#pragma once

#include "taxel/math/triple.h"
#include "taxel/shape/distance_lattice.h"

namespace taxel {

enum class KernelShapeKind { kBox, kSphere, kCylinder, kCapsule, kHalfSpace, kTrilinear, kNearest };

/// Sizes: box a, b, c half lengths; sphere a radius; cylinder, capsule a radius, b half length.
template <typename T>
struct KernelShape {
  KernelShapeKind kind = KernelShapeKind::kSphere;
  T a = 0, b = 0, c = 0;
  DistanceLattice<T> lattice;
};

/// As MarkerDistance::Value: negative inside. Beyond a nearest-voxel lattice, where that one falls back to
/// the exact distance, it is 1 m: outside.
template <typename T>
TAXEL_HD inline T ShapeDistance(const KernelShape<T>& s, const Triple<T>& p) {
  switch (s.kind) {
    case KernelShapeKind::kSphere:
      return std::sqrt(Dot(p, p)) - s.a;
    case KernelShapeKind::kBox: {
      const T x = std::fabs(p.x) - s.a, y = std::fabs(p.y) - s.b, z = std::fabs(p.z) - s.c;
      const T inner = x > y ? (x > z ? x : z) : (y > z ? y : z);
      if (!(inner > 0)) return inner;
      const T u = x > 0 ? x : T(0), v = y > 0 ? y : T(0), w = z > 0 ? z : T(0);
      return std::sqrt(u * u + v * v + w * w);
    }
    case KernelShapeKind::kCylinder: {
      const T side = std::sqrt(p.x * p.x + p.y * p.y) - s.a, end = std::fabs(p.z) - s.b;
      if (side > 0 && end > 0) return std::sqrt(side * side + end * end);
      return side > end ? side : end;
    }
    case KernelShapeKind::kCapsule: {
      const T over = std::fabs(p.z) - s.b, z = over > 0 ? over : T(0);
      return std::sqrt(p.x * p.x + p.y * p.y + z * z) - s.a;
    }
    case KernelShapeKind::kHalfSpace:
      return p.z;
    case KernelShapeKind::kTrilinear:
      return TrilinearDistance(s.lattice, p.x, p.y, p.z);
    case KernelShapeKind::kNearest: {
      T d = 1;
      NearestDistance(s.lattice, p.x, p.y, p.z, &d);
      return d;
    }
  }
  return 1;
}

/// Unit gradient: the outward normal at the nearest surface point. Central differences but for a sphere: over
/// a cell of a lattice, else over 20 um.
template <typename T>
TAXEL_HD inline Triple<T> ShapeGradient(const KernelShape<T>& s, const Triple<T>& p) {
  if (s.kind == KernelShapeKind::kSphere) {
    const T length = std::sqrt(Dot(p, p));
    return length > 0 ? (T(1) / length) * p : Triple<T>{0, 0, 1};
  }
  const bool grid = s.kind == KernelShapeKind::kTrilinear || s.kind == KernelShapeKind::kNearest;
  const T h = grid ? T(0.5) * s.lattice.spacing : T(1e-5);
  Triple<T> d{
      ShapeDistance(s, Triple<T>{p.x + h, p.y, p.z}) - ShapeDistance(s, Triple<T>{p.x - h, p.y, p.z}),
      ShapeDistance(s, Triple<T>{p.x, p.y + h, p.z}) - ShapeDistance(s, Triple<T>{p.x, p.y - h, p.z}),
      ShapeDistance(s, Triple<T>{p.x, p.y, p.z + h}) - ShapeDistance(s, Triple<T>{p.x, p.y, p.z - h})};
  const T length = std::sqrt(Dot(d, d));
  return length > 0 ? (T(1) / length) * d : Triple<T>{0, 0, 1};
}

}  // namespace taxel
