#include "taxel/shape/mend_surface.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace taxel::internal {
namespace {

using Corners = std::array<int, 3>;

// The same number for all vertices at one place.
std::vector<int> Places(const std::vector<Vec3>& vertices) {
  std::vector<int> order(vertices.size()), place(vertices.size());
  std::iota(order.begin(), order.end(), 0);
  const auto key = [&](int i) { return std::array{vertices[i].x, vertices[i].y, vertices[i].z}; };
  std::sort(order.begin(), order.end(),
            [&](int a, int b) { return key(a) != key(b) ? key(a) < key(b) : a < b; });
  for (std::size_t k = 0; k < order.size(); ++k)
    place[order[k]] =
        k > 0 && key(order[k]) == key(order[k - 1]) ? place[order[k - 1]] : static_cast<int>(order[k]);
  return place;
}

// The least corner first, the way round kept.
Corners Turned(Corners c) {
  std::rotate(c.begin(), std::min_element(c.begin(), c.end()), c.end());
  return c;
}

int DropDuplicates(const std::vector<int>& place, std::vector<Corners>* triangles) {
  std::vector<std::pair<Corners, int>> sorted;
  sorted.reserve(triangles->size());
  for (int t = 0; t < static_cast<int>(triangles->size()); ++t) {
    const Corners& c = (*triangles)[t];
    sorted.emplace_back(Turned({place[c[0]], place[c[1]], place[c[2]]}), t);
  }
  std::sort(sorted.begin(), sorted.end());
  std::vector<char> drop(triangles->size(), 0);
  int count = 0;
  for (std::size_t k = 1; k < sorted.size(); ++k)
    if (sorted[k].first == sorted[k - 1].first) drop[sorted[k].second] = 1, ++count;
  if (count == 0) return 0;
  std::size_t kept = 0;
  for (std::size_t t = 0; t < triangles->size(); ++t)
    if (!drop[t]) (*triangles)[kept++] = (*triangles)[t];
  triangles->resize(kept);
  return count;
}

// Parts that hang together through shared edges, and which of them are closed.
struct Parts {
  std::vector<int> of;  ///< part of each triangle, named by one of its triangles
  std::vector<char> open;

  Parts(const std::vector<int>& place, const std::vector<Corners>& triangles) {
    const int n = static_cast<int>(triangles.size());
    of.resize(n);
    open.assign(n, 0);
    std::iota(of.begin(), of.end(), 0);
    struct Edge {
      int lo, hi, triangle;
      bool forward;
    };
    std::vector<Edge> edges;
    edges.reserve(3 * n);
    for (int t = 0; t < n; ++t) {
      const int c[3] = {place[triangles[t][0]], place[triangles[t][1]], place[triangles[t][2]]};
      if (c[0] == c[1] || c[1] == c[2] || c[2] == c[0]) continue;  // no piece of anything
      for (int k = 0; k < 3; ++k) {
        const int a = c[k], b = c[(k + 1) % 3];
        edges.push_back({std::min(a, b), std::max(a, b), t, a < b});
      }
    }
    std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) {
      return a.lo != b.lo ? a.lo < b.lo : a.hi != b.hi ? a.hi < b.hi : a.triangle < b.triangle;
    });
    std::vector<int> loose;
    for (std::size_t i = 0; i < edges.size();) {
      std::size_t j = i;
      while (j < edges.size() && edges[j].lo == edges[i].lo && edges[j].hi == edges[i].hi) ++j;
      const bool shared = j - i == 2 && edges[i].forward != edges[i + 1].forward;
      for (std::size_t k = i; k < j; ++k) {
        if (!shared) loose.push_back(edges[k].triangle);
        if (k > i) Join(edges[i].triangle, edges[k].triangle);
      }
      i = j;
    }
    for (int t = 0; t < n; ++t) of[t] = Root(t);
    for (int t : loose) open[of[t]] = 1;
  }

 private:
  int Root(int t) {
    while (of[t] != t) t = of[t] = of[of[t]];
    return t;
  }
  void Join(int a, int b) {
    a = Root(a), b = Root(b);
    of[std::max(a, b)] = std::min(a, b);
  }
};

// Solid angle of a triangle seen from the origin (Van Oosterom and Strackee), signed.
double SolidAngle(const Vec3& a, const Vec3& b, const Vec3& c) {
  const double la = norm(a), lb = norm(b), lc = norm(c);
  return 2 * std::atan2(dot(a, cross(b, c)), la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb);
}

}  // namespace

TriangleMesh WithoutDuplicates(const TriangleMesh& mesh, int* count) {
  TriangleMesh out = mesh;
  *count = DropDuplicates(Places(mesh.vertices), &out.triangles);
  return out;
}

TriangleMesh MendSurface(const TriangleMesh& mesh, SurfaceMend* mend) {
  *mend = {};
  TriangleMesh out = mesh;
  const std::vector<int> place = Places(mesh.vertices);
  mend->duplicates = DropDuplicates(place, &out.triangles);
  const Parts parts(place, out.triangles);
  const int n = static_cast<int>(out.triangles.size());
  std::vector<double> volume(n, 0.0);
  std::vector<Box3> box(n);
  const Vec3 middle = BoundingBox(out).center();  // far from the origin sums would cancel
  for (int t = 0; t < n; ++t) {
    const int part = parts.of[t];
    const Vec3 a = out.corner(t, 0) - middle, b = out.corner(t, 1) - middle, c = out.corner(t, 2) - middle;
    volume[part] += dot(a, cross(b, c)) / 6;
    for (int k = 0; k < 3; ++k) box[part].Include(out.corner(t, k));
  }
  std::vector<char> inverted(n, 0);
  bool any = false;
  for (int p = 0; p < n; ++p)
    // The two sides of a flat sheet enclose nothing but rounding.
    if (parts.of[p] == p && !parts.open[p] && volume[p] < -1e-9 * std::pow(norm(box[p].size()), 3))
      inverted[p] = 1, any = true;
  if (!any) return out;
  // Those within an odd number of other closed parts are cavities.
  for (int p = 0; p < n; ++p) {
    if (!inverted[p]) continue;
    const Vec3 at = out.corner(p, 0);
    std::vector<std::pair<int, double>> angle;  // of the parts that may hold it
    for (int q = 0; q < n; ++q)
      if (q != p && parts.of[q] == q && !parts.open[q] && -std::fabs(volume[q]) < volume[p] &&
          box[q].Distance2(at) == 0)
        angle.emplace_back(q, 0.0);
    if (angle.empty()) continue;
    for (int t = 0; t < n; ++t)
      for (auto& [q, sum] : angle)
        if (parts.of[t] == q)
          sum += SolidAngle(out.corner(t, 0) - at, out.corner(t, 1) - at, out.corner(t, 2) - at);
    int holds = 0;
    for (const auto& [q, sum] : angle) holds += std::fabs(sum) > 6.283185307179586;
    if (holds % 2 == 1) inverted[p] = 0;
  }
  for (int p = 0; p < n; ++p) mend->parts += inverted[p];
  for (int t = 0; t < n; ++t)
    if (inverted[parts.of[t]]) std::swap(out.triangles[t][1], out.triangles[t][2]), ++mend->turned;
  return out;
}

}  // namespace taxel::internal
