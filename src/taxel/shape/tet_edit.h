// A tetrahedral mesh that is being changed: move a vertex, split an edge, and never turn a tetrahedron inside
// out.
#pragma once

#include <array>
#include <vector>

#include "taxel/shape/tet_mesh.h"

namespace taxel::internal {

/// Shape of the tetrahedron (a, b, c, d): sqrt(2) * (6 volume) / (root mean square edge)^3. 1 for a regular
/// one, 0 for a flat one, negative for an inverted one.
double TetQuality(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d);

/// Owns the mesh while it is edited and knows which tetrahedra meet at each vertex. Every edit keeps the mesh
/// conforming (an inner face belongs to exactly two tetrahedra) and, when it was so before, free of inverted
/// elements.
///
///     TetEditor edit(std::move(mesh));
///     const int m = edit.SplitEdge(a, b, 0.5 * (edit.position(a) + edit.position(b)));
///     mesh = std::move(edit).Release();
class TetEditor {
 public:
  explicit TetEditor(TetMesh mesh);

  int num_vertices() const { return static_cast<int>(mesh_.vertices.size()); }
  int num_tets() const { return static_cast<int>(mesh_.tets.size()); }
  const TetMesh& mesh() const { return mesh_; }
  const Vec3& position(int v) const { return mesh_.vertices[v]; }
  const std::array<int, 4>& tet(int t) const { return mesh_.tets[t]; }
  /// The tetrahedra that use vertex v, in no meaningful but in a repeatable order.
  const std::vector<int>& TetsAt(int v) const { return star_[v]; }
  /// Fills `tets` with those that use both a and b.
  void TetsAround(int a, int b, std::vector<int>* tets) const;
  /// Given all tetrahedra around edge (a, b): true when the edge lies in an outer face, i.e. the ring is
  /// open.
  bool IsBoundaryEdge(int a, int b, const std::vector<int>& around) const;
  double Quality(int tet) const;
  /// Least quality of the tetrahedra at v, were v at p.
  double WorstQualityAt(int v, const Vec3& p) const;
  /// Moves v to `target` when no tetrahedron at v falls below `floor`, or below its present worst when that
  /// is lower still (but never to 0 or less). Returns whether it moved.
  bool TryMove(int v, const Vec3& target, double floor);
  /// Splits edge (a, b) at p, dividing every tetrahedron round it in two; returns the new vertex. `p` on the
  /// edge is always safe; for another p ask WorstSplitQuality first.
  int SplitEdge(int a, int b, const Vec3& p);
  /// Least quality among the halves if the edge were split at p.
  double WorstSplitQuality(int a, int b, const Vec3& p, const std::vector<int>& around) const;
  /// One flag a vertex: on the outer surface.
  std::vector<char> BoundaryVertices() const;
  TetMesh Release() && { return std::move(mesh_); }

 private:
  TetMesh mesh_;
  std::vector<std::vector<int>> star_;
};

}  // namespace taxel::internal
