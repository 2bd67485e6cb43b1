#include "taxel/shape/fit_surface.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include "taxel/math/interrupt.h"
#include "taxel/shape/bvh.h"

namespace taxel::internal {
namespace {

constexpr double kFeatureFloor = 0.02;  // least quality accepted to gain a corner or a sharp edge
constexpr double kSurfaceFloor = 0.06;  // least quality accepted to gain the surface
constexpr double kPoor = 0.25;          // inner vertices with a worse tetrahedron are relaxed
constexpr int kRounds = 4;
constexpr int kCandidates = 12;

bool Contains(const Box3& box, const Vec3& p) { return box.Distance2(p) <= 1e-18 * norm2(box.size()); }

class Fitter {
 public:
  Fitter(TetEditor* mesh, const LatticeMesh& lattice, const MeshDistance& surface,
         const SharpFeatures& features)
      : mesh_(*mesh), lattice_(lattice), surface_(surface), features_(features) {
    fixed_.assign(mesh_.num_vertices(), 0);
    result_.vertex_of_corner.assign(features_.corners().size(), -1);
    for (int v = 0; v < mesh_.num_vertices(); ++v)
      if (lattice_.kind[v] >= LatticeVertex::kSurface) outer_.push_back(v);
    inner_.assign(mesh_.num_vertices(), 1);
    for (int v : outer_) inner_[v] = 0;
  }

  SurfaceFit Run() {
    for (int round = 0; round < kRounds; ++round) {
      CornersInCells();
      CornersElsewhere();
      SharpEdges();
      if (round > 0) SharpEdgesElsewhere();
      result_.off_surface = Surface();
      RelaxPoor(&mesh_, inner_, kPoor);
    }
    result_.off_surface = Surface();
    return std::move(result_);
  }

 private:
  bool IsCellVertex(int v) const { return lattice_.kind[v] == LatticeVertex::kSurface; }

  // Two vertices at one place would make the outer surface touch itself.
  bool MoveToFreePlace(int v, const Vec3& p) {
    if (taken_.count({p.x, p.y, p.z}) || !mesh_.TryMove(v, p, kFeatureFloor)) return false;
    taken_.insert({p.x, p.y, p.z});
    return true;
  }

  void Pin(int corner, int v) {
    result_.vertex_of_corner[corner] = v;
    fixed_[v] = 2;
  }

  void CornersInCells() {
    for (int v : outer_) {
      if (!IsCellVertex(v) || fixed_[v] == 2) continue;
      const Box3& cell = lattice_.cell[v];
      const int corner = features_.ClosestCorner(cell.center(), 0.5 * norm(cell.size()));
      if (corner < 0 || result_.vertex_of_corner[corner] >= 0) continue;
      if (!Contains(cell, features_.corners()[corner])) continue;
      if (MoveToFreePlace(v, features_.corners()[corner])) Pin(corner, v);
    }
  }

  void CornersElsewhere() {
    for (int c = 0; c < static_cast<int>(features_.corners().size()); ++c) {
      CheckInterrupt();
      if (result_.vertex_of_corner[c] >= 0) continue;
      const Vec3& p = features_.corners()[c];
      std::vector<std::pair<double, int>> near;
      for (int v : outer_)
        if (fixed_[v] != 2) near.emplace_back(norm2(mesh_.position(v) - p), v);
      const auto end = near.begin() + std::min<std::size_t>(kCandidates, near.size());
      std::partial_sort(near.begin(), end, near.end());
      for (auto it = near.begin(); it != end; ++it)
        if (MoveToFreePlace(it->second, p)) {
          Pin(c, it->second);
          break;
        }
    }
  }

  void SharpEdges() {
    for (int v : outer_) {
      CheckInterrupt();
      if (!IsCellVertex(v) || fixed_[v]) continue;
      const Box3& cell = lattice_.cell[v];
      const auto p = features_.ClosestOnEdges(cell.center(), 0.5 * norm(cell.size()));
      if (p && Contains(cell, *p) && MoveToFreePlace(v, *p)) fixed_[v] = 1;
    }
  }

  // Points along the sharp edges, half a cell apart, that have no vertex of the mesh near them.
  void SharpEdgesElsewhere() {
    if (outer_.empty() || features_.edges().empty()) return;
    std::vector<Box3> boxes;
    double spacing = Box3::kInf;
    for (int v : outer_) {
      Box3 box;
      box.Include(mesh_.position(v));
      boxes.push_back(box);
      if (!IsCellVertex(v)) continue;
      const Vec3 size = lattice_.cell[v].size();
      spacing = std::min({spacing, size.x, size.y, size.z});
    }
    const Bvh tree = BuildBvh(boxes);
    for (const auto& edge : features_.edges()) {
      CheckInterrupt();
      const int pieces = std::max(1, static_cast<int>(std::ceil(norm(edge.b - edge.a) / (0.5 * spacing))));
      for (int i = 0; i < pieces; ++i) {
        const Vec3 p = edge.a + ((i + 0.5) / pieces) * (edge.b - edge.a);
        std::vector<std::pair<double, int>> near;
        bool taken = false;
        VisitWithin(tree, p, 1.2 * spacing, [&](int item) {
          const int v = outer_[item];
          const double d2 = norm2(mesh_.position(v) - p);
          if (fixed_[v] && d2 < 0.36 * spacing * spacing) taken = true;
          if (!fixed_[v] && d2 < 1.44 * spacing * spacing) near.emplace_back(d2, v);
        });
        if (taken) continue;
        std::sort(near.begin(), near.end());
        for (const auto& [d2, v] : near)
          if (MoveToFreePlace(v, p)) {
            fixed_[v] = 1;
            break;
          }
      }
    }
  }

  template <class F>
  static void VisitWithin(const Bvh& tree, const Vec3& p, double reach, const F& f) {
    std::vector<int> stack{0};
    while (!stack.empty()) {
      const BvhNode& node = tree.nodes[stack.back()];
      stack.pop_back();
      if (node.box().Distance2(p) > reach * reach) continue;
      if (node.is_leaf()) {
        for (int i = node.first; i < node.first + node.count; ++i) f(tree.items[i]);
      } else {
        stack.push_back(node.first);
        stack.push_back(node.first + 1);
      }
    }
  }

  int Surface() {
    int off = 0;
    for (int v : outer_) {
      CheckInterrupt();
      if (fixed_[v]) continue;
      const Vec3 from = mesh_.position(v);
      const auto closest = surface_.ClosestPoint(from);
      if (closest.distance == 0) continue;
      const Vec3& p = closest.point;
      if (!taken_.count({p.x, p.y, p.z}) && mesh_.TryMove(v, p, kSurfaceFloor)) {
        taken_.insert({p.x, p.y, p.z});
        continue;
      }
      ++off;
      mesh_.TryMove(v, 0.5 * (from + closest.point), kSurfaceFloor);
    }
    return off;
  }

  TetEditor& mesh_;
  const LatticeMesh& lattice_;
  const MeshDistance& surface_;
  const SharpFeatures& features_;
  std::vector<int> outer_;
  std::vector<char> inner_;
  std::set<std::array<double, 3>> taken_;  // places on the surface
  std::vector<char> fixed_;                // 1: on a sharp edge, 2: at a corner
  SurfaceFit result_;
};

}  // namespace

SurfaceFit FitToSurface(TetEditor* mesh, const LatticeMesh& lattice, const MeshDistance& surface,
                        const SharpFeatures& features) {
  return Fitter(mesh, lattice, surface, features).Run();
}

std::vector<int> RelaxPoor(TetEditor* mesh, const std::vector<char>& movable, double poor) {
  std::vector<int> moved;
  for (int v = 0; v < mesh->num_vertices(); ++v) {
    CheckInterrupt();
    if (!movable[v]) continue;
    const Vec3 from = mesh->position(v);
    const double now = mesh->WorstQualityAt(v, from);
    if (now >= poor) continue;
    Vec3 mean;
    int n = 0;
    for (int t : mesh->TetsAt(v))
      for (int w : mesh->tet(t))
        if (w != v) mean += mesh->position(w), ++n;
    mean = mean / n;
    double best = now;
    Vec3 target = from;
    for (double s : {1.0, 0.6, 0.3, 0.1}) {
      const Vec3 p = from + s * (mean - from);
      const double quality = mesh->WorstQualityAt(v, p);
      if (quality > best) best = quality, target = p;
    }
    if (best > now && mesh->TryMove(v, target, now)) moved.push_back(v);
  }
  return moved;
}

}  // namespace taxel::internal
