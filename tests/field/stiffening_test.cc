// The laws of pressure over depth:
//   - linear: one layer, E u for every depth
//   - stiffening: E u up to the start; continuous; each slope at least the last; the knots of the formula;
//   ends with a finite slope at the core; goes on beyond full compression
//   - the inverse: depth and layer of a pressure
//   - nothing above the surface
#include "taxel/field/stiffening.h"

#include <gtest/gtest.h>

#include <cmath>

namespace taxel {
using namespace internal;
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
    ASSERT_EQ(law.size(), 5u);
    EXPECT_EQ(law[0].u0, 0);
    EXPECT_EQ(law[0].u1, start);
    EXPECT_EQ(law[0].slope, E);
    EXPECT_EQ(law[0].offset, 0);
    EXPECT_TRUE(std::isinf(law.back().u1));
    for (std::size_t k = 1; k < law.size(); ++k) {
      EXPECT_EQ(law[k].u0, law[k - 1].u1);
      const double left = law[k - 1].slope * law[k].u0 + law[k - 1].offset;
      const double right = law[k].slope * law[k].u0 + law[k].offset;
      EXPECT_NEAR(left, right, 1e-12 * right) << k;
      EXPECT_GE(law[k].slope, law[k - 1].slope) << k;
    }
  }
}

TEST(StiffeningLaw, HasTheKnotsOfItsFormula) {
  const double E = 5e4, s = 0.7;
  const auto law = StiffeningLaw(E, s);
  EXPECT_DOUBLE_EQ(PressureOfDepth(law, 0.35), E * 0.35);
  EXPECT_DOUBLE_EQ(PressureOfDepth(law, s), E * s);
  for (int k = 1; k <= 3; ++k) {
    const double u = 1 - (1 - s) / std::exp2(k), p = E * (s + (1 - s) * (std::exp2(k) - 1));
    EXPECT_NEAR(PressureOfDepth(law, u), p, 1e-9 * p) << k;
  }
}

// A wall of 2e5 E within a few micrometres threw out what a step of a millimetre had carried into it.
TEST(StiffeningLaw, EndsAtTheCoreWithAFiniteSlope) {
  const double E = 3e4;
  const auto law = StiffeningLaw(E, 0.8);
  EXPECT_NEAR(CoreDepth(law), 0.975, 1e-12);
  EXPECT_NEAR(PressureOfDepth(law, CoreDepth(law)), E * (0.8 + 7 * 0.2), 1e-6);
  for (const Layer& layer : law) EXPECT_LE(layer.slope, 32 * E * (1 + 1e-9));
  // Beyond, the last slope goes on: the pressure still tells how deep a body is.
  for (double u : {1.0, 1.4, 7.0})
    EXPECT_NEAR(PressureOfDepth(law, u), E * (2.2 + 32 * (u - 0.975)), 1e-6 * E) << u;
  // A law without an end has its core short of the medial axis.
  EXPECT_EQ(CoreDepth(LinearLaw(E)), 0.8);
}

TEST(DepthOfPressure, IsTheInverseOfTheLaw) {
  for (const auto& law : {LinearLaw(2e5), StiffeningLaw(2e5, 0.8), StiffeningLaw(2e5, 0.3)})
    for (double u : {1e-6, 0.2, 0.5, 0.85, 0.93, 0.96, 0.99, 1.7}) {
      const double p = PressureOfDepth(law, u);
      EXPECT_NEAR(DepthOfPressure(law, p), u, 1e-12) << u;
      const Layer& layer = LayerOfPressure(law, p);
      EXPECT_GE(u, layer.u0 - 1e-12);
      EXPECT_LE(u, layer.u1 + 1e-12);
    }
  EXPECT_EQ(DepthOfPressure(LinearLaw(1e5), 0), 0);
  EXPECT_EQ(DepthOfPressure(LinearLaw(1e5), -3), 0);
}

}  // namespace
}  // namespace taxel
