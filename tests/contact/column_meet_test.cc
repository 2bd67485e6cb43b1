// What a column meets of a shape, against marching along it by the signed distance: depth where the shape
// begins above the bone, its slopes by neighbouring columns, the shift for curvature by the mean over a cell;
// sides where the shape ends; a triangle and its edges; what looks away.
#include "taxel/contact/column_meet.h"

#include <gtest/gtest.h>

#include "scenes.h"
#include "taxel/shape/signed_distance.h"

namespace taxel {
using namespace internal;
namespace {

using test::RandomRotation;
using test::Uniform;

ColumnView View(const Mat3& R, const Vec3& o, double half = 0) {
  ColumnView k{};
  k.o = o, k.u = R * Vec3{1, 0, 0}, k.v = R * Vec3{0, 1, 0}, k.d = R * Vec3{0, 0, 1};
  k.mean_ss = k.mean_tt = half * half / 3;
  k.radius = std::sqrt(2.0) * half;
  return k;
}

// Depth of the first point inside, from 50 mm below upwards; negative infinity: it is missed.
double March(const Primitive& shape, const Vec3& o, const Vec3& d) {
  double tau = -0.05;
  while (tau < 0.05) {
    const double distance = SignedDistance(shape, o + tau * d);
    if (distance < 1e-13) return -tau;
    tau += distance;
  }
  return -HUGE_VAL;
}

double Least(const ColumnMeeting& m) {
  double least = HUGE_VAL;
  for (int i = 0; i < m.fronts; ++i) least = std::min(least, m.front[i].c);
  return least;
}

const Primitive kShapes[] = {Sphere{0.008}, Capsule{0.005, 0.012}, Cylinder{0.006, 0.014},
                             Ellipsoid{{0.006, 0.009, 0.012}}, Box{{0.01, 0.013, 0.017}}};

TEST(ColumnMeet, FindsWhereTheShapeBegins) {
  int met = 0;
  for (const Primitive& shape : kShapes)
    for (int i = 0; i < 200; ++i) {
      const Mat3 R = RandomRotation(1, i);
      const Vec3 o =
          R * Vec3{Uniform(2, i, -0.005, 0.005), Uniform(3, i, -0.005, 0.005), Uniform(4, i, -0.004, 0.004)};
      const ColumnView k = View(R, o, 1e-9);
      const double depth = March(shape, k.o, k.d);
      ColumnMeeting m;
      if (!MeetColumn(shape, k, &m)) {
        EXPECT_LT(depth, 0) << PrimitiveName(shape) << " " << i;
        continue;
      }
      // By the brink of a shape its slope is no longer followed, and walls are cut off by their sides.
      bool covered = true;
      for (int s = 0; s < m.sides; ++s) covered &= m.side[s].c > 1e-3;
      if (!covered || !(depth > 0) || m.bend > 1e-10) continue;
      EXPECT_NEAR(Least(m), depth, 2e-9) << PrimitiveName(shape) << " " << i;
      ++met;
    }
  EXPECT_GT(met, 400);
}

TEST(ColumnMeet, KnowsTheSlopesOfACurvedFace) {
  const double h = 1e-6;
  for (const Primitive& shape : {kShapes[0], kShapes[1], kShapes[3]})
    for (int i = 0; i < 60; ++i) {
      const Mat3 R = RandomRotation(7, i);
      const ColumnView k =
          View(R, R * Vec3{Uniform(2, i, -0.002, 0.002), Uniform(3, i, -0.002, 0.002), 0.001}, 1e-9);
      ColumnMeeting m;
      ASSERT_TRUE(MeetColumn(shape, k, &m));
      ASSERT_EQ(m.fronts, 1);
      EXPECT_NEAR(m.front[0].a,
                  (March(shape, k.o + h * k.u, k.d) - March(shape, k.o - h * k.u, k.d)) / (2 * h), 1e-4);
      EXPECT_NEAR(m.front[0].b,
                  (March(shape, k.o + h * k.v, k.d) - March(shape, k.o - h * k.v, k.d)) / (2 * h), 1e-4);
    }
}

// The plane's value at the centre of a cell is the mean depth over it.
TEST(ColumnMeet, ShiftsByTheMeanOfTheCurvature) {
  const double half = 0.0006;
  for (const Primitive& shape : {kShapes[0], kShapes[3]})
    for (int i = 0; i < 20; ++i) {
      const Mat3 R = RandomRotation(9, i);
      const ColumnView k = View(R, R * Vec3{0.0013, -0.0008, 0.001}, half);
      ColumnMeeting m;
      ASSERT_TRUE(MeetColumn(shape, k, &m));
      double mean = 0;
      constexpr int kParts = 40;
      for (int a = 0; a < kParts; ++a)
        for (int b = 0; b < kParts; ++b)
          mean += March(
              shape,
              k.o + ((a + 0.5) / kParts * 2 - 1) * half * k.u + ((b + 0.5) / kParts * 2 - 1) * half * k.v,
              k.d);
      mean /= kParts * kParts;
      EXPECT_NEAR(m.front[0].c, mean, 2e-7) << i;
      EXPECT_GT(m.bend, 0);
    }
}

TEST(ColumnMeet, WallsAreSides) {
  // A box and a cylinder that stand upright on the cell, whose edge lies across it.
  ColumnMeeting m;
  ASSERT_TRUE(MeetColumn(Box{{0.01, 0.02, 0.03}}, View(Mat3{}, {0.0048, 0.001, -0.0145}, 0.0005), &m));
  EXPECT_NEAR(Least(m), 0.0005, 1e-12);
  double least = HUGE_VAL;
  for (int i = 0; i < m.sides; ++i) least = std::min(least, m.side[i].c);
  EXPECT_NEAR(least, 0.0002, 1e-12);
  ASSERT_TRUE(MeetColumn(Cylinder{0.005, 0.03}, View(Mat3{}, {0.0048, 0, -0.0145}, 0.0005), &m));
  ASSERT_EQ(m.sides, 1);
  EXPECT_NEAR(m.side[0](0.0002, 0), 0, 0.01);
  EXPECT_GT(m.side[0](-0.0005, 0), 0.1);
  EXPECT_FALSE(MeetColumn(Cylinder{0.005, 0.03}, View(Mat3{}, {0.006, 0, -0.0145}, 0.0005), &m));
}

TEST(ColumnMeet, ATriangleIsMetWhereItLooksAtTheBone) {
  const Vec3 p[3] = {{0, 0, 0}, {0, 0.002, 0.0004}, {0.001, 0, 0.0002}};  // clockwise, seen from above
  const Vec3 n = normalized(cross(p[1] - p[0], p[2] - p[0]));
  ASSERT_LT(n.z, 0);
  const ColumnView k = View(Mat3{}, {0.0002, 0.0003, 0.001}, 0.0005);
  ColumnMeeting m;
  ASSERT_TRUE(MeetTriangle(p, n, k, &m));
  ASSERT_EQ(m.fronts, 1);
  ASSERT_EQ(m.sides, 3);
  EXPECT_NEAR(m.front[0].c, 0.001 - (0.2 * 0.0002 + 0.2 * 0.0003), 1e-15);
  EXPECT_NEAR(m.front[0].a, -0.2, 1e-12);
  EXPECT_NEAR(m.front[0].b, -0.2, 1e-12);
  const auto inside = [&](double s, double t) {
    return m.side[0](s, t) > 0 && m.side[1](s, t) > 0 && m.side[2](s, t) > 0;
  };
  EXPECT_TRUE(inside(0, 0));
  EXPECT_FALSE(inside(-0.0003, 0));
  EXPECT_FALSE(inside(0, -0.0004));
  EXPECT_FALSE(inside(0.0005, 0.0009));
  EXPECT_FALSE(MeetTriangle(p, -n, k, &m));                                      // looks away
  EXPECT_FALSE(MeetTriangle(p, n, View(Mat3{}, {0.01, 0, 0.001}, 0.0005), &m));  // elsewhere
}

}  // namespace
}  // namespace taxel
