// Clouds on both sides of the origin, far away, and at the edges of cells. Cases: every particle is kept, in
// its block and cell, with its whole state; numbers and slots agree; positions to float's rounding of the
// part inside the block; neighbours; the order is the same on any number of threads and only depends on the
// past; Get and Set; particles that scatter into many new blocks.
#include "taxel/gel/particle_blocks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "gel_reference.h"

namespace taxel {
namespace {

using test::Draw;

std::vector<Vec3> Cloud(int n, const Vec3& middle, double size) {
  Draw draw{static_cast<std::uint64_t>(n)};
  std::vector<Vec3> out;
  for (int p = 0; p < n; ++p)
    out.push_back(middle + Vec3{draw(-size, size), 0.5 * draw(-size, size), draw(-size, size)});
  return out;
}

GelParticle Marked(std::size_t p, const Vec3& x) {
  GelParticle q{{x.x, x.y, x.z}, {}, {}, {}};
  for (int k = 0; k < 3; ++k) q.v[k] = static_cast<float>(p) + 0.1f * static_cast<float>(k);
  for (int k = 0; k < 9; ++k) {
    q.C[k] = static_cast<float>(p) - 0.01f * static_cast<float>(k);
    q.F[k] = (k % 4 == 0 ? 1.0f : 0.0f) + 1e-3f * static_cast<float>((static_cast<int>(p) * 7 + k * k) % 50);
  }
  return q;
}

/// All that must hold after Sort. `crowded`: particles at the edge of a cell may round into the next.
void ExpectSorted(const ParticleBlocks& b, std::size_t particles) {
  ASSERT_EQ(b.size(), particles);
  std::set<std::array<int, 3>> filled;
  std::vector<int> seen(particles, 0);
  std::int32_t group = 0;
  bool ghosts = false;
  for (std::size_t k = 0; k < b.blocks().size(); ++k) {
    const GridBlock& block = b.blocks()[k];
    EXPECT_EQ(b.Find(block.at[0], block.at[1], block.at[2]), static_cast<int>(k));
    for (int d = 0; d < 27; ++d) {
      const int at[3] = {block.at[0] + d / 9 - 1, block.at[1] + d / 3 % 3 - 1, block.at[2] + d % 3 - 1};
      EXPECT_EQ(block.near[d], b.Find(at[0], at[1], at[2]));
      if (block.near[d] >= 0) {
        const GridBlock& other = b.blocks()[static_cast<std::size_t>(block.near[d])];
        EXPECT_TRUE(std::equal(at, at + 3, other.at));
      } else {
        EXPECT_EQ(block.count, 0) << "a block with particles has all its neighbours";
      }
    }
    if (block.count == 0) {
      ghosts = true;
      continue;
    }
    EXPECT_FALSE(ghosts) << "blocks with particles come first";
    if (k > 0) {
      const GridBlock& before = b.blocks()[k - 1];
      EXPECT_TRUE(std::lexicographical_compare(before.at, before.at + 3, block.at, block.at + 3));
    }
    filled.insert({block.at[0], block.at[1], block.at[2]});
    ASSERT_EQ(block.group, group);
    int last_cell = -1;
    for (int p = 0; p < 8 * ((block.count + 7) / 8); ++p) {
      const std::size_t slot = static_cast<std::size_t>(8 * group + p);
      const ParticleGroup& g = b.groups()[slot / 8];
      const std::size_t lane = slot % 8;
      if (p >= block.count) {
        EXPECT_EQ(b.ids()[slot], -1);
        EXPECT_EQ(g.x[2][lane], 1);
        EXPECT_EQ(g.F[8][lane], 1);
        EXPECT_EQ(g.J[lane], 1);
        EXPECT_EQ(g.v[0][lane], 0);
        continue;
      }
      const std::int32_t id = b.ids()[slot];
      ASSERT_GE(id, 0);
      ++seen[static_cast<std::size_t>(id)];
      EXPECT_EQ(b.slot(static_cast<std::size_t>(id)), static_cast<int>(slot));
      int cell = 0;
      for (int a = 0; a < 3; ++a) {
        ASSERT_GE(g.x[a][lane], 0.5f) << id;
        ASSERT_LE(g.x[a][lane], 4.5f) << id;  // 4.5 itself by rounding only
        cell = 4 * cell + std::min(3, static_cast<int>(g.x[a][lane] - 0.5f));
      }
      EXPECT_GE(cell, last_cell) << "by cells";
      last_cell = cell;
    }
    group += (block.count + 7) / 8;
  }
  ASSERT_EQ(b.groups().size(), static_cast<std::size_t>(group));
  ASSERT_EQ(b.ids().size(), 8 * static_cast<std::size_t>(group));
  EXPECT_TRUE(std::all_of(seen.begin(), seen.end(), [](int n) { return n == 1; }));
}

TEST(ParticleBlocks, KeepsEveryParticleWhereItIs) {
  ThreadCrew crew(1);
  for (const Vec3& middle : {Vec3{}, Vec3{-40.3, 7.7, -1000.1}, Vec3{9e5, -9e5, 3}}) {
    std::vector<Vec3> x = Cloud(700, middle, 9);
    for (const double edge : {0.5, -3.5, 4.5, 0.49999999, -3.50000001, 0.50000001})
      x.push_back(Vec3{edge, -edge, edge + 4});
    ParticleBlocks b;
    b.Assign(x);
    b.Sort(&crew);
    ExpectSorted(b, x.size());
    for (std::size_t p = 0; p < x.size(); ++p) {
      const GelParticle q = b.Get(p);
      for (int k = 0; k < 3; ++k) {
        EXPECT_NEAR(q.x[k], x[p][k], 2.4e-7) << p;  // half a unit in the last place of a float in [4, 8)
        EXPECT_EQ(q.v[k], 0);
      }
      for (int k = 0; k < 9; ++k) {
        EXPECT_EQ(q.C[k], 0);
        EXPECT_EQ(q.F[k], k % 4 == 0 ? 1 : 0);
      }
    }
  }
}

TEST(ParticleBlocks, MovedParticlesFindTheirNewBlocks) {
  ThreadCrew one(1), three(3);
  const std::vector<Vec3> x = Cloud(1500, {-5, 3, 2}, 12);
  ParticleBlocks a, b;
  for (ParticleBlocks* blocks : {&a, &b}) {
    blocks->Assign(x);
    for (std::size_t p = 0; p < x.size(); ++p) blocks->Set(p, Marked(p, x[p]));
  }
  Draw draw{5};
  for (int round = 0; round < 4; ++round) {
    a.Sort(&one), b.Sort(&three);
    ExpectSorted(a, x.size());
    // The same bits on any number of threads.
    ASSERT_EQ(a.groups().size(), b.groups().size());
    EXPECT_EQ(std::memcmp(a.groups().data(), b.groups().data(), a.groups().size() * sizeof(ParticleGroup)),
              0);
    EXPECT_EQ(a.ids(), b.ids());
    std::vector<GelParticle> before;
    for (std::size_t p = 0; p < x.size(); ++p) before.push_back(a.Get(p));
    for (std::size_t p = 0; p < x.size(); ++p) {
      GelParticle q = before[p];
      for (int k = 0; k < 3; ++k) q.x[k] += draw(-1.45, 1.45);
      a.Set(p, q), b.Set(p, q);
      before[p] = a.Get(p);
    }
    a.Sort(&one), b.Sort(&three);
    for (std::size_t p = 0; p < x.size(); ++p) {
      const GelParticle q = a.Get(p), wanted = Marked(p, x[p]);
      for (int k = 0; k < 3; ++k) {
        EXPECT_NEAR(q.x[k], before[p].x[k], 2.4e-7);
        EXPECT_EQ(q.v[k], wanted.v[k]);
      }
      for (int k = 0; k < 9; ++k) {
        EXPECT_EQ(q.C[k], wanted.C[k]);
        EXPECT_EQ(q.F[k], wanted.F[k]);
      }
      const std::size_t slot = static_cast<std::size_t>(a.slot(p));
      EXPECT_NEAR(a.groups()[slot / 8].J[slot % 8], test::ToMat(wanted.F).determinant(), 1e-6);
    }
  }
}

// A second sort without motion changes nothing at all: what stays in its cell keeps its bits and its place.
TEST(ParticleBlocks, SortingTwiceIsSortingOnce) {
  ThreadCrew crew(2);
  ParticleBlocks b;
  b.Assign(Cloud(900, {3, 3, -3}, 7));
  b.Sort(&crew);
  const ParticleBlocks once = b;
  b.Sort(&crew);
  EXPECT_EQ(std::memcmp(once.groups().data(), b.groups().data(), b.groups().size() * sizeof(ParticleGroup)),
            0);
  EXPECT_EQ(once.ids(), b.ids());
}

// In one cell the order is that of before, not that of the positions.
TEST(ParticleBlocks, ACellKeepsItsOrder) {
  ThreadCrew crew(1);
  std::vector<Vec3> x;
  for (int p = 0; p < 20; ++p) x.push_back({1 + 0.4 * std::sin(p), 2 + 0.4 * std::cos(p), 1});
  ParticleBlocks b;
  b.Assign(x);
  b.Sort(&crew);
  for (int p = 0; p < 20; ++p) EXPECT_EQ(b.slot(static_cast<std::size_t>(p)), p);
}

TEST(ParticleBlocks, OneBlockScattersIntoManyNewOnes) {
  ThreadCrew crew(1);
  const std::size_t n = 400;
  ParticleBlocks b;
  b.Assign(std::vector<Vec3>(n, Vec3{1.2, 2.3, 3.1}));
  b.Sort(&crew);
  EXPECT_EQ(b.blocks().size(), 27u);
  std::vector<Vec3> x;
  for (std::size_t p = 0; p < n; ++p) {
    x.push_back({7.0 * static_cast<double>(p % 20) - 60, 9.0 * static_cast<double>(p / 20) - 80, 1});
    b.Set(p, Marked(p, x[p]));
  }
  b.Sort(&crew);
  ExpectSorted(b, n);
  for (std::size_t p = 0; p < n; ++p)
    for (int k = 0; k < 3; ++k)
      EXPECT_NEAR(b.Get(p).x[k], x[p][k], 1e-4);  // Set gave them in float, far away
  EXPECT_EQ(b.Find(5000, 5000, 5000), -1);
}

TEST(ParticleBlocks, NothingIsFoundBeforeASort) {
  const ParticleBlocks b;
  EXPECT_EQ(b.Find(0, 0, 0), -1);
  EXPECT_EQ(b.size(), 0u);
}

TEST(ParticleBlocksAtRest, CarriedFarTheyKeepTheirDigits) {
  ParticleBlocks particles;
  particles.Assign({{0.3, 1.2, 2.1}, {0.8, 1.2, 2.1}, {9.3, 1.2, -7.1}});
  ThreadCrew crew(1);
  particles.Sort(&crew);
  particles.StayAtRest();
  const float step = 0.3f, small = 1e-6f;
  for (int k = 0; k < 3000; ++k) {  // 900 cells on, and a stretch that is lost in a float of that size
    for (std::size_t p = 0; p < 3; ++p) {
      const std::int32_t slot = particles.slot(p);
      float* u = particles.moved()[static_cast<std::size_t>(slot >> 3)].u[0] + (slot & 7);
      *u += step + (p == 1 ? small : 0.0f);
    }
    if (k % 7 == 6) particles.Rebase();
  }
  // A step is rounded at the size of some cells.
  EXPECT_NEAR(particles.Get(0).x[0], 0.3 + 3000 * double(step), 1e-3);
  EXPECT_NEAR(particles.Get(1).x[0] - particles.Get(0).x[0], 0.5 + 3000 * double(small), 1e-3);
  EXPECT_GT(particles.Get(1).x[0] - particles.Get(0).x[0], 0.5 + 2000 * double(small));
  EXPECT_FLOAT_EQ(static_cast<float>(particles.Get(2).x[2]), -7.1f);
  EXPECT_EQ(particles.Get(0).F[0], 1);
}

}  // namespace
}  // namespace taxel
