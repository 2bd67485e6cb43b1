#include "taxel/shape/triangle_pairs.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace taxel::internal {
namespace {

// The corner before the longest edge; of equal ones the first by its vertices, so that both sides agree.
int LongestEdge(const TriangleMesh& mesh, const std::array<int, 3>& t) {
  int best = 0;
  double most = -1;
  std::pair<int, int> first{};
  for (int k = 0; k < 3; ++k) {
    const auto edge = std::minmax(t[k], t[(k + 1) % 3]);
    const double length2 = norm2(mesh.vertices[edge.second] - mesh.vertices[edge.first]);
    const bool equal = std::fabs(length2 - most) <= 1e-9 * most;
    if (equal ? std::pair<int, int>(edge) < first : length2 > most) best = k, most = length2, first = edge;
  }
  return best;
}

bool Convex(const TriangleMesh& mesh, const std::array<int, 4>& q, const Vec3& normal) {
  for (int k = 0; k < 4; ++k) {
    const Vec3 &a = mesh.vertices[q[k]], &b = mesh.vertices[q[(k + 1) % 4]],
               &c = mesh.vertices[q[(k + 2) % 4]];
    if (!(dot(cross(b - a, c - b), normal) > 1e-3 * norm(b - a) * norm(c - b))) return false;
  }
  return true;
}

}  // namespace

std::vector<std::array<int, 4>> PairTriangles(const TriangleMesh& mesh, const std::vector<int>& chosen,
                                              double least_cosine) {
  struct Side {
    int triangle, corner;
  };
  std::map<std::pair<int, int>, Side> by_edge;  // by its direction in the triangle
  for (int t : chosen) {
    const auto& v = mesh.triangles[t];
    const int k = LongestEdge(mesh, v);
    by_edge[{v[k], v[(k + 1) % 3]}] = {t, k};
  }
  std::vector<char> joined(mesh.triangles.size(), 0);
  std::vector<std::array<int, 4>> out;
  for (int t : chosen) {
    if (joined[t]) continue;
    const auto& v = mesh.triangles[t];
    const int k = LongestEdge(mesh, v);
    const int a = v[k], b = v[(k + 1) % 3], c = v[(k + 2) % 3];
    const auto other = by_edge.find({b, a});
    if (other != by_edge.end() && !joined[other->second.triangle] && other->second.triangle != t) {
      const auto& w = mesh.triangles[other->second.triangle];
      const std::array<int, 4> quad{a, w[(other->second.corner + 2) % 3], b, c};
      const Vec3 n = AreaNormal2(mesh, t), m = AreaNormal2(mesh, other->second.triangle);
      if (norm2(n) > 0 && norm2(m) > 0 && dot(n, m) >= least_cosine * norm(n) * norm(m) &&
          Convex(mesh, quad, normalized(n + m))) {
        joined[t] = joined[other->second.triangle] = 1;
        out.push_back(quad);
        continue;
      }
    }
    out.push_back({v[0], v[1], v[2], -1});
  }
  return out;
}

}  // namespace taxel::internal
