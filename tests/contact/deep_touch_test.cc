// Bodies deeper in each other than their surface tells:
//   - the way out of primitives, pads, tetrahedra and triangles, in hollows and outside
//   - the middle of a body: inside, with a ball about it; none for half spaces and open triangles
//   - a middle may come as near to the core as the ball about it allows, whatever the surface says, from
//     either side of the pair; a pad's middle is no bone, its back is
//   - past the middle of a ball; the side of a pad on a plane, on several points
#include "taxel/contact/deep_touch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "scenes.h"
#include "taxel/contact/body_data.h"
#include "taxel/contact/contact.h"
#include "taxel/shape/mesh_distance.h"

namespace taxel {
using namespace internal;
namespace {

using test::At;
using test::Backed;
using test::Soft;

// A channel along y: a floor and two walls, 2 mm thick, 10 mm wide and high.
TriangleMesh Channel() {
  TriangleMesh out;
  const double x[] = {-5e-3, 5e-3, 5e-3, 3e-3, 3e-3, -3e-3, -3e-3, -5e-3};
  const double z[] = {0, 0, 10e-3, 10e-3, 2e-3, 2e-3, 10e-3, 10e-3};
  for (double y : {-8e-3, 8e-3})
    for (int i = 0; i < 8; ++i) out.vertices.push_back({x[i], y, z[i]});
  for (int i = 0; i < 8; ++i) {
    const int a = i, b = (i + 1) % 8;
    out.triangles.push_back({a, b, b + 8}), out.triangles.push_back({a, b + 8, a + 8});
  }
  for (const auto& t : {std::array{0, 1, 4}, std::array{0, 4, 5}, std::array{1, 2, 3}, std::array{1, 3, 4},
                        std::array{0, 5, 6}, std::array{0, 6, 7}}) {
    out.triangles.push_back({t[2], t[1], t[0]});
    out.triangles.push_back({t[0] + 8, t[1] + 8, t[2] + 8});
  }
  if (EnclosedVolume(out) < 0)
    for (auto& t : out.triangles) std::swap(t[0], t[1]);
  return out;
}

void ExpectWay(const Body& body, const Vec3& p, double depth, const Vec3& out, double tolerance = 1e-9) {
  const WayOut way = FindWayOut(body, p);
  EXPECT_NEAR(way.depth, depth, tolerance * (1 + depth)) << body.name();
  EXPECT_LT(norm(way.out - out), 1e3 * tolerance) << body.name();
}

TEST(FindWayOut, OfPrimitives) {
  ExpectWay(Body(Sphere{0.01}, {}), {0.003, 0, 0.004}, 0.005, {0.6, 0, 0.8});
  ExpectWay(Body(Sphere{0.01}, Soft(1e5)), {0.003, 0, 0.004}, 0.005, {0.6, 0, 0.8});
  ExpectWay(Body(Capsule{0.01, 0.05}, {}), {0, -0.006, 0.02}, 0.004, {0, -1, 0});
  ExpectWay(Body(HalfSpace{}, {}), {0.4, 0.1, -0.03}, 0.03, {0, 0, 1});
  ExpectWay(Body(Box{{0.02, 0.04, 0.06}}, {}), {0.008, 0.001, -0.002}, 0.002, {1, 0, 0});
  // What is in a pad came in by its face, however near a side or its back is.
  ExpectWay(Body(Box{{0.02, 0.04, 0.01}}, Backed(1e5)), {0.0099, 0.001, -0.004}, 0.009, {0, 0, 1});
  for (const Body& body : {Body(Sphere{0.01}, {}), Body(Box{{0.02, 0.04, 0.01}}, Backed(1e5))})
    EXPECT_EQ(FindWayOut(body, {0.02, 0.001, 0}).depth, 0);
}

TEST(FindWayOut, OfMeshes) {
  const Body block(test::BoxMesh({0.02, 0.04, 0.06}), {}), soft(test::BoxMesh({0.02, 0.03, 0.04}), Soft(1e5));
  ExpectWay(block, {0.008, 0.001, -0.002}, 0.002, {1, 0, 0});
  ExpectWay(soft, {-0.007, 0.001, -0.002}, 0.003, {-1, 0, 0}, 1e-4);
  const Body channel(Channel(), {});
  ExpectWay(channel, {0.0, 0.002, 0.0015}, 0.0005, {0, 0, 1});
  ExpectWay(channel, {-0.0035, 0.002, 0.007}, 0.0005, {1, 0, 0});
  EXPECT_EQ(FindWayOut(channel, {0.0, 0.002, 0.006}).depth, 0);      // in the hollow
  EXPECT_EQ(FindWayOut(channel, {0.0029, 0.002, 0.0021}).depth, 0);  // in its corner
  EXPECT_EQ(FindWayOut(channel, {0.02, 0, 0.001}).depth, 0);
}

TEST(Middle, LiesInTheBody) {
  for (const Body& body :
       {Body(Channel(), {}), Body(Channel(), Soft(1e5)), Body(test::BoxMesh({1e-2, 2e-2, 3e-2}), {})}) {
    ASSERT_TRUE(body.data().has_middle);
    const MeshDistance distance(body.data().surface);
    const double d = distance.SignedDistance(body.data().middle);
    EXPECT_LT(d, -0.6e-3);
    EXPECT_NEAR(body.data().inner_radius, -d, 1e-9);
  }
  EXPECT_EQ(Body(Capsule{0.004, 0.03}, {}).data().inner_radius, 0.004);
  EXPECT_FALSE(Body(HalfSpace{}, {}).data().has_middle);
  TriangleMesh sheet = test::BoxMesh({1e-2, 2e-2, 3e-2});
  sheet.triangles.resize(2);
  EXPECT_FALSE(Body(sheet, {}).data().has_middle);
}

// A small soft ball in a stiff thick pad: the surface of equal pressure lies above the ball, if anywhere.
TEST(FindMiddleTouches, HoldsSoftInSoft) {
  const Pose X = test::TiltedPose();
  const Vec3 up = X.R * Vec3{0, 0, 1};
  const double T = 0.018, r = 0.004, u = 0.7;
  const Body pad(Box{{0.08, 0.08, T}}, Backed(8e6)), ball(Sphere{r}, Soft(9e5));
  const Pose X_ball = X * At({0.01, -0.02, 0.5 * T - u * T});
  const double gap = 0.975 * T + 0.8 * r - u * T - r;
  for (bool ball_first : {true, false}) {
    std::vector<CoreTouch> out;
    if (ball_first)
      FindMiddleTouches(ball, X_ball, pad, X, gap + 1e-6, &out);
    else
      FindMiddleTouches(pad, X, ball, X_ball, gap + 1e-6, &out);
    ASSERT_EQ(out.size(), 1u);
    EXPECT_NEAR(out[0].gap, gap, 1e-12);
    EXPECT_LT(norm(out[0].n_W - (ball_first ? up : -up)), 1e-12);
    EXPECT_LT(norm(out[0].p_W - X_ball.p), 1e-12);
  }
  std::vector<CoreTouch> none;
  FindMiddleTouches(ball, X_ball, pad, X, gap - 1e-6, &none);
  FindMiddleTouches(ball, X * At({0, 0, 0.5 * T + 0.5 * r}), pad, X, 1, &none);  // shallow: its middle is out
  EXPECT_TRUE(none.empty());
}

TEST(FindMiddleTouches, HoldsMeshesInMeshes) {
  const Body stone(test::BoxMesh({0.03, 0.03, 0.03}), {}), ball(Sphere{0.006}, Soft(1e5));
  std::vector<CoreTouch> out;
  FindMiddleTouches(stone, At({0, 0, 0}), ball, At({0.002, 0.001, 0.011}), 1e-4, &out);
  // The stone's middle is not in the ball; the ball's is 4 mm in the stone, and its own core has 1.2 mm.
  ASSERT_EQ(out.size(), 1u);
  EXPECT_NEAR(out[0].gap, -0.004 - 0.2 * 0.006, 1e-9);
  EXPECT_LT(norm(out[0].n_W - Vec3{0, 0, -1}), 1e-9);
}

// A peg that is half in: the pad's middle is in the peg, which is no harm.
TEST(FindMiddleTouches, APadsMiddleIsNoBone) {
  const Body pad(Box{{0.04, 0.04, 0.01}}, Backed(1e5)), peg(Box{{0.01, 0.01, 0.05}}, {});
  std::vector<CoreTouch> out;
  FindMiddleTouches(peg, At({0, 0, 0.005 + 0.025 - 0.006}), pad, At({0, 0, 0}), 1e-3, &out);
  EXPECT_TRUE(out.empty());
}

TEST(FindMiddleTouches, AMeshedPadStandsOnItsBack) {
  BodyOptions o = Backed(1e5, 0.004);
  const Body pad(test::BoxMesh({0.02, 0.03, 0.004}), o), floor(HalfSpace{}, {});
  // On its side, 1 mm in the floor: the edge of its back is held, and its face is not.
  const Mat3 R = RotationAbout({1, 0, 0}, 0.5 * test::kPi);
  std::vector<CoreTouch> out;
  FindMiddleTouches(pad, Pose{R, {0.1, -0.2, 0.015 - 0.001}}, floor, At({0, 0, 0}), 1e-4, &out);
  ASSERT_GE(out.size(), 2u);
  for (const CoreTouch& c : out) {
    EXPECT_NEAR(c.gap, -0.001, 1e-9);
    EXPECT_LT(norm(c.n_W - Vec3{0, 0, 1}), 1e-12);
    EXPECT_NEAR(c.p_W.y, -0.2 + 0.002, 1e-6);
  }
  out.clear();
  FindMiddleTouches(floor, At({0, 0, 0}), pad, Pose{R, {0, 0, 0.0151}}, 1e-5, &out);
  EXPECT_TRUE(out.empty());
}

TEST(FindDeepTouch, HoldsWhatJumpedPastTheMiddle) {
  BodyOptions o = Backed(3e5);
  o.field.thickness = 0.005;
  const Body shell(Ellipsoid{{0.016, 0.013, 0.0098}}, o), ball(Sphere{0.0102}, {});
  // Its lowest point is beyond the middle, its own middle is not: every face looks the wrong way.
  const Pose X = At({0, 0, 0.0073});
  const ContactSurface surface = ComputeContact(ball, X, shell, At({0, 0, 0}));
  std::vector<CoreTouch> out;
  FindDeepTouch(surface, ball, X, shell, At({0, 0, 0}), 1e-4, &out);
  ASSERT_GE(out.size(), 1u);
  for (const CoreTouch& c : out) {
    EXPECT_GT(c.n_W.z, 0.99);
    EXPECT_GE(c.gap, out[0].gap - 1e-9);  // the first is the deepest
  }
  EXPECT_NEAR(out[0].gap, 0.975 * 0.005 - (0.0098 + 0.0102 - 0.0073), 2e-4);
  // Apart, or shallow: nothing.
  out.clear();
  FindDeepTouch({}, ball, At({0, 0, 0.021}), shell, At({0, 0, 0}), 1e-4, &out);
  EXPECT_TRUE(out.empty());
}

TEST(FindDeepTouch, ThePadsSideStandsOnSeveralPoints) {
  const double T = 0.005;
  const Body pad(Box{{0.03, 0.04, T}}, Backed(5e4)), floor(HalfSpace{}, {});
  const Mat3 R = RotationAbout({1, 0, 0}, 0.5 * test::kPi);
  std::vector<CoreTouch> out;
  FindDeepTouch({}, pad, Pose{R, {0, 0, 0.02 - 0.002}}, floor, At({0, 0, 0}), 1e-4, &out);
  ASSERT_GE(out.size(), 3u);
  for (const CoreTouch& c : out) {
    EXPECT_EQ(c.gap, 0);  // held, not brought back
    EXPECT_GT(c.n_W.z, 0.999999);
  }
}

}  // namespace
}  // namespace taxel
