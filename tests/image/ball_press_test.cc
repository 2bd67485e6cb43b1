// A ball on the membrane: Bessel functions, height and slope join at the rim, the equation holds outside, the
// limits of a long and of a short decay length, errors.
#include "taxel/image/ball_press.h"

#include <gtest/gtest.h>

#include <cmath>

#include "taxel/math/error.h"

namespace taxel {
namespace {

TEST(BallPress, BesselFunctionsAgainstTheLibrary) {
  for (const double x : {1e-3, 0.02, 0.4, 1.0, 3.7, 12.0, 60.0}) {
    EXPECT_NEAR(BesselK0(x) / std::cyl_bessel_k(0.0, x), 1, 1e-9) << x;
    EXPECT_NEAR(BesselK1(x) / std::cyl_bessel_k(1.0, x), 1, 1e-9) << x;
  }
}

TEST(BallPress, JoinsSmoothlyAndFollowsTheEquation) {
  const double R = 2.35, a = 1.3, l = 0.7;
  const BallPress press(R, a, l);
  EXPECT_NEAR(press.Height(0), press.depth(), 1e-12);
  EXPECT_NEAR(press.Height(a), press.rim(), 1e-12);
  EXPECT_NEAR(press.Height(a * (1 + 1e-9)), press.rim(), 1e-8);
  EXPECT_NEAR(press.Slope(a), a / std::sqrt(R * R - a * a), 1e-12);
  EXPECT_NEAR(press.Slope(a * (1 + 1e-9)), press.Slope(a), 1e-7);
  for (const double r : {0.4, 1.0, 1.31, 1.8, 3.0}) {
    const double d = 1e-4;
    EXPECT_NEAR((press.Height(r - d) - press.Height(r + d)) / (2 * d), press.Slope(r), 1e-6) << r;
    if (r < a) continue;
    // l^2 (h'' + h'/r) = h
    const double laplace = (press.Slope(r - d) - press.Slope(r + d)) / (2 * d) - press.Slope(r) / r;
    EXPECT_NEAR(l * l * laplace, press.Height(r), 1e-6) << r;
  }
}

TEST(BallPress, Limits) {
  const double R = 2, a = 1, cap = R - std::sqrt(3.0);
  // Stiff skin: only the cap is pressed in; the rim rises with the decay length.
  EXPECT_NEAR(BallPress(R, a, 1e-4).depth(), cap, 1e-4);
  EXPECT_NEAR(BallPress(R, a, 0.05).rim(), 0.05 / std::sqrt(3.0), 0.05 * 0.05);
  EXPECT_GT(BallPress(R, a, 1).depth(), BallPress(R, a, 0.5).depth());
  EXPECT_EQ(BallPress(R, a, 1e-4).Height(5), 0);
  EXPECT_EQ(BallPress(R, a, 1e-4).Slope(5), 0);
}

TEST(BallPress, SaysWhatIsWrong) {
  EXPECT_THROW(BallPress(1, 1, 1), Error);
  EXPECT_THROW(BallPress(1, 0, 1), Error);
  EXPECT_THROW(BallPress(1, 0.5, 0), Error);
  EXPECT_THROW(BallPress(1, 0.5, NAN), Error);
}

}  // namespace
}  // namespace taxel
