// Normal random numbers of a chain:
//   - moments up to the fourth, and tails at 0.5 to 4
//   - the two of a pair, neighbours in the stream and streams are not correlated, nor their squares
//   - every use, channel and seed has its own stream
//   - AddGaussians: taxel and sample have their own numbers; even, odd and single counts agree
#include "taxel/skin/chain_random.h"

#include <gtest/gtest.h>

#include <vector>

namespace taxel {
using namespace internal;
namespace {

constexpr int kDraws = 400000;

std::vector<double> Draw(std::uint64_t stream) {
  std::vector<double> x(kDraws);
  for (int i = 0; i < kDraws; ++i) x[i] = Gaussian(stream, static_cast<std::uint64_t>(i));
  return x;
}

// Standard errors of the moments of n normal numbers: 1, sqrt(2), sqrt(15), sqrt(96) over sqrt(n). Five of
// them: a right generator fails once in a million seeds.
TEST(Gaussian, MomentsAreThoseOfTheNormalLaw) {
  for (std::uint64_t stream : {0ull, 1ull, 77ull, 0xfedcba9876543210ull}) {
    double m1 = 0, m2 = 0, m3 = 0, m4 = 0;
    for (double x : Draw(stream)) m1 += x, m2 += x * x, m3 += x * x * x, m4 += x * x * x * x;
    const double error = 5 / std::sqrt(kDraws);
    EXPECT_NEAR(m1 / kDraws, 0, error);
    EXPECT_NEAR(m2 / kDraws, 1, error * std::sqrt(2));
    EXPECT_NEAR(m3 / kDraws, 0, error * std::sqrt(15));
    EXPECT_NEAR(m4 / kDraws, 3, error * std::sqrt(96));
  }
}

TEST(Gaussian, TailsHoldTheirShare) {
  const std::vector<double> draws = Draw(3);
  for (double limit : {0.5, 1.0, 2.0, 3.0, 4.0}) {
    const double p = 0.5 * std::erfc(limit / std::sqrt(2)), expected = p * kDraws;
    int above = 0, below = 0;
    for (double x : draws) above += x > limit, below += x < -limit;
    EXPECT_NEAR(above, expected, 5 * std::sqrt(expected * (1 - p))) << limit;
    EXPECT_NEAR(below, expected, 5 * std::sqrt(expected * (1 - p))) << limit;
  }
}

TEST(Gaussian, NothingIsCorrelated) {
  const std::vector<double> x = Draw(RandomStream(9, RandomUse::kNoise, 0)),
                            other_channel = Draw(RandomStream(9, RandomUse::kNoise, 1)),
                            other_use = Draw(RandomStream(9, RandomUse::kWalk, 0)),
                            other_seed = Draw(RandomStream(10, RandomUse::kNoise, 0));
  const double error = 5 / std::sqrt(kDraws);
  const auto check = [&](const std::vector<double>& a, const std::vector<double>& b, int lag) {
    double product = 0, squares = 0;
    for (int i = 0; i + lag < kDraws; ++i) {
      product += a[i] * b[i + lag];
      squares += (a[i] * a[i] - 1) * (b[i + lag] * b[i + lag] - 1);
    }
    EXPECT_NEAR(product / kDraws, 0, error) << "lag " << lag;
    EXPECT_NEAR(squares / kDraws, 0, 2 * error) << "lag " << lag;  // (x^2 - 1) has variance 2
  };
  for (int lag : {1, 2, 3, 5, 16, 256}) check(x, x, lag);
  check(x, other_channel, 0);
  check(x, other_use, 0);
  check(x, other_seed, 0);
}

TEST(RandomStream, EveryUseChannelAndSeedHasItsOwn) {
  std::vector<std::uint64_t> seeds;
  for (std::uint64_t seed : {0ull, 1ull, 2ull, 255ull, 256ull})
    for (int use = 1; use <= 7; ++use)
      for (int channel : {0, 1, 2}) seeds.push_back(RandomStream(seed, static_cast<RandomUse>(use), channel));
  std::sort(seeds.begin(), seeds.end());
  EXPECT_EQ(std::adjacent_find(seeds.begin(), seeds.end()), seeds.end());
}

TEST(AddGaussians, EachTaxelAndSampleHasItsOwnNumber) {
  std::vector<double> all(6, 10.0), odd(5, 10.0), one(1, 10.0), next(6, 10.0);
  AddGaussians(4, 123, 2.0, 6, all.data());
  AddGaussians(4, 123, 2.0, 5, odd.data());
  AddGaussians(4, 123, 2.0, 1, one.data());
  AddGaussians(4, 124, 2.0, 6, next.data());
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(all[i], 10 + 2 * Gaussian(4, 123 * 65536 + static_cast<std::uint64_t>(i)));
    EXPECT_NE(all[i], next[i]);
    for (int j = 0; j < i; ++j) EXPECT_NE(all[i], all[j]);
  }
  for (int i = 0; i < 5; ++i) EXPECT_EQ(odd[i], all[i]);
  EXPECT_EQ(one[0], all[0]);
  // The last taxel of a sample is not the first of the next.
  std::vector<double> most(1 << kTaxelBits, 0.0), first(1, 0.0);
  AddGaussians(4, 123, 1.0, 1 << kTaxelBits, most.data());
  AddGaussians(4, 124, 1.0, 1, first.data());
  EXPECT_NE(most.back(), first[0]);
  EXPECT_NE(most[most.size() - 2], first[0]);
}

}  // namespace
}  // namespace taxel
