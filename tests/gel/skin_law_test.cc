// Cases: contact: apart, near, touching, inside, pulled; the cone along a tilted normal, no friction,
// sticking; a wrong start is corrected; the start from the last step; bonds.
#include "taxel/gel/skin_law.h"

#include <gtest/gtest.h>

namespace taxel {
namespace {

using T3 = Triple<double>;
const T3 kN = [] {
  const double s = 1 / std::sqrt(1 + 4 + 0.25);
  return T3{s, 2 * s, -0.5 * s};
}();
const T3 kT = [] {
  const double s = 1 / std::sqrt(5.0);
  return T3{2 * s, -s, 0};
}();
/// A point that has just come.
SkinGrip<double> Grip(double friction) { return {friction, 0, {}}; }
/// The point's velocity after the new impulse, were it alone.
T3 After(const T3& v, const T3& before, const T3& now, double d) { return v + d * (now - before); }
void ExpectNear(const T3& a, const T3& b) {
  EXPECT_NEAR(a.x, b.x, 1e-12);
  EXPECT_NEAR(a.y, b.y, 1e-12);
  EXPECT_NEAR(a.z, b.z, 1e-12);
}

TEST(ContactImpulse, PushesOnlyWhenItMust) {
  const double d = 1.7;
  ExpectNear(ContactImpulse(T3{}, 0.1 * kN, kN, 0.0, Grip(0.5), d), {});   // goes away
  ExpectNear(ContactImpulse(T3{}, -0.1 * kN, kN, 0.2, Grip(0.5), d), {});  // will not arrive
  ExpectNear(ContactImpulse(0.01 * kN, 0.3 * kN, kN, 0.0, Grip(0.5), d),
             {});  // last step's impulse is too much: no pull
  const T3 arrives = ContactImpulse(T3{}, -0.1 * kN, kN, 0.04, Grip(0.5), d);  // goes the gap and no farther
  ExpectNear(After(-0.1 * kN, {}, arrives, d), -0.04 * kN);
  const T3 inside = ContactImpulse(T3{}, -0.1 * kN, kN, -0.3, Grip(0.5), d);  // comes out by a share
  ExpectNear(After(-0.1 * kN, {}, inside, d), 0.3 * kSkinPull * kN);
  EXPECT_GT(Dot(inside, kN), 0);
}

TEST(ContactImpulse, SticksInsideTheConeAndSlidesOnIt) {
  const double d = 1.7;
  const T3 v = -0.1 * kN + 0.03 * kT;
  const T3 sticks = ContactImpulse(T3{}, v, kN, 0.0, Grip(0.4), d);
  ExpectNear(After(v, {}, sticks, d), {});
  const T3 slides = ContactImpulse(T3{}, v, kN, 0.0, Grip(0.2), d);
  ExpectNear(slides, (0.1 / d) * (kN - 0.2 * kT));
  ExpectNear(ContactImpulse(T3{}, v, kN, 0.0, Grip(0.0), d), (0.1 / d) * kN);
  const T3 fast = -0.001 * kN + 7.0 * kT;
  ExpectNear(After(fast, {}, ContactImpulse(T3{}, fast, kN, 0.0, Grip(-1.0), d), d),
             {});  // holds whatever the pressure
  // What the last step left is part of the cone.
  const T3 before = 0.2 * kN - 0.06 * kT;
  const T3 now = ContactImpulse(before, 0.02 * kT, kN, 0.0, Grip(0.3), d);
  ExpectNear(now, 0.2 * kN - 0.06 * kT);
  const T3 less = ContactImpulse(before, {}, kN, 0.0, Grip(0.1), d);
  ExpectNear(less, 0.2 * kN - 0.02 * kT);
}

TEST(ContactImpulse, HoldsWhereItWasGripped) {
  const double d = 1.7;
  SkinGrip<double> grip{0.4, 0.5, 0.1 * kT + 3.0 * kN};  // drift along the normal is the gap's business
  const T3 before = 0.2 * kN;
  ExpectNear(ContactImpulse(before, T3{}, kN, 0.0, grip, d), before - (double(kSkinPull) * 0.1 / d) * kT);
  // The smoothed pressure bounds friction, not that of the moment.
  grip = {0.4, 0.5, {}};
  ExpectNear(ContactImpulse(0.01 * kN - 0.19 * kT, T3{}, kN, 0.0, grip, d), 0.01 * kN - 0.19 * kT);
  ExpectNear(ContactImpulse(0.01 * kN - 0.21 * kT, T3{}, kN, 0.0, grip, d), 0.01 * kN - 0.2 * kT);
  // A moment without pressure does not let go, a gap does.
  ExpectNear(ContactImpulse(-0.1 * kT, 0.2 * kN, kN, 0.01, grip, d), -0.1 * kT);
  ExpectNear(ContactImpulse(-0.1 * kT, 0.2 * kN, kN, 0.1, grip, d), {});
  grip.pressed = 0;
  ExpectNear(ContactImpulse(-0.1 * kT, 0.2 * kN, kN, 0.01, grip, d), {});
}

TEST(ContactStart, KeepsMostOfTheImpulseAndPullsNever) {
  ExpectNear(ContactStart(0.2 * kN - 0.06 * kT, kN), double(kSkinKeep) * (0.2 * kN - 0.06 * kT));
  ExpectNear(ContactStart(-0.2 * kN + 0.06 * kT, kN),
             double(kSkinKeep) * 0.06 * kT);  // the normal has turned away
}

TEST(BondImpulse, FollowsTheHandAndTakesDriftBack) {
  const T3 v{0.1, -0.2, 0.05}, drift{0.3, 0.1, -0.2}, before{1, 2, 3};
  ExpectNear(After(v, before, BondImpulse(before, v, drift, 0.8), 0.8), -double(kSkinPull) * drift);
}

}  // namespace
}  // namespace taxel
