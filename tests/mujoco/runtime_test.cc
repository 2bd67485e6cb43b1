// One mjData's life:
//   - a copy made mid-run goes on with the same bits; so does a state saved with mj_getState
//   - reset and keyframes forget; mj_forward changes nothing; two mjData do not disturb each other
//   - threads: eight mjData by one and by four threads; MuJoCo's own thread pool; the same bits
//   - a geom that changes its size: a warning, MuJoCo's own contact, and soft again after Rebuild
//   - options that change at run time; several instances; many objects
#include "taxel/mujoco/runtime.h"

#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "taxel/mujoco/c_api.h"
#include "test_model.h"

namespace taxel::mujoco {
using namespace internal;
namespace {

using test::Bench;
using test::Data;
using test::Id;
using test::MakeData;
using test::Model;
using test::MustCompile;
using test::Warnings;

// A block that slides, turns and tips on its pad.
Bench Lively(const char* integrator = "implicitfast") {
  Bench bench;
  bench.modulus = 2e5;
  bench.option = std::string("timestep=\"0.002\" gravity=\"1 -0.5 -9.5\" integrator=\"") + integrator + "\"";
  return bench;
}
void Kick(const Data& d, double seed) {
  d->qvel[0] = 0.2 + 0.03 * seed, d->qvel[1] = -0.1, d->qvel[5] = 4 - seed, d->qvel[3] = 0.5;
}
void ExpectSameBits(const Model& m, const Data& a, const Data& b, const std::string& what) {
  for (int i = 0; i < m->nq; ++i) ASSERT_EQ(a->qpos[i], b->qpos[i]) << what << ", qpos " << i;
  for (int i = 0; i < m->nv; ++i) ASSERT_EQ(a->qvel[i], b->qvel[i]) << what << ", qvel " << i;
  for (int i = 0; i < m->npluginstate; ++i)
    ASSERT_EQ(a->plugin_state[i], b->plugin_state[i]) << what << ", plugin_state " << i;
}

TEST(Runtime, ACopyGoesOnWithTheSameBits) {
  for (const char* integrator : {"Euler", "implicit", "implicitfast", "discrete"}) {
    const Model m = MustCompile(Lively(integrator).xml());
    ASSERT_TRUE(m);
    const Data d = MakeData(m);
    Kick(d, 0);
    test::Step(m, d, 37);
    const Data copy(mj_copyData(nullptr, m.get(), d.get())), into = MakeData(m);
    test::Step(m, into, 5);  // has a history of its own
    mj_copyData(into.get(), m.get(), d.get());
    test::Step(m, d, 60);
    test::Step(m, copy, 60);
    test::Step(m, into, 60);
    ExpectSameBits(m, d, copy, integrator);
    ExpectSameBits(m, d, into, integrator);
  }
}

TEST(Runtime, ASavedStateGoesOnWithTheSameBits) {
  for (const char* integrator : {"implicitfast", "discrete"}) {
    const Model m = MustCompile(Lively(integrator).xml());
    ASSERT_TRUE(m);
    const Data d = MakeData(m), other = MakeData(m);
    Kick(d, 1);
    test::Step(m, d, 41);
    std::vector<mjtNum> state(mj_stateSize(m.get(), mjSTATE_INTEGRATION));
    mj_getState(m.get(), d.get(), state.data(), mjSTATE_INTEGRATION);
    test::Step(m, other, 3);
    mj_setState(m.get(), other.get(), state.data(), mjSTATE_INTEGRATION);
    test::Step(m, d, 50);
    test::Step(m, other, 50);
    ExpectSameBits(m, d, other, integrator);
  }
}

TEST(Runtime, ResetForgets) {
  const Model m = MustCompile(Lively().xml());
  ASSERT_TRUE(m);
  const Data d = MakeData(m), fresh = MakeData(m);
  Kick(d, 2);
  test::Step(m, d, 50);
  mj_resetData(m.get(), d.get());
  for (int i = 0; i < m->npluginstate; ++i) ASSERT_EQ(d->plugin_state[i], 0);
  EXPECT_EQ(FindRuntime(m.get(), d.get())->last_touches().size(), 0u);
  Kick(d, 3);
  Kick(fresh, 3);
  test::Step(m, d, 50);
  test::Step(m, fresh, 50);
  ExpectSameBits(m, d, fresh, "after reset");
}

TEST(Runtime, AKeyframeForgets) {
  Bench bench = Lively();
  bench.rest = "<keyframe><key qpos=\"0.004 -0.003 0.0149 1 0 0 0\" qvel=\"0.1 0 0 0 0 2\"/></keyframe>";
  const Model m = MustCompile(bench.xml());
  ASSERT_TRUE(m);
  const Data d = MakeData(m), fresh = MakeData(m);
  Kick(d, 2);
  test::Step(m, d, 50);
  mj_resetDataKeyframe(m.get(), d.get(), 0);
  mj_resetDataKeyframe(m.get(), fresh.get(), 0);
  test::Step(m, d, 50);
  test::Step(m, fresh, 50);
  ExpectSameBits(m, d, fresh, "after keyframe");
}

TEST(Runtime, ForwardChangesNothing) {
  const Model m = MustCompile(Lively().xml());
  ASSERT_TRUE(m);
  const Data a = MakeData(m), b = MakeData(m);
  Kick(a, 1);
  Kick(b, 1);
  for (int i = 0; i < 60; ++i) {
    mj_step(m.get(), a.get());
    mj_forward(m.get(), b.get());
    mj_forward(m.get(), b.get());
    mj_step(m.get(), b.get());
    if (i % 7 == 0) mj_forward(m.get(), b.get());
    if (i % 5 == 0) FindRuntime(m.get(), b.get())->Touches(m.get(), b.get());
  }
  // Warm starts of the solver differ after mj_forward: its tolerance, 1e-8, over 60 steps.
  for (int i = 0; i < m->nq; ++i) EXPECT_NEAR(a->qpos[i], b->qpos[i], 1e-7) << i;
}

TEST(Runtime, StepInTwoHalvesIsAStep) {
  const Model m = MustCompile(Lively().xml());
  ASSERT_TRUE(m);
  const Data a = MakeData(m), b = MakeData(m);
  Kick(a, 1);
  Kick(b, 1);
  for (int i = 0; i < 40; ++i) {
    mj_step(m.get(), a.get());
    mj_step1(m.get(), b.get());
    mj_step2(m.get(), b.get());
  }
  ExpectSameBits(m, a, b, "step1 and step2");
}

TEST(Runtime, TwoDataDoNotDisturbEachOther) {
  const Model m = MustCompile(Lively().xml());
  ASSERT_TRUE(m);
  const Data alone1 = MakeData(m), alone2 = MakeData(m), a = MakeData(m), b = MakeData(m);
  Kick(alone1, 0);
  Kick(a, 0);
  Kick(alone2, 5);
  Kick(b, 5);
  test::Step(m, alone1, 60);
  test::Step(m, alone2, 60);
  for (int i = 0; i < 60; ++i) {
    mj_step(m.get(), a.get());
    mj_step(m.get(), b.get());
  }
  ExpectSameBits(m, alone1, a, "first");
  ExpectSameBits(m, alone2, b, "second");
}

TEST(Runtime, ThreadsGiveTheSameBits) {
  const Model m = MustCompile(Lively("discrete").xml());
  ASSERT_TRUE(m);
  std::vector<Data> one, four;
  for (int i = 0; i < 8; ++i) {
    one.push_back(MakeData(m)), four.push_back(MakeData(m));
    Kick(one.back(), i), Kick(four.back(), i);
  }
  for (const Data& d : one) test::Step(m, d, 60);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 60; ++i)
        for (int k = t; k < 8; k += 4) mj_step(m.get(), four[k].get());
    });
  for (std::thread& t : threads) t.join();
  for (int i = 0; i < 8; ++i) ExpectSameBits(m, one[i], four[i], "data " + std::to_string(i));
}

TEST(Runtime, DataMadeInThreadsShareAScene) {
  const Model m = MustCompile(Lively().xml());
  ASSERT_TRUE(m);
  std::vector<Data> all(8);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int k = t; k < 8; k += 4) all[k] = MakeData(m), Kick(all[k], k), test::Step(m, all[k], 10);
    });
  for (std::thread& t : threads) t.join();
  const Scene* scene = &FindRuntime(m.get(), all[0].get())->scene();
  for (const Data& d : all) EXPECT_EQ(&FindRuntime(m.get(), d.get())->scene(), scene);
}

// Six things on one pad and two pads: many pairs in one pass.
std::string Crowd(const std::string& option) {
  std::string bodies;
  for (int i = 0; i < 6; ++i) {
    const std::string n = std::to_string(i);
    bodies += "<body pos=\"" + std::to_string(-0.05 + 0.02 * i) + " " + std::to_string(0.01 * (i % 3)) +
              " 0.0148\"><freejoint/><geom name=\"g" + n + "\" " +
              (i % 2 ? "type=\"sphere\" size=\"0.015\"" : "type=\"box\" size=\"0.009 0.01 0.015\"") +
              " mass=\"0.2\"/></body>";
  }
  return "<mujoco><option cone=\"elliptic\" timestep=\"0.002\" gravity=\"0.8 0.4 -9.7\" " + option + R"(/>
      <extension><plugin plugin="taxel"><instance name="skin"><config key="modulus" value="2e5"/></instance>
        </plugin></extension>
      <custom><tuple name="skin"><element objtype="geom" objname="left"/><element objtype="geom" objname="right"/>
        <element objtype="geom" objname="g1"/></tuple></custom>
      <worldbody><geom name="left" type="box" size="0.05 0.05 0.01" pos="-0.05 0 -0.01"/>
        <geom name="right" type="box" size="0.05 0.05 0.01" pos="0.0501 0 -0.01"/>)" +
         bodies + "</worldbody></mujoco>";
}

TEST(Runtime, TheThreadPoolGivesTheSameBits) {
  for (const char* option : {"integrator=\"implicitfast\"", "integrator=\"discrete\""}) {
    const Model m = MustCompile(Crowd(option));
    ASSERT_TRUE(m);
    const Data plain = MakeData(m), pooled = MakeData(m);
    mju_threadpool(pooled.get(), 2);
    int most = 0;
    for (int i = 0; i < 150; ++i) {
      mj_step(m.get(), plain.get());
      mj_step(m.get(), pooled.get());
      most = std::max<int>(most, FindRuntime(m.get(), plain.get())->last_touches().size());
      ExpectSameBits(m, plain, pooled, std::string(option) + ", step " + std::to_string(i));
      if (testing::Test::HasFatalFailure()) return;
    }
    EXPECT_GE(most, 6);
    mju_threadpool(pooled.get(), 0);
  }
}

TEST(Runtime, AChangedShapeFallsBackToMuJoCoUntilRebuilt) {
  const Warnings warnings;
  Bench bench;
  const Model m = MustCompile(bench.xml());
  ASSERT_TRUE(m);
  const Data d = MakeData(m), other = MakeData(m);
  test::Step(m, d, 5);
  ASSERT_GT(d->ncon, 10);
  ASSERT_EQ(Warnings::Text(), "");
  const int block = Id(m, mjOBJ_GEOM, "block");
  m->geom_size[3 * block] *= 0.7;  // narrower
  test::Step(m, d, 5);
  EXPECT_EQ(Warnings::Count("geom 'block' changed"), 1) << Warnings::Text();
  EXPECT_EQ(Warnings::Count("taxel.rebuild"), 1);
  EXPECT_GT(d->ncon, 0);
  EXPECT_LE(d->ncon, 8);  // MuJoCo's box on box
  EXPECT_EQ(FindRuntime(m.get(), d.get())->Touches(m.get(), d.get()).size(), 0u);
  char error[500] = "";
  ASSERT_EQ(taxel_rebuild(m.get(), d.get(), error, sizeof(error)), 0) << error;
  d->qpos[2] = 0.5 * bench.side - bench.depth() / 0.7;
  mju_zero(d->qvel, m->nv);
  test::Step(m, d, 1000);
  mj_forward(m.get(), d.get());
  EXPECT_NEAR((0.5 * bench.side - d->qpos[2]) / (bench.depth() / 0.7), 1, 1e-4);
  EXPECT_NEAR(OnlyWrench(m, d).force.z, 9.81, 1e-4);
  EXPECT_EQ(Warnings::Count("changed"), 1) << "no more warnings after a rebuild";
}

TEST(Runtime, RebuildRefusesWhatIsWrong) {
  const Model m = MustCompile(Bench{}.xml());
  ASSERT_TRUE(m);
  const Data d = MakeData(m);
  test::Step(m, d, 3);
  m->geom_size[3 * Id(m, mjOBJ_GEOM, "pad") + 2] = 0;
  char error[500] = "";
  EXPECT_EQ(taxel_rebuild(m.get(), d.get(), error, sizeof(error)), -1);
  EXPECT_NE(std::string(error).find("pad"), std::string::npos) << error;
}

TEST(Runtime, AnOptionThatIsNotSupportedFallsBackToMuJoCo) {
  const Warnings warnings;
  const Model m = MustCompile(Bench{}.xml());
  ASSERT_TRUE(m);
  const Data d = MakeData(m);
  test::Step(m, d, 3);
  ASSERT_GT(d->ncon, 10);
  m->opt.cone = mjCONE_PYRAMIDAL;
  test::Step(m, d, 3);
  EXPECT_EQ(Warnings::Count("elliptic"), 1) << Warnings::Text();
  EXPECT_LE(d->ncon, 8);
  EXPECT_EQ(FindRuntime(m.get(), d.get())->Touches(m.get(), d.get()).size(), 0u);
  m->opt.cone = mjCONE_ELLIPTIC;
  test::Step(m, d, 3);
  EXPECT_GT(d->ncon, 10);
}

TEST(Runtime, ASecondInstanceIsASecondMaterial) {
  Bench bench;
  bench.instances =
      "<instance name=\"hard\"><config key=\"modulus\" value=\"3e6\"/><config key=\"field\" "
      "value=\"backed\"/><config key=\"exposed\" value=\"0 0 -1\"/></instance>";
  bench.custom = "<tuple name=\"hard\"><element objtype=\"geom\" objname=\"block\"/></tuple>";
  const Model m = MustCompile(bench.xml());
  ASSERT_TRUE(m);
  ASSERT_EQ(m->nplugin, 2);
  const Data d = MakeData(m);
  EXPECT_GT(m->plugin_statenum[0], 0);
  EXPECT_EQ(m->plugin_statenum[1], 0);  // the first speaks for all
  test::Step(m, d, 1500);
  // Springs in series: T1/E1 + T2/E2 with the block's 30 mm.
  const double depth = 9.81 / bench.area() * (bench.thickness / bench.modulus + bench.side / 3e6);
  EXPECT_NEAR((0.5 * bench.side - d->qpos[2]) / depth, 1, 1e-3);
}

TEST(Runtime, TheMemoryOfFrictionHasRoomForAllAnchors) {
  // More soft geoms than the room was counted for: a body and a material name several geoms by one element.
  const Warnings warnings;
  std::string geoms;
  for (int i = 0; i < 9; ++i)
    geoms += "<geom type=\"box\" size=\"0.01 0.01 0.01\" pos=\"" + std::to_string(0.021 * (i % 3)) + " " +
             std::to_string(0.021 * (i / 3)) + " 0\" mass=\"0.1\"/>";
  const Model m = MustCompile(R"(
      <mujoco><option cone="elliptic" timestep="0.002" integrator="implicitfast"/>
        <extension><plugin plugin="taxel"><instance name="skin"><config key="modulus" value="1e5"/><config key="field"
          value="backed"/><config key="exposed" value="0 0 -1"/></instance></plugin></extension>
        <custom><tuple name="skin"><element objtype="body" objname="many"/></tuple></custom>
        <worldbody><geom type="plane" size="1 1 1"/><body name="many" pos="0 0 0.0098"><freejoint/>)" +
                              geoms + "</body></worldbody></mujoco>");
  ASSERT_TRUE(m);
  const Data d = MakeData(m);
  d->qvel[0] = 0.05;
  test::Step(m, d, 20);
  ASSERT_EQ(FindRuntime(m.get(), d.get())->last_touches().size(), 9u);
  EXPECT_EQ(Warnings::Text(), "");
}

TEST(Runtime, ANewObjectOnTheSameSpotStartsAfresh) {
  // The block goes, another comes: no force remembered from the first.
  Bench bench;
  bench.world =
      "<body name=\"next\" pos=\"0 0 1\"><freejoint/><geom name=\"next\" type=\"box\" size=\"0.015 0.012 "
      "0.015\" mass=\"1\"/></body>";
  const Model m = MustCompile(bench.xml());
  ASSERT_TRUE(m);
  const Data d = MakeData(m);
  const int block = m->jnt_qposadr[m->body_jntadr[Id(m, mjOBJ_BODY, "block")]],
            next = m->jnt_qposadr[m->body_jntadr[Id(m, mjOBJ_BODY, "next")]];
  const int block_v = m->jnt_dofadr[m->body_jntadr[Id(m, mjOBJ_BODY, "block")]],
            next_v = m->jnt_dofadr[m->body_jntadr[Id(m, mjOBJ_BODY, "next")]];
  for (int i = 0; i < 100; ++i) {
    d->qfrc_applied[block_v] = 2;  // stretched, sticking
    mju_zero(d->qvel + next_v, 6);
    d->qpos[next + 2] = 1;
    mj_step(m.get(), d.get());
  }
  d->qfrc_applied[block_v] = 0;
  mju_copy(d->qpos + next, d->qpos + block, 7);
  d->qpos[block + 2] = 2;
  mju_zero(d->qvel, m->nv);
  mj_forward(m.get(), d.get());
  Runtime* runtime = FindRuntime(m.get(), d.get());
  runtime->ReadForces(m.get(), d.get());
  ASSERT_EQ(runtime->Touches(m.get(), d.get()).size(), 1u);
  const Touch& touch = *runtime->Touches(m.get(), d.get())[0];
  EXPECT_NEAR(touch.wrench.force.z, 9.81, 0.2);
  Vec3 friction;
  for (const Vec3& f : touch.block_friction) friction += f;
  EXPECT_LT(norm(friction), 1e-9);  // that of the first was 2 N
  // And it is held within two steps.
  d->qfrc_applied[next_v] = 2;
  for (int i = 0; i < 200; ++i) {
    d->qpos[block + 2] = 2, mju_zero(d->qvel + block_v, 6);
    mj_step(m.get(), d.get());
  }
  EXPECT_LT(std::fabs(d->qvel[next_v]), 1e-3);
}

TEST(Runtime, FiniteDifferencesLeaveNoTrace) {
  const Model m = MustCompile(Lively().xml());
  ASSERT_TRUE(m);
  const Data a = MakeData(m), b = MakeData(m);
  Kick(a, 1);
  Kick(b, 1);
  test::Step(m, a, 30);
  test::Step(m, b, 30);
  std::vector<mjtNum> A(4 * m->nv * m->nv);
  mjd_transitionFD(m.get(), b.get(), 1e-6, 0, A.data(), nullptr, nullptr, nullptr);
  for (mjtNum x : A) ASSERT_TRUE(std::isfinite(x));
  test::Step(m, a, 30);
  test::Step(m, b, 30);
  // Warm starts differ: the solver's tolerance, 1e-8.
  for (int i = 0; i < m->nq; ++i) EXPECT_NEAR(a->qpos[i], b->qpos[i], 1e-7) << i;
}

TEST(Runtime, ACopyBetweenTheHalvesOfAStepGoesOn) {
  // After mj_step1 the rows are in the data; the copy has never seen their surfaces.
  const Model m = MustCompile(Lively().xml());
  ASSERT_TRUE(m);
  const Data a = MakeData(m);
  Kick(a, 1);
  test::Step(m, a, 30);
  mj_step1(m.get(), a.get());
  const Data b(mj_copyData(nullptr, m.get(), a.get()));
  mj_step2(m.get(), a.get());
  mj_step2(m.get(), b.get());
  test::Step(m, a, 30);
  test::Step(m, b, 30);
  for (int i = 0; i < m->nq; ++i) EXPECT_NEAR(a->qpos[i], b->qpos[i], 1e-6) << i;
}

TEST(Runtime, NothingIsLeftOfDeletedData) {
  const Model m = MustCompile(Lively().xml());
  ASSERT_TRUE(m);
  for (int i = 0; i < 20; ++i) {
    const Data d = MakeData(m);
    Kick(d, i);
    test::Step(m, d, 3);
  }
  const Data d = MakeData(m);
  EXPECT_EQ(FindRuntime(m.get(), d.get())->last_touches().size(), 0u);
}

}  // namespace
}  // namespace taxel::mujoco
