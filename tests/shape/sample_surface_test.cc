// Points on a surface. Cases:
//   Poisson disk: least spacing and coverage on a torus, an L prism with big triangles, a sphere of tiny ones
//   a sheet thinner than the radius gets samples on both sides; number of samples; normals; points on their
//   triangles same seed, same bits; another seed, other points uniform: share of each face follows its area;
//   prefix property; triangles without area are never drawn wrong input: radius, count, empty mesh, no area,
//   too many samples
#include "taxel/shape/sample_surface.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "taxel/math/error.h"
#include "taxel/shape/triangle_distance.h"
#include "test_meshes.h"

namespace taxel {
using namespace internal;
namespace {

void CheckPoissonDisk(const TriangleMesh& mesh, double radius) {
  const auto samples = SampleSurface(mesh, radius, 5);
  ASSERT_FALSE(samples.empty());
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const auto& s = samples[i];
    const int t = s.triangle;
    EXPECT_LT(norm(s.point -
                   ClosestPointOnTriangle(mesh.corner(t, 0), mesh.corner(t, 1), mesh.corner(t, 2), s.point)),
              1e-16);
    EXPECT_LT(norm(s.normal - normalized(AreaNormal2(mesh, t))), 1e-15);
    for (std::size_t j = 0; j < i; ++j)
      if (dot(s.normal, samples[j].normal) >= 0) {
        EXPECT_GE(norm(s.point - samples[j].point), radius * (1 - 1e-12));
      }
  }
  for (const auto& q : UniformSurfaceSamples(mesh, 5000, 77)) {
    double nearest = std::numeric_limits<double>::infinity();
    for (const auto& s : samples)
      if (dot(s.normal, q.normal) >= 0) nearest = std::min(nearest, norm(s.point - q.point));
    EXPECT_LE(nearest, 1.05 * radius);
  }
}

TEST(SampleSurface, SpacingAndCoverage) {
  CheckPoissonDisk(test::Transformed(test::TiltedPose(), test::Torus(24, 16, 0.05, 0.02)), 0.004);
  CheckPoissonDisk(test::Transformed(test::TiltedPose(), test::LPrism(0.03, 0.04)), 0.003);
  CheckPoissonDisk(test::Icosphere(5, 0.03), 0.006);
}

TEST(SampleSurface, RadiusBeyondTheBodyLeavesAFewSamples) {
  const auto samples = SampleSurface(test::Icosphere(2, 0.03), 1, 5);
  EXPECT_GE(samples.size(), 1u);
  EXPECT_LE(samples.size(), 8u);  // no more directions are mutually beyond 90 degrees
}

TEST(SampleSurface, ThinSheetsGetBothSides) {
  const TriangleMesh sheet = test::LPrism(0.03, 0.0005);  // ten times thinner than the radius
  int up = 0, down = 0;
  for (const auto& s : SampleSurface(sheet, 0.005, 3)) up += s.normal.z > 0.9, down += s.normal.z < -0.9;
  // 4 squares of 0.03: 0.7 * 0.0036 / 0.005^2 = 100 a side, and more near the borders.
  EXPECT_NEAR(up, 105, 20);
  EXPECT_NEAR(down, 105, 20);
}

TEST(SampleSurface, NumberOfSamples) {
  const TriangleMesh mesh = test::Torus(48, 32, 0.05, 0.02);
  const double per_disk = SampleSurface(mesh, 0.002, 9).size() * 0.002 * 0.002 / SurfaceArea(mesh);
  EXPECT_NEAR(per_disk, 0.7, 0.05);
}

TEST(SampleSurface, SeedsDecideEverything) {
  const TriangleMesh mesh = test::Torus(24, 16, 0.05, 0.02);
  const auto a = SampleSurface(mesh, 0.004, 5), b = SampleSurface(mesh, 0.004, 5),
             c = SampleSurface(mesh, 0.004, 6);
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].point, b[i].point);
    EXPECT_EQ(a[i].triangle, b[i].triangle);
  }
  EXPECT_NE(a[0].point, c[0].point);
}

TEST(UniformSurfaceSamples, FollowTheArea) {
  const double w = 0.03, height = 0.04;
  const TriangleMesh mesh = test::LPrism(w, height);
  const int n = 100000;
  int top = 0;
  double x = 0;
  for (const auto& s : UniformSurfaceSamples(mesh, n, 13))
    if (s.normal.z > 0.9) ++top, x += s.point.x;
  const double share = 4 * w * w / SurfaceArea(mesh);
  EXPECT_NEAR(top, n * share, 4 * std::sqrt(n * share));  // four standard deviations
  // Centroid of the L: (2 w^2 * w + 2 w^2 * w / 2) / (4 w^2) = 0.75 w; spread of x about 0.5 w.
  EXPECT_NEAR(x / top, 0.75 * w, 4 * 0.5 * w / std::sqrt(1.0 * top));
}

TEST(UniformSurfaceSamples, LongerListsBeginWithShorterOnes) {
  const TriangleMesh mesh = test::Torus(24, 16, 0.05, 0.02);
  const auto few = UniformSurfaceSamples(mesh, 10, 4), many = UniformSurfaceSamples(mesh, 100, 4);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(few[i].point, many[i].point);
  EXPECT_TRUE(UniformSurfaceSamples(mesh, 0, 4).empty());
}

TEST(UniformSurfaceSamples, SkipTrianglesWithoutArea) {
  TriangleMesh mesh;
  mesh.vertices = {{0, 0, 0}, {0.1, 0, 0}, {0, 0.1, 0.05}};
  mesh.triangles = {{0, 0, 1}, {0, 1, 2}, {1, 2, 1}};
  for (const auto& s : UniformSurfaceSamples(mesh, 1000, 8)) EXPECT_EQ(s.triangle, 1);
  for (const auto& s : SampleSurface(mesh, 0.01, 8)) EXPECT_EQ(s.triangle, 1);
}

TEST(SampleSurface, RefusesWrongInput) {
  const TriangleMesh mesh = test::LPrism(0.03, 0.04);
  for (double radius : {0.0, -1.0, double{NAN}, double{INFINITY}, 1e-7})
    EXPECT_THROW(SampleSurface(mesh, radius, 1), Error);
  EXPECT_THROW(UniformSurfaceSamples(mesh, -1, 1), Error);
  EXPECT_THROW(SampleSurface(TriangleMesh{}, 0.01, 1), Error);
  TriangleMesh flat;
  flat.vertices = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
  flat.triangles = {{0, 1, 2}};
  EXPECT_THROW(SampleSurface(flat, 0.01, 1), Error);
}

}  // namespace
}  // namespace taxel
