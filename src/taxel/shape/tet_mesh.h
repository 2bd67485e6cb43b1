// Tetrahedral meshes.
#pragma once

#include <array>
#include <vector>

#include "taxel/math/box3.h"
#include "taxel/shape/triangle_mesh.h"

namespace taxel {

/// Tetrahedra over shared vertices, in the body's frame, metres. Positive orientation: vertex 3 lies on the
/// side of triangle (0, 1, 2) that its right-hand normal points to.
struct TetMesh {
  std::vector<Vec3> vertices;
  std::vector<std::array<int, 4>> tets;

  Vec3 corner(int tet, int k) const { return vertices[tets[tet][k]]; }
};

/// Six times the signed volume of the tetrahedron (a, b, c, d).
inline double Volume6(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  return dot(cross(b - a, c - a), d - a);
}
double TetVolume(const TetMesh& mesh, int tet);
double TotalVolume(const TetMesh& mesh);
Box3 BoundingBox(const TetMesh& mesh);
/// The outer triangles (faces used once), facing outwards, over the same vertex numbering.
TriangleMesh BoundarySurface(const TetMesh& mesh);
/// Throws Error for: no tetrahedron, non-finite vertex, index out of range, a mixture of positive and
/// inverted tetrahedra, or tetrahedra of no volume (|volume| <= 1e-15 x bounding-box volume). A mesh whose
/// tetrahedra are all inverted is only written in the other order: it is mended in place.
void CheckAndOrient(TetMesh* mesh, const char* name);

}  // namespace taxel
