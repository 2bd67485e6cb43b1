#include "taxel/contact/pairs.h"

#include <algorithm>
#include <bit>

#include "taxel/contact/column_intersect.h"
#include "taxel/contact/tet_intersect.h"
#include "taxel/math/lanes.h"

namespace taxel::internal {
namespace {

// d^2 - (d . axis)^2 is rounded in units of d^2; a tube is never that thin.
constexpr double kTubeSlack = 1 + 1e-9;

Polygon ToPolygon(const Facet& f) {
  Polygon out;
  out.n = f.num_vertices;
  for (int i = 0; i < f.num_vertices; ++i) out.v[i] = f.vertices[i];
  return out;
}

SoftPiece ToPiece(const Cell& c, const std::vector<Layer>& law) {
  return {c.planes, c.num_planes, c.depth, c.center, c.radius, &law, c.max_depth, c.axis, c.width};
}

// Without the edges of a column where nobody looks at them.
Cell Moved(const Pose& X_BA, const Cell& cell_A, bool with_edges = true) {
  Cell out;
  out.num_planes = cell_A.num_planes;
  for (int i = 0; i < cell_A.num_planes; ++i) out.planes[i] = Transform(X_BA, cell_A.planes[i]);
  out.depth = Transform(X_BA, cell_A.depth);
  out.center = X_BA * cell_A.center;
  out.radius = cell_A.radius;
  out.axis = X_BA.R * cell_A.axis;
  out.width = cell_A.width;
  out.max_depth = cell_A.max_depth;
  out.num_edges = with_edges ? cell_A.num_edges : 0;
  for (int i = 0; i < out.num_edges; ++i) {
    out.outer[i] = X_BA * cell_A.outer[i];
    out.inner[i] = X_BA * cell_A.inner[i];
  }
  return out;
}

bool SpheresMeet(const Vec3& a, double ra, const Vec3& b, double rb) {
  return norm2(a - b) <= (ra + rb) * (ra + rb);
}

struct CenteredBox {
  Vec3 c, h;
  explicit CenteredBox(const BvhNode& n)
      : c{0.5 * (static_cast<double>(n.lo[0]) + n.hi[0]), 0.5 * (static_cast<double>(n.lo[1]) + n.hi[1]),
          0.5 * (static_cast<double>(n.lo[2]) + n.hi[2])},
        h{0.5 * (static_cast<double>(n.hi[0]) - n.lo[0]), 0.5 * (static_cast<double>(n.hi[1]) - n.lo[1]),
          0.5 * (static_cast<double>(n.hi[2]) - n.lo[2])} {}
  double Reach(const Vec3& n) const {
    return std::fabs(n.x) * h.x + std::fabs(n.y) * h.y + std::fabs(n.z) * h.z;
  }
};

// A tetrahedron as a general piece, for laws with layers.
struct TetPiece {
  Plane planes[4];
  SoftPiece piece;

  TetPiece(const TetCell& tet, const std::vector<Layer>& law, const Pose& X_KT = {})
      : piece{planes, 4, Transform(X_KT, tet.depth), X_KT * tet.center, tet.radius, &law, tet.max_depth()} {
    for (int k = 0; k < 4; ++k) planes[k] = Transform(X_KT, tet.bary(k));
  }
  TetPiece(const TetPiece&) = delete;
};

// The cell may reach into the box: neither its sphere nor any of its planes keeps them apart.
bool CellMeetsBox(const Cell& cell, const BvhNode& node) {
  if (node.box().Distance2(cell.center) > cell.radius * cell.radius) return false;
  const CenteredBox box(node);
  for (int i = 0; i < cell.num_planes; ++i)
    if (cell.planes[i](box.c) + box.Reach(cell.planes[i].n) < 0) return false;
  return true;
}

// A box of the second body's tree seen from the first, against a box of the first's tree: the six face axes.
class BoxPair {
 public:
  explicit BoxPair(const Pose& X_FS) : p_(ToLanes(X_FS.p)) {
    const Mat3 R = X_FS.R, T = Transpose(R);
    for (int k = 0; k < 3; ++k) {
      col_[k] = ToLanes(R.col(k));
      row_[k] = ToLanes(T.col(k));
      abs_col_[k] = AbsLanes(col_[k]);
      abs_row_[k] = AbsLanes(row_[k]);
    }
  }
  bool Meet(const NodeBox& F, const NodeBox& S) const {
    const Lanes d = Product(col_, S.c[0], S.c[1], S.c[2]) + p_ - LoadLanes(F.c);
    const Lanes r = Product(abs_col_, S.h[0], S.h[1], S.h[2]) + LoadLanes(F.h);
    if (Bits(AbsLanes(d) > r) != 0) return false;
    const Lanes e = Product(row_, d[0], d[1], d[2]);
    const Lanes q = Product(abs_row_, F.h[0], F.h[1], F.h[2]) + LoadLanes(S.h);
    return Bits(AbsLanes(e) > q) == 0;
  }

 private:
  static Lanes Product(const Lanes* m, double x, double y, double z) {
    return m[0] * x + m[1] * y + m[2] * z;
  }

  Lanes col_[3], row_[3], abs_col_[3], abs_row_[3], p_;
};

double Size(const BvhNode& n) {
  return static_cast<double>(n.hi[0] - n.lo[0]) + (n.hi[1] - n.lo[1]) + (n.hi[2] - n.lo[2]);
}

// Pairs of leaf nodes that pass `enter`, the larger node being opened first.
template <class Enter, class Leaves>
void WalkPairs(const Bvh& F, const Bvh& S, TraversalStack* stack, Enter&& enter, Leaves&& leaves) {
  if (F.nodes.empty() || S.nodes.empty()) return;
  stack->clear();
  stack->emplace_back(0, 0);
  while (!stack->empty()) {
    const auto [f, s] = stack->back();
    stack->pop_back();
    const BvhNode& nf = F.nodes[f];
    const BvhNode& ns = S.nodes[s];
    if (!enter(f, s)) continue;
    if (nf.is_leaf() && ns.is_leaf()) {
      leaves(nf, ns);
    } else if (ns.is_leaf() || (!nf.is_leaf() && Size(nf) >= Size(ns))) {
      stack->emplace_back(nf.first + 1, s);
      stack->emplace_back(nf.first, s);
    } else {
      stack->emplace_back(f, ns.first + 1);
      stack->emplace_back(f, ns.first);
    }
  }
}

}  // namespace

void CellBounds::Set(std::span<const Cell> cells) {
  count_ = static_cast<int>(cells.size());
  fours_.resize((count_ + 3) / 4);
  for (int i = 0; i < 4 * static_cast<int>(fours_.size()); ++i) {
    Four& four = fours_[i / 4];
    const int l = i % 4;
    const Cell& c = cells[std::min(i, count_ - 1)];
    four.x[l] = c.center.x, four.y[l] = c.center.y, four.z[l] = c.center.z, four.radius[l] = c.radius;
    four.ax[l] = c.axis.x, four.ay[l] = c.axis.y, four.az[l] = c.axis.z;
    // Without a tube the ball alone counts.
    four.width[l] = c.width > 0 ? c.width : c.radius;
  }
}

template <class Use>
void CellBounds::ForEachNear(const Facet& f, double offset, Use&& use) const {
  for (int k = 0; k < static_cast<int>(fours_.size()); ++k) {
    const Four& c = fours_[k];
    const Lanes x = LoadLanes(c.x), y = LoadLanes(c.y), z = LoadLanes(c.z), r = LoadLanes(c.radius);
    const Lanes dx = f.center.x - x, dy = f.center.y - y, dz = f.center.z - z;
    const Lanes d2 = dx * dx + dy * dy + dz * dz, ball = f.radius + r;
    LaneMask near = d2 <= ball * ball;
    if (Bits(near) == 0) continue;
    const Lanes height = f.normal.x * x + f.normal.y * y + f.normal.z * z + offset;
    const Lanes along = dx * LoadLanes(c.ax) + dy * LoadLanes(c.ay) + dz * LoadLanes(c.az);
    const Lanes tube = f.radius + LoadLanes(c.width);
    near = near & (AbsLanes(height) <= r) & (d2 - along * along <= kTubeSlack * (tube * tube));
    for (int bits = Bits(near); bits; bits &= bits - 1)
      if (const int i = 4 * k + std::countr_zero(static_cast<unsigned>(bits)); i < count_) use(i);
  }
}

void CellsAndFacets(const Pose& X_WF, std::span<const Cell> cells, const std::vector<Layer>& law,
                    std::span<const Facet> facets_F, CellBounds* bounds, FaceSink* sink) {
  bounds->Set(cells);
  for (const Facet& f : facets_F) {
    const Polygon polygon = ToPolygon(f);
    const double offset = -dot(f.normal, f.vertices[0]);
    bounds->ForEachNear(f, offset,
                        [&](int i) { FacetInCell(X_WF, polygon, f.normal, ToPiece(cells[i], law), sink); });
  }
}

void CellsAndTriangles(const Pose& X_WS, const Pose& X_SF, std::span<const Cell> cells,
                       const std::vector<Layer>& law, const BodyData& triangles, FaceSink* sink) {
  const std::vector<BvhNode>& nodes = triangles.surface_bvh.nodes;
  for (const Cell& cell_F : cells) {
    // Most cells of a body that meets a mesh are nowhere near it.
    if (nodes.empty() || nodes[0].box().Distance2(X_SF * cell_F.center) > cell_F.radius * cell_F.radius)
      continue;
    const Cell cell = Moved(X_SF, cell_F, false);
    const SoftPiece piece = ToPiece(cell, law);
    Walk(
        triangles.surface_bvh, [&](const BvhNode& node, int) { return CellMeetsBox(cell, node); },
        [&](int i) {
          const int t = triangles.surface_bvh.items[i];
          Polygon polygon;
          polygon.n = 3;
          for (int k = 0; k < 3; ++k) polygon.v[k] = triangles.surface.corner(t, k);
          FacetInCell(X_WS, polygon, triangles.surface_normals[t], piece, sink);
        });
  }
}

void CellsAndCells(const Pose& X_WF, std::span<const Cell> cells, const std::vector<Layer>& law,
                   const Pose& X_FS, std::span<const Cell> others, const std::vector<Layer>& other_law,
                   std::vector<Cell>* moved, FaceSink* sink) {
  if (others.data() != moved->data()) moved->assign(others.begin(), others.end());
  for (Cell& c : *moved) c = Moved(X_FS, c);
  const bool linear = law.size() == 1 && other_law.size() == 1;
  // Runs of neighbours share a sphere, so that most pairs are never looked at.
  constexpr std::size_t kRun = 8;
  for (std::size_t begin = 0; begin < moved->size(); begin += kRun) {
    const std::size_t end = std::min(begin + kRun, moved->size());
    Vec3 center;
    for (std::size_t i = begin; i < end; ++i) center += (*moved)[i].center / static_cast<double>(end - begin);
    double radius = 0;
    for (std::size_t i = begin; i < end; ++i)
      radius = std::max(radius, norm((*moved)[i].center - center) + (*moved)[i].radius);
    for (const Cell& a : cells) {
      if (!SpheresMeet(a.center, a.radius, center, radius)) continue;
      const SoftPiece first = ToPiece(a, law);
      for (std::size_t i = begin; i < end; ++i) {
        const Cell& b = (*moved)[i];
        if (!SpheresMeet(a.center, a.radius, b.center, b.radius)) continue;
        const SoftPiece second = ToPiece(b, other_law);
        if (!linear || !EqualPressureInColumn(X_WF, a, first, second, sink))
          EqualPressure(X_WF, first, second, sink);
      }
    }
  }
}

void CellsAndTets(const Pose& X_WS, const Pose& X_SF, std::span<const Cell> cells,
                  const std::vector<Layer>& law, const BodyData& second, FaceSink* sink) {
  const bool linear = law.size() == 1 && second.law.size() == 1;
  for (const Cell& cell_F : cells) {
    const Cell cell = Moved(X_SF, cell_F);
    const SoftPiece piece = ToPiece(cell, law);
    Walk(
        second.tet_bvh,
        [&](const BvhNode& node, int index) {
          if (!CellMeetsBox(cell, node)) return false;
          const CenteredBox box(node);
          const double u = cell.depth(box.c), reach = box.Reach(cell.depth.n);
          const auto& range = second.node_pressure[index];
          return PressureOfDepth(law, u + reach) >= range[0] && PressureOfDepth(law, u - reach) <= range[1];
        },
        [&](int i) {
          const TetCell& tet = second.tet_cells[i];
          if (linear) {
            EqualPressureInTet(X_WS, piece, tet, second.law[0].slope, sink);
          } else {
            EqualPressure(X_WS, piece, TetPiece(tet, second.law).piece, sink);
          }
        });
  }
}

namespace {

void FacetInAnyTet(const Pose& X_WF, const Polygon& polygon, const Vec3& normal, double offset,
                   const BodyData& first, int i, FaceSink* sink) {
  const TetCell& tet = first.tet_cells[i];
  if (std::fabs(dot(normal, tet.center) + offset) > tet.radius) return;
  if (first.law.size() == 1) {
    FacetInTet(X_WF, polygon, normal, tet, first.law[0].slope, sink);
  } else {
    FacetInCell(X_WF, polygon, normal, TetPiece(tet, first.law).piece, sink);
  }
}

}  // namespace

void TetsAndFacets(const Pose& X_WF, const BodyData& first, std::span<const Facet> facets_F, FaceSink* sink) {
  for (const Facet& f : facets_F) {
    const Polygon polygon = ToPolygon(f);
    const double offset = -dot(f.normal, f.vertices[0]);
    Walk(
        first.tet_bvh,
        [&](const BvhNode& node, int) {
          if (node.box().Distance2(f.center) > f.radius * f.radius) return false;
          const CenteredBox box(node);
          return std::fabs(dot(f.normal, box.c) + offset) <= box.Reach(f.normal);
        },
        [&](int i) { FacetInAnyTet(X_WF, polygon, f.normal, offset, first, i, sink); });
  }
}

void TetsAndTriangles(const Pose& X_WF, const BodyData& first, const Pose& X_FS, const BodyData& triangles,
                      TraversalStack* stack, FaceSink* sink) {
  const BoxPair boxes(X_FS);
  WalkPairs(
      first.tet_bvh, triangles.surface_bvh, stack,
      [&](int f, int s) { return boxes.Meet(first.tet_boxes[f], triangles.surface_boxes[s]); },
      [&](const BvhNode& f, const BvhNode& s) {
        for (int j = s.first; j < s.first + s.count; ++j) {
          const int t = triangles.surface_bvh.items[j];
          Polygon polygon;
          polygon.n = 3;
          for (int k = 0; k < 3; ++k) polygon.v[k] = X_FS * triangles.surface.corner(t, k);
          const Vec3 n = X_FS.R * triangles.surface_normals[t];
          const double offset = -dot(n, polygon.v[0]);
          for (int i = f.first; i < f.first + f.count; ++i)
            FacetInAnyTet(X_WF, polygon, n, offset, first, i, sink);
        }
      });
}

void TetsAndTets(const Pose& X_WF, const BodyData& first, const Pose& X_FS, const BodyData& second,
                 TraversalStack* stack, FaceSink* sink) {
  const BoxPair boxes(X_FS);
  const Pose X_SF = Inverse(X_FS);
  const bool linear = first.law.size() == 1 && second.law.size() == 1;
  const double slope1 = first.law[0].slope, slope2 = second.law[0].slope;
  const auto& range_F = first.node_pressure;
  const auto& range_S = second.node_pressure;
  WalkPairs(
      first.tet_bvh, second.tet_bvh, stack,
      [&](int f, int s) {
        return range_F[f][0] <= range_S[s][1] && range_S[s][0] <= range_F[f][1] &&
               boxes.Meet(first.tet_boxes[f], second.tet_boxes[s]);
      },
      [&](const BvhNode& f, const BvhNode& s) {
        if (!linear) {
          for (int j = s.first; j < s.first + s.count; ++j)
            for (int i = f.first; i < f.first + f.count; ++i) {
              const TetCell &tet1 = first.tet_cells[i], &tet2 = second.tet_cells[j];
              if (SpheresMeet(tet1.center, tet1.radius, X_FS * tet2.center, tet2.radius))
                EqualPressure(X_WF, TetPiece(tet1, first.law).piece, TetPiece(tet2, second.law, X_FS).piece,
                              sink);
            }
          return;
        }
        MovedTet in_S[kTetsPerLeaf];
        for (int i = 0; i < f.count; ++i) in_S[i] = MovedTet(X_SF, first.tet_cells[f.first + i]);
        for (int j = s.first; j < s.first + s.count; ++j) {
          const TetCell& tet2 = second.tet_cells[j];
          const MovedTet in_F(X_FS, tet2);
          for (int i = 0; i < f.count; ++i)
            EqualPressureOfTets(X_WF, X_SF, first.tet_cells[f.first + i], in_S[i], slope1, tet2, in_F, slope2,
                                sink);
        }
      });
}

}  // namespace taxel::internal
