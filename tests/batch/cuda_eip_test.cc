// Presses for a GPU, as far as the host sees them; the presses themselves are compared in tests/gpu. Cases:
//   - the start is that of the press on the CPU: positions, the contact layers in the order of images, alpha,
//     slopes, numbers of the material; options end up in the batch
//   - objects of kMixing are filled: their points' mass is that of the object
//   - a result has the frames of the press on the CPU, images turn from D's axes to the pads', lengths scale
//   - refusals: lengths, objects, grids, objects out of reach (naming the press), objects too dense; no
//   presses
//     are no work
#include "taxel/batch/cuda_eip.h"

#include <gtest/gtest.h>

#include "../shape/expect_error.h"
#include "taxel/gel/layers.h"

namespace taxel {
using namespace internal;
namespace {

constexpr std::size_t kPixels = 61 * 61;
const MarkerDistance kBall{Primitive{Sphere{0.07}}};
const Pose kMiddle{{}, {0.5, 0.5, 0.5}};

TEST(EipGel, StartsAsThePressOnTheCpu) {
  EipOptions o;
  o.grid = 64, o.dt = 3e-3, o.gap = 0.26, o.check_every = 3;
  o.follow_blend = o.hand_offset = true;
  o.form = ChamferForm::kSum, o.chamfer = 0.4;
  const EipPress press(o, kBall, kMiddle);
  const EipGel gel(o, {kBall, kBall}, 5);
  const std::vector<Vec3> start = press.Positions();
  ASSERT_EQ(gel.position.size(), 3 * start.size());
  for (std::size_t p = 0; p < start.size(); ++p) {
    const bool upper = p >= start.size() / 2;
    for (int k = 0; k < 3; ++k)
      ASSERT_NEAR(gel.position[3 * p + static_cast<std::size_t>(k)], 64 * start[p][k], 1e-5);
    ASSERT_EQ(gel.pad[p], upper);
    ASSERT_NEAR(gel.alpha[p], 1 - 0.1 * press.layers()[p], 1e-7);
    ASSERT_FLOAT_EQ(gel.slope[3 * p + 1], (upper ? -1 : 1) / (0.04f * 64));
    ASSERT_EQ(gel.slope[3 * p], 0);
  }
  // Entry i 61 + j of a pad's layer stands at ((i - 30) s, (j - 30) s, half a layer below the face) in its
  // frame.
  const EipResult rest = press.Result();
  for (int pad = 0; pad < 2; ++pad)
    for (int i = 0; i < 61; i += 12)
      for (int j = 0; j < 61; j += 10) {
        const int id =
            gel.contact[static_cast<std::size_t>(pad) * kPixels + static_cast<std::size_t>(61 * i + j)];
        const Vec3 q = Inverse(rest.pads[pad].X_DP) * start[static_cast<std::size_t>(id)];
        EXPECT_NEAR(q.x, (i - 30) * 0.24 / 61, 1e-6);
        EXPECT_NEAR(q.y, (j - 30) * 0.24 / 61, 1e-6);
        EXPECT_NEAR(q.z, -0.002, 1e-6);
        EXPECT_EQ(press.layers()[static_cast<std::size_t>(id)], 0);
      }
  const CudaGelSpec& s = gel.spec;
  const double kappa = 4 * 3e-3 * 3e-3 * 64 * 64 / o.material.density;
  EXPECT_FLOAT_EQ(s.numbers.mu, static_cast<float>(kappa * o.material.mu()));
  EXPECT_FLOAT_EQ(s.numbers.lambda, static_cast<float>(kappa * o.material.lambda()));
  EXPECT_EQ(s.worlds, 5);
  EXPECT_EQ(s.particles, static_cast<int>(start.size()));
  for (const int cells : s.cells) EXPECT_EQ(cells, 64);
  EXPECT_EQ(s.pads, 2);
  EXPECT_EQ(s.layer, static_cast<int>(kPixels));
  EXPECT_FLOAT_EQ(s.hand_offset, 0.01f);
  EXPECT_FLOAT_EQ(s.unit, 64);
  EXPECT_TRUE(s.stop_inside);
  EXPECT_FALSE(s.mix_momentum);
  EXPECT_FLOAT_EQ(s.stop_chamfer, 0.4f * 64 * 64);
  EXPECT_EQ(s.chamfer, CudaChamfer::kSum);
  EXPECT_EQ(s.check_every, 3);
  EXPECT_EQ(gel.bodies.size(), 2u);
  EXPECT_TRUE(gel.bodies[0].points.empty());
}

TEST(EipGel, FillsObjectsWithTheirMass) {
  EipOptions o;
  o.contact = EipContact::kMixing, o.chamfer = -1;
  const EipGel gel(o, {kBall}, 1);
  EXPECT_EQ(gel.spec.alpha_slope, nullptr);
  EXPECT_EQ(gel.spec.stop_chamfer, 0);
  EXPECT_TRUE(gel.spec.mix_momentum);
  EXPECT_FALSE(gel.spec.stop_inside);
  const double particle = o.material.density * 0.24 * 0.04 * 0.24 / (61 * 61 * 10);
  const double mass = static_cast<double>(gel.bodies[0].points.size()) * gel.spec.point_mass * particle;
  EXPECT_NEAR(mass / (o.object_density * 4 / 3.0 * M_PI * 0.07 * 0.07 * 0.07), 1, 2e-3);
  for (const Vec3& p : gel.bodies[0].points) ASSERT_LT(norm(p), 0.07);
}

TEST(ToEipResult, HasTheFramesOfThePress) {
  EipOptions o;
  o.steps = 3, o.chamfer = 0, o.grid = 64;
  const EipResult cpu = RunEipPress(o, kBall, kMiddle);
  std::vector<float> layers(6 * kPixels);
  for (std::size_t k = 0; k < layers.size(); ++k) layers[k] = 0.001f * static_cast<float>(k % 997) - 0.4f;
  const float chamfer[2] = {64, 32};
  const EipResult r = ToEipResult(o, layers.data(), chamfer, 3, true);
  EXPECT_EQ(r.steps, 3);
  EXPECT_TRUE(r.stopped);
  for (std::size_t pad = 0; pad < 2; ++pad) {
    EXPECT_EQ(r.pads[pad].X_DP, cpu.pads[pad].X_DP);
    EXPECT_DOUBLE_EQ(r.pads[pad].chamfer, chamfer[pad] / 64 / 64);
    ASSERT_EQ(r.pads[pad].image.size(), kPixels);
    for (std::size_t i = 0; i < kPixels; i += 91) {
      const float* u = &layers[3 * (pad * kPixels + i)];
      const Vec3 wanted = TransposeMul(cpu.pads[pad].X_DP.R, (1 / 64.0) * Vec3{u[0], u[1], u[2]});
      EXPECT_NEAR(norm(r.pads[pad].image[i] - wanted), 0, 1e-9);
    }
  }
}

TEST(RunEipPressesCuda, RefusesBeforeAGpuIsAskedFor) {
  EipOptions o;
  const auto run = [&](const std::vector<int>& which, const std::vector<Pose>& X) {
    return RunEipPressesCuda(o, {kBall}, which, X);
  };
  EXPECT_TRUE(run({}, {}).empty());
  ExpectError([&] { run({0, 0}, {kMiddle}); }, {"2 objects chosen and 1 poses"});
  ExpectError([&] { run({0, 1}, {kMiddle, kMiddle}); }, {"press 1 asks for object 1; there are 1"});
  ExpectError(
      [&] {
        run({0, 0}, {kMiddle, Pose{{}, {0.5, 3, 0.4}}});
      },
      {"press 1: ", "does not lie between"});
  o.grid = 130, o.dt = 1e-3;
  ExpectError([&] { run({0}, {kMiddle}); }, {"grid is 130; give a multiple of 4"});
  o = {};
  o.contact = EipContact::kMixing, o.object_density = 2000;
  ExpectError([&] { run({0}, {kMiddle}); }, {"object_density is 2000; at grid 128 give at most 1.0"});
}

}  // namespace
}  // namespace taxel
