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

void AddPart(const CellLoad& face, double part, CellLoad* cell) {
  cell->force += part * face.force;
  cell->load += part * face.load;
  cell->held += part * face.held;
  cell->grip += part * face.grip;
  cell->torque += part * face.torque;
  cell->moment += part * face.moment;
  cell->area += part * face.area;
  cell->peak = std::max(cell->peak, face.peak);
}

}  // namespace

ColumnTaxels TaxelsOfColumns(const ColumnSkin& skin, int taxels,
                             const std::function<void(const PressedFaces&, CellLoads*)>& share,
                             double split) {
  ColumnTaxels out;
  out.start.push_back(0);
  double shared = 0;
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
      out.of.push_back({best, 1});
    } else if (sum > kBeyond * whole.area) {
      if (++shared > split * static_cast<double>(skin.columns.size())) return {};
      for (int t : loads.active())
        if (loads[t].area > 0) out.of.push_back({t, loads[t].area / whole.area});
    }
    out.start.push_back(static_cast<int>(out.of.size()));
  }
  return out;
}

void IntegrateColumns(const PressedFaces& faces, const std::vector<std::int32_t>& columns,
                      const ColumnTaxels& taxels, CellLoads* loads) {
  for (int f = 0; f < faces.count(); ++f) {
    const int first = taxels.start[columns[f]], last = taxels.start[columns[f] + 1];
    if (last == first + 1 && taxels.of[first].part == 1) {
      AddFace(faces, f, &loads->Use(taxels.of[first].taxel));
      continue;
    }
    CellLoad face;
    if (last > first) AddFace(faces, f, &face);
    for (int i = first; i < last; ++i) AddPart(face, taxels.of[i].part, &loads->Use(taxels.of[i].taxel));
  }
}

}  // namespace taxel::internal
