// Approach:
//   - spheres, half spaces on either side: depth and direction in closed form; separated or not
//   - tilted boxes, capsules, cylinders, ellipsoids: within 5 % of the least width over 20,000 directions
//   - the cap contains every sampled point of the overlap, for random pairs; `separated` is never wrong
//   - a mesh: sphere, ellipsoid and capsule against a coarse box and a fine ball; depth, direction,
//   separation; a body wholly inside tetrahedra
#include "taxel/contact/approach.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "scenes.h"
#include "taxel/shape/signed_distance.h"

namespace taxel {
using namespace internal;
namespace {

using test::At;
using test::UniformDirection;

double Width(const Primitive& A, const Pose& X_AB, const Primitive& B, const Vec3& n) {
  return dot(n, SupportPoint(A, n) - X_AB * SupportPoint(B, -TransposeMul(X_AB.R, n)));
}

TEST(SupportPoint, IsOnTheSurfaceAndFarthest) {
  const Primitive shapes[] = {Sphere{0.03}, Box{{0.02, 0.05, 0.03}}, Cylinder{0.02, 0.07},
                              Capsule{0.01, 0.04}, Ellipsoid{{0.01, 0.03, 0.02}}};
  for (const Primitive& shape : shapes)
    for (int i = 0; i < 300; ++i) {
      const Vec3 n = UniformDirection(5, i), s = SupportPoint(shape, 7.0 * n);
      EXPECT_NEAR(SignedDistance(shape, s), 0, 1e-15);
      // No other surface point, found as the support of another direction, is farther.
      for (int j = 0; j < 50; ++j)
        EXPECT_LE(dot(n, SupportPoint(shape, UniformDirection(6, j))), dot(n, s) + 1e-15);
    }
}

TEST(ApproachOfPrimitives, SpheresMeetAlongTheirCentres) {
  const Vec3 c{0.03, -0.05, 0.04};
  const Approach a = ApproachOfPrimitives(Sphere{0.06}, {test::RandomRotation(1, 1), c}, Sphere{0.02});
  EXPECT_FALSE(a.separated);
  EXPECT_NEAR(a.depth, 0.08 - norm(c), 1e-15);
  EXPECT_NEAR(dot(a.n_A, normalized(c)), 1, 1e-15);
  EXPECT_TRUE(ApproachOfPrimitives(Sphere{0.05}, At(c), Sphere{0.02}).separated);
  // Concentric: any direction will do.
  const Approach inside = ApproachOfPrimitives(Sphere{0.05}, Pose{}, Sphere{0.02});
  EXPECT_NEAR(inside.depth, 0.07, 1e-15);
  EXPECT_NEAR(norm(inside.n_A), 1, 1e-15);
}

TEST(ApproachOfPrimitives, HalfSpacesGiveTheExactDepthOnEitherSide) {
  const Primitive shapes[] = {Sphere{0.03}, Box{{0.02, 0.05, 0.03}}, Cylinder{0.02, 0.07},
                              Capsule{0.01, 0.04}, Ellipsoid{{0.01, 0.03, 0.02}}};
  for (const Primitive& shape : shapes)
    for (int i = 0; i < 50; ++i) {
      const Pose X_HS = test::RandomPose(3, i, 0.05);  // the shape in the half space's frame
      double lowest = 1;
      for (int j = 0; j < 4000; ++j)
        lowest = std::min(lowest, (X_HS * SupportPoint(shape, UniformDirection(4, j))).z);
      const Approach first = ApproachOfPrimitives(HalfSpace{}, X_HS, shape);
      const Approach second = ApproachOfPrimitives(shape, Inverse(X_HS), HalfSpace{});
      // 4,000 directions come within 0.04 rad: 0.035 (1 - cos) = 3e-5 for round bodies, corners exactly.
      EXPECT_NEAR(first.depth, -lowest, 1e-4);
      EXPECT_NEAR(second.depth, first.depth, 1e-15);
      EXPECT_EQ(first.separated, first.depth <= 0);
      EXPECT_EQ(second.separated, first.separated);
      EXPECT_EQ(first.n_A, (Vec3{0, 0, 1}));
      EXPECT_LT(norm(X_HS.R * second.n_A + Vec3{0, 0, 1}), 1e-15);
    }
}

const Primitive kShapes[] = {Sphere{0.03},           Box{{0.05, 0.03, 0.02}}, Cylinder{0.02, 0.07},
                             Cylinder{0.04, 0.02},   Capsule{0.012, 0.06},    Ellipsoid{{0.015, 0.04, 0.025}},
                             Box{{0.09, 0.01, 0.02}}};

TEST(ApproachOfPrimitives, NineOfTenRandomPairsComeWithinFivePercentOfBruteForce) {
  std::vector<Vec3> directions;
  for (int i = 0; i < 20000; ++i) directions.push_back(UniformDirection(8, i));
  int pairs = 0, loose = 0;
  double worst = 0;
  for (int i = 0; pairs < 150; ++i) {
    const Primitive& A = kShapes[i % 7];
    const Primitive& B = kShapes[(i / 7) % 7];
    const Pose X_AB{test::RandomRotation(9, i), test::Uniform(10, i, 0.02, 0.06) * UniformDirection(11, i)};
    const Approach a = ApproachOfPrimitives(A, X_AB, B);
    if (a.separated) continue;
    ++pairs;
    double least = 1;
    for (const Vec3& n : directions) least = std::min(least, Width(A, X_AB, B, n));
    EXPECT_NEAR(a.depth, Width(A, X_AB, B, a.n_A), 1e-14);
    const double excess = a.depth / least - 1;
    worst = std::max(worst, excess);
    loose += excess > 0.05;
  }
  // Any direction is valid; a poor one makes facets larger, by the root of the excess, and costs no more than
  // that. The descent can stick in a crease, mostly where a rim is involved.
  EXPECT_LE(loose, 15) << "of 150; worst " << worst;
  EXPECT_LT(worst, 1);
}

TEST(ApproachOfPrimitives, FindsTheCornerThatACapsuleTouches) {
  // The box's corner at (0.02, 0.03, 0.01) points at the capsule's side, 1 mm deep.
  const Box box{{0.04, 0.06, 0.02}};
  const Vec3 corner{0.02, 0.03, 0.01}, n = normalized({0.6, 0.5, 0.4});
  const Capsule capsule{0.01, 0.05};
  Vec3 e1, e2;
  MakeFrame(n, &e1, &e2);
  const Pose X_AB{FromColumns(e2, n, e1), corner + (0.01 - 0.001) * n};  // the axis is e1, across n
  const Approach a = ApproachOfPrimitives(box, X_AB, capsule);
  EXPECT_FALSE(a.separated);
  EXPECT_NEAR(a.depth, 0.001, 5e-5);
  EXPECT_GT(dot(a.n_A, n), 0.99);
  Pose apart = X_AB;
  apart.p += 0.0011 * n;
  EXPECT_TRUE(ApproachOfPrimitives(box, apart, capsule).separated);
}

TEST(ApproachOfPrimitives, TheCapHoldsTheWholeOverlap) {
  int overlapping = 0, points = 0;
  for (int i = 0; i < 600; ++i) {
    const Primitive& A = kShapes[i % 7];
    const Primitive& B = kShapes[(i / 7) % 7];
    const Pose X_AB{test::RandomRotation(13, i), test::Uniform(14, i, 0, 0.08) * UniformDirection(15, i)};
    const Approach a = ApproachOfPrimitives(A, X_AB, B);
    const double offset = dot(a.n_A, SupportPoint(A, a.n_A)) - a.depth;
    bool found = false;
    const Box3 box = BoundingBox(B);
    for (int j = 0; j < 400; ++j) {
      const Vec3 x = X_AB * test::UniformInBox(16, 1000 * i + j, box.lo, box.hi);
      if (SignedDistance(A, x) > 0 || SignedDistance(B, Inverse(X_AB) * x) > 0) continue;
      found = true;
      ++points;
      ASSERT_GE(dot(a.n_A, x), offset - 1e-12) << i;
    }
    ASSERT_FALSE(found && a.separated) << i;
    overlapping += found;
  }
  EXPECT_GT(overlapping, 200);
  EXPECT_GT(points, 5000);
}

TEST(ApproachOfPrimitives, SeparatedPairsAreSeen) {
  // Boxes edge to edge, apart along the cross product of the edges: no face normal separates them.
  const Primitive box = Box{{0.04, 0.04, 0.04}};
  const Vec3 n = normalized({1, 0, 1}), y{0, 1, 0}, side = cross(n, y);
  const Vec3 edge = std::cos(0.6) * y + std::sin(0.6) * side;  // of B, across n
  const Mat3 R = FromColumns(n, edge, cross(n, edge)) * Transpose(FromColumns(n, y, side));
  const double reach = 0.04 * std::sqrt(2.0);
  for (double gap : {-0.003, -0.001, 0.0005, 0.002}) {
    const Approach a = ApproachOfPrimitives(box, {R, (reach + gap) * n + 0.002 * y}, box);
    EXPECT_EQ(a.separated, gap > 0) << gap;
    if (gap > 0) continue;
    EXPECT_NEAR(a.depth, -gap, 0.05 * -gap);
    EXPECT_GT(dot(a.n_A, n), 0.99);
  }
}

// A body whose surface or tetrahedra ApproachOfMesh reads.
TEST(ApproachOfMesh, ASphereOnABoxMesh) {
  const Body box(test::BoxMesh({0.1, 0.08, 0.06}), {});
  const Pose X = test::TiltedPose();
  for (double d : {-0.001, 1e-5, 0.003, 0.02}) {
    // Above the top face, off its diagonal.
    const Pose X_AB = Inverse(At({0.021, -0.013, 0.03 + 0.025 - d})) * Pose{};
    const Pose turned = Pose{X.R, {}} * X_AB;  // the sphere's own frame may be turned
    const Approach a = ApproachOfMesh(Sphere{0.025}, turned, box.data());
    EXPECT_EQ(a.separated, d < 0);
    if (d < 0) continue;
    EXPECT_NEAR(a.depth, d, 1e-14);
    EXPECT_NEAR(dot(a.n_A, X.R * Vec3{0, 0, -1}), 1, 1e-12);
  }
  // On the edge and on the corner the depth is that of the nearest point.
  const Vec3 corner{0.05, 0.04, 0.03}, out = normalized({0.5, 0.7, 0.4});
  const Approach a = ApproachOfMesh(Sphere{0.025}, At(-(corner + (0.025 - 0.002) * out)), box.data());
  EXPECT_NEAR(a.depth, 0.002, 1e-14);
  EXPECT_NEAR(dot(a.n_A, -out), 1, 1e-12);
}

TEST(ApproachOfMesh, RoundBodiesOnAFineBall) {
  const Body ball(test::Icosphere(4, 0.03), {});
  for (int i = 0; i < 40; ++i) {
    const Vec3 n = UniformDirection(17, i);
    const Approach a = ApproachOfMesh(Sphere{0.02}, {test::RandomRotation(18, i), 0.048 * n}, ball.data());
    // The facets of the icosphere (5,120) lie up to 3e-5 inside the ball.
    EXPECT_NEAR(a.depth, 0.002, 4e-5);
    EXPECT_GT(dot(a.n_A, n), 0.995);
    // A capsule whose side faces the ball, and an ellipsoid with its long axis across.
    Vec3 e1, e2;
    MakeFrame(n, &e1, &e2);
    const Pose X_BA{FromColumns(e1, e2, n), 0.048 * n};  // the axis z of A points away from the ball
    const Pose across = X_BA * Pose{RotationAbout({1, 0, 0}, test::kPi / 2), {}};
    const Approach c = ApproachOfMesh(Capsule{0.02, 0.05}, Inverse(across), ball.data());
    EXPECT_NEAR(c.depth, 0.002, 4e-5);
    const Approach e = ApproachOfMesh(Ellipsoid{{0.05, 0.04, 0.02}}, Inverse(X_BA), ball.data());
    EXPECT_FALSE(e.separated);
    // Depth as 1 - |S^-1 x| in units of the shortest axis; along that axis it is the depth itself.
    EXPECT_NEAR(e.depth, 0.002, 4e-5);
    EXPECT_LT(e.n_A.z, -0.99);
  }
}

TEST(ApproachOfMesh, ATiltedCapsuleOnALargeTriangleDoesNotMissItsLowEnd) {
  // Two triangles of 0.4 m; the capsule's end dips 2 mm below them far from their middles.
  const Body plate(test::BoxMesh({0.4, 0.3, 0.02}), {});
  const Capsule capsule{0.01, 0.1};
  for (double angle : {0.05, 0.1, 0.2, 0.5, 1.0})
    for (double x : {-0.15, 0.03, 0.14}) {
      // The lower end at height 0.01 - 0.002 above the top face.
      const Mat3 R = RotationAbout({0, 1, 0}, test::kPi / 2 - angle);
      const Vec3 center = Vec3{x, 0.04, 0.01 + 0.008} + 0.05 * R.col(2) * (R.col(2).z > 0 ? 1.0 : -1.0);
      const Approach a = ApproachOfMesh(capsule, Inverse(Pose{R, center}), plate.data());
      EXPECT_FALSE(a.separated) << "angle " << angle << " x " << x;
      // Too shallow a depth would leave parts of the overlap out; too great a one only costs time.
      EXPECT_GE(a.depth, 0.99 * 0.002) << "angle " << angle << " x " << x;
      EXPECT_LE(a.depth, 0.01 + 1e-12);
    }
}

TEST(ApproachOfMesh, InsideTetrahedraIsFullDepth) {
  const Body soft(test::BoxMesh({0.1, 0.08, 0.06}), test::Soft(1e5)),
      shell(test::BoxMesh({0.1, 0.08, 0.06}), {});
  const Pose X_AB = Inverse(Pose{test::RandomRotation(19, 2), {0.011, -0.004, 0.003}});
  const Approach in_soft = ApproachOfMesh(Sphere{0.01}, X_AB, soft.data());
  EXPECT_FALSE(in_soft.separated);
  EXPECT_NEAR(in_soft.depth, 0.01, 1e-15);
  // A rigid shell has no inside to touch.
  EXPECT_TRUE(ApproachOfMesh(Sphere{0.01}, X_AB, shell.data()).separated);
}

}  // namespace
}  // namespace taxel
