// Meshes that the gel tests share.
#pragma once

#include <cmath>
#include <utility>
#include <vector>

#include "../shape/test_meshes.h"

namespace taxel::test {

/// The profile (radius, z) turned about z; its first and last points lie on the axis. Counter-clockwise in
/// the (r, z) plane faces outwards.
inline TriangleMesh Lathe(const std::vector<std::pair<double, double>>& profile, int around) {
  TriangleMesh m;
  const int n = static_cast<int>(profile.size());
  std::vector<int> first(n);
  for (int k = 0; k < n; ++k) {
    first[k] = static_cast<int>(m.vertices.size());
    const auto [r, z] = profile[k];
    for (int i = 0; i < (r > 0 ? around : 1); ++i) {
      const double a = 6.283185307179586 * i / around;
      m.vertices.push_back({r * std::cos(a), r * std::sin(a), z});
    }
  }
  const auto at = [&](int k, int i) { return first[k] + (profile[k].first > 0 ? i % around : 0); };
  for (int k = 0; k + 1 < n; ++k)
    for (int i = 0; i < around; ++i) {
      if (profile[k].first > 0) m.triangles.push_back({at(k, i), at(k, i + 1), at(k + 1, i)});
      if (profile[k + 1].first > 0) m.triangles.push_back({at(k, i + 1), at(k + 1, i + 1), at(k + 1, i)});
    }
  return m;
}

inline void Append(const TriangleMesh& other, TriangleMesh* mesh) {
  const int base = static_cast<int>(mesh->vertices.size());
  mesh->vertices.insert(mesh->vertices.end(), other.vertices.begin(), other.vertices.end());
  for (const auto& [a, b, c] : other.triangles) mesh->triangles.push_back({a + base, b + base, c + base});
}

inline TriangleMesh Reversed(TriangleMesh mesh) {
  for (auto& t : mesh.triangles) std::swap(t[1], t[2]);
  return mesh;
}

/// A box with a corner at the origin; 12 triangles.
inline TriangleMesh BoxMesh(const Vec3& size) {
  TriangleMesh m;
  for (int i = 0; i < 8; ++i)
    m.vertices.push_back({(i & 1) * size.x, (i >> 1 & 1) * size.y, (i >> 2) * size.z});
  m.triangles = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                 {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
  return m;
}

}  // namespace taxel::test
