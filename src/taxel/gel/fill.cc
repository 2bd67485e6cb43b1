#include "taxel/gel/fill.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "taxel/gel/column_scan.h"
#include "taxel/math/error.h"
#include "taxel/math/interrupt.h"

namespace taxel {
using namespace internal;
namespace {

// A sparse solid in a large box costs time by its box.
constexpr double kMaxSites = 4e9;
// Columns held at a time: about 100 bytes each.
constexpr int kColumnsAtOnce = 1 << 22;

struct Sites {
  Vec3 first;
  double spacing = 0;
  std::array<int, 3> n{};

  Vec3 operator()(int i, int j, int k) const {
    return {first.x + i * spacing, first.y + j * spacing, first.z + k * spacing};
  }
};

void FillPrimitive(const SolidShape& solid, const Sites& sites, std::vector<Vec3>* points) {
  for (int i = 0; i < sites.n[0]; ++i)
    for (int j = 0; j < sites.n[1]; ++j) {
      CheckInterrupt();
      for (int k = 0; k < sites.n[2]; ++k) {
        const Vec3 p = sites(i, j, k);
        if (solid.Inside(p)) points->push_back(p);
      }
    }
}

void FillColumns(const TriangleMesh& mesh, const Sites& sites, std::vector<Vec3>* points) {
  const int at_once = std::max(1, kColumnsAtOnce / sites.n[1]);
  for (int i0 = 0; i0 < sites.n[0]; i0 += at_once) {
    CheckInterrupt();
    const ColumnLattice lattice{sites(i0, 0, 0).x, sites.first.y, sites.spacing,
                                std::min(at_once, sites.n[0] - i0), sites.n[1]};
    const ColumnScan scan(mesh, lattice);
    for (int i = 0; i < lattice.nx; ++i)
      for (int j = 0; j < lattice.ny; ++j) {
        const auto column = scan.column(i, j);
        int winding = 0, k = 0;
        for (std::size_t c = 0; c < column.size(); ++c) {
          winding += column[c].turn;
          if (winding <= 0 || c + 1 == column.size()) continue;
          const double from = column[c].z, to = column[c + 1].z;
          while (k < sites.n[2] && sites(0, 0, k).z < from) ++k;
          for (; k < sites.n[2] && sites(0, 0, k).z < to; ++k)
            points->push_back({lattice.x(i), lattice.y(j), sites(0, 0, k).z});
        }
      }
  }
}

}  // namespace

std::array<int, 3> CheckedSites(const SolidShape& solid, double spacing, const char* what, double most) {
  const std::string who = std::string("filling '") + solid.name() + "': " + what + " is " + ToText(spacing);
  if (!std::isfinite(spacing) || spacing <= 0)
    throw Error(who + "; it must be finite and greater than 0 (metres)");
  const Vec3 size = solid.box().size();
  const double expected = solid.volume() / (spacing * spacing * spacing);
  if (expected > most)
    throw Error(who + " m, which gives about " + ToText(std::round(expected)) + " points; at most " +
                ToText(most) + " are allowed: use at least " + ToText(std::cbrt(solid.volume() / most)) +
                " m (and check the unit of the shape: metres)");
  double sites = 1;
  std::array<int, 3> n{};
  for (int axis = 0; axis < 3; ++axis) {
    const double count = std::round(size[axis] / spacing);
    if (count < 1)
      throw Error(who + " m, more than twice the shape's extent along " + std::string(1, "xyz"[axis]) + ", " +
                  ToText(size[axis]) + " m: no point fits; use at most " + ToText(size[axis]) +
                  " m, better a quarter of it");
    sites *= count;
    if (sites > kMaxSites)
      throw Error(who + " m, which gives more than " + ToText(kMaxSites) +
                  " lattice sites in the shape's bounding box; the shape is sparse in it: use at least " +
                  ToText(std::cbrt(size.x * size.y * size.z / kMaxSites)) + " m, or turn the shape");
    n[axis] = static_cast<int>(count);
  }
  return n;
}

Filling FillLattice(const SolidShape& solid, double spacing) {
  Filling out;
  out.spacing = spacing;
  out.solid_volume = solid.volume();
  out.lattice = CheckedSites(solid, spacing, "spacing", kMaxFillPoints);
  Sites sites{solid.box().center(), spacing, out.lattice};
  for (int axis = 0; axis < 3; ++axis) sites.first[axis] -= 0.5 * (out.lattice[axis] - 1) * spacing;
  if (solid.primitive())
    FillPrimitive(solid, sites, &out.points);
  else
    FillColumns(solid.mesh()->mesh(), sites, &out.points);
  if (out.points.empty())
    throw Error("filling '" + solid.name() + "': spacing " + ToText(spacing) + " m puts no point inside " +
                ToText(solid.volume()) + " m3; use at most " + ToText(0.5 * std::cbrt(solid.volume())) +
                " m");
  return out;
}

}  // namespace taxel
