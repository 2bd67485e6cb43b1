// Cast shadows: a wall's shadow has the length height / slope whatever the direction, lies away from the
// light, and what faces the light is lit; errors.
#include "taxel/image/shadow.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "taxel/math/error.h"

namespace taxel {
namespace {

constexpr double kPi = 3.14159265358979323846;

TEST(Shadow, OfAPillarInAnyDirection) {
  // A pillar 10 pixels wide and 0.5 mm high under a light of slope 0.2: its shadow is 2.5 mm = 50 pixels
  // long.
  const PixelGrid grid{201, 221, 5e-5};
  std::vector<float> h(grid.size(), 0.0f), depth(grid.size());
  for (int r = 95; r <= 105; ++r)
    for (int c = 105; c <= 115; ++c) h[static_cast<std::size_t>(r) * grid.cols + c] = 5e-4f;
  const auto at = [&](double x, double y) {
    return depth[static_cast<std::size_t>(std::lround(y)) * grid.cols + std::lround(x)];
  };
  for (const double azimuth : {0.0, 0.4, 0.5 * kPi, 2.2, kPi, -2.8, -1.0}) {
    ShadowLight light;
    light.azimuth = azimuth;
    light.slope = 0.2;
    ShadowDepth(grid, h.data(), light, depth.data());
    const double dx = std::cos(azimuth), dy = std::sin(azimuth);
    // 25 pixels behind the middle the ray has fallen by 25 px * 0.2; the pillar's top ends up to 7 pixels
    // behind it.
    const double fallen = 5e-4 - 0.2 * 25 * grid.pixel;
    EXPECT_NEAR(at(110 - 25 * dx, 100 - 25 * dy), fallen, 0.2 * 7 * grid.pixel + 2e-6) << azimuth;
    EXPECT_GT(at(110 - 25 * dx, 100 - 25 * dy), fallen - 1e-6) << azimuth;
    EXPECT_EQ(at(110 - 60 * dx, 100 - 60 * dy), 0) << azimuth;
    EXPECT_EQ(at(110 + 25 * dx, 100 + 25 * dy), 0) << azimuth;
    EXPECT_EQ(at(110, 100), 0) << azimuth;
  }
}

TEST(Shadow, ASlopeSteeperThanTheLightShadesItself) {
  // Falling away from the light at slope 0.5: each point lies under the crest's ray; at slope 0.1 all is lit.
  const PixelGrid grid{20, 100, 1e-4};
  std::vector<float> h(grid.size()), depth(grid.size());
  ShadowLight light;
  light.slope = 0.2;
  for (const double slope : {0.5, 0.1}) {
    for (int r = 0; r < 20; ++r)
      for (int c = 0; c < 100; ++c)
        h[static_cast<std::size_t>(r) * 100 + c] = static_cast<float>(slope * 1e-4 * c);
    ShadowDepth(grid, h.data(), light, depth.data());
    for (const int c : {0, 37, 98}) {
      const double expected = slope > 0.2 ? (slope - 0.2) * 1e-4 * (99 - c) : 0;
      EXPECT_NEAR(depth[10u * 100 + c], expected, 1e-7) << slope << " " << c;
    }
  }
}

TEST(Shadow, ShareGoesFromNothingToAll) {
  EXPECT_EQ(ShadowShare(0, 1e-4f), 0);
  EXPECT_FLOAT_EQ(ShadowShare(1e-4f, 1e-4f), 0.5f);
  EXPECT_GT(ShadowShare(1e-2f, 1e-4f), 0.98f);
}

TEST(Shadow, SaysWhatIsWrong) {
  ShadowLight light;
  CheckLight(light);
  light.slope = 0;
  EXPECT_THROW(CheckLight(light), Error);
  light = ShadowLight();
  light.softness = 0;
  EXPECT_THROW(CheckLight(light), Error);
  light = ShadowLight();
  light.strength[1] = NAN;
  EXPECT_THROW(CheckLight(light), Error);
}

}  // namespace
}  // namespace taxel
