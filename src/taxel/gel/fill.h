// Particles on a cubic lattice inside a solid.
#pragma once

#include <array>
#include <vector>

#include "taxel/gel/solid_shape.h"

namespace taxel {

/// Points that stand for a solid, in its frame G.
struct Filling {
  std::vector<Vec3> points;
  double spacing = 0;            ///< m; the least distance for a Poisson filling
  double solid_volume = 0;       ///< m3, of the shape itself, not of the points
  std::array<int, 3> lattice{};  ///< sites along x, y, z; zero without a lattice

  /// m3: with this much at each point the mass is that of the solid.
  double volume_per_point() const { return solid_volume / static_cast<double>(points.size()); }
  /// What spacing^3 at each point must be multiplied by for that; 1 for a box of whole cells.
  double correction() const { return volume_per_point() / (spacing * spacing * spacing); }
};

inline constexpr double kMaxFillPoints = 5e7;

/// The points of a cubic lattice inside the solid. Along each axis n = round(side / spacing) sites, centred
/// on the bounding box: a box whose sides are whole multiples of the spacing is filled exactly, its outer
/// points half a spacing below its faces. Order: x slowest, z fastest.
///
///     FillLattice(Box{{0.06, 0.02, 0.04}}, 0.01)       // 6 x 2 x 4 points
///     FillLattice(Box{{0.06, 0.02, 0.04}}, 0.05)       // Error: no site across 0.02
///
/// A mesh is scanned column by column (column_scan.h): an exact inside test, and a fast one.
///
/// Throws Error for a spacing that is not finite and > 0, one more than twice a side of the bounding box, one
/// that leaves no point, and one for more than kMaxFillPoints points.
Filling FillLattice(const SolidShape& solid, double spacing);

/// Throws the errors of FillLattice about the spacing; `what` names it. Returns the sites along each axis.
std::array<int, 3> CheckedSites(const SolidShape& solid, double spacing, const char* what, double most);

}  // namespace taxel
