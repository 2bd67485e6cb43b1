// The image: background where nothing touches, the table's colour on a plane, shadows taken off, clamping and
// rounding, grey; marker dots: area, place, overlap, rim; TacSL's depth image against closed forms; errors.
#include "taxel/image/tactile_image.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "taxel/math/error.h"

namespace taxel {
namespace {

TactileCamera Camera(int rows, int cols) {
  TactileCamera camera;
  camera.grid = {rows, cols, 1e-4};
  for (std::size_t i = 0; i < 3 * camera.grid.size(); ++i)
    camera.background.push_back(static_cast<float>(60 + (i * 7) % 90));
  camera.table = PhotometricTable::Flat(5);
  // Linear in the normal and in the place: 40 nx (1 + x / 2) in red, -30 ny in green, 10 nx + 5 ny in blue.
  for (int j = 0; j < 5; ++j)
    for (int i = 0; i < 5; ++i) {
      float* v = camera.table.values.data() + (static_cast<std::size_t>(j) * 5 + i) * 18;
      const float nx = -1 + 0.5f * i, ny = -1 + 0.5f * j;
      v[0] = 40 * nx, v[3] = 20 * nx, v[1] = -30 * ny, v[2] = 10 * nx + 5 * ny;
    }
  CheckCamera(camera);
  return camera;
}

TEST(TactileImage, UntouchedIsTheBackground) {
  const TactileCamera camera = Camera(20, 30);
  std::vector<float> h(600, 0.0f), image(1800);
  ImageWorkspace workspace;
  RenderImage(camera, h.data(), true, &workspace, image.data());
  for (std::size_t i = 0; i < image.size(); ++i) EXPECT_EQ(image[i], camera.background[i]);
}

// One pixel that is no height: named, and nothing is looked up beyond the table.
TEST(TactileImage, WhatIsNoHeightIsNamed) {
  const TactileCamera camera = Camera(7, 11);
  ImageWorkspace workspace;
  std::vector<float> image(3 * 77), depth(12);
  for (const float bad : {NAN, INFINITY, -INFINITY, 3e38f, -3e38f}) {
    std::vector<float> h(77, 1e-4f);
    h[4 * 11 + 9] = bad;
    for (const bool deep : {false, true}) {
      try {
        if (deep)
          RenderDepth(camera.grid, h.data(), DepthCamera{3, 4, 0.02, 0.01, 0.01, 1e-4}, depth.data());
        else
          RenderImage(camera, h.data(), true, &workspace, image.data());
        ADD_FAILURE() << bad;
      } catch (const Error& e) {
        EXPECT_NE(std::string(e.what()).find("row 4, column 9"), std::string::npos) << e.what();
      }
    }
  }
  std::vector<float> h(77, 0.0f);
  h[30] = 1e30f;  // a spike, but a number
  RenderImage(camera, h.data(), true, &workspace, image.data());
  for (const float v : image) EXPECT_TRUE(v >= 0 && v <= 255);
  float colour[3];
  for (const float n : {NAN, INFINITY, -INFINITY, 1e30f}) {
    LookUpColour(camera.table.values.data(), 5, n, 0.2f, 0, 0, colour);
    EXPECT_TRUE(std::isfinite(colour[0]));
  }
  std::uint8_t bytes[2];
  const float strange[2] = {NAN, 300};
  ToBytes(strange, 2, bytes);
  EXPECT_EQ(bytes[0], 0);
  EXPECT_EQ(bytes[1], 255);
}

TEST(TactileImage, APlaneHasTheColourOfItsNormalAndPlace) {
  const TactileCamera camera = Camera(20, 30);
  std::vector<float> h(600), image(1800);
  for (int r = 0; r < 20; ++r)
    for (int c = 0; c < 30; ++c) h[30 * r + c] = static_cast<float>(1e-4 * (0.6 * c - 0.25 * r));
  ImageWorkspace workspace;
  RenderImage(camera, h.data(), true, &workspace, image.data());
  const double n = 1 / std::sqrt(1 + 0.36 + 0.0625), nx = 0.6 * n, ny = -0.25 * n;
  for (const auto& [r, c] : {std::pair{0, 0}, {7, 22}, {19, 29}}) {
    const std::size_t i = 3 * (30u * r + c);
    const double x = (2 * c + 1) / 30.0 - 1;
    EXPECT_NEAR(image[i] - camera.background[i], 40 * nx * (1 + x / 2), 1e-3);
    EXPECT_NEAR(image[i + 1] - camera.background[i + 1], -30 * ny, 1e-3);
    EXPECT_NEAR(image[i + 2] - camera.background[i + 2], 10 * nx + 5 * ny, 1e-3);
  }
}

TEST(TactileImage, ShadowsAreTakenOffAndCanBeLeftOut) {
  TactileCamera camera = Camera(20, 60);
  ShadowLight light;  // from the right
  light.slope = 0.2, light.softness = 1e-4, light.strength[0] = 25, light.strength[2] = 8;
  camera.lights = {light};
  std::vector<float> h(1200, 0.0f), lit(3600), shaded(3600);
  for (int r = 0; r < 20; ++r) h[60u * r + 40] = 4e-4f;
  ImageWorkspace workspace;
  RenderImage(camera, h.data(), false, &workspace, lit.data());
  RenderImage(camera, h.data(), true, &workspace, shaded.data());
  // Ten pixels behind the wall the edge of the shadow is 4e-4 - 10 * 0.2 * 1e-4 = 2e-4 high: two thirds of
  // it.
  const std::size_t i = 3 * (60u * 10 + 30);
  EXPECT_NEAR(lit[i] - shaded[i], 25 * 2.0 / 3, 1e-3);
  EXPECT_NEAR(lit[i + 1], shaded[i + 1], 1e-6);
  EXPECT_NEAR(lit[i + 2] - shaded[i + 2], 8 * 2.0 / 3, 1e-3);
  const std::size_t front = 3 * (60u * 10 + 50);
  EXPECT_EQ(lit[front], shaded[front]);
}

TEST(TactileImage, ClampsRoundsAndGreys) {
  const float values[] = {-3, 0.49f, 0.5f, 254.6f, 300};
  std::uint8_t bytes[5];
  ToBytes(values, 5, bytes);
  EXPECT_EQ(std::vector<int>(bytes, bytes + 5), (std::vector<int>{0, 0, 1, 255, 255}));
  const float pixel[] = {100, 50, 200};
  float grey;
  ToGrey(pixel, 1, &grey);
  EXPECT_NEAR(grey, 29.9 + 29.35 + 22.8, 1e-4);
  TactileCamera camera = Camera(5, 5);
  camera.background.assign(75, 250.0f);
  std::vector<float> h(25), image(75);
  for (int i = 0; i < 25; ++i) h[i] = static_cast<float>(1e-3 * (i % 5));
  ImageWorkspace workspace;
  RenderImage(camera, h.data(), false, &workspace, image.data());
  EXPECT_EQ(image[3 * 12], 255.0f);
}

TEST(TactileImage, MarkersAreDotsOfTheirSizeAtTheirPlace) {
  std::vector<float> image(60 * 80, 100.0f);
  const double places[] = {30.3, 20.7};
  DrawMarkers(60, 80, 1, places, 1, 4.5, 0.2, image.data());
  double missing = 0, x = 0, y = 0;
  for (int r = 0; r < 60; ++r)
    for (int c = 0; c < 80; ++c) {
      const double m = 100 - image[80u * r + c];
      missing += m, x += m * c, y += m * r;
    }
  EXPECT_NEAR(missing, 80 * 3.14159265 * 4.5 * 4.5, 0.02 * missing);
  EXPECT_NEAR(x / missing, 30.3, 0.02);
  EXPECT_NEAR(y / missing, 20.7, 0.02);
  EXPECT_NEAR(image[80u * 21 + 30], 20, 1e-4);
  EXPECT_EQ(image[80u * 21 + 40], 100);
}

TEST(TactileImage, OverlappingDotsAreNoDarkerThanOneAndTheRimCutsThem) {
  std::vector<float> twice(40 * 40 * 3, 90.0f), once = twice;
  const double places[] = {20, 20, 20, 20, 23, 20, -100, 5, 39.5, 0};
  DrawMarkers(40, 40, 3, places, 5, 4, 0.0, twice.data());
  DrawMarkers(40, 40, 3, places, 1, 4, 0.0, once.data());
  for (int c = 0; c <= 20; ++c) EXPECT_NEAR(twice[3 * (40u * 20 + c)], once[3 * (40u * 20 + c)], 1e-4) << c;
  EXPECT_NEAR(twice[3 * (40u * 20 + 26)], 0, 1e-4);  // the second dot's own part
  EXPECT_NEAR(twice[3 * 39 + 2], 0, 1e-4);           // all channels, in the corner
  const double nowhere[] = {NAN, 0};
  EXPECT_THROW(DrawMarkers(40, 40, 3, nowhere, 1, 4, 0.1, once.data()), Error);
  EXPECT_THROW(DrawMarkers(40, 40, 3, places, 1, 0, 0.1, once.data()), Error);
  EXPECT_THROW(DrawMarkers(40, 40, 3, places, 1, 4, 1.1, once.data()), Error);
}

TEST(TactileImage, DepthOfRestOfAPlateauAndOfASlope) {
  const PixelGrid grid{420, 520, 5e-5};
  DepthCamera camera;
  std::vector<float> h(grid.size(), 0.0f), depth(240 * 320);
  RenderDepth(grid, h.data(), camera, depth.data());
  for (const float d : depth) ASSERT_FLOAT_EQ(d, 0.0267f);
  h.assign(grid.size(), 1e-3f);
  RenderDepth(grid, h.data(), camera, depth.data());
  for (const float d : depth) ASSERT_FLOAT_EQ(d, 0.0257f);
  // A slope h = s x (and more than 0 everywhere): the ray x = t z meets it at z = (D - h0) / (1 + s t).
  const double s = 0.05, h0 = 1e-3;
  for (int r = 0; r < grid.rows; ++r)
    for (int c = 0; c < grid.cols; ++c)
      h[static_cast<std::size_t>(r) * grid.cols + c] =
          static_cast<float>(h0 + s * (c - 0.5 * (grid.cols - 1)) * grid.pixel);
  RenderDepth(grid, h.data(), camera, depth.data());
  for (const auto& [r, c] : {std::pair{120, 160}, {5, 20}, {230, 310}}) {
    const double t = camera.half_width * ((2.0 * c + 1) / 320 - 1) / camera.distance;
    EXPECT_NEAR(depth[320u * r + c], (camera.distance - h0) / (1 + s * t), 2e-8);
  }
  // Nothing is nearer than near.
  h.assign(grid.size(), 0.02665f);
  camera.near = 2e-4;
  RenderDepth(grid, h.data(), camera, depth.data());
  EXPECT_FLOAT_EQ(depth[320u * 120 + 160], 2e-4f);
  camera.near = 1;
  EXPECT_THROW(RenderDepth(grid, h.data(), camera, depth.data()), Error);
  camera = DepthCamera();
  camera.half_width = 0;
  EXPECT_THROW(RenderDepth(grid, h.data(), camera, depth.data()), Error);
}

TEST(TactileImage, SaysWhatIsWrong) {
  TactileCamera camera = Camera(10, 10);
  camera.background.pop_back();
  EXPECT_THROW(CheckCamera(camera), Error);
  camera = Camera(10, 10);
  camera.background[5] = NAN;
  EXPECT_THROW(CheckCamera(camera), Error);
  camera = Camera(10, 10);
  camera.grid.pixel = 0;
  EXPECT_THROW(CheckCamera(camera), Error);
  camera = Camera(10, 10);
  camera.lights.resize(1);
  camera.lights[0].slope = -1;
  EXPECT_THROW(CheckCamera(camera), Error);
}

}  // namespace
}  // namespace taxel
