// One block, against plain loops in double precision. Cases:
//   - scatter: particles anywhere they may have drifted to, at the edges of cells, singly and in pairs; both
//     laws; J averaged over cells or not; damping; folded F through the eight-wide path
//   - the force of an averaged J is the gradient of the cells' energy
//   - gather, by the grid alone and by a hand: blend, stop, slope, offset
//   - mass, momentum and angular momentum survive the way there and back
//   - empty lanes: they give nothing, take nothing, and are not counted as motion
#include "taxel/gel/gel_transfer.h"

#include <gtest/gtest.h>

#include <limits>
#include <map>

#include "gel_reference.h"

namespace taxel {
namespace {

using test::Draw, test::Mat, test::Plain, test::Vec;

/// In pairs of one cell as the sorting leaves them, and at the edges of cells.
std::vector<Plain> Scattered(int count, std::uint64_t seed, double strain = 0.3) {
  Draw draw{seed};
  std::vector<Plain> out;
  for (int p = 0; p < count; ++p) {
    Plain q{Vec(draw(-0.5, 5.5), draw(-0.5, 5.5), draw(-0.5, 5.5)), draw.Vector(0.4), draw.Matrix(0.2),
            Mat::Identity() + draw.Matrix(strain)};
    if (p % 3 == 1) {  // with the one before
      const Vec near = draw.Vector(0.2);
      for (int k = 0; k < 3; ++k) q.x[k] = std::floor(out.back().x[k] - 0.5) + 1 + near[k];
    }
    if (p % 7 == 5) q.x = Vec(-0.5, 0.5, 1.5 + p % 4);
    out.push_back(q);
  }
  return test::Rounded(out);
}

void ExpectScatter(const TransferOptions& o, const std::vector<Plain>& particles, double tolerance) {
  const std::vector<ParticleGroup> groups = test::ToGroups(particles);
  ReachNodes got;
  for (float& f : got.value) f = 77;  // what was there must go
  ScatterBlock(o, groups.data(), static_cast<int>(particles.size()), &got);
  std::vector<double> wanted(4 * kReachNodes, 0.0);
  const std::vector<double> mean = test::MeanJ(particles);
  const Vec rest(o.rest[0], o.rest[1], o.rest[2]);
  for (std::size_t p = 0; p < particles.size(); ++p) {
    const Plain& q = particles[p];
    const Mat A = o.keep * q.C - test::Stress(o.numbers, q.F, o.average_volume ? mean[p] : q.F.determinant());
    test::ForNodes(q.x, [&](int i, int j, int k, double w, const Vec& d) {
      double* node = &wanted[test::ReachIndex(i, j, k)];
      const Vec m = w * (o.keep * q.v + rest + A * d);
      node[0] += m[0], node[1] += m[1], node[2] += m[2], node[3] += w;
    });
  }
  for (std::size_t n = 0; n < wanted.size(); ++n)
    ASSERT_NEAR(got.value[n], wanted[n], tolerance) << "node " << n / 4 << ", entry " << n % 4;
}

TEST(GelTransfer, ScatterEqualsTheDoubleLoop) {
  std::uint64_t seed = 20;
  for (const GelLaw law : {GelLaw::kCorotated, GelLaw::kNeoHookean})
    for (const bool average : {false, true})
      for (const int count : {1, 2, 7, 8, 9, 61, 200}) {
        TransferOptions o;
        o.numbers = {0.21f, 0.9f, law};
        o.average_volume = average;
        o.keep = count % 2 ? 0.7f : 1.0f;
        o.rest[0] = 0.03f, o.rest[1] = -0.2f, o.rest[2] = 0.11f;
        SCOPED_TRACE(std::to_string(count) + (average ? " averaged" : ""));
        ExpectScatter(o, Scattered(count, ++seed), 1e-5);
      }
}

// Newton's way and the slow one, side by side in the lanes of one group.
TEST(GelTransfer, FoldedParticlesTakeTheSlowWay) {
  Draw draw{31};
  for (const GelLaw law : {GelLaw::kCorotated, GelLaw::kNeoHookean}) {
    std::vector<Plain> particles = Scattered(16, 32, 0.1);
    const double values[6][3] = {{1.2, 0.8, -0.4}, {1, 0.7, 0.01},  {1, 0.7, -0.01},
                                 {12, 0.6, 0.1},   {0.6, 0.3, 0.2}, {1, 0.6, 0}};
    for (int k = 0; k < 6; ++k)
      particles[static_cast<std::size_t>(2 * k + 1)].F =
          draw.Turn() * Vec(values[k][0], values[k][1], values[k][2]).asDiagonal() * draw.Turn().transpose();
    TransferOptions o;
    o.numbers = {0.05f, 0.1f, law};
    ExpectScatter(o, test::Rounded(particles), 2e-5);
  }
}

TEST(GelTransfer, AveragedPressureIsTheGradientOfTheCellsEnergy) {
  for (const GelLaw law : {GelLaw::kCorotated, GelLaw::kNeoHookean}) {
    std::vector<Plain> particles = Scattered(24, 41, 0.2);
    for (Plain& q : particles) q.v.setZero(), q.C.setZero();
    TransferOptions o;
    o.numbers = {0.3f, 2.0f, law};
    o.average_volume = true;
    const std::vector<ParticleGroup> groups = test::ToGroups(particles);
    ReachNodes got;
    ScatterBlock(o, groups.data(), static_cast<int>(particles.size()), &got);
    // Nodes move by u: F -> (1 + 4 sum w u (x_i - x_p)^T) F, cells as they are. Momentum is force: -dE/du
    // / 4.
    const auto energy = [&](const std::vector<Plain>& moved) {
      double sum = 0;
      std::map<std::array<int, 3>, std::pair<double, int>> cells;
      for (const Plain& q : moved) {
        sum += test::ShearEnergy(o.numbers, q.F);
        auto& [J, number] = cells[{int(std::floor(q.x[0] - 0.5)), int(std::floor(q.x[1] - 0.5)),
                                   int(std::floor(q.x[2] - 0.5))}];
        J += q.F.determinant(), ++number;
      }
      for (const auto& [at, cell] : cells)
        sum += cell.second * test::VolumeEnergy(o.numbers, cell.first / cell.second);
      return sum;
    };
    for (int n = 0; n < 40; ++n) {
      const int i = n % 5, j = n % 4, k = n % 6;
      for (int axis = 0; axis < 3; ++axis) {
        const double h = 1e-5;
        double e[2];
        for (const int side : {0, 1}) {
          std::vector<Plain> moved = particles;
          for (Plain& q : moved) {
            const Vec u = (side ? h : -h) * Vec::Unit(axis);
            const Vec d = Vec(i, j, k) - q.x;
            q.F = (Mat::Identity() + 4 * test::Weight(q.x, i, j, k) * u * d.transpose()) * q.F;
          }
          e[side] = energy(moved);
        }
        EXPECT_NEAR(got.value[test::ReachIndex(i, j, k) + static_cast<std::size_t>(axis)],
                    -(e[1] - e[0]) / (2 * h) / 4, 1e-5);
      }
    }
  }
}

ReachNodes RandomNodes(std::uint64_t seed) {
  Draw draw{seed};
  ReachNodes nodes;
  for (float& f : nodes.value) f = static_cast<float>(draw(-0.4, 0.4));
  return nodes;
}

void ExpectGather(const ReachNodes& nodes, const HandMotion* hand, const std::vector<Plain>& before) {
  std::vector<ParticleGroup> groups = test::ToGroups(before);
  const float most = GatherBlock(nodes, hand, groups.data(), static_cast<int>(before.size()));
  double wanted_most = 0;
  for (std::size_t p = 0; p < before.size(); ++p) {
    const Plain &q = before[p], got = test::FromGroups(groups, p);
    Vec v = Vec::Zero();
    Mat C = Mat::Zero();
    test::ForNodes(q.x, [&](int i, int j, int k, double w, const Vec& d) {
      const float* n = nodes.value + test::ReachIndex(i, j, k);
      const Vec u(n[0], n[1], n[2]);
      v += w * u;
      C += 4 * w * u * d.transpose();
    });
    Mat gradient = C;
    if (hand) {
      const std::size_t g = p / 8, lane = p % 8;
      const auto row = [&](const float* rows) {
        return Vec(rows[24 * g + lane], rows[24 * g + 8 + lane], rows[24 * g + 16 + lane]);
      };
      const Vec led = row(hand->hand), free = v + hand->offset * led;
      const double alpha = hand->alpha[p];
      if (hand->slope) gradient = alpha * C + (free - led) * row(hand->slope).transpose();
      v = hand->stopped[p] > 0 ? Vec::Zero() : Vec(alpha * free + (1 - alpha) * led);
    }
    const Mat F = (Mat::Identity() + gradient) * q.F;
    ASSERT_LT((got.v - v).cwiseAbs().maxCoeff(), 5e-7) << p;
    ASSERT_LT((got.x - (q.x + v)).cwiseAbs().maxCoeff(), 1e-6) << p;
    ASSERT_LT((got.C - C).cwiseAbs().maxCoeff(), 5e-6) << p;
    ASSERT_LT((got.F - F).cwiseAbs().maxCoeff(), 1e-5) << p;
    EXPECT_NEAR(groups[p / 8].J[p % 8], F.determinant(), 3e-5) << p;
    wanted_most = std::max(wanted_most, v.cwiseAbs().maxCoeff());
  }
  EXPECT_NEAR(most, wanted_most, 5e-7);
}

TEST(GelTransfer, GatherEqualsTheDoubleLoop) {
  for (const int count : {1, 8, 13, 64}) {
    SCOPED_TRACE(count);
    ExpectGather(RandomNodes(50), nullptr, Scattered(count, 51));
  }
}

TEST(GelTransfer, TheHandBlendsStopsAndFollows) {
  constexpr int kCount = 21;
  Draw draw{60};
  std::vector<float> alpha(24), stopped(24), led(72), slope(72);
  for (float& a : alpha) a = static_cast<float>(draw(0, 1));
  alpha[0] = 0, alpha[1] = 1;
  for (std::size_t k = 0; k < stopped.size(); k += 5) stopped[k] = 1;
  for (float& h : led) h = static_cast<float>(draw(-0.3, 0.3));
  for (float& s : slope) s = static_cast<float>(draw(-0.2, 0.2));
  for (const float* gradient : {static_cast<const float*>(nullptr), static_cast<const float*>(slope.data())})
    for (const float offset : {0.0f, 0.01f}) {
      const HandMotion hand{alpha.data(), led.data(), stopped.data(), gradient, offset};
      ExpectGather(RandomNodes(61), &hand, Scattered(kCount, 62));
    }
}

TEST(GelTransfer, MassMomentumAndAngularMomentumStay) {
  for (const bool average : {false, true}) {
    const std::vector<Plain> before = Scattered(150, 70, 0.2);
    std::vector<ParticleGroup> groups = test::ToGroups(before);
    TransferOptions o;
    o.numbers = {0.1f, 0.4f, GelLaw::kCorotated};
    o.average_volume = average;
    ReachNodes nodes;
    ScatterBlock(o, groups.data(), 150, &nodes);
    double mass = 0;
    for (std::size_t n = 0; n < 4 * kReachNodes; n += 4) {
      mass += nodes.value[n + 3];
      for (std::size_t k = 0; k < 3; ++k)
        nodes.value[n + k] = nodes.value[n + 3] > 0 ? nodes.value[n + k] / nodes.value[n + 3] : 0.0f;
    }
    EXPECT_NEAR(mass, 150, 1e-4);
    GatherBlock(nodes, nullptr, groups.data(), 150);
    Vec p0 = Vec::Zero(), p1 = Vec::Zero(), L0 = Vec::Zero(), L1 = Vec::Zero();
    const auto spin = [](const Mat& C) {
      return Vec(0.25 * Vec(C(2, 1) - C(1, 2), C(0, 2) - C(2, 0), C(1, 0) - C(0, 1)));
    };
    for (std::size_t p = 0; p < before.size(); ++p) {
      const Plain q = test::FromGroups(groups, p);
      p0 += before[p].v, p1 += q.v;
      L0 += before[p].x.cross(before[p].v) + spin(before[p].C);
      L1 += q.x.cross(q.v) + spin(q.C);
    }
    EXPECT_LT((p1 - p0).norm(), 2e-5);
    EXPECT_LT((L1 - L0).norm(), 1e-4);
    EXPECT_GT(L0.norm(), 1);  // there is something to lose
  }
}

TEST(GelTransfer, EmptyLanesDoNothing) {
  // The only particle is far from the nodes around (1, 1, 1), where the empty lanes stand.
  std::vector<Plain> one{{Vec(4.2, 4.4, 3.9), Vec(0.1, -0.2, 0.3), Mat::Zero(), Mat::Identity()}};
  std::vector<ParticleGroup> groups = test::ToGroups(one);
  ReachNodes nodes;
  ScatterBlock({}, groups.data(), 1, &nodes);
  double mass = 0;
  for (std::size_t n = 3; n < 4 * kReachNodes; n += 4) mass += nodes.value[n];
  EXPECT_NEAR(mass, 1, 1e-6);
  for (const float wild : {3.0f, std::numeric_limits<float>::quiet_NaN()}) {
    groups = test::ToGroups(one);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        for (int k = 0; k < 3; ++k)
          for (std::size_t axis = 0; axis < 3; ++axis) nodes.value[test::ReachIndex(i, j, k) + axis] = wild;
    EXPECT_LT(GatherBlock(nodes, nullptr, groups.data(), 1), 1) << "no particle moved so far";
    for (int lane = 1; lane < 8; ++lane) {
      EXPECT_EQ(groups[0].x[0][lane], 1);
      EXPECT_EQ(groups[0].v[1][lane], 0);
      EXPECT_EQ(groups[0].C[3][lane], 0);
      EXPECT_EQ(groups[0].F[4][lane], 1);
      EXPECT_EQ(groups[0].F[5][lane], 0);
      EXPECT_EQ(groups[0].J[lane], 1);
    }
  }
}

TEST(GelTransfer, WhatIsNotFiniteIsSeen) {
  for (const float wild :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(), 1e12f}) {
    std::vector<ParticleGroup> groups = test::ToGroups(Scattered(11, 80));
    ReachNodes nodes = RandomNodes(81);
    for (int i = -1; i < 7; ++i) nodes.value[test::ReachIndex(i, 2, 3) + 1] = wild;
    EXPECT_TRUE(std::isnan(GatherBlock(nodes, nullptr, groups.data(), 11))) << wild;
  }
}

TEST(GatherAtRest, PlacesStayAndDeformationsAdd) {
  const ReachNodes nodes = RandomNodes(23);
  Draw draw{29};
  std::vector<Plain> before(11);
  for (Plain& q : before) {
    for (int k = 0; k < 3; ++k) q.x[k] = draw(0.1, 4.2);
    for (int k = 0; k < 9; ++k) q.F(k / 3, k % 3) = draw(-0.3, 0.3);  // F - 1
  }
  std::vector<ParticleGroup> groups = test::ToGroups(before);
  std::vector<MovedGroup> moved(groups.size());
  for (MovedGroup& m : moved)
    for (auto& row : m.u)
      for (float& u : row) u = 0.25f;
  GatherBlockAtRest(nodes, groups.data(), moved.data(), 11);
  for (std::size_t p = 0; p < before.size(); ++p) {
    const Plain &q = before[p], got = test::FromGroups(groups, p);
    Vec v = Vec::Zero();
    Mat C = Mat::Zero();
    test::ForNodes(q.x, [&](int i, int j, int k, double w, const Vec& d) {
      const float* n = nodes.value + test::ReachIndex(i, j, k);
      v += w * Vec(n[0], n[1], n[2]);
      C += 4 * w * Vec(n[0], n[1], n[2]) * d.transpose();
    });
    EXPECT_LT((got.F - (q.F + C)).cwiseAbs().maxCoeff(), 5e-6) << p;
    EXPECT_NEAR(groups[p / 8].J[p % 8], (Mat::Identity() + q.F + C).determinant(), 3e-5) << p;
    for (int k = 0; k < 3; ++k) {
      EXPECT_EQ(got.x[k], static_cast<float>(q.x[k])) << p;
      EXPECT_NEAR(moved[p / 8].u[k][p % 8], 0.25 + v[k], 1e-6) << p;
    }
  }
}

}  // namespace
}  // namespace taxel
