// Moves the outer vertices of a lattice mesh onto the surface, its sharp edges and its corners.
#pragma once

#include <vector>

#include "taxel/shape/dual_lattice.h"
#include "taxel/shape/sharp_features.h"
#include "taxel/shape/tet_edit.h"

namespace taxel::internal {

struct SurfaceFit {
  std::vector<int>
      vertex_of_corner;  ///< one a corner of the features; -1 when no vertex could be brought there
  int off_surface = 0;   ///< outer vertices that had to stay off the surface
};

/// Corners first, then sharp edges, then the rest: the vertex of a cell goes to the corner in its cell, else
/// to the nearest point of a sharp edge in its cell, else to the nearest surface point; a corner or a stretch
/// of a sharp edge in cells without a vertex takes the nearest outer vertex that can reach it. A move that
/// would turn a tetrahedron inside out or nearly flat is not made; the inner vertices then give way a little
/// and it is tried again.
/// @param lattice kinds and cells of the vertices that `mesh` was made from
SurfaceFit FitToSurface(TetEditor* mesh, const LatticeMesh& lattice, const MeshDistance& surface,
                        const SharpFeatures& features);

/// Moves every vertex with movable[v] that belongs to a tetrahedron worse than `poor` towards the mean of its
/// neighbours as far as its worst tetrahedron gains from it. Returns the vertices that moved.
std::vector<int> RelaxPoor(TetEditor* mesh, const std::vector<char>& movable, double poor);

}  // namespace taxel::internal
