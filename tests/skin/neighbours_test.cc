// Points near each other:
//   - the same pairs and distances as all against all, tilted layouts and in space
//   - points in one place; points far apart beside the radius; a pair exactly at the radius
//   - mean spacing: of a grid its shorter pitch; with an outlier; of too few points 0
#include "taxel/skin/neighbours.h"

#include <gtest/gtest.h>

#include <map>

#include "chain_layouts.h"

namespace taxel {
using namespace internal;
namespace {

std::vector<Vec3> Cloud(int count) {
  std::vector<Vec3> points;
  for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(count); ++i)
    points.push_back(
        {RandomUniform(8, 3 * i) - 0.4, 2 * RandomUniform(8, 3 * i + 1), RandomUniform(8, 3 * i + 2) - 7});
  return points;
}

void ExpectSameAsBruteForce(const std::vector<Vec3>& points, double radius) {
  const NearPoints near(points, radius);
  for (int i = 0; i < static_cast<int>(points.size()); ++i) {
    std::map<int, double> found, expected;
    near.ForEach(i, [&](int j, double d) { EXPECT_TRUE(found.emplace(j, d).second) << "found twice"; });
    for (int j = 0; j < static_cast<int>(points.size()); ++j)
      if (const double d = norm(points[j] - points[i]); j != i && d <= radius) expected[j] = d;
    ASSERT_EQ(found, expected) << "point " << i << ", radius " << radius;
  }
}

TEST(NearPoints, AgreesWithAllAgainstAll) {
  for (double radius : {1e-9, 0.02, 0.1, 0.35, 1.0, 10.0}) ExpectSameAsBruteForce(Cloud(300), radius);
  for (double radius : {0.003, 0.0041, 0.0081, 0.02}) {
    ExpectSameAsBruteForce(chain_test::TiltedGrid(7, 12).points, radius);
    ExpectSameAsBruteForce(chain_test::TiltedCylinder(5, 16).points, radius);
  }
}

TEST(NearPoints, PointsInOnePlaceAndFarApart) {
  ExpectSameAsBruteForce({{1, 2, 3}, {1, 2, 3}, {1, 2, 3}}, 1e-3);
  ExpectSameAsBruteForce({{0, 0, 0}, {1e-6, 0, 0}, {5e3, 0, 0}, {5e3, 1e-6, 0}, {0, 0, -4e3}}, 2e-6);
  ExpectSameAsBruteForce({{0, 0, 0}, {0.25, 0, 0}, {0.5, 0, 0}}, 0.25);  // exactly at the radius
  ExpectSameAsBruteForce({{0, 0, 0}}, 1);
}

TEST(MeanSpacing, OfAGridIsItsShorterPitch) {
  EXPECT_NEAR(MeanSpacing(chain_test::TiltedGrid(6, 9, 0.004, 0.007).points), 0.004, 1e-15);
  EXPECT_NEAR(MeanSpacing(chain_test::TiltedGrid(9, 6, 0.008, 0.003).points), 0.003, 1e-15);
  EXPECT_NEAR(MeanSpacing(chain_test::TiltedGrid(1, 50).points), 0.004, 1e-15);
}

TEST(MeanSpacing, AnOutlierCountsOnce) {
  std::vector<Vec3> points = chain_test::TiltedGrid(5, 8, 0.004, 0.007).points;
  points.push_back(points[0] + Vec3{3, 0, 0});
  double nearest = 10;
  for (std::size_t i = 0; i + 1 < points.size(); ++i)
    nearest = std::min(nearest, norm(points[i] - points.back()));
  EXPECT_NEAR(MeanSpacing(points), (40 * 0.004 + nearest) / 41, 1e-12);
}

TEST(MeanSpacing, AgreesWithAllAgainstAll) {
  const std::vector<Vec3> points = Cloud(400);
  double sum = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    double nearest = 100;
    for (std::size_t j = 0; j < points.size(); ++j)
      if (j != i) nearest = std::min(nearest, norm(points[j] - points[i]));
    sum += nearest;
  }
  EXPECT_NEAR(MeanSpacing(points), sum / 400, 1e-14);
}

TEST(MeanSpacing, OfTooFewPointsIsZero) {
  EXPECT_EQ(MeanSpacing({}), 0);
  EXPECT_EQ(MeanSpacing({{1, 2, 3}}), 0);
  EXPECT_EQ(MeanSpacing({{1, 2, 3}, {1, 2, 3}}), 0);
}

}  // namespace
}  // namespace taxel
