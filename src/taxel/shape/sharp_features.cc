#include "taxel/shape/sharp_features.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "taxel/shape/triangle_distance.h"

namespace taxel::internal {
namespace {

constexpr double kLeastTurn = 40 * M_PI / 180;

Vec3 ClosestOnSegment(const SharpFeatures::Segment& s, const Vec3& p) {
  return ClosestPointOnSegment(s.a, s.b, p);
}

/// Visits the items whose boxes come nearer than the best so far; `distance2(item)` returns the squared
/// distance.
template <class Distance2>
int Nearest(const Bvh& tree, const Vec3& p, double reach, const Distance2& distance2) {
  if (tree.nodes.empty()) return -1;
  int best = -1;
  double best2 = reach * reach;
  std::array<int, 2 * Bvh::kMaxDepth> stack;
  int top = 0;
  stack[top++] = 0;
  while (top > 0) {
    const BvhNode& node = tree.nodes[stack[--top]];
    if (node.box().Distance2(p) > best2) continue;
    if (node.is_leaf()) {
      for (int i = node.first; i < node.first + node.count; ++i) {
        const double d2 = distance2(tree.items[i]);
        if (d2 < best2 || (d2 == best2 && (best < 0 || tree.items[i] < best)))
          best2 = d2, best = tree.items[i];
      }
      continue;
    }
    const double left = tree.nodes[node.first].box().Distance2(p);
    const double right = tree.nodes[node.first + 1].box().Distance2(p);
    const int near = left <= right ? node.first : node.first + 1;
    stack[top++] = near == node.first ? node.first + 1 : node.first;
    stack[top++] = near;
  }
  return best;
}

double AngleBetween(const Vec3& a, const Vec3& b) { return std::atan2(norm(cross(a, b)), dot(a, b)); }

}  // namespace

SharpFeatures::SharpFeatures(const TriangleMesh& mesh, double angle) {
  struct Use {
    int a, b, triangle;
  };
  std::vector<Use> uses;
  uses.reserve(3 * mesh.triangles.size());
  for (int t = 0; t < static_cast<int>(mesh.triangles.size()); ++t)
    for (int k = 0; k < 3; ++k) {
      const int a = mesh.triangles[t][k], b = mesh.triangles[t][(k + 1) % 3];
      uses.push_back({std::min(a, b), std::max(a, b), t});
    }
  std::sort(uses.begin(), uses.end(), [](const Use& s, const Use& t) {
    return std::array{s.a, s.b, s.triangle} < std::array{t.a, t.b, t.triangle};
  });
  std::vector<std::vector<int>> sharp_neighbours(mesh.vertices.size());
  for (std::size_t i = 0; i < uses.size();) {
    std::size_t j = i;
    while (j < uses.size() && uses[j].a == uses[i].a && uses[j].b == uses[i].b) ++j;
    if (j == i + 2) {
      const Vec3 n = AreaNormal2(mesh, uses[i].triangle), m = AreaNormal2(mesh, uses[i + 1].triangle);
      if (norm2(n) > 0 && norm2(m) > 0 && AngleBetween(n, m) > angle) {
        edges_.push_back({mesh.vertices[uses[i].a], mesh.vertices[uses[i].b]});
        sharp_neighbours[uses[i].a].push_back(uses[i].b);
        sharp_neighbours[uses[i].b].push_back(uses[i].a);
      }
    }
    i = j;
  }
  for (std::size_t v = 0; v < sharp_neighbours.size(); ++v) {
    const auto& other = sharp_neighbours[v];
    if (other.empty()) continue;
    const Vec3& p = mesh.vertices[v];
    const bool passes =
        other.size() == 2 &&
        AngleBetween(p - mesh.vertices[other[0]], mesh.vertices[other[1]] - p) <= std::max(angle, kLeastTurn);
    if (passes) continue;
    corners_.push_back(p);
    corner_vertices_.push_back(static_cast<int>(v));
  }
  std::vector<Box3> boxes(edges_.size());
  for (std::size_t i = 0; i < edges_.size(); ++i)
    boxes[i].Include(edges_[i].a), boxes[i].Include(edges_[i].b);
  edge_tree_ = BuildBvh(boxes);
  boxes.assign(corners_.size(), Box3{});
  for (std::size_t i = 0; i < corners_.size(); ++i) boxes[i].Include(corners_[i]);
  corner_tree_ = BuildBvh(boxes);
}

std::optional<Vec3> SharpFeatures::ClosestOnEdges(const Vec3& p, double reach) const {
  const int i =
      Nearest(edge_tree_, p, reach, [&](int item) { return norm2(ClosestOnSegment(edges_[item], p) - p); });
  if (i < 0) return std::nullopt;
  return ClosestOnSegment(edges_[i], p);
}

int SharpFeatures::ClosestCorner(const Vec3& p, double reach) const {
  return Nearest(corner_tree_, p, reach, [&](int item) { return norm2(corners_[item] - p); });
}

Mat3 FavouredFrame(const TriangleMesh& mesh) {
  constexpr double kSame = 0.99985;  // cosine of one degree
  constexpr double kRightAngle = 0.02;
  constexpr std::size_t kMaxClusters = 512;
  struct Cluster {
    Vec3 direction;
    double area = 0;
  };
  std::vector<Cluster> clusters;
  for (const Vec3& axis : {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}}) clusters.push_back({axis, 0});
  double total = 0;
  for (int t = 0; t < static_cast<int>(mesh.triangles.size()); ++t) {
    const Vec3 n2 = AreaNormal2(mesh, t);
    const double area = norm(n2);
    if (!(area > 0)) continue;
    total += area;
    const Vec3 n = n2 / area;
    auto it = std::find_if(clusters.begin(), clusters.end(),
                           [&](const Cluster& c) { return std::fabs(dot(c.direction, n)) > kSame; });
    if (it != clusters.end()) {
      it->area += area;
    } else if (clusters.size() < kMaxClusters) {
      clusters.push_back({n, area});
    }
  }
  auto largest = [&](auto&& allowed) {
    const Cluster* best = nullptr;
    for (const Cluster& c : clusters)
      if (allowed(c) && (!best || c.area > best->area * (1 + 1e-9))) best = &c;
    return best;
  };
  const Cluster* first = largest([](const Cluster&) { return true; });
  if (first->area < 0.05 * total) return Mat3{};
  const Vec3 x = first->direction;
  const Cluster* second =
      largest([&](const Cluster& c) { return std::fabs(dot(c.direction, x)) < kRightAngle; });
  Vec3 y, z;
  if (second && second->area >= 0.01 * total) {
    y = normalized(second->direction - dot(second->direction, x) * x);
    z = cross(x, y);
  } else {
    MakeFrame(x, &y, &z);
  }
  for (const Vec3& v : {x, y, z}) {
    const Vec3 a = cwise_abs(v);
    if (std::max({a.x, a.y, a.z}) < 1 - 1e-9) return FromColumns(x, y, z);
  }
  return Mat3{};
}

}  // namespace taxel::internal
