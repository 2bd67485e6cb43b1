// Cores behind soft layers:
//   - the gap along a flat press, in the linear part, the stiffening part and beyond, in a tilted world
//   - a shell; two soft bodies in series; nothing where nothing is near
//   - the way out: the pad's own for the wall of what went through it; the plane's for a plate on its edge
//   - what is left of the push beyond the core
#include "taxel/contact/core_touch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "scenes.h"
#include "taxel/contact/contact.h"

namespace taxel {
namespace {

using test::At;
using test::Backed;
using test::Soft;

struct Found {
  ContactSurface surface;
  std::vector<CoreTouch> touches;
  double least() const {
    double gap = HUGE_VAL;
    for (const CoreTouch& c : touches) gap = std::min(gap, c.gap);
    return gap;
  }
};
Found Find(const Body& A, const Pose& X_WA, const Body& B, const Pose& X_WB, double reach) {
  Found out;
  out.surface = ComputeContact(A, X_WA, B, X_WB);
  Patch patch;
  patch.Build(out.surface, X_WB.R, {});
  FindCoreTouches(out.surface, patch, A, B, reach, &out.touches);
  return out;
}

TEST(FindCoreTouches, AFlatPressHasTheGapOfItsDepth) {
  const Pose X = test::TiltedPose();
  const Vec3 up = X.R * Vec3{0, 0, 1};
  const double T = 0.012;
  const Body pad(Box{{0.08, 0.06, T}}, Backed(5e4)), block(Box{{0.03, 0.02, 0.04}}, {});
  for (double u : {0.3, 0.85, 0.93, 0.96, 0.985}) {
    const Pose X_block = X * At({0.004, -0.003, 0.5 * T - u * T + 0.02});
    const double gap = (0.975 - u) * T;
    const double reach = std::max(gap, 0.0) + 1e-6;
    const Found found = Find(block, X_block, pad, X, reach);
    ASSERT_GE(found.touches.size(), 4u) << u;  // a plate is held at its corners
    for (const CoreTouch& c : found.touches) {
      EXPECT_NEAR(c.gap, gap, 1e-9) << u;
      EXPECT_LT(norm(c.n_W - up), 1e-9) << u;
    }
    // The other way round the way out is that of the pad.
    const Found turned = Find(pad, X, block, X_block, reach);
    EXPECT_EQ(turned.touches.size(), found.touches.size());
    for (const CoreTouch& c : turned.touches) EXPECT_LT(norm(c.n_W + up), 1e-9) << u;
    if (gap > 0) {
      EXPECT_TRUE(Find(block, X_block, pad, X, 0.9 * gap).touches.empty()) << u;
    }
  }
}

TEST(FindCoreTouches, OfAShellIsMeasuredAlongItsRadius) {
  const double R = 0.02, T = 0.004, r = 0.006;
  BodyOptions o = Backed(3e5);
  o.field.thickness = T;
  const Body shell(Sphere{R}, o), ball(Sphere{r}, {});
  const Vec3 n = normalized({0.3, -0.5, 0.6});
  for (double u : {0.5, 0.95, 1.2}) {
    const Found found = Find(ball, At((R + r - u * T) * n), shell, At({0, 0, 0}), T);
    ASSERT_FALSE(found.touches.empty()) << u;
    EXPECT_NEAR(found.least(), (0.975 - u) * T, 0.01 * T) << u;  // facets
    const auto deepest =
        std::min_element(found.touches.begin(), found.touches.end(),
                         [](const CoreTouch& a, const CoreTouch& b) { return a.gap < b.gap; });
    EXPECT_GT(dot(deepest->n_W, n), 0.98) << u;
  }
}

TEST(FindCoreTouches, TwoSoftBodiesGiveWayTogether) {
  // Equal balls, each with its core at 0.8 R: pressed by d each, 2 (0.8 R - d) are left.
  const double R = 0.02, d = 0.6 * R;
  const Body ball(Sphere{R}, Soft(1e5));
  const Vec3 n = normalized({0.3, -0.5, 0.6});
  const Found found = Find(ball, At(2 * (R - d) * n), ball, At({0, 0, 0}), R);
  ASSERT_FALSE(found.touches.empty());
  EXPECT_NEAR(found.least(), 2 * (0.8 * R - d), 0.02 * R);
  // The softer one is flat first: three quarters of the way are its own.
  const Body stiff(Sphere{R}, Soft(3e5));
  const double both = 0.8 * R * (1 + 1.0 / 3), pressed = 0.5 * both;
  const Found other = Find(stiff, At((2 * R - pressed) * n), ball, At({0, 0, 0}), R);
  ASSERT_FALSE(other.touches.empty());
  EXPECT_NEAR(other.least(), both - pressed, 0.03 * R);
}

TEST(FindCoreTouches, TheWallOfWhatWentThroughAPadIsPushedOutOfIt) {
  const double T = 0.004;
  const Body pad(Box{{0.06, 0.06, T}}, Backed(5e4));
  // A ball that reaches below the back: what is left in the pad is a band of its lower half, which looks
  // aside.
  const Body ball(Sphere{0.01}, {});
  const Found found = Find(ball, At({0.003, 0.002, 0.5 * T - 0.006 + 0.01}), pad, At({0, 0, 0}), 1e-4);
  ASSERT_FALSE(found.touches.empty());
  for (const CoreTouch& c : found.touches) EXPECT_LT(norm(c.n_W - Vec3{0, 0, 1}), 1e-9);
}

TEST(FindCoreTouches, APlateOnItsEdgeIsHeldByThePlane) {
  const Body plate(Box{{0.03, 0.04, 0.002}}, Soft(5e4)), floor(HalfSpace{}, {});
  const Mat3 R = RotationAbout({1, 0, 0}, 0.5 * test::kPi);  // its thin side looks along y
  const Found found = Find(plate, Pose{R, {0, 0, 0.02 - 0.003}}, floor, At({0, 0, 0}), 1e-4);
  ASSERT_FALSE(found.touches.empty());
  for (const CoreTouch& c : found.touches) EXPECT_GT(c.n_W.z, 0.999);
}

TEST(PushBeyondCore, FadesWithWhatNobodyPaidFor) {
  const Body pad(Box{{0.06, 0.06, 0.01}}, Backed(5e4)), block(Box{{0.02, 0.02, 0.02}}, {});
  const auto push = [&](double gap) { return PushBeyondCore(pad, block, {{{}, {0, 0, 1}, gap}}); };
  EXPECT_EQ(PushBeyondCore(pad, block, {}), 1);
  EXPECT_EQ(push(0.001), 1);
  EXPECT_EQ(push(0), 1);
  EXPECT_NEAR(push(-0.25 * 0.00975), 0.5, 1e-9);
  EXPECT_EQ(push(-0.01), kLeastPush);
}

}  // namespace
}  // namespace taxel
