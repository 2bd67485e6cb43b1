// Blocks of a tilted cloud on both sides of the origin, with holes. Cases: the sum over all blocks that reach
// a node, for blocks with particles and those around them; gravity; nodes without mass; a particle's mass
// arrives once; velocities come back to the right places.
#include "taxel/gel/gel_grid.h"

#include <gtest/gtest.h>

#include <array>
#include <map>

#include "gel_reference.h"

namespace taxel {
namespace {

using test::Draw;
using Node = std::array<int, 3>;

ParticleBlocks Cloud() {
  Draw draw{11};
  std::vector<Vec3> x;
  for (int n = 0; n < 90; ++n) {
    const double t = draw(-14, 17);
    x.push_back({t, 0.6 * t + draw(-3, 3), -0.4 * t + draw(-2, 2)});
  }
  x.push_back({60, -50, 3});  // an island
  ParticleBlocks blocks;
  blocks.Assign(x);
  ThreadCrew crew(1);
  blocks.Sort(&crew);
  return blocks;
}

Node At(const GridBlock& b, int i, int j, int k) {
  return {4 * b.at[0] + i, 4 * b.at[1] + j, 4 * b.at[2] + k};
}

TEST(GelGrid, SumsWhatReachesANode) {
  const ParticleBlocks particles = Cloud();
  const std::vector<GridBlock>& blocks = particles.blocks();
  GelGrid grid;
  grid.Fit(blocks);
  std::map<Node, std::array<double, 4>> wanted;
  Draw draw{12};
  int filled = 0;
  for (int b = 0; b < static_cast<int>(blocks.size()); ++b) {
    if (blocks[static_cast<std::size_t>(b)].count == 0) continue;
    ASSERT_EQ(b, filled) << "blocks with particles come first";
    ++filled;
    for (int i = -1; i < 7; ++i)
      for (int j = -1; j < 7; ++j)
        for (int k = -1; k < 7; ++k) {
          float* to = grid.reach(b)->value + test::ReachIndex(i, j, k);
          // Every third node of space has no mass.
          const Node n = At(blocks[static_cast<std::size_t>(b)], i, j, k);
          const bool empty = (n[0] + n[1] + n[2]) % 3 == 0;
          for (int a = 0; a < 4; ++a) to[a] = empty ? 0.0f : static_cast<float>(draw(a < 3 ? -1.0 : 0.1, 1));
          auto& sum = wanted[n];
          for (int a = 0; a < 4; ++a) sum[static_cast<std::size_t>(a)] += to[a];
        }
  }
  ASSERT_GT(filled, 5);
  ASSERT_LT(filled, static_cast<int>(blocks.size()));
  const float gravity[3] = {0.01f, -0.02f, 0.03f};
  std::size_t found = 0;
  for (int b = 0; b < static_cast<int>(blocks.size()); ++b) {
    grid.Sum(blocks, b, gravity);
    for (int n = 0; n < kBlockNodes; ++n) {
      const float* node = grid.node(b, n / 16, n / 4 % 4, n % 4);
      EXPECT_EQ(node, &grid.nodes()[static_cast<std::size_t>(4 * (64 * b + n))]);
      const auto it = wanted.find(At(blocks[static_cast<std::size_t>(b)], n / 16, n / 4 % 4, n % 4));
      found += it != wanted.end();
      if (it == wanted.end() || it->second[3] == 0) {
        for (int a = 0; a < 4; ++a) EXPECT_EQ(node[a], 0);
        continue;
      }
      const auto& sum = it->second;
      EXPECT_NEAR(node[3], sum[3], 1e-6);
      for (std::size_t a = 0; a < 3; ++a) EXPECT_NEAR(node[a], sum[a] / sum[3] + gravity[a], 3e-6);
    }
  }
  EXPECT_EQ(found, wanted.size());  // every node that is reached belongs to a block
}

TEST(GelGrid, EveryParticleArrivesOnce) {
  const ParticleBlocks particles = Cloud();
  const std::vector<GridBlock>& blocks = particles.blocks();
  GelGrid grid;
  grid.Fit(blocks);
  const float gravity[3] = {};
  for (int b = 0; b < static_cast<int>(blocks.size()); ++b)
    if (const GridBlock& k = blocks[static_cast<std::size_t>(b)]; k.count > 0)
      ScatterBlock({}, &particles.groups()[static_cast<std::size_t>(k.group)], k.count, grid.reach(b));
  double mass = 0, moment[3] = {0, 0, 0};
  for (int b = 0; b < static_cast<int>(blocks.size()); ++b) {
    grid.Sum(blocks, b, gravity);
    for (int n = 0; n < kBlockNodes; ++n) {
      const float m = grid.node(b, n / 16, n / 4 % 4, n % 4)[3];
      mass += m;
      const Node at = At(blocks[static_cast<std::size_t>(b)], n / 16, n / 4 % 4, n % 4);
      for (std::size_t a = 0; a < 3; ++a) moment[a] += m * at[a];
    }
  }
  EXPECT_NEAR(mass, static_cast<double>(particles.size()), 1e-4);
  for (int a = 0; a < 3; ++a) {  // the weights reproduce positions, so block coordinates are right
    double wanted = 0;
    for (std::size_t p = 0; p < particles.size(); ++p) wanted += particles.Get(p).x[a];
    EXPECT_NEAR(moment[a], wanted, 1e-3);
  }
}

TEST(GelGrid, LoadsTheNodesAround) {
  const ParticleBlocks particles = Cloud();
  const std::vector<GridBlock>& blocks = particles.blocks();
  GelGrid grid;
  grid.Fit(blocks);
  const auto value = [](const Node& n, int a) {
    return static_cast<float>(1000 * n[0] + 100 * n[1] + n[2] + 0.25 * a);
  };
  for (int b = 0; b < static_cast<int>(blocks.size()); ++b)
    for (int n = 0; n < kBlockNodes; ++n)
      for (int a = 0; a < 4; ++a)
        grid.node(b, n / 16, n / 4 % 4, n % 4)[a] =
            value(At(blocks[static_cast<std::size_t>(b)], n / 16, n / 4 % 4, n % 4), a);
  for (int b = 0; b < static_cast<int>(blocks.size()); ++b) {
    const GridBlock& block = blocks[static_cast<std::size_t>(b)];
    if (block.count == 0) continue;
    ReachNodes out;
    grid.Load(blocks, b, &out);
    for (int i = -1; i < 7; ++i)
      for (int j = -1; j < 7; ++j)
        for (int k = -1; k < 7; ++k)
          for (int a = 0; a < 4; ++a)
            ASSERT_EQ(out.value[test::ReachIndex(i, j, k) + static_cast<std::size_t>(a)],
                      value(At(block, i, j, k), a));
  }
}

}  // namespace
}  // namespace taxel
