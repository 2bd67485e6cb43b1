// Pieces of a transform of 40 numbers against the sum that defines it:
//   - there, from 20 numbers that are not 0, with every frequency at its place
//   - and back to these 20, times 40
#include "taxel/marker/layer_fourier.h"

#include <gtest/gtest.h>

#include <complex>
#include <numbers>
#include <vector>

#include "taxel/math/random.h"

namespace taxel::internal {
namespace {

using Complex = std::complex<double>;

Complex Turn(int steps) { return std::polar(1.0, -2 * std::numbers::pi * steps / 40); }
LayerComplex Rounded(Complex c) { return {static_cast<float>(c.real()), static_cast<float>(c.imag())}; }

TEST(LayerFourier, FortyInPieces) {
  std::vector<LayerComplex> x(20);
  std::uint64_t draw = 0;
  for (LayerComplex& v : x)
    v = {static_cast<float>(RandomUniform(7, draw++)), static_cast<float>(RandomUniform(7, draw++))};
  LayerComplex place[40];
  for (int n1 = 0; n1 < 5; ++n1) {
    LayerComplex some[4], y[8];
    for (int n2 = 0; n2 < 4; ++n2) some[n2] = x[static_cast<std::size_t>(n1 + 5 * n2)];
    FourierEight(some, y);
    for (int k2 = 0; k2 < 8; ++k2) place[n1 + 5 * k2] = y[k2];
  }
  for (int k2 = 0; k2 < 8; ++k2) {
    LayerComplex* piece = place + 5 * k2;
    for (int n1 = 0; n1 < 5; ++n1) piece[n1] = Rounded(Turn(n1 * k2)) * piece[n1];
    FourierFive<false>(piece);
  }
  for (int k = 0; k < 40; ++k) {
    Complex sum = 0;
    for (int n = 0; n < 20; ++n) {
      const LayerComplex v = x[static_cast<std::size_t>(n)];
      sum += Complex(static_cast<double>(v.x), static_cast<double>(v.y)) * Turn(n * k);
    }
    EXPECT_NEAR(place[FourierPlace(k)].x, sum.real(), 1e-5) << k;
    EXPECT_NEAR(place[FourierPlace(k)].y, sum.imag(), 1e-5) << k;
  }
  for (int k2 = 0; k2 < 8; ++k2) {
    LayerComplex* piece = place + 5 * k2;
    FourierFive<true>(piece);
    for (int n1 = 0; n1 < 5; ++n1) piece[n1] = Conjugate(Rounded(Turn(n1 * k2))) * piece[n1];
  }
  for (int n1 = 0; n1 < 5; ++n1) {
    LayerComplex some[4], y[8];
    for (int k2 = 0; k2 < 8; ++k2) y[k2] = place[n1 + 5 * k2];
    FourierEightBack(y, some);
    for (int n2 = 0; n2 < 4; ++n2) {
      EXPECT_NEAR(some[n2].x, 40 * x[static_cast<std::size_t>(n1 + 5 * n2)].x, 1e-4);
      EXPECT_NEAR(some[n2].y, 40 * x[static_cast<std::size_t>(n1 + 5 * n2)].y, 1e-4);
    }
  }
}

}  // namespace
}  // namespace taxel::internal
