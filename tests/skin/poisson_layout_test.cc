// Taxels spread over a surface:
//   - spacing: no two nearer, areas add up; a cylinder's rim (slanting facets, normals at right angles)
//   - count: exact from 1 to 1500 on a sphere, a torus, an L prism, a thin plate; even in spacing and area
//   - same seed same bits, another seed other points
//   - wrong input
#include "taxel/skin/poisson_layout.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "../shape/expect_error.h"
#include "../shape/test_meshes.h"
#include "layout_checks.h"
#include "taxel/shape/primitive_tets.h"
#include "taxel/shape/triangle_distance.h"

namespace taxel {
using namespace internal;
namespace {

double OffTheSurface(const TriangleMesh& mesh, const Vec3& p) {
  double best = 1e9;
  for (int t = 0; t < static_cast<int>(mesh.triangles.size()); ++t)
    best = std::min(
        best, norm(ClosestPointOnTriangle(mesh.corner(t, 0), mesh.corner(t, 1), mesh.corner(t, 2), p) - p));
  return best;
}

TEST(PoissonLayout, LeastSpacing) {
  const TriangleMesh torus = test::Transformed(test::TiltedPose(), test::Torus(24, 16, 0.05, 0.02));
  const Layout layout = PoissonLayout(torus, 0.006, 3);
  test::CheckFrames(layout);
  EXPECT_GE(test::LeastSpacing(layout), 0.006 * (1 - 1e-12));
  EXPECT_NEAR(test::SumOfAreas(layout) / SurfaceArea(torus), 1, 1e-12);
  for (const Vec3& p : layout.points) EXPECT_LT(OffTheSurface(torus, p), 1e-12);
  EXPECT_NEAR(layout.count(), 0.7 * SurfaceArea(torus) / 36e-6, 0.15 * layout.count());
}

TEST(PoissonLayout, TheRimOfACylinderIsNotCrowded) {
  const TriangleMesh can = PrimitiveSurface(Cylinder{0.01, 0.03}, 0.00075);
  const Layout layout = PoissonLayout(can, 0.003, 1);
  double least = 1;
  for (int i = 0; i < layout.count(); ++i)
    for (int j = 0; j < i; ++j) least = std::min(least, norm(layout.points[i] - layout.points[j]));
  EXPECT_GE(least, 0.003 * (1 - 1e-12));  // nothing here lies back to back
  EXPECT_NEAR(test::SumOfAreas(layout) / SurfaceArea(can), 1, 1e-12);
}

TEST(PoissonLayout, ExactCountAndEvenSpread) {
  const TriangleMesh shapes[] = {test::Icosphere(4, 0.02), test::Torus(24, 16, 0.05, 0.02),
                                 test::LPrism(0.03, 0.04), test::LPrism(0.03, 0.0005)};
  for (const TriangleMesh& mesh : shapes)
    for (const int count : {1, 2, 7, 60, 1500}) {
      const Layout layout = PoissonLayoutOf(mesh, count, 11);
      ASSERT_EQ(layout.count(), count);
      if (count < 60) continue;  // a few large taxels cannot be even on every shape
      test::CheckFrames(layout);
      const double area = SurfaceArea(mesh), packed = std::sqrt(2 * area / (std::sqrt(3.0) * count));
      EXPECT_GE(test::LeastSpacing(layout), 0.55 * packed);
      EXPECT_NEAR(test::SumOfAreas(layout) / area, 1, 1e-12);
      const double mean = area / count;
      EXPECT_LT(*std::max_element(layout.areas.begin(), layout.areas.end()), 2 * mean);
      EXPECT_GT(*std::min_element(layout.areas.begin(), layout.areas.end()), 0.3 * mean);
    }
}

TEST(PoissonLayout, SameSeedSameBits) {
  const TriangleMesh ball = test::Icosphere(3, 0.02);
  const Layout a = PoissonLayoutOf(ball, 100, 5), b = PoissonLayoutOf(ball, 100, 5),
               c = PoissonLayoutOf(ball, 100, 6);
  EXPECT_EQ(a.points, b.points);
  EXPECT_EQ(a.areas, b.areas);
  EXPECT_NE(a.points, c.points);
  EXPECT_EQ(PoissonLayout(ball, 0.003, 5).points, PoissonLayout(ball, 0.003, 5).points);
}

TEST(PoissonLayout, WrongInput) {
  const TriangleMesh ball = test::Icosphere(2, 0.02);
  ExpectError([&] { PoissonLayoutOf(ball, 0, 1); }, {"count is 0", "1 to 65536"});
  ExpectError([&] { PoissonLayoutOf(ball, 65537, 1); }, {"count is 65537"});
  ExpectError([&] { PoissonLayoutOf({}, 5, 1); }, {"surface to sample"});
  ExpectError(
      [&] {
        PoissonLayoutOf({{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}}, {{0, 1, 2}}}, 5, 1);
      },
      {"area is 0"});
  ExpectError([&] { PoissonLayout(ball, 0, 1); }, {"radius is 0"});
  ExpectError([&] { PoissonLayout(ball, 0.0001, 1); },
              {"spacing 1e-04 m", "taxels; one sensor has at most 65536", "raise spacing to"});
}

}  // namespace
}  // namespace taxel
