// Point spread:
//   - load kept and uniform pressure uniform, to 1e-12: grid, cylinder, free points of all sizes
//   - one pressed taxel inside a fine grid: the Gaussian, sigma along both axes
//   - symmetric: what i gives to j (per area) j gives to i; nothing beyond 4 sigma or negative
//   - sides of a thin sheet do not mix; across the seam of a cylinder they do
//   - no sigma; cells without area; too many pairs
#include "taxel/skin/point_spread.h"

#include <gtest/gtest.h>

#include "chain_layouts.h"
#include "taxel/math/error.h"

namespace taxel {
using namespace internal;
namespace {

std::vector<double> Apply(const PointSpread& spread, const std::vector<double>& p) {
  std::vector<double> out(p.size(), -1.0);
  spread.Apply(p.data(), out.data());
  return out;
}

TEST(PointSpread, KeepsTheLoadAndUniformPressure) {
  for (const Layout& layout :
       {chain_test::TiltedGrid(9, 14), chain_test::TiltedCylinder(6, 11), chain_test::FreePoints(150)})
    for (double sigma : {0.0005, 0.002, 0.004, 0.012, 0.05}) {
      const PointSpread spread(layout, sigma, "sensor");
      ASSERT_TRUE(spread.on());
      const std::vector<double> load = chain_test::AnyLoad(layout.count());
      const double force = chain_test::TotalForce(layout, load);
      EXPECT_NEAR(chain_test::TotalForce(layout, Apply(spread, load)), force, 1e-12 * force) << sigma;
      std::vector<double> one(load.size(), 0.0);
      one[3] = 1e4;  // near the rim
      EXPECT_NEAR(chain_test::TotalForce(layout, Apply(spread, one)), layout.areas[3] * 1e4,
                  1e-12 * layout.areas[3] * 1e4)
          << sigma;
      for (double p : Apply(spread, std::vector<double>(load.size(), 2e4))) EXPECT_NEAR(p, 2e4, 2e4 * 1e-12);
    }
}

TEST(PointSpread, OnePressedTaxelBecomesAGaussian) {
  const int rows = 41, cols = 61, r0 = 20, c0 = 30;
  const double du = 0.001, dv = 0.0013, sigma = 0.003;
  const Layout layout = chain_test::TiltedGrid(rows, cols, du, dv);
  std::vector<double> p(layout.points.size(), 0.0);
  p[r0 * cols + c0] = 1;
  p = Apply(PointSpread(layout, sigma, "sensor"), p);
  double sum = 0, uu = 0, vv = 0;
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < cols; ++c) {
      const double u = (c - c0) * du, v = (r - r0) * dv, value = p[r * cols + c];
      sum += value, uu += value * u * u, vv += value * v * v;
      const double gauss =
          std::exp(-(u * u + v * v) / (2 * sigma * sigma)) * du * dv / (2 * M_PI * sigma * sigma);
      // The cut at 4 sigma takes exp(-8) = 3.4e-4 of the load, and nothing lies beyond.
      EXPECT_NEAR(value, gauss, 4e-4 * gauss + 1e-4 * du * dv / (2 * M_PI * sigma * sigma) * 3.4)
          << r << ' ' << c;
      if (std::hypot(u, v) > 4.001 * sigma) {
        EXPECT_EQ(value, 0);
      }
    }
  EXPECT_NEAR(sum, 1, 1e-12);
  // Variance of a Gaussian cut at 4 sigma in the plane: 1 - 8 exp(-8) / (1 - exp(-8)) = 0.9973 of sigma^2;
  // the rim of the cut is as coarse as the grid.
  EXPECT_NEAR(std::sqrt(uu), sigma, 0.003 * sigma);
  EXPECT_NEAR(std::sqrt(vv), sigma, 0.003 * sigma);
}

TEST(PointSpread, IsSymmetricLocalAndNotNegative) {
  const Layout layout = chain_test::FreePoints(60);
  const double sigma = 0.003;
  const PointSpread spread(layout, sigma, "sensor");
  std::vector<std::vector<double>> response;  // [j][i]: pressure of i under a force of 1 N on j
  for (int j = 0; j < 60; ++j) {
    std::vector<double> p(60, 0.0);
    p[j] = 1 / layout.areas[j];
    response.push_back(Apply(spread, p));
  }
  int apart = 0;
  for (int i = 0; i < 60; ++i)
    for (int j = 0; j < 60; ++j) {
      EXPECT_GE(response[j][i], 0);
      EXPECT_NEAR(response[j][i], response[i][j], 1e-11 * (response[i][i] + response[j][j]));
      if (norm(layout.points[i] - layout.points[j]) <= 4 * sigma) continue;
      EXPECT_EQ(response[j][i], 0);
      ++apart;
    }
  EXPECT_GT(apart, 500);
}

TEST(PointSpread, SidesOfASheetDoNotMix) {
  Layout layout = chain_test::TiltedGrid(4, 6);
  const Layout front = layout;
  for (int i = 0; i < front.count(); ++i) {  // the back, half a millimetre behind
    layout.points.push_back(front.points[i] - 0.0005 * front.normals[i]);
    layout.normals.push_back(-front.normals[i]);
    layout.axes.push_back(front.axes[i]);
    layout.areas.push_back(front.areas[i]);
  }
  layout.rows = layout.cols = 0;
  std::vector<double> p(48, 0.0);
  p[9] = 1000;
  const std::vector<double> both = Apply(PointSpread(layout, 0.006, "sensor"), p);
  p.resize(24);
  const std::vector<double> alone = Apply(PointSpread(front, 0.006, "sensor"), p);
  for (int i = 0; i < 24; ++i) {
    EXPECT_NEAR(both[i], alone[i], 1e-12 * 1000);
    EXPECT_GT(both[i], 0);
    EXPECT_EQ(both[24 + i], 0);
  }
}

TEST(PointSpread, GoesRoundACylinder) {
  const Layout layout = chain_test::TiltedCylinder(3, 12);
  std::vector<double> p(36, 0.0);
  p[12] = 1000;  // second row, first column
  const std::vector<double> out = Apply(PointSpread(layout, 0.004, "sensor"), p);
  EXPECT_GT(out[13], 10);
  for (int c = 1; c < 6; ++c) EXPECT_NEAR(out[12 + c], out[24 - c], 1e-9);  // both ways round alike
}

TEST(PointSpread, OffWithoutSigma) {
  EXPECT_FALSE(PointSpread().on());
  EXPECT_FALSE(PointSpread(chain_test::TiltedGrid(2, 3), 0, "sensor").on());
}

TEST(PointSpread, CellsWithoutAreaKeepTheirs) {
  Layout layout = chain_test::TiltedGrid(3, 5);
  layout.areas[7] = 0;
  const std::vector<double> load = chain_test::AnyLoad(15),
                            out = Apply(PointSpread(layout, 0.005, "sensor"), load);
  EXPECT_EQ(out[7], load[7]);
  const double force = chain_test::TotalForce(layout, load);
  EXPECT_NEAR(chain_test::TotalForce(layout, out), force, 1e-12 * force);
}

TEST(PointSpread, TooWideASpreadIsAnError) {
  const Layout layout = chain_test::TiltedGrid(80, 60);
  try {
    PointSpread(layout, 0.9, "sensor 'wide'");
    FAIL() << "4800 x 4800 pairs passed";
  } catch (const Error& e) {
    EXPECT_NE(
        std::string(e.what()).find("sensor 'wide': spread=0.9 m mixes more than 20000000 pairs of the 4800"),
        std::string::npos)
        << e.what();
  }
}

}  // namespace
}  // namespace taxel
