#include "taxel/skin/taxel_at.h"

#include <algorithm>
#include <cmath>

#include "taxel/skin/cell_loads.h"

namespace taxel::internal {

int TaxelAt(const Layout& layout, const Vec3& p, const Vec3& n, double limit) {
  if (layout.plane && limit == 0) {
    const PlaneGrid& g = layout.grid;
    if (!(dot(g.X_GF.R.col(2), n) > 0)) return -1;
    const Vec3 q = Inverse(g.X_GF) * p;
    const double c = (q.x - g.u0) / g.du, r = (q.y - g.v0) / g.dv;
    if (!(c > -kOnTheRim && c < g.cols + kOnTheRim && r > -kOnTheRim && r < g.rows + kOnTheRim)) return -1;
    return std::clamp(static_cast<int>(r), 0, g.rows - 1) * g.cols +
           std::clamp(static_cast<int>(c), 0, g.cols - 1);
  }
  int best = -1;
  double nearest = HUGE_VAL;
  for (int i = 0; i < layout.count(); ++i)
    if (const double d = norm2(p - layout.points[i]); d < nearest && dot(n, layout.normals[i]) > 0)
      nearest = d, best = i;
  if (best < 0) return -1;
  for (const Layout::Ghost& ghost : layout.ghosts)
    if (norm2(p - ghost.point) < nearest) return -1;
  const Vec3 away = p - layout.points[best];
  if (limit > 0 && std::max(std::fabs(dot(away, layout.axes[best])),
                            std::fabs(dot(away, layout.second_axis(best)))) > limit)
    return -1;
  return best;
}

}  // namespace taxel::internal
