// Numbers with derivatives. Cases:
//   - arithmetic, roots and exponentials of a nested expression, against central differences
//   - the quotient rule with constants on either side; the example of the header
//   - an input outside the width is a constant; the root at 0 has the derivative 0; branches look at values
//   - a law written over a scalar type (a unit vector) differentiates as by hand
#include "taxel/math/dual.h"

#include <gtest/gtest.h>

#include <cmath>

#include "taxel/marker/hydroshear_law.h"

namespace taxel {
namespace {

using D3 = Dual<double, 3>;

double ExpOf(double x) { return std::exp(x); }
template <int W>
Dual<double, W> ExpOf(const Dual<double, W>& x) {
  return Exp(x);
}

template <typename S>
S Nested(const S& x, const S& y, const S& z) {
  return -(Sqrt(x * x + S(0.3) * y) / (S(1.7) + ExpOf(-z * x))) + (y - z) * ExpOf(S(0.4) * z) / y;
}

TEST(Dual, NestedExpressionAgainstCentralDifferences) {
  const double at[3] = {0.83, 1.9, -0.57};
  const D3 f = Nested(D3::Input(at[0], 0), D3::Input(at[1], 1), D3::Input(at[2], 2));
  EXPECT_DOUBLE_EQ(f.v, Nested(at[0], at[1], at[2]));
  // Error of the difference: h^2 f''' / 6 + 1e-16 / h, both below 1e-9 at h = 1e-5.
  constexpr double kH = 1e-5;
  for (int k = 0; k < 3; ++k) {
    double up[3] = {at[0], at[1], at[2]}, low[3] = {at[0], at[1], at[2]};
    up[k] += kH, low[k] -= kH;
    EXPECT_NEAR(f.d[k], (Nested(up[0], up[1], up[2]) - Nested(low[0], low[1], low[2])) / (2 * kH), 1e-9);
  }
}

TEST(Dual, QuotientsWithConstants) {
  const D3 x = D3::Input(-2.5, 1);
  EXPECT_DOUBLE_EQ((D3(3) / x).d[1], -3 / 6.25);
  EXPECT_DOUBLE_EQ((x / D3(4)).d[1], 0.25);
  EXPECT_DOUBLE_EQ((x / x).d[1], 0);
  EXPECT_DOUBLE_EQ((D3(3) - x).d[1], -1);
  EXPECT_EQ((D3(3) / x).d[0], 0);
  EXPECT_EQ((D3(3) / x).d[2], 0);
}

TEST(Dual, HeaderExample) {
  const Dual<double, 2> x = Dual<double, 2>::Input(3, 0), y = Dual<double, 2>::Input(4, 1);
  EXPECT_DOUBLE_EQ(Sqrt(x * x + y * y).d[0], 0.6);
  EXPECT_DOUBLE_EQ(Sqrt(x * x + y * y).d[1], 0.8);
}

TEST(Dual, InputsOutsideAreConstants) {
  for (const int index : {-1, -7, 3, 12})
    for (const double d : D3::Input(1.5, index).d) EXPECT_EQ(d, 0);
  EXPECT_EQ(D3().v, 0);
}

TEST(Dual, RootOfZeroHasNoInfinity) {
  const D3 root = Sqrt(D3::Input(0, 0));
  EXPECT_EQ(root.v, 0);
  EXPECT_EQ(root.d[0], 0);
}

TEST(Dual, UnitVectorByHand) {
  const double p[3] = {0.4, -1.2, 0.9}, r = std::sqrt(0.16 + 1.44 + 0.81);
  const Triple<D3> v{D3::Input(p[0], 0), D3::Input(p[1], 1), D3::Input(p[2], 2)};
  const Triple<D3> unit = (D3(1) / Sqrt(Dot(v, v))) * v;
  const D3 parts[3] = {unit.x, unit.y, unit.z};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) EXPECT_NEAR(parts[i].d[j], (i == j) / r - p[i] * p[j] / (r * r * r), 1e-15);
}

TEST(Dual, FloatWidthOne) {
  const Dual<float, 1> x = Dual<float, 1>::Input(0.7F, 0);
  EXPECT_NEAR(Exp(x * x).d[0], 2 * 0.7 * std::exp(0.49), 1e-6);
  EXPECT_EQ(ValueOf(x), 0.7F);
}

}  // namespace
}  // namespace taxel
