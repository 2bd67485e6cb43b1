// Shares of a surface:
//   - a square grid on a plane, whatever its triangles: pitch^2 each; small radius: pi r^2; in between:
//     square with disc in closed form
//   - against counting of many samples on a torus
//   - shares of a closed surface add up to it; the back of a sheet does not count; walls beside an edge
//   - taxels off the surface; two in one place; out of reach
#include "taxel/skin/taxel_area.h"

#include <gtest/gtest.h>

#include <limits>
#include <numeric>

#include "../shape/test_meshes.h"
#include "taxel/shape/sample_surface.h"

namespace taxel {
using namespace internal;
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kInf = std::numeric_limits<double>::infinity();

// [0, a] x [0, b] in a tilted plane, n by m cells of two triangles.
TriangleMesh Sheet(double a, double b, int n, int m) {
  TriangleMesh mesh;
  for (int j = 0; j <= m; ++j)
    for (int i = 0; i <= n; ++i) mesh.vertices.push_back(test::TiltedPose() * Vec3{a * i / n, b * j / m, 0});
  for (int j = 0; j < m; ++j)
    for (int i = 0; i < n; ++i) {
      const int v = j * (n + 1) + i;
      mesh.triangles.push_back({v, v + 1, v + n + 2});
      mesh.triangles.push_back({v, v + n + 2, v + n + 1});
    }
  return mesh;
}

struct Taxels {
  std::vector<Vec3> points, normals;
};
Taxels SheetTaxels(int n, int m, double pitch, double height = 0) {
  Taxels out;
  const Pose X = test::TiltedPose();
  for (int j = 0; j < m; ++j)
    for (int i = 0; i < n; ++i) {
      out.points.push_back(X * Vec3{pitch * (i + 0.5), pitch * (j + 0.5), height});
      out.normals.push_back(X.R.col(2));
    }
  return out;
}

TEST(TaxelAreas, CellsOfASquareGrid) {
  const double pitch = 0.002;
  const Taxels t = SheetTaxels(40, 30, pitch);
  for (const TriangleMesh& sheet :
       {Sheet(0.08, 0.06, 1, 1), Sheet(0.08, 0.06, 7, 11), Sheet(0.08, 0.06, 90, 50)}) {
    for (double a : TaxelAreas(sheet, t.points, t.normals, kInf, 0)) EXPECT_NEAR(a, pitch * pitch, 1e-15);
    for (double a : TaxelAreas(sheet, t.points, t.normals, 0.75 * pitch, 0))
      EXPECT_NEAR(a, pitch * pitch, 1e-15);
    const double small = 0.4 * pitch;
    for (double a : TaxelAreas(sheet, t.points, t.normals, small, 0))
      EXPECT_NEAR(a, kPi * small * small, 1e-15);
    // Disc of radius r less four caps beyond the half pitch h: r^2 acos(h / r) - h sqrt(r^2 - h^2) each.
    const double r = 0.6 * pitch, h = 0.5 * pitch;
    const double cap = r * r * std::acos(h / r) - h * std::sqrt(r * r - h * h);
    for (double a : TaxelAreas(sheet, t.points, t.normals, r, 0))
      EXPECT_NEAR(a, kPi * r * r - 4 * cap, 1e-15);
  }
}

TEST(TaxelAreas, AboveTheSurfaceTheDiscIsSmaller) {
  const double pitch = 0.01, radius = 0.004, height = 0.003;
  const Taxels t = SheetTaxels(3, 2, pitch, height);
  for (double a : TaxelAreas(Sheet(0.03, 0.02, 2, 2), t.points, t.normals, radius, 0))
    EXPECT_NEAR(a, kPi * (radius * radius - height * height), 1e-15);
  for (double a : TaxelAreas(Sheet(0.03, 0.02, 2, 2), t.points, t.normals, 0.9 * height, 0)) EXPECT_EQ(a, 0);
}

TEST(TaxelAreas, AgreeWithCountingOnACurvedSurface) {
  const TriangleMesh torus = test::Transformed(test::TiltedPose(), test::Torus(24, 16, 0.05, 0.02));
  const auto taxels = UniformSurfaceSamples(torus, 60, 4);
  Taxels t;
  for (const auto& s : taxels) t.points.push_back(s.point), t.normals.push_back(s.normal);
  const double radius = 0.018;
  const std::vector<double> areas = TaxelAreas(torus, t.points, t.normals, radius, 0);
  const int count = 400000;
  std::vector<int> hits(60);
  for (const auto& q : UniformSurfaceSamples(torus, count, 9)) {
    int nearest = -1;
    double best = radius;
    for (int i = 0; i < 60; ++i)
      if (const double d = norm(q.point - t.points[i]); dot(q.normal, t.normals[i]) >= 0 && d <= best)
        best = d, nearest = i;
    if (nearest >= 0) ++hits[nearest];
  }
  for (int i = 0; i < 60; ++i) {
    const double share = SurfaceArea(torus) * hits[i] / count, sigma = share / std::sqrt(hits[i] + 1.0);
    EXPECT_NEAR(areas[i], share, 5 * sigma);
  }
}

TEST(TaxelAreas, AddUpToAClosedSurface) {
  const TriangleMesh ball = test::Icosphere(3, 0.02);
  Taxels t;
  for (int i = 0; i < 50; ++i) {
    t.normals.push_back(test::UniformDirection(8, i));
    t.points.push_back(0.02 * t.normals.back());
  }
  const std::vector<double> areas = TaxelAreas(ball, t.points, t.normals, kInf, 0);
  EXPECT_NEAR(std::accumulate(areas.begin(), areas.end(), 0.0) / SurfaceArea(ball), 1, 1e-12);
}

TEST(TaxelAreas, TheBackDoesNotCount) {
  // A plate ten times thinner than the radius: one taxel above, one below, a little aside.
  const TriangleMesh plate = test::LPrism(0.03, 0.0005);
  const std::vector<Vec3> points = {{0.015, 0.015, 0.0005}, {0.016, 0.014, 0}},
                          normals = {{0, 0, 1}, {0, 0, -1}};
  for (double a : TaxelAreas(plate, points, normals, 0.005, 1e-6)) EXPECT_NEAR(a, kPi * 25e-6, 1e-15);
}

TEST(TaxelAreas, WallsAtRightAnglesByChoice) {
  const TriangleMesh cube = test::IntegerCube(1);
  const std::vector<Vec3> points = {{0.5, 0, 1}}, normals = {{0, 0, 1}};
  EXPECT_NEAR(TaxelAreas(cube, points, normals, kInf, 1e-6)[0], 4, 1e-12);
  EXPECT_NEAR(TaxelAreas(cube, points, normals, kInf, -1e-9)[0], 20, 1e-12);
}

TEST(TaxelAreas, SamePlaceAndOutOfReach) {
  const TriangleMesh sheet = Sheet(0.03, 0.02, 2, 2);
  Taxels t = SheetTaxels(2, 1, 0.01);
  t.points.push_back(t.points[0]);
  t.normals.push_back(t.normals[0]);
  t.points.push_back({1, 1, 1});
  t.normals.push_back(t.normals[0]);
  const std::vector<double> areas = TaxelAreas(sheet, t.points, t.normals, 0.004, 0);
  EXPECT_GT(areas[0], 0);
  EXPECT_EQ(areas[2], 0);
  EXPECT_EQ(areas[3], 0);
}

}  // namespace
}  // namespace taxel
