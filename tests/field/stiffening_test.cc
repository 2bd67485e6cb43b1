// The laws of pressure over depth:
//   - linear: one layer, E u for every depth
//   - stiffening: E u up to the start; continuous; each slope at least the last; the knots of the formula;
//   close to E (1-s)^2 / (1-u); no load gets through; goes on beyond full compression
//   - nothing above the surface
#include "taxel/field/stiffening.h"

#include <gtest/gtest.h>

#include <cmath>

namespace taxel {
namespace {

TEST(LinearLaw, IsOneLayerWithoutEnd) {
  const auto law = LinearLaw(3e4);
  ASSERT_EQ(law.size(), 1u);
  for (double u : {1e-9, 0.3, 1.0, 17.0}) EXPECT_DOUBLE_EQ(PressureOfDepth(law, u), 3e4 * u);
  EXPECT_EQ(PressureOfDepth(law, 0), 0);
  EXPECT_EQ(PressureOfDepth(law, -0.1), 0);
}

TEST(StiffeningLaw, IsContinuousAndNeverGetsSofter) {
  for (double start : {0.05, 0.5, 0.8, 0.99}) {
    const double E = 3e4;
    const auto law = StiffeningLaw(E, start);
    ASSERT_EQ(law.size(), 21u);
    EXPECT_EQ(law[0].u0, 0);
    EXPECT_EQ(law[0].u1, start);
    EXPECT_EQ(law[0].slope, E);
    EXPECT_EQ(law[0].offset, 0);
    EXPECT_TRUE(std::isinf(law.back().u1));
    for (std::size_t k = 1; k < law.size(); ++k) {
      EXPECT_EQ(law[k].u0, law[k - 1].u1);
      // Slopes reach 1e16 Pa near u = 1, so an ulp of u is an error of a few Pa: relative to the pressure,
      // 1e-5.
      const double left = law[k - 1].slope * law[k].u0 + law[k - 1].offset;
      const double right = law[k].slope * law[k].u0 + law[k].offset;
      EXPECT_NEAR(left, right, 1e-4 * right) << k;
      EXPECT_GE(law[k].slope, law[k - 1].slope) << k;
    }
  }
}

TEST(StiffeningLaw, HasTheKnotsOfItsFormula) {
  const double E = 5e4, s = 0.7;
  const auto law = StiffeningLaw(E, s);
  EXPECT_DOUBLE_EQ(PressureOfDepth(law, 0.35), E * 0.35);
  EXPECT_DOUBLE_EQ(PressureOfDepth(law, s), E * s);
  for (int k = 1; k < 12; ++k) {
    const double u = 1 - (1 - s) / std::exp2(k), p = E * (s + (1 - s) * (std::exp2(k) - 1));
    EXPECT_NEAR(PressureOfDepth(law, u), p, 1e-9 * p) << k;
    // In the limit E (1-s)^2 / (1-u).
    if (k > 6) {
      EXPECT_NEAR(p, E * (1 - s) * (1 - s) / (1 - u), 0.03 * p) << k;
    }
  }
}

TEST(StiffeningLaw, NoLoadGetsThrough) {
  const auto law = StiffeningLaw(3e4, 0.8);
  EXPECT_GT(PressureOfDepth(law, 1), 3e4 * 2e5);
  EXPECT_LT(PressureOfDepth(law, 0.999), 3e4 * 100);
  // Beyond full compression the last slope goes on: pushed out the right way.
  double before = PressureOfDepth(law, 1);
  for (double u = 1.05; u <= 2; u += 0.05) {
    EXPECT_GT(PressureOfDepth(law, u), before);
    before = PressureOfDepth(law, u);
  }
}

}  // namespace
}  // namespace taxel
