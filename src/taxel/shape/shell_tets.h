// Tetrahedra between a closed surface of quadrilaterals and the core it shrinks to.
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "taxel/shape/tet_mesh.h"

namespace taxel::internal {

/// A surface that shrinks through shells, t = 0 (the outer one) to t = 1, onto a core of fewer dimensions.
struct ShrinkingSurface {
  /// Vertex numbers, counter-clockwise seen from outside. A number that comes twice in a row makes a
  /// triangle.
  std::vector<std::array<int, 4>> quads;
  /// One a vertex: vertices of one group, numbered from 0 without gaps, meet at t = 1.
  std::vector<int> core_group;
  std::function<Vec3(int vertex, double t)> position;
  /// Place on shell t of the middle of a quadrilateral whose corners have the given mean. Flat faces return
  /// the mean.
  std::function<Vec3(int quad, const Vec3& mean, double t)> middle;
};

/// Cuts the space between shells into cells, one for each quadrilateral and layer, and each cell into
/// tetrahedra from its centre to its faces. A face of four corners is cut into four triangles about its
/// middle, so no diagonal is preferred and the mesh has every symmetry that the surface has. Where a cell
/// ends in one point of the core, that point takes the place of the centre.
/// @param layers number of layers, equally thick, >= 1
TetMesh FillShells(const ShrinkingSurface& surface, int layers);

}  // namespace taxel::internal
