// Outward normal of a kernel shape.
#pragma once

#include "taxel/shape/kernel_shape.h"

namespace taxel::internal {

/// Unit outward normal at the surface point nearest to p. Primitives: exact, with the choices of
/// SignedDistanceGradient where several points are as near. Lattices: ShapeGradient.
template <typename T>
TAXEL_HD inline Triple<T> ShapeNormal(const KernelShape<T>& s, const Triple<T>& p) {
  const auto sign = [](T v) { return v < 0 ? T(-1) : T(1); };
  const auto unit = [](const Triple<T>& v, const Triple<T>& otherwise) {
    const T length = std::sqrt(Dot(v, v));
    return length > 0 ? (T(1) / length) * v : otherwise;
  };
  const Triple<T> ex{1, 0, 0};
  switch (s.kind) {
    case KernelShapeKind::kSphere:
      return unit(p, ex);
    case KernelShapeKind::kBox: {
      const T x = std::fabs(p.x) - s.a, y = std::fabs(p.y) - s.b, z = std::fabs(p.z) - s.c;
      if (x > 0 || y > 0 || z > 0)
        return unit(
            {x > 0 ? sign(p.x) * x : T(0), y > 0 ? sign(p.y) * y : T(0), z > 0 ? sign(p.z) * z : T(0)}, ex);
      if (x >= y && x >= z) return {sign(p.x), 0, 0};
      return y >= z ? Triple<T>{0, sign(p.y), 0} : Triple<T>{0, 0, sign(p.z)};
    }
    case KernelShapeKind::kCylinder: {
      const Triple<T> radial = unit({p.x, p.y, 0}, ex), axial{0, 0, sign(p.z)};
      const T side = std::sqrt(p.x * p.x + p.y * p.y) - s.a, end = std::fabs(p.z) - s.b;
      if (side > 0 && end > 0) return unit(side * radial + end * axial, radial);
      return side >= end ? radial : axial;
    }
    case KernelShapeKind::kCapsule: {
      const T beyond = std::fabs(p.z) - s.b;
      return unit({p.x, p.y, beyond > 0 ? sign(p.z) * beyond : T(0)}, ex);
    }
    case KernelShapeKind::kHalfSpace:
      return {0, 0, 1};
    default:
      return ShapeGradient(s, p);
  }
}

}  // namespace taxel::internal
