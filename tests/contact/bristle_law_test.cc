// The stretch of a bristle:
//   - breakaway 1: elastic up to the bound, then as long as the bound along the motion
//   - never longer than s_max, whatever goes in
//   - breakaway 0, LuGre in closed form: approach s_max (1 - exp(-x / s_max)), reversal, steady state; the
//     steps themselves
//   - between: elastic below breakaway s_max, yielding above, continuous at the join; no creep under shaking
//   - rest, lost contact, turned frames
// Stribeck's curve: its ends, its point at v_str, monotone.
#include "taxel/contact/bristle_law.h"

#include <gtest/gtest.h>

#include "scenes.h"

namespace taxel {
namespace {

const Vec3 kAlong = normalized({0.6, -0.3, 0.2}), kAcross = normalized(cross(kAlong, {0.1, 0.9, 0.4}));

TEST(AdvanceStretch, IsElasticUpToTheBound) {
  const double longest = 2e-4;
  Vec3 s, sum;
  for (int i = 0; i < 19; ++i) {
    const Vec3 d = 1e-5 * kAlong + (i % 2 ? 2e-6 : -1e-6) * kAcross;
    s = AdvanceStretch(s, d, longest, 1);
    sum += d;
    EXPECT_LT(norm(s - sum), 1e-18);
  }
  // Back the same way: nothing was lost.
  EXPECT_LT(norm(AdvanceStretch(s, -sum, longest, 1)), 1e-18);
  // Beyond the bound: as long as it, along stretch plus motion.
  const Vec3 far = AdvanceStretch(s, 3e-4 * kAcross, longest, 1);
  EXPECT_NEAR(norm(far), longest, 1e-18);
  EXPECT_NEAR(dot(far, normalized(s + 3e-4 * kAcross)), longest, 1e-18);
}

TEST(AdvanceStretch, IsNeverLongerThanTheBound) {
  for (int i = 0; i < 20000; ++i) {
    const double longest = std::pow(10, test::Uniform(1, i, -9, 0));
    const double breakaway = i % 5 == 0 ? 0 : (i % 5 == 1 ? 1 : test::Uniform(2, i, 0, 1));
    const Vec3 s = longest * std::pow(10, test::Uniform(3, i, -3, 3)) * test::UniformDirection(4, i);
    const Vec3 d = longest * std::pow(10, test::Uniform(5, i, -6, 6)) * test::UniformDirection(6, i);
    const Vec3 next = AdvanceStretch(s, d, longest, breakaway);
    ASSERT_TRUE(is_finite(next));
    ASSERT_LE(norm(next), longest * (1 + 1e-14)) << "breakaway " << breakaway;
  }
}

TEST(AdvanceStretch, BreakawayZeroIsLuGre) {
  // ds/dx = 1 - s / s_max from 0: s = s_max (1 - exp(-x / s_max)).
  const double longest = 1.5e-4;
  for (int n : {1000, 10000}) {
    const double step = 4 * longest / n;
    Vec3 s;
    double worst = 0;
    for (int i = 1; i <= n; ++i) {
      s = AdvanceStretch(s, step * kAlong, longest, 0);
      EXPECT_LT(norm(s - dot(s, kAlong) * kAlong), 1e-16 * n * longest);  // rounding, n steps
      worst = std::max(worst, std::fabs(dot(s, kAlong) / longest - (1 - std::exp(-i * step / longest))));
    }
    // Backward Euler: error of first order, at most step / (2 e s_max) here.
    EXPECT_LT(worst, 0.5 * std::exp(-1.0) * step / longest * 1.05);
    EXPECT_GT(worst, 0.1 * step / longest);
  }
}

TEST(AdvanceStretch, BreakawayZeroStepsAreBackwardEuler) {
  const double longest = 1e-4;
  for (int i = 0; i < 200; ++i) {
    const double before = test::Uniform(7, i, 0, 1) * longest, x = test::Uniform(8, i, 0, 5) * longest;
    const Vec3 s = AdvanceStretch(before * kAlong, x * kAlong, longest, 0);
    EXPECT_NEAR(dot(s, kAlong), (before + x) / (1 + x / longest), 1e-18);
  }
  // The steady state is s_max and stays there.
  EXPECT_NEAR(norm(AdvanceStretch(longest * kAlong, 3e-6 * kAlong, longest, 0)), longest, 1e-18);
}

TEST(AdvanceStretch, BreakawayZeroReversesLikeLuGre) {
  // alpha = 1 everywhere, also while unloading: from s_max with v < 0, ds/dx = -1 - s / s_max, hence
  // s = s_max (2 exp(-x / s_max) - 1).
  const double longest = 1.2e-4;
  const int n = 10000;
  const double step = 3 * longest / n;
  Vec3 s = longest * kAlong;
  double worst = 0;
  for (int i = 1; i <= n; ++i) {
    s = AdvanceStretch(s, -step * kAlong, longest, 0);
    worst = std::max(worst, std::fabs(dot(s, kAlong) / longest - (2 * std::exp(-i * step / longest) - 1)));
  }
  EXPECT_LT(worst, 2 * step / longest);
}

TEST(AdvanceStretch, YieldsBetweenBreakawayAndTheBound) {
  const double longest = 1e-4, breakaway = 0.6, step = 1e-8;
  Vec3 s;
  double x = 0, before_slope = 1;
  while (x < 3 * longest) {
    const Vec3 next = AdvanceStretch(s, step * kAlong, longest, breakaway);
    const double slope = dot(next - s, kAlong) / step, length = norm(next);
    if (length < breakaway * longest) {
      EXPECT_NEAR(slope, 1, 1e-9);
    } else {
      // ds/dx = 1 - alpha s / s_max with the half cosine; the step moves t by at most 2.5e-4.
      const double t = (length / longest - breakaway) / (1 - breakaway);
      const double alpha = 0.5 - 0.5 * std::cos(test::kPi * std::min(t, 1.0));
      EXPECT_NEAR(slope, 1 - alpha * length / longest, 1e-3);
    }
    EXPECT_LT(std::fabs(slope - before_slope), 1e-3);  // no jump at the join
    before_slope = slope;
    s = next;
    x += step;
  }
  // The steady state is the bound: approached, not passed.
  EXPECT_GT(norm(s), 0.99 * longest);
  EXPECT_LE(norm(s), longest);
}

TEST(AdvanceStretch, DoesNotCreepUnderShakingBelowBreakaway) {
  const double longest = 1e-4;
  const Vec3 held = 0.4 * longest * kAlong;
  for (double breakaway : {0.6, 1.0}) {
    Vec3 s = held;
    for (int i = 0; i < 10000; ++i)
      s = AdvanceStretch(s, (i % 2 ? -1 : 1) * 0.15 * longest * kAlong, longest, breakaway);
    EXPECT_LT(norm(s - held), 1e-12 * longest * 100) << breakaway;
  }
  // LuGre does creep: that is why it is not the default.
  Vec3 s = held;
  for (int i = 0; i < 10000; ++i)
    s = AdvanceStretch(s, (i % 2 ? -1 : 1) * 0.15 * longest * kAlong, longest, 0);
  EXPECT_GT(norm(s - held), 0.1 * longest);
}

TEST(AdvanceStretch, RestKeepsAndLostContactForgets) {
  const Vec3 s = 7e-5 * kAlong;
  for (double breakaway : {0.0, 0.4, 1.0}) {
    EXPECT_EQ(AdvanceStretch(s, {}, 1e-4, breakaway), s);
    EXPECT_NEAR(norm(AdvanceStretch(s, {}, 2e-5, breakaway)), 2e-5, 1e-19);  // the bound shrank
    EXPECT_EQ(AdvanceStretch(s, s, 0, breakaway), Vec3{});
    EXPECT_EQ(AdvanceStretch(s, s, -1, breakaway), Vec3{});
    EXPECT_EQ(AdvanceStretch(s, s, std::nan(""), breakaway), Vec3{});
  }
}

TEST(AdvanceStretch, TurnsWithItsInput) {
  const Mat3 R = test::RandomRotation(9, 1);
  for (int i = 0; i < 200; ++i) {
    const Vec3 s = 1e-4 * test::Uniform(10, i, 0, 1) * test::UniformDirection(11, i);
    const Vec3 d = 1e-4 * test::Uniform(12, i, 0, 2) * test::UniformDirection(13, i);
    const double breakaway = test::Uniform(14, i, 0, 1);
    EXPECT_LT(norm(AdvanceStretch(R * s, R * d, 1e-4, breakaway) - R * AdvanceStretch(s, d, 1e-4, breakaway)),
              1e-18);
  }
}

TEST(StribeckCoefficient, FallsFromStaticToDynamic) {
  const double s = 0.9, d = 0.55, v = 0.02;
  EXPECT_DOUBLE_EQ(StribeckCoefficient(0, s, d, v), s);
  EXPECT_DOUBLE_EQ(StribeckCoefficient(v, s, d, v), d + (s - d) * std::exp(-1.0));
  EXPECT_DOUBLE_EQ(StribeckCoefficient(100 * v, s, d, v), d);
  EXPECT_EQ(StribeckCoefficient(1e-3, 0.4, 0.4, v), 0.4);
  double before = s;
  for (double x = 1e-4; x < 1; x *= 1.05) {
    const double mu = StribeckCoefficient(x, s, d, v);
    EXPECT_LE(mu, before);
    EXPECT_GE(mu, d);
    before = mu;
  }
}

}  // namespace
}  // namespace taxel
