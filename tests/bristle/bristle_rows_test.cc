// Bristles as rows of a solver:
//   - the blocks of a patch keep force, torque, stiffness, damping and rotational stiffness of the bristles
//   - jaws that close on a pad from both sides: their forces cancel, the blocks stay
//   - what is shared among the bristles adds up to what the blocks got, whatever that is; walls too
//   - steady sliding: the row gives F_n mu(v) + c_t v+ whatever the velocity at the end of the step, both
//   forms
//   - at rest the row is the spring of the deflections, and its bound the cone (as printed: far off)
//   - the bound follows the forces of the last step; the first step after a reset takes the elastic ones
//   - explicit forces and rows agree as h goes to 0, through stick, slip and turning back
#include <gtest/gtest.h>

#include <cmath>

#include "contact_scenes.h"
#include "taxel/bristle/bristle_contact.h"

namespace taxel {
namespace {

using test::BoxPad;
using test::ExpectNear;
using test::Options;
using test::PressedFlat;
using test::Stage;
using Bound = PatchFriction::Bound;

// A pad with many bristles, so that blocks stand for several of them.
Stage Fine(LuGreForm form = LuGreForm::kPassive) {
  Stage s;
  s.pad = BoxPad(0.006, "15 22");
  s.memory.resize(s.pad.count());
  s.options = Options(form);
  s.options.stiffness = 40, s.options.damping = 0.2;
  s.options.friction.sigma0 = 50, s.options.friction.sigma1 = 0.2, s.options.friction.viscosity = 0.01;
  return s;
}

TEST(BristleRows, BlocksKeepTheWrenchAndTheStiffness) {
  for (const bool ball : {false, true}) {
    for (double tilt : {0.0, 0.02, 0.06}) {
      Stage s = Fine();
      s.X_PT = PressedFlat(0.0015, tilt);
      if (ball) {
        s.body = ProbeTarget(Body(Sphere{0.03}, {}));
        s.X_PT = {Mat3{}, {0.003 + 0.05 * tilt, 0.002, 0.004 + 0.03 - 0.002}};
      }
      ASSERT_TRUE(s.Find());
      s.Build();
      ASSERT_GE(s.patch.blocks.size(), 9u);
      ASSERT_LE(s.patch.blocks.size(), 16u);
      Wrench w;
      double stiffness = 0, damping = 0;
      for (const PatchBlock& b : s.patch.blocks) {
        EXPECT_GT(b.force, 0);
        w.force += b.force * b.n_W;
        w.torque += cross(b.p_W, b.force * b.n_W);
        stiffness += b.stiffness, damping += b.damping;
      }
      const Wrench& exact = s.surface.wrench_on_A;
      const double length = 0.02, size = norm(exact.force);
      // On a ball the rounds of the correction leave 2e-5 undone.
      ExpectNear(w.force, exact.force, (ball ? 1e-4 : 1e-9) * size);
      ExpectNear(w.torque - cross(s.surface.center_of_pressure, w.force),
                 exact.torque - cross(s.surface.center_of_pressure, exact.force), 1e-3 * length * size);
      // Each bristle counts with the cosine of its own to the block's normal, squared: within 1 % on this
      // ball.
      const double n = static_cast<double>(s.patch.pieces.size());
      EXPECT_NEAR(stiffness, 40 * n, (ball ? 0.01 : 1e-12) * 40 * n);
      EXPECT_NEAR(damping, 0.2 * n, (ball ? 0.01 : 1e-12) * 0.2 * n);
      // Rotational stiffness about the two axes of the patch, where nothing holds it back.
      if (ball || tilt > 0.03) continue;
      for (const Vec3& axis : {s.patch.axis_u, s.patch.axis_v}) {
        double whole = 0, blocked = 0;
        Vec3 middle, center;
        for (const PatchPiece& p : s.patch.pieces) center += p.p_W / n;
        for (const PatchBlock& b : s.patch.blocks) middle += (b.stiffness / stiffness) * b.p_W;
        for (const PatchPiece& p : s.patch.pieces)
          whole += p.stiffness * std::pow(dot(p.p_W - center, axis), 2);
        for (const PatchBlock& b : s.patch.blocks)
          blocked += b.stiffness * std::pow(dot(b.p_W - middle, axis), 2);
        EXPECT_NEAR(blocked, whole, 1e-9 * whole) << tilt;
      }
    }
  }
}

// A pad with bristles on two opposite sides, between two jaws that are one body.
Stage Clamped(double squeeze, double shift) {
  Stage s;
  Layout layout;
  for (const double y : {-0.004, 0.004})
    for (const double z : {-0.003, 0.0, 0.003})
      for (const double side : {1.0, -1.0}) {  // in turn: alike, they add up to nothing at all
        layout.points.push_back({side * 0.008, y, z});
        layout.normals.push_back({side, 0, 0});
        layout.axes.push_back({0, 1, 0});
        layout.areas.push_back(1e-5);
      }
  s.pad = BristlePoints(layout, 0.005);
  s.memory.assign(s.pad.count(), {});
  const TriangleMesh jaw = Body(Box{{0.01, 0.02, 0.02}}, {}).Surface();
  TriangleMesh jaws = test::Transformed({Mat3{}, {0.013 - squeeze, 0, 0}}, jaw);
  const int offset = static_cast<int>(jaws.vertices.size());
  for (const Vec3& v : jaw.vertices) jaws.vertices.push_back(v - Vec3{0.013 - squeeze, 0, 0});
  for (const auto& [a, b, c] : jaw.triangles) jaws.triangles.push_back({a + offset, b + offset, c + offset});
  s.body = ProbeTarget(Body(jaws, {}));
  s.X_WP = {};
  s.X_PT = {Mat3{}, {shift, 0, 0}};
  return s;
}

TEST(BristleRows, JawsFromBothSidesCancelAndStay) {
  for (double shift : {0.0, 1e-18, 1e-12, 1e-7, 1e-4}) {
    Stage s = Clamped(0.0006, shift);
    ASSERT_TRUE(s.Find());
    ASSERT_EQ(s.contact.bristles().size(), 12u);
    s.Build();
    ASSERT_EQ(s.patch.pieces.size(), 12u) << shift;
    s.contact.Gather(s.patch, s.memory.data(), s.partner, s.options.friction, s.Motion({}), 1e-3,
                     Bound::kElastic);
    Vec3 sum;
    double total = 0, bound = 0;
    for (std::size_t k = 0; k < s.patch.blocks.size(); ++k) {
      const PatchBlock& b = s.patch.blocks[k];
      EXPECT_NEAR(b.force, 700 * (0.0006 + (b.n_W.x > 0 ? 1 : -1) * -shift * (s.pad_is_A ? -1 : 1)), 0.1)
          << shift;
      sum += b.force * b.n_W, total += b.force, bound += s.contact.blocks()[k].bound;
    }
    EXPECT_NEAR(total, 12 * 700 * 0.0006, 1e-6) << shift;
    EXPECT_NEAR(bound, 0.6 * total, 1e-9 * total) << shift;
    ExpectNear(sum, s.surface.wrench_on_A.force, 1e-9 * total, std::to_string(shift));
  }
}

TEST(BristleRows, WhatIsSharedAddsUp) {
  for (const int scene : {0, 1, 2}) {
    Stage s = scene == 2 ? Clamped(0.0006, 1e-4) : Fine(scene ? LuGreForm::kPaper : LuGreForm::kPassive);
    ASSERT_TRUE(s.Find());
    if (scene == 1) {
      s.body = ProbeTarget(Body(Sphere{0.012}, {}));  // normals far apart within a block
      s.X_PT = {Mat3{}, {0.003, 0.002, 0.004 + 0.012 - 0.004}};
      ASSERT_TRUE(s.Find());
    }
    s.Build();
    const RelativeMotion v = s.Motion({0.01, 0.003, 0}, {0, 0.1, 1});
    s.contact.Gather(s.patch, s.memory.data(), s.partner, s.options.friction, v, 1e-3, Bound::kElastic);
    const std::size_t blocks = s.patch.blocks.size();
    std::vector<double> normal(blocks);
    std::vector<Vec3> friction(blocks);
    for (std::size_t k = 0; k < blocks; ++k) {
      normal[k] = s.patch.blocks[k].force * test::Uniform(3, k, 0.2, 2);
      if (k == 1) normal[k] = 0;  // let go
      Vec3 t1, t2;
      MakeFrame(s.patch.blocks[k].n_W, &t1, &t2);
      friction[k] = s.contact.blocks()[k].bound *
                    (test::Uniform(4, k, -0.7, 0.7) * t1 + test::Uniform(5, k, -0.7, 0.7) * t2);
    }
    s.contact.Share(s.patch, s.options.friction, normal.data(), friction.data());
    std::vector<Vec3> push(blocks), rub(blocks);
    std::size_t piece = 0;
    for (const PressedBristle& b : s.contact.bristles()) {
      if (!(b.elastic > 0)) continue;
      const int k = s.patch.pieces[piece++].block;
      push[k] += b.push_W, rub[k] += b.friction_W;
      EXPECT_GE(b.normal, 0);
    }
    Vec3 all;
    for (std::size_t k = 0; k < blocks; ++k) {
      ExpectNear(push[k], normal[k] * s.patch.blocks[k].n_W, 1e-12 * (1 + normal[k]), "normal");
      ExpectNear(rub[k], friction[k], 1e-12 * (1 + norm(friction[k])), "friction");
      all += push[k] + rub[k];
    }
    ExpectNear(all, s.contact.NormalWrench().force + s.contact.FrictionWrench().force, 1e-12);
  }
}

TEST(BristleRows, SteadySlidingWhateverTheNextVelocity) {
  for (const LuGreForm form : {LuGreForm::kPassive, LuGreForm::kPaper}) {
    for (double h : {1e-5, 1e-3, 5e-3}) {
      for (double speed : {0.004, 0.03, 0.3}) {
        Stage s = Fine(form);
        s.X_PT = PressedFlat(0.0015, 0);
        const Vec3 along{-0.6 * speed, 0.8 * speed, 0};
        ASSERT_TRUE(s.Find());
        // Long enough to forget how it began: 40 times z / v.
        const double forget = 40 * 0.6 * 0.06 / 50 / speed;
        for (double t = 0, dt = std::max(h, forget / 300); t < forget; t += dt)
          s.ExplicitStep(s.Motion(along), dt);
        s.Build();
        s.contact.Gather(s.patch, s.memory.data(), s.partner, s.options.friction, s.Motion(along), h,
                         Bound::kLagged);
        double expected = 0;
        for (const PressedBristle& b : s.contact.bristles())
          expected += SteadyFriction(s.options.friction, speed, b.elastic);
        for (double next : {0.5, 0.9, 1.0, 1.1, 2.0}) {
          Vec3 sum;
          for (std::size_t k = 0; k < s.patch.blocks.size(); ++k)
            sum += s.RowForce(static_cast<int>(k), s.Motion(along), s.Motion(next * along));
          const double viscous = 0.01 * (next - 1) * speed * static_cast<double>(s.patch.pieces.size());
          EXPECT_NEAR(norm(sum), expected + viscous, 1e-6 * expected) << h << " " << speed << " " << next;
          EXPECT_LT(dot(sum, s.Motion(along).linear), 0);
        }
      }
    }
  }
}

TEST(BristleRows, AtRestASpringWithinTheCone) {
  for (const LuGreForm form : {LuGreForm::kPassive, LuGreForm::kPaper}) {
    Stage s = Fine(form);
    s.X_PT = PressedFlat(0.0015, 0);
    ASSERT_TRUE(s.Find());
    for (int i = 0; i < 20; ++i) s.ExplicitStep(s.Motion({0.002, 0.001, 0}), 1e-3);
    s.Build();
    const double h = 2e-3;
    s.contact.Gather(s.patch, s.memory.data(), s.partner, s.options.friction, s.Motion({}), h,
                     Bound::kLagged);
    Vec3 row, spring, moved;
    double bound = 0, cone = 0;
    const RelativeMotion v = s.Motion({0, 1e-4, 0});
    for (std::size_t k = 0; k < s.patch.blocks.size(); ++k) {
      const int block = static_cast<int>(k);
      row += s.RowForce(block, s.Motion({}), s.Motion({}));
      moved += s.RowForce(block, s.Motion({}), v) - s.RowForce(block, s.Motion({}), s.Motion({}));
      bound += s.contact.blocks()[k].bound;
    }
    const Mat3 R = s.X_WP.R;
    for (const PressedBristle& b : s.contact.bristles()) {
      spring -= 50 * (R * s.memory[b.point].stretch_O);
      cone += 0.6 * s.memory[b.point].normal_force;
    }
    ExpectNear(row, spring, 1e-9 * norm(spring));
    ASSERT_GT(norm(spring), 0.1);
    const double G = (50 * h + 0.2 + 0.01) * s.pad.count();
    ExpectNear(moved, -G * v.linear, 1e-9 * G * 1e-4);
    if (form == LuGreForm::kPassive)
      EXPECT_NEAR(bound, cone, 1e-12 * cone);
    else
      EXPECT_GT(bound, 5 * cone);
  }
}

TEST(BristleRows, TheBoundFollowsTheLastForces) {
  Stage s = Fine();
  ASSERT_TRUE(s.Find());
  s.Build();
  const auto bound = [&](Bound kind) {
    s.contact.Gather(s.patch, s.memory.data(), s.partner, s.options.friction, s.Motion({}), 1e-3, kind);
    double sum = 0;
    for (const FrictionBlock& b : s.contact.blocks()) sum += b.bound;
    return sum;
  };
  EXPECT_NEAR(bound(Bound::kElastic), 0.6 * s.surface.normal_force, 1e-12);
  EXPECT_EQ(bound(Bound::kLagged), 0);  // it never touched this partner
  s.contact.Explicit(s.memory.data(), s.partner, s.options.friction, s.Motion({0, 0, -0.02}), 1e-3);
  s.Remember(s.Motion({}), 1e-3);
  const double carried = s.SumNormal();
  ASSERT_GT(std::fabs(carried / s.surface.normal_force - 1), 0.02);
  EXPECT_NEAR(bound(Bound::kLagged), 0.6 * carried, 1e-12);
  // Half of the bristles lift off: those that stay take over what the others carried.
  s.X_PT = PressedFlat(0.0008, 0.1);
  ASSERT_TRUE(s.Find());
  ASSERT_LT(s.contact.bristles().size(), 300u);
  s.Build();
  EXPECT_NEAR(bound(Bound::kLagged), 0.6 * carried, 1e-12);
}

TEST(BristleRows, ExplicitAndRowsAgreeAsTheStepVanishes) {
  for (const LuGreForm form : {LuGreForm::kPassive, LuGreForm::kPaper}) {
    double before = 0;
    for (const double h : {4e-4, 1e-4, 2.5e-5}) {
      Stage s = Fine(form);
      s.X_PT = PressedFlat(0.0012, 0);
      double worst = 0, largest = 0;
      for (double t = h; t < 0.08; t += h) {
        const double w = 2 * M_PI * t / 0.05;
        const Vec3 v{0.03 * std::cos(w), 0.02 * std::sin(1.3 * w), 0};
        s.Find();
        s.Build();
        s.contact.Gather(s.patch, s.memory.data(), s.partner, s.options.friction, s.Motion(v), h,
                         t < 1.5 * h ? Bound::kElastic : Bound::kLagged);
        Vec3 rows;
        for (std::size_t k = 0; k < s.patch.blocks.size(); ++k)
          rows += s.RowForce(static_cast<int>(k), s.Motion(v), s.Motion(v));
        s.contact.Explicit(s.memory.data(), s.partner, s.options.friction, s.Motion(v), h);
        const Vec3 reference = s.contact.FrictionWrench().force;
        worst = std::max(worst, norm(rows - reference)), largest = std::max(largest, norm(reference));
        s.Remember(s.Motion(v), h);
      }
      // First order; 3 % of the greatest force at 0.4 ms. The passive damping switches, at different steps.
      EXPECT_LT(worst, 75 * h * largest) << h;
      if (before > 0) {
        EXPECT_LT(worst, 0.5 * before) << h;
      }
      before = worst;
      EXPECT_GT(largest, 0.5);
    }
  }
}

}  // namespace
}  // namespace taxel
