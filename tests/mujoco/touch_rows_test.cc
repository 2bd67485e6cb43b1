// Touches as rows of the solver:
//   - each block has a normal and a friction contact; what is read back is what the rows carried
//   - the friction's contacts show no normal force to others; the sum is the weight
//   - what a core holds is part of the wrench, and felt by the block in front of it
#include "taxel/mujoco/touch_rows.h"

#include <gtest/gtest.h>

#include "test_model.h"

namespace taxel::mujoco {
using namespace internal;
namespace {

using test::Bench;
using test::Data;
using test::MakeData;
using test::Model;
using test::MustCompile;

TEST(TouchRows, WhatIsReadIsWhatTheRowsCarried) {
  Bench bench;
  bench.material = "<config key=\"dissipation\" value=\"50\"/>";
  bench.option += " gravity=\"1.5 0 -9.81\"";
  const Model m = MustCompile(bench.xml());
  ASSERT_TRUE(m);
  const Data d = MakeData(m);
  test::Step(m, d, 1500);
  mj_forward(m.get(), d.get());
  Runtime* runtime = FindRuntime(m.get(), d.get());
  runtime->ReadForces(m.get(), d.get());
  ASSERT_EQ(runtime->last_touches().size(), 1u);
  const Touch& touch = *runtime->last_touches()[0];
  ASSERT_GE(touch.patch.blocks.size(), 16u);
  Vec3 sum;
  for (std::size_t b = 0; b < touch.patch.blocks.size(); ++b) {
    ASSERT_GE(touch.normal_contact[b], 0);
    ASSERT_GE(touch.tangent_contact[b], 0);
    for (const int contact : {touch.normal_contact[b], touch.tangent_contact[b]}) {
      mjtNum f[6];
      mj_contactForce(m.get(), d.get(), contact, f);
      const mjtNum* frame = d->contact[contact].frame;
      for (int k = 0; k < 3; ++k) sum += f[k] * Vec3{frame[3 * k], frame[3 * k + 1], frame[3 * k + 2]};
      if (contact == touch.tangent_contact[b]) {
        EXPECT_EQ(f[0], 0);
      }
    }
  }
  EXPECT_LT(norm(sum - touch.wrench.force), 1e-12);
  EXPECT_NEAR(touch.wrench.force.z, bench.mass * 9.81, 1e-6);
  EXPECT_NEAR(touch.wrench.force.x, -1.5 * bench.mass, 1e-6);
  EXPECT_LT(touch.friction_force.x, -1);  // the block leans a little: its normals bear some of it
}

TEST(TouchRows, ACoreIsPartOfTheWrench) {
  Bench bench;
  bench.modulus = 3e4, bench.mass = 20;  // far more than the layer carries
  bench.material = "<config key=\"dissipation\" value=\"50\"/>";
  const Model m = MustCompile(bench.xml());
  ASSERT_TRUE(m);
  const Data d = MakeData(m);
  d->qpos[2] = 0.5 * bench.side - 0.9 * bench.thickness;  // within the layer
  test::Step(m, d, 3000);
  mj_forward(m.get(), d.get());
  Runtime* runtime = FindRuntime(m.get(), d.get());
  runtime->ReadForces(m.get(), d.get());
  ASSERT_EQ(runtime->last_touches().size(), 1u);
  const Touch& touch = *runtime->last_touches()[0];
  EXPECT_FALSE(touch.core.empty());
  EXPECT_GT(touch.core_wrench.force.z, 1);
  EXPECT_NEAR(touch.wrench.force.z, bench.mass * 9.81, 1e-3 * bench.mass * 9.81);
  double blocks = 0;
  for (double f : touch.block_normal_force) blocks += f;
  EXPECT_GT(blocks, touch.wrench.force.z - touch.core_wrench.force.z);
}

}  // namespace
}  // namespace taxel::mujoco
