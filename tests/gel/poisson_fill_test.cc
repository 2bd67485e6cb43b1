// Cases: least distance, inside, density and bare balls of a tilted torus, a box and a shell with a cavity;
// same bits for a seed, others for another; refusals.
#include "taxel/gel/poisson_fill.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "../shape/expect_error.h"
#include "gel_meshes.h"

namespace taxel {
namespace {

double Nearest(const std::vector<Vec3>& points, const Vec3& p, std::size_t except) {
  double best = HUGE_VAL;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (i != except) best = std::min(best, norm2(points[i] - p));
  return std::sqrt(best);
}

std::vector<SolidShape> Solids() {
  const Pose X = test::TiltedPose();
  TriangleMesh hollow = test::Icosphere(3, 0.02);
  test::Append(test::Reversed(test::Icosphere(2, 0.011)), &hollow);
  return {SolidShape(Box{{0.03, 0.021, 0.013}}), SolidShape(Ellipsoid{{0.02, 0.013, 0.009}}),
          SolidShape(test::Transformed(X, test::Torus(40, 20, 0.02, 0.007)), "torus"),
          SolidShape(test::Transformed(X, hollow), "shell")};
}

TEST(FillPoissonDisk, PointsAreInsideAndApartAndDense) {
  const double r = 0.0019;
  for (const SolidShape& solid : Solids()) {
    const Filling f = FillPoissonDisk(solid, r, 7);
    for (std::size_t i = 0; i < f.points.size(); ++i) {
      ASSERT_TRUE(solid.Inside(f.points[i])) << solid.name();
      ASSERT_GE(Nearest(f.points, f.points[i], i), r) << solid.name();
    }
    EXPECT_NEAR(f.volume_per_point() * static_cast<double>(f.points.size()), solid.volume(),
                1e-12 * solid.volume());
    // Relative to a lattice of the same spacing: 0.70 deep inside, more for the shell of points on the faces.
    EXPECT_GT(1 / f.correction(), 0.69) << solid.name();
    EXPECT_LT(1 / f.correction(), 1.05) << solid.name();
    // No place is bare.
    const Vec3 lo = solid.box().lo, hi = solid.box().hi;
    for (int i = 0; i < 2000; ++i) {
      const Vec3 p = test::UniformInBox(3, i, lo, hi);
      if (solid.Inside(p)) {
        EXPECT_LT(Nearest(f.points, p, f.points.size()), 1.1 * r) << solid.name();
      }
    }
  }
}

TEST(FillPoissonDisk, SeedDecidesTheBits) {
  for (const SolidShape& solid : Solids()) {
    const Filling a = FillPoissonDisk(solid, 0.003, 5), b = FillPoissonDisk(solid, 0.003, 5),
                  c = FillPoissonDisk(solid, 0.003, 6);
    EXPECT_EQ(a.points, b.points);
    EXPECT_NE(a.points, c.points);
  }
}

// No direction is preferred: the mean of many directions between near neighbours has no axis.
TEST(FillPoissonDisk, HasNoLatticePlanes) {
  const Filling f = FillPoissonDisk(SolidShape(Box{{0.03, 0.03, 0.03}}), 0.002, 1);
  Vec3 second;
  double fourth = 0, pairs = 0;
  for (const Vec3& p : f.points)
    for (const Vec3& q : f.points) {
      const Vec3 d = q - p;
      if (norm(d) == 0 || norm(d) > 0.003 || norm(p) > 0.011) continue;
      const Vec3 u = normalized(d), u2 = cwise_mul(u, u);
      second += u2;
      fourth += norm2(u2);
      pairs += 1;
    }
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(second[k] / pairs, 1.0 / 3, 0.01);
  EXPECT_NEAR(fourth / pairs, 0.6, 0.01);  // the mean of x^4 + y^4 + z^4 on a sphere; 1 on a cubic lattice
}

TEST(FillPoissonDisk, Refusals) {
  const SolidShape plate(Box{{0.06, 0.02, 0.004}});
  for (const double bad : {0.0, -0.001, std::nan(""), HUGE_VAL})
    ExpectError([&] { FillPoissonDisk(plate, bad); }, {"'box'", "radius is", "finite and greater than 0"});
  ExpectError([&] { FillPoissonDisk(plate, 0.01); }, {"radius is 0.01", "along z"});
  ExpectError([&] { FillPoissonDisk(plate, 2e-5); }, {"points", "use at least"});
}

}  // namespace
}  // namespace taxel
