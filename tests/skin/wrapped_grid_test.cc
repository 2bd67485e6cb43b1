// Wrapped grids:
//   - every curved primitive: points on the true surface, normals, axes around, rows towards +z
//   - areas add up to the closed form of the patch: cylinder, capsule with its caps, sphere, spheroids up to
//     1 : 50; an ellipsoid with three axes
//   - defaults; all around or not
//   - wrong input: shapes without a wrapped grid, ranges reversed, too long, off the surface
#include "taxel/skin/wrapped_grid.h"

#include <gtest/gtest.h>

#include <limits>

#include "../shape/expect_error.h"
#include "layout_checks.h"
#include "taxel/shape/ellipsoid_distance.h"
#include "taxel/shape/signed_distance.h"

namespace taxel {
using namespace internal;
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kDegree = kPi / 180;

WrapRange Range(double a0, double a1, double s0, double s1) {
  WrapRange range;
  range.around_from = a0, range.around_to = a1, range.along_from = s0, range.along_to = s1;
  return range;
}
WrapRange Along(double s0, double s1) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  return Range(nan, nan, s0, s1);
}

void CheckOnSurface(const Primitive& shape, const Layout& layout) {
  test::CheckFrames(layout);
  EXPECT_FALSE(layout.plane);
  for (int i = 0; i < layout.count(); ++i) {
    EXPECT_NEAR(SignedDistance(shape, layout.points[i]), 0, 1e-14);
    EXPECT_LT(norm(SignedDistanceGradient(shape, layout.points[i]) - layout.normals[i]), 1e-9);
    // Columns run round +z, rows up.
    EXPECT_GT(dot(cross(Vec3{0, 0, 1}, layout.points[i]), layout.axes[i]), 0);
    EXPECT_EQ(layout.axes[i].z, 0);
    EXPECT_GT(layout.second_axis(i).z, 0);
    const int r = i / layout.cols, c = i % layout.cols;
    if (r + 1 < layout.rows) {
      EXPECT_GT(dot(layout.points[i + layout.cols] - layout.points[i], layout.second_axis(i)), 0);
    }
    if (c + 1 < layout.cols) {
      EXPECT_GT(dot(layout.points[i + 1] - layout.points[i], layout.axes[i]), 0);
    }
  }
}

TEST(WrappedGrid, OnTheTrueSurface) {
  for (const Primitive& shape :
       {Primitive(Cylinder{0.012, 0.031}), Primitive(Sphere{0.017}), Primitive(Capsule{0.008, 0.02}),
        Primitive(Ellipsoid{{0.011, 0.019, 0.006}})}) {
    SCOPED_TRACE(PrimitiveName(shape));
    CheckOnSurface(shape, WrappedGrid(shape, 5, 7));
    CheckOnSurface(shape, WrappedGrid(shape, 4, 3, Range(-0.4, 1.1, -0.003, 0.0101)));
  }
  // Caps and poles.
  CheckOnSurface(Capsule{0.008, 0.02},
                 WrappedGrid(Capsule{0.008, 0.02}, 9, 7, Along(-0.0225, 0.01 + 0.004 * kPi)));
  CheckOnSurface(Sphere{0.017}, WrappedGrid(Sphere{0.017}, 6, 5, Along(-kPi / 2, kPi / 2)));
}

TEST(WrappedGrid, DefaultsGoAllAroundFromTheXAxis) {
  const Layout layout = WrappedGrid(Cylinder{0.01, 0.03}, 3, 8);
  EXPECT_TRUE(layout.wraps);
  EXPECT_EQ(layout.rows, 3);
  EXPECT_EQ(layout.cols, 8);
  EXPECT_LT(norm(layout.points[0] - Vec3{0.01 * std::cos(kPi / 8), 0.01 * std::sin(kPi / 8), -0.01}), 1e-17);
  EXPECT_LT(norm(layout.points[8 + 2] - Vec3{0.01 * std::cos(5 * kPi / 8), 0.01 * std::sin(5 * kPi / 8), 0}),
            1e-17);
  // Neighbours across the seam are as near as any others.
  EXPECT_NEAR(norm(layout.points[7] - layout.points[0]), norm(layout.points[1] - layout.points[0]), 1e-16);
  // Pole to pole, and no rim there.
  const Layout sphere = WrappedGrid(Sphere{0.01}, 2, 4);
  EXPECT_NEAR(sphere.points[0].z, -0.01 * std::sqrt(0.5), 1e-17);
  EXPECT_NEAR(sphere.points[4].z, 0.01 * std::sqrt(0.5), 1e-17);
  for (const Primitive& shape :
       {Primitive(Sphere{0.01}), Primitive(Capsule{0.01, 0.03}), Primitive(Ellipsoid{{0.01, 0.02, 0.03}})})
    EXPECT_TRUE(WrappedGrid(shape, 5, 6).ghosts.empty());
  EXPECT_NEAR(test::SumOfAreas(WrappedGrid(Capsule{0.01, 0.03}, 5, 6)), 2 * kPi * 0.01 * 0.05, 1e-16);
  EXPECT_FALSE(WrappedGrid(Sphere{0.01}, 2, 4, Range(0, 6, -1, 1)).wraps);
  EXPECT_TRUE(WrappedGrid(Sphere{0.01}, 2, 4, Range(-kPi, kPi, -1, 1)).wraps);
}

TEST(WrappedGrid, AreasAddUpToThePatch) {
  const double r = 0.012, l = 0.03;
  EXPECT_NEAR(test::SumOfAreas(WrappedGrid(Cylinder{r, l}, 5, 7)), 2 * kPi * r * l, 1e-17);
  EXPECT_NEAR(test::SumOfAreas(WrappedGrid(Cylinder{r, l}, 5, 7, Range(0.3, 1.4, -0.01, 0.012))),
              r * 1.1 * 0.022, 1e-18);
  const double end = 0.5 * l + 0.5 * kPi * r;
  EXPECT_NEAR(test::SumOfAreas(WrappedGrid(Capsule{r, l}, 9, 7, Along(-end, end))), 2 * kPi * r * (l + 2 * r),
              1e-16);
  // From the straight part over the rim up to 40 degrees: one row straddles the rim.
  EXPECT_NEAR(
      test::SumOfAreas(WrappedGrid(Capsule{r, l}, 3, 4, Range(-1, 1, 0.01, 0.5 * l + r * 40 * kDegree))),
      2 * r * (0.005 + r * std::sin(40 * kDegree)), 1e-17);
  EXPECT_NEAR(test::SumOfAreas(WrappedGrid(Sphere{r}, 6, 5, Along(-kPi / 2, kPi / 2))), 4 * kPi * r * r,
              1e-16);
  EXPECT_NEAR(test::SumOfAreas(WrappedGrid(Sphere{r}, 6, 5, Range(0.2, 0.9, 0.1, 1.2))),
              r * r * 0.7 * (std::sin(1.2) - std::sin(0.1)), 1e-17);
}

TEST(WrappedGrid, AreasOfEllipsoids) {
  const auto whole = [](const Vec3& e, int rows, int cols) {
    return test::SumOfAreas(WrappedGrid(Ellipsoid{e}, rows, cols, Along(-kPi / 2, kPi / 2)));
  };
  const double r = 0.012;
  EXPECT_NEAR(whole({r, r, r}, 3, 4) / (4 * kPi * r * r), 1, 1e-12);
  // Oblate and prolate spheroids in closed form, up to a ratio of 50.
  for (const double ratio : {0.9, 0.3, 0.02}) {
    const double a = 0.02, c = ratio * a, e = std::sqrt(1 - ratio * ratio);
    EXPECT_NEAR(whole({a, a, c}, 4, 3) / (2 * kPi * a * a * (1 + (1 - e * e) / e * std::atanh(e))), 1, 1e-9);
    EXPECT_NEAR(whole({c, c, a}, 4, 3) / (2 * kPi * c * c * (1 + a / (c * e) * std::asin(e))), 1, 1e-9);
  }
  // Three axes: 48.8821463... for 1, 2, 3 (mm2 here), and the same whichever axis is the pole and however
  // it is cut.
  const double area = whole({0.001, 0.002, 0.003}, 2, 2);
  EXPECT_NEAR(area * 1e6, 48.8821463, 1e-6);
  EXPECT_NEAR(whole({0.002, 0.003, 0.001}, 7, 5) / area, 1, 1e-9);
  EXPECT_NEAR(whole({0.003, 0.001, 0.002}, 1, 1) / area, 1, 1e-9);
}

TEST(WrappedGrid, WrongInput) {
  ExpectError([] { WrappedGrid(Box{{0.1, 0.1, 0.1}}, 2, 2); }, {"round a box", "cylinder, capsule, sphere"});
  ExpectError([] { WrappedGrid(HalfSpace{}, 2, 2); }, {"round a half_space"});
  ExpectError([] { WrappedGrid(Sphere{0.1}, 2, 0); }, {"2 rows x 0 columns"});
  ExpectError([] { WrappedGrid(Sphere{-1}, 2, 2); }, {"sphere: radius is -1"});
  ExpectError([] { WrappedGrid(Sphere{0.1}, 2, 2, Range(350 * kDegree, 10 * kDegree, -1, 1)); },
              {"around from 350 to 10 degrees", "greater than the first", "-10 10"});
  ExpectError([] { WrappedGrid(Sphere{0.1}, 2, 2, Range(-190 * kDegree, 180 * kDegree, -1, 1)); },
              {"around from -190 to 180 degrees", "at most 360"});
  ExpectError([] { WrappedGrid(Sphere{0.1}, 2, 2, Along(-1, 95 * kDegree)); },
              {"95 degrees", "sphere", "-90 to 90"});
  ExpectError([] { WrappedGrid(Sphere{0.1}, 2, 2, Along(1, 0.5)); }, {"along from", "rise"});
  ExpectError(
      [] {
        WrappedGrid(Cylinder{0.01, 0.03}, 2, 2, Along(-0.01, 0.016));
      },
      {"along from -0.01 to 0.016 m", "cylinder", "-0.015 to 0.015 m"});
  const double inf = std::numeric_limits<double>::infinity();
  ExpectError([&] { WrappedGrid(Cylinder{0.01, 0.03}, 2, 2, Along(-inf, 0.01)); }, {"-inf"});
  ExpectError([&] { WrappedGrid(Cylinder{0.01, 0.03}, 2, 2, Range(0, inf, -0.01, 0.01)); }, {"inf degrees"});
}

}  // namespace
}  // namespace taxel
