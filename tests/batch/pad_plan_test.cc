// Cases: every particle lies in one cell, one tile and at its place; masses of the nodes sum to the
// particles; the border is empty; points and nodes list each other; a cell that is too full and a point away
// from the gel are refused; room for states lies in order.
#include "taxel/batch/pad_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "../shape/expect_error.h"
#include "taxel/batch/pad_skin.h"
#include "taxel/batch/pad_state.h"

namespace taxel::internal {
namespace {

/// 5 x 4 x 3 cells of eight particles, off the nodes and below zero, backwards, and points above the top.
struct Scene {
  std::vector<Vec3> x;
  PadSkin skin;
  Scene() {
    for (int i = 9; i >= 0; --i)
      for (int j = 7; j >= 0; --j) {
        for (int k = 5; k >= 0; --k) x.push_back({0.5 * i - 2.13, 0.5 * j - 1.21, 0.5 * k + 0.77});
        skin.contact.push_back({0.5 * i - 2.13, 0.5 * j - 1.21, 3.52});
        skin.held.push_back({0.5 * i - 2.13, 0.5 * j - 1.21, 0.52});
      }
  }
};

TEST(PadPlan, EveryParticleHasItsPlace) {
  const Scene s;
  const PadPlanArrays arrays(s.x, s.skin);
  const PadPlan& plan = arrays.plan();
  ASSERT_EQ(plan.particles, static_cast<int>(s.x.size()));
  std::vector<int> seen(s.x.size(), 0);
  for (int tile = 0; tile < plan.tiles; ++tile) {
    const int first = plan.tile_first[tile], end = plan.tile_first[tile + 1];
    EXPECT_LT(first, end);
    EXPECT_LE(plan.cell_first[end] - plan.cell_first[first], kPadTile);
    for (int c = first; c < end; ++c)
      for (int p = plan.cell_first[c]; p < plan.cell_first[c + 1]; ++p) {
        EXPECT_EQ(plan.cell_of[p], c);
        EXPECT_EQ(plan.node_cell[plan.cell_node[c]], c);
        ++seen[static_cast<std::size_t>(plan.number[p])];
        int base[3];
        FirstNodeOf(plan, p, base);
        const Vec3& x = s.x[static_cast<std::size_t>(plan.number[p])];
        for (int k = 0; k < 3; ++k) {
          const float f = plan.f[k * plan.particles + p];
          EXPECT_GE(f, 0.5f);
          EXPECT_LT(f, 1.5f);
          EXPECT_NEAR(base[k] + double(f), x[k], 1e-6);
        }
      }
  }
  EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), plan.particles);
}

TEST(PadPlan, MassesSumToTheParticlesAndTheBorderIsEmpty) {
  const Scene s;
  const PadPlanArrays arrays(s.x, s.skin);
  const PadPlan& plan = arrays.plan();
  double mass = 0;
  for (int n = 0; n < plan.nodes; ++n) {
    if (!(plan.inverse_mass[n] > 0)) continue;
    mass += 1 / double(plan.inverse_mass[n]);
    const int at[3] = {n / plan.plane, n % plan.plane / plan.row, n % plan.row};
    const int size[3] = {plan.nodes / plan.plane, plan.plane / plan.row, plan.row};
    for (int k = 0; k < 3; ++k) {
      EXPECT_GE(at[k], 2);
      EXPECT_LT(at[k], size[k] - 2);
    }
  }
  EXPECT_NEAR(mass, plan.particles, 1e-4 * plan.particles);
}

TEST(PadPlan, PointsAndNodesListEachOther) {
  const Scene s;
  const PadPlanArrays arrays(s.x, s.skin);
  const PadPlan& plan = arrays.plan();
  EXPECT_EQ(plan.points, plan.contact + static_cast<int>(s.skin.held.size()));
  std::vector<double> sum(static_cast<std::size_t>(plan.points), 0.0);
  std::vector<int> count(sum.size(), 0);
  for (int k = 0; k < plan.skin_nodes; ++k) {
    const int node = plan.skin_node[k];
    for (int e = plan.node_begin[node]; e < plan.node_begin[node + 1]; ++e) {
      const int point = plan.node_point[e];
      sum[static_cast<std::size_t>(point)] += plan.node_weight[e];
      for (int n = 0; n < 27; ++n)
        if (plan.point_node[point] + StencilOffset(plan, n) == node) {
          EXPECT_EQ(plan.node_weight[e], plan.weight[n * plan.points + point]);
          ++count[static_cast<std::size_t>(point)];
        }
    }
  }
  for (std::size_t k = 0; k < sum.size(); ++k) {
    EXPECT_NEAR(sum[k], 1, 1e-6);
    EXPECT_EQ(count[k], 27);
  }
}

TEST(PadPlan, RefusesWhatItCannotHold) {
  Scene s;
  s.skin.contact.push_back({0, 0, 9});
  ExpectError([&] { PadPlanArrays(s.x, s.skin); }, {"contact point 80", "more than a cell"});
  ExpectError(
      [] {
        PadPlanArrays(std::vector<Vec3>(kPadTile + 1, Vec3{1, 1, 1}), {});
      },
      {"129 particles", "at most 128"});
  ExpectError([] { PadPlanArrays({{0, 0, 0}, {900, 900, 900}}, {}); }, {"2^27"});
}

TEST(PadPlan, StatesLieInOrder) {
  const Scene s;
  const PadPlanArrays arrays(s.x, s.skin);
  const PadPlan& plan = arrays.plan();
  const PadStateRoom size = LayOutState(plan, 3, nullptr);
  EXPECT_EQ(size.state.F, nullptr);
  std::vector<char> memory(size.bytes);
  const PadState state = LayOutState(plan, 3, memory.data()).state;
  EXPECT_EQ(static_cast<void*>(state.u), static_cast<void*>(memory.data()));
  EXPECT_GE(reinterpret_cast<char*>(state.F), reinterpret_cast<char*>(state.u + 9 * plan.particles));
  EXPECT_EQ(reinterpret_cast<char*>(state.trouble + 3), memory.data() + memory.size());
}

}  // namespace
}  // namespace taxel::internal
