// Closed meshes and helpers that the shape tests share.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "taxel/math/pose.h"
#include "taxel/math/random.h"
#include "taxel/shape/triangle_mesh.h"

namespace taxel::test {
using namespace internal;

/// Uniform in [lo, hi).
inline double Uniform(std::uint64_t seed, std::uint64_t i, double lo, double hi) {
  return lo + (hi - lo) * RandomUniform(seed, i);
}
inline Vec3 UniformInBox(std::uint64_t seed, std::uint64_t i, const Vec3& lo, const Vec3& hi) {
  return {Uniform(seed, 3 * i, lo.x, hi.x), Uniform(seed, 3 * i + 1, lo.y, hi.y),
          Uniform(seed, 3 * i + 2, lo.z, hi.z)};
}
inline Vec3 UniformDirection(std::uint64_t seed, std::uint64_t i) {
  const double z = Uniform(seed, 2 * i, -1, 1), phi = Uniform(seed, 2 * i + 1, 0, 6.283185307179586);
  const double s = std::sqrt(1 - z * z);
  return {s * std::cos(phi), s * std::sin(phi), z};
}

/// A pose with no zero in it.
inline Pose TiltedPose() {
  return {RotationAbout(normalized({0.3, -0.7, 0.5}), 1.1), {0.013, -0.021, 0.034}};
}

inline TriangleMesh Transformed(const Pose& X, TriangleMesh mesh) {
  for (Vec3& v : mesh.vertices) v = X * v;
  return mesh;
}

/// 20 * 4^level triangles, vertices on the sphere.
inline TriangleMesh Icosphere(int level, double radius) {
  const double g = (1 + std::sqrt(5.0)) / 2;
  TriangleMesh m;
  m.vertices = {{-1, g, 0},  {1, g, 0},  {-1, -g, 0}, {1, -g, 0}, {0, -1, g},  {0, 1, g},
                {0, -1, -g}, {0, 1, -g}, {g, 0, -1},  {g, 0, 1},  {-g, 0, -1}, {-g, 0, 1}};
  m.triangles = {{0, 11, 5},  {0, 5, 1},  {0, 1, 7},  {0, 7, 10}, {0, 10, 11}, {1, 5, 9}, {5, 11, 4},
                 {11, 10, 2}, {10, 7, 6}, {7, 1, 8},  {3, 9, 4},  {3, 4, 2},   {3, 2, 6}, {3, 6, 8},
                 {3, 8, 9},   {4, 9, 5},  {2, 4, 11}, {6, 2, 10}, {8, 6, 7},   {9, 8, 1}};
  for (int l = 0; l < level; ++l) {
    std::map<std::pair<int, int>, int> middle;
    auto mid = [&](int a, int b) {
      const auto [it, fresh] = middle.try_emplace(std::minmax(a, b), static_cast<int>(m.vertices.size()));
      if (fresh) m.vertices.push_back(0.5 * (m.vertices[a] + m.vertices[b]));
      return it->second;
    };
    std::vector<std::array<int, 3>> finer;
    for (const auto& [a, b, c] : m.triangles) {
      const int ab = mid(a, b), bc = mid(b, c), ca = mid(c, a);
      finer.insert(finer.end(), {{a, ab, ca}, {ab, b, bc}, {ca, bc, c}, {ab, bc, ca}});
    }
    m.triangles = std::move(finer);
  }
  for (Vec3& v : m.vertices) v = radius * normalized(v);
  return m;
}

/// Torus about z with 2 * around * across triangles.
inline TriangleMesh Torus(int around, int across, double major, double minor) {
  constexpr double kTurn = 6.283185307179586;
  TriangleMesh m;
  for (int i = 0; i < around; ++i)
    for (int j = 0; j < across; ++j) {
      const double u = kTurn * i / around, v = kTurn * j / across;
      const double r = major + minor * std::cos(v);
      m.vertices.push_back({r * std::cos(u), r * std::sin(u), minor * std::sin(v)});
    }
  auto at = [&](int i, int j) { return (i % around) * across + j % across; };
  for (int i = 0; i < around; ++i)
    for (int j = 0; j < across; ++j) {
      m.triangles.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
      m.triangles.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
    }
  return m;
}

/// Prism over the L made of [0,2w]x[0,w] and [0,w]x[0,3w], for 0 <= z <= height. Not convex, with one reflex
/// edge.
inline TriangleMesh LPrism(double w, double height) {
  const double x[6] = {0, 2 * w, 2 * w, w, w, 0}, y[6] = {0, 0, w, w, 3 * w, 3 * w};
  TriangleMesh m;
  for (double z : {0.0, height})
    for (int i = 0; i < 6; ++i) m.vertices.push_back({x[i], y[i], z});
  for (const auto& [a, b, c] : {std::array{0, 1, 2}, {0, 2, 3}, {0, 3, 5}, {3, 4, 5}}) {
    m.triangles.push_back({a, c, b});
    m.triangles.push_back({a + 6, b + 6, c + 6});
  }
  for (int i = 0; i < 6; ++i) {
    const int j = (i + 1) % 6;
    m.triangles.push_back({i, j, j + 6});
    m.triangles.push_back({i, j + 6, i + 6});
  }
  return m;
}

/// The box |x| <= n, |y| <= n, |z| <= n with vertices on the integer grid: coordinates without rounding.
inline TriangleMesh IntegerCube(int n) {
  TriangleMesh m;
  for (int axis = 0; axis < 3; ++axis)
    for (int side : {-1, 1})
      for (int i = -n; i < n; ++i)
        for (int j = -n; j < n; ++j) {
          const int base = static_cast<int>(m.vertices.size());
          for (const auto& [p, q] : {std::pair{i, j}, {i + 1, j}, {i + 1, j + 1}, {i, j + 1}}) {
            Vec3 v;
            v[axis] = side * n;
            v[(axis + 1) % 3] = p;
            v[(axis + 2) % 3] = q;
            m.vertices.push_back(v);
          }
          for (auto t : {std::array{0, 1, 2}, {0, 2, 3}}) {
            if (side < 0) std::swap(t[1], t[2]);
            m.triangles.push_back({base + t[0], base + t[1], base + t[2]});
          }
        }
  return MergeVertices(m);
}

}  // namespace taxel::test
