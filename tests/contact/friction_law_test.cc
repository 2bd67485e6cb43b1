// Friction laws:
//   - combination: harmonic mean, symmetric, 0 when one side is frictionless
//   - regularised Coulomb: zero at rest, continuous with its slope at the stiction speed, constant beyond,
//   even
//   - Stribeck: rises to the static value, falls to the dynamic one, never outside of them beyond stiction
//   - traction: opposite to the slip, of the right length, zero at rest
#include "taxel/contact/friction_law.h"

#include <gtest/gtest.h>

namespace taxel {
namespace {

TEST(CombineFriction, IsTheHarmonicMean) {
  EXPECT_DOUBLE_EQ(CombineFriction(0.3, 0.6), 0.4);
  EXPECT_DOUBLE_EQ(CombineFriction(0.6, 0.3), 0.4);
  EXPECT_DOUBLE_EQ(CombineFriction(0.7, 0.7), 0.7);
  EXPECT_EQ(CombineFriction(0, 0.8), 0);
  EXPECT_EQ(CombineFriction(0.8, 0), 0);
  EXPECT_EQ(CombineFriction(0, 0), 0);
}

TEST(RegularizedCoulomb, IsContinuousWithItsSlope) {
  const double mu = 0.45, vs = 2e-4;
  EXPECT_EQ(RegularizedCoulomb(0, mu, vs), 0);
  EXPECT_DOUBLE_EQ(RegularizedCoulomb(0.5 * vs, mu, vs), mu * 0.75);
  EXPECT_DOUBLE_EQ(RegularizedCoulomb(-0.5 * vs, mu, vs), mu * 0.75);
  EXPECT_EQ(RegularizedCoulomb(vs, mu, vs), mu);
  EXPECT_EQ(RegularizedCoulomb(1.0, mu, vs), mu);
  const double e = 1e-6 * vs;
  EXPECT_NEAR(RegularizedCoulomb(vs - e, mu, vs), mu, 1e-11);
  // The slope ends at zero: (mu - f(vs - e)) / e is of order mu e / vs^2.
  EXPECT_NEAR((mu - RegularizedCoulomb(vs - e, mu, vs)) / e * vs / mu, 0, 1e-5);
  double before = -1;
  for (double v = 0; v < 2 * vs; v += 0.01 * vs) {
    const double f = RegularizedCoulomb(v, mu, vs);
    EXPECT_GE(f, before);
    before = f;
  }
}

TEST(StribeckFriction, RisesToStaticAndFallsToDynamic) {
  const double s = 0.8, d = 0.5, stribeck = 0.01, stiction = 1e-4;
  EXPECT_EQ(StribeckFriction(0, s, d, stribeck, stiction), 0);
  // (1e-4 / 0.01)^2 = 1e-4 of the difference is lost at the peak.
  EXPECT_NEAR(StribeckFriction(stiction, s, d, stribeck, stiction), s, 1e-4 * (s - d) * 1.01);
  EXPECT_DOUBLE_EQ(StribeckFriction(stribeck, s, d, stribeck, stiction), d + (s - d) * std::exp(-1.0));
  EXPECT_NEAR(StribeckFriction(10 * stribeck, s, d, stribeck, stiction), d, 1e-12);
  EXPECT_EQ(StribeckFriction(-0.004, s, d, stribeck, stiction),
            StribeckFriction(0.004, s, d, stribeck, stiction));
  double before = s;
  for (double v = stiction; v < 0.1; v *= 1.1) {
    const double mu = StribeckFriction(v, s, d, stribeck, stiction);
    EXPECT_LE(mu, before * (1 + 1e-15));
    EXPECT_GE(mu, d);
    before = mu;
  }
}

TEST(StribeckFriction, EqualCoefficientsGiveCoulomb) {
  for (double v : {0.0, 3e-5, 1e-4, 0.02, 3.0})
    EXPECT_DOUBLE_EQ(StribeckFriction(v, 0.4, 0.4, 0.01, 1e-4), RegularizedCoulomb(v, 0.4, 1e-4));
}

TEST(FrictionTraction, OpposesTheSlip) {
  const Vec3 v{0.03, -0.01, 0.02};
  const Vec3 t = FrictionTraction(v, 2000, 0.3);
  EXPECT_NEAR(norm(t), 600, 1e-10);
  EXPECT_NEAR(dot(t, v), -600 * norm(v), 1e-10);
  EXPECT_EQ(FrictionTraction({}, 2000, 0.3), Vec3{});
  EXPECT_EQ(norm(FrictionTraction(v, 0, 0.3)), 0);
}

}  // namespace
}  // namespace taxel
