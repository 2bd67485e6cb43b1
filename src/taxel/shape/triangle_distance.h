// Closest point on a segment and on a triangle.
#pragma once

#include "taxel/math/vec3.h"

namespace taxel::internal {

/// The point of the segment ab nearest to p. A segment of no length (a == b) gives a.
TAXEL_HD inline Vec3 ClosestPointOnSegment(const Vec3& a, const Vec3& b, const Vec3& p) {
  const Vec3 ab = b - a;
  const double along = dot(p - a, ab), length2 = dot(ab, ab);
  if (!(along > 0)) return a;
  if (along >= length2) return b;
  return a + (along / length2) * ab;
}

/// The point of the triangle abc nearest to p.
///
/// With n = (b - a) x (c - a), the weights of the projection of p onto the plane are
///     v = ((p - a) x (c - a)) . n / n.n,    w = ((b - a) x (p - a)) . n / n.n,    u = 1 - v - w;
/// all of them >= 0: the nearest point is u a + v b + w c; otherwise it lies on an edge, and the nearest of
/// the three edges wins. Every candidate lies on the triangle, so the distance returned is never too short.
///
/// Degenerate input: a needle (height below 1e-4 of its longest edge), for which u, v, w lose digits, is
/// answered by the best of its edges and, where it exists, the inner candidate; a triangle without area is
/// its edges, or its one point.
TAXEL_HD inline Vec3 ClosestPointOnTriangle(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& p) {
  constexpr double kNeedle2 = 1e-8;  // (height / longest edge)^2
  const Vec3 ab = b - a, ac = c - a, ap = p - a;
  const Vec3 n = cross(ab, ac);
  const double n2 = norm2(n);
  const double v = dot(cross(ap, ac), n), w = dot(cross(ab, ap), n);
  const bool inner = n2 > 0 && v >= 0 && w >= 0 && v + w <= n2;
  Vec3 best = a;
  double best_d2 = norm2(ap);
  if (inner) {
    best = a + (v / n2) * ab + (w / n2) * ac;
    best_d2 = norm2(p - best);
    double longest2 = norm2(ab);
    longest2 = norm2(ac) > longest2 ? norm2(ac) : longest2;
    longest2 = norm2(c - b) > longest2 ? norm2(c - b) : longest2;
    if (n2 > kNeedle2 * longest2 * longest2) return best;
  }
  const Vec3 edge[3] = {ClosestPointOnSegment(a, b, p), ClosestPointOnSegment(b, c, p),
                        ClosestPointOnSegment(c, a, p)};
  for (const Vec3& q : edge) {
    const double d2 = norm2(p - q);
    if (d2 < best_d2) best_d2 = d2, best = q;
  }
  return best;
}

}  // namespace taxel::internal
