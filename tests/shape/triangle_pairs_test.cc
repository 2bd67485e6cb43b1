// Cases: a grid of cut rectangles, in any order and cut either way, gives them back; a box its six faces;
// over a crease, around a dent, and with none beside it a triangle stays one; a chosen part only; every
// triangle once.
#include "taxel/shape/triangle_pairs.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "taxel/shape/primitive_tets.h"

namespace taxel {
using namespace internal;
namespace {

std::vector<int> All(const TriangleMesh& mesh) {
  std::vector<int> out(mesh.triangles.size());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<int>(i);
  return out;
}

int Quads(const std::vector<std::array<int, 4>>& cells) {
  return static_cast<int>(std::count_if(cells.begin(), cells.end(), [](const auto& c) { return c[3] >= 0; }));
}

double Area(const TriangleMesh& mesh, const std::array<int, 4>& c) {
  const auto at = [&](int k) { return mesh.vertices[c[k]]; };
  double area = 0.5 * norm(cross(at(1) - at(0), at(2) - at(0)));
  if (c[3] >= 0) area += 0.5 * norm(cross(at(2) - at(0), at(3) - at(0)));
  return area;
}

TriangleMesh Sheet(int across, double bend) {
  TriangleMesh mesh;
  for (int j = 0; j <= across; ++j)
    for (int i = 0; i <= across; ++i) mesh.vertices.push_back({1.0 * i, 1.5 * j, bend * std::abs(i - 2)});
  for (int j = 0; j < across; ++j)
    for (int i = 0; i < across; ++i) {
      const int a = j * (across + 1) + i, b = a + 1, c = b + across + 1, d = a + across + 1;
      if ((i + j) % 2)
        mesh.triangles.push_back({a, b, c}), mesh.triangles.push_back({a, c, d});
      else
        mesh.triangles.push_back({b, c, d}), mesh.triangles.push_back({d, a, b});
    }
  return mesh;
}

TEST(TrianglePairs, FindWhatWasCut) {
  TriangleMesh mesh = Sheet(5, 0);
  std::reverse(mesh.triangles.begin() + 7, mesh.triangles.end());
  const auto cells = PairTriangles(mesh, All(mesh), 0.9);
  ASSERT_EQ(cells.size(), 25u);
  for (const auto& c : cells) EXPECT_NEAR(Area(mesh, c), 1.5, 1e-12);
}

TEST(TrianglePairs, AFoldIsNotCrossed) {
  const TriangleMesh mesh = Sheet(4, 1);
  for (const auto& c : PairTriangles(mesh, All(mesh), 0.9)) {
    ASSERT_GE(c[3], 0);
    const auto [low, high] = std::minmax(
        {mesh.vertices[c[0]].x, mesh.vertices[c[1]].x, mesh.vertices[c[2]].x, mesh.vertices[c[3]].x});
    EXPECT_NEAR(high - low, 1, 1e-12);
  }
}

TEST(TrianglePairs, ACrease) {
  // Two triangles that share their longest edge at a right angle.
  const TriangleMesh roof{{{0, 0, 0}, {3, 0, 0}, {1.5, 1, -1}, {1.5, -1, -1}}, {{0, 1, 2}, {1, 0, 3}}};
  EXPECT_EQ(Quads(PairTriangles(roof, All(roof), 0.9)), 0);
  EXPECT_EQ(Quads(PairTriangles(roof, All(roof), -1)), 1);
}

TEST(TrianglePairs, ADentStaysTwo) {
  const TriangleMesh dart{{{0, 0, 0}, {3, 0, 0}, {5, 1, 0}, {5, -1, 0}}, {{0, 1, 2}, {1, 0, 3}}};
  EXPECT_EQ(Quads(PairTriangles(dart, All(dart), 0.9)), 0);
}

TEST(TrianglePairs, OnlyTheChosen) {
  const TriangleMesh mesh = Sheet(3, 0);
  const auto cells = PairTriangles(mesh, {0, 2, 3}, 0.9);
  ASSERT_EQ(cells.size(), 2u);
  EXPECT_EQ(cells[0][3], -1);
  EXPECT_GE(cells[1][3], 0);
}

TEST(TrianglePairs, HaveTheWholeArea) {
  const TriangleMesh mesh = PrimitiveSurface(Ellipsoid{{0.009, 0.012, 0.008}}, 0.0015);
  const auto cells = PairTriangles(mesh, All(mesh), 0.95);
  double area = 0;
  for (const auto& c : cells) area += Area(mesh, c);
  EXPECT_NEAR(area, SurfaceArea(mesh), 1e-12);
  EXPECT_EQ(2 * Quads(cells) + (static_cast<int>(cells.size()) - Quads(cells)),
            static_cast<int>(mesh.triangles.size()));
}

}  // namespace
}  // namespace taxel
