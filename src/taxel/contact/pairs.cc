#include "taxel/contact/pairs.h"

#include <algorithm>

namespace taxel {
namespace {

Polygon ToPolygon(const Facet& f) {
  Polygon out;
  out.n = f.num_vertices;
  for (int i = 0; i < f.num_vertices; ++i) out.v[i] = f.vertices[i];
  return out;
}

SoftPiece ToPiece(const Cell& c, const std::vector<Layer>& law) {
  return {c.planes, c.num_planes, c.depth, c.center, c.radius, &law, c.max_depth, c.axis, c.width};
}

Cell Moved(const Pose& X_BA, const Cell& cell_A) {
  Cell out;
  out.num_planes = cell_A.num_planes;
  for (int i = 0; i < cell_A.num_planes; ++i) out.planes[i] = Transform(X_BA, cell_A.planes[i]);
  out.depth = Transform(X_BA, cell_A.depth);
  out.center = X_BA * cell_A.center;
  out.radius = cell_A.radius;
  out.axis = X_BA.R * cell_A.axis;
  out.width = cell_A.width;
  out.max_depth = cell_A.max_depth;
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

// Calls leaf(item) for the items of all leaves whose nodes pass `enter(node, node_index)`.
template <class Enter, class Leaf>
void Walk(const Bvh& bvh, Enter&& enter, Leaf&& leaf) {
  if (bvh.nodes.empty()) return;
  std::int32_t stack[Bvh::kMaxDepth + 2];
  int top = 0;
  stack[top++] = 0;
  while (top > 0) {
    const std::int32_t index = stack[--top];
    const BvhNode& node = bvh.nodes[index];
    if (!enter(node, index)) continue;
    if (node.is_leaf()) {
      for (int i = node.first; i < node.first + node.count; ++i) leaf(bvh.items[i]);
    } else {
      stack[top++] = node.first + 1;
      stack[top++] = node.first;
    }
  }
}

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
  explicit BoxPair(const Pose& X_FS) : X_FS_(X_FS) {
    for (int i = 0; i < 9; ++i) abs_.m[i] = std::fabs(X_FS.R.m[i]);
  }
  bool Meet(const BvhNode& f, const BvhNode& s) const {
    const CenteredBox F(f), S(s);
    const Vec3 d = X_FS_ * S.c - F.c;
    const Vec3 r = abs_ * S.h + F.h;
    if (std::fabs(d.x) > r.x || std::fabs(d.y) > r.y || std::fabs(d.z) > r.z) return false;
    const Vec3 e = TransposeMul(X_FS_.R, d), q = TransposeMul(abs_, F.h) + S.h;
    return std::fabs(e.x) <= q.x && std::fabs(e.y) <= q.y && std::fabs(e.z) <= q.z;
  }

 private:
  Pose X_FS_;
  Mat3 abs_;
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
    if (!enter(nf, f, ns, s)) continue;
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

void CellsAndFacets(const Pose& X_WF, std::span<const Cell> cells, const std::vector<Layer>& law,
                    std::span<const Facet> facets_F, FaceSink* sink) {
  for (const Facet& f : facets_F) {
    const Polygon polygon = ToPolygon(f);
    const double offset = -dot(f.normal, f.vertices[0]);
    for (const Cell& c : cells) {
      if (std::fabs(dot(f.normal, c.center) + offset) > c.radius ||
          !SpheresMeet(f.center, f.radius, c.center, c.radius))
        continue;
      FacetInCell(X_WF, polygon, f.normal, ToPiece(c, law), sink);
    }
  }
}

void CellsAndTriangles(const Pose& X_WS, const Pose& X_SF, std::span<const Cell> cells,
                       const std::vector<Layer>& law, const BodyData& triangles, FaceSink* sink) {
  for (const Cell& cell_F : cells) {
    const Cell cell = Moved(X_SF, cell_F);
    const SoftPiece piece = ToPiece(cell, law);
    Walk(
        triangles.surface_bvh, [&](const BvhNode& node, int) { return CellMeetsBox(cell, node); },
        [&](int t) {
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
        if (SpheresMeet(a.center, a.radius, b.center, b.radius))
          EqualPressure(X_WF, first, ToPiece(b, other_law), sink);
      }
    }
  }
}

void CellsAndTets(const Pose& X_WS, const Pose& X_SF, std::span<const Cell> cells,
                  const std::vector<Layer>& law, const TetTree& second, FaceSink* sink) {
  const bool linear = law.size() == 1 && second.body.law.size() == 1;
  const double slope = second.body.law[0].slope;
  for (const Cell& cell_F : cells) {
    const Cell cell = Moved(X_SF, cell_F);
    const SoftPiece piece = ToPiece(cell, law);
    Walk(
        second.body.tet_bvh,
        [&](const BvhNode& node, int index) {
          if (!CellMeetsBox(cell, node)) return false;
          const CenteredBox box(node);
          const double u = cell.depth(box.c), reach = box.Reach(cell.depth.n);
          const auto& range = second.body.node_pressure[index];
          return PressureOfDepth(law, u + reach) >= range[0] && PressureOfDepth(law, u - reach) <= range[1];
        },
        [&](int t) {
          if (linear) {
            EqualPressureInTet(X_WS, second.body.tet_cells[t], slope, Pose{}, piece, false, sink);
          } else {
            EqualPressure(X_WS, piece, second.Piece(t), sink);
          }
        });
  }
}

void TetsAndFacets(const Pose& X_WF, const TetTree& first, std::span<const Facet> facets_F, FaceSink* sink) {
  for (const Facet& f : facets_F) {
    const Polygon polygon = ToPolygon(f);
    const double offset = -dot(f.normal, f.vertices[0]);
    Walk(
        first.body.tet_bvh,
        [&](const BvhNode& node, int) {
          if (node.box().Distance2(f.center) > f.radius * f.radius) return false;
          const CenteredBox box(node);
          return std::fabs(dot(f.normal, box.c) + offset) <= box.Reach(f.normal);
        },
        [&](int t) {
          const SoftPiece piece = first.Piece(t);
          if (std::fabs(dot(f.normal, piece.center) + offset) <= piece.radius)
            FacetInCell(X_WF, polygon, f.normal, piece, sink);
        });
  }
}

void TetsAndTriangles(const Pose& X_WF, const TetTree& first, const Pose& X_FS, const BodyData& triangles,
                      TraversalStack* stack, FaceSink* sink) {
  const BoxPair boxes(X_FS);
  const Bvh& tet_bvh = first.body.tet_bvh;
  WalkPairs(
      tet_bvh, triangles.surface_bvh, stack,
      [&](const BvhNode& f, int, const BvhNode& s, int) { return boxes.Meet(f, s); },
      [&](const BvhNode& f, const BvhNode& s) {
        for (int j = s.first; j < s.first + s.count; ++j) {
          const int t = triangles.surface_bvh.items[j];
          Polygon polygon;
          polygon.n = 3;
          for (int k = 0; k < 3; ++k) polygon.v[k] = X_FS * triangles.surface.corner(t, k);
          const Vec3 n = X_FS.R * triangles.surface_normals[t];
          const double offset = -dot(n, polygon.v[0]);
          for (int i = f.first; i < f.first + f.count; ++i) {
            const SoftPiece piece = first.Piece(tet_bvh.items[i]);
            if (std::fabs(dot(n, piece.center) + offset) <= piece.radius)
              FacetInCell(X_WF, polygon, n, piece, sink);
          }
        }
      });
}

void TetsAndTets(const Pose& X_WF, const TetTree& first, const Pose& X_FS, const TetTree& second,
                 TraversalStack* stack, FaceSink* sink) {
  const BoxPair boxes(X_FS);
  const Bvh& F = first.body.tet_bvh;
  const Bvh& S = second.body.tet_bvh;
  const bool linear = first.body.law.size() == 1 && second.body.law.size() == 1;
  const double slope = first.body.law[0].slope;
  const auto& range_F = first.body.node_pressure;
  const auto& range_S = second.body.node_pressure;
  WalkPairs(
      F, S, stack,
      [&](const BvhNode& f, int i, const BvhNode& s, int j) {
        return range_F[i][0] <= range_S[j][1] && range_S[j][0] <= range_F[i][1] && boxes.Meet(f, s);
      },
      [&](const BvhNode& f, const BvhNode& s) {
        for (int j = s.first; j < s.first + s.count; ++j) {
          const SoftPiece in_S = second.Piece(S.items[j]);
          const Vec3 center = X_FS * in_S.center;
          for (int i = f.first; i < f.first + f.count; ++i) {
            const TetCell& tet = first.body.tet_cells[F.items[i]];
            if (!SpheresMeet(tet.center, tet.radius, center, in_S.radius)) continue;
            if (linear) {
              EqualPressureInTet(X_WF, tet, slope, X_FS, in_S, true, sink);
              continue;
            }
            Plane planes[4];
            for (int k = 0; k < 4; ++k) planes[k] = Transform(X_FS, in_S.planes[k]);
            SoftPiece moved = in_S;
            moved.planes = planes;
            moved.depth = Transform(X_FS, in_S.depth);
            moved.center = center;
            EqualPressure(X_WF, first.Piece(F.items[i]), moved, sink);
          }
        }
      });
}

}  // namespace taxel
