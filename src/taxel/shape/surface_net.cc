#include "taxel/shape/surface_net.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace taxel::internal {
namespace {

// Number of corners that hang together with the one at the start of side `start`, over edges that end at its
// vertex. Every side is its own corner's name, so `seen` serves all vertices.
int FanSize(const SurfaceNet& net, int start, std::vector<std::uint8_t>* seen) {
  const auto next = [](int side) { return side % 3 == 2 ? side - 2 : side + 1; };
  std::vector<int> stack = {start};
  (*seen)[start] = 1;
  int size = 0;
  while (!stack.empty()) {
    const int corner = stack.back();
    stack.pop_back();
    ++size;
    for (const int side : {corner, next(next(corner))})
      for (int i = net.sides[side].begin; i < net.sides[side].end; ++i) {
        const int g = net.across[i], other = net.corners[g] == net.corners[start] ? g : next(g);
        if ((*seen)[other]) continue;
        (*seen)[other] = 1;
        stack.push_back(other);
      }
  }
  return size;
}

// The first triangle with the same three corners, whichever way round, for each triangle.
std::vector<std::int32_t> Twins(const std::vector<std::int32_t>& corners) {
  const int count = static_cast<int>(corners.size()) / 3;
  std::vector<std::array<std::int32_t, 4>> keys(count);  // corners rising, then the triangle
  for (int t = 0; t < count; ++t) {
    keys[t] = {corners[3 * t], corners[3 * t + 1], corners[3 * t + 2], t};
    std::sort(keys[t].begin(), keys[t].begin() + 3);
  }
  std::sort(keys.begin(), keys.end());
  std::vector<std::int32_t> twin(count);
  for (int i = 0; i < count; ++i) {
    const bool same = i > 0 && std::equal(keys[i].begin(), keys[i].begin() + 3, keys[i - 1].begin());
    twin[keys[i][3]] = same ? twin[keys[i - 1][3]] : keys[i][3];
  }
  return twin;
}

}  // namespace

SurfaceNet BuildSurfaceNet(const TriangleMesh& mesh) {
  constexpr double kPi = 3.14159265358979323846;
  SurfaceNet net;
  const int num_vertices = static_cast<int>(mesh.vertices.size());
  const int num_sides = 3 * static_cast<int>(mesh.triangles.size());
  // Vertices at the same place get the least of their numbers.
  std::vector<std::int32_t> order(num_vertices);
  for (int v = 0; v < num_vertices; ++v) order[v] = v;
  const auto less = [&](int a, int b) {
    const Vec3 &p = mesh.vertices[a], &q = mesh.vertices[b];
    return p.x != q.x ? p.x < q.x : p.y != q.y ? p.y < q.y : p.z != q.z ? p.z < q.z : a < b;
  };
  std::sort(order.begin(), order.end(), less);
  net.merged.resize(num_vertices);
  for (int i = 0; i < num_vertices; ++i) {
    const bool same = i > 0 && mesh.vertices[order[i]] == mesh.vertices[order[i - 1]];
    net.merged[order[i]] = same ? net.merged[order[i - 1]] : order[i];
  }
  net.corners.resize(num_sides);
  net.sides.resize(num_sides);
  for (int t = 0; t < num_sides / 3; ++t)
    for (int k = 0; k < 3; ++k) net.corners[3 * t + k] = net.merged[mesh.triangles[t][k]];
  const auto next = [](int side) { return side % 3 == 2 ? side - 2 : side + 1; };
  net.twin = Twins(net.corners);
  // A triangle with two corners in one place is an edge; its neighbours meet across it.
  const auto left_out = [&](int side) {
    const std::int32_t* c = &net.corners[side - side % 3];
    return c[0] == c[1] || c[1] == c[2] || c[2] == c[0] || net.twin[side / 3] != side / 3;
  };
  struct Entry {
    std::int32_t lo, hi, side;
  };
  std::vector<Entry> edges;
  std::vector<double> angle(num_vertices);
  std::vector<int> borders(num_vertices), crowded(num_vertices);
  net.first_corner.assign(num_vertices + 1, 0);
  for (int h = 0; h < num_sides; ++h) {
    const int a = net.corners[h], b = net.corners[next(h)], c = net.corners[next(next(h))];
    if (left_out(h)) continue;
    edges.push_back({std::min(a, b), std::max(a, b), h});
    ++net.first_corner[a + 1];
    const Vec3 ab = mesh.vertices[b] - mesh.vertices[a], ac = mesh.vertices[c] - mesh.vertices[a];
    SurfaceNet::Side& side = net.sides[h];
    side.length = norm(ab);
    side.apex_x = dot(ab, ac) / side.length;
    side.apex_y = norm(cross(ab, ac)) / side.length;
    angle[a] += std::atan2(norm(cross(ab, ac)), dot(ab, ac));
  }
  for (int v = 0; v < num_vertices; ++v) net.first_corner[v + 1] += net.first_corner[v];
  net.corner_list.resize(net.first_corner[num_vertices]);
  std::vector<std::int32_t> fill(net.first_corner.begin(), net.first_corner.end() - 1);
  for (int h = 0; h < num_sides; ++h)
    if (!left_out(h)) net.corner_list[fill[net.corners[h]]++] = h;
  std::sort(edges.begin(), edges.end(), [](const Entry& a, const Entry& b) {
    return a.lo != b.lo ? a.lo < b.lo : a.hi != b.hi ? a.hi < b.hi : a.side < b.side;
  });
  for (std::size_t i = 0; i < edges.size();) {
    std::size_t j = i;
    while (j < edges.size() && edges[j].lo == edges[i].lo && edges[j].hi == edges[i].hi) ++j;
    for (int v : {edges[i].lo, edges[i].hi}) {
      borders[v] += j - i == 1;
      crowded[v] += j - i > 2;
    }
    for (std::size_t m = i; m < j; ++m) {
      SurfaceNet::Side& side = net.sides[edges[m].side];
      side.begin = static_cast<std::int32_t>(net.across.size());
      for (std::size_t n = i; n < j; ++n)
        if (n != m) net.across.push_back(edges[n].side);
      side.end = static_cast<std::int32_t>(net.across.size());
    }
    i = j;
  }
  // One fan without a border turns paths when it has more than 360 degrees, with a border when it has more
  // than 180. Anything else (several fans, more than two triangles on an edge) is taken as turning, which
  // costs time but no truth: every path that bends there is a real one.
  net.turning.resize(num_vertices);
  std::vector<std::uint8_t> seen(num_sides);
  for (int v = 0; v < num_vertices; ++v) {
    const int corners = net.first_corner[v + 1] - net.first_corner[v];
    if (corners == 0) continue;
    const bool one_fan = FanSize(net, net.corner_list[net.first_corner[v]], &seen) == corners;
    net.turning[v] = crowded[v] > 0 || !one_fan || angle[v] > (borders[v] > 0 ? kPi : 2 * kPi) + 1e-9;
  }
  return net;
}

}  // namespace taxel::internal
