// What a query reads of a body. Built once by Body; plain arrays.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "taxel/contact/body_options.h"
#include "taxel/contact/cell.h"
#include "taxel/contact/columns.h"
#include "taxel/field/stiffening.h"
#include "taxel/shape/bvh.h"
#include "taxel/shape/primitives.h"
#include "taxel/shape/tet_mesh.h"
#include "taxel/shape/triangle_mesh.h"

namespace taxel::internal {

/// Cells below a leaf of the tree of tetrahedra; measured, 2 to 8 differ by 15 %.
inline constexpr int kTetsPerLeaf = 6;

/// The box of a tree node as centre and half size, padded for vector loads; contains the node's box.
struct NodeBox {
  float c[4], h[4];
};

struct BodyData {
  enum class Kind {
    kPolyhedral,  ///< a few cells or facets: box, half space
    kRevolved,    ///< sphere, ellipsoid, cylinder, capsule: facets made per query (revolve.h)
    kTets,        ///< soft: tetrahedra with a Bvh
    kTriangles,   ///< rigid, or with columns: triangles with a Bvh
  };

  BodyOptions options;
  Kind kind = Kind::kPolyhedral;
  bool soft = false;
  bool is_mesh = false;         ///< kTets or kTriangles: not convex for all we know
  bool from_primitive = false;  ///< tetrahedra of a primitive (kLaplace)
  Primitive primitive;
  Box3 box;                           ///< in the body's frame
  std::vector<std::string> warnings;  ///< what was mended, or is coarser than asked for
  std::uint64_t content = 0;  ///< hash of everything above and below: orders two soft bodies (see contact.cc)
  std::vector<Layer> law;
  double depth_scale = 1;   ///< kRevolved: u at the medial axis
  double steepest = 0;      ///< soft: the most that u rises over a metre
  double length = 0;        ///< soft: over which u usually rises by 1, m
  double softest = 0;       ///< m of its softest size (layer_modulus.h); 0: one stiffness for all sizes
  bool has_middle = false;  ///< not a half space, nor open triangles
  Vec3 middle;              ///< a point well inside
  double inner_radius = 0;  ///< of a ball about it that is inside, m

  ColumnSkin columns;  ///< field kColumns, but for a half space, whose columns depend on the query

  std::vector<Cell> cells;    ///< kPolyhedral, soft (a half space has none: its cell depends on the query)
  std::vector<Facet> facets;  ///< kPolyhedral, rigid (same)

  TetMesh tets;
  std::vector<double> tet_values;  ///< normalised depth u at the vertices
  std::vector<double> tet_pressures;
  std::vector<TetCell> tet_cells;  ///< in the order of tet_bvh.items: leaf i .. j owns cells i .. j
  Bvh tet_bvh;
  std::vector<NodeBox> tet_boxes;  ///< of tet_bvh's nodes
  std::vector<std::array<float, 2>>
      node_pressure;  ///< least and greatest pressure below each node of tet_bvh

  TriangleMesh surface;  ///< kTriangles: what touches; kTets: the boundary, to estimate depths
  std::vector<Vec3> surface_normals;
  Bvh surface_bvh;
  std::vector<NodeBox> surface_boxes;  ///< of surface_bvh's nodes
};

}  // namespace taxel::internal
