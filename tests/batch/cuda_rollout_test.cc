// Where a rollout on the GPU reads and writes; the gradients themselves are compared in tests/gpu. Cases:
//   - rows of consecutive steps follow each other, and the last ends where its array ends
//   - a step adds to the gradient of the poses before it; the first to a row of its own that is cleared
//   - the gradient of the stretches goes from a step to the one before it, through two arrays in turns
#include "taxel/batch/cuda_rollout.h"

#include <gtest/gtest.h>

#include <numeric>

namespace taxel {
namespace {

constexpr RolloutRows kRows{5, 6, 2, 7, 11, 90};

// Memory of the host stands for the GPU's: only addresses matter.
struct Arrays {
  std::vector<float> path = std::vector<float>(5 * 6 * 2 * 16),
                     displacement = std::vector<float>(5 * 6 * 7 * 3),
                     states = std::vector<float>(kRows.states()), work = std::vector<float>(kRows.work()),
                     poses = std::vector<float>(kRows.poses()),
                     parameters = std::vector<float>(kRows.parameters());
  int stream = 0;

  CudaStepArguments Forward(std::size_t t) {
    return kRows.Forward(t, path.data(), displacement.data(), &stream);
  }
  CudaVjpArguments Backward(std::size_t t) {
    return kRows.Backward(t, path.data(), states.data(), displacement.data(), work.data(), poses.data(),
                          parameters.data(), &stream);
  }
};

TEST(RolloutRows, StepsFollowEachOther) {
  Arrays a;
  for (std::size_t t = 0; t < kRows.steps; ++t) {
    const CudaStepArguments f = a.Forward(t);
    const CudaVjpArguments b = a.Backward(t);
    EXPECT_EQ(f.poses.X_PI, &a.path[t * 6 * 2 * 16]);
    EXPECT_EQ(b.step.poses.X_PI, f.poses.X_PI);
    EXPECT_EQ(f.out.displacement, &a.displacement[t * 6 * 7 * 3]);
    EXPECT_EQ(b.displacement, f.out.displacement);  // the cotangents stand for the displacements here
    EXPECT_EQ(kRows.StateBefore(t, a.states.data()), &a.states[t * 6 * 90]);
    EXPECT_EQ(b.state_before, &a.states[t * 6 * 90]);
    EXPECT_EQ(b.X_PI, &a.poses[t * 6 * 2 * 12]);
    EXPECT_EQ(b.parameters, a.parameters.data());
    EXPECT_EQ(f.stream, &a.stream);
    EXPECT_EQ(b.step.stream, &a.stream);
    // Neither gravity, nor time, nor forces: those have no gradient here.
    EXPECT_EQ(f.shift, nullptr);
    EXPECT_EQ(f.dt, 0);
    EXPECT_EQ(f.out.wrench, nullptr);
    EXPECT_EQ(f.out.marker_forces, nullptr);
    EXPECT_EQ(b.wrench, nullptr);
  }
  EXPECT_EQ(a.Forward(4).poses.X_PI + 6 * 2 * 16, a.path.data() + a.path.size());
  EXPECT_EQ(a.Backward(4).X_PI + 6 * 2 * 12, a.poses.data() + a.poses.size());
  EXPECT_EQ(a.Backward(4).state_before + 6 * 90, a.states.data() + a.states.size());
  EXPECT_EQ(a.parameters.size(), 6u * kParameterCount);
}

TEST(RolloutRows, GradientsGoBack) {
  Arrays a;
  for (std::size_t t = 1; t < kRows.steps; ++t) {
    EXPECT_EQ(a.Backward(t).X_PI_before, a.Backward(t - 1).X_PI);
    EXPECT_EQ(a.Backward(t).stretch_before, a.Backward(t - 1).stretch_after);
    EXPECT_NE(a.Backward(t).stretch_before, a.Backward(t).stretch_after);
  }
  EXPECT_EQ(a.Backward(4).stretch_after, nullptr);  // nothing depends on the state at the end
  // Three rows that share nothing fill the memory it works with.
  const CudaVjpArguments first = a.Backward(0), second = a.Backward(1);
  EXPECT_EQ(first.X_PI_before, a.work.data());
  EXPECT_EQ(kRows.cleared_work(), 6u * 2 * 12);
  EXPECT_EQ(first.stretch_before, a.work.data() + kRows.cleared_work());
  EXPECT_EQ(second.stretch_before, first.stretch_before + 6 * 11 * 3);
  EXPECT_EQ(second.stretch_before + 6 * 11 * 3, a.work.data() + a.work.size());
}

// What a rollout is: the sum over steps of each step's own gradient, with all that earlier steps leave
// behind. The same calls on a law that can be checked by hand: the state of a copy is s' = s + x, its result
// 2 s'.
TEST(RolloutRows, AddUpOnALawOfOneNumber) {
  constexpr RolloutRows kOne{4, 1, 1, 1, 1, 1};
  std::vector<float> path(4 * 16), out(4 * 3), states(kOne.states()), work(kOne.work(), 77),
      poses(kOne.poses()), parameters(kOne.parameters());
  for (std::size_t t = 0; t < 4; ++t) path[16 * t] = static_cast<float>(t + 1);
  float state = 5;
  for (std::size_t t = 0; t < 4; ++t) {
    *kOne.StateBefore(t, states.data()) = state;
    const CudaStepArguments a = kOne.Forward(t, path.data(), out.data(), nullptr);
    state += a.poses.X_PI[0];
    a.out.displacement[0] = 2 * state;
  }
  EXPECT_EQ(states, (std::vector<float>{5, 6, 8, 11}));
  EXPECT_EQ(out[9], 30);
  const std::vector<float> seeds{1, 0, 0, 10, 0, 0, 100, 0, 0, 1000, 0, 0};
  std::fill_n(work.begin(), kOne.cleared_work(), 0.0f);
  for (std::size_t t = 4; t-- > 0;) {
    const CudaVjpArguments a = kOne.Backward(t, path.data(), states.data(), seeds.data(), work.data(),
                                             poses.data(), parameters.data(), nullptr);
    const float g = 2 * a.displacement[0] + (a.stretch_after ? a.stretch_after[0] : 0);
    a.X_PI[0] += g;
    a.stretch_before[0] = g;
    a.parameters[0] += g;
  }
  for (std::size_t t = 0; t < 4; ++t)
    EXPECT_EQ(poses[12 * t],
              2 * std::accumulate(seeds.begin() + static_cast<std::ptrdiff_t>(3 * t), seeds.end(), 0.0f));
  EXPECT_EQ(parameters[0], 2 * (1 + 2 * 10 + 3 * 100 + 4 * 1000));
}

}  // namespace
}  // namespace taxel
