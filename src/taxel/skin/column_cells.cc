#include "taxel/skin/column_cells.h"

#include <algorithm>

namespace taxel::internal {
namespace {

struct Corner {
  Vec3 p;
  double pressure;
};

// The most corners of a face that are looked at; the contact makes none with more.
constexpr int kMaxCorners = 32;

void AddFace(const PressedFaces& faces, int f, CellLoad* cell) {
  Corner corners[kMaxCorners];
  const int first = faces.start[f], n = std::min(faces.start[f + 1] - first, kMaxCorners);
  for (int i = 0; i < n; ++i) corners[i] = {faces.vertices[first + i], faces.pressures[first + i]};
  AddPolygon(corners, n, faces.inward[f], faces.grip[f], cell);
}

}  // namespace

std::vector<int> TaxelsOfColumns(const ColumnSkin& skin, int taxels,
                                 const std::function<void(const PressedFaces&, CellLoads*)>& share) {
  std::vector<int> out;
  out.reserve(skin.columns.size());
  CellLoads loads;
  loads.Resize(taxels);
  ContactSurface cell;
  PressedFaces face;
  for (const Column& c : skin.columns) {
    cell.Clear();
    for (int i = 0; i < c.corners; ++i) {
      const double tau = c.slope_s * c.s[i] + c.slope_t * c.t[i];
      cell.vertices.push_back(c.p + c.s[i] * c.u + c.t[i] * c.v + tau * c.d);
      cell.pressures.push_back(1);
    }
    cell.face_start.push_back(c.corners);
    cell.normals.push_back(-c.d);
    face.Set(cell, true, Pose{}, true);
    CellLoad whole;
    AddFace(face, 0, &whole);
    loads.Clear();
    share(face, &loads);
    double most = 0, sum = 0;
    int best = -1;
    for (int t : loads.active()) {
      sum += loads[t].area;
      if (loads[t].area > most) most = loads[t].area, best = t;
    }
    if (most >= kWhole * whole.area) {
      out.push_back(best);
    } else if (sum <= kBeyond * whole.area) {
      out.push_back(-1);
    } else {
      return {};
    }
  }
  return out;
}

void IntegrateColumns(const PressedFaces& faces, const std::vector<std::int32_t>& columns,
                      const std::vector<int>& taxels, CellLoads* loads) {
  for (int f = 0; f < faces.count(); ++f)
    if (const int t = taxels[columns[f]]; t >= 0) AddFace(faces, f, &loads->Use(t));
}

}  // namespace taxel::internal
