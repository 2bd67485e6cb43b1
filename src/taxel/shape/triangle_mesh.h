// Triangle surfaces.
#pragma once

#include <array>
#include <vector>

#include "taxel/math/box3.h"

namespace taxel {

/// Triangles over shared vertices, in the body's frame, metres. Counter-clockwise seen from outside.
struct TriangleMesh {
  std::vector<Vec3> vertices;
  std::vector<std::array<int, 3>> triangles;

  Vec3 corner(int triangle, int k) const { return vertices[triangles[triangle][k]]; }
};

/// Unnormalised normal: twice the area long.
inline Vec3 AreaNormal2(const TriangleMesh& mesh, int t) {
  return cross(mesh.corner(t, 1) - mesh.corner(t, 0), mesh.corner(t, 2) - mesh.corner(t, 0));
}

Box3 BoundingBox(const TriangleMesh& mesh);
double SurfaceArea(const TriangleMesh& mesh);
/// Signed volume by the divergence theorem; negative when the triangles face inwards.
double EnclosedVolume(const TriangleMesh& mesh);
/// Vertices at the same position (within `tolerance`, metres) become one; triangles that collapse are
/// dropped.
TriangleMesh MergeVertices(const TriangleMesh& mesh, double tolerance = 0);
/// Throws Error when a vertex is not finite, an index is out of range, or there is no triangle.
/// `name` is used in the message.
void CheckIndices(const TriangleMesh& mesh, const char* name);

}  // namespace taxel
