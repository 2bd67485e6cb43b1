// Tetrahedral and triangle meshes of the analytic shapes.
#pragma once

#include "taxel/shape/primitives.h"
#include "taxel/shape/tet_mesh.h"

namespace taxel::internal {

/// Tetrahedra that follow the medial axis, so that the distance to the surface, sampled at the vertices and
/// interpolated linearly, has its creases where the true one has them:
///
/// - box: centre rectangle, segment or point, and the planes that bisect its edges; interpolation is exact
/// - sphere: centre
/// - cylinder: axis segment (long), disc (flat) or centre (length = diameter), and the cones under its rims
/// - capsule: axis segment
/// - ellipsoid: centre; up to eight shells, the more the flatter it is, as its distance is curved along the
///   rays
///
/// Vertices of the outer surface lie on the true surface; that of a round shape is inscribed and a little
/// smaller. No diagonal is preferred: the mesh has the mirror planes of the shape.
///
/// @param resolution greatest wanted edge length on the surface and layer thickness, metres; 0: the coarsest
///                   that follows the medial axis, with 24 segments round a circle
/// @throws Error for a half space (it is endless; the contact code treats it as a plane), for sizes that
///         CheckPrimitive refuses, for a negative or non-finite resolution, and for one that would need more
///         than about 5 million tetrahedra
TetMesh PrimitiveTets(const Primitive& shape, double resolution = 0);

/// The outer surface of PrimitiveTets with vertices numbered from 0 without gaps: closed, facing outwards.
TriangleMesh PrimitiveSurface(const Primitive& shape, double resolution = 0);

}  // namespace taxel::internal
