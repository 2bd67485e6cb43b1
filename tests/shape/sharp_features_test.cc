// SharpFeatures and FavouredFrame:
//   - tilted L prism: 18 sharp edges (diagonals of its faces are none), 12 corners, which are its vertices
//   - prism of 24 sides: its rims are sharp lines without corners; its upright edges (15 degrees) are none
//   - sphere: nothing sharp
//   - a wedge that fades out: the end of its edge is a corner
//   - nearest point on the edges and nearest corner against brute force; nothing beyond the reach
//   - favoured frame: columns at right angles; along the faces of a tilted box; the identity for a sphere and
//   for an
//     aligned L; a lone favoured direction is kept
#include "taxel/shape/sharp_features.h"

#include <gtest/gtest.h>

#include "taxel/shape/primitive_tets.h"
#include "taxel/shape/triangle_distance.h"
#include "test_meshes.h"

namespace taxel {
using namespace internal;
namespace {

using namespace test;

constexpr double kAngle = 30 * M_PI / 180;

TEST(SharpFeatures, FindsThoseOfATiltedL) {
  const TriangleMesh mesh = Transformed(TiltedPose(), LPrism(0.02, 0.017));
  const SharpFeatures features(mesh, kAngle);
  EXPECT_EQ(features.edges().size(), 18u);
  ASSERT_EQ(features.corners().size(), 12u);
  for (int c = 0; c < 12; ++c) EXPECT_EQ(features.corners()[c], mesh.vertices[features.corner_vertices()[c]]);
}

TEST(SharpFeatures, RimsHaveNoCorners) {
  constexpr int kSides = 24;
  TriangleMesh m;
  for (double z : {0.0, 0.05})
    for (int i = 0; i < kSides; ++i)
      m.vertices.push_back(
          {0.03 * std::cos(2 * M_PI * i / kSides), 0.03 * std::sin(2 * M_PI * i / kSides), z});
  for (int i = 0; i < kSides; ++i) {
    const int j = (i + 1) % kSides;
    m.triangles.push_back({i, j, kSides + j});
    m.triangles.push_back({i, kSides + j, kSides + i});
    if (i > 0 && j > 0) {
      m.triangles.push_back({0, j, i});
      m.triangles.push_back({kSides, kSides + i, kSides + j});
    }
  }
  const SharpFeatures features(m, kAngle);
  EXPECT_EQ(features.edges().size(), 2u * kSides);
  EXPECT_TRUE(features.corners().empty());
}

TEST(SharpFeatures, FindsNothingOnASphere) {
  const SharpFeatures features(Icosphere(2, 0.03), kAngle);
  EXPECT_TRUE(features.edges().empty());
  EXPECT_TRUE(features.corners().empty());
  EXPECT_FALSE(features.ClosestOnEdges({0, 0, 0}, 1));
  EXPECT_EQ(features.ClosestCorner({0, 0, 0}, 1), -1);
}

TEST(SharpFeatures, AnEdgeThatFadesEndsInACorner) {
  // A sheet folded along x: by 90 degrees over the first stretch, by 11 degrees over the second.
  TriangleMesh m;
  m.vertices = {{0, 0, 0},     {1, 0, 0},      {2, 0, 0},      {0.5, 1, -1},
                {0.5, -1, -1}, {1.5, 1, -0.1}, {1.5, -1, -0.1}};
  m.triangles = {{0, 1, 3}, {1, 0, 4}, {1, 2, 5}, {2, 1, 6}};
  const SharpFeatures features(m, kAngle);
  ASSERT_EQ(features.edges().size(), 1u);
  EXPECT_EQ(features.corners().size(), 2u);
}

TEST(SharpFeatures, FindsTheNearest) {
  const SharpFeatures features(Transformed(TiltedPose(), LPrism(0.02, 0.017)), kAngle);
  for (int i = 0; i < 200; ++i) {
    const Vec3 p = UniformInBox(11, i, {-0.05, -0.05, -0.05}, {0.08, 0.08, 0.08});
    double edge = INFINITY, corner = INFINITY;
    for (const auto& e : features.edges())
      edge = std::min(edge, norm(ClosestPointOnSegment(e.a, e.b, p) - p));
    for (const Vec3& c : features.corners()) corner = std::min(corner, norm(c - p));
    const auto found = features.ClosestOnEdges(p, 1);
    ASSERT_TRUE(found);
    EXPECT_NEAR(norm(*found - p), edge, 1e-15);
    EXPECT_NEAR(norm(features.corners()[features.ClosestCorner(p, 1)] - p), corner, 1e-15);
    EXPECT_FALSE(features.ClosestOnEdges(p, 0.99 * edge));
    EXPECT_EQ(features.ClosestCorner(p, 0.99 * corner), -1);
  }
}

TEST(FavouredFrame, FollowsATiltedBox) {
  const Pose X = TiltedPose();
  const Mat3 R = FavouredFrame(Transformed(X, PrimitiveSurface(Box{{0.03, 0.05, 0.02}})));
  EXPECT_LT(RotationDefect(R), 1e-12);
  for (int c = 0; c < 3; ++c) {
    const Vec3 a = cwise_abs(TransposeMul(X.R, R.col(c)));
    EXPECT_NEAR(std::max({a.x, a.y, a.z}), 1, 1e-12);
  }
}

TEST(FavouredFrame, LeavesTheRestAlone) {
  EXPECT_EQ(FavouredFrame(Icosphere(3, 0.03)), Mat3{});
  EXPECT_EQ(FavouredFrame(LPrism(0.02, 0.017)), Mat3{});
}

TEST(FavouredFrame, KeepsALoneDirection) {
  const Pose X = TiltedPose();
  const Mat3 R = FavouredFrame(Transformed(X, PrimitiveSurface(Cylinder{0.05, 0.02}, 0.004)));
  EXPECT_LT(RotationDefect(R), 1e-12);
  const Vec3 axis = X.R * Vec3{0, 0, 1};
  double best = 0;
  for (int c = 0; c < 3; ++c) best = std::max(best, std::fabs(dot(R.col(c), axis)));
  EXPECT_NEAR(best, 1, 1e-12);
}

}  // namespace
}  // namespace taxel
