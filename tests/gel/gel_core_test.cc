// Cases: a free spinning, vibrating block keeps momentum and angular momentum over many sorts; it falls as a
// stone does; the same bits on 1, 2 and 3 threads; a step too large is named, nothing moves on after it until
// a state is restored; particles on the edges of cells; the blended motion of a hand and the deformation
// agree where that is asked for.
#include "taxel/gel/gel_core.h"

#include <gtest/gtest.h>

#include <cstring>

#include "../shape/expect_error.h"
#include "gel_reference.h"

namespace taxel {
using namespace internal;
namespace {

using test::Mat, test::Vec;

const float kNoGravity[3] = {0, 0, 0};

std::vector<Vec3> Lattice(int nx, int ny, int nz, const Vec3& shift) {
  std::vector<Vec3> x;
  for (int i = 0; i < nx; ++i)
    for (int j = 0; j < ny; ++j)
      for (int k = 0; k < nz; ++k) x.push_back(Vec3{0.5 * i, 0.5 * j, 0.5 * k} + shift);
  return x;
}

TransferOptions Elastic(bool average = false) {
  TransferOptions o;
  o.numbers = {0.03f, 0.05f, GelLaw::kCorotated};
  o.average_volume = average;
  return o;
}

/// Turning about a tilted axis, drifting and breathing.
void Spin(GelCore* core, double size) {
  const Vec omega = size * Vec(0.3, -0.2, 1).normalized();
  for (std::size_t p = 0; p < core->particles().size(); ++p) {
    GelParticle q = core->particles().Get(p);
    const Vec x(q.x[0], q.x[1], q.x[2]), v = omega.cross(x) + Vec(0.02, -0.01, 0.015) + 0.002 * x;
    for (int k = 0; k < 3; ++k) q.v[k] = static_cast<float>(v[k]);
    const Mat W =
        (Mat() << 0, -omega[2], omega[1], omega[2], 0, -omega[0], -omega[1], omega[0], 0).finished();
    for (int k = 0; k < 9; ++k) q.C[k] = static_cast<float>(W(k / 3, k % 3));
    core->particles().Set(p, q);
  }
}

struct Balance {
  Vec p = Vec::Zero(), L = Vec::Zero();
};
Balance Of(const GelCore& core) {
  Balance b;
  for (std::size_t n = 0; n < core.particles().size(); ++n) {
    const GelParticle q = core.particles().Get(n);
    const Vec v(q.v[0], q.v[1], q.v[2]);
    b.p += v;
    b.L +=
        Vec(q.x[0], q.x[1], q.x[2]).cross(v) + 0.25 * Vec(q.C[7] - q.C[5], q.C[2] - q.C[6], q.C[3] - q.C[1]);
  }
  return b;
}

TEST(GelCore, AFreeBlockKeepsItsMomenta) {
  for (const bool average : {false, true}) {
    GelCore core(Lattice(10, 8, 6, {-2.6, -1.7, -1.4}), Elastic(average), 1);
    Spin(&core, 0.03);
    const Balance before = Of(core);
    int sorts = 0;
    for (int s = 0; s < 300; ++s) core.Scatter(kNoGravity), core.Gather(nullptr, ""), sorts += core.sorted();
    const Balance after = Of(core);
    EXPECT_GT(sorts, 10);
    EXPECT_EQ(core.steps(), 300);
    EXPECT_LT((after.p - before.p).norm(), 2e-5 * before.p.norm());
    EXPECT_LT((after.L - before.L).norm(), 1e-4 * before.L.norm());
  }
}

TEST(GelCore, ItFallsAsAStoneDoes) {
  GelCore core(Lattice(6, 6, 6, {-1.3, 2.6, 0.2}), Elastic(), 1);
  const GelParticle start = core.particles().Get(70);
  const float gravity[3] = {1e-4f, -2e-4f, 3e-4f};
  const int n = 120;
  for (int s = 0; s < n; ++s) core.Scatter(gravity), core.Gather(nullptr, "");
  const GelParticle end = core.particles().Get(70);
  for (int k = 0; k < 3; ++k) {
    EXPECT_NEAR(end.v[k], n * gravity[k], 1e-5);
    EXPECT_NEAR(end.x[k] - start.x[k], 0.5 * n * (n + 1) * gravity[k], 1e-3);
  }
  EXPECT_NEAR(core.fastest(), n * 3e-4, 1e-5);
}

TEST(GelCore, TheSameBitsOnAnyNumberOfThreads) {
  std::vector<std::unique_ptr<GelCore>> cores;
  for (const int threads : {1, 2, 3}) {
    cores.push_back(
        std::make_unique<GelCore>(Lattice(24, 16, 10, {-6.1, -3.3, -2.2}), Elastic(true), threads));
    EXPECT_EQ(cores.back()->threads(), threads);
    Spin(cores.back().get(), 0.02);
    for (int s = 0; s < 60; ++s) cores.back()->Scatter(kNoGravity), cores.back()->Gather(nullptr, "");
    const auto &a = cores[0]->particles().groups(), &b = cores.back()->particles().groups();
    ASSERT_EQ(a.size(), b.size());
    EXPECT_EQ(std::memcmp(a.data(), b.data(), a.size() * sizeof(ParticleGroup)), 0) << threads;
    EXPECT_EQ(cores[0]->drifted(), cores.back()->drifted());
  }
}

TEST(GelCore, ABlowUpIsNamedAndFinal) {
  GelCore core(Lattice(5, 5, 5, {}), Elastic(), 1);
  const ParticleBlocks good = core.particles();
  for (int s = 0; s < 3; ++s) core.Scatter(kNoGravity), core.Gather(nullptr, "");
  GelParticle q = core.particles().Get(17);
  q.v[1] = -40;
  core.particles().Set(17, q);
  ExpectError([&] { core.Scatter(kNoGravity), core.Gather(nullptr, "go slowly"); },
              {"blow-up in step 3", "particle 17", "cells in one step (at most 0.5)", "go slowly"});
  for (int n = 0; n < 2; ++n)  // its particles are out of their blocks' reach
    ExpectError([&] { core.Scatter(kNoGravity); }, {"blew up in step 3", "restore a state"});
  core.Restore(good, 0, 0);
  core.Scatter(kNoGravity), core.Gather(nullptr, "");
  EXPECT_LT(core.fastest(), 1e-6);
}

TEST(GelCore, WhatIsNotFiniteIsABlowUp) {
  GelCore core(Lattice(5, 5, 5, {}), Elastic(), 1);
  GelParticle q = core.particles().Get(31);
  q.F[2] = std::nanf("");
  core.particles().Set(31, q);
  ExpectError([&] { core.Scatter(kNoGravity), core.Gather(nullptr, ""); },
              {"blow-up in step 0", "without bound"});
}

// A place that rounds into the next cell, and blocks that meet there.
TEST(GelCore, EdgesOfCellsAreNoTrouble) {
  std::vector<Vec3> x;
  for (const double e : {0.49999999, 0.5, 0.50000001, 4.49999999, 4.5, -3.50000001, -3.5})
    for (const double f : {0.49999999, 4.5, 1.0}) x.push_back({e, f, 5 - e});
  GelCore core(x, TransferOptions{}, 1);
  for (std::size_t p = 0; p < x.size(); ++p) {
    GelParticle q = core.particles().Get(p);
    for (int k = 0; k < 3; ++k) q.v[k] = 0.11f;
    core.particles().Set(p, q);
  }
  for (int s = 0; s < 40; ++s) core.Scatter(kNoGravity), core.Gather(nullptr, "");
  for (std::size_t p = 0; p < x.size(); ++p)
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(core.particles().Get(p).x[k], x[p][k] + 40 * 0.11f, 2e-5);
}

// Ten layers, blended from the gel to a hand that runs away from a wall of free particles: with the slope of
// the blend F is the stretch between the layers, without it is not.
TEST(GelCore, BlendedMotionAndDeformationAgree) {
  const auto mismatch = [](bool follow) {
    constexpr int kLayers = 10;
    const std::vector<Vec3> x = Lattice(8, kLayers, 8, {-1.7, 0.3, 2.1});
    GelCore core(x, TransferOptions{}, 1);  // no stress: motion alone
    const auto layer = [&](std::int32_t id) { return id / 8 % kLayers; };
    std::vector<float> alpha, led, slope, stopped;
    const auto lanes = [&] {
      const auto& ids = core.particles().ids();
      alpha.assign(ids.size(), 1), stopped.assign(ids.size(), 0);
      led.assign(3 * ids.size(), 0), slope.assign(3 * ids.size(), 0);
      for (std::size_t s = 0; s < ids.size(); ++s) {
        if (ids[s] < 0) continue;
        alpha[s] = 1 - static_cast<float>(layer(ids[s])) / kLayers;
        led[24 * (s / 8) + 8 + s % 8] = 0.3f;
        // Of alpha along y, where the particles are now: the stretch takes its share.
        slope[24 * (s / 8) + 8 + s % 8] =
            -1.0f / (0.5f * kLayers) / core.particles().groups()[s / 8].F[4][s % 8];
      }
    };
    HandMotion motion;
    for (int s = 0; s < 3; ++s) {
      lanes();
      core.Scatter(kNoGravity);
      core.Gather(
          [&](int block, int) {
            const std::size_t first =
                static_cast<std::size_t>(core.particles().blocks()[static_cast<std::size_t>(block)].group);
            motion = {&alpha[8 * first], &led[24 * first], &stopped[8 * first],
                      follow ? &slope[24 * first] : nullptr, 0};
            return &motion;
          },
          "");
    }
    double worst = 0;
    for (int k = 2; k < kLayers - 2; ++k) {  // in the middle of the block
      const std::size_t p = static_cast<std::size_t>((4 * kLayers + k) * 8 + 4);
      const double stretch = core.particles().Get(p + 8).x[1] - core.particles().Get(p - 8).x[1];
      const GelParticle q = core.particles().Get(p);
      worst = std::max(worst, std::fabs(test::ToMat(q.F).determinant() - stretch));
    }
    return worst;
  };
  const double with = mismatch(true), without = mismatch(false);
  EXPECT_LT(with, 0.012);  // of a stretch of 1.1 to 1.26
  EXPECT_GT(without, 0.1);
}

}  // namespace
}  // namespace taxel
