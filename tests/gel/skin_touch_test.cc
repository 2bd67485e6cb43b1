// Cases: gap, normal and velocity at a tilted box that moves and turns, in units of its own; the nearest of
// two; half a cell is the end; a wall near its edge passes over the skin, higher up it holds; the
// face bends back there and pushes along the skin's normal; the rim;
// outside of the ball around it nothing is looked up. Bonds: drift from where the hand was before the step,
// velocity of a hand that turns.
#include "taxel/gel/skin_touch.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "taxel/math/pose.h"
#include "taxel/shape/to_kernel_shape.h"

namespace taxel {
using namespace internal;
namespace {

const MarkerDistance kBox{Primitive{Box{{2, 3, 4}}}}, kBall{Primitive{Sphere{1}}};  // full lengths; radius

SkinObject Object(const MarkerDistance& distance, const Pose& now, const Pose& before, double unit = 1) {
  SkinObject o;
  o.shape = ToKernelShape(distance, "object");
  o.unit = unit;
  o.radius = std::numeric_limits<double>::infinity();
  o.X = ToKernelPose(now), o.before = ToKernelPose(before);
  return o;
}

Pose Tilted(double angle, const Vec3& p) { return {RotationAbout(normalized({1, -2, 0.5}), angle), p}; }

TEST(FindTouch, GapNormalAndVelocity) {
  const double unit = 2;
  const Pose now = Tilted(0.7, {10, -3, 5}), before = Tilted(0.65, {10.1, -3.05, 5.02});
  const Vec3 q{1.13, 0.4, -0.9};  // 0.13 beyond the face x = 1, own units
  const Vec3 body = unit * q;
  SkinTouch t;
  t.x = now.R * body + now.p;
  const Vec3 then = before.R * body + before.p, normal = now.R * Vec3{1, 0, 0}, v = t.x - then;
  FindTouch({Object(kBox, now, before, unit)}, &t);
  ASSERT_EQ(t.object, 0);
  for (int k = 0; k < 3; ++k) {
    EXPECT_NEAR((&t.n.x)[k], normal[k], 1e-6);
    EXPECT_NEAR((&t.v.x)[k], v[k], 1e-6);
  }
  EXPECT_NEAR(t.gap, 0.26 + dot(v, normal), 1e-6);  // as before the motion
}

TEST(FindTouch, TheNearestWithinHalfACell) {
  const Pose ball{{}, {0, 0, 1.6}}, box{{}, {0, 0, -2.3}};
  SkinTouch t;  // at the origin: 0.6 below the ball, 0.3 above the box
  FindTouch({Object(kBall, ball, ball), Object(kBox, box, box)}, &t);
  EXPECT_EQ(t.object, 1);
  EXPECT_NEAR(t.gap, 0.3, 1e-6);
  FindTouch({Object(kBall, ball, ball)}, &t);
  EXPECT_EQ(t.object, SkinTouch::kFree);
  t.x = {0, 0, 0.11};
  FindTouch({Object(kBall, ball, ball)}, &t);
  EXPECT_EQ(t.object, 0);
  SkinObject small = Object(kBall, ball, ball);  // the ball around it says that it is elsewhere
  small.center = {0, 0, 3}, small.radius = 1;
  FindTouch({small}, &t);
  EXPECT_EQ(t.object, SkinTouch::kFree);
}

// A box of 2 x 3 x 4 with its face z = -2 in the skin, turned with it: near its wall x = 1. `normal`: of the
// skin as it is, `outward`: as it was, in the box's frame.
SkinTouch NearTheEdge(const MarkerDistance& shape, const Vec3& q, bool known, bool rim = false,
                      const Vec3& normal = {}, const Vec3& outward = {0, 0, 1}) {
  const Pose X = Tilted(0.4, {3, -1, 2});
  SkinTouch t;
  t.x = X * q;
  t.rim = rim;
  const Vec3 as_it_is = X.R * normal;
  t.normal = {as_it_is.x, as_it_is.y, as_it_is.z};
  if (known) t.outward = X.R * outward;
  FindTouch({Object(shape, X, X)}, &t);
  const Triple<float> n = t.n;
  const Vec3 back{X.R.col(0).x * n.x + X.R.col(0).y * n.y + X.R.col(0).z * n.z, 0,
                  X.R.col(2).x * n.x + X.R.col(2).y * n.y + X.R.col(2).z * n.z};
  t.x = back;  // the normal, in the box
  return t;
}

Vec3 Leaning(double degrees) {
  const double a = degrees * 3.14159265358979323846 / 180;
  return {std::sin(a), 0, std::cos(a)};
}

TEST(FindTouch, AWallPassesOverTheSkinNearItsEdge) {
  const Vec3 behind{0.95, 0.3, -1.6}, beside{1.04, 0.3, -1.6}, high{0.95, 0.3, 0.2};
  EXPECT_NEAR(NearTheEdge(kBox, behind, false).x.x, 1, 1e-5) << "without normals the wall pushes";
  const SkinTouch under = NearTheEdge(kBox, behind, true);
  EXPECT_EQ(under.object, 0);
  EXPECT_NEAR(under.x.x, 0.136, 1e-3) << "a quarter of the lean of the bent face";
  EXPECT_NEAR(under.x.z, -0.991, 1e-3) << "it is led under the face";
  EXPECT_NEAR(under.gap, -0.02, 1e-6) << "gently: 0.3 cells are not taken at once";
  EXPECT_NEAR(NearTheEdge(kBox, beside, true).gap, -0.02, 1e-6) << "the bent face goes on beside the wall";
  EXPECT_EQ(NearTheEdge(kBox, {1.8, 0.3, -1.6}, true).object, SkinTouch::kFree) << "and ends";
  EXPECT_NEAR(NearTheEdge(kBox, high, true).x.x, 1, 1e-5) << "2.2 cells up the wall holds";
  const SkinTouch flat = NearTheEdge(kBox, {0.2, 0.3, -1.99}, true);
  EXPECT_NEAR(flat.gap, -0.01, 1e-6) << "away from the edge all is as before";
  const SkinTouch ball = NearTheEdge(kBall, {0.95, 0, -0.1}, true);
  EXPECT_GT(ball.x.x, 0.99) << "what has no edges pushes as ever";
}

// 0.3 cells before the edge it begins, as a parabola of radius 0.4: after 0.25 cells the slope is 0.625.
TEST(FindTouch, AFaceBendsBackNearItsEdge) {
  const double slope = 0.25 / 0.4, height = 0.5 * 0.25 * slope, scale = 1 / std::sqrt(1 + slope * slope);
  EXPECT_NEAR(NearTheEdge(kBox, {0.95, 0.3, -2}, true).gap, scale * height, 1e-5);
  EXPECT_NEAR(NearTheEdge(kBox, {0.69, 0.3, -2}, true).gap, 0, 1e-6);
  const SkinTouch tilted = NearTheEdge(kBox, {0.95, 0.3, -2}, true, false, {}, Leaning(5));
  EXPECT_NEAR(tilted.x.x, scale * slope, 1e-5) << "fully where the face is tilted against the skin";
  EXPECT_NEAR(tilted.x.z, -scale, 1e-5);
}

TEST(FindTouch, NearAnEdgeThePushLeansAsTheSkinDoes) {
  const Vec3 near{0.95, 0.3, -2}, inside{-0.8, 0.3, -2}, skin = -1 * Leaning(-20);
  const SkinTouch full = NearTheEdge(kBox, near, true, false, Leaning(-20), Leaning(5));
  EXPECT_NEAR(full.x.x, skin.x, 1e-5);
  EXPECT_NEAR(full.x.z, skin.z, 1e-5);
  const Vec3 mean = normalized(0.25 * skin + 0.75 * Vec3{0, 0, -1});
  EXPECT_NEAR(NearTheEdge(kBox, near, true, false, Leaning(-20)).x.x, mean.x, 1e-5) << "less on a flat one";
  EXPECT_NEAR(NearTheEdge(kBox, near, true, false, -1 * Leaning(-20), Leaning(5)).x.x, 0.53, 1e-3)
      << "skin that is turned inside out does not count";
  const MarkerDistance wide{Primitive{Box{{6, 6, 4}}}};
  EXPECT_NEAR(NearTheEdge(wide, inside, true, false, Leaning(-20), Leaning(5)).x.z, -1, 1e-6)
      << "1.5 cells inside the face is flat";
}

TEST(FindTouch, NormalOfTheSkin) {
  const float sheared[9] = {0, 0, 0, 0, 0, 0, 0.5f, 0, 0};  // less the identity: z goes up with x
  const Triple<double> n = SkinNormal(sheared, true, {0, 0, 1});
  EXPECT_NEAR(n.x, -0.5 / std::sqrt(1.25), 1e-6);
  EXPECT_NEAR(n.z, 1 / std::sqrt(1.25), 1e-6);
  const float flat[9] = {1, 0, 0, 0, 1, 0, 0, 0, 0.1f}, lost[9] = {};
  EXPECT_NEAR(SkinNormal(flat, false, {0, 0, 1}).z, 1, 1e-6);
  EXPECT_EQ(SkinNormal(lost, false, {0, 0, 1}).z, 0);
}

TEST(FindTouch, TheRimMeetsOnlyWhatPressesTheSkin) {
  EXPECT_EQ(NearTheEdge(kBox, {0.95, 0.3, -0.4}, true, true).object, SkinTouch::kFree) << "a wall";
  EXPECT_EQ(NearTheEdge(kBox, {0.2, 0.3, -1.95}, true, true).object, 0);
  const Pose X = Tilted(0.4, {3, -1, 2});
  SkinObject floor = Object(MarkerDistance{Primitive{HalfSpace{}}}, X, X);
  floor.floor = true;
  SkinTouch t;
  t.x = X * Vec3{0.4, 0.2, -0.03};
  t.outward = X.R * Vec3{0, 0, 1};
  FindTouch({floor}, &t);
  EXPECT_EQ(t.object, SkinTouch::kFree) << "the face does not meet the plane of the back";
  t.rim = true;
  FindTouch({floor}, &t);
  EXPECT_EQ(t.object, 0);
  EXPECT_NEAR(t.gap, -0.03, 1e-6);
}

TEST(SkinBonds, PullToTheHand) {
  const Vec3 home{1, 2, 3};
  SkinBonds bonds;
  bonds.Assign({{0, 0, 0}, home});
  SkinTouch t;
  t.x = {1.5, 2, 3};
  bonds.Hold(1, &t);  // the hand has not moved
  EXPECT_EQ(t.object, SkinTouch::kBond);
  EXPECT_FLOAT_EQ(t.drift.x, 0.5f);
  EXPECT_EQ(t.v.x, 0);
  const Pose now = Tilted(0.2, {0.1, 0.2, -0.1}), before = Tilted(0.15, {0.05, 0.2, -0.1});
  bonds.Move(ToKernelPose(now), ToKernelPose(before));
  bonds.Hold(1, &t);
  const Vec3 then = before.R * home + before.p, v = now.R * home + now.p - then;
  for (int k = 0; k < 3; ++k) {
    EXPECT_NEAR((&t.drift.x)[k], t.x[k] - then[k], 1e-6);
    EXPECT_NEAR((&t.v.x)[k], v[k], 1e-6);
  }
}

}  // namespace
}  // namespace taxel
