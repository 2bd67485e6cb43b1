// A first tetrahedral mesh of a body, on a lattice: valid by construction, not yet exactly on the surface.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "taxel/shape/mesh_distance.h"
#include "taxel/shape/tet_mesh.h"

namespace taxel::internal {

/// Points at origin + (i step.x, j step.y, k step.z), 0 <= i < count[0], ... Every face of the box it was
/// made for lies midway between two planes of points, and the outermost points lie outside the box.
struct Lattice {
  Vec3 origin, step;
  std::array<int, 3> count{};

  Vec3 Point(int i, int j, int k) const { return origin + cwise_mul(step, {1.0 * i, 1.0 * j, 1.0 * k}); }
  std::int64_t size() const { return std::int64_t{1} * count[0] * count[1] * count[2]; }
};

/// The lattice of about `spacing` for a box. Along each axis the number of cells is taken, within half as
/// many again, so that the coordinates of `corners` too come to lie as nearly midway between the points as
/// they can: a corner then has a cell of its own.
Lattice MakeLattice(const Box3& box, double spacing, const std::vector<Vec3>& corners);

/// How a vertex of the lattice mesh came about.
enum class LatticeVertex : std::uint8_t {
  kPoint,     ///< lattice point inside the body
  kCentre,    ///< centre of a cell with all eight corners inside
  kSurface,   ///< vertex of a cell that the surface passes through: belongs on the surface
  kCrossing,  ///< where a lattice edge leaves the body: belongs on the surface
};

struct LatticeMesh {
  TetMesh mesh;
  std::vector<LatticeVertex> kind;  ///< one a vertex
  std::vector<Box3> cell;  ///< one a vertex; the lattice cell of a kCentre or kSurface vertex, else empty
};

/// Dual contouring in the volume. With s = inside or outside at the lattice points, every cell with an inside
/// corner gets one vertex (one for each group of inside corners joined by cell edges). Round a lattice edge
/// lie four cells with vertices d0 .. d3, and the edge gets the four tetrahedra
///     (p, q, dk, dk+1)     when both its ends p, q are inside,
///     (p, c, dk, dk+1)     when only p is, and c is where the surface crosses.
/// They fill the body without gaps. The volume of each is |pq| times the cross product of dk and dk+1 seen
/// along the edge; as dk and dk+1 lie in neighbouring quadrants it cannot be negative, and as every vertex is
/// kept a twentieth of the cell away from the cell's faces and the ends of its edge it cannot vanish.
/// Vertices on the surface are therefore only near it: the caller moves them.
///
/// Parts that hang on no other, hold less than a twentieth of the lattice points and are nowhere deeper than
/// 0.75 of a step are dropped: crumbs along sharp edges. Parts thinner than `lattice.step` may be missed;
/// compare the volume. Where the body would touch itself along an edge (a pinch within one cell) a point
/// close to the surface is counted as outside, so the outer surface is closed and no edge of it belongs to
/// more than two triangles.
LatticeMesh MeshLattice(const MeshDistance& surface, const Lattice& lattice);

}  // namespace taxel::internal
