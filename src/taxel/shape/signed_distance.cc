#include "taxel/shape/signed_distance.h"

#include <algorithm>

#include "taxel/shape/ellipsoid_distance.h"

namespace taxel {
using namespace internal;
namespace {

// v / |v| without underflow; `fallback` for the zero vector.
Vec3 UnitOr(const Vec3& v, const Vec3& fallback) {
  const double m = std::max({std::fabs(v.x), std::fabs(v.y), std::fabs(v.z)});
  return m > 0 ? normalized({v.x / m, v.y / m, v.z / m}) : fallback;
}

double SignOf(double v) { return v < 0 ? -1 : 1; }

struct Gradient {
  const Vec3& p;

  Vec3 operator()(const Sphere&) const { return UnitOr(p, {1, 0, 0}); }
  Vec3 operator()(const Box& s) const {
    const Vec3 q = cwise_abs(p) - 0.5 * s.size;
    const Vec3 beyond = cwise_max(q, Vec3{});
    Vec3 face;
    const int axis = q.x >= q.y && q.x >= q.z ? 0 : (q.y >= q.z ? 1 : 2);
    face[axis] = 1;
    const Vec3 g = UnitOr(beyond, face);
    return {SignOf(p.x) * g.x, SignOf(p.y) * g.y, SignOf(p.z) * g.z};
  }
  Vec3 operator()(const Cylinder& s) const {
    const Vec3 radial = UnitOr({p.x, p.y, 0}, {1, 0, 0});
    const Vec3 axial{0, 0, SignOf(p.z)};
    const double side = std::sqrt(p.x * p.x + p.y * p.y) - s.radius, end = std::fabs(p.z) - 0.5 * s.length;
    if (side > 0 && end > 0) return UnitOr(side * radial + end * axial, radial);
    return side >= end ? radial : axial;
  }
  Vec3 operator()(const Capsule& s) const {
    const double beyond = std::max(0.0, std::fabs(p.z) - 0.5 * s.length);
    return UnitOr({p.x, p.y, SignOf(p.z) * beyond}, {1, 0, 0});
  }
  Vec3 operator()(const Ellipsoid& s) const { return ClosestPointOnEllipsoid(s, p).normal; }
  Vec3 operator()(const HalfSpace&) const { return {0, 0, 1}; }
};

}  // namespace

double SignedDistance(const Ellipsoid& s, const Vec3& p_G) {
  return ClosestPointOnEllipsoid(s, p_G).distance;
}

double SignedDistance(const Primitive& shape, const Vec3& p_G) {
  return std::visit([&](const auto& s) { return SignedDistance(s, p_G); }, shape);
}

Vec3 SignedDistanceGradient(const Primitive& shape, const Vec3& p_G) {
  return std::visit(Gradient{p_G}, shape);
}

}  // namespace taxel
