// The surface of the gel: a ball on the membrane against its closed form, a straight edge, never below the
// indenter, the pyramid, slopes, errors, a warm workspace keeps its memory.
#include "taxel/image/height_map.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "taxel/image/ball_press.h"
#include "taxel/math/error.h"

namespace taxel {
namespace {

constexpr double kPixel = 5e-5;

// A ball of radius R whose lowest point lies `depth` below the rest plane at column x, row y.
std::vector<float> Ball(const PixelGrid& grid, double R, double depth, double x, double y) {
  std::vector<float> out(grid.size());
  for (int r = 0; r < grid.rows; ++r)
    for (int c = 0; c < grid.cols; ++c) {
      const double d = std::hypot(c - x, r - y) * grid.pixel;
      out[static_cast<std::size_t>(r) * grid.cols + c] =
          d < R ? static_cast<float>(depth - R + std::sqrt(R * R - d * d))
                : -std::numeric_limits<float>::infinity();
    }
  return out;
}

TEST(HeightMap, RigidIsTheOverlap) {
  const PixelGrid grid{61, 80, kPixel};
  const auto ball = Ball(grid, 2e-3, 4e-4, 37.3, 28.6);
  SkinOptions options;
  options.model = SkinModel::kRigid;
  PressWorkspace workspace;
  std::vector<float> h(grid.size());
  PressSkin(grid, ball.data(), options, &workspace, h.data());
  for (std::size_t i = 0; i < h.size(); ++i) EXPECT_EQ(h[i], ball[i] > 0 ? ball[i] : 0.0f);
}

TEST(HeightMap, BallOnMembraneIsTheClosedForm) {
  // Contact radii below, near and above the decay length; also one of a few pixels.
  for (const double contact : {3e-4, 8e-4, 1.4e-3})
    for (const double decay : {2e-4, 6e-4, 1.2e-3}) {
      const PixelGrid grid{241, 300, kPixel};
      const double R = 2.35e-3, x = 151.3, y = 118.8;
      const BallPress exact(R, contact, decay);
      SkinOptions options;
      options.decay_length = decay;
      PressWorkspace workspace;
      std::vector<float> h(grid.size());
      PressSkin(grid, Ball(grid, R, exact.depth(), x, y).data(), options, &workspace, h.data());
      double worst = 0;
      for (int r = 0; r < grid.rows; ++r)
        for (int c = 0; c < grid.cols; ++c) {
          const double expected = exact.Height(std::hypot(c - x, r - y) * kPixel);
          worst = std::max(worst, std::fabs(h[static_cast<std::size_t>(r) * grid.cols + c] - expected));
        }
      // The image ends a few decay lengths away (free rim against infinite gel) and pixels are finite.
      EXPECT_LT(worst, 0.02 * exact.depth()) << "contact " << contact << " decay " << decay;
    }
}

TEST(HeightMap, BesideAStraightEdgeItDecaysByOneOverE) {
  // A block over the left part of the image, 0.3 mm deep: h = depth exp(-x / l) beside it.
  const PixelGrid grid{40, 400, kPixel};
  std::vector<float> block(grid.size(), -1.0f), h(grid.size());
  for (int r = 0; r < grid.rows; ++r)
    for (int c = 0; c < 100; ++c) block[static_cast<std::size_t>(r) * grid.cols + c] = 3e-4f;
  SkinOptions options;
  options.decay_length = 5e-4;
  options.sweeps = 60;
  PressWorkspace workspace;
  PressSkin(grid, block.data(), options, &workspace, h.data());
  for (const int away : {5, 10, 20, 40}) {
    const double expected = 3e-4 * std::exp(-away * kPixel / 5e-4);
    EXPECT_NEAR(h[20u * 400 + 99 + away], expected, 0.015 * 3e-4) << away;
  }
}

TEST(HeightMap, NeverBelowTheIndenterNorBelowRest) {
  const PixelGrid grid{120, 90, kPixel};
  auto two = Ball(grid, 1e-3, 3e-4, 30, 40);
  const auto other = Ball(grid, 2e-3, 5e-4, 60, 90);
  for (std::size_t i = 0; i < two.size(); ++i) two[i] = std::max(two[i], other[i]);
  PressWorkspace workspace;
  std::vector<float> h(grid.size());
  PressSkin(grid, two.data(), SkinOptions(), &workspace, h.data());
  for (std::size_t i = 0; i < h.size(); ++i) {
    EXPECT_GE(h[i], 0.0f);
    EXPECT_GE(h[i], two[i]);
  }
}

TEST(HeightMap, PyramidKeepsTheDeepPartAndSpreadsTheRest) {
  const PixelGrid grid{120, 120, kPixel};
  const auto ball = Ball(grid, 2e-3, 5e-4, 60, 60);
  SkinOptions options;
  options.model = SkinModel::kPyramid;
  PressWorkspace workspace;
  std::vector<float> h(grid.size());
  PressSkin(grid, ball.data(), options, &workspace, h.data());
  // The middle: put back after each blur, then blurred once by 5 pixels (sigma 1.1 px): sigma^2 laplace / 2
  // lower, laplace = 2 / R.
  const double sigma = 1.1 * kPixel;
  EXPECT_NEAR(h[60u * 120 + 60], 5e-4 - sigma * sigma / 2e-3, 2e-7);
  // The overlap ends 1.32 mm = 26 pixels away; the skin reaches on, falling.
  EXPECT_EQ(ball[60u * 120 + 60 + 30] > 0, false);
  EXPECT_GT(h[60u * 120 + 60 + 30], 1e-5f);
  EXPECT_GT(h[60u * 120 + 60 + 30], h[60u * 120 + 60 + 40]);
  // Without blurs it is the overlap.
  options.windows.clear();
  PressSkin(grid, ball.data(), options, &workspace, h.data());
  for (std::size_t i = 0; i < h.size(); ++i) EXPECT_EQ(h[i], ball[i] > 0 ? ball[i] : 0.0f);
}

TEST(HeightMap, SlopesOfACap) {
  const PixelGrid grid{101, 101, kPixel};
  const double R = 3e-3;
  const auto ball = Ball(grid, R, 2e-3, 50, 50);
  for (const auto& [r, c] : {std::pair{50, 50}, {50, 70}, {31, 44}, {62, 80}}) {
    float sx, sy;
    SlopeAt(ball.data(), grid.rows, grid.cols, grid.pixel, r, c, &sx, &sy);
    const double x = (c - 50) * kPixel, y = (r - 50) * kPixel, z = std::sqrt(R * R - x * x - y * y);
    EXPECT_NEAR(sx, -x / z, 1e-3);
    EXPECT_NEAR(sy, -y / z, 1e-3);
  }
  // A plane has its slope at the rim too.
  std::vector<float> plane(25);
  for (int r = 0; r < 5; ++r)
    for (int c = 0; c < 5; ++c) plane[5 * r + c] = static_cast<float>(kPixel * (0.3 * c - 0.7 * r));
  for (int r = 0; r < 5; ++r)
    for (int c = 0; c < 5; ++c) {
      float sx, sy;
      SlopeAt(plane.data(), 5, 5, kPixel, r, c, &sx, &sy);
      EXPECT_NEAR(sx, 0.3, 1e-5);
      EXPECT_NEAR(sy, -0.7, 1e-5);
    }
}

TEST(HeightMap, SaysWhatIsWrong) {
  PixelGrid grid{10, 10, kPixel};
  std::vector<float> p(100, -1.0f), h(100);
  PressWorkspace workspace;
  SkinOptions options;
  p[37] = std::numeric_limits<float>::quiet_NaN();
  try {
    PressSkin(grid, p.data(), options, &workspace, h.data());
    FAIL();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("row 3, column 7"), std::string::npos) << e.what();
  }
  p[37] = 1e-4f;
  options.decay_length = 0;
  EXPECT_THROW(PressSkin(grid, p.data(), options, &workspace, h.data()), Error);
  options.decay_length = 1e-3;
  options.model = SkinModel::kPyramid;
  options.windows = {6};
  EXPECT_THROW(PressSkin(grid, p.data(), options, &workspace, h.data()), Error);
  options.windows = {5};
  options.contact_share = 1;
  EXPECT_THROW(PressSkin(grid, p.data(), options, &workspace, h.data()), Error);
  grid.pixel = -1;
  EXPECT_THROW(PressSkin(grid, p.data(), SkinOptions(), &workspace, h.data()), Error);
  grid = {2, 50, kPixel};
  EXPECT_THROW(PressSkin(grid, p.data(), SkinOptions(), &workspace, h.data()), Error);
}

TEST(HeightMap, AWarmWorkspaceKeepsItsMemory) {
  const PixelGrid grid{120, 160, kPixel}, smaller{90, 100, kPixel};
  const auto ball = Ball(grid, 2e-3, 5e-4, 70, 60), small_ball = Ball(smaller, 2e-3, 5e-4, 40, 50);
  SkinOptions membrane, pyramid;
  pyramid.model = SkinModel::kPyramid;
  PressWorkspace workspace;
  std::vector<float> h(grid.size()), again(grid.size());
  const auto memory = [&] {
    std::vector<const void*> places = {workspace.levels.data(), workspace.rows_blurred.data(),
                                       workspace.kernel.data()};
    for (const auto& level : workspace.levels) {
      places.push_back(level.obstacle.data());
      places.push_back(level.height.data());
    }
    return places;
  };
  PressSkin(grid, ball.data(), pyramid, &workspace, h.data());
  PressSkin(grid, ball.data(), membrane, &workspace, h.data());
  const auto before = memory();
  EXPECT_GT(before.size(), 5u);
  PressSkin(smaller, small_ball.data(), pyramid, &workspace, again.data());
  PressSkin(smaller, small_ball.data(), membrane, &workspace, again.data());
  PressSkin(grid, ball.data(), membrane, &workspace, again.data());
  EXPECT_EQ(memory(), before);
  EXPECT_EQ(again, h);  // and nothing of an earlier press is left in it
}

}  // namespace
}  // namespace taxel
