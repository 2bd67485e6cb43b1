// The distances from one point of a triangle surface to all others.
#pragma once

#include <cstdint>
#include <vector>

#include "taxel/shape/surface_net.h"
#include "taxel/shape/triangle_mesh.h"

namespace taxel::internal {

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
  /// Triangles of which a part may be within the radius, rising (of doubled ones the first). All others are
  /// beyond it.
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
  std::vector<Window> pending_;
  std::vector<std::int32_t> free_;
  std::vector<Event> queue_;
};

}  // namespace taxel::internal
