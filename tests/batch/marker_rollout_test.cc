// Paths of many worlds with gradients. Cases:
//   - displacements and gradients are those of one tape per world and finger, bit for bit, for 1 and 3
//   threads,
//     with two objects, from a state in contact and with parameters of their own; the batch stays where it is
//   - mode layer: the same
//   - an empty path
//   - published modes, creep, a path of a wrong size, threads below 0 and a bad pose are refused
#include "taxel/batch/marker_rollout.h"

#include <gtest/gtest.h>

#include <limits>

#include "../marker/marker_scenes.h"
#include "../shape/expect_error.h"
#include "../shape/test_meshes.h"

namespace taxel {
using namespace internal;
namespace {

using test::Ball, test::FlatPad, test::Grid, test::RandomPath;

constexpr int kWorlds = 3, kFingers = 2, kObjects = 2, kSteps = 5;
constexpr std::size_t kCopies = kWorlds * kFingers;

TaxelField Two() {
  TaxelParameters p;
  p.friction = 0.4;
  const MarkerIndenter rod = SampleIndenter(Body(Cylinder{3e-3, 12e-3}, {}), 1.3e-3, 2);
  return TaxelField(GelPad(FlatPad()), Grid(), {Ball(8e-3, 1.4e-3), rod}, p, 1);
}

// steps x worlds x fingers x objects; the rod leans beside the ball.
std::vector<Pose> Path(int steps, std::uint64_t seed) {
  std::vector<std::vector<Pose>> ways;
  for (std::size_t i = 0; i < kCopies * kObjects; ++i) {
    ways.push_back(RandomPath(seed + i, steps));
    if (i % kObjects == 1)
      for (Pose& X : ways.back()) {
        X.R = X.R * RotationAbout(normalized({1, 0.3, 0}), 1.2);
        X.p += Vec3{6e-3, -5e-3, -3.2e-3};
      }
  }
  std::vector<Pose> out;
  for (std::size_t t = 0; t < static_cast<std::size_t>(steps); ++t)
    for (const std::vector<Pose>& way : ways) out.push_back(way[t]);
  return out;
}

// In contact, each world with a friction of its own.
MarkerBatch Pressed() {
  MarkerBatch out(Two(), kWorlds, kFingers, 1);
  for (int w = 0; w < kWorlds; ++w) {
    TaxelParameters p = out.taxel_field(w, 0).parameters();
    p.friction = 0.2 + 0.3 * w;
    out.SetParameters(w, p);
  }
  const std::vector<Pose> way = Path(2, 70);
  std::vector<Vec3> u(kCopies * static_cast<std::size_t>(out.markers()));
  for (std::size_t t = 0; t < 2; ++t) {
    const auto first = way.begin() + static_cast<std::ptrdiff_t>(t * kCopies * kObjects);
    out.Step({first, first + kCopies * kObjects}, 0, nullptr, u.data(), nullptr, nullptr);
  }
  return out;
}

TEST(MarkerRollout, IsOneTapePerWorldAndFinger) {
  const MarkerBatch batch = Pressed();
  const auto N = static_cast<std::size_t>(batch.markers());
  const std::vector<Pose> path = Path(kSteps, 30);
  std::vector<Vec3> seeds(kSteps * kCopies * N);
  for (std::size_t i = 0; i < seeds.size(); ++i) seeds[i] = test::UniformDirection(40, i);
  for (const int threads : {1, 3}) {
    const TaxelState before = batch.taxel_field(1, 1).state();
    std::vector<Vec3> u(seeds.size());
    const MarkerRollout rollout(batch, path, threads, u.data());
    EXPECT_EQ(rollout.steps(), static_cast<std::size_t>(kSteps));
    std::vector<PoseGradient> poses(path.size());
    std::vector<TaxelParameterGradient> parameters(kCopies);
    rollout.Backward(seeds.data(), poses.data(), parameters.data());
    double largest = 0;
    for (std::size_t i = 0; i < kCopies; ++i) {
      TaxelTape tape(batch.taxel_fields()[i]);
      std::vector<std::vector<Vec3>> rows;
      for (std::size_t t = 0; t < kSteps; ++t) {
        const std::size_t row = t * kCopies + i;
        const auto X = path.begin() + static_cast<std::ptrdiff_t>(row * kObjects);
        const TaxelReading& r = tape.Step({X, X + kObjects});
        for (std::size_t m = 0; m < N; ++m) EXPECT_EQ(u[row * N + m], r.displacement[m]) << t << ", " << m;
        rows.emplace_back(&seeds[row * N], &seeds[row * N] + N);
      }
      std::vector<std::vector<PoseGradient>> wanted;
      TaxelParameterGradient wanted_parameters;
      tape.Backward(rows, &wanted, &wanted_parameters);
      EXPECT_EQ(parameters[i], wanted_parameters) << i;
      for (std::size_t t = 0; t < kSteps; ++t)
        for (std::size_t k = 0; k < kObjects; ++k)
          EXPECT_EQ(poses[(t * kCopies + i) * kObjects + k], wanted[t][k]) << t << ", " << i << ", " << k;
      for (const double g : wanted_parameters) largest = std::max(largest, std::abs(g));
    }
    EXPECT_GT(largest, 0);
    EXPECT_TRUE(batch.taxel_field(1, 1).state() == before);
  }
}

TEST(MarkerRollout, OfModeLayerIsOneTapePerWorldAndFinger) {
  LayerParameters p;
  p.friction = 0.4;
  const LayerField field(
      GelPad(FlatPad()), Grid(3, 3),
      {MarkerDistance(Primitive{Sphere{8e-3}}), MarkerDistance(Primitive{Cylinder{3e-3, 12e-3}})}, p,
      {1e-3, 1e-4, 1});
  MarkerBatch batch(field, kWorlds, kFingers, 1);
  p.friction = 0.7;
  batch.SetParameters(1, p);
  const std::vector<Pose> path = Path(kSteps, 30);
  const std::size_t N = 9;
  std::vector<Vec3> seeds(kSteps * kCopies * N), u(seeds.size());
  for (std::size_t i = 0; i < seeds.size(); ++i) seeds[i] = test::UniformDirection(40, i);
  const MarkerRollout rollout(batch, path, 3, u.data());
  std::vector<PoseGradient> poses(path.size());
  std::vector<LayerParameterGradient> parameters(kCopies);
  EXPECT_TRUE(rollout.layer());
  rollout.Backward(seeds.data(), poses.data(), parameters.data());
  for (std::size_t i = 0; i < kCopies; ++i) {
    LayerTape tape(batch.layer_fields()[i]);
    std::vector<std::vector<Vec3>> rows;
    for (std::size_t t = 0; t < kSteps; ++t) {
      const std::size_t row = t * kCopies + i;
      const auto X = path.begin() + static_cast<std::ptrdiff_t>(row * kObjects);
      const LayerReading& r = tape.Step({X, X + kObjects});
      for (std::size_t m = 0; m < N; ++m) EXPECT_EQ(u[row * N + m], r.displacement[m]) << t << ", " << m;
      rows.emplace_back(&seeds[row * N], &seeds[row * N] + N);
    }
    std::vector<std::vector<PoseGradient>> wanted;
    LayerParameterGradient wanted_parameters;
    tape.Backward(rows, &wanted, &wanted_parameters);
    EXPECT_EQ(parameters[i], wanted_parameters) << i;
    EXPECT_NE(wanted_parameters[0], 0);
    for (std::size_t t = 0; t < kSteps; ++t)
      for (std::size_t k = 0; k < kObjects; ++k)
        EXPECT_EQ(poses[(t * kCopies + i) * kObjects + k], wanted[t][k]) << t << ", " << i << ", " << k;
  }
  std::vector<TaxelParameterGradient> wrong(kCopies);
  ExpectError([&] { rollout.Backward(seeds.data(), poses.data(), wrong.data()); }, {"mode 'layer'"});
}

TEST(MarkerRollout, AnEmptyPathHasNoGradient) {
  const MarkerBatch batch = Pressed();
  const MarkerRollout rollout(batch, {}, 1, nullptr);
  EXPECT_EQ(rollout.steps(), 0u);
  std::vector<TaxelParameterGradient> parameters(kCopies);
  for (TaxelParameterGradient& p : parameters) p.fill(1);
  rollout.Backward(nullptr, nullptr, parameters.data());
  for (const TaxelParameterGradient& p : parameters) EXPECT_EQ(p, TaxelParameterGradient{});
}

TEST(MarkerRollout, RefusesWhatHasNoGradient) {
  MarkerBatch batch = Pressed();
  std::vector<Pose> path = Path(2, 30);
  std::vector<Vec3> u(2 * kCopies * static_cast<std::size_t>(batch.markers()));
  const auto roll = [&](const MarkerBatch& b, int threads) { MarkerRollout(b, path, threads, u.data()); };
  MarkerParameters published;
  published.mode = MarkerMode::kPaper;
  const MarkerField field(FlatPad(), Grid(), Ball(8e-3, 1.4e-3), published);
  ExpectError([&] { roll(MarkerBatch({field}, kWorlds, kFingers, 1), 1); },
              {"published modes have no gradient"});
  ExpectError([&] { roll(batch, -1); }, {"threads is -1"});
  path.pop_back();
  ExpectError([&] { roll(batch, 1); }, {"give 12 a step"});
  path = Path(2, 30);
  path[7].p.x = std::numeric_limits<double>::quiet_NaN();
  ExpectError([&] { roll(batch, 3); }, {"X_PI"});
  path = Path(2, 30);
  TaxelParameters late = batch.taxel_field(2, 0).parameters();
  late.creep = 0.3;
  batch.SetParameters(2, late);
  ExpectError([&] { roll(batch, 1); }, {"creep"});
}

}  // namespace
}  // namespace taxel
