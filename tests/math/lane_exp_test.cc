// exp of four doubles at once. Cases:
//   - 1e-15 of the true value over (-708, 0], each lane on its own, dense near 0 and at the seams of ln 2
//   - exactly 1 at 0 and -0; 0 at and below -708, at -infinity and at -1e300
//   - falls from left to right with its argument
#include "taxel/math/lane_exp.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "taxel/math/random.h"

namespace taxel {
using namespace internal;
namespace {

// The reference has 64 bits of mantissa, so its own error (1e-19) does not count.
double Relative(double got, double x) {
  const long double want = std::exp(static_cast<long double>(x));
  return static_cast<double>(std::fabs((got - want) / want));
}

TEST(LaneExp, RelativeErrorOverTheWholeRange) {
  double worst = 0;
  for (std::uint64_t i = 0; i < 100000; ++i) {
    const double wide = -707.9 * RandomUniform(11, i), near = -2 * RandomUniform(12, i),
                 tiny = -std::exp(-40 * RandomUniform(13, i)),
                 seam = -(static_cast<double>(i % 1000) + 0.5) * 0.6931471805599453 +
                        1e-9 * RandomUniform(14, i);
    const Lanes x{wide, near, tiny, seam};
    const Lanes y = ExpLanes(x);
    for (int k = 0; k < 4; ++k) worst = std::fmax(worst, Relative(y[k], x[k]));
  }
  EXPECT_LT(worst, 1e-15);
}

TEST(LaneExp, Ends) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Lanes one = ExpLanes(Lanes{0, -0.0, -1e-300, -5e-324});
  for (int k = 0; k < 4; ++k) EXPECT_EQ(one[k], 1);
  const Lanes none = ExpLanes(Lanes{-708, -708.0000001, -infinity, -1e300});
  for (int k = 0; k < 4; ++k) EXPECT_EQ(none[k], 0);
  const double last = std::nextafter(-708.0, 0);
  EXPECT_LT(Relative(ExpLanes(AllLanes(last))[2], last), 1e-15);
}

TEST(LaneExp, FallsWithItsArgument) {
  // Steps of 1e-3: neighbours differ by 1e-3 of their value, a million times the error.
  double before = 2;
  for (double x = 0; x > -700; x -= 1e-3 * 4) {
    const Lanes y = ExpLanes(Lanes{x, x - 1e-3, x - 2e-3, x - 3e-3});
    for (int k = 0; k < 4; ++k) {
      ASSERT_LT(y[k], before) << "at " << x;
      before = y[k];
    }
  }
}

}  // namespace
}  // namespace taxel
