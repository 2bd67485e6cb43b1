// Hysteresis:
//   - the first loading below the load, the unloading above; the stated residual of any peak
//   - area and opening of the loop against their closed forms, swings of 0.09 to 4 of the scale
//   - minor loops: closed, the same at every height, wiped out when a larger swing passes
//   - independent of speed; rising with the load; never negative under pressure; odd under shear
#include "taxel/skin/hysteresis.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "taxel/math/random.h"

namespace taxel {
using namespace internal;
namespace {

constexpr double kWidth = 0.13, kScale = 4e4;

struct Material {
  Hysteresis law{kWidth, kScale};
  double plays[Hysteresis::kPlays] = {};

  double To(double load) {
    const double reading = law.Reading(load, plays);
    law.Advance(load, plays);
    EXPECT_EQ(law.Reading(load, plays), reading);  // the same load again changes nothing
    return reading;
  }
  double Sweep(double from, double to, int steps = 64) {
    for (int s = 1; s < steps; ++s) To(from + (to - from) * s / steps);
    return To(to);
  }
};

// Area by trapezoids, exact where the corners of the path are among the steps.
double LoopArea(Material* m, double lo, double hi, int steps) {
  double area = 0, x0 = lo, y0 = m->To(lo);
  for (int s = 1; s <= 2 * steps; ++s) {
    const double x = s <= steps ? lo + (hi - lo) * s / steps : hi - (hi - lo) * (s - steps) / steps;
    const double y = m->To(x);
    area -= 0.5 * (y + y0) * (x - x0);
    x0 = x, y0 = y;
  }
  return area;
}

double ClosedFormArea(double A) {
  double area = 0;
  for (auto [w, r] : {std::pair{kWidth, kScale / 4}, {kWidth, kScale / 8}, {2 * kWidth, kScale / 16}})
    area += w * 2 * r * std::max(A - 2 * r, 0.0);
  return area;
}

TEST(Hysteresis, LoadingIsBelowUnloadingAboveAndTheResidualIsHalfTheWidth) {
  Material m;
  EXPECT_EQ(m.To(0), 0);
  EXPECT_DOUBLE_EQ(m.Sweep(0, 0.5 * kScale), 0.5 * kScale - 0.5 * kWidth * kScale);
  EXPECT_DOUBLE_EQ(m.Sweep(0.5 * kScale, kScale), kScale - 0.5 * kWidth * kScale);
  EXPECT_DOUBLE_EQ(m.Sweep(kScale, 0.5 * kScale), 0.5 * kScale + 0.5 * kWidth * kScale);
  EXPECT_DOUBLE_EQ(m.Sweep(0.5 * kScale, 0), 0.5 * kWidth * kScale);
}

TEST(Hysteresis, ResidualOfAnyPeak) {
  for (double A : {0.03, 0.07, 0.1, 0.2, 0.3, 0.45, 0.5, 0.8, 2.0}) {
    Material m;
    m.To(A * kScale);
    double expected = 0;
    for (auto [w, r] : {std::pair{1.0, 0.25}, {1.0, 0.125}, {2.0, 0.0625}})
      expected += w * std::min(r, std::max(A - r, 0.0));
    EXPECT_NEAR(m.To(0), expected * kWidth * kScale, 1e-12 * kScale) << A;
  }
}

TEST(Hysteresis, LoopAreaIsTheClosedForm) {
  for (double A : {0.09, 0.125, 0.15, 0.25, 0.375, 0.5, 0.75, 1.0, 1.5, 3.0}) {
    const double lo = 0.2 * kScale, hi = lo + A * kScale;
    Material m;
    m.To(hi);
    m.To(lo);  // one turn to forget the way in
    // 4800 steps hit every corner of these swings: they lie at multiples of 1/16 of the scale from the ends.
    const double area = LoopArea(&m, lo, hi, 4800);
    EXPECT_NEAR(area, ClosedFormArea(A * kScale), 1e-11 * kScale * kScale) << A;
  }
  EXPECT_DOUBLE_EQ(ClosedFormArea(kScale), 21.0 / 32 * kWidth * kScale * kScale);
}

TEST(Hysteresis, OpeningIsInProportionToTheSwing) {
  for (double A : {0.1, 0.125, 0.2, 0.25, 0.3, 0.42, 0.5, 0.77, 1.0, 1.7, 4.0}) {
    const double lo = 0.1 * kScale, hi = lo + A * kScale, middle = 0.5 * (lo + hi);
    Material m;
    m.To(hi);
    m.To(lo);
    const double loading = m.To(middle);
    m.To(hi);
    const double unloading = m.To(middle);
    const double expected = A <= 0.125 ? 0 : A < 0.25 ? 2 * (A - 0.125) : std::min(A, 1.0);
    EXPECT_NEAR(unloading - loading, expected * kWidth * kScale, 1e-10 * kScale) << A;
    if (A >= 0.5) {
      EXPECT_NEAR(0.5 * (loading + unloading), middle, 1e-10 * kScale) << A;
    }
  }
}

TEST(Hysteresis, MinorLoopsCloseAndAreTheSameAtEveryHeight) {
  // A swing of 0.3 of the scale at three heights of the rising branch.
  double area[3], height[3];
  for (int h = 0; h < 3; ++h) {
    Material m;
    const double hi = (0.7 + 0.4 * h) * kScale, lo = hi - 0.3 * kScale;
    const double before = m.Sweep(0, hi);
    m.Sweep(hi, lo);
    const double after = m.Sweep(lo, hi);
    EXPECT_NEAR(after, before, 1e-11 * kScale);  // closed
    m.Sweep(hi, lo);
    area[h] = LoopArea(&m, lo, hi, 4800);
    height[h] = after - hi;
  }
  EXPECT_GT(area[0], 0.1 * kWidth * kScale * kScale * 0.09);
  for (int h = 1; h < 3; ++h) {
    EXPECT_NEAR(area[h], area[0], 1e-10 * kScale * kScale);
    EXPECT_NEAR(height[h], height[0], 1e-11 * kScale);
  }
}

TEST(Hysteresis, ALargerSwingWipesOutTheSmaller) {
  Material direct, wandering;
  direct.Sweep(0, 0.9 * kScale);
  double x = 0;
  for (double to : {0.5, 0.2, 0.6, 0.35, 0.55, 0.9}) wandering.Sweep(x, to * kScale), x = to * kScale;
  for (double to : {0.6, 0.1, 0.4, 1.2})
    EXPECT_NEAR(wandering.To(to * kScale), direct.To(to * kScale), 1e-11 * kScale);
  // Without the larger swing the two differ: memory is there.
  Material other;
  other.Sweep(0, 0.5 * kScale);
  other.Sweep(0.5 * kScale, 0.2 * kScale);
  EXPECT_GT(std::fabs(other.To(0.3 * kScale) - Material().To(0.3 * kScale)), 0.1 * kWidth * kScale);
}

TEST(Hysteresis, SpeedDoesNotMatter) {
  Material slow, fast;
  double x = 0;
  for (double to : {0.8, 0.1, 0.5, 0.33, 1.4, -0.7, 0.2}) {
    EXPECT_NEAR(slow.Sweep(x, to * kScale, 1000), fast.To(to * kScale), 1e-11 * kScale);
    x = to * kScale;
  }
}

TEST(Hysteresis, RisesWithTheLoadAndIsNeverNegativeUnderPressure) {
  for (double width : {0.01, 0.13, 0.24}) {
    Material m{{width, kScale}, {}};
    double x = 0, y = 0;
    for (std::uint64_t i = 0; i < 20000; ++i) {
      const double to = std::max(0.0, x + 0.4 * kScale * (RandomUniform(3, i) - 0.5));
      const double reading = m.To(to);
      EXPECT_GE(reading, 0);
      EXPECT_GE((reading - y) * (to - x), 0);
      EXPECT_LE(std::fabs(reading - y), std::fabs(to - x) * (1 + 1e-9) + 1e-9);
      EXPECT_LE(std::fabs(reading - to), 0.5 * width * kScale * (1 + 1e-12));
      x = to, y = reading;
    }
  }
}

TEST(Hysteresis, IsOddUnderShear) {
  Material plus, minus;
  for (double to : {0.8, -0.3, 0.5, -1.3, 0.0, 0.1}) EXPECT_EQ(plus.To(to * kScale), -minus.To(-to * kScale));
}

}  // namespace
}  // namespace taxel
