// Distances along a triangle surface.
#pragma once

#include <cstdint>
#include <vector>

#include "taxel/shape/mesh_distance.h"
#include "taxel/shape/surface_net.h"

namespace taxel {

/// Distances from one point, as far as a radius. Made by GeodesicDistance::From; holds its own arrays and is
/// read by any number of threads. The GeodesicDistance must outlive it.
class GeodesicField {
 public:
  /// Distance to a point of a triangle; infinity beyond the radius. `q` must lie on the triangle (within
  /// rounding).
  double At(const Vec3& q, int triangle) const;
  /// Distance to a vertex of the mesh; infinity beyond the radius.
  double AtVertex(int vertex) const;
  /// One distance a vertex of the mesh.
  std::vector<double> VertexDistances() const;
  /// Triangles of which a part may be within the radius, rising. All others are beyond it.
  std::vector<int> Triangles() const;
  /// Straight pieces of the field: a measure of its cost.
  int num_windows() const { return static_cast<int>(windows_.size()); }

 private:
  friend class GeodesicDistance;
  friend class GeodesicSearch;

  // Rays from an image of the source that enter a triangle through x0..x1 of one of its sides. The image lies
  // in the plane of the triangle, at (sx, sy), sy <= 0, when the side is laid along x; `offset` is the way
  // already made to it.
  struct Window {
    double x0, x1, sx, sy, offset;
    std::int32_t side, next;  // next window that was accepted on this side, or -1
  };
  // The best way found to the apex through a side, and where it crosses that.
  struct Split {
    double distance, x;
  };
  struct Event {
    double distance;
    std::int32_t what;  // index in pending_, or -1 - vertex
  };

  void Reset(const TriangleMesh& mesh, const SurfaceNet& net);

  const TriangleMesh* mesh_ = nullptr;
  const SurfaceNet* net_ = nullptr;
  Vec3 source_;
  double radius_ = 0;
  std::vector<std::int32_t> home_;  // triangles that hold the source
  std::vector<Window> windows_;
  std::vector<std::int32_t> first_;                             // accepted windows of each side
  std::vector<double> vertex_;                                  // distance of each vertex of the net
  std::vector<std::int32_t> touched_sides_, touched_vertices_;  // to forget in time proportional to the use
  // Of the search alone, kept for the next one.
  std::vector<Split> splits_;
  std::vector<Window> pending_;
  std::vector<std::int32_t> free_;
  std::vector<Event> queue_;
};

/// Length of the shortest path on a triangle surface between two of its points.
///
/// Exact on the triangles (up to rounding, about 1e-9 of an edge): straight lines are drawn over unfolded
/// strips of triangles, the window propagation of Chen and Han (1990) in the order of distance and with the
/// filters of Xin and Wang (2009, "Improving Chen & Han's algorithm on the discrete geodesic problem"). Paths
/// bend only at vertices with more than 360 degrees round them, at re-entrant borders and where sheets meet.
/// So no error comes from obtuse or flat triangles; against a smooth surface only the facets count: 0.3 % on
/// a cylinder of 24 facets. The result is never below the straight distance in space, and symmetric up to
/// rounding.
///
/// Open meshes end at their borders; at an edge of more than two triangles paths may take any of the sheets;
/// parts that do not touch are infinitely far. Vertices at the same place are one, so a soup of triangles
/// (STL) works. Triangles without area pass paths on as the segments they are. T-junctions (a vertex in the
/// middle of a neighbour's edge) are borders: such surfaces are joined only at their common vertices.
///
///     const GeodesicDistance geodesic(mesh);
///     const auto p = geodesic.Project({0.01, 0, 0.02});
///     const GeodesicField field = geodesic.From(p.point, p.triangle, 0.005);
///     const double d = field.At(q.point, q.triangle);   // infinity beyond 5 mm
///
/// Cost: what is within the radius only, about 15 windows and 3 us a triangle reached; see From. All queries
/// are const and may run on many threads at once. Same input: same bits.
class GeodesicDistance {
 public:
  /// Throws Error for an empty mesh, a vertex that is not finite or an index out of range.
  explicit GeodesicDistance(TriangleMesh mesh);
  GeodesicDistance(const GeodesicDistance&) = delete;  // fields point into it
  GeodesicDistance& operator=(const GeodesicDistance&) = delete;

  const TriangleMesh& mesh() const { return distance_.mesh(); }
  /// The nearest point of the surface and its triangle.
  MeshDistance::Closest Project(const Vec3& p) const { return distance_.ClosestPoint(p); }

  /// Distances from the point `p` of a triangle, as far as `radius` (m; may be infinite).
  /// @throws Error when p is not on the triangle (1e-6 of the mesh's size is allowed; it is projected), the
  /// triangle
  ///         is not there, or the radius is not > 0.
  GeodesicField From(const Vec3& p, int triangle, double radius) const;
  /// The same into a field that is used again: takes no memory after the first few, and no time for what is
  /// beyond the radius.
  void From(const Vec3& p, int triangle, double radius, GeodesicField* field) const;

 private:
  MeshDistance distance_;
  SurfaceNet net_;
  double size_ = 0;  // longest side of the bounding box
};

}  // namespace taxel
