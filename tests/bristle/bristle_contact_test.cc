// Bristles pressed by a body, without a solver:
//   - flat press in closed form: every bristle has k times the depth of its tip along the body's normal,
//     whatever pad and body are turned to; a ball: along the ball's normals
//   - along the axis: a tilted plane presses as a layer of columns does, under a ball the force is the
//     gradient of the springs' energy; beyond 60 degrees it stays finite
//   - a body behind the pad is not met, though the probes reach out there; saturated bristles push with the
//     force at their full length, as printed they do not; their core pushes the same way; dead band and curve
//     reach the force
//   - pad as A and as B: opposite forces, the same memory
//   - the totals of the surface are those of the bristles
//   - explicit law: k d + c d', never pulling; friction within the cone, as printed without; steady sliding
//     is F_n mu(v) + c_t v; a load that drops takes friction along
//   - deflections turn with the pad; another partner starts afresh
#include "taxel/bristle/bristle_contact.h"

#include <gtest/gtest.h>

#include <cmath>

#include "contact_scenes.h"

namespace taxel {
namespace {

using test::BoxPad;
using test::ExpectNear;
using test::Options;
using test::PressedFlat;
using test::Stage;
using test::TiltedPose;

// Depth of a point of the pad below the face of the half space.
double DepthOf(const Stage& s, int point) { return -(Inverse(s.X_PT) * s.pad.tip(point)).z; }

TEST(BristleContact, AFlatPressInClosedForm) {
  for (double tilt : {0.0, 0.02, -0.1, 0.4}) {
    for (double depth : {1e-5, 0.0008, 0.003}) {
      for (const Pose& X : {Pose{}, TiltedPose()}) {
        Stage s;
        s.X_WP = X;
        s.X_PT = PressedFlat(depth, tilt);
        s.Find();
        const Vec3 n = (s.X_WP * s.X_PT).R.col(2);  // the half space's, into the pad; the pad is B
        double expected = 0;
        int pressed = 0;
        for (int i = 0; i < s.pad.count(); ++i) {
          const double d = DepthOf(s, i);
          // Deeper than the probe reaches along its own direction: it starts inside.
          const double cosine = -(s.X_PT.R.col(2).z), along = d / cosine;
          const double felt = along < 0.006 ? d : 0.006;
          if (d > 0) expected += 700 * felt, ++pressed;
        }
        double sum = 0;
        for (const PressedBristle& b : s.contact.bristles()) {
          sum += b.elastic;
          EXPECT_NEAR(b.elastic, 700 * b.penetration, 1e-13);
          EXPECT_EQ(b.stiffness, 700);
          if (!b.saturated) {
            EXPECT_NEAR(b.penetration, DepthOf(s, b.point), 1e-15);
            ExpectNear(b.n_W, -n, 1e-14);
          }
        }
        EXPECT_EQ(s.contact.bristles().size(), static_cast<std::size_t>(pressed));
        EXPECT_NEAR(sum, expected, 1e-12 + 1e-12 * expected) << tilt << " " << depth;
      }
    }
  }
}

TEST(BristleContact, ABallPushesAlongItsOwnNormals) {
  const double R = 0.015;
  Stage s;
  s.body = ProbeTarget(Body(Sphere{R}, {}));
  const Vec3 center{0.004, -0.003, 0.004 + R - 0.002};
  s.X_PT = {RotationAbout(normalized({1, 2, 3}), 0.8), center};
  ASSERT_TRUE(s.Find());
  int expected = 0;
  for (int i = 0; i < s.pad.count(); ++i) expected += norm(s.pad.tip(i) - center) < R;
  ASSERT_EQ(s.contact.bristles().size(), static_cast<std::size_t>(expected));
  ASSERT_GT(expected, 4);
  for (const PressedBristle& b : s.contact.bristles()) {
    const Vec3 tip = s.pad.tip(b.point), from = tip - center;
    const double below = std::sqrt(R * R - from.x * from.x - from.y * from.y);  // of the ball, at this probe
    const Vec3 meeting = center + Vec3{from.x, from.y, -below}, n = (meeting - center) / R;
    ExpectNear(b.p_W, s.X_WP * meeting, 1e-15);
    ExpectNear(b.n_W, -(s.X_WP.R * n), 1e-13);
    EXPECT_NEAR(b.penetration, -dot(tip - meeting, n), 1e-15);
  }
}

TEST(BristleContact, AlongTheAxisAPlanePressesAsALayerDoes) {
  for (double tilt : {0.0, 0.1, -0.4, 0.9, 1.2}) {
    Stage s;
    s.options.along_axis = true;
    s.X_PT = PressedFlat(0.0008, tilt);
    ASSERT_TRUE(s.Find());
    const double cosine = -s.X_PT.R.col(2).z, counts = std::max(cosine, kSteepest);
    for (const PressedBristle& b : s.contact.bristles()) {
      if (b.saturated) continue;
      const double rest = DepthOf(s, b.point) / cosine;  // of the bristle, along itself
      EXPECT_NEAR(b.elastic, 700 * rest / counts, 1e-12);
      EXPECT_NEAR(b.stiffness, 700 / (counts * counts), 1e-9);
      EXPECT_NEAR(b.penetration, DepthOf(s, b.point), 1e-15);  // what is told stays what it was
    }
  }
}

// What the springs hold.
double Energy(const Stage& s) {
  double sum = 0;
  for (const PressedBristle& b : s.contact.bristles()) {
    const Vec3 to_tip = s.X_WP * s.pad.tip(b.point) - b.p_W;
    sum += 0.5 * 700 * norm2(to_tip);
  }
  return sum;
}

TEST(BristleContact, AlongTheAxisTheForceIsTheGradientOfTheEnergy) {
  const double R = 0.015;
  Stage s;
  s.options.along_axis = true;
  s.body = ProbeTarget(Body(Sphere{R}, {}));
  const Vec3 center{0.004, -0.003, 0.004 + R - 0.002};
  const auto energy = [&](const Vec3& moved) {
    s.X_PT = {RotationAbout({0, 0, 1}, 0.3), center + moved};
    EXPECT_TRUE(s.Find());
    return Energy(s);
  };
  Vec3 gradient;
  for (int k = 0; k < 3; ++k) {
    Vec3 step;
    step[k] = 1e-9;
    gradient[k] = (energy(step) - energy(-step)) / 2e-9;
  }
  energy({});
  Vec3 force;  // on the pad, which is B
  for (const PressedBristle& b : s.contact.bristles()) force += -b.elastic * TransposeMul(s.X_WP.R, b.n_W);
  EXPECT_LT(norm(force - gradient), 1e-5 * norm(force));
  EXPECT_GT(norm(force), 1);
}

TEST(BristleContact, WhatLiesBehindThePadIsNotMet) {
  // Probes of 20 mm on a pad of 8 mm reach 12 mm out of its back. A body there is no press, near or touching.
  for (const bool mesh : {false, true}) {
    Stage s;
    s.pad = BoxPad(0.02);
    s.options.depth = 0.02;
    s.body = ProbeTarget(mesh ? Body(test::Transformed({}, test::Icosphere(3, 0.015)), {})
                              : Body(Box{{0.05, 0.05, 0.03}}, {}));
    for (double gap : {0.005, 0.001, -0.0005}) {
      s.X_PT = {RotationAbout({0, 0, 1}, 0.3), {0.002, 0.001, -0.004 - gap - 0.015}};
      EXPECT_FALSE(s.Find()) << gap;
      EXPECT_EQ(s.contact.bristles().size(), 0u) << gap;
    }
    // From the front it is.
    s.X_PT.p.z = 0.004 - 0.001 + 0.015;
    EXPECT_TRUE(s.Find());
  }
}

TEST(BristleContact, SaturatedBristles) {
  for (const LuGreForm form : {LuGreForm::kPassive, LuGreForm::kPaper}) {
    Stage s;
    s.options = Options(form);
    s.X_PT = PressedFlat(0.0055, 0.12);  // beyond 6 mm on one side
    ASSERT_TRUE(s.Find());
    const Vec3 down = -(s.X_WP.R * Vec3{0, 0, 1});
    int saturated = 0;
    for (const PressedBristle& b : s.contact.bristles()) {
      if (!b.saturated) continue;
      ++saturated;
      EXPECT_EQ(b.penetration, 0.006);
      ExpectNear(b.n_W, -down, 1e-14);  // the pad is B and is pushed down
      EXPECT_NEAR(b.elastic, form == LuGreForm::kPaper ? 0 : 700 * 0.006, 1e-13);
    }
    EXPECT_EQ(saturated, s.contact.num_saturated());
    EXPECT_GT(saturated, 3);
    EXPECT_LT(saturated, 32);
    // All of them: as printed nothing pushes, and all are told.
    s.X_PT = PressedFlat(0.009, 0.05);
    EXPECT_EQ(s.Find(), form == LuGreForm::kPassive);
    EXPECT_EQ(s.contact.num_saturated(), 35);
    s.contact.Explicit(s.memory.data(), s.partner, s.options.friction, s.Motion({0.1, 0, 0.2}), 1e-3);
    s.Build();
    if (form == LuGreForm::kPaper) {
      EXPECT_EQ(s.SumNormal(), 0);
      EXPECT_TRUE(s.surface.empty());
      EXPECT_TRUE(s.patch.blocks.empty());
    }
  }
}

TEST(BristleContact, TheCorePushesTheWayTheBristlesDo) {
  for (const bool pad_is_A : {false, true}) {
    Stage s;
    s.X_WP = TiltedPose();
    s.pad_is_A = pad_is_A;
    s.X_PT = PressedFlat(0.0055, 0.12);  // flat from 5.85 mm on
    ASSERT_TRUE(s.Find());
    s.Build();
    std::vector<CoreTouch> core;
    s.contact.FindCore(s.patch, 1e-3, &core);
    ASSERT_FALSE(core.empty());
    const Vec3 out = s.X_WP.R * Vec3{0, 0, 1};
    for (const CoreTouch& c : core) {
      ExpectNear(c.n_W, pad_is_A ? -out : out, 1e-14);
      EXPECT_GT(dot(c.n_W, s.patch.mean_normal), 0.9);
      EXPECT_LE(c.gap, 1e-3);
    }
  }
}

TEST(BristleContact, DeadBandAndCurve) {
  Stage s;
  s.options.dead_band = 0.0012;
  s.options.curve = {{0, 0}, {0.0004, 0.1}, {0.002, 0.9}};
  s.X_PT = PressedFlat(0.0015, 0.04);
  ASSERT_TRUE(s.Find());
  int slack = 0;
  for (const PressedBristle& b : s.contact.bristles()) {
    const SpringForce f = ElasticForce(s.options, DepthOf(s, b.point));
    EXPECT_NEAR(b.elastic, f.force, 1e-12);
    EXPECT_EQ(b.stiffness, f.stiffness);
    slack += b.elastic == 0;
  }
  EXPECT_GT(slack, 0);  // pressed, and without force: listed, but no part of the surface
  s.Build();
  EXPECT_EQ(s.surface.num_faces(), static_cast<int>(s.contact.bristles().size()) - slack);
  EXPECT_EQ(s.patch.pieces.size(), s.contact.bristles().size() - slack);
}

TEST(BristleContact, PadAsAAndAsB) {
  for (const LuGreForm form : {LuGreForm::kPassive, LuGreForm::kPaper}) {
    Stage a, b;
    a.pad_is_A = true;
    a.options = b.options = Options(form);
    for (int step = 0; step < 40; ++step) {
      const Vec3 v{0.004 * std::sin(0.3 * step), 0.003 * std::cos(0.2 * step), 0.002 * std::sin(step)};
      for (Stage* s : {&a, &b}) {
        s->X_PT = PressedFlat(0.0012 + 2e-5 * step, 0.03);
        ASSERT_TRUE(s->Find());
        s->ExplicitStep(s->Motion(v, {0.02, -0.01, 0.3}), 1e-3);
      }
      const Wrench na = a.contact.NormalWrench(), nb = b.contact.NormalWrench();
      const Wrench fa = a.contact.FrictionWrench(), fb = b.contact.FrictionWrench();
      ExpectNear(na.force, -nb.force, 1e-13);
      ExpectNear(na.torque, -nb.torque, 1e-13);
      ExpectNear(fa.force, -fb.force, 1e-13);
      ExpectNear(fa.torque, -fb.torque, 1e-13);
      EXPECT_GT(norm(fa.force), 1e-3);
      for (int i = 0; i < a.pad.count(); ++i) ExpectNear(a.memory[i].stretch_O, b.memory[i].stretch_O, 1e-16);
    }
  }
}

TEST(BristleContact, TheSurfaceHasTheTotalsOfTheBristles) {
  for (const bool ball : {false, true}) {
    Stage s;
    if (ball) {
      s.body = ProbeTarget(Body(Sphere{0.02}, {}));
      s.X_PT = {RotationAbout({0, 1, 0}, 0.5), {0.003, 0.002, 0.004 + 0.02 - 0.0025}};
    }
    for (const bool pad_is_A : {false, true}) {
      s.pad_is_A = pad_is_A;
      ASSERT_TRUE(s.Find());
      s.Build();
      double area = 0, force = 0, top = 0;
      Vec3 weighted, moment;
      Wrench w;
      for (const PressedBristle& b : s.contact.bristles()) {
        const double share = s.pad.layout().areas[b.point];
        area += share, force += b.elastic, top = std::max(top, b.elastic / share);
        weighted += share * b.p_W, moment += b.elastic * b.p_W;
        w.force += b.elastic * b.n_W;
        w.torque += cross(b.p_W, b.elastic * b.n_W);
      }
      EXPECT_NEAR(s.surface.area, area, 1e-18);
      EXPECT_NEAR(s.surface.normal_force, force, 1e-14);
      EXPECT_NEAR(s.surface.max_pressure, top, 1e-9);
      ExpectNear(s.surface.centroid, weighted / area, 1e-15);
      ExpectNear(s.surface.center_of_pressure, moment / force, 1e-15);
      ExpectNear(s.surface.wrench_on_A.force, w.force, 1e-14);
      ExpectNear(s.surface.wrench_on_A.torque, w.torque, 1e-14);
      // Its faces are what its totals say: rectangles about the meeting points, wound about their normals.
      for (int f = 0; f < s.surface.num_faces(); ++f) {
        Vec3 twice, middle;
        const int first = s.surface.face_start[f], n = s.surface.face_start[f + 1] - first;
        ASSERT_EQ(n, 4);
        for (int i = 0; i < n; ++i) {
          const Vec3 &p = s.surface.vertices[first + i], &q = s.surface.vertices[first + (i + 1) % n];
          twice += cross(p - s.surface.centroids[f], q - s.surface.centroids[f]);
          middle += 0.25 * p;
        }
        ExpectNear(0.5 * twice, s.surface.areas[f] * s.surface.normals[f], 1e-15);
        ExpectNear(middle, s.surface.centroids[f], 1e-15);
      }
      for (const double g : pad_is_A ? s.surface.gradients_A : s.surface.gradients_B) EXPECT_GT(g, 0);
      for (const double g : pad_is_A ? s.surface.gradients_B : s.surface.gradients_A)
        EXPECT_TRUE(std::isinf(g));
    }
  }
}

TEST(BristleContact, TheExplicitLaw) {
  Stage s;
  ASSERT_TRUE(s.Find());
  const Vec3 n = -(s.X_WP * s.X_PT).R.col(2);   // out of the pad (B) into the body (A)
  for (double speed : {-0.3, 0.0, 0.1, 5.0}) {  // of parting
    const RelativeMotion v{speed * n, {}, {}};
    s.contact.Explicit(s.memory.data(), s.partner, s.options.friction, v, 1e-3);
    for (const PressedBristle& b : s.contact.bristles()) {
      EXPECT_NEAR(b.normal, std::max(0.0, 700 * b.penetration - 3 * speed), 1e-12);
      ExpectNear(b.push_W, b.normal * n, 1e-14);
      EXPECT_LT(norm(b.friction_W), 1e-13);
    }
  }
}

TEST(BristleContact, ExplicitFrictionStaysInTheConeAndReachesSteadySliding) {
  for (const LuGreForm form : {LuGreForm::kPassive, LuGreForm::kPaper}) {
    Stage s;
    s.options = Options(form);
    ASSERT_TRUE(s.Find());
    double beyond = 0;
    for (int step = 0; step < 1400; ++step) {
      // Shaken, then slid at a speed between rest and far beyond Stribeck's.
      const double v = step < 200 ? 0.4 * std::sin(0.7 * step) : 0.03;
      s.ExplicitStep(s.Motion({0.8 * v, -0.6 * v, 0}), 5e-4);
      for (const PressedBristle& b : s.contact.bristles()) {
        EXPECT_NEAR(dot(b.friction_W, b.n_W), 0, 1e-14);
        beyond = std::max(beyond, norm(b.friction_W) / (0.6 * b.normal));
      }
    }
    if (form == LuGreForm::kPassive)
      EXPECT_LE(beyond, 1 + 1e-12);
    else
      EXPECT_GT(beyond, 1.05);
    for (const PressedBristle& b : s.contact.bristles()) {
      const double mu = 0.35 + 0.25 * std::exp(-1.5 * 1.5), expected = b.normal * mu + 0.2 * 0.03;
      EXPECT_NEAR(norm(b.friction_W),
                  form == LuGreForm::kPassive ? std::min(expected, 0.6 * b.normal) : expected, 1e-9);
    }
  }
}

TEST(BristleContact, ALoadThatDropsTakesFrictionAlong) {
  for (const LuGreForm form : {LuGreForm::kPassive, LuGreForm::kPaper}) {
    Stage s;
    s.options = Options(form);
    s.X_PT = PressedFlat(0.002, 0);
    for (int i = 0; i < 3000; ++i) s.Find(), s.ExplicitStep(s.Motion({0.002, 0.001, 0}), 1e-3);
    const double held = norm(s.contact.FrictionWrench().force);
    EXPECT_GT(held, 0.9 * 0.55 * 35 * 1.4);
    s.X_PT = PressedFlat(0.0004, 0);
    s.Find();
    s.ExplicitStep(s.Motion({}), 1e-3);
    const double after = norm(s.contact.FrictionWrench().force), cone = 0.6 * s.SumNormal();
    if (form == LuGreForm::kPassive)
      EXPECT_NEAR(after, cone, 1e-9);
    else
      EXPECT_NEAR(after, 900 * 35 * norm(s.memory[0].stretch_O), 1e-9);  // as printed: it keeps its force
    EXPECT_EQ(after > 2 * cone, form == LuGreForm::kPaper);
  }
}

TEST(BristleContact, DeflectionsTurnWithThePad) {
  Stage s;
  s.X_PT = PressedFlat(0.0015, 0.02);
  for (int i = 0; i < 20; ++i) s.Find(), s.ExplicitStep(s.Motion({0.003, -0.002, 0}), 1e-3);
  s.Find();
  s.contact.Explicit(s.memory.data(), s.partner, s.options.friction, s.Motion({}), 1e-3);
  const Vec3 before = s.contact.FrictionWrench().force;
  ASSERT_GT(norm(before), 1);
  const Pose turn{RotationAbout(normalized({-0.2, 0.9, 0.5}), 2.1), {0.3, -0.1, 0.7}};
  s.X_WP = turn * s.X_WP;
  s.Find();
  s.contact.Explicit(s.memory.data(), s.partner, s.options.friction, s.Motion({}), 1e-3);
  ExpectNear(s.contact.FrictionWrench().force, turn.R * before, 1e-12);
}

TEST(BristleContact, AnotherPartnerStartsAfresh) {
  Stage s;
  for (int i = 0; i < 20; ++i) s.Find(), s.ExplicitStep(s.Motion({0.003, 0, 0}), 1e-3);
  s.Find();
  s.contact.Explicit(s.memory.data(), s.partner + 1, s.options.friction, s.Motion({}), 1e-3);
  EXPECT_LT(norm(s.contact.FrictionWrench().force), 1e-13);
  s.contact.Explicit(s.memory.data(), s.partner, s.options.friction, s.Motion({}), 1e-3);
  EXPECT_GT(norm(s.contact.FrictionWrench().force), 1);
  // Bristles that lift off are not told of, so their caller forgets them.
  s.X_PT = PressedFlat(0.0012, 0.2);
  s.Find();
  s.Remember(s.Motion({}), 1e-3);
  int kept = 0;
  for (const AnchorState& m : s.memory) kept += m.partner == s.partner;
  EXPECT_EQ(kept, static_cast<int>(s.contact.bristles().size()));
  EXPECT_LT(kept, 35);
}

}  // namespace
}  // namespace taxel
