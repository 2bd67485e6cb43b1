// Taxels at points that are listed, and at the vertices of a mesh.
#pragma once

#include <vector>

#include "taxel/contact/body.h"
#include "taxel/skin/layout_data.h"

namespace taxel {

/// First shear axis of a taxel that is in no grid: the body's +z projected onto the tangent plane, or +x
/// where the normal is within 8 degrees of the z axis. Continuous over a fingertip whose pads face sideways;
/// at a tip that faces +z it turns once round the pole, as it must on any cap.
Vec3 FreeAxis(const Vec3& normal);

/// Free list. Points stay where they are given. Normals may be empty where `body` is given: those of its
/// surface at the nearest point are taken (on the edges and corners of a mesh the mean of the triangles
/// there, weighted by their angle). Given normals are made unit length.
///
/// Areas: share of the body's surface nearest to each taxel, within `radius` of it and with a normal within
/// 90 degrees of its own (skin/taxel_area.h); 0: radius = 0.75 mean distance to the nearest other taxel,
/// enough to cover the cells of a square grid. Exact on boxes, half spaces and meshes; a round primitive is
/// replaced by facets of 1/40 of its size, an error below 0.5 %. Without a body pi radius^2.
///
/// @throws Error when a value is not finite, counts differ, a normal has no length, two taxels coincide
///         (1e-9 m), a point is farther from the surface than a fifth of the body's longest side (half space:
///         5 mm), one taxel alone has no radius, or a taxel has no area (its normal points inwards?).
Layout PointLayout(const std::vector<Vec3>& points, const std::vector<Vec3>& normals, const Body* body,
                   double radius = 0);

/// One taxel a vertex, normal = mean of the triangles round it weighted by their angle; area = a third of the
/// triangles round it. Vertices at the same place count once and those of no triangle not at all; they keep
/// their order.
Layout VertexLayout(const TriangleMesh& mesh);

}  // namespace taxel
