// A surface of triangles with as many as possible joined to quadrilaterals.
#pragma once

#include <array>
#include <vector>

#include "taxel/shape/triangle_mesh.h"

namespace taxel::internal {

/// Of the triangles `chosen`, in their order: two become a quadrilateral where each has its longest edge in
/// common with the other, their normals are within the cosine `least_cosine`, and it is convex. That is how
/// quadrilaterals were cut that a mesh came from. Each triangle is in one of them.
/// @return vertices, counter-clockwise; the fourth of a triangle is -1.
std::vector<std::array<int, 4>> PairTriangles(const TriangleMesh& mesh, const std::vector<int>& chosen,
                                              double least_cosine);

}  // namespace taxel::internal
