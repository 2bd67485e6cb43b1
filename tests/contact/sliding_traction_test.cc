// Friction without memory as a field:
//   - against the slip, tangential, no more than its bound; nothing at rest, where static friction could hold
//   - the law of the surfaces that are only looked at (Runtime::Sense), face by face
//   - spinning: against the slip of each point
#include "taxel/contact/sliding_traction.h"

#include <gtest/gtest.h>

#include "scenes.h"

namespace taxel {
using namespace internal;
namespace {

constexpr double kStiction = 1e-4;

FrictionParameters Rubber() {
  FrictionParameters p;
  p.static_friction = 0.9;
  p.dynamic_friction = 0.6;
  p.stribeck_speed = 0.02;
  return p;
}

TEST(SlidingTraction, AgainstTheSlipWithinItsBound) {
  const Vec3 n = normalized({0.2, -0.3, 0.9}), p{0.01, 0.02, -0.03};
  for (int i = 0; i < 200; ++i) {
    const double speed = std::pow(10, test::Uniform(1, i, -6, 0));
    RelativeMotion v;
    v.linear = speed * test::UniformDirection(2, i);
    const Traction t = SlidingTraction(Rubber(), v, kStiction).At(p, n);
    const Vec3 slip = v.linear - dot(v.linear, n) * n;
    EXPECT_NEAR(dot(t.ratio_W, n), 0, 1e-12);  // slips a thousandth of the motion cancel that far
    EXPECT_LT(norm(normalized(t.ratio_W) + normalized(slip)), 1e-12);
    EXPECT_LE(norm(t.ratio_W), t.capacity * (1 + 1e-15));
    EXPECT_GE(t.capacity, 0.6);
    EXPECT_LE(t.capacity, 0.9);
    EXPECT_TRUE(norm(slip) < kStiction || std::fabs(norm(t.ratio_W) - t.capacity) < 1e-15);
    EXPECT_TRUE(norm(slip) < 0.2 || std::fabs(t.capacity - 0.6) < 1e-12);
  }
}

TEST(SlidingTraction, AtRestNothingPullsAndStaticFrictionCouldHold) {
  const Traction t = SlidingTraction(Rubber(), {}, kStiction).At({1, 2, 3}, {0, 0, 1});
  EXPECT_EQ(t.ratio_W, (Vec3{}));
  EXPECT_EQ(t.capacity, 0.9);
  // Approaching is no slip.
  RelativeMotion v;
  v.linear = {0, 0, -0.3};
  EXPECT_EQ(norm(SlidingTraction(Rubber(), v, kStiction).At({1, 2, 3}, {0, 0, 1}).ratio_W), 0);
}

TEST(SlidingTraction, TheLawOfTheFaces) {
  const Body pad(Box{{0.08, 0.06, 0.02}}, test::Backed(5e4)), ball(Sphere{0.015}, {});
  const Pose X = test::TiltedPose();
  const ContactSurface s = ComputeContact(ball, X * test::At({0.003, 0.002, 0.0235}), pad, X);
  ASSERT_GT(s.num_faces(), 10);
  for (const double stribeck : {0.02, 1e-5}) {  // the latter is raised to ten times the stiction speed
    FrictionParameters mu = Rubber();
    mu.stribeck_speed = stribeck;
    for (const double speed : {3e-5, 2e-4, 5e-3, 0.3}) {
      RelativeMotion v;
      v.linear = speed * normalized({1, -0.4, 0.3});
      v.angular = {3 * speed, 20 * speed, -30 * speed};
      v.at = {0.01, 0, 0.02};
      const SlidingTraction field(mu, v, kStiction);
      Vec3 by_field, by_law;
      for (int f = 0; f < s.num_faces(); ++f) {
        const Vec3 &p = s.centroids[f], &n = s.normals[f];
        const double force = s.areas[f] * s.face_pressures[f];
        const Vec3 vt = v(p) - dot(v(p), n) * n;
        by_law += FrictionTraction(vt, force,
                                   StribeckFriction(norm(vt), mu.static_friction, mu.dynamic_friction,
                                                    std::max(mu.stribeck_speed, 10 * kStiction), kStiction));
        by_field += force * field.At(p, n).ratio_W;
      }
      EXPECT_GT(norm(by_law), 0);
      EXPECT_LT(norm(by_field - by_law), 1e-14 * s.normal_force);
    }
  }
}

TEST(SlidingTraction, SpinningSlipsRoundTheAxis) {
  RelativeMotion v;
  v.angular = {0, 0, 2};
  v.at = {0.01, -0.02, 0};
  const SlidingTraction field(Rubber(), v, kStiction);
  for (const Vec3& r : {Vec3{0.01, 0, 0}, Vec3{0, -0.02, 0}, Vec3{-0.01, 0.01, 0}}) {
    const Traction t = field.At(v.at + r, {0, 0, 1});
    EXPECT_LT(norm(normalized(t.ratio_W) - normalized(cross(r, Vec3{0, 0, 1}))), 1e-12);
  }
}

}  // namespace
}  // namespace taxel
