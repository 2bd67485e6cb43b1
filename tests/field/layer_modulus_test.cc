// The rule of a layer's stiffness by the size of the contact:
//   - its limits: half space (Hertz, a punch), confined compression
//   - the least value; sizes beyond the fit are held at its ends
#include "taxel/field/layer_modulus.h"

#include <gtest/gtest.h>

#include <cmath>

namespace taxel {
namespace {

TEST(EffectiveModulus, SmallContactsAreThoseOfAHalfSpace) {
  // Between a ball (0.600) and a punch (0.637) over (1 - nu^2) s; what the back adds at s = 0.05 is below 6
  // %.
  for (double nu : {0.0, 0.3, 0.48, 0.4999}) {
    const double m = EffectiveModulus(0.05, nu) * (1 - nu * nu) * 0.05;
    EXPECT_GT(m, 0.600) << nu;
    EXPECT_LT(m, 0.68) << nu;
  }
}

TEST(EffectiveModulus, WideContactsOfFoamsAreConfined) {
  EXPECT_NEAR(EffectiveModulus(8, 0), 1.0, 0.01);
  EXPECT_NEAR(EffectiveModulus(8, 0.3), 0.7 / (1.3 * 0.4), 0.03);
}

TEST(EffectiveModulus, AgreesWithTheTableOfTheExactLayer) {
  // docs/theory/material.md: ball and punch; the rule lies within 8 % of their mean.
  const struct {
    double nu, s, ball, punch;
  } rows[] = {{0, 0.2, 3.37, 3.69},    {0, 1, 1.17, 1.40},      {0.3, 0.5, 1.90, 2.25},
              {0.45, 1.5, 2.14, 2.43}, {0.48, 2.5, 3.36, 3.39}, {0.499, 0.1, 8.68, 9.49},
              {0.499, 4, 7.73, 6.34}};
  for (const auto& row : rows)
    EXPECT_NEAR(EffectiveModulus(row.s, row.nu) / (0.5 * (row.ball + row.punch)), 1, 0.08) << row.nu << row.s;
}

TEST(EffectiveModulus, IsHeldAtTheEndsOfItsFit) {
  EXPECT_EQ(EffectiveModulus(1e-9, 0.2), EffectiveModulus(kSmallestSize, 0.2));
  EXPECT_EQ(EffectiveModulus(1e9, 0.499), EffectiveModulus(kWidestSize, 0.499));
}

TEST(SoftestModulus, IsBelowAllSizes) {
  for (double nu : {0.0, 0.1, 0.3, 0.45, 0.48, 0.499}) {
    const double least = SoftestModulus(nu);
    for (double s = 0.06; s < 8; s *= 1.1)
      EXPECT_GE(EffectiveModulus(s, nu), least * (1 - 1e-4)) << nu << " " << s;
  }
  // Of a nearly incompressible layer that is near the size 1, not at an end.
  EXPECT_LT(SoftestModulus(0.48), 0.99 * EffectiveModulus(0.4, 0.48));
  EXPECT_LT(SoftestModulus(0.48), 0.99 * EffectiveModulus(3, 0.48));
}

}  // namespace
}  // namespace taxel
