// Crosstalk:
//   - neighbours on a tilted grid: four inside, three at the rim, two in the corner; single lines
//   - across the seam of a cylinder or where the layout wraps, not in a flat grid, nor along
//   - free layouts: within 1.5 of the mean spacing, and not through a sheet
//   - one pressed taxel: its own signal stays, neighbours, row and column show their part
//   - crosstalk_rows against the definition; a single taxel; without a grid an error
#include "taxel/skin/crosstalk.h"

#include <gtest/gtest.h>

#include "chain_layouts.h"
#include "taxel/math/error.h"

namespace taxel {
namespace {

using Ints = std::vector<int>;

std::vector<double> Apply(const Crosstalk& crosstalk, const std::vector<double>& x) {
  std::vector<double> out(x.size(), -1.0);
  crosstalk.Apply(x.data(), out.data());
  return out;
}

TEST(Crosstalk, NeighboursOnAGrid) {
  const Crosstalk c(chain_test::TiltedGrid(3, 5), 0.05, 0, "sensor");
  EXPECT_EQ(c.NeighboursOf(7), (Ints{2, 6, 8, 12}));
  EXPECT_EQ(c.NeighboursOf(0), (Ints{1, 5}));
  EXPECT_EQ(c.NeighboursOf(4), (Ints{3, 9}));
  EXPECT_EQ(c.NeighboursOf(5), (Ints{0, 6, 10}));
  EXPECT_EQ(c.NeighboursOf(13), (Ints{8, 12, 14}));
  const Crosstalk line(chain_test::TiltedGrid(1, 4), 0.05, 0, "sensor");
  EXPECT_EQ(line.NeighboursOf(0), (Ints{1}));
  EXPECT_EQ(line.NeighboursOf(2), (Ints{1, 3}));
  EXPECT_EQ(Crosstalk(chain_test::TiltedGrid(1, 1), 0.05, 0, "sensor").NeighboursOf(0), Ints{});
}

TEST(Crosstalk, NeighboursAcrossTheSeam) {
  const Crosstalk c(chain_test::TiltedCylinder(3, 8), 0.05, 0, "sensor");
  EXPECT_EQ(c.NeighboursOf(8), (Ints{0, 9, 15, 16}));
  EXPECT_EQ(c.NeighboursOf(7), (Ints{0, 6, 15}));
  EXPECT_EQ(c.NeighboursOf(20), (Ints{12, 19, 21}));
  // Said to wrap, though the ends are far apart; rows do not.
  Layout said = chain_test::TiltedGrid(4, 5);
  said.wraps = true;
  EXPECT_EQ(Crosstalk(said, 0.05, 0, "sensor").NeighboursOf(0), (Ints{1, 4, 5}));
  // Three all round: each has both others, once.
  EXPECT_EQ(Crosstalk(chain_test::TiltedCylinder(1, 3), 0.05, 0, "sensor").NeighboursOf(0), (Ints{1, 2}));
}

TEST(Crosstalk, NeighboursOfAFreeLayout) {
  Layout layout = chain_test::TiltedGrid(
      4, 6, 0.004, 0.0055);  // mean spacing 4 mm: 5.5 mm is near, the diagonal 6.8 is not
  layout.rows = layout.cols = 0;
  EXPECT_EQ(Crosstalk(layout, 0.05, 0, "sensor").NeighboursOf(8), (Ints{2, 7, 9, 14}));
  layout.points[9] += 0.0001 * layout.normals[9];  // the back of a sheet
  layout.normals[9] = -layout.normals[9];
  EXPECT_EQ(Crosstalk(layout, 0.05, 0, "sensor").NeighboursOf(8), (Ints{2, 7, 14}));
}

TEST(Crosstalk, OnePressedTaxel) {
  const Crosstalk crosstalk(chain_test::TiltedGrid(3, 5), 0.06, 0.2, "sensor");
  std::vector<double> x(15, 0.0);
  x[7] = 100;  // row 1, column 2
  const std::vector<double> y = Apply(crosstalk, x);
  const double share = 0.2 * 100 / 6;  // 3 + 5 - 2 others
  for (int i = 0; i < 15; ++i) {
    const int r = i / 5, c = i % 5;
    double expected = i == 7 ? 100 : (r == 1 || c == 2) ? share : 0;
    if (std::abs(r - 1) + std::abs(c - 2) == 1) expected += 6;
    EXPECT_NEAR(y[i], expected, 1e-12) << i;
  }
}

TEST(Crosstalk, RowsAgainstTheDefinition) {
  const int rows = 4, cols = 7;
  const std::vector<double> x = chain_test::AnyLoad(rows * cols);
  const std::vector<double> y = Apply(Crosstalk(chain_test::TiltedGrid(rows, cols), 0, 0.35, "sensor"), x);
  for (int i = 0; i < rows * cols; ++i) {
    double sum = 0;
    int others = 0;
    for (int j = 0; j < rows * cols; ++j)
      if (j != i && (i / cols == j / cols || i % cols == j % cols)) sum += x[j], ++others;
    EXPECT_NEAR(y[i], x[i] + 0.35 * sum / others, 1e-10);
  }
}

TEST(Crosstalk, OffAndSingle) {
  EXPECT_FALSE(Crosstalk().on());
  EXPECT_FALSE(Crosstalk(chain_test::TiltedGrid(3, 5), 0, 0, "sensor").on());
  EXPECT_EQ(Apply(Crosstalk(chain_test::TiltedGrid(1, 1), 0.1, 0.1, "sensor"), {5.0}),
            std::vector<double>{5.0});
}

TEST(Crosstalk, RowsNeedAGrid) {
  try {
    Crosstalk(chain_test::FreePoints(10), 0, 0.25, "sensor 'free'");
    FAIL();
  } catch (const Error& e) {
    EXPECT_STREQ(
        e.what(),
        "sensor 'free': crosstalk_rows=0.25 needs a layout with rows and columns; this one has none: use "
        "crosstalk");
  }
}

}  // namespace
}  // namespace taxel
