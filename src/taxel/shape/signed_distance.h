// Signed distance to the analytic shapes and its gradient.
#pragma once

#include "taxel/shape/primitives.h"

namespace taxel {

/// Euclidean distance from p_G (in the shape's frame G, metres) to the surface, negative inside; exact up to
/// rounding. The sizes must be finite and > 0 (CheckPrimitive). With q the coordinates beyond the faces,
///     box:      q = |p| - size / 2                                  d = |max(q, 0)| + min(max_i q_i, 0)
///     cylinder: q = (sqrt(x^2 + y^2) - radius, |z| - length / 2)    the same formula in two dimensions
///     capsule:  distance to the segment |z| <= length / 2, less the radius
///     ellipsoid: a root of the secular equation, see ellipsoid_distance.h
double SignedDistance(const Primitive& shape, const Vec3& p_G);

/// Unit gradient of the signed distance at p_G: the outward normal at the nearest surface point. Where
/// several surface points are equally near (the medial axis; for a box its inner bisecting planes) the result
/// is the normal at one of them, the first in the order x, y, z, positive side; at an edge or a corner it is
/// the normal of one of the faces.
Vec3 SignedDistanceGradient(const Primitive& shape, const Vec3& p_G);

/// The formulas behind the variant, for kernels.
TAXEL_HD inline double SignedDistance(const Sphere& s, const Vec3& p_G) { return norm(p_G) - s.radius; }

TAXEL_HD inline double SignedDistance(const Box& s, const Vec3& p_G) {
  const Vec3 q = cwise_abs(p_G) - 0.5 * s.size;
  const double inner = q.x > q.y ? (q.x > q.z ? q.x : q.z) : (q.y > q.z ? q.y : q.z);
  return inner > 0 ? norm(cwise_max(q, Vec3{})) : inner;
}

TAXEL_HD inline double SignedDistance(const Cylinder& s, const Vec3& p_G) {
  const double side = std::sqrt(p_G.x * p_G.x + p_G.y * p_G.y) - s.radius,
               end = std::fabs(p_G.z) - 0.5 * s.length;
  if (side > 0 && end > 0) return std::sqrt(side * side + end * end);
  return side > end ? side : end;
}

TAXEL_HD inline double SignedDistance(const Capsule& s, const Vec3& p_G) {
  const double beyond = std::fabs(p_G.z) - 0.5 * s.length;
  return norm({p_G.x, p_G.y, beyond > 0 ? beyond : 0}) - s.radius;
}

TAXEL_HD inline double SignedDistance(const HalfSpace&, const Vec3& p_G) { return p_G.z; }

double SignedDistance(const Ellipsoid& s, const Vec3& p_G);

}  // namespace taxel
