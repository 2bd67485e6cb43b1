// Probes against the triangles of a mesh, through a wide tree.
#pragma once

#include <cstdint>
#include <vector>

#include "taxel/bristle/probe_meeting.h"
#include "taxel/shape/bvh.h"
#include "taxel/shape/triangle_mesh.h"

namespace taxel::internal {

/// Built once. What a probe meets:
///
/// * Closed mesh, base outside: the nearest triangle of the segment that faces the probe. Where it passes
///   exactly through an edge or a vertex, each triangle there counts, so nothing slips through.
/// * Closed mesh, base inside: told by the winding number, back faces minus front faces of the endless ray,
///   an edge belonging to exactly one of its triangles. So overlapping pieces and cavities are right too, and
///   rays through edges and vertices. Outside the mesh's box nothing is inside.
/// * Open mesh: the nearest triangle from either side, its normal turned against the probe.
///
/// Of equal t the triangle of least index counts. Triangles without area, and those exactly edge-on, are not
/// met themselves. A base exactly on the surface counts as just inside or just outside, whichever way the
/// rounding falls, never as both or neither. A probe without length can only be inside.
///
/// The tree has up to eight children a node, their boxes in float and tested at once, grown by more than the
/// rounding of the whole test; a leaf is four triangles in double, tested at once by the operations of
/// IntersectTriangle in the same order: tree and brute force give the same bits.
class ProbeTree {
 public:
  ProbeTree() = default;
  /// @param mesh   not empty; turned inside out where it is closed and its volume is negative
  /// @param closed it has an inside
  ProbeTree(TriangleMesh mesh, bool closed);

  const Box3& box() const { return box_; }
  ProbeMeeting Meet(const Vec3& base, const Vec3& tip) const;
  ProbeMeeting MeetByBruteForce(const Vec3& base, const Vec3& tip) const;

 private:
  static constexpr int kChildren = 8, kLeaf = 4;
  struct alignas(32) Node {
    float bounds[2][3][kChildren];  // lo, hi; by axis; empty boxes where a child is missing
    std::int32_t child[kChildren];  // a node, or ~index of a leaf; leaf 0 is empty
  };
  struct alignas(32) Leaf {
    double corner[3][3][kLeaf];  // by corner and axis; NaN where a triangle is missing
    std::int32_t triangle[kLeaf];
  };
  struct Query;

  bool Start(const Vec3& base, const Vec3& tip, Query* query) const;
  template <bool kWinding>
  void Descend(Query* query) const;
  template <bool kWinding>
  void MeetLeaf(const Leaf& leaf, Query* query) const;
  void MeetTriangle(int triangle, bool winding, Query* query) const;
  ProbeMeeting Finish(const Query& query) const;
  Leaf MakeLeaf(const std::int32_t* triangles, int count) const;
  std::int32_t Widen(const Bvh& bvh, std::int32_t root);

  TriangleMesh mesh_;
  bool closed_ = false;
  Box3 box_;
  double reach_ = 0;  // greatest coordinate in the box
  std::vector<Node> nodes_;
  std::vector<Leaf> leaves_;
  std::vector<Vec3> normals_;
};

}  // namespace taxel::internal
