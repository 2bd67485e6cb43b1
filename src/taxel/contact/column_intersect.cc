#include "taxel/contact/column_intersect.h"

#include <algorithm>
#include <utility>

#include "taxel/math/lanes.h"

namespace taxel::internal {
namespace {

// Up to four points side by side; a missing fourth repeats the third.
struct FourPoints {
  Lanes x, y, z;

  FourPoints(const Vec3* p, int n) {
    const Vec3& last = p[n - 1];
    x = Lanes{p[0].x, p[1].x, p[2].x, last.x};
    y = Lanes{p[0].y, p[1].y, p[2].y, last.y};
    z = Lanes{p[0].z, p[1].z, p[2].z, last.z};
  }
  Lanes At(const Plane& f) const { return f.n.x * x + f.n.y * y + f.n.z * z + f.d; }
};

}  // namespace

bool EqualPressureInColumn(const Pose& X_WK, const Cell& column, const SoftPiece& first,
                           const SoftPiece& second, FaceSink* sink) {
  const int n = column.num_edges;
  if (n < 3) return false;
  const Linear p1 = PressureIn((*first.law)[0], first.depth), p2 = PressureIn((*second.law)[0], second.depth);
  // Excess of the first's pressure at both ends of the edges; at the surface the first has none.
  const Lanes p2_inner = FourPoints(column.inner, n).At(p2);
  const Lanes outer = -FourPoints(column.outer, n).At(p2);
  const Lanes inner = (*first.law)[0].slope * column.max_depth - p2_inner;
  const int below = Bits(outer < 0), above = Bits(inner > 0);
  if (below != 15 || above != 15) {
    // Nothing to find where the plane misses the column, or where the second's pressure would be negative all
    // over.
    const bool missed = (below == 15 && Bits(inner < 0) == 15) || (Bits(outer > 0) == 15 && above == 15);
    return missed || (Bits(outer > 0) == 15 && Bits(p2_inner < 0) == 15);
  }

  Polygon a, b;
  Polygon *part = &a, *spare = &b;
  part->n = n;
  for (int i = 0; i < n; ++i)
    part->v[i] = column.outer[i] + (outer[i] / (outer[i] - inner[i])) * (column.inner[i] - column.outer[i]);
  // Which of the second's planes cut; most candidates are wholly beyond one.
  const FourPoints points(part->v, n);
  int cut = 0;
  for (int i = 0; i < second.num_planes; ++i) {
    const Lanes s = points.At(second.planes[i]);
    if (Bits(s < -kOnPlane) != 0) {
      if (Bits(s > kOnPlane) == 0) return true;
      cut |= 1 << i;
    } else if (Bits(s > kOnPlane) == 0) {
      return false;  // in the plane: the general kernel knows the rule
    }
  }
  Vec3 m;
  if (!EqualNormal(p1.n, p2.n, sink->linear_cull_cosine(), &m)) return true;
  if (dot(cross(part->v[1] - part->v[0], part->v[2] - part->v[0]), m) < 0) std::reverse(part->v, part->v + n);
  for (int i = 0; i < second.num_planes; ++i)
    if (cut >> i & 1 && !ClipInPlace(second.planes[i], m, &part, &spare)) return true;
  sink->Add(X_WK, *part, m, p1, dot(m, p1.n), -dot(m, p2.n));
  return true;
}

}  // namespace taxel::internal
