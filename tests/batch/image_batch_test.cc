// Grey images in batches, 80 x 60:
//   - the penetration under a ball and a tilted box is the closed form
//   - a rigid skin: what PressSkin, RenderImage and ToGrey say, to 1e-3 grey levels
//   - a membrane: PressSkin run to convergence, to 0.5 grey levels; the number of sweeps is enough for 0.5 %
//     of the depth
//   - float geometry is within 0.05 grey levels of double; threads change no bit; bytes are rounded greys
//   - nothing touches: the background; errors
#include "taxel/batch/image_batch.h"

#include <gtest/gtest.h>

#include "../marker/marker_scenes.h"
#include "../shape/expect_error.h"

namespace taxel {
namespace {

constexpr int kRows = 80, kCols = 60;
constexpr double kPixel = 0.26e-3, kDecay = 1e-3, kPlane = 2e-3;

// A table that is linear in the normal, with a different slope a colour and a place-dependent part.
TactileCamera Camera() {
  TactileCamera camera;
  camera.grid = {kRows, kCols, kPixel};
  camera.table = PhotometricTable::Flat(21);
  for (int j = 0; j < 21; ++j)
    for (int i = 0; i < 21; ++i) {
      const float nx = -1 + 0.1f * i, ny = -1 + 0.1f * j;
      float* node = &camera.table.values[static_cast<std::size_t>((j * 21 + i) * kPlaceTerms * kColours)];
      node[0] = 90 * nx - 40 * nx * nx, node[1] = -60 * nx + 70 * ny, node[2] = -80 * ny + 30 * ny * ny;
      node[3] = 10 * nx, node[7] = -15 * ny, node[11] = 5 * nx * ny;
    }
  for (int t = 0; t < kPlaceTerms * kColours; ++t)  // the flat gel, free of rounding
    camera.table.values[static_cast<std::size_t>((10 * 21 + 10) * kPlaceTerms * kColours + t)] = 0;
  for (std::size_t k = 0; k < 3 * camera.grid.size(); ++k)
    camera.background.push_back(120 + 20 * std::sin(0.01f * static_cast<float>(k)));
  CheckCamera(camera);
  return camera;
}

template <typename T>
GreyScene<T> Scene(const TactileCamera* camera, bool membrane, KernelShapeKind kind, double a, double b,
                   double c) {
  GreyScene<T> scene;
  scene.plane.rows = kRows, scene.plane.cols = kCols, scene.plane.pixel = T(kPixel);
  scene.plane.centre_P = {0, 0, T(kPlane)};
  scene.object = {kind, T(a), T(b), T(c), {}};
  scene.skin = MakeImageSkin(kDecay, kPixel);
  scene.skin.membrane = membrane;
  scene.camera = camera;
  return scene;
}

std::vector<Pose> Poses() {
  std::vector<Pose> out;
  for (int seed = 0; seed < 3; ++seed)
    for (const Pose& X : test::RandomPath(seed, 12)) out.push_back(X);
  return out;
}

TEST(ImageBatch, PenetrationIsTheClosedForm) {
  const TactileCamera camera = Camera();
  const GreyScene<double> ball = Scene<double>(&camera, false, KernelShapeKind::kSphere, 8e-3, 0, 0);
  std::vector<float> depth(kRows * kCols);
  const Pose X{RotationAbout(normalized({1, 2, 3}), 0.7), {1.1e-3, -0.7e-3, 9.3e-3}};
  RenderGreyBatch(ball, {X}, 1, {nullptr, nullptr, depth.data()});
  int pressed = 0;
  for (int r = 0; r < kRows; ++r)
    for (int c = 0; c < kCols; ++c) {
      // x to the right, y down.
      const double x = kPixel * (c - 29.5) - X.p.x, y = kPixel * (r - 39.5) - X.p.y;
      const double rest = 64e-6 - x * x - y * y;
      const double expected = rest > 0 ? kPlane - (X.p.z - std::sqrt(rest)) : 0;
      ASSERT_NEAR(depth[r * kCols + c], std::max(0.0, expected), 1e-9);
      pressed += expected > 0;
    }
  EXPECT_GT(pressed, 100);
  // A box on its edge, and the image turned by a quarter: right is -y of the pad, down is x.
  GreyScene<double> box = Scene<double>(&camera, false, KernelShapeKind::kBox, 4e-3, 20e-3, 4e-3);
  box.plane.right_x = 0, box.plane.right_y = -1, box.plane.down_x = 1, box.plane.down_y = 0;
  const double deep = 0.8e-3, edge = 4e-3 * std::sqrt(2.0);
  const Pose on_edge{RotationAbout({0, 1, 0}, 0.25 * 3.14159265358979), {0, 0, kPlane - deep + edge}};
  RenderGreyBatch(box, {on_edge}, 1, {nullptr, nullptr, depth.data()});
  for (int r = 0; r < kRows; ++r)
    for (int c = 0; c < kCols; ++c)
      ASSERT_NEAR(depth[r * kCols + c], std::max(0.0, deep - kPixel * std::fabs(r - 39.5)), 1e-9);
}

struct Shape {
  KernelShapeKind kind;
  double a, b, c;
};
constexpr Shape kShapes[] = {{KernelShapeKind::kSphere, 8e-3, 0, 0},
                             {KernelShapeKind::kCapsule, 6e-3, 2e-3, 0},
                             {KernelShapeKind::kBox, 6e-3, 7e-3, 7.5e-3}};

TEST(ImageBatch, IsWhatTheSingleFunctionsSay) {
  const TactileCamera camera = Camera();
  const std::vector<Pose> poses = Poses();
  const std::size_t n = kRows * kCols;
  for (const Shape& shape : kShapes)
    for (const bool membrane : {false, true}) {
      const auto scene = Scene<double>(&camera, membrane, shape.kind, shape.a, shape.b, shape.c);
      std::vector<float> grey(poses.size() * n, NAN), depth(poses.size() * n, NAN), height(n), image(3 * n),
          expected(n);
      RenderGreyBatch(scene, poses, 2, {grey.data(), nullptr, depth.data()});
      SkinOptions options;
      options.model = membrane ? SkinModel::kMembrane : SkinModel::kRigid;
      options.decay_length = kDecay;
      options.sweeps = 400;  // converged
      PressWorkspace press;
      ImageWorkspace workspace;
      double worst = 0, contrast = 0;
      for (std::size_t k = 0; k < poses.size(); ++k) {
        PressSkin(camera.grid, &depth[k * n], options, &press, height.data());
        RenderImage(camera, height.data(), false, &workspace, image.data());
        ToGrey(image.data(), n, expected.data());
        for (std::size_t i = 0; i < n; ++i) {
          ASSERT_TRUE(std::isfinite(grey[k * n + i]));
          worst = std::max<double>(worst, std::fabs(grey[k * n + i] - expected[i]));
          contrast = std::max<double>(
              contrast, std::fabs(expected[i] - Luma(camera.background[3 * i], camera.background[3 * i + 1],
                                                     camera.background[3 * i + 2])));
        }
      }
      std::printf("shape %d, %s skin: %.4f grey levels apart, contrast %.1f\n", int(shape.kind),
                  membrane ? "membrane" : "rigid", worst, contrast);
      EXPECT_LT(worst, membrane ? 0.5 : 1e-3);
      EXPECT_GT(contrast, 10);
    }
}

TEST(ImageBatch, TheSweepsAreEnough) {
  for (const double ratio : {0.5, 1.0, 2.0, 3.85, 8.0, 12.0})
    for (const bool block : {false, true}) {
      std::vector<float> obstacle, height, converged;
      for (int r = 0; r < kRows; ++r)
        for (int c = 0; c < kCols; ++c) {
          const double away2 = kPixel * kPixel * ((r - 37.3) * (r - 37.3) + (c - 28.1) * (c - 28.1));
          const double cap = 6e-4 - 8e-3 + std::sqrt(std::max(0.0, 64e-6 - away2));
          obstacle.push_back(static_cast<float>(
              block ? (std::abs(r - 37) < 15 && std::abs(c - 28) < 12 ? 6e-4 : 0) : std::max(0.0, cap)));
        }
      height = converged = obstacle;
      RelaxSkin(MakeImageSkin(ratio, 1), kRows, kCols, obstacle.data(), height.data());
      RelaxSkin(MakeImageSkin(ratio, 1, 2000), kRows, kCols, obstacle.data(), converged.data());
      for (std::size_t i = 0; i < height.size(); ++i)
        ASSERT_NEAR(height[i], converged[i], 0.005 * 6e-4) << ratio << (block ? " block" : " ball");
    }
}

TEST(ImageBatch, FloatIsCloseThreadsChangeNothingBytesAreRounded) {
  const TactileCamera camera = Camera();
  const std::vector<Pose> poses = Poses();
  const std::size_t n = poses.size() * kRows * kCols;
  for (const Shape& shape : kShapes) {
    std::vector<float> exact(n), quick(n), again(n), depth(n), quick_depth(n);
    std::vector<std::uint8_t> bytes(n);
    RenderGreyBatch(Scene<double>(&camera, true, shape.kind, shape.a, shape.b, shape.c), poses, 1,
                    {exact.data(), bytes.data(), depth.data()});
    const auto scene = Scene<float>(&camera, true, shape.kind, shape.a, shape.b, shape.c);
    RenderGreyBatch(scene, poses, 1, {quick.data(), nullptr, quick_depth.data()});
    RenderGreyBatch(scene, poses, 5, {again.data(), nullptr, nullptr});
    EXPECT_EQ(quick, again);
    // A pixel on the rim of a box may fall on either side of it.
    std::size_t other_side = 0, pressed = 0;
    for (std::size_t i = 0; i < n; ++i) {
      pressed += depth[i] > 0;
      other_side += std::fabs(depth[i] - quick_depth[i]) > 1e-7;
      EXPECT_EQ(bytes[i], static_cast<std::uint8_t>(exact[i] + 0.5f));
    }
    EXPECT_GT(pressed, 1000u);
    EXPECT_EQ(other_side, 0u);
    double worst = 0;
    for (std::size_t i = 0; i < n; ++i) worst = std::max<double>(worst, std::fabs(exact[i] - quick[i]));
    EXPECT_LT(worst, 0.05);
  }
}

TEST(ImageBatch, NothingTouchesAndErrors) {
  const TactileCamera camera = Camera();
  auto scene = Scene<double>(&camera, true, KernelShapeKind::kSphere, 8e-3, 0, 0);
  std::vector<float> grey(kRows * kCols, NAN);
  RenderGreyBatch(scene, {Pose{{}, {0, 0, 0.02}}}, 1, {grey.data(), nullptr, nullptr});
  for (std::size_t i = 0; i < grey.size(); ++i)
    ASSERT_EQ(grey[i],
              Luma(camera.background[3 * i], camera.background[3 * i + 1], camera.background[3 * i + 2]));
  const GreyOutput out{grey.data(), nullptr, nullptr};
  ExpectError(
      [&] {
        RenderGreyBatch(scene, {Pose{{}, {NAN, 0, 0}}}, 1, out);
      },
      {"X_PI number 0", "not finite"});
  ExpectError([&] { RenderGreyBatch(scene, {Pose{}}, -1, out); }, {"threads is -1"});
  scene.skin.sweeps = 0;
  ExpectError([&] { RenderGreyBatch(scene, {Pose{}}, 1, out); }, {"sweeps is 0"});
  scene.plane.rows = 60;
  ExpectError([&] { RenderGreyBatch(scene, {Pose{}}, 1, out); }, {"60 x 60", "80 x 60"});
  scene.camera = nullptr;
  ExpectError([&] { RenderGreyBatch(scene, {Pose{}}, 1, out); }, {"no camera"});
}

}  // namespace
}  // namespace taxel
