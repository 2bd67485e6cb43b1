// The row mapping:
//   - Implicitness: 1/2 where the step resolves the contact, 1 where it does not, monotone between
//   - a normal row: static force and stiffness whatever the step, the mass and the clamped impedance
//   - a core row: stops a body at its gap, brings it back slowly, never pulls, in every integrator and solver
//   - a tangent row: bound, stiffness, damping, whatever impratio and step
//   - in the engine: a block rests at m g / k; pushes move it by F / k and F / k_t; a push beyond mu N
//   slides;
//     for all integrators, steps, masses and impratios
#include "taxel/mujoco/rows.h"

#include <gtest/gtest.h>

#include <cmath>

#include "pinned_contact.h"
#include "taxel/mujoco/engine.h"
#include "test_model.h"

namespace taxel::mujoco {
namespace {

using test::Bench;
using test::Data;
using test::MakeData;
using test::Model;
using test::MustCompile;

TEST(Implicitness, IsHalfWhereTheStepIsFineAndOneWhereItIsNot) {
  EXPECT_EQ(Implicitness(1e-4, 1e4, 1), 0.5);  // x = 1e-4
  EXPECT_EQ(Implicitness(0.01, 1e4, 1), 1);    // x = 1
  EXPECT_EQ(Implicitness(0.01, 1e9, 1), 1);
  double before = 0;
  for (double x = 1e-3; x < 10; x *= 1.1) {
    const double theta = Implicitness(0.002, x / 4e-6, 1);
    EXPECT_GE(theta, before);
    EXPECT_LE(theta - before, before == 0 ? 1 : 0.06);  // no jump
    before = theta;
  }
}

// What a contact stands for: weight D, stiffness and damping of the force f = -K r - B v.
struct Realised {
  double D, stiffness, damping;
};
Realised Read(const mjContact& con, const RowContext& c, double rho = 1) {
  const double imp = con.solimp[0], D = imp / ((1 - imp) * c.inverse_mass * rho);
  return {D, D * -con.solref[0] / imp, D * -con.solref[1] / imp};
}

TEST(MakeNormalContact, HasTheForceAndStiffnessAskedFor) {
  const Vec3 n = normalized({0.3, -0.5, 0.8});
  for (double h : {1e-4, 0.002, 0.01})
    for (double inverse_mass : {0.01, 1.0, 200.0})
      for (double k : {5.0, 3e3, 2e6})
        for (double damping : {0.0, 40.0})
          for (bool discrete : {false, true}) {
            const RowContext c{h, inverse_mass, 1, discrete};
            NormalRow row{{0.1, 0.2, 0.3}, n, 2.5, k, damping};
            row.rho = discrete ? 0.4 : 1;
            const mjContact con = MakeNormalContact(row, c);
            const Realised r = Read(con, c, row.rho);
            EXPECT_EQ(con.dim, 1);
            EXPECT_GE(con.solimp[0], mjMINIMP);
            EXPECT_LE(con.solimp[0], mjMAXIMP);
            // What the engine cannot weigh (h^2 k / m beyond 1e4) is softer, at the same depth: with the
            // whole force it would give back more than came in.
            const double D = h * std::max(damping, h * k) * inverse_mass;
            if (!discrete && D / (1 + D) > mjMAXIMP) {
              EXPECT_LT(r.stiffness, k);
              EXPECT_NEAR(-con.dist, 2.5 / k, 1e-12);
              EXPECT_NEAR(r.damping, r.D / h, 1e-6 * r.damping);
              continue;
            }
            EXPECT_NEAR(-con.dist * r.stiffness, 2.5, 1e-9);
            EXPECT_NEAR(r.stiffness, k, 1e-9 * k);
            // The end of the step is looked at: max(c, h k). Discrete adds its own h k.
            const double total = r.damping + (discrete ? h * k : 0);
            EXPECT_NEAR(total, std::max(damping, h * k), 1e-6 * total + 1e-9);
            EXPECT_EQ(con.frame[0], n.x);
            EXPECT_EQ(con.pos[2], 0.3);
            // A right-handed frame.
            const Vec3 f0{con.frame[0], con.frame[1], con.frame[2]},
                f1{con.frame[3], con.frame[4], con.frame[5]}, f2{con.frame[6], con.frame[7], con.frame[8]};
            EXPECT_LT(norm(cross(f0, f1) - f2), 1e-12);
          }
}

// A free ball over a fixed one, with a core row between them and nothing else.
TEST(MakeCoreContact, StopsABodyAtItsGapAndBringsItBackSlowly) {
  for (const char* integrator : {"Euler", "implicit", "implicitfast", "discrete"})
    for (const char* solver : {"Newton", "CG", "PGS"})
      for (double gap : {2e-3, 0.0, -3e-3})
        for (double speed : {3.0, 0.1, -0.2}) {
          const Model m =
              MustCompile(std::string("<mujoco><option cone=\"elliptic\" gravity=\"0 0 0\" ") +
                          "timestep=\"0.002\" integrator=\"" + integrator + "\" solver=\"" + solver +
                          "\"/><worldbody><geom type=\"sphere\" size=\"0.02\"/><body pos=\"0.005 0.003 "
                          "0.035\"><freejoint/><geom type=\"sphere\" size=\"0.02\" "
                          "mass=\"0.17\"/></body></worldbody></mujoco>");
          const Data d = MakeData(m);
          const Vec3 n = normalized({0.2, 0.1, 0.9}), p{0.003, 0.002, 0.018};
          const RowContext c{0.002, m->body_invweight0[2], m->opt.impratio,
                             m->opt.integrator == mjINT_DISCRETE};
          const mjContact made = MakeCoreContact({p, n, gap}, c);
          test::SphereCollision collision(
              [&](const mjModel* mm, mjData* dd, int g1, int g2) { test::AddTo(mm, dd, g1, g2, made); });
          for (int i = 0; i < 3; ++i) d->qvel[i] = -speed * n[i] + 0.1 * (i == 0);
          mj_forward(m.get(), d.get());
          ASSERT_EQ(d->ncon, 1);
          const double before = dot(RelativeBodyMotion(m.get(), d.get(), 0, 1)(p), n);
          mj_step(m.get(), d.get());
          const double after = dot(RelativeBodyMotion(m.get(), d.get(), 0, 1)(p), n);
          // It may go as far as the gap within the step; from beyond, it is brought back in a tenth of a
          // second.
          const double least = gap > 0 ? -gap / 0.002 : -gap / kCoreRecoveryTime;
          const double expected = std::max(before, least);
          EXPECT_NEAR(after, expected, 3e-3 * (std::fabs(least) + std::fabs(before)))
              << integrator << " " << solver << ", gap " << gap << ", speed " << speed;
        }
}

TEST(MakeNormalContact, MaterialDampingReplacesTheNumericalOne) {
  const RowContext c{0.001, 2, 1};
  NormalRow row{{}, {0, 0, 1}, 1, 1e4, 0};
  EXPECT_NEAR(Read(MakeNormalContact(row, c), c).damping, 10, 1e-9);
  row.implicitness = 0.5;
  EXPECT_NEAR(Read(MakeNormalContact(row, c), c).damping, 5, 1e-9);
  row.damping = 30;
  EXPECT_NEAR(Read(MakeNormalContact(row, c), c).damping, 30, 1e-9);
}

TEST(MakeNormalContact, SlidingIsLookedAheadAsFarAsTheRowLooks) {
  // Only the numerical part of the damping looks ahead: (b - c) / k seconds.
  for (bool discrete : {false, true}) {
    const RowContext c{0.002, 2, 1, discrete};
    NormalRow row{{}, {0, 0, 1}, 1.5, 1e4, 8};
    const double ahead = (0.002 * 1e4 - 8) / 1e4;
    for (double rate : {0.0, 200.0, -100.0}) {
      row.sliding_rate = rate;
      row.normal_velocity = rate < 0 ? -0.03 : 0.03;
      EXPECT_NEAR(-MakeNormalContact(row, c).dist * 1e4, 1.5 + ahead * rate, 1e-9) << rate;
      // It takes back what the row expects of the normal velocity, at most all of it, and never adds to it.
      row.normal_velocity = rate < 0 ? -0.005 : 0.005;
      EXPECT_NEAR(-MakeNormalContact(row, c).dist * 1e4,
                  1.5 + ahead * (rate == 0  ? 0
                                 : rate > 0 ? 50
                                            : -50),
                  1e-9);
      row.normal_velocity = rate < 0 ? 0.03 : -0.03;
      EXPECT_NEAR(-MakeNormalContact(row, c).dist * 1e4, 1.5, 1e-9) << rate;
    }
    row.normal_velocity = -1e6;
    row.sliding_rate = -1e9;  // never turned around
    EXPECT_GT(-MakeNormalContact(row, c).dist, 0);
    row.damping = 50;  // the material's own damping looks nowhere
    EXPECT_NEAR(-MakeNormalContact(row, c).dist * 1e4, 1.5, 1e-9);
  }
}

TEST(MakeTangentContact, HasTheStiffnessAndBoundAskedFor) {
  for (double h : {5e-4, 0.005})
    for (double impratio : {1.0, 10.0, 100.0})
      for (double inverse_mass : {0.5, 40.0})
        for (double speed : {0.0, 2.0}) {
          const RowContext c{h, inverse_mass, impratio, false};
          TangentRow row;
          row.p_W = {0, 0, 0.1};
          MakeFrame(normalized({0.3, -0.5, 0.8}), &row.t1, &row.t2);
          row.stiffness = 2000, row.damping = 3, row.bound = 0.8;
          row.stretch[0] = 1e-5, row.stretch[1] = -2e-5;
          row.velocity[0] = speed, row.velocity[1] = 0;
          const mjContact con = MakeTangentContact(row, c);
          EXPECT_EQ(con.dim, 3);
          EXPECT_EQ(con.frame[0], 0);
          EXPECT_EQ(con.frame[1], 0);
          EXPECT_EQ(con.frame[2], 0);
          const double imp = con.solimp[0], D = imp / ((1 - imp) * inverse_mass);
          // The engine gives friction rows impratio times the weight.
          const double B = -con.solreffriction[1] / imp, g = std::max(3.0, h * 2000);
          EXPECT_NEAR(D * impratio * B, g, 1e-9 * g);
          EXPECT_NEAR(g * con.surfacevel[0], 2000 * 1e-5, 1e-12);
          EXPECT_NEAR(g * con.surfacevel[1], 2000 * -2e-5, 1e-12);
          // The constant row: N0 e is the bound while sticking; less where the cone's slope adds to it.
          const double N0 = D * (-con.solref[0] / imp) * -con.dist;
          if (speed == 0) {
            EXPECT_NEAR(N0 * con.friction[0], 0.8, 1e-9);
          } else {
            EXPECT_LT(con.friction[0], 0.0101);
            EXPECT_NEAR(N0 * con.friction[0], 0.8, 0.02);
          }
        }
}

TEST(MakeTangentContact, IsFiniteWithoutBound) {
  for (bool discrete : {false, true}) {
    const RowContext c{0.002, 3, 1, discrete};
    TangentRow row{{}, {1, 0, 0}, {0, 1, 0}, 1000, 0, 1e-300, {1e-4, 0}, {10, -10}};
    const mjContact con = MakeTangentContact(row, c);
    EXPECT_TRUE(std::isfinite(con.solref[0]) && std::isfinite(con.dist) && std::isfinite(con.friction[0]));
    EXPECT_GT(con.friction[0], 0);
    EXPECT_LT(con.dist, 0);
  }
}

struct Setting {
  const char* integrator;
  double step, mass;
  const char* impratio;
};
std::vector<Setting> Settings() {
  std::vector<Setting> out;
  for (const char* integrator : {"Euler", "implicit", "implicitfast", "discrete"}) {
    out.push_back({integrator, 0.002, 1, "1"});
    out.push_back({integrator, 0.0005, 0.05, "10"});
    out.push_back({integrator, 0.005, 4, "100"});
  }
  return out;
}
std::string Option(const Setting& s) {
  return std::string("integrator=\"") + s.integrator + "\" timestep=\"" + std::to_string(s.step) +
         "\" impratio=\"" + s.impratio + "\"";
}
std::string Name(const Setting& s) {
  return std::string(s.integrator) + ", step " + std::to_string(s.step) + ", mass " + std::to_string(s.mass) +
         ", impratio " + s.impratio;
}

TEST(Rows, ABlockRestsWhereWeightAndStiffnessSay) {
  for (const Setting& s : Settings()) {
    Bench bench;
    bench.mass = s.mass;
    bench.option = Option(s);
    const Model m = MustCompile(bench.xml());
    ASSERT_TRUE(m);
    const Data d = MakeData(m);
    d->qpos[2] += 0.3 * bench.depth();  // not where it belongs
    test::Step(m, d, static_cast<int>(1 / s.step));
    mj_forward(m.get(), d.get());
    EXPECT_NEAR((0.5 * bench.side - d->qpos[2]) / bench.depth(), 1, 1e-5) << Name(s);
    EXPECT_NEAR(OnlyWrench(m, d).force.z / (s.mass * 9.81), 1, 1e-6) << Name(s);
    EXPECT_LT(std::fabs(d->qvel[2]), 1e-8) << Name(s);
    // Level and in place.
    EXPECT_NEAR(d->qpos[3], 1, 1e-9) << Name(s);
    EXPECT_NEAR(d->qpos[0], 0.004, 1e-8) << Name(s);
  }
}

TEST(Rows, PushesMoveItByForceOverStiffness) {
  for (const Setting& s : Settings()) {
    Bench bench;
    bench.mass = s.mass;
    bench.option = Option(s);
    // Slides only, so that a push at the height of the pad does not tip it.
    bench.joint =
        "<joint type=\"slide\" axis=\"1 0 0\"/><joint type=\"slide\" axis=\"0 1 0\"/><joint type=\"slide\" "
        "axis=\"0 0 1\"/>";
    bench.material = "<config key=\"friction\" value=\"0.8\"/>";
    bench.block_geom = "friction=\"0.8\"";
    const Model m = MustCompile(bench.xml());
    ASSERT_TRUE(m);
    const Data d = MakeData(m);
    const int second = static_cast<int>(1 / s.step);
    const double N = s.mass * 9.81, fx = 0.4 * N, fy = -0.2 * N, fz = -0.5 * N;
    test::Step(m, d, second / 2);
    const double rest[3] = {d->qpos[0], d->qpos[1], d->qpos[2]};
    d->qfrc_applied[0] = fx, d->qfrc_applied[1] = fy;
    test::Step(m, d, second);
    const double kt = 0.7 * bench.stiffness();
    EXPECT_NEAR((d->qpos[0] - rest[0]) / (fx / kt), 1, 2e-3) << Name(s);
    EXPECT_NEAR((d->qpos[1] - rest[1]) / (fy / kt), 1, 2e-3) << Name(s);
    mj_forward(m.get(), d.get());
    EXPECT_NEAR(OnlyWrench(m, d).force.x, -fx, 1e-3 * fx) << Name(s);
    // Back to where it was: nothing crept.
    d->qfrc_applied[0] = d->qfrc_applied[1] = 0;
    test::Step(m, d, second);
    EXPECT_LT(std::fabs(d->qpos[0] - rest[0]), 2e-3 * fx / kt) << Name(s);
    d->qfrc_applied[2] = fz;
    test::Step(m, d, second);
    EXPECT_NEAR((d->qpos[2] - rest[2]) / (fz / bench.stiffness()), 1, 1e-4) << Name(s);
  }
}

TEST(Rows, SlidingFrictionIsMuN) {
  for (const Setting& s : Settings()) {
    Bench bench;
    bench.mass = s.mass;
    bench.option = Option(s);
    bench.joint = "<joint type=\"slide\" axis=\"1 0 0\"/><joint type=\"slide\" axis=\"0 0 1\"/>";
    bench.material = "<config key=\"friction\" value=\"0.3\"/>";
    bench.block_geom = "friction=\"0.3\"";
    const Model m = MustCompile(bench.xml());
    ASSERT_TRUE(m);
    const Data d = MakeData(m);
    const double N = s.mass * 9.81;
    test::Step(m, d, static_cast<int>(0.1 / s.step));
    const double z = d->qpos[1];
    // Accelerates by (F - mu N) / m; 0.05 s keep it on the pad.
    d->qfrc_applied[0] = 0.5 * N;
    const int steps = static_cast<int>(0.04 / s.step);
    test::Step(m, d, steps);
    const double before = d->qvel[0];
    double mean = 0;
    for (int i = 0; i < steps; ++i) {
      mj_step(m.get(), d.get());
      mean += -OnlyWrench(m, d).force.x / steps;
    }
    EXPECT_NEAR(mean / N, 0.3, 3e-3) << Name(s);
    EXPECT_NEAR((d->qvel[0] - before) / (steps * s.step), 0.2 * 9.81, 0.02 * 9.81) << Name(s);
    // It does not ride up.
    EXPECT_NEAR(d->qpos[1], z, 0.01 * bench.depth()) << Name(s);
  }
}

TEST(Rows, SoftPadsKeepTheirShearStiffnessUnderAnyImpratio) {
  // Weights of friction rows so small that the engine's least impedance (mjMINIMP) clamps them.
  for (const char* integrator : {"implicitfast", "discrete"})
    for (const char* impratio : {"1", "100"}) {
      Bench bench;
      bench.modulus = 2e5;
      bench.mass = 2;
      bench.option =
          std::string("timestep=\"0.002\" integrator=\"") + integrator + "\" impratio=\"" + impratio + "\"";
      bench.joint = "<joint type=\"slide\" axis=\"1 0 0\"/><joint type=\"slide\" axis=\"0 0 1\"/>";
      bench.material = "<config key=\"dissipation\" value=\"20\"/>";
      const Model m = MustCompile(bench.xml());
      ASSERT_TRUE(m);
      const Data d = MakeData(m);
      test::Step(m, d, 500);
      const double rest = d->qpos[0], push = 0.4 * 2 * 9.81;
      d->qfrc_applied[0] = push;
      test::Step(m, d, 1500);
      EXPECT_NEAR((d->qpos[0] - rest) / (push / (0.7 * bench.stiffness())), 1, 5e-3)
          << integrator << ", " << impratio;
    }
}

TEST(Rows, AtRestTheRowsCarryTheElasticForceWhateverDrives) {
  // Under `discrete` the metric knows joints, servos and tendons; at rest the force of the rows must be that
  // of the surface, or the depth is wrong.
  struct {
    const char *what, *joint, *rest;
  } drives[] = {
      {"servo", "", "<actuator><position joint=\"z\" kp=\"2e4\" kv=\"60\" ctrlrange=\"-1 1\"/></actuator>"},
      {"geared servo", "", "<actuator><position joint=\"z\" kp=\"500\" kv=\"2\" gear=\"5\"/></actuator>"},
      {"damped spring", "damping=\"80\" stiffness=\"5000\" springref=\"-0.003\"", ""},
      {"tendon servo", "",
       "<tendon><fixed name=\"t\"><joint joint=\"z\" coef=\"2\"/></fixed></tendon>"
       "<actuator><position tendon=\"t\" kp=\"4e3\" kv=\"15\"/></actuator>"},
      {"damped tendon", "",
       "<tendon><fixed name=\"t\" damping=\"30\" stiffness=\"900\" springlength=\"-0.005\"><joint "
       "joint=\"z\" "
       "coef=\"2\"/></fixed></tendon>"},
      {"velocity servo and motor", "",
       "<actuator><velocity joint=\"z\" kv=\"70\"/><motor joint=\"z\"/></actuator>"},
  };
  for (const char* integrator : {"implicitfast", "discrete"})
    for (const auto& drive : drives) {
      Bench bench;
      bench.mass = 0.3;
      bench.option = std::string("timestep=\"0.002\" integrator=\"") + integrator + "\"";
      bench.joint = std::string("<joint name=\"z\" type=\"slide\" axis=\"0 0 1\" armature=\"0.2\" ") +
                    drive.joint + "/>";
      bench.rest = drive.rest;
      bench.material = "<config key=\"dissipation\" value=\"20\"/>";
      const Model m = MustCompile(bench.xml());
      ASSERT_TRUE(m);
      const Data d = MakeData(m);
      for (int i = 0; i < m->nactuator; ++i) d->ctrl[i] = i ? -5 : (m->nactuator > 1 ? 0 : -0.0005);
      test::Step(m, d, 2500);
      mj_forward(m.get(), d.get());
      const Wrench w = OnlyWrench(m, d);
      const Touch& touch = *FindRuntime(m.get(), d.get())->last_touches()[0];
      ASSERT_LT(std::fabs(d->qvel[0]), 1e-7) << integrator << ", " << drive.what;
      EXPECT_GT(w.force.z, 0.3 * 9.81) << integrator << ", " << drive.what;
      EXPECT_NEAR(w.force.z / touch.patch.force, 1, 1e-5) << integrator << ", " << drive.what;
    }
}

TEST(Rows, StaticsDoNotDependOnTheNumberOfBlocks) {
  for (const char* blocks : {"4", "9", "16", "64"}) {
    Bench bench;
    bench.material =
        std::string("<config key=\"dissipation\" value=\"50\"/><config key=\"blocks\" value=\"") + blocks +
        "\"/>";
    // An eccentric weight, at the height of the pad: depth and tilt.
    bench.body =
        "<geom type=\"sphere\" size=\"0.001\" pos=\"0.005 0 -0.015\" mass=\"1\" contype=\"0\" "
        "conaffinity=\"0\"/>";
    const Model m = MustCompile(bench.xml());
    ASSERT_TRUE(m);
    const Data d = MakeData(m);
    test::Step(m, d, 2000);
    mj_forward(m.get(), d.get());
    EXPECT_NEAR(OnlyWrench(m, d).force.z, 2 * 9.81, 1e-4) << blocks;
    // Flat face under p = E depth / T: tilt about y = M / (E I / T - m g h), I = b a^3 / 12, h = 15 mm for
    // the block's own weight. Walls and the lean of the face are of second order.
    const double I = 0.8 * bench.side * std::pow(bench.side, 3) / 12;
    const double tilt = 9.81 * 0.005 / (bench.modulus * I / bench.thickness - 9.81 * 0.5 * bench.side);
    EXPECT_NEAR(2 * d->qpos[5] / tilt, 1, 0.01) << blocks;
  }
}

}  // namespace
}  // namespace taxel::mujoco
