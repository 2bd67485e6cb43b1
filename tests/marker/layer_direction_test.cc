// Where the programs of contact look next, and that they end where they should. Cases:
//   - the eight neighbours of a cell in a window, in chunks and in LayerSolver's slots, against a plain sum
//   - a traction on the rim can but turn, the less the more it is pulled; one that is pulled inwards is free
//   - unrest is 0 where a traction sticks without slope or slips along it
//   - conditions of both programs after LayerSolver has ended, and what is carried along is what a sum says
//   - friction comes to its end where bounds cut nearly all directions off
#include "taxel/marker/layer_direction.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "taxel/marker/layer_chunks.h"
#include "taxel/marker/layer_solver.h"
#include "taxel/marker/layer_window.h"

namespace taxel {
namespace {

using namespace internal;
using Field = LayerSolver::Field;

constexpr int kRows = 13, kColumns = 18;

// A grid with a rim of zeros, and the plain sum.
struct Grid {
  std::vector<float> value = std::vector<float>((kRows + 2) * (kColumns + 2));
  explicit Grid(unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> number(-1, 1);
    for (int i = 0; i < kRows; ++i)
      for (int j = 0; j < kColumns; ++j)
        if (random() % 4) at(i, j) = number(random);
  }
  float& at(int i, int j) { return value[static_cast<std::size_t>((i + 1) * (kColumns + 2) + j + 1)]; }
  float Around(int i, int j) {
    float near = 0, corner = 0;
    for (int a = -1; a <= 1; ++a)
      for (int b = -1; b <= 1; ++b) {
        if (a == 0 && b == 0) continue;
        (a != 0 && b != 0 ? corner : near) += at(i + a, j + b);
      }
    return kLayerNear * near + kLayerCorner * corner;
  }
};

TEST(LayerDirection, NeighboursInAWindow) {
  Grid grid(1);
  LayerWindow window;
  window.rows = kRows;
  std::vector<float> field(kLayerWindowSlots, 0.0f);
  for (int i = 0; i < kRows; ++i)
    for (int j = 0; j < kColumns; ++j) field[static_cast<std::size_t>(kLayerWindow * i + j)] = grid.at(i, j);
  for (int i = 0; i < kRows; ++i)
    for (int j = 0; j < kColumns; ++j)
      EXPECT_NEAR(window.around(kLayerWindow * i + j, field.data()), grid.Around(i, j), 1e-6)
          << i << " " << j;
  // A last column that is full, and what lies in the next row.
  LayerWindow wide;
  wide.rows = kLayerWindow;
  std::vector<float> one(kLayerWindowSlots, 1.0f);
  EXPECT_NEAR(wide.around(2 * kLayerWindow - 1, one.data()), 3 * kLayerNear + 2 * kLayerCorner, 1e-6);
  EXPECT_NEAR(wide.around(0, one.data()), 2 * kLayerNear + kLayerCorner, 1e-6);
  EXPECT_NEAR(wide.around(kLayerWindowSlots - 1, one.data()), 2 * kLayerNear + kLayerCorner, 1e-6);
}

TEST(LayerDirection, NeighboursInChunks) {
  Grid grid(2);
  constexpr int kAcross = (kColumns + kLayerChunk - 1) / kLayerChunk;
  // Chunks that hold nothing but zeros are nowhere.
  std::vector<int> place(kRows * kAcross, -1), chunk;
  for (int i = 0; i < kRows; ++i)
    for (int c = 0; c < kAcross; ++c) {
      if ((i + c) % 5 == 0) {
        for (int j = kLayerChunk * c; j < kLayerChunk * (c + 1) && j < kColumns; ++j) grid.at(i, j) = 0;
        continue;
      }
      place[static_cast<std::size_t>(i * kAcross + c)] = static_cast<int>(chunk.size());
      chunk.push_back(i * kAcross + c);
    }
  const int count = static_cast<int>(chunk.size());
  struct alignas(16) Room {
    char bytes[16];
  };
  std::vector<Room> memory(LayerChunks::kBytes * chunk.size() / 16);
  LayerChunks work{reinterpret_cast<float*>(memory.data()), nullptr, count, place.data(), kRows, kAcross};
  float* field = work.field(kSlotFree);
  for (int n = 0; n < count; ++n) {
    work.chunk()[n] = chunk[static_cast<std::size_t>(n)];
    for (int r = 0; r < kLayerChunk; ++r) {
      const int i = work.chunk()[n] / kAcross, j = kLayerChunk * (work.chunk()[n] % kAcross) + r;
      field[kLayerChunk * n + r] = j < kColumns ? grid.at(i, j) : 0;
    }
  }
  for (int n = 0; n < kLayerChunk * count; ++n) {
    const int c = work.chunk()[n / kLayerChunk], i = c / kAcross,
              j = kLayerChunk * (c % kAcross) + n % kLayerChunk;
    if (j >= kColumns) continue;
    EXPECT_NEAR(work.around(n, field), grid.Around(i, j), 1e-6) << i << " " << j;
  }
}

TEST(LayerDirection, ATractionOnTheRimTurns) {
  const float bound = 2, self = 0.5, t_x = 1.2, t_y = 1.6;  // on the rim
  // Pulled outwards by 3 t and sideways.
  const LayerRim rim(bound, t_x, t_y, -3 * t_x - 0.8f, -3 * t_y + 0.6f, self);
  EXPECT_NEAR(rim.ease, 0.5 / (0.5 + 3), 1e-6);
  float a = 5 * t_x - 0.8f, b = 5 * t_y + 0.6f;
  rim.Along(&a, &b);
  EXPECT_NEAR(a, -0.8, 1e-5);
  EXPECT_NEAR(b, 0.6, 1e-5);
  // Pulled inwards, or inside: nothing is in its way.
  for (const LayerRim& free : {LayerRim(bound, t_x, t_y, t_x, t_y, self),
                               LayerRim(bound, 0.9f * t_x, 0.9f * t_y, -3 * t_x, -3 * t_y, self)}) {
    float u = 3, v = -4;
    free.Along(&u, &v);
    EXPECT_EQ(free.ease, 1);
    EXPECT_EQ(u, 3);
    EXPECT_EQ(v, -4);
  }
}

TEST(LayerDirection, UnrestIsHowFarFromItsEnd) {
  EXPECT_EQ(Unrest(2, 0.3f, -0.4f, 0, 0, 0.5f), 0);
  EXPECT_NEAR(Unrest(2, 1.2f, 1.6f, -6, -8, 0.5f), 0, 1e-6);        // slips along itself
  EXPECT_NEAR(Unrest(2, 0.3f, -0.4f, 0.01f, 0, 0.5f), 0.01, 1e-6);  // sticks, but is 0.01 off
  EXPECT_NEAR(Unrest(2, 1.2f, 1.6f, 6, 8, 0.5f), 0.5 * 3.2, 1e-5);  // wants to the other side of the disc
}

TEST(LayerDirection, TheWayFollowsThePartThatWasGone) {
  const float self = 0.25f;
  EXPECT_FLOAT_EQ(NextWay(8, 0.5f, self), 6);
  EXPECT_FLOAT_EQ(NextWay(8, 1e-3f, self), 1.2f);  // the least
  EXPECT_FLOAT_EQ(NextWay(100, 50, self), 120);    // the most
  EXPECT_TRUE(GoesOn(0.5f));
  EXPECT_FALSE(GoesOn(0.01f));
}

// Cells under an odd shape on a gel of 4 mm, with random loads.
struct Problem {
  static constexpr double kPitch = 0.6e-3;
  GelPad pad{MarkerDistance(Primitive{Box{{20e-3, 24e-3, 4e-3}}})};
  LayerCells cells{pad, {{0, 0, 2e-3}}, kPitch};
  std::vector<LayerLevel> levels;
  LayerSolver solver;
  std::vector<int> reach;

  explicit Problem(double poisson, double thickness = 4e-3)
      : levels(MakeLevels(cells, thickness, poisson, 0)) {
    for (int i = 5; i < 25; ++i)
      for (int j = 8; j < 30; ++j)
        if (std::hypot(i - 14.3, 0.8 * (j - 19.1)) < 8.6 && (i * 7 + j) % 23)
          reach.push_back(i * cells.ny + j);
    solver.Begin(cells, reach, levels[0].tables());
  }
  std::size_t slots() const { return static_cast<std::size_t>(solver.slots()); }
  bool is_cell(std::size_t i) const { return solver.cell()[i] >= 0; }
  // Of a cell, from the middle of the contact.
  double x(std::size_t i) const { return solver.cell()[i] / cells.ny - 14.3; }
  double y(std::size_t i) const { return solver.cell()[i] % cells.ny - 19.1; }
  Field Normal(const Field& p) {
    LayerSources s;
    Field out;
    solver.Gather(p, nullptr, &s);
    solver.One(&LayerTables::zz, s, s.a, &out);
    return out;
  }
};

TEST(LayerDirection, PressuresMeetTheirConditions) {
  for (const double poisson : {0.0, 0.3, 0.48, 0.499}) {
    SCOPED_TRACE(poisson);
    Problem problem(poisson);
    const std::size_t n = problem.slots();
    std::mt19937 random(3);
    std::uniform_real_distribution<float> noise(-2e-5f, 2e-5f);
    Field h(n), p(n), residual;
    for (int turn = 0; turn < 3; ++turn) {  // from nothing, then from what the last overlap has left
      for (std::size_t i = 0; i < n; ++i)
        if (problem.is_cell(i))
          h[i] = static_cast<float>(6e-4 * (0.7 - std::hypot(problem.x(i) - turn, problem.y(i)) / 9) +
                                    noise(random));
      residual = problem.Normal(p);
      for (std::size_t i = 0; i < n; ++i) residual[i] = problem.is_cell(i) ? residual[i] - h[i] : 0.0f;
      EXPECT_TRUE(problem.solver.SolveNormal(h, 1e-7, 200, &p, &residual));
      const Field u = problem.Normal(p);
      int pressed = 0, open = 0;
      for (std::size_t i = 0; i < n; ++i) {
        ASSERT_GE(p[i], 0);
        if (!problem.is_cell(i)) {
          ASSERT_EQ(p[i], 0);
          continue;
        }
        const float off = u[i] - h[i];
        EXPECT_NEAR(off, residual[i], 1e-8);
        EXPECT_LT(p[i] > 0 ? std::fabs(off) : -off, 1.1e-7f);
        p[i] > 0 ? ++pressed : ++open;
      }
      EXPECT_GT(pressed, 50);
      EXPECT_GT(open, 20);
      EXPECT_FALSE(problem.solver.SolveNormal(h, 2e-7, 200, &p, &residual));  // nothing left to do
    }
  }
}

TEST(LayerDirection, TractionsMeetTheirConditions) {
  for (const double poisson : {0.0, 0.3, 0.48, 0.499}) {
    SCOPED_TRACE(poisson);
    Problem problem(poisson);
    const std::size_t n = problem.slots();
    Field bound(n), tx(n), ty(n), sx(n), sy(n);
    // Moved and turned, under pressures that end in nothing: some stick, some slip, some on narrow discs.
    Field bx(n), by(n);
    for (std::size_t i = 0; i < n; ++i) {
      if (!problem.is_cell(i)) continue;
      const double r2 = problem.x(i) * problem.x(i) + problem.y(i) * problem.y(i);
      bound[i] = static_cast<float>(0.02 * std::sqrt(std::max(0.0, 1 - r2 / 70)));
      bx[i] = static_cast<float>(1.2e-5 - 1e-6 * problem.y(i)),
      by[i] = static_cast<float>(4e-6 + 1e-6 * problem.x(i));
      sx[i] = -bx[i], sy[i] = -by[i];
    }
    float way = 0;
    problem.solver.SolveTangential(bound, 1e-8, 400, &way, &tx, &ty, &sx, &sy);
    EXPECT_GT(way, 0);
    LayerSources s;
    Field u, v;
    problem.solver.Gather(tx, &ty, &s);
    problem.solver.Tangential(s, &u, &v);
    int stick = 0, slip = 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (!(bound[i] > 0)) {
        ASSERT_EQ(tx[i], 0);
        continue;
      }
      EXPECT_NEAR(u[i] - bx[i], sx[i], 2e-9);
      EXPECT_NEAR(v[i] - by[i], sy[i], 2e-9);
      const float t = std::hypot(tx[i], ty[i]), slope = std::hypot(sx[i], sy[i]);
      ASSERT_LE(t, bound[i] * 1.00001f);
      if (t < 0.999f * bound[i]) {
        EXPECT_LT(slope, 3e-8) << i;
        ++stick;
      } else if (slope > 1e-6f) {  // along the traction
        EXPECT_NEAR((tx[i] * sx[i] + ty[i] * sy[i]) / (t * slope), -1, 1e-3) << i;
        ++slip;
      }
    }
    EXPECT_GT(stick, 30);
    EXPECT_GT(slip, 30);
  }
}

// A thick gel, nearly slipping: most of a conjugate direction is cut off there, and what
// is left leads nowhere unless it is begun anew.
TEST(LayerDirection, FrictionComesToItsEndNearFullSlip) {
  Problem problem(0.3, 0.1);
  const std::size_t n = problem.slots();
  for (const double part : {0.5, 0.8, 0.95}) {
    Field bound(n), tx(n), ty(n), sx(n), sy(n);
    double most = 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (!problem.is_cell(i)) continue;
      const double r2 = problem.x(i) * problem.x(i) + problem.y(i) * problem.y(i);
      bound[i] = static_cast<float>(0.02 * std::sqrt(std::max(0.0, 1 - r2 / 74)));
      most += static_cast<double>(bound[i]);
    }
    // So far that friction carries about this part of what it can.
    double low = 0, high = 1e-3;
    for (int round = 0; round < 12; ++round) {
      const double move = 0.5 * (low + high);
      for (Field* f : {&tx, &ty, &sy}) f->assign(n, 0.0f);
      for (std::size_t i = 0; i < n; ++i) sx[i] = problem.is_cell(i) ? static_cast<float>(-move) : 0.0f;
      float way = 0;
      problem.solver.SolveTangential(bound, 1e-4 * move, 60, &way, &tx, &ty, &sx, &sy);
      double carried = 0, worst = 0;
      for (std::size_t i = 0; i < n; ++i) {
        carried += static_cast<double>(tx[i]);
        if (std::hypot(tx[i], ty[i]) < 0.999f * bound[i])
          worst = std::max(worst, static_cast<double>(std::hypot(sx[i], sy[i])));
      }
      EXPECT_LT(worst, 3e-4 * move) << "moved by " << move;
      (carried < part * most ? low : high) = move;
    }
  }
}

}  // namespace
}  // namespace taxel
