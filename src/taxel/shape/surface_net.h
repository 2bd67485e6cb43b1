// Which triangles of a surface meet, and how they unfold.
#pragma once

#include <cstdint>
#include <vector>

#include "taxel/shape/triangle_mesh.h"

namespace taxel::internal {

/// The surface as a net of planar triangles: who is across each edge, and where the apex lies when an edge is
/// laid along the x axis. Side h = 3 t + k of triangle t runs from its corner k to corner k + 1.
struct SurfaceNet {
  struct Side {
    double length = 0;                ///< of the edge, m
    double apex_x = 0, apex_y = 0;    ///< third corner, edge along x from the origin; apex_y >= 0
    std::int32_t begin = 0, end = 0;  ///< range in `across`
  };
  std::vector<Side> sides;            ///< three a triangle
  std::vector<std::int32_t> corners;  ///< three a triangle: vertices at the same place are one
  std::vector<std::int32_t> across;   ///< other sides at the same edge: none at a border, one as a rule, more
                                      ///< where sheets meet
  std::vector<std::int32_t> first_corner, corner_list;  ///< sides that start at vertex v, in a row
  std::vector<std::uint8_t> turning;                    ///< a shortest path may bend at this vertex
  std::vector<std::int32_t> merged;                     ///< vertex of the net for each vertex of the mesh
  /// For each triangle the first one on the same vertices; only that one has sides.
  std::vector<std::int32_t> twin;
};

/// Vertices at exactly the same place become one. Triangles on the same three vertices, whichever way they
/// face, are one. A triangle with two corners in one place has no sides; its neighbours meet across it.
/// Expects a mesh that passes CheckIndices.
SurfaceNet BuildSurfaceNet(const TriangleMesh& mesh);

}  // namespace taxel::internal
