// Rays into a triangle mesh.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "taxel/shape/bvh.h"
#include "taxel/shape/triangle_mesh.h"

namespace taxel {

/// The points origin + t direction with t_min <= t <= t_max. The direction need not be a unit vector; t
/// counts in its lengths.
struct Ray {
  Vec3 origin, direction;
  double t_min = 0, t_max = std::numeric_limits<double>::infinity();
};

/// A hit at origin + t direction = (1 - u - v) a + u b + v c, with a, b, c the corners of the triangle.
struct RayHit {
  double t = 0;
  int triangle = -1;
  double u = 0, v = 0;
};

/// Nearest hit, from either side of a triangle; nothing when the ray misses. Watertight: a ray aimed at a
/// shared edge or a vertex belongs to every triangle there, so it cannot slip between them. Of several hits
/// with equal t the triangle of least index is returned. Triangles without area, and those seen exactly
/// edge-on, are never hit themselves. `bvh` must be built over the triangles' boxes in their order (as
/// MeshDistance::bvh()). Throws Error for an origin or direction that is not finite, a zero direction, or a
/// NaN in t_min or t_max.
std::optional<RayHit> CastRay(const TriangleMesh& mesh, const Bvh& bvh, const Ray& ray);

/// All crossings, by rising t (equal t: by rising index). Here an edge belongs to exactly one of its two
/// triangles, so a ray through an edge or a vertex crosses the surface once, not twice: from inside a closed
/// mesh the count is odd, from outside even (for an origin that is not itself on the surface). Errors as for
/// CastRay.
std::vector<RayHit> AllHits(const TriangleMesh& mesh, const Bvh& bvh, const Ray& ray);
int CountHits(const TriangleMesh& mesh, const Bvh& bvh, const Ray& ray);

/// Who owns a point that lies exactly on an edge.
enum class EdgeRule {
  kBoth,    ///< both triangles: nothing slips through
  kOneSide  ///< exactly one of them: nothing is counted twice
};

/// A ray made ready for many triangles (Woop, Benthin, Wald 2013, "Watertight ray/triangle intersection"):
/// the axes permuted so that the direction is longest along z, then sheared so that the direction is z
/// itself. The sheared x and y of a vertex depend on ray and vertex alone, so all triangles around a vertex
/// see it at the same place.
struct ShearedRay {
  Vec3 origin;
  int kx = 0, ky = 1, kz = 2;
  double sx = 0, sy = 0, sz = 1;
};

TAXEL_HD inline ShearedRay MakeShearedRay(const Ray& ray) {
  ShearedRay s;
  const Vec3 d = cwise_abs(ray.direction);
  s.origin = ray.origin;
  s.kz = d.x >= d.y && d.x >= d.z ? 0 : (d.y >= d.z ? 1 : 2);
  s.kx = (s.kz + 1) % 3;
  s.ky = (s.kz + 2) % 3;
  s.sz = 1 / ray.direction[s.kz];
  s.sx = ray.direction[s.kx] / ray.direction[s.kz];
  s.sy = ray.direction[s.ky] / ray.direction[s.kz];
  return s;
}

/// p1 x p2 in the sheared plane, with an exact sign: rounding is monotone, so the rounded difference has the
/// sign of the exact one or is zero, and then the rounding errors of the products (by fma) decide.
/// Antisymmetric in (p1, p2) to the last bit, provided the compiler does not contract (-ffp-contract=off).
TAXEL_HD inline double ExactCross(double x1, double y1, double x2, double y2) {
  const double p = x1 * y2, q = y1 * x2;
  const double difference = p - q;
  return difference != 0 ? difference : std::fma(x1, y2, -p) - std::fma(y1, x2, -q);
}

/// Ray against one triangle. Returns false without touching *t, *u, *v when it misses; the t interval is not
/// looked at.
TAXEL_HD inline bool IntersectTriangle(const ShearedRay& ray, const Vec3& a, const Vec3& b, const Vec3& c,
                                       EdgeRule rule, double* t, double* u, double* v) {
  const Vec3 pa = a - ray.origin, pb = b - ray.origin, pc = c - ray.origin;
  const double az = pa[ray.kz], bz = pb[ray.kz], cz = pc[ray.kz];
  const double ax = pa[ray.kx] - ray.sx * az, ay = pa[ray.ky] - ray.sy * az;
  const double bx = pb[ray.kx] - ray.sx * bz, by = pb[ray.ky] - ray.sy * bz;
  const double cx = pc[ray.kx] - ray.sx * cz, cy = pc[ray.ky] - ray.sy * cz;
  const double wa = ExactCross(bx, by, cx, cy), wb = ExactCross(cx, cy, ax, ay),
               wc = ExactCross(ax, ay, bx, by);
  if ((wa < 0 || wb < 0 || wc < 0) && (wa > 0 || wb > 0 || wc > 0)) return false;
  const double det = wa + wb + wc;
  if (det == 0) return false;
  if (rule == EdgeRule::kOneSide && (wa == 0 || wb == 0 || wc == 0)) {
    // The ray moved aside by (eps, eps^2) in the sheared plane changes p1 x p2 by -eps (y2 - y1) + eps^2 (x2
    // - x1): a zero takes that sign, the opposite one in the triangle across the edge.
    auto sign = [](double w, double x1, double y1, double x2, double y2) {
      return w != 0 ? w : (y1 != y2 ? y1 - y2 : x2 - x1);
    };
    const double sa = sign(wa, bx, by, cx, cy), sb = sign(wb, cx, cy, ax, ay), sc = sign(wc, ax, ay, bx, by);
    if (!((sa > 0 && sb > 0 && sc > 0) || (sa < 0 && sb < 0 && sc < 0))) return false;
  }
  const double inv = 1 / det;
  *t = (wa * az + wb * bz + wc * cz) * ray.sz * inv;
  *u = wb * inv;
  *v = wc * inv;
  return true;
}

/// A ray made ready for boxes. Conservative: boxes grow by `pad`, which covers the rounding of the sheared
/// vertices.
struct SlabRay {
  Vec3 origin, inverse;  ///< inverse component 0: the ray does not move along that axis
  double pad = 0;
};
/// @param around box around everything the ray will be tested against
SlabRay MakeSlabRay(const Ray& ray, const Box3& around);

/// Interval of t over which the ray is in the box (a hair wider, never narrower); false when that is empty.
TAXEL_HD inline bool IntersectBox(const SlabRay& ray, const BvhNode& node, double* t_near, double* t_far) {
  constexpr double kWiden = 8e-16;  // rounding of the two products, Ize 2013
  double near = -std::numeric_limits<double>::infinity(), far = std::numeric_limits<double>::infinity();
  for (int k = 0; k < 3; ++k) {
    const double o = ray.origin[k], lo = node.lo[k] - ray.pad - o, hi = node.hi[k] + ray.pad - o;
    if (ray.inverse[k] == 0) {
      if (lo > 0 || hi < 0) return false;
      continue;
    }
    const double t0 = lo * ray.inverse[k], t1 = hi * ray.inverse[k];
    const double first = t0 < t1 ? t0 : t1, last = t0 < t1 ? t1 : t0;
    near = first > near ? first : near;
    far = last < far ? last : far;
  }
  *t_near = near - kWiden * std::fabs(near);
  *t_far = far + kWiden * std::fabs(far);
  return *t_near <= *t_far;
}

}  // namespace taxel
