// Areas that sample points stand for. Cases:
//   - they sum to the surface: torus, L prism, sphere, tilted and away from the origin; with and without
//     normals; points beside the surface
//   - a plate thinner than the spacing: each side's points share their side alone; without normals they mix
//   - a regular lattice on a square face gets equal shares; Poisson-disk points nearly equal ones
//   - each point's share against a brute-force search over many random points of the surface
//   - a turned box shares as a straight one
//   - points of one face alone take all of the surface; so does one point
//   - wrong input
#include "taxel/shape/sample_area.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "expect_error.h"
#include "taxel/contact/body.h"
#include "taxel/shape/sample_surface.h"
#include "test_meshes.h"

namespace taxel {
namespace {

struct Points {
  std::vector<Vec3> at, normals;
};

Points Spread(const TriangleMesh& mesh, double radius, std::uint64_t seed = 3) {
  Points out;
  for (const SurfaceSample& s : SampleSurface(mesh, radius, seed)) {
    out.at.push_back(s.point);
    out.normals.push_back(s.normal);
  }
  return out;
}

double Sum(const std::vector<double>& v) { return std::accumulate(v.begin(), v.end(), 0.0); }

TEST(SampleArea, SumsToTheSurface) {
  const Pose X = test::TiltedPose();
  for (const TriangleMesh& mesh :
       {test::Transformed(X, test::Torus(24, 16, 0.05, 0.02)), test::Transformed(X, test::LPrism(0.03, 0.04)),
        test::Transformed(X, test::Icosphere(3, 0.03))}) {
    const Points p = Spread(mesh, 0.006);
    const double all = SurfaceArea(mesh);
    // Sums of a hundred thousand pieces: 1e-16 each.
    EXPECT_NEAR(Sum(SampleAreas(mesh, p.at, p.normals)) / all, 1, 1e-11);
    EXPECT_NEAR(Sum(SampleAreas(mesh, p.at, {})) / all, 1, 1e-11);
    std::vector<Vec3> beside = p.at;
    for (std::size_t i = 0; i < beside.size(); ++i) beside[i] += 0.002 * p.normals[i];
    EXPECT_NEAR(Sum(SampleAreas(mesh, beside, p.normals)) / all, 1, 1e-11);
    EXPECT_NEAR(SampleAreas(mesh, {X * Vec3{0.01, 0.02, 0.03}}, {})[0] / all, 1, 1e-11);
    ExpectError([&] { SampleAreas(mesh, {{7, 8, 9}}, {}); }, {"100 %", "areas of your own"});
  }
}

TEST(SampleArea, SidesOfAThinPlateDoNotMix) {
  const Pose X = test::TiltedPose();
  const double a = 0.03, b = 0.02, thin = 2e-4;
  const TriangleMesh plate = test::Transformed(X, Body(Box{{a, b, thin}}, {}).Surface());
  const Points p = Spread(plate, 1.5e-3);
  const Vec3 up = X.R * Vec3{0, 0, 1};
  const std::vector<double> with = SampleAreas(plate, p.at, p.normals);
  double top = 0, bottom = 0;
  for (std::size_t i = 0; i < with.size(); ++i) {
    const double side = dot(p.normals[i], up);
    if (side > 0.9) top += with[i];
    if (side < -0.9) bottom += with[i];
  }
  // The four edges are 2 (a + b) thin = 2e-5 of 6e-4; a sample may sit on them or not.
  EXPECT_NEAR(top, a * b, 2e-5);
  EXPECT_NEAR(bottom, a * b, 2e-5);
}

TEST(SampleArea, LatticeOnASquareGetsEqualShares) {
  const TriangleMesh box = Body(Box{{0.02, 0.02, 0.02}}, {}).Surface();
  std::vector<Vec3> at, normals;
  for (int i = 0; i < 10; ++i)
    for (int j = 0; j < 10; ++j)
      for (int axis = 0; axis < 3; ++axis)
        for (const double sign : {-1.0, 1.0}) {
          Vec3 p, n;
          p[axis] = sign * 0.01, n[axis] = sign;
          p[(axis + 1) % 3] = 2e-3 * (i - 4.5), p[(axis + 2) % 3] = 2e-3 * (j - 4.5);
          at.push_back(p), normals.push_back(n);
        }
  // Pieces have a fifth of the spacing as their longest side: a cell has more than 100 of them, of which
  // those across its border (some 20) are given to one side or the other.
  for (const double area : SampleAreas(box, at, normals)) EXPECT_NEAR(area / 4e-6, 1, 0.1);
}

TEST(SampleArea, PoissonPointsGetNearlyEqualShares) {
  const TriangleMesh ball = test::Icosphere(4, 0.02);
  const Points p = Spread(ball, 1e-3);
  const std::vector<double> areas = SampleAreas(ball, p.at, p.normals);
  const double mean = Sum(areas) / static_cast<double>(areas.size());
  double square = 0, least = 1, most = 0;
  for (const double a : areas) {
    square += (a / mean - 1) * (a / mean - 1);
    least = std::fmin(least, a / mean), most = std::fmax(most, a / mean);
  }
  // Voronoi cells of maximal Poisson-disk samples: a disk of radius / 2 fits in (0.55 of the mean), and all
  // is within 1.05 radius.
  EXPECT_GT(least, 0.45);
  EXPECT_LT(most, 2.2);
  EXPECT_LT(std::sqrt(square / static_cast<double>(areas.size())), 0.25);
}

TEST(SampleArea, AgainstBruteForce) {
  const TriangleMesh mesh = test::Transformed(test::TiltedPose(), test::LPrism(0.03, 0.04));
  const Points p = Spread(mesh, 0.008);
  const std::vector<double> areas = SampleAreas(mesh, p.at, p.normals);
  std::vector<double> want(areas.size());
  constexpr int kDraws = 200000;
  for (const SurfaceSample& s : UniformSurfaceSamples(mesh, kDraws, 9)) {
    std::size_t best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < p.at.size(); ++i)
      if (dot(p.normals[i], s.normal) > 1e-9 && norm2(p.at[i] - s.point) < least)
        least = norm2(p.at[i] - s.point), best = i;
    want[best] += SurfaceArea(mesh) / kDraws;
  }
  // A share of 1/100 has 2000 draws: 2.2 % of noise, five of them allowed for; pieces add a few percent.
  for (std::size_t i = 0; i < areas.size(); ++i)
    EXPECT_NEAR(areas[i], want[i], 0.15 * SurfaceArea(mesh) / static_cast<double>(areas.size())) << i;
}

TEST(SampleArea, TurnedBoxesAreAsStraightOnes) {
  // Faces at a right angle stay apart, whatever the rounding of their normals.
  const TriangleMesh box = Body(Box{{0.02, 0.03, 0.01}}, {}).Surface();
  const Points p = Spread(box, 2e-3);
  const std::vector<double> straight = SampleAreas(box, p.at, p.normals);
  const double mean = Sum(straight) / static_cast<double>(straight.size());
  for (std::uint64_t k = 0; k < 5; ++k) {
    const Pose X{RotationAbout(test::UniformDirection(21, k), 0.3 + static_cast<double>(k)),
                 {1e-3, 2e-3, 3e-3}};
    Points q = p;
    for (Vec3& v : q.at) v = X * v;
    for (Vec3& n : q.normals) n = X.R * n;
    const std::vector<double> turned = SampleAreas(test::Transformed(X, box), q.at, q.normals);
    // Rounding may give a piece (1/25 of a share) that lies just between two points to the other.
    for (std::size_t i = 0; i < turned.size(); ++i)
      EXPECT_NEAR(turned[i] / mean, straight[i] / mean, 0.1) << i;
  }
}

TEST(SampleArea, PointsOfOneFaceDoNotStandForTheBox) {
  // Five faces without a point of their own: once this took minutes, and gave each point six times its area.
  const TriangleMesh box = Body(Box{{0.01, 0.01, 0.01}}, {}).Surface();
  Points p;
  for (int i = 0; i < 40; ++i)
    for (int j = 0; j < 40; ++j) {
      p.at.push_back({(i - 19.5) * 0.25e-3, (j - 19.5) * 0.25e-3, -5e-3});
      p.normals.push_back({0, 0, -1});
    }
  ExpectError([&] { SampleAreas(box, p.at, p.normals); }, {"% of the surface", "areas of your own"});
}

TEST(SampleArea, MiddlesOfCells) {
  const Pose X = test::TiltedPose();
  const TriangleMesh box = test::Transformed(X, Body(Box{{0.012, 0.01, 0.008}}, {}).Surface());
  const Points p = Spread(box, 1.5e-3);
  const SampleCells cells = CellsOfSamples(box, p.at, p.normals);
  // First moments over each face, by its cells and exactly: sums over middles are exact for linear functions.
  for (int side = 0; side < 6; ++side) {
    Vec3 out;
    out[side / 2] = side % 2 ? -1 : 1;
    Vec3 moment;
    double area = 0;
    for (std::size_t i = 0; i < p.at.size(); ++i)
      if (dot(p.normals[i], X.R * out) > 0.9) {
        moment += cells.areas[i] * cells.centroids[i];
        area += cells.areas[i];
        EXPECT_LT(norm(cells.normals[i] - X.R * out), 1e-9);
      }
    const Vec3 middle = X * cwise_mul(out, Vec3{0.006, 0.005, 0.004});
    EXPECT_LT(norm(moment / area - middle), 1e-9);
  }
}

TEST(SampleArea, OnePointGetsEverything) {
  const TriangleMesh ball = test::Icosphere(2, 0.02);
  EXPECT_NEAR(SampleAreas(ball, {{0, 0, 0.02}}, {{0, 0, 1}})[0], SurfaceArea(ball), 1e-15);
}

TEST(SampleArea, WrongInput) {
  const TriangleMesh ball = test::Icosphere(1, 0.02);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  ExpectError([&] { SampleAreas(ball, {}, {}); }, {"no point"});
  ExpectError([&] { SampleAreas(ball, {{0, 0, 0.02}, {0, nan, 0}}, {}); }, {"point 1", "finite"});
  ExpectError([&] { SampleAreas(ball, {{0, 0, 0.02}}, {{0, 0, 1}, {0, 0, 1}}); }, {"2 normals", "1 points"});
  TriangleMesh flat{{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}}, {{0, 1, 2}}};
  ExpectError([&] { SampleAreas(flat, {{0, 0, 0}}, {}); }, {"no area"});
  flat.triangles[0][2] = 5;
  ExpectError([&] { SampleAreas(flat, {{0, 0, 0}}, {}); }, {"sampled surface"});
}

}  // namespace
}  // namespace taxel
