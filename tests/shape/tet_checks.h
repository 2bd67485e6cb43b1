// What every tetrahedral mesh must satisfy, for the tests that make one.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "taxel/shape/tet_mesh.h"

namespace taxel::test {

/// All tetrahedra positive; every face used once (outer) or twice, from opposite sides; every edge of the
/// outer surface used by exactly two of its triangles, in opposite directions.
inline void ExpectSoundMesh(const TetMesh& mesh) {
  static constexpr int kFace[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};
  std::map<std::array<int, 3>, std::array<int, 2>> uses;  // sorted face -> uses in even and in odd order
  int not_positive = 0;
  for (int t = 0; t < static_cast<int>(mesh.tets.size()); ++t) {
    not_positive += !(TetVolume(mesh, t) > 0);
    for (const auto& f : kFace) {
      std::array<int, 3> face{mesh.tets[t][f[0]], mesh.tets[t][f[1]], mesh.tets[t][f[2]]};
      std::rotate(face.begin(), std::min_element(face.begin(), face.end()), face.end());
      const bool odd = face[1] > face[2];
      if (odd) std::swap(face[1], face[2]);
      ++uses[face][odd];
    }
  }
  EXPECT_EQ(not_positive, 0);
  int wrong_faces = 0;
  for (const auto& [face, n] : uses) wrong_faces += n[0] > 1 || n[1] > 1;
  EXPECT_EQ(wrong_faces, 0) << "faces shared by more than two, or by two on one side";
  std::map<std::array<int, 2>, int> directed;
  for (const auto& t : BoundarySurface(mesh).triangles)
    for (int k = 0; k < 3; ++k) ++directed[{t[k], t[(k + 1) % 3]}];
  int wrong_edges = 0;
  for (const auto& [edge, n] : directed) {
    const auto back = directed.find({edge[1], edge[0]});
    wrong_edges += n != 1 || back == directed.end() || back->second != 1;
  }
  EXPECT_EQ(wrong_edges, 0) << "the outer surface is not closed";
}

/// vertices - edges + faces - tetrahedra: 1 for a ball, 0 for a solid torus.
inline int EulerCharacteristic(const TetMesh& mesh) {
  std::set<int> vertices;
  std::set<std::array<int, 2>> edges;
  std::set<std::array<int, 3>> faces;
  for (auto t : mesh.tets) {
    std::sort(t.begin(), t.end());
    for (int i = 0; i < 4; ++i) {
      vertices.insert(t[i]);
      for (int j = i + 1; j < 4; ++j) {
        edges.insert({t[i], t[j]});
        for (int k = j + 1; k < 4; ++k) faces.insert({t[i], t[j], t[k]});
      }
    }
  }
  return static_cast<int>(vertices.size()) - static_cast<int>(edges.size()) + static_cast<int>(faces.size()) -
         static_cast<int>(mesh.tets.size());
}

/// Number of tetrahedra that contain p (faces included).
inline int CountContaining(const TetMesh& mesh, const Vec3& p) {
  int n = 0;
  for (int t = 0; t < static_cast<int>(mesh.tets.size()); ++t) {
    const Vec3 a = mesh.corner(t, 0), b = mesh.corner(t, 1), c = mesh.corner(t, 2), d = mesh.corner(t, 3);
    n += Volume6(p, b, c, d) >= 0 && Volume6(a, p, c, d) >= 0 && Volume6(a, b, p, d) >= 0 &&
         Volume6(a, b, c, p) >= 0;
  }
  return n;
}

/// Linear interpolation of vertex values at p; NaN outside.
inline double Interpolate(const TetMesh& mesh, const std::vector<double>& values, const Vec3& p) {
  for (int t = 0; t < static_cast<int>(mesh.tets.size()); ++t) {
    const auto& v = mesh.tets[t];
    const Vec3 a = mesh.corner(t, 0), b = mesh.corner(t, 1), c = mesh.corner(t, 2), d = mesh.corner(t, 3);
    const double w[4] = {Volume6(p, b, c, d), Volume6(a, p, c, d), Volume6(a, b, p, d), Volume6(a, b, c, p)};
    if (w[0] < 0 || w[1] < 0 || w[2] < 0 || w[3] < 0) continue;
    return (w[0] * values[v[0]] + w[1] * values[v[1]] + w[2] * values[v[2]] + w[3] * values[v[3]]) /
           (w[0] + w[1] + w[2] + w[3]);
  }
  return std::nan("");
}

/// Integral over the plane n . x = offset (n a unit vector) of values interpolated linearly on the
/// tetrahedra.
inline double PlaneIntegral(const TetMesh& mesh, const std::vector<double>& values, const Vec3& n,
                            double offset) {
  double sum = 0;
  for (const auto& t : mesh.tets) {
    double s[4];
    int in[4], out[4], n_in = 0, n_out = 0;
    for (int k = 0; k < 4; ++k) {
      s[k] = dot(n, mesh.vertices[t[k]]) - offset;
      (s[k] > 0 ? in[n_in++] : out[n_out++]) = k;
    }
    if (n_in == 0 || n_out == 0) continue;
    Vec3 p[4];
    double value[4];
    int count = 0;
    auto cut = [&](int i, int j) {
      const double w = s[i] / (s[i] - s[j]);
      p[count] = (1 - w) * mesh.vertices[t[i]] + w * mesh.vertices[t[j]];
      value[count++] = (1 - w) * values[t[i]] + w * values[t[j]];
    };
    if (n_in == 2) {
      cut(in[0], out[0]), cut(in[0], out[1]), cut(in[1], out[1]), cut(in[1], out[0]);
    } else {
      const int lone = n_in == 1 ? in[0] : out[0];
      for (int k = 0; k < 4; ++k)
        if (k != lone) cut(k, lone);
    }
    for (int k = 1; k + 1 < count; ++k)
      sum += 0.5 * norm(cross(p[k] - p[0], p[k + 1] - p[0])) * (value[0] + value[k] + value[k + 1]) / 3;
  }
  return sum;
}

}  // namespace taxel::test
