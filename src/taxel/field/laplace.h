// A pressure field that solves Laplace's equation between the surface of a body and its core.
#pragma once

#include <vector>

#include "taxel/shape/tet_mesh.h"

namespace taxel::internal {

/// Solves  div grad u = 0  in the body with u = 0 on its surface and u = 1 in its core, the points at least
/// core_fraction * (greatest depth) below the surface. Linear finite elements: u minimises the integral of
/// |grad u|^2 among the functions that are linear on each tetrahedron. Against the distance field this one is
/// smooth, without creases on the medial axis, and steeper over bulges than over flat faces.
///
/// The core must have a finite size. A point or a line has no capacity in three dimensions: around a point
/// the solution falls like r0 / r with r the distance and r0 the size of the elements there, so u would
/// vanish everywhere else as the mesh is refined. A ball of radius R with a core of radius rc shows it:
///     u(r) = (1/r - 1/R) / (1/rc - 1/R),
/// and rc -> 0 gives u = 0 for every r > 0. A core that is a disc (a thin plate) is harmless, but
/// core_fraction < 1 treats all alike.
///
/// @param depth         one a vertex: distance to the surface; >= 0
/// @param core_fraction in (0, 1); 0.5 to 0.9 are sensible
/// @return one value a vertex, in [0, 1]; 0 for vertices that no tetrahedron uses. Elements with obtuse
/// angles
///         can push the discrete solution out of that range; it is clipped.
/// @throws Error when core_fraction is out of range, the sizes of `mesh` and `depth` differ, every vertex
/// lies
///         on the surface, or no inner vertex lies in the core
std::vector<double> SolveLaplace(const TetMesh& mesh, const std::vector<double>& depth, double core_fraction);

}  // namespace taxel::internal
