#include "taxel/shape/refine_tets.h"

#include <algorithm>
#include <array>
#include <queue>
#include <tuple>

#include "taxel/math/interrupt.h"

namespace taxel::internal {
namespace {

constexpr int kPairs[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

class Refiner {
 public:
  Refiner(TetEditor* mesh, const RefineLimits& limits, const SplitWish& wish, const VertexAdded& added,
          const EdgeScreen& screen)
      : mesh_(*mesh), limits_(limits), wish_(wish), added_(added), screen_(screen) {}

  bool Run() {
    PushAll();
    std::vector<int> around;
    while (!queue_.empty()) {
      CheckInterrupt();
      const auto [length, minus_a, minus_b] = queue_.top();
      queue_.pop();
      EdgeToSplit edge{-minus_a, -minus_b, false, false, length};
      mesh_.TetsAround(edge.a, edge.b, &around);
      if (around.empty()) continue;  // split in the meantime as somebody's longest edge
      edge.boundary = mesh_.IsBoundaryEdge(edge.a, edge.b, around);
      const std::optional<Vec3> where = wish_(mesh_, edge);
      if (!where) continue;
      if (mesh_.num_tets() >= limits_.max_tets) return false;
      SplitLongerFirst(edge);
      Split(edge, where);
    }
    return true;
  }

 private:
  void PushAll() {
    std::vector<std::array<int, 2>> edges;
    edges.reserve(6 * mesh_.num_tets());
    for (int t = 0; t < mesh_.num_tets(); ++t)
      for (const auto& p : kPairs) {
        const int a = mesh_.tet(t)[p[0]], b = mesh_.tet(t)[p[1]];
        edges.push_back({std::min(a, b), std::max(a, b)});
      }
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    const std::vector<char> worth = screen_ ? screen_(mesh_, edges) : std::vector<char>(edges.size(), 1);
    for (std::size_t i = 0; i < edges.size(); ++i)
      if (worth[i]) Push(edges[i][0], edges[i][1]);
  }

  void Push(int a, int b) {
    if (a > b) std::swap(a, b);
    queue_.push({norm(mesh_.position(a) - mesh_.position(b)), -a, -b});
  }

  // Lengths grow strictly along the recursion, so it ends.
  void SplitLongerFirst(const EdgeToSplit& edge) {
    for (bool again = true; again;) {
      again = false;
      std::vector<int> around;
      mesh_.TetsAround(edge.a, edge.b, &around);
      EdgeToSplit longest{-1, -1, false, true, limits_.longest_edge_ratio * edge.length};
      for (int t : around)
        for (const auto& p : kPairs) {
          const int a = std::min(mesh_.tet(t)[p[0]], mesh_.tet(t)[p[1]]);
          const int b = std::max(mesh_.tet(t)[p[0]], mesh_.tet(t)[p[1]]);
          const double length = norm(mesh_.position(a) - mesh_.position(b));
          if (length > longest.length) longest = {a, b, false, true, length};
        }
      if (longest.a < 0 || mesh_.num_tets() >= limits_.max_tets) return;
      std::vector<int> there;
      mesh_.TetsAround(longest.a, longest.b, &there);
      longest.boundary = mesh_.IsBoundaryEdge(longest.a, longest.b, there);
      SplitLongerFirst(longest);
      again = Split(longest, wish_(mesh_, longest));
    }
  }

  bool Split(const EdgeToSplit& edge, std::optional<Vec3> where) {
    std::vector<int> around;
    mesh_.TetsAround(edge.a, edge.b, &around);
    const Vec3 middle = 0.5 * (mesh_.position(edge.a) + mesh_.position(edge.b));
    auto good = [&](const Vec3& p) {
      return mesh_.WorstSplitQuality(edge.a, edge.b, p, around) >= limits_.min_quality;
    };
    if (!where || !good(*where)) {
      if (!edge.forced || !good(middle)) return false;
      where = middle;
    }
    const int m = mesh_.SplitEdge(edge.a, edge.b, *where);
    if (added_) added_(mesh_, m, edge);
    Push(edge.a, m);
    Push(edge.b, m);
    std::vector<int> link;
    for (int t : mesh_.TetsAt(m))
      for (int v : mesh_.tet(t))
        if (v != m && v != edge.a && v != edge.b) link.push_back(v);
    std::sort(link.begin(), link.end());
    link.erase(std::unique(link.begin(), link.end()), link.end());
    for (int v : link) Push(v, m);
    return true;
  }

  TetEditor& mesh_;
  const RefineLimits& limits_;
  const SplitWish& wish_;
  const VertexAdded& added_;
  const EdgeScreen& screen_;
  std::priority_queue<std::tuple<double, int, int>>
      queue_;  // length, -a, -b: longest first, then least numbers
};

}  // namespace

bool RefineTets(TetEditor* mesh, const RefineLimits& limits, const SplitWish& wish, const VertexAdded& added,
                const EdgeScreen& screen) {
  return Refiner(mesh, limits, wish, added, screen).Run();
}

}  // namespace taxel::internal
