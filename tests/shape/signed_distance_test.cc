// Signed distance to the analytic shapes. Cases:
//   hand-computed values on faces, edges, corners, axes, inside and outside
//   all shapes: the distance is 1-Lipschitz; the gradient is a unit vector, agrees with central differences,
//   and p - d grad is on the surface box, cylinder, capsule: against a dense set of surface points medial
//   points: the gradient is the direction to one of the nearest surface points
#include "taxel/shape/signed_distance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "test_meshes.h"

namespace taxel {
namespace {

const Primitive kShapes[] = {Sphere{0.03},         Box{{0.05, 0.02, 0.09}},       Cylinder{0.02, 0.07},
                             Capsule{0.015, 0.06}, Ellipsoid{{0.05, 0.02, 0.03}}, HalfSpace{}};

Vec3 Point(int i) { return test::UniformInBox(31, i, {-0.08, -0.07, -0.09}, {0.07, 0.08, 0.1}); }

TEST(SignedDistance, ValuesByHand) {
  const Box box{{0.06, 0.04, 0.1}};
  EXPECT_DOUBLE_EQ(SignedDistance(box, {0.06, 0.06, 0.05}), 0.05);      // edge: 3-4-5
  EXPECT_DOUBLE_EQ(SignedDistance(box, {-0.05, -0.04, -0.06}), 0.03);   // corner: 2-2-1
  EXPECT_DOUBLE_EQ(SignedDistance(box, {0.01, -0.03, 0.01}), 0.01);     // face
  EXPECT_DOUBLE_EQ(SignedDistance(box, {0.01, -0.012, 0.01}), -0.008);  // inside
  EXPECT_DOUBLE_EQ(SignedDistance(box, {}), -0.02);
  const Cylinder cylinder{0.05, 0.08};
  EXPECT_DOUBLE_EQ(SignedDistance(cylinder, {0.048, -0.064, -0.08}), 0.05);  // rim: radius 0.08, 3-4-5
  EXPECT_DOUBLE_EQ(SignedDistance(cylinder, {0.006, 0.008, 0.06}), 0.02);    // end
  EXPECT_DOUBLE_EQ(SignedDistance(cylinder, {0.024, 0.032, 0.01}), -0.01);   // nearer to the side
  EXPECT_DOUBLE_EQ(SignedDistance(cylinder, {0, 0, 0.01}), -0.03);           // nearer to the end
  const Capsule capsule{0.02, 0.06};
  EXPECT_DOUBLE_EQ(SignedDistance(capsule, {0.03, 0, 0.07}), 0.03);  // cap: 3-4-5
  EXPECT_DOUBLE_EQ(SignedDistance(capsule, {0.003, 0.004, -0.02}), -0.015);
  EXPECT_DOUBLE_EQ(SignedDistance(Sphere{0.03}, {0.02, -0.04, 0.04}), 0.03);
  EXPECT_DOUBLE_EQ(SignedDistance(HalfSpace{}, {1, 2, -0.3}), -0.3);
}

TEST(SignedDistance, NoSteeperThanOne) {
  for (const Primitive& shape : kShapes)
    for (int i = 0; i < 2000; ++i) {
      const Vec3 p = Point(2 * i), q = Point(2 * i + 1);
      EXPECT_LE(std::fabs(SignedDistance(shape, p) - SignedDistance(shape, q)), norm(p - q) + 1e-15);
    }
}

TEST(SignedDistance, GradientLeadsToTheSurface) {
  for (const Primitive& shape : kShapes)
    for (int i = 0; i < 2000; ++i) {
      const Vec3 p = Point(i);
      const double d = SignedDistance(shape, p);
      const Vec3 g = SignedDistanceGradient(shape, p);
      EXPECT_NEAR(norm(g), 1, 1e-14) << PrimitiveName(shape);
      EXPECT_NEAR(SignedDistance(shape, p - d * g), 0, 1e-15) << PrimitiveName(shape);
    }
}

TEST(SignedDistance, GradientAgreesWithDifferences) {
  const double h = 1e-6;
  for (const Primitive& shape : kShapes) {
    int close = 0;
    for (int i = 0; i < 1000; ++i) {
      const Vec3 p = Point(i), g = SignedDistanceGradient(shape, p);
      Vec3 difference;
      for (int k = 0; k < 3; ++k) {
        Vec3 up = p, down = p;
        up[k] += h, down[k] -= h;
        difference[k] = (SignedDistance(shape, up) - SignedDistance(shape, down)) / (2 * h);
      }
      // Curvature up to 1 / 0.01: errors of 1e4 h^2 = 1e-8, and rounding 1e-17 / h = 1e-11.
      close += norm(difference - g) < 1e-6;
    }
    EXPECT_GE(close, 990) << PrimitiveName(shape);  // a few points straddle a kink
  }
}

TEST(SignedDistance, NoSurfacePointIsNearer) {
  for (const Primitive& shape : {kShapes[1], kShapes[2], kShapes[3]})
    for (int i = 0; i < 200; ++i) {
      const Vec3 p = Point(i);
      const double d = SignedDistance(shape, p);
      double nearest = std::numeric_limits<double>::infinity();
      for (int j = 0; j < 4000; ++j) {
        Vec3 x = test::UniformInBox(32, j, {-0.06, -0.06, -0.08}, {0.06, 0.06, 0.08});
        x = x - SignedDistance(shape, x) * SignedDistanceGradient(shape, x);
        nearest = std::min(nearest, norm(p - x));
      }
      EXPECT_LE(std::fabs(d), nearest + 1e-15);
      EXPECT_GE(std::fabs(d),
                nearest - 0.006);  // 4000 points on about 0.02 m2 leave gaps of a few millimetres
    }
}

TEST(SignedDistance, MedialPointsHaveAUnitGradient) {
  for (const Primitive& shape : kShapes)
    for (const Vec3& p :
         {Vec3{}, Vec3{0, 0, 0.001}, Vec3{0, 0.001, 0}, Vec3{-0.001, 0, 0}, Vec3{1e-200, -1e-200, 0}}) {
      const Vec3 g = SignedDistanceGradient(shape, p);
      EXPECT_NEAR(norm(g), 1, 1e-14) << PrimitiveName(shape);
      EXPECT_NEAR(SignedDistance(shape, p - SignedDistance(shape, p) * g), 0, 1e-15) << PrimitiveName(shape);
    }
  EXPECT_EQ(SignedDistanceGradient(Box{{0.04, 0.04, 0.1}}, {0.02, 0.02, 0.01}),
            (Vec3{1, 0, 0}));  // on an edge
}

}  // namespace
}  // namespace taxel
