// The team of a thread block (block_team.cuh) on the host: 256 threads, with CUDA's words for barriers and
// warps made of barriers. Loops, sums and lists of any length, one after the other, as one thread has them;
// and steps of mode layer.
#include <gtest/gtest.h>

#include <barrier>
#include <bit>
#include <cstring>
#include <memory>
#include <thread>

#include "../marker/layer_copy.h"
#include "../marker/marker_scenes.h"

namespace taxel::cuda {
namespace {

constexpr int kThreads = internal::kLayerLanes, kWarp = 32;

// Where the threads of a block meet.
struct Block {
  std::barrier<> all{kThreads};
  std::vector<std::unique_ptr<std::barrier<>>> warp;
  int words[kThreads] = {};
  Block() {
    for (int w = 0; w < kThreads / kWarp; ++w) warp.push_back(std::make_unique<std::barrier<>>(kWarp));
  }
};
thread_local Block* block;
thread_local struct { unsigned x; } threadIdx;

void WarpBarrier() { block->warp[threadIdx.x / kWarp]->arrive_and_wait(); }
void SyncThreads() { block->all.arrive_and_wait(); }
int ShuffleDown(unsigned, int value, int distance) {
  block->words[threadIdx.x] = value;
  WarpBarrier();
  const unsigned lane = threadIdx.x % kWarp, from = lane + static_cast<unsigned>(distance);
  const int out = from < kWarp ? block->words[threadIdx.x - lane + from] : value;
  WarpBarrier();
  return out;
}
unsigned Ballot(unsigned, bool vote) {
  block->words[threadIdx.x] = vote;
  WarpBarrier();
  unsigned out = 0;
  for (unsigned lane = 0; lane < kWarp; ++lane)
    out |= static_cast<unsigned>(block->words[threadIdx.x / kWarp * kWarp + lane]) << lane;
  WarpBarrier();
  return out;
}

}  // namespace
}  // namespace taxel::cuda

#define __CUDACC__
#define __CUDA_ARCH__ 900
#define __host__
#define __device__
#define __syncthreads SyncThreads
#define __shfl_down_sync ShuffleDown
#define __ballot_sync Ballot
#define __popc std::popcount
#define __shared__ static
#include "taxel/batch/block_team.cuh"

namespace taxel::cuda {
namespace {
using namespace internal;

// Runs work(team, lane) in all threads of a block.
template <typename Work>
void RunBlock(const Work& work) {
  Block one;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      block = &one;
      threadIdx.x = static_cast<unsigned>(t);
      BlockTeam team;
      work(team, static_cast<std::size_t>(t));
    });
  for (std::thread& t : threads) t.join();
}

struct Sum {
  double sum = 0;
  int most = 0, count = 0;
  void Join(const Sum& o) { sum += o.sum, most = std::max(most, o.most), count += o.count; }
};

TEST(BlockTeam, LoopsSumsAndLists) {
  const int sizes[] = {0, 1, 31, 255, 256, 257, 1000};
  std::vector<int> seen(1000), listed(1000);
  std::vector<std::vector<double>> found(kThreads);
  RunBlock([&](BlockTeam& team, std::size_t lane) {
    for (const int n : sizes) {
      team.For(n, [&](int i) { seen[static_cast<std::size_t>(i)] = i; });
      for (int twice = 0; twice < 3; ++twice) {  // more often than there are places to meet
        const Sum s = team.Reduce<Sum>(n, [&](int i, Sum* sum) {
          sum->sum += 0.1 * seen[static_cast<std::size_t>(i)];
          sum->most = std::max(sum->most, i + twice);
          ++sum->count;
        });
        found[lane].insert(found[lane].end(), {s.sum, 1.0 * s.most, 1.0 * s.count});
      }
      const int count = team.List(
          n, [](int i) { return i % 3 == 1 || i > 900; },
          [&](int place, int i) { listed[static_cast<std::size_t>(place)] = i; });
      const Sum order = team.Reduce<Sum>(count - 1, [&](int k, Sum* sum) {
        const std::size_t at = static_cast<std::size_t>(k);
        sum->count += listed[at] < listed[at + 1];
      });
      found[lane].insert(found[lane].end(), {1.0 * count, 1.0 * order.count});
    }
  });
  std::size_t at = 0;
  for (const int n : sizes) {
    for (int twice = 0; twice < 3; ++twice) {
      EXPECT_NEAR(found[0][at++], 0.05 * n * (n - 1), 1e-9);
      EXPECT_EQ(found[0][at++], n > 0 ? n - 1 + twice : 0);
      EXPECT_EQ(found[0][at++], n);
    }
    int count = 0;
    for (int i = 0; i < n; ++i) count += i % 3 == 1 || i > 900;
    EXPECT_EQ(found[0][at++], count);
    EXPECT_EQ(found[0][at++], std::max(count - 1, 0));
  }
  for (const std::vector<double>& lane : found) EXPECT_EQ(lane, found[0]);  // the same bits in all of them
}

TEST(BlockTeam, StepsALayer) {
  // Coarse cells: every barrier of a warp costs a few switches of threads.
  LayerOptions coarse;
  coarse.pitch = 1.2e-3;
  const LayerField field(GelPad(test::FlatPad()), test::Grid(3, 3), {MarkerDistance(Primitive{Sphere{8e-3}})},
                         {}, coarse);
  test::LayerCopy<SerialTeam> one(field, 192), other(field, 192);
  for (const auto& [x, depth] : {std::pair{0.0, -1e-4}, {0.0, 0.1e-3}, {5e-5, 0.15e-3}}) {
    const std::vector<Pose> X{{{}, {x, 0, 10e-3 - depth}}};
    EXPECT_EQ(one.Step(X), LayerOutcome::kGood);
    std::vector<LayerOutcome> outcome(kThreads, LayerOutcome::kOverflow);
    other.Prepare(X);
    RunBlock([&](BlockTeam& team, std::size_t lane) {
      int rounds[2] = {};
      outcome[lane] = other.Run(&team, false, rounds);
    });
    for (const LayerOutcome o : outcome) EXPECT_EQ(o, LayerOutcome::kGood);
    for (std::size_t i = 0; i < one.displacement.size(); ++i)
      EXPECT_NEAR(one.displacement[i], other.displacement[i], 1e-4);
    for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(one.wrench[i], other.wrench[i], 1e-5);
  }
  EXPECT_LT(one.wrench[2], -0.01);
  EXPECT_GT(one.wrench[0], 1e-3);
}

}  // namespace
}  // namespace taxel::cuda
