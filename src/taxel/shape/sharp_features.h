// The sharp edges and corners of a triangle surface.
#pragma once

#include <optional>
#include <vector>

#include "taxel/shape/bvh.h"
#include "taxel/shape/triangle_mesh.h"

namespace taxel::internal {

/// An edge is sharp when the normals of its two triangles differ by more than `angle`, whether it juts out or
/// is a groove. A corner is a vertex where one sharp edge ends, where three or more meet, or where two meet
/// and turn by more than `angle` and at least 40 degrees (so that the rim of a cylinder of twelve segments is
/// a line without corners). Edges that do not belong to exactly two triangles and triangles without area are
/// passed over.
class SharpFeatures {
 public:
  struct Segment {
    Vec3 a, b;
  };

  /// @param angle radians, in (0, pi)
  SharpFeatures(const TriangleMesh& mesh, double angle);

  const std::vector<Segment>& edges() const { return edges_; }
  const std::vector<Vec3>& corners() const { return corners_; }
  /// Vertex of the mesh at each corner.
  const std::vector<int>& corner_vertices() const { return corner_vertices_; }
  /// The point of the sharp edges nearest p, if any lies within `reach`.
  std::optional<Vec3> ClosestOnEdges(const Vec3& p, double reach) const;
  /// Index of the corner nearest p within `reach`; -1 when there is none.
  int ClosestCorner(const Vec3& p, double reach) const;

 private:
  std::vector<Segment> edges_;
  std::vector<Vec3> corners_;
  std::vector<int> corner_vertices_;
  Bvh edge_tree_, corner_tree_;
};

/// Rotation whose columns are the three directions at right angles to each other that the flat faces of the
/// body favour by area; the identity for bodies without a favoured direction (less than a twentieth of the
/// area agrees to a degree) and for bodies aligned with their own frame. A body and its rotated copy so get
/// the same lattice.
Mat3 FavouredFrame(const TriangleMesh& mesh);

}  // namespace taxel::internal
