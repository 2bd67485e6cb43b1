// Counter-based random numbers. Cases:
//   same key, same bits, on every machine (fixed values); order of drawing does not matter
//   range, mean, variance; neighbours in index and in seed are uncorrelated; every bit is fair; no repeats
#include "taxel/math/random.h"

#include <gtest/gtest.h>

#include <unordered_set>

namespace taxel {
using namespace internal;
namespace {

constexpr int kN = 200000;

TEST(Random, KeysDecide) {
  EXPECT_EQ(RandomBits(5, 7), RandomBits(5, 7));
  EXPECT_NE(RandomBits(5, 7), RandomBits(7, 5));
  // Recordings and tests elsewhere rely on these never changing.
  EXPECT_EQ(RandomBits(0, 0), 0x46b73e79f0c37c00ull);
  EXPECT_EQ(RandomBits(5, 7), 0xba0c1cdd6b9f2c5eull);
  EXPECT_EQ(RandomBits(12345, 678), 0xe102144d1ceacc8full);
}

TEST(Random, UniformMoments) {
  for (std::uint64_t seed : {0ull, 1ull, 12345ull, ~0ull}) {
    double sum = 0, squares = 0;
    for (int i = 0; i < kN; ++i) {
      const double u = RandomUniform(seed, i);
      ASSERT_GE(u, 0);
      ASSERT_LT(u, 1);
      sum += u, squares += u * u;
    }
    // Four standard deviations: sqrt(1/12/n) and sqrt(4/45/n).
    EXPECT_NEAR(sum / kN, 0.5, 4 * 0.2887 / std::sqrt(kN));
    EXPECT_NEAR(squares / kN, 1.0 / 3, 4 * 0.2982 / std::sqrt(kN));
  }
}

TEST(Random, NeighboursAreUncorrelated) {
  double by_index = 0, by_seed = 0;
  for (int i = 0; i < kN; ++i) {
    by_index += (RandomUniform(9, i) - 0.5) * (RandomUniform(9, i + 1) - 0.5);
    by_seed += (RandomUniform(i, 3) - 0.5) * (RandomUniform(i + 1, 3) - 0.5);
  }
  EXPECT_NEAR(by_index / kN, 0, 4.0 / 12 / std::sqrt(kN));
  EXPECT_NEAR(by_seed / kN, 0, 4.0 / 12 / std::sqrt(kN));
}

TEST(Random, EveryBitIsFair) {
  int ones[64] = {};
  for (int i = 0; i < kN; ++i)
    for (int b = 0; b < 64; ++b) ones[b] += static_cast<int>(RandomBits(4, i) >> b & 1);
  for (int b = 0; b < 64; ++b) EXPECT_NEAR(ones[b], kN / 2, 4.5 * 0.5 * std::sqrt(kN)) << "bit " << b;
}

TEST(Random, NoRepeatsAmongSmallKeys) {
  std::unordered_set<std::uint64_t> seen;
  for (std::uint64_t seed = 0; seed < 200; ++seed)
    for (std::uint64_t i = 0; i < 1000; ++i) seen.insert(RandomBits(seed, i));
  EXPECT_EQ(seen.size(), 200000u);
}

}  // namespace
}  // namespace taxel
