// Bodies that come so fast that no step sees them in a skin:
//   - where a geom will be: turned about its own middle, moved by the velocity there
//   - gaps are the way to the skin and what the layer gives, off the middle, of both models
//   - 16 to 60 mm a step onto 5 and 6 mm: balls, flat and tilted boxes and meshes are caught; a skin that
//   moves, too
//   - what flies past, what leaves and what is slow gets no row
#include "taxel/mujoco/foresee.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "bristle_model.h"

namespace taxel::mujoco {
namespace {

using test::BodyXml;
using test::BristleBench;
using test::Data;
using test::Free;
using test::MakeData;
using test::Model;
using test::MustCompile;
using test::Num;

constexpr double kStep = 5e-3;

// A pad of 40 x 60 x 6 mm with bristles of 5 mm every 2.5 mm, or a layer of its thickness; what falls on it.
std::string Scene(bool bristles, const std::string& objects, const std::string& more = "") {
  BristleBench bench;
  bench.step = kStep;
  bench.gravity = {0, 0, 0};
  bench.objects = objects;
  bench.sensor = false;
  bench.assets =
      "<mesh name=\"wedge\" vertex=\"0.01 0.006 -0.004 -0.01 0.006 -0.004 -0.01 -0.006 -0.004 0.01 -0.006 "
      "-0.004 "
      "0 0 0.008\"/>";
  bench.Set("shape", "16 24").Set("stiffness", "100").Set("sigma0", "100");  // every body stands on many
  if (!bristles) bench.keys = {{"modulus", "1e5"}, {"field", "backed"}};
  bench.pad += " " + more;
  return bench.xml();
}

const std::vector<CoreTouch>& OnlyCore(const Model& m, const Data& d) {
  static const std::vector<CoreTouch> none;
  const auto& touches = FindRuntime(m.get(), d.get())->last_touches();
  EXPECT_LE(touches.size(), 1u);
  return touches.empty() ? none : touches[0]->core;
}

TEST(Foresee, WhereAGeomWillBe) {
  const Pose X{RotationAbout(normalized({1, 2, -1}), 0.7), {0.1, -0.2, 0.3}};
  const RelativeMotion v{{1, -2, 0.5}, {0.3, 0.4, -1.2}, {0.05, 0, 0.1}};
  const Pose after = PoseAfter(X, v, 0.01);
  EXPECT_NEAR(norm(after.p - X.p - 0.01 * v(X.p)), 0, 1e-15);
  EXPECT_LT(RotationDefect(after.R), 1e-12);
  // A point fixed to the geom moves as the field says, but for half the square of the angle (1.3e-2) times
  // its distance from the middle (0.4 m).
  const Vec3 p = {0.02, 0.03, -0.01}, moved = after * (Inverse(X) * p) - p;
  EXPECT_NEAR(norm(moved - 0.01 * v(p)), 0, 3.5e-5);
  EXPECT_EQ(PoseAfter(X, {}, 1.0), X);
}

TEST(Foresee, GapsAreTheWayAndTheLayer) {
  for (const bool bristles : {true, false}) {
    // 9 mm above the skin, bristles are flat at 0.975 of 5 mm, layers of 6.
    const double above = 0.009, layer = 0.975 * (bristles ? 0.005 : 0.006);
    const Model m = MustCompile(Scene(bristles, BodyXml("box", {0.003, -0.004, 0.01 + above}, Free(),
                                                        "type=\"box\" size=\"0.012 0.013 0.01\"", 0.1)));
    ASSERT_TRUE(m);
    const Data d = MakeData(m);
    d->qvel[2] = -4;
    mj_forward(m.get(), d.get());
    const std::vector<CoreTouch>& core = OnlyCore(m, d);
    EXPECT_GE(core.size(), 4u) << "one point would be a hinge";
    for (const CoreTouch& c : core) {
      EXPECT_NEAR(c.gap, above + layer, 1e-9) << bristles;
      EXPECT_NEAR(std::fabs(c.n_W.z), 1, 1e-12);
    }
  }
}

TEST(Foresee, FastBodiesAreCaught) {
  const std::string shapes[] = {"type=\"sphere\" size=\"0.006\"", "type=\"box\" size=\"0.012 0.007 0.003\"",
                                "type=\"box\" size=\"0.012 0.007 0.003\" euler=\"12 -9 20\"",
                                "type=\"ellipsoid\" size=\"0.008 0.011 0.006\" euler=\"10 5 0\"",
                                "type=\"mesh\" mesh=\"wedge\" euler=\"5 8 30\""};
  for (const bool bristles : {true, false})
    for (const std::string& shape : shapes)
      for (const double speed : {3.3, 4.9, 7.0, 11.9}) {
        // Near enough that MuJoCo asks: its own boxes about both must touch, or a margin must reach so far.
        const Model m = MustCompile(Scene(
            bristles, BodyXml("thing", {0.002, -0.003, 0.018}, Free(), shape, 0.05), "margin=\"0.02\""));
        ASSERT_TRUE(m);
        const Data d = MakeData(m);
        d->qvel[2] = -speed;
        double energy = test::Energy(m, d), lowest = HUGE_VAL;
        mj_forward(m.get(), d.get());
        energy = test::Energy(m, d);
        for (int k = 0; k < 30; ++k) {
          mj_step(m.get(), d.get());
          if (std::fabs(d->qpos[0]) < 0.018 && std::fabs(d->qpos[1]) < 0.028)
            lowest = std::min(lowest, d->qpos[2]);
        }
        EXPECT_GT(lowest, -0.006) << bristles << " " << shape << " " << speed;
        EXPECT_LT(test::Energy(m, d), 1.01 * energy) << bristles << " " << shape << " " << speed;
      }
}

TEST(Foresee, ASkinThatMovesCatchesToo) {
  BristleBench bench;
  bench.step = kStep;
  bench.gravity = {0, 0, 0};
  bench.sensor = false;
  bench.pad_body = "<body name=\"hand\"><joint type=\"slide\" axis=\"0 0 1\"/>";
  bench.pad_body_end = "</body>";
  bench.pad += " mass=\"0.2\" margin=\"0.02\"";
  bench.objects =
      BodyXml("ball", {0.002, 0.001, 0.016}, test::UpAndDown(), "type=\"sphere\" size=\"0.005\"", 0.05);
  const Model m = MustCompile(bench.xml());
  ASSERT_TRUE(m);
  const Data d = MakeData(m);
  d->qvel[0] = 5;  // the hand, up
  for (int k = 0; k < 20; ++k) {
    mj_step(m.get(), d.get());
    // The ball stays above the back of the skin.
    ASSERT_GT(0.016 + d->qpos[1] - d->qpos[0], -0.006) << k;
  }
}

TEST(Foresee, WhatDoesNotComeGetsNoRow) {
  struct Case {
    Vec3 at, velocity;
    const char* what;
  };
  const Case cases[] = {{{0.027, 0, 0.018}, {0, 0, -5}, "flies past the rim"},
                        {{0, 0, 0.018}, {0, 0, 5}, "leaves"},
                        {{0, 0, 0.018}, {5, 0, 0}, "flies along the skin"},
                        {{0, 0, 0.018}, {0, 0, -0.7}, "is seen by the next step"},
                        {{0, 0, -0.018}, {0, 0, -5}, "is behind the pad, and leaves"}};
  for (const bool bristles : {true, false})
    for (const Case& c : cases) {
      const Model m =
          MustCompile(Scene(bristles, BodyXml("ball", c.at, Free(), "type=\"sphere\" size=\"0.006\"", 0.05),
                            "margin=\"0.05\""));
      ASSERT_TRUE(m);
      const Data d = MakeData(m);
      for (int k = 0; k < 3; ++k) d->qvel[k] = c.velocity[k];
      mj_forward(m.get(), d.get());
      EXPECT_TRUE(OnlyCore(m, d).empty()) << bristles << ", " << c.what;
    }
}

}  // namespace
}  // namespace taxel::mujoco
