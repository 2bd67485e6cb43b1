// Vertex values that make a piecewise linear depth right on average.
#pragma once

#include <vector>

#include "taxel/shape/mesh_distance.h"
#include "taxel/shape/tet_mesh.h"

namespace taxel::internal {

/// A distance field bends over a curved surface, and its linear interpolant lies below it everywhere: the
/// force on a ball meshed by tetrahedra comes out too small, by a tenth at shallow depth. This corrects the
/// vertex values by the mean error around each vertex,
///     c_i = sum over elements of  int phi_i (d - I d)  /  sum over elements of  int phi_i,
/// phi_i the hat function of vertex i, d the exact depth, I d its interpolant: one step of the L2 projection
/// with lumped mass. The elements are the tetrahedra round an inner vertex, and the outer faces round an
/// outer one, whose flat sides lie below the true surface. Where the field is linear already, as under the
/// flat faces of a polyhedron, nothing changes.
///
/// @param depth one value a vertex, the exact depth there; corrected in place
void FitDepth(const TetMesh& mesh, const MeshDistance& surface, std::vector<double>* depth);

}  // namespace taxel::internal
