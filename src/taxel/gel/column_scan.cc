#include "taxel/gel/column_scan.h"

#include <algorithm>
#include <cmath>

#include "taxel/math/interrupt.h"
#include "taxel/shape/ray.h"

namespace taxel::internal {
namespace {

// First and last of n lines at x0 + i step that may meet [lo, hi]; one more on each side for rounding.
void LinesAcross(double lo, double hi, double x0, double step, int n, int* first, int* last) {
  *first = static_cast<int>(std::clamp(std::floor((lo - x0) / step) - 1, 0.0, static_cast<double>(n)));
  *last = static_cast<int>(std::clamp(std::ceil((hi - x0) / step) + 1, -1.0, static_cast<double>(n - 1)));
}

// Calls visit(column, crossing) for every crossing.
template <class Visit>
void Scan(const TriangleMesh& mesh, const ColumnLattice& lattice, Visit visit) {
  ShearedRay up;  // along z: the shear is zero and the sheared coordinates are plain differences
  for (int t = 0; t < static_cast<int>(mesh.triangles.size()); ++t) {
    const Vec3 a = mesh.corner(t, 0), b = mesh.corner(t, 1), c = mesh.corner(t, 2);
    int i0, i1, j0, j1;
    LinesAcross(std::min({a.x, b.x, c.x}), std::max({a.x, b.x, c.x}), lattice.x0, lattice.step, lattice.nx,
                &i0, &i1);
    LinesAcross(std::min({a.y, b.y, c.y}), std::max({a.y, b.y, c.y}), lattice.y0, lattice.step, lattice.ny,
                &j0, &j1);
    for (int i = i0; i <= i1; ++i) {
      CheckInterrupt();
      for (int j = j0; j <= j1; ++j) {
        up.origin = {lattice.x(i), lattice.y(j), a.z};
        double z, u, v;
        if (!IntersectTriangle(up, a, b, c, EdgeRule::kOneSide, &z, &u, &v)) continue;
        // The weights that IntersectTriangle found: of one sign, exact, and not all zero. The sum of the two
        // barycentric numbers might round; a sign of them does not.
        const double ax = a.x - up.origin.x, ay = a.y - up.origin.y, bx = b.x - up.origin.x,
                     by = b.y - up.origin.y, cx = c.x - up.origin.x, cy = c.y - up.origin.y;
        double w = ExactCross(bx, by, cx, cy);
        if (w == 0) w = ExactCross(cx, cy, ax, ay);
        if (w == 0) w = ExactCross(ax, ay, bx, by);
        // Counter-clockwise seen from above is an upper side: the rising line leaves.
        visit(static_cast<std::size_t>(i) * lattice.ny + j, Crossing{a.z + z, w > 0 ? -1 : 1});
      }
    }
  }
}

}  // namespace

ColumnScan::ColumnScan(const TriangleMesh& mesh, const ColumnLattice& lattice) : lattice_(lattice) {
  first_.assign(static_cast<std::size_t>(lattice.nx) * lattice.ny + 1, 0);
  Scan(mesh, lattice, [&](std::size_t column, const Crossing&) { ++first_[column + 1]; });
  for (std::size_t c = 1; c < first_.size(); ++c) first_[c] += first_[c - 1];
  crossings_.resize(first_.back());
  std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
  Scan(mesh, lattice,
       [&](std::size_t column, const Crossing& crossing) { crossings_[next[column]++] = crossing; });
  for (std::size_t c = 0; c + 1 < first_.size(); ++c) {
    if (c % 1024 == 0) CheckInterrupt();
    std::sort(
        crossings_.begin() + first_[c], crossings_.begin() + first_[c + 1],
        [](const Crossing& p, const Crossing& q) { return p.z < q.z || (p.z == q.z && p.turn > q.turn); });
  }
}

}  // namespace taxel::internal
