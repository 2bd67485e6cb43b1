// Weight of a sample by distance:
//   - the closed form of each window, at the middle, inside, at the rim and beyond
//   - never negative, never rising with distance; Tukey is 1 on its plateau and smooth at both ends
//   - quadratic is r^2 times square; a radius of 0 leaves the middle alone
#include "taxel/skin/window.h"

#include <gtest/gtest.h>

namespace taxel {
namespace {

constexpr double kR = 0.0037;
const Window kAll[] = {Window::kNone, Window::kGauss, Window::kTukey, Window::kSquare, Window::kQuadratic};

TEST(Window, ClosedForms) {
  const double d = 0.3 * kR;
  EXPECT_EQ(WindowWeight(Window::kNone, 0, d, kR), 1);
  EXPECT_EQ(WindowWeight(Window::kNone, 0, 5 * kR, kR), 1);  // the field decides, not the window
  EXPECT_NEAR(WindowWeight(Window::kGauss, 0.4, d, kR), std::exp(-0.5 * 0.75 * 0.75), 1e-15);
  EXPECT_NEAR(WindowWeight(Window::kGauss, 0.4, kR, kR), std::exp(-0.5 * 2.5 * 2.5), 1e-15);
  EXPECT_NEAR(WindowWeight(Window::kSquare, 0, d, kR), 0.49, 1e-15);
  EXPECT_NEAR(WindowWeight(Window::kQuadratic, 0, d, kR), 0.49 * kR * kR, 1e-15 * kR * kR);
  // Half way down the cosine.
  EXPECT_NEAR(WindowWeight(Window::kTukey, 0.3, 0.85 * kR, kR), 0.5, 1e-14);
  EXPECT_EQ(WindowWeight(Window::kTukey, 0.3, 0.7 * kR - 1e-12, kR), 1);
  // Width 1: a Hann window from the middle on.
  EXPECT_NEAR(WindowWeight(Window::kTukey, 1, 0.5 * kR, kR), 0.5, 1e-14);
}

TEST(Window, EndsAtTheRim) {
  for (Window w : {Window::kTukey, Window::kSquare, Window::kQuadratic}) {
    EXPECT_EQ(WindowWeight(w, 0.3, kR, kR), 0);
    EXPECT_NEAR(WindowWeight(w, 0.3, 0.999999 * kR, kR), 0, 1e-10);  // continuous
    EXPECT_EQ(WindowWeight(w, 0.3, 1.2 * kR, kR), 0);
  }
  EXPECT_EQ(WindowWeight(Window::kGauss, 0.4, 1.0001 * kR, kR), 0);
}

TEST(Window, NeverNegativeNeverRising) {
  for (Window w : kAll)
    for (double width : {0.05, 0.3, 0.4, 1.0}) {
      double last = WindowWeight(w, width, 0, kR);
      EXPECT_GT(last, 0);
      for (int i = 1; i <= 1000; ++i) {
        const double now = WindowWeight(w, width, 1.3e-3 * i * kR, kR);
        EXPECT_GE(now, 0);
        EXPECT_LE(now, last * (1 + 1e-15));
        last = now;
      }
    }
}

TEST(Window, RadiusZeroCountsTheMiddle) {
  for (Window w : {Window::kNone, Window::kGauss, Window::kTukey, Window::kSquare})
    EXPECT_EQ(WindowWeight(w, 0.3, 0, 0), 1);
}

}  // namespace
}  // namespace taxel
