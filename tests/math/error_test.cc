// Errors and numbers in messages. Cases:
//   shortest text that reads back as the same double; special values; the exception carries its message
#include "taxel/math/error.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>

#include "taxel/math/random.h"

namespace taxel {
using namespace internal;
namespace {

TEST(ToText, IsShort) {
  EXPECT_EQ(ToText(0.05), "0.05");
  EXPECT_EQ(ToText(1e-6), "1e-06");
  EXPECT_EQ(ToText(-3), "-3");
  EXPECT_EQ(ToText(0.1 + 0.2), "0.30000000000000004");
  EXPECT_EQ(ToText(INFINITY), "inf");
  EXPECT_EQ(ToText(NAN), "nan");
}

TEST(ToText, ReadsBackAsTheSameNumber) {
  for (int i = 0; i < 10000; ++i) {
    const double value = (RandomUniform(1, i) - 0.5) * std::pow(10.0, 600 * RandomUniform(2, i) - 300);
    EXPECT_EQ(std::strtod(ToText(value).c_str(), nullptr), value);
  }
  for (double value : {std::numeric_limits<double>::max(), -std::numeric_limits<double>::denorm_min(), -0.0})
    EXPECT_EQ(std::strtod(ToText(value).c_str(), nullptr), value);
}

TEST(Error, CarriesItsMessage) {
  try {
    throw Error("box: size y is -0.2");
  } catch (const std::runtime_error& e) {
    EXPECT_STREQ(e.what(), "box: size y is -0.2");
  }
}

}  // namespace
}  // namespace taxel
