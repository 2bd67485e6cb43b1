// Pads and bodies that the bristle tests share.
#pragma once

#include <cmath>
#include <string>
#include <utility>

#include "../shape/test_meshes.h"
#include "taxel/bristle/bristle_points.h"
#include "taxel/contact/body.h"
#include "taxel/shape/read_mesh.h"

namespace taxel::test {

inline void AddPoint(const Vec3& point, const Vec3& normal, Layout* layout) {
  Vec3 e1, e2;
  MakeFrame(normal, &e1, &e2);
  layout->points.push_back(point);
  layout->normals.push_back(normal);
  layout->axes.push_back(e1);
  layout->areas.push_back(1e-6);
}

/// rows x cols points in the plane z = 0, centred, normals along z; row after row.
inline Layout FlatGrid(int rows, int cols, double pitch) {
  Layout layout;
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < cols; ++c)
      AddPoint({(c - 0.5 * (cols - 1)) * pitch, (r - 0.5 * (rows - 1)) * pitch, 0}, {0, 0, 1}, &layout);
  layout.rows = rows, layout.cols = cols;
  return layout;
}

/// Points spread over a sphere about (0, 0, -radius), in an order that jumps from place to place.
inline Layout RoundPad(int count, double radius, std::uint64_t seed) {
  Layout layout;
  for (int i = 0; i < count; ++i) {
    const Vec3 n = UniformDirection(seed, i);
    AddPoint(radius * n - Vec3{0, 0, radius}, n, &layout);
  }
  return layout;
}

inline TriangleMesh Scaled(double s, TriangleMesh mesh) {
  for (Vec3& v : mesh.vertices) v *= s;
  return mesh;
}

/// Both in one mesh, the second behind the first.
inline TriangleMesh Joined(TriangleMesh a, const TriangleMesh& b) {
  const int offset = static_cast<int>(a.vertices.size());
  a.vertices.insert(a.vertices.end(), b.vertices.begin(), b.vertices.end());
  for (const auto& [i, j, k] : b.triangles) a.triangles.push_back({i + offset, j + offset, k + offset});
  return a;
}

inline TriangleMesh Flipped(TriangleMesh mesh) {
  for (auto& t : mesh.triangles) std::swap(t[1], t[2]);
  return mesh;
}

inline TriangleMesh Data(const std::string& name) {
  return ReadTriangleMesh(std::string(TAXEL_TEST_DATA) + "/" + name);
}

/// Icosphere whose vertices move in and out at random: closed, far from convex, without symmetry.
inline TriangleMesh Crumpled(int level, double radius, double share, std::uint64_t seed) {
  TriangleMesh mesh = Icosphere(level, radius);
  for (std::size_t i = 0; i < mesh.vertices.size(); ++i)
    mesh.vertices[i] *= 1 + Uniform(seed, i, -share, share);
  return mesh;
}

}  // namespace taxel::test
