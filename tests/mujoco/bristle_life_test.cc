// Bristles in MuJoCo, one mjData's life:
//   - a copy made mid-run goes on with the same bits, as does a saved state; two mjData do not disturb each
//     other; a reset forgets; mj_forward changes nothing
//   - MuJoCo's thread pool gives the same bits
//   - a geom that changes its size: MuJoCo's own contact until the scene is rebuilt
//   - energy: what is dropped, slides and spins on a pad never has more than it came with, up to what an edge
//     that passes a bristle adds
//   - warm steps take no memory
#include <gtest/gtest.h>

#include <cmath>

#include "../count_allocations.h"
#include "bristle_model.h"
#include "taxel/math/random.h"
#include "taxel/mujoco/c_api.h"

namespace taxel::mujoco::test {
using namespace internal;
// For other files of this program.
long Allocations();
long Allocations() { return allocations; }
}  // namespace taxel::mujoco::test

namespace taxel::mujoco {
using namespace internal;
namespace {

using test::BodyXml;
using test::BristleBench;
using test::Data;
using test::ExpectSameBits;
using test::Free;
using test::Id;
using test::MakeData;
using test::Model;
using test::MustCompile;
using test::Num;
using test::SumOfTaxels;
using test::Warnings;

// A block and a ball that slide, turn and tip on one pad.
BristleBench Lively(const char* integrator = "implicitfast", const char* form = "passive") {
  BristleBench bench;
  bench.integrator = integrator;
  bench.gravity = {1, -0.5, -9.5};
  bench.Set("form", form).Set("shape", "12 9");
  bench.objects =
      BodyXml("block", {-0.004, -0.012, 0.0098}, Free(), "type=\"box\" size=\"0.011 0.013 0.01\"", 0.3) +
      BodyXml("ball", {0.003, 0.018, 0.0088}, Free(), "type=\"sphere\" size=\"0.009\"", 0.1);
  return bench;
}
void Kick(const Data& d, double seed) {
  d->qvel[0] = 0.1 + 0.03 * seed, d->qvel[1] = 0.1, d->qvel[5] = 4 - seed, d->qvel[3] = 0.5;
  d->qvel[6] = -0.1, d->qvel[10] = 3;
}

TEST(BristleLife, CopiesAndSavedStatesGoOnWithTheSameBits) {
  for (const char* integrator : {"Euler", "implicit", "implicitfast", "discrete"}) {
    for (const char* form : {"passive", "paper"}) {
      const Model m = MustCompile(Lively(integrator, form).xml());
      ASSERT_TRUE(m);
      const Data d = MakeData(m), into = MakeData(m), saved = MakeData(m), alone = MakeData(m);
      Kick(d, 0);
      Kick(alone, 0);
      test::Step(m, d, 23);
      const Data copy(mj_copyData(nullptr, m.get(), d.get()));
      Kick(into, 2);
      test::Step(m, into, 5);  // has a history of its own
      mj_copyData(into.get(), m.get(), d.get());
      std::vector<mjtNum> state(mj_stateSize(m.get(), mjSTATE_INTEGRATION));
      mj_getState(m.get(), d.get(), state.data(), mjSTATE_INTEGRATION);
      mj_setState(m.get(), saved.get(), state.data(), mjSTATE_INTEGRATION);
      for (int i = 0; i < 40; ++i)
        for (const Data* each : {&d, &copy, &into, &saved}) mj_step(m.get(), each->get());
      test::Step(m, alone, 63);
      ExpectSameBits(m, d, copy, integrator);
      ExpectSameBits(m, d, into, integrator);
      ExpectSameBits(m, d, saved, integrator);
      ExpectSameBits(m, d, alone, integrator);
      // mj_forward in between changes nothing.
      mj_forward(m.get(), copy.get());
      mj_step(m.get(), copy.get());
      mj_step(m.get(), d.get());
      for (int i = 0; i < m->nv; ++i) ASSERT_NEAR(d->qvel[i], copy->qvel[i], 1e-9) << integrator;
      // A reset forgets.
      mj_resetData(m.get(), d.get());
      Kick(d, 0);
      test::Step(m, d, 63);
      ExpectSameBits(m, d, alone, integrator);
    }
  }
}

TEST(BristleLife, TheThreadPoolGivesTheSameBits) {
  const Model m = MustCompile(Lively().xml());
  ASSERT_TRUE(m);
  const Data plain = MakeData(m), pooled = MakeData(m);
  mju_threadpool(pooled.get(), 2);
  Kick(plain, 1);
  Kick(pooled, 1);
  for (int i = 0; i < 80; ++i) {
    mj_step(m.get(), plain.get());
    mj_step(m.get(), pooled.get());
    ExpectSameBits(m, plain, pooled, "step " + std::to_string(i));
    if (testing::Test::HasFatalFailure()) break;
  }
  mju_threadpool(pooled.get(), 0);
}

TEST(BristleLife, AnotherSizeNeedsAnotherScene) {
  BristleBench bench;
  bench.objects =
      BodyXml("cube", {0.001, 0.002, 0.0118}, Free(), "type=\"box\" size=\"0.016 0.018 0.012\"", 0.4);
  const Model m = MustCompile(bench.xml());
  ASSERT_TRUE(m);
  const Data d = MakeData(m);
  test::Step(m, d, 300);
  EXPECT_NEAR(SumOfTaxels(m, d, 48), 0.4 * 9.81, 1e-5);
  Warnings warnings;
  m->geom_size[3 * Id(m, mjOBJ_GEOM, "cube") + 2] = 0.011;
  test::Step(m, d, 200);
  EXPECT_EQ(Warnings::Count("changed after the model was compiled"), 1) << Warnings::Text();
  EXPECT_EQ(SumOfTaxels(m, d, 48), 0);
  FindRuntime(m.get(), d.get())->Rebuild(m.get(), d.get());
  test::Step(m, d, 400);
  EXPECT_NEAR(SumOfTaxels(m, d, 48), 0.4 * 9.81, 1e-5);
}

TEST(BristleLife, EnergyIsNotMade) {
  const double g = 9.81;
  for (int trial = 0; trial < 60; ++trial) {
    const auto draw = [&](int i, double lo, double hi) {
      return lo + (hi - lo) * RandomUniform(31 + trial, i);
    };
    BristleBench bench;
    const double steps[] = {5e-4, 2e-3, 5e-3};
    const char* integrators[] = {"Euler", "implicitfast", "discrete", "implicit"};
    bench.step = steps[trial % 3];
    bench.integrator = integrators[trial % 4];
    bench.sensor = false;
    const double k = std::pow(10, draw(1, 1.7, 4.5));
    bench.Set("stiffness", Num(k)).Set("sigma0", Num(k * draw(2, 0.3, 2)));
    bench.Set("damping", Num(k * draw(3, 0, 0.02))).Set("sigma1", Num(k * draw(4, 0, 0.02)));
    bench.Set("shape", "12 9").Set("depth", "0.02");
    bench.pad = "type=\"box\" size=\"0.05 0.05 0.02\" pos=\"0 0 -0.02\"";
    // A ball: no edges. What it has may only fall, but for the swing of the springs within a step.
    const double mass = draw(5, 0.05, 1), radius = draw(6, 0.01, 0.02);
    bench.objects = BodyXml("ball", {draw(7, -0.01, 0.01), draw(8, -0.01, 0.01), radius + draw(9, 0, 0.01)},
                            Free(), "type=\"sphere\" size=\"" + Num(radius) + "\"", mass);
    const Model m = MustCompile(bench.xml());
    ASSERT_TRUE(m);
    const Data d = MakeData(m);
    for (int i = 0; i < 6; ++i) d->qvel[i] = draw(10 + i, -0.3, 0.3) * (i < 3 ? 0.5 : 30);
    mj_forward(m.get(), d.get());
    const double first = test::Energy(m, d);
    // MuJoCo's own free fall: Euler's steps gain m g^2 h^2 / 2 each, in the air.
    double most = first;
    for (int i = 0; i < static_cast<int>(0.4 / bench.step); ++i) {
      mj_step(m.get(), d.get());
      mj_fwdPosition(m.get(), d.get());
      if (std::hypot(d->qpos[0], d->qpos[1]) > 0.045 || d->qpos[2] < -0.01) break;  // it left the pad
      most = std::max(most, test::Energy(m, d));
    }
    const double scale = std::fabs(first) + mass * g * 0.01;
    EXPECT_LT(most, first + 0.01 * scale)
        << trial << ", k " << k << ", step " << bench.step << ", " << bench.integrator;
  }
}

TEST(BristleLife, ABlockNeverBouncesHigher) {
  // A block has edges: a bristle that slips under one pushes at once, and gives k d^2 / 2 that nobody put in.
  for (int trial = 0; trial < 40; ++trial) {
    const auto draw = [&](int i, double lo, double hi) {
      return lo + (hi - lo) * RandomUniform(77 + trial, i);
    };
    BristleBench bench;
    const double steps[] = {5e-4, 2e-3, 5e-3};
    bench.step = steps[trial % 3];
    bench.sensor = false;
    const double k = std::pow(10, draw(1, 2.5, 4.5)), mass = draw(2, 0.1, 2);
    bench.Set("stiffness", Num(k)).Set("sigma0", Num(k)).Set("damping", Num(0.01 * k)).Set("shape", "14 14");
    bench.Set("depth", "0.02");
    bench.pad = "type=\"box\" size=\"0.05 0.05 0.02\" pos=\"0 0 -0.02\"";
    bench.objects = BodyXml("block", {0, 0, 0.02}, Free(), "type=\"box\" size=\"0.016 0.018 0.01\"", mass);
    const Model m = MustCompile(bench.xml());
    ASSERT_TRUE(m);
    const Data d = MakeData(m);
    for (int i = 0; i < 6; ++i) d->qvel[i] = draw(10 + i, -1, 1) * (i < 2 ? 0.2 : i == 2 ? 0 : 5);
    for (int i = 0; i < 3; ++i) d->qpos[4 + i] = draw(20 + i, -0.15, 0.15);
    mju_normalize4(d->qpos + 3);
    mj_forward(m.get(), d.get());
    const double first = test::Energy(m, d);
    double most = first, after = first;
    for (int i = 0; i < static_cast<int>(0.6 / bench.step); ++i) {
      mj_step(m.get(), d.get());
      mj_fwdPosition(m.get(), d.get());
      if (std::hypot(d->qpos[0], d->qpos[1]) > 0.03) break;
      after = test::Energy(m, d);
      most = std::max(most, after);
    }
    // One bristle at the depth of rest.
    const double rest = mass * 9.81 / (16 * k), slip = 8 * 0.5 * k * rest * rest;
    EXPECT_LT(most, first + 0.01 * mass * 9.81 * 0.01 + slip)
        << trial << ", k " << k << ", step " << bench.step;
    EXPECT_LT(after, first) << trial;
  }
}

TEST(BristleLife, WarmStepsTakeNoMemory) {
  for (const char* coupling : {"rows", "explicit"}) {
    BristleBench bench = Lively();
    bench.gravity = {0, 0, -9.5};
    bench.Set("coupling", coupling);
    if (coupling == std::string("explicit")) bench.step = 1e-4;
    const Model m = MustCompile(bench.xml());
    ASSERT_TRUE(m);
    const Data d = MakeData(m);
    test::Step(m, d, 300);
    const long before = allocations.load();
    test::Step(m, d, 50);
    EXPECT_EQ(allocations.load() - before, 0) << coupling;
  }
}

}  // namespace
}  // namespace taxel::mujoco
