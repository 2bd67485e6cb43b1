// Advice:
//   - Eq. 18 with the paper's numbers, as it should be and with its slip; wrong input
//   - the stiffness of a modulus: 84 bristles carry what the layer carries
//   - the largest explicit step against the spectral radius of the matrix and against a simulation; its
//     limits without damping and without spring; extreme numbers
//   - at half of it no eigenvalue flips; the discrete period at the good step
//   - many points, friction; the words
#include "taxel/bristle/advice.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

#include "../shape/expect_error.h"
#include "taxel/bristle/bristle_options.h"

namespace taxel {
namespace {

TEST(Advice, Equation18) {
  EXPECT_NEAR(BristleStiffness(9810, 0.00125, 84, 0.0025), 58.393, 5e-4);  // printed: 58.5
  // What the weight on the paper's foam really presses with.
  const double pressure = 0.30415 * 9.81 / 804.25e-6;
  EXPECT_NEAR(pressure, 3710, 0.5);
  EXPECT_NEAR(BristleStiffness(pressure, 0.00125, 84, 0.0025), 22.08, 5e-3);
  // All points together carry the weight again, on the area of the weight.
  EXPECT_NEAR(10 * BristleStiffness(pressure, 804.25e-6, 10, 0.0025) * 0.0025, 0.30415 * 9.81, 1e-12);
  EXPECT_NEAR(DampingRule(58.5), 0.585, 1e-12);  // printed: 0.0585 and 0.0583
  ExpectError([] { BristleStiffness(0, 1, 1, 1); }, {"pressure is 0", "Pa"});
  ExpectError([] { BristleStiffness(1, -2, 1, 1); }, {"area is -2", "m2"});
  ExpectError([] { BristleStiffness(1, 1, 0, 1); }, {"points is 0", "1 or more"});
  ExpectError([] { BristleStiffness(1, 1, 1, std::nan("")); }, {"compression is nan"});
}

TEST(Advice, StiffnessOfAModulus) {
  // A layer of 12 mm and 3e4 Pa pressed flat by 2 mm: pressure times area is what 84 bristles carry.
  const double area = 0.00125, pressure = 3e4 * 0.002 / 0.012;
  EXPECT_NEAR(84 * StiffnessOfModulus(3e4, area / 84, 0.012) * 0.002, pressure * area, 1e-12);
  EXPECT_DOUBLE_EQ(StiffnessOfModulus(3e4, area / 84, 0.012), BristleStiffness(pressure, area, 84, 0.002));
  ExpectError([] { StiffnessOfModulus(0, 1, 1); }, {"modulus is 0"});
  ExpectError([] { StiffnessOfModulus(1, 0, 1); }, {"area is 0"});
  ExpectError([] { StiffnessOfModulus(1, 1, HUGE_VAL); }, {"thickness is inf"});
}

// Of the map (x, v) -> (x', v'), from its characteristic polynomial, entry by entry of the method.
struct Eigenvalues {
  std::complex<double> first, second;
};
Eigenvalues OfTheMap(double m, double k, double c, double h) {
  const double vx = -h * k / m, vv = 1 - h * c / m, xx = 1 + h * vx, xv = h * vv;
  const double trace = xx + vv, det = xx * vv - xv * vx;
  const std::complex<double> root = std::sqrt(std::complex<double>(trace * trace - 4 * det));
  return {0.5 * (trace + root), 0.5 * (trace - root)};
}
double Radius(double m, double k, double c, double h) {
  const Eigenvalues e = OfTheMap(m, k, c, h);
  return std::max(std::abs(e.first), std::abs(e.second));
}
// How far a body that starts at 1 mm ends up after `count` steps.
double Simulated(double m, double k, double c, double h, int count) {
  double x = 1e-3, v = 0, largest = 0;
  for (int i = 0; i < count; ++i) {
    v -= h * (k * x + c * v) / m;
    x += h * v;
    if (i >= count / 2) largest = std::max(largest, std::fabs(x));
  }
  return largest;
}

TEST(Advice, LargestStepIsWhereTheSpectralRadiusPassesOne) {
  for (double m : {0.003, 0.1, 7.0})
    for (double k : {3.0, 58.5, 4914.0, 2e5})
      for (double zeta : {1e-4, 0.02, 0.3, 1.0, 4.0, 50.0}) {
        const double c = 2 * zeta * std::sqrt(k * m), h = LargestExplicitStep(m, k, c);
        for (double part : {0.01, 0.2, 0.5, 0.8, 0.97, 0.999})
          EXPECT_LT(Radius(m, k, c, part * h), 1) << m << " " << k << " " << zeta << " " << part;
        for (double part : {1.001, 1.03, 1.5, 3.0})
          EXPECT_GT(Radius(m, k, c, part * h), 1) << m << " " << k << " " << zeta << " " << part;
        EXPECT_NEAR(Radius(m, k, c, h), 1, 1e-6);
        // the closed form without scaling
        EXPECT_NEAR(h, 4 * m / (c + std::sqrt(c * c + 4 * k * m)), 1e-12 * h);
      }
}

TEST(Advice, LargestStepInASimulation) {
  const double m = 0.1, k = 84 * 58.5;
  for (double zeta : {0.05, 0.4, 1.5}) {
    const double c = 2 * zeta * std::sqrt(k * m), h = LargestExplicitStep(m, k, c);
    EXPECT_LT(Simulated(m, k, c, 0.98 * h, 4000), 1e-6) << zeta;
    EXPECT_GT(Simulated(m, k, c, 1.02 * h, 4000), 1) << zeta;
  }
}

TEST(Advice, LimitsOfTheLargestStep) {
  EXPECT_DOUBLE_EQ(LargestExplicitStep(0.1, 1000, 0), 2 * std::sqrt(0.1 / 1000));
  EXPECT_DOUBLE_EQ(LargestExplicitStep(0.1, 0, 10), 2 * 0.1 / 10);
  EXPECT_EQ(LargestExplicitStep(1, 0, 0), HUGE_VAL);
  EXPECT_LT(LargestExplicitStep(0.1, 1000, 5), LargestExplicitStep(0.1, 1000, 0));  // damping costs
  EXPECT_NEAR(LargestExplicitStep(1e-100, 1e200, 0) / 2e-150, 1, 1e-12);            // nothing overflows
  EXPECT_NEAR(LargestExplicitStep(1e-3, 1, 1e200) / 2e-203, 1, 1e-12);
}

TEST(Advice, HalfTheLargestStepFlipsNothing) {
  for (double zeta : {0.0, 0.1, 0.9, 3.0, 40.0}) {
    const double m = 0.2, k = 700, c = 2 * zeta * std::sqrt(k * m), h = 0.5 * LargestExplicitStep(m, k, c);
    EXPECT_NEAR(h * c / m + h * h * k / m, 1, 1e-12);
    const Eigenvalues e = OfTheMap(m, k, c, h);
    EXPECT_GT(e.first.real(), 0);
    EXPECT_GE(e.second.real(), 0);
    const Eigenvalues later = OfTheMap(m, k, c, 1.9 * h);
    EXPECT_LT(later.second.real(), 0);  // near the largest something does
  }
}

TEST(Advice, ForPointsAndFriction) {
  // Table 2 on 84 points under 100 g.
  BristleLoad load{0.1, 84, 58.5, 0.0583};
  StepAdvice a = AdviseStep(load);
  const double k = 84 * 58.5, c = 84 * 0.0583;
  EXPECT_DOUBLE_EQ(a.largest_explicit_step, LargestExplicitStep(0.1, k, c));
  EXPECT_NEAR(a.largest_explicit_step, 8.08e-3, 5e-6);
  EXPECT_NEAR(a.period, 2 * std::numbers::pi * std::sqrt(0.1 / k), 1e-15);
  EXPECT_NEAR(a.damping_ratio, c / (2 * std::sqrt(k * 0.1)), 1e-15);
  EXPECT_FALSE(a.friction_limits);
  EXPECT_DOUBLE_EQ(a.good_step, a.period / 20);
  // The swing in such steps is a little too quick: angle of the eigenvalue per step.
  const double h = a.good_step, zeta = a.damping_ratio, wh = 2 * std::numbers::pi / 20;
  EXPECT_NEAR(std::arg(OfTheMap(0.1, k, 0, h).first) / wh, 1 + wh * wh / 24, 2e-4);
  EXPECT_NEAR(std::arg(OfTheMap(0.1, k, c, h).first) / (wh * std::sqrt(1 - zeta * zeta)),
              1 + wh * wh / 24 + zeta * wh / 2, 2e-3);
  load.sigma0 = 1, load.sigma1 = 0.1, load.viscosity = 0.01;  // as in Table 2: softer than the normal
  EXPECT_EQ(AdviseStep(load).largest_explicit_step, a.largest_explicit_step);
  load.sigma0 = 400;
  a = AdviseStep(load);
  EXPECT_TRUE(a.friction_limits);
  EXPECT_DOUBLE_EQ(a.largest_explicit_step, LargestExplicitStep(0.1, 2 * 84 * 400.0, 84 * 0.11));
  // Heavily damped: half the largest step is the shorter one.
  a = AdviseStep({0.1, 1, 10, 1000});
  EXPECT_DOUBLE_EQ(a.good_step, 0.5 * a.largest_explicit_step);
}

TEST(Advice, WrongLoads) {
  const auto with = [](auto change) {
    BristleLoad load{0.1, 84, 58.5, 0.5, 1, 0.1, 0.01};
    change(&load);
    return [load] { AdviseStep(load); };
  };
  ExpectError(with([](BristleLoad* l) { l->mass = 0; }), {"mass is 0", "kg"});
  ExpectError(with([](BristleLoad* l) { l->points = -3; }), {"points is -3"});
  ExpectError(with([](BristleLoad* l) { l->stiffness = 0; }), {"stiffness is 0", "N/m"});
  ExpectError(with([](BristleLoad* l) { l->damping = -1; }), {"damping is -1", "0 or more"});
  ExpectError(with([](BristleLoad* l) { l->sigma0 = std::nan(""); }), {"sigma0 is nan"});
  ExpectError(with([](BristleLoad* l) { l->sigma1 = -1; }), {"sigma1 is -1"});
  ExpectError(with([](BristleLoad* l) { l->viscosity = HUGE_VAL; }), {"viscosity is inf"});
}

TEST(Advice, Words) {
  const StepAdvice a = AdviseStep({0.1, 84, 58.5, 0.0583});
  const auto has = [&](double step, const std::string& part) {
    EXPECT_NE(Describe(a, step).find(part), std::string::npos) << Describe(a, step);
  };
  has(0, "up to 8.08 ms are stable (the normal force limits them)");
  has(0, "period of 28.3 ms and a damping ratio of 0.11");
  EXPECT_EQ(Describe(a).find("a time step"), std::string::npos);
  has(0.001, "1 ms is fine");
  has(0.005, "5 ms is stable, but coarse");
  has(0.009, "9 ms is too long");
  EXPECT_NE(Describe(AdviseStep({1, 1, 1, 9})).find("(it does not swing)"), std::string::npos);
  EXPECT_NE(Describe(AdviseStep({1, 1, 100, 0.1, 1e4})).find("(friction limits them)"), std::string::npos);
  EXPECT_NE(Describe(AdviseStep({1, 1, 100, 0.1})).find("(a body bounces for long)"), std::string::npos);
}

}  // namespace
}  // namespace taxel
