// Bristles in MuJoCo, the physics:
//   - weights of 0.1 to 10 kg at 0.1 to 5 ms, all integrators: the taxels add up to m g; no native contact
//   - a pad leaning by 10 degrees holds what lies on it, without drift
//   - sliding: the acceleration is g (sin - mu(v) cos) - c_t v / m at every step and speed, faster and slower
//   - what the touch says acts is what acts: on both bodies, force and torque; momentum is kept
//   - explicit coupling and rows go to the same motion as the step goes to 0
//   - sensing only leaves the physics alone; as printed, a saturated bristle pushes no more
//   - jaws from both sides hold; what lies behind the pad is not pulled through it
#include <gtest/gtest.h>

#include <cmath>

#include "bristle_model.h"

namespace taxel::mujoco {
namespace {

using test::BodyXml;
using test::BristleBench;
using test::Data;
using test::Free;
using test::Id;
using test::MakeData;
using test::Model;
using test::MustCompile;
using test::Num;
using test::SumOfTaxels;
using test::UpAndDown;
using test::Warnings;

constexpr double kG = 9.81;

TEST(BristleTouch, Weights) {
  for (const char* integrator : {"Euler", "implicit", "implicitfast", "discrete"}) {
    for (double step : {1e-4, 2e-3, 5e-3}) {
      if (step < 1e-3 && integrator != std::string("implicitfast")) continue;  // 10 s of computing each
      for (double mass : {0.1, 1.0, 10.0}) {
        BristleBench bench;
        bench.step = step;
        bench.integrator = integrator;
        const double k = mass > 5 ? 4000 : 1000;
        bench.Set("stiffness", Num(k)).Set("damping", Num(mass > 5 ? 100 : 10));
        // Off the middle, and overhanging in x: it leans. No edge lies on a row of bristles: there it would
        // rock for ever, as a bristle that slips under the edge pushes at once.
        bench.objects = BodyXml("cube", {0.002, -0.003, 0.025 - mass * kG / (48 * k)}, Free(),
                                "type=\"box\" size=\"0.025 0.0205 0.025\"", mass);
        const Model m = MustCompile(bench.xml());
        ASSERT_TRUE(m);
        const Data d = MakeData(m);
        test::Step(m, d, static_cast<int>(1.2 / step));
        EXPECT_NEAR(SumOfTaxels(m, d, 48), mass * kG, 1e-6 * mass * kG)
            << integrator << ", " << step << " s, " << mass << " kg";
        // Ours alone: a normal contact of one row, or a helper without normal axis.
        EXPECT_GT(d->ncon, 0);
        for (int c = 0; c < d->ncon; ++c) {
          const mjContact& con = d->contact[c];
          EXPECT_TRUE(con.dim == 1 || (con.frame[0] == 0 && con.frame[1] == 0 && con.frame[2] == 0));
        }
      }
    }
  }
}

TEST(BristleTouch, ALeaningPadHolds) {
  for (const char* form : {"passive", "paper"}) {
    for (double step : {2e-3, 5e-3}) {
      BristleBench bench;
      bench.step = step;
      bench.Set("form", form);
      bench.pad_body = "<body pos=\"0.1 -0.2 0.3\" axisangle=\"0.6 0.8 0 10\">";
      bench.pad_body_end = "</body>";
      bench.objects =
          "<body pos=\"0.1 -0.2 0.3\" axisangle=\"0.6 0.8 0 10\"><body name=\"slab\" pos=\"0 0 "
          "0.0097\"><freejoint/>"
          "</body></body>";
      // A freejoint belongs to the world: place it by hand.
      bench.objects = BodyXml("slab", {0, 0, 1}, Free(), "type=\"box\" size=\"0.018 0.027 0.01\"", 0.5);
      const Model m = MustCompile(bench.xml());
      ASSERT_TRUE(m);
      const Data d = MakeData(m);
      const double a = 10 * M_PI / 180;
      const Vec3 up = RotationAbout({0.6, 0.8, 0}, a) * Vec3{0, 0, 0.01 - 1e-4};
      d->qpos[0] = 0.1 + up.x, d->qpos[1] = -0.2 + up.y, d->qpos[2] = 0.3 + up.z;
      d->qpos[3] = std::cos(a / 2), d->qpos[4] = 0.6 * std::sin(a / 2), d->qpos[5] = 0.8 * std::sin(a / 2);
      test::Step(m, d, static_cast<int>(1 / step));
      const Vec3 before = test::ToVec3(d->qpos);
      test::Step(m, d, static_cast<int>(1 / step));
      EXPECT_LT(norm(test::ToVec3(d->qpos) - before), 1e-9) << form << " " << step;
      EXPECT_NEAR(SumOfTaxels(m, d, 48), 0.5 * kG * std::cos(a), 1e-6);
    }
  }
}

// A plank on slides along a slope and off it, so that it never leaves the pad.
BristleBench Plank(double degrees, const char* form = "passive") {
  BristleBench bench;
  const double a = degrees * M_PI / 180;
  bench.gravity = {0.8 * kG * std::sin(a), 0.6 * kG * std::sin(a), -kG * std::cos(a)};
  bench.Set("stiffness", "2000").Set("damping", "20").Set("sigma0", "2000").Set("viscosity", "0.002");
  bench.Set("form", form);
  bench.objects = BodyXml("plank", {0, 0, 0.01 - kG * std::cos(a) / 48 / 2000},
                          std::string("<joint type=\"slide\" axis=\"0.8 0.6 0\"/>") + UpAndDown(),
                          "type=\"box\" size=\"0.9 0.8 0.01\"", 1);
  return bench;
}

TEST(BristleTouch, SlidingFasterAndSlower) {
  for (const char* form : {"passive", "paper"}) {
    for (const char* integrator : {"Euler", "implicit", "implicitfast", "discrete"}) {
      for (double step : {2e-4, 2e-3, 5e-3}) {
        for (double degrees : {35.0, 10.0}) {
          BristleBench bench = Plank(degrees, form);
          bench.step = step;
          bench.integrator = integrator;
          const Model m = MustCompile(bench.xml());
          ASSERT_TRUE(m);
          const Data d = MakeData(m);
          d->qvel[0] = degrees > 30 ? 0 : 0.8;
          test::Step(m, d, static_cast<int>(0.2 / step));
          for (int i = 0; i < 12; ++i) {
            const double v = d->qvel[0], a = degrees * M_PI / 180;
            ASSERT_GT(v, 0.15);
            mj_step(m.get(), d.get());
            const double mu = 0.4 + 0.2 * std::exp(-v * v / 0.0025);
            const double expected = kG * (std::sin(a) - mu * std::cos(a)) - 48 * 0.002 * v;
            // 1e-4 g: what the row's cone gives away.
            EXPECT_NEAR((d->qvel[0] - v) / step, expected, 1e-4 * kG)
                << form << ", " << integrator << ", " << step << ", " << degrees;
          }
        }
      }
    }
  }
}

TEST(BristleTouch, WhatIsSaidToActActs) {
  for (const char* coupling : {"rows", "explicit"}) {
    BristleBench bench;
    bench.step = coupling == std::string("rows") ? 2e-3 : 1e-4;
    bench.gravity = {0, 0, 0};
    bench.Set("coupling", coupling);
    // Both bodies are free; a block that spins, slides and leans on a floating pad.
    bench.pad_body =
        "<body name=\"base\" pos=\"0 0 0\"><freejoint/><geom type=\"box\" size=\"0.02 0.03 0.01\" "
        "pos=\"0 0 -0.02\" mass=\"0.4\" contype=\"0\" conaffinity=\"0\"/>";
    bench.pad_body_end = "</body>";
    bench.pad += " mass=\"0.1\"";
    bench.objects =
        BodyXml("cube", {0.001, -0.002, 0.0113}, Free(), "type=\"box\" size=\"0.015 0.017 0.012\"", 0.3);
    const Model m = MustCompile(bench.xml());
    ASSERT_TRUE(m);
    const Data d = MakeData(m);
    d->qvel[6] = 0.1, d->qvel[7] = -0.05, d->qvel[8] = -0.05;
    d->qvel[9] = 0.5, d->qvel[10] = -0.4, d->qvel[11] = 3;
    const auto momentum = [&] {
      mj_forward(m.get(), d.get());
      mj_subtreeVel(m.get(), d.get());
      return 0.8 * test::ToVec3(d->subtree_linvel);
    };
    const Vec3 before = momentum();
    double touched = 0;
    for (int i = 0; i < static_cast<int>(0.06 / bench.step); ++i) {
      mj_step1(m.get(), d.get());
      mj_step2(m.get(), d.get());
      mj_forward(m.get(), d.get());
      Runtime* runtime = FindRuntime(m.get(), d.get());
      const auto& touches = runtime->Touches(m.get(), d.get());
      Wrench w;
      for (const Touch* t : touches) w = t->wrench;
      if (touches.empty()) continue;
      // On the cube: a free joint's force is in the world, its torque about the body's origin in the body's
      // axes.
      const mjtNum* q = (coupling == std::string("rows") ? d->qfrc_constraint : d->qfrc_passive);
      const int cube = Id(m, mjOBJ_GEOM, "cube"), body = Id(m, mjOBJ_BODY, "cube");
      const double sign = touches[0]->geom2 == cube ? 1 : -1;
      const Vec3 force = test::ToVec3(q + 6), at = test::ToVec3(d->xpos + 3 * body);
      Mat3 R;
      for (int k = 0; k < 9; ++k) R.m[k] = d->xmat[9 * body + k];
      const Vec3 torque = R * test::ToVec3(q + 9);
      const double size = norm(force) + 1e-3;
      EXPECT_LT(norm(force - sign * w.force), 1e-9 * size) << coupling << " " << i;
      EXPECT_LT(norm(torque - sign * (w.torque - cross(at, w.force))), 1e-9 * size) << coupling << " " << i;
      EXPECT_LT(norm(force + test::ToVec3(q)), 1e-9 * size);
      touched += norm(force) * bench.step;
    }
    EXPECT_GT(touched, 0.003) << coupling;
    // What is left is the integrator's, of bodies that turn: it goes with the step.
    EXPECT_LT(norm(momentum() - before), 1e-4) << coupling;
  }
}

TEST(BristleTouch, ExplicitAndRowsGoToTheSameMotion) {
  // A ball thrown onto the pad: it lands, slides, spins and begins to roll. (Something with edges would do as
  // well, but whether an edge passes a bristle is a matter of rounding.)
  const auto end = [](const char* coupling, double step, const char* blocks = "16") {
    BristleBench bench;
    bench.step = step;
    bench.sensor = false;
    bench.Set("coupling", coupling).Set("shape", "10 12").Set("stiffness", "300").Set("sigma0", "300");
    bench.Set("damping", "0.6").Set("sigma1", "0.3").Set("blocks", blocks);
    bench.objects = BodyXml("ball", {0.001, 0.002, 0.0155}, Free(), "type=\"sphere\" size=\"0.015\"", 0.2);
    const Model m = MustCompile(bench.xml());
    const Data d = MakeData(m);
    d->qvel[0] = 0.1, d->qvel[1] = -0.05, d->qvel[2] = -0.1, d->qvel[5] = 2;
    test::Step(m, d, static_cast<int>(std::lround(0.1 / step)));
    return test::ToVec3(d->qpos);
  };
  const Vec3 reference = end("explicit", 1e-5);
  EXPECT_LT(norm(end("explicit", 4e-5) - reference), 2e-5);
  // Each bristle a row of its own: nothing but the step is left.
  double before = 1;
  for (double step : {1e-3, 2.5e-4, 6.25e-5}) {
    const double off = norm(end("rows", step, "256") - reference);

    EXPECT_LT(off, 0.5 * before) << step;
    before = off;
  }
  EXPECT_LT(before, 1e-5);
  // Sixteen blocks for 120 bristles, at the steps people use; it slid by 3 mm.
  for (double step : {2e-3, 5e-4}) EXPECT_LT(norm(end("rows", step) - reference), 1e-4) << step;
}

TEST(BristleTouch, SensingLeavesThePhysicsAlone) {
  BristleBench bench;
  bench.objects =
      BodyXml("cube", {0.002, 0.001, 0.012}, Free(), "type=\"box\" size=\"0.015 0.015 0.012\"", 0.4);
  bench.Set("coupling", "sense");
  const Model m = MustCompile(bench.xml());
  std::string plain = bench.xml();
  const std::size_t first = plain.find("<sensor>"), last = plain.find("</sensor>");
  plain.erase(first, last - first + 9);
  const std::size_t custom = plain.find("<custom>"), close = plain.find("</custom>");
  plain.erase(custom, close - custom + 9);
  const std::size_t extension = plain.find("<extension>"), done = plain.find("</extension>");
  plain.erase(extension, done - extension + 12);
  const Model without = MustCompile(plain);
  ASSERT_TRUE(m && without);
  const Data d = MakeData(m), other = MakeData(without);
  d->qvel[0] = other->qvel[0] = 0.3;
  for (int i = 0; i < 200; ++i) {
    mj_step(m.get(), d.get());
    mj_step(without.get(), other.get());
    for (int k = 0; k < m->nq; ++k) ASSERT_EQ(d->qpos[k], other->qpos[k]);
  }
  // MuJoCo's contact leaves them a little way into each other.
  EXPECT_GT(SumOfTaxels(m, d, 48), 0.01);
}

TEST(BristleTouch, SaturatedBristles) {
  for (const bool paper : {false, true}) {
    BristleBench bench;
    if (paper) bench.Set("form", "paper");
    bench.gravity = {0, 0, 0};
    // 7 mm deep on one side, 2 mm on the other.
    bench.objects = BodyXml("plate", {0, 0, 0}, Free(), "type=\"box\" size=\"0.05 0.05 0.02\"", 1);
    const Model m = MustCompile(bench.xml());
    ASSERT_TRUE(m);
    const Data d = MakeData(m);
    const double lean = 0.125;
    d->qpos[2] = 0.02 / std::cos(lean) - 0.0045;
    d->qpos[3] = std::cos(lean / 2), d->qpos[5] = std::sin(lean / 2);
    mj_forward(m.get(), d.get());
    const std::vector<double> data = test::SensorVector(m, d);
    ASSERT_EQ(data.size(), 48u * 5);
    int saturated = 0;
    for (int i = 0; i < 48; ++i) {
      const Vec3 p = test::Sensor(m, d).skin->layout().points[i];
      const bool deep = 0.0045 + p.x * std::tan(lean) > 0.005;
      EXPECT_EQ(data[4 * 48 + i], deep) << i;
      saturated += deep;
      EXPECT_EQ(data[i] > 0, !(deep && paper)) << i;
    }
    EXPECT_GT(saturated, 5);
    EXPECT_LT(saturated, 43);
    // All of them.
    d->qpos[2] -= 0.006;
    mj_forward(m.get(), d.get());
    for (int i = 0; i < 48; ++i) EXPECT_EQ(test::SensorData(m, d)[4 * 48 + i], 1);
    EXPECT_EQ(SumOfTaxels(m, d, 48) > 0, !paper);
  }
}

TEST(BristleTouch, JawsFromBothSidesHold) {
  for (const char* coupling : {"rows", "explicit"}) {
    BristleBench bench;
    bench.step = coupling == std::string("rows") ? 2e-3 : 2e-4;
    bench.sensor = false;
    bench.Set("shape", "").Set("coupling", coupling).Set("friction", "1.2");
    bench.Set("points", "0.008 -0.004 0 0.008 0.004 0 -0.008 -0.004 0 -0.008 0.004 0");
    bench.Set("normals", "1 0 0 1 0 0 -1 0 0 -1 0 0").Set("radius", "0.003");
    bench.pad = "type=\"box\" size=\"0.008 0.01 0.01\"";
    // Two boxes in one mesh, 0.5 mm into the pad on either side.
    std::string vertices, faces;
    for (int side = 0; side < 2; ++side)
      for (int i = 0; i < 8; ++i)
        vertices += Num((side ? 0.0125 : -0.0125) + (i & 1 ? 0.005 : -0.005)) + (i & 2 ? " 0.01" : " -0.01") +
                    (i & 4 ? " 0.01 " : " -0.01 ");
    const int box[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                            {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    for (int side = 0; side < 2; ++side)
      for (const auto& t : box)
        for (int k : t) faces += std::to_string(8 * side + k) + " ";
    bench.assets =
        "<mesh name=\"jaws\" vertex=\"" + vertices + "\" face=\"" + faces + "\" inertia=\"shell\"/>";
    bench.objects =
        "<body><freejoint/><inertial pos=\"0 0 0\" mass=\"0.1\" diaginertia=\"1e-4 1e-4 1e-4\"/>"
        "<geom name=\"jaws\" type=\"mesh\" mesh=\"jaws\"/></body>";
    const Model m = MustCompile(bench.xml());
    ASSERT_TRUE(m);
    const Data d = MakeData(m);
    test::Step(m, d, static_cast<int>(0.5 / bench.step));
    // 0.981 N on four springs of 1000 N/m: 0.25 mm, and what LuGre gave way while it swung in.
    EXPECT_LT(d->qpos[2], -2e-4) << coupling;
    EXPECT_GT(d->qpos[2], -1e-3) << coupling;
    EXPECT_LT(std::fabs(d->qvel[2]), 1e-4) << coupling;
  }
}

TEST(BristleTouch, WhatLiesBehindThePadIsLeftAlone) {
  BristleBench bench;
  bench.gravity = {0, 0, 0};
  bench.Set("depth", "").Set("thickness", "0.006");  // as thick as the pad: probes reach out of its back
  for (double gap : {0.005, 0.001, 0.0001}) {
    bench.objects =
        BodyXml("cube", {0, 0, -0.006 - gap - 0.015}, Free(), "type=\"box\" size=\"0.015 0.015 0.015\"", 1);
    const Model m = MustCompile(bench.xml());
    ASSERT_TRUE(m);
    const Data d = MakeData(m);
    mj_forward(m.get(), d.get());
    EXPECT_EQ(SumOfTaxels(m, d, 48), 0) << gap;
    EXPECT_EQ(d->qacc[2], 0) << gap;
  }
}

}  // namespace
}  // namespace taxel::mujoco
