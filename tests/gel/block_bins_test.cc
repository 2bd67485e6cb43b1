// Cases: blocks come in the order of their coordinates and begin a group of eight; within a block cells
// ascend and particles of a cell keep their order; every particle has a place of its own; slots without a
// particle have none; a second sort knows nothing of the first.
#include "taxel/gel/block_bins.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <tuple>

namespace taxel {
namespace {

struct Particle {
  std::int32_t at[3];
  int cell;
};

TEST(BlockBins, CountsAndPlaces) {
  BlockBins bins;
  for (int run = 0; run < 2; ++run) {  // the second with other blocks
    std::vector<Particle> particles;
    for (int i = 0; i < 200; ++i)
      particles.push_back({{i * 7 % 3 - 1 + run, -(i * 5 % 2), 4 * (i % 13 == 0)}, i * 37 % kBlockNodes});
    bins.Clear(2 * particles.size(), 1);
    for (std::size_t i = 0; i < particles.size(); ++i)  // every other slot is empty
      bins.Add(static_cast<std::int32_t>(2 * i), particles[i].at, particles[i].cell);
    bins.Number();
    std::map<std::tuple<int, int, int>, int> wanted;
    for (const Particle& p : particles) ++wanted[{p.at[0], p.at[1], p.at[2]}];
    ASSERT_EQ(bins.bins().size(), wanted.size());
    std::int32_t group = 0;
    std::size_t k = 0;
    for (const auto& [at, count] : wanted) {  // a map is in that order
      const BlockBin& b = bins.bins()[k++];
      EXPECT_EQ(std::tuple(b.at[0], b.at[1], b.at[2]), at);
      EXPECT_EQ(b.count, count);
      EXPECT_EQ(b.group, group);
      group += (count + 7) / 8;
    }
    EXPECT_EQ(bins.groups(), group);
    std::set<std::int32_t> places;
    std::map<std::tuple<int, int, int>, std::map<std::int32_t, std::tuple<int, std::size_t>>> filled;
    for (std::size_t i = 0; i < 2 * particles.size(); ++i) {
      const std::int32_t to = bins.Place(static_cast<std::int32_t>(i));
      if (i % 2 == 1) {
        EXPECT_EQ(to, -1);
        continue;
      }
      const Particle& p = particles[i / 2];
      EXPECT_TRUE(places.insert(to).second) << to;
      filled[{p.at[0], p.at[1], p.at[2]}][to] = {p.cell, i};
    }
    for (const BlockBin& b : bins.bins()) {
      const auto& rows = filled[{b.at[0], b.at[1], b.at[2]}];
      EXPECT_EQ(rows.begin()->first, 8 * b.group);
      EXPECT_EQ(rows.rbegin()->first, 8 * b.group + b.count - 1);
      std::tuple<int, std::size_t> before{-1, 0};
      for (const auto& [to, row] : rows) {
        EXPECT_LT(before, row);
        before = row;
      }
    }
  }
}

TEST(BlockBins, NothingHasNoGroups) {
  BlockBins bins;
  bins.Clear(16, 0);
  bins.Number();
  EXPECT_EQ(bins.groups(), 0);
  EXPECT_TRUE(bins.bins().empty());
  EXPECT_EQ(bins.Place(3), -1);
}

}  // namespace
}  // namespace taxel
