#include "taxel/skin/plane_cells.h"

#include <algorithm>
#include <cmath>

#include "taxel/contact/slice.h"

namespace taxel::internal {
namespace {

struct Corner {
  Vec3 p;
  double pressure, u, v;
};

// The cells from which to which a polygon reaches; -1 and `cells` stand for outside.
template <class Use>
void SliceGrid(const Corner* polygon, int n, double Corner::*value, double lo, double width, int cells,
               Use&& use) {
  double first = polygon[0].*value, last = first;
  for (int i = 1; i < n; ++i)
    first = std::min(first, polygon[i].*value), last = std::max(last, polygon[i].*value);
  const double end = static_cast<double>(cells);
  const auto cell = [&](double x) {
    const double c = std::floor(x);
    if (c < 0) return x > -kOnTheRim ? 0 : -1;
    return c < end ? static_cast<int>(c) : x < end + kOnTheRim ? cells - 1 : cells;
  };
  const int c0 = cell((first - lo) / width), c1 = cell((last - lo) / width);
  SliceCells(polygon, n, value, lo, width, c0, c1, [&](int c, const Corner* part, int count) {
    if (c >= 0 && c < cells) use(c, part, count);
  });
}

}  // namespace

void IntegratePlaneCells(const PlaneGrid& grid, const PressedFaces& faces, CellLoads* loads) {
  const Vec3 eu = grid.X_GF.R.col(0), ev = grid.X_GF.R.col(1), en = grid.X_GF.R.col(2);
  const double ou = dot(eu, grid.X_GF.p), ov = dot(ev, grid.X_GF.p);
  Corner polygon[kMaxSliceCorners];
  for (int f = 0; f < faces.count(); ++f) {
    if (!FacesTaxel(faces.inward[f], en)) continue;
    const int first = faces.start[f];
    const int n = std::min(faces.start[f + 1] - first, kMaxSliceCorners - 8);
    for (int i = 0; i < n; ++i) {
      const Vec3& p = faces.vertices[first + i];
      polygon[i] = {p, faces.pressures[first + i], dot(eu, p) - ou, dot(ev, p) - ov};
    }
    const Vec3& inward = faces.inward[f];
    SliceGrid(polygon, n, &Corner::v, grid.v0, grid.dv, grid.rows, [&](int r, const Corner* strip, int m) {
      SliceGrid(strip, m, &Corner::u, grid.u0, grid.du, grid.cols, [&](int c, const Corner* part, int k) {
        AddPolygon(part, k, inward, faces.grip[f], &loads->Use(r * grid.cols + c));
      });
    });
  }
}

}  // namespace taxel::internal
