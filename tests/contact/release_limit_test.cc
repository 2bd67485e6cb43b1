// What a contact may give back:
//   - elastic energy of a flat press in closed form, tilted; of a ball nine tenths
//   - the first budget: all for what was put there, none for what came in the last step
//   - a step never leaves faster than the budget allows, by a mass on a spring stepped here, implicit and
//     explicit; what may is not held back
//   - a bounce from a leap leaves no faster than it came, over many depths and stiffnesses
//   - the budget: work in, and slow forgetting where nothing was held back
#include "taxel/contact/release_limit.h"

#include <gtest/gtest.h>

#include <cmath>

#include "scenes.h"
#include "taxel/contact/contact.h"

namespace taxel {
using namespace internal;
namespace {

using test::At;
using test::Backed;

Patch PatchOf(const Body& A, const Pose& X_WA, const Body& B, const Pose& X_WB) {
  Patch patch;
  patch.Build(ComputeContact(A, X_WA, B, X_WB), X_WB.R, {});
  return patch;
}

TEST(ElasticEnergy, OfAFlatPressAndABall) {
  const Pose X = test::TiltedPose();
  const double T = 0.01, E = 5e4, depth = 0.004, area = 0.02 * 0.03;
  const Body pad(Box{{0.08, 0.06, T}}, Backed(E)), block(Box{{0.02, 0.03, 0.04}}, {});
  const Patch flat = PatchOf(block, X * At({0.003, 0.002, 0.5 * T - depth + 0.02}), pad, X);
  EXPECT_NEAR(ElasticEnergy(flat), 0.5 * E / T * area * depth * depth, 1e-9);
  // A ball of radius R: F = pi R E / T d^2 to first order, U = F d / 3.
  const double R = 0.2, d = 5e-4;
  const Patch round = PatchOf(Body(Sphere{R}, {}), X * At({0, 0, 0.5 * T + R - d}), pad, X);
  const double F = test::kPi * R * E / T * d * d;
  EXPECT_NEAR(round.force, F, 0.01 * F);
  EXPECT_NEAR(ElasticEnergy(round) / (F * d / 3), 0.9, 0.05);
}

TEST(FirstBudget, WhatCameInTheLastStepHasPaidNothing) {
  EXPECT_EQ(FirstBudget(2, 10, 0, 1e-3), 2);
  EXPECT_NEAR(FirstBudget(2, 10, 50, 1e-3), 1.5, 1e-12);
  EXPECT_EQ(FirstBudget(2, 10, 500, 1e-3), 0);
}

TEST(ReleaseFactor, AStepGivesNoMoreThanTheBudget) {
  for (const bool implicit : {true, false})
    for (const double F : {0.3, 20.0, 4e3})
      for (const double k : {1e2, 1e4, 1e6})
        for (const double v : {-2.0, -0.1, 0.0, 0.4})
          for (const double T : {-1e-3, 0.0, 1e-5, 1e-2, 10.0}) {
            const double mass = 0.03, h = 2e-3;
            const ReleaseStep step{F, k, v, 1 / mass, h, 0, implicit};
            const double s = ReleaseFactor(T, step), x = implicit ? h * h * k / mass : 0;
            const auto after = [&](double share) { return (v + share * h * F / mass) / (1 + share * x); };
            const double most = std::sqrt(v * v + 2 * std::fmax(T, 0) / mass);
            ASSERT_GE(s, kLeastRelease);
            ASSERT_LE(s, 1);
            if (s == 1) {
              EXPECT_LE(after(1), most * (1 + 1e-12));
            } else if (s > kLeastRelease) {
              EXPECT_NEAR(after(s), most, 1e-9 * (1 + most));
              EXPECT_GT(after(1), most);
            }
          }
}

TEST(ReleaseFactor, SlowIsAllowed) {
  const ReleaseStep step{50, 1e4, 0, 10, 2e-3, 0.04, true};
  const double s = ReleaseFactor(-1, step);
  EXPECT_NEAR(s * 2e-3 * 10 * 50 / (1 + s * 4e-6 * 1e4 * 10), 0.04, 1e-12);
}

// A mass that is first seen deep in a layer, however deep, leaves no faster than it came; without the limit
// it would by far.
TEST(ReleaseFactor, ABounceFromALeap) {
  const double mass = 0.012, h = 5e-3, v0 = -2.5;
  for (const double k : {3e2, 3e4, 3e6})
    for (const double share : {0.05, 0.6, 1.0}) {
      double d = -share * v0 * h, v = v0, budget = FirstBudget(0.5 * k * d * d, k * d, -v0, h);
      for (int i = 0; i < 400 && d > 0; ++i) {
        const double s = ReleaseFactor(budget, {k * d, k, v, 1 / mass, h, 0, true});
        const double next = (v + s * h * k * d / mass) / (1 + s * h * h * k / mass);
        const double energy = 0.5 * k * d * d, work = -0.5 * mass * (next * next - v * v);
        budget = NextBudget(budget, work, energy, h, s < 1);
        v = next, d -= h * v;
      }
      EXPECT_LT(d, 1e-12) << k << " " << share;
      EXPECT_LE(v, 1.001 * -v0) << k << " " << share;
    }
}

TEST(NextBudget, ForgetsSlowly) {
  EXPECT_NEAR(NextBudget(1, 0.5, 7, 1e-3, true), 1.5, 1e-15);
  EXPECT_EQ(NextBudget(0.1, -0.5, 7, 1e-3, true), 0);  // no debt
  double budget = 0;
  for (int i = 0; i < 1000; ++i) budget = NextBudget(budget, 0, 3, 1e-3, false);
  EXPECT_NEAR(budget, 3 - 3 * std::exp(-1 / kBudgetMemory), 0.02);
}

}  // namespace
}  // namespace taxel
