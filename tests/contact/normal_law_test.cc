// Normal law:
//   - dissipation of a pair: weighted by softness, symmetric; a rigid side contributes nothing
//   - gradients in series; rigid sides; no gradient at all
//   - Hunt-Crossley: the law in closed form; never suction at any speed; the true time step; monotone in
//   speed; no NaN for rigid on rigid
#include "taxel/contact/normal_law.h"

#include <gtest/gtest.h>

#include <limits>

namespace taxel {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(CombineDissipation, TheSofterSideCountsMore) {
  // E* = EA EB / (EA + EB) = 0.75e5: weights 0.75 for the softer, 0.25 for the stiffer.
  EXPECT_DOUBLE_EQ(CombineDissipation(1e5, 10, 3e5, 20), 0.75 * 10 + 0.25 * 20);
  EXPECT_DOUBLE_EQ(CombineDissipation(3e5, 20, 1e5, 10), CombineDissipation(1e5, 10, 3e5, 20));
  EXPECT_DOUBLE_EQ(CombineDissipation(2e4, 7, 2e4, 9), 8);
}

TEST(CombineDissipation, ARigidSideContributesNothing) {
  EXPECT_EQ(CombineDissipation(1e5, 10, 0, 99), 10);
  EXPECT_EQ(CombineDissipation(0, 99, 1e5, 10), 10);
  EXPECT_EQ(CombineDissipation(0, 99, -1, 10), 0);
  // The limit of a very stiff side is the rigid one.
  EXPECT_NEAR(CombineDissipation(1e5, 10, 1e15, 99), 10, 1e-7);
}

TEST(SeriesGradient, AddsCompliances) {
  EXPECT_DOUBLE_EQ(SeriesGradient(2e6, 3e6), 1 / (1 / 2e6 + 1 / 3e6));
  EXPECT_EQ(SeriesGradient(2e6, kInf), 2e6);
  EXPECT_EQ(SeriesGradient(kInf, 3e6), 3e6);
  EXPECT_EQ(SeriesGradient(kInf, kInf), kInf);
  EXPECT_EQ(SeriesGradient(0, 0), 0);
  EXPECT_EQ(SeriesGradient(0, 3e6), 0);
}

TEST(HuntCrossleyPressure, FollowsTheFormula) {
  const double p0 = 1200, g = 4e6, d = 15, h = 0.002;
  for (double v : {-0.3, -0.02, 0.0, 0.03, 0.06}) {
    EXPECT_DOUBLE_EQ(HuntCrossleyPressure(p0, g, d, v, h), (p0 - h * g * v) * (1 - d * v)) << v;
    EXPECT_DOUBLE_EQ(HuntCrossleyPressure(p0, g, d, v, 0), p0 * (1 - d * v)) << v;
  }
}

TEST(HuntCrossleyPressure, UsesTheTrueTimeStep) {
  // Elastic pressure at the end of the step, p0 - h g v: halving the step halves the change.
  const double p0 = 1000, g = 1e6, v = -0.1;
  EXPECT_DOUBLE_EQ(HuntCrossleyPressure(p0, g, 0, v, 0.004) - p0, 400);
  EXPECT_DOUBLE_EQ(HuntCrossleyPressure(p0, g, 0, v, 0.002) - p0, 200);
}

TEST(HuntCrossleyPressure, NeverPullsHoweverFastTheBodiesPart) {
  const double p0 = 1000, g = 1e6;
  for (double d : {0.0, 1.0, 20.0, 500.0})
    for (double h : {0.0, 1e-4, 1e-3, 0.1}) {
      double before = kInf;
      for (double v = -2; v < 20; v += 0.01) {
        const double p = HuntCrossleyPressure(p0, g, d, v, h);
        ASSERT_GE(p, 0);
        // Falling in v: where both factors are negative their product must not come back.
        ASSERT_LE(p, before) << "v " << v << " d " << d << " h " << h;
        before = p;
      }
    }
  EXPECT_EQ(HuntCrossleyPressure(p0, g, 20, 10, 0.1), 0);  // both factors are far below zero
}

TEST(HuntCrossleyPressure, RigidOnRigidAtRestIsNoNaN) {
  EXPECT_EQ(HuntCrossleyPressure(1000, kInf, 5, 0, 0.001), 1000);
  EXPECT_EQ(HuntCrossleyPressure(1000, kInf, 5, 0.1, 0), 1000 * 0.5);
  EXPECT_EQ(HuntCrossleyPressure(0, 0, 0, 0, 0), 0);
}

}  // namespace
}  // namespace taxel
