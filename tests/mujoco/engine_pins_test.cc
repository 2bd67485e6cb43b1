// What rows.cc and runtime.cc take for granted about MuJoCo, held in place. A failure here after an
// update of MuJoCo means: the engine changed, look at the mapping before anything else.
//   - a frictionless contact from a collision function: D, aref, under Euler, implicit and implicitfast
//   - a contact whose normal is zero: accepted, J = 0, a constant force; friction bounded by e N0
//   - surfacevel enters aref of the friction rows when flg_surfacevel is set
//   - discrete: the weight of a row, the ratio of its diagonal, the forces; the metric of joints and servos
//   - contacts keep their place after mj_addContact; the timer counts collision passes
//   - plugin advance: after qvel and time have moved on, kinematics still of the old position
//   - attaching drops plugin instances that nothing refers to, and keeps those of bodies
//   - mj_geomDistance uses the collision table, and adds nothing to soft pairs
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>

#include "pinned_contact.h"
#include "taxel/mujoco/engine.h"
#include "taxel/mujoco/rows.h"
#include "test_model.h"

namespace taxel::mujoco {
namespace {

using test::AddTo;
using test::Bench;
using test::Data;
using test::InverseMass;
using test::MakeData;
using test::Model;
using test::Move;
using test::MustCompile;
using test::RowVelocity;
using test::SphereCollision;
using test::TwoBalls;
using test::Warnings;

TEST(EnginePins, FrictionlessContactHasTheDocumentedWeightAndReference) {
  for (const char* integrator : {"Euler", "implicit", "implicitfast"})
    for (double k : {200.0, 5e4}) {
      const Model m =
          MustCompile(TwoBalls(std::string("timestep=\"0.002\" integrator=\"") + integrator + "\""));
      const Data d = MakeData(m);
      RowContext c{0.002, InverseMass(m.get()), m->opt.impratio};
      NormalRow row{{0.003, 0.002, 0.018}, normalized({0.2, 0.1, 0.9}), 1.7, k, 12};
      const mjContact made = MakeNormalContact(row, c);
      SphereCollision collision(
          [&](const mjModel* mm, mjData* dd, int g1, int g2) { AddTo(mm, dd, g1, g2, made); });
      Move(m, d);
      mj_forward(m.get(), d.get());
      ASSERT_EQ(d->ncon, 1) << integrator;
      const int at = d->contact[0].efc_address;
      ASSERT_EQ(d->nefc, 1);
      const double A = c.inverse_mass, imp = made.solimp[0];
      EXPECT_NEAR(d->efc_diagA[at], A, 1e-12 * A);
      EXPECT_NEAR(d->efc_D[at], imp / ((1 - imp) * A), 1e-9 * d->efc_D[at]);
      const double v = RowVelocity(m.get(), d.get(), at), r = made.dist;
      EXPECT_NEAR(v, d->efc_vel[at], 1e-12);
      // K = -solref0 / imp^2, B = -solref1 / imp: MuJoCo's direct format.
      const double K = -made.solref[0] / (imp * imp), B = -made.solref[1] / imp;
      EXPECT_NEAR(d->efc_aref[at], -B * v - K * imp * r, 1e-9 * std::fabs(d->efc_aref[at]));
      // What all this is for: D aref = f - b v.
      const double b = std::max(12.0, 0.002 * k);
      EXPECT_NEAR(d->efc_D[at] * d->efc_aref[at], 1.7 - b * v, 1e-9 * (1.7 + b * std::fabs(v))) << k;
      // The Jacobian's velocity is that of geom 2 relative to geom 1 along the normal.
      EXPECT_NEAR(v, dot(RelativeBodyMotion(m.get(), d.get(), 1, 2)(row.p_W), row.n_W), 1e-12);
    }
}

mjContact Tangent(const mjModel* m, double bound, bool discrete, double stretch = 0, double vx = 0) {
  RowContext c{m->opt.timestep, InverseMass(m), m->opt.impratio, discrete};
  TangentRow row;
  row.p_W = {0.003, 0.002, 0.018};
  MakeFrame(normalized({0.2, 0.1, 0.9}), &row.t1, &row.t2);
  row.stiffness = 4000;
  row.damping = 5;
  row.bound = bound;
  row.stretch[0] = stretch, row.stretch[1] = -0.5 * stretch;
  row.velocity[0] = vx, row.velocity[1] = 0;
  return MakeTangentContact(row, c);
}

TEST(EnginePins, AContactWithoutNormalCarriesAConstantForce) {
  for (const char* integrator : {"Euler", "implicitfast", "discrete"})
    for (double bound : {0.05, 2.0}) {
      const Model m = MustCompile(
          TwoBalls(std::string("timestep=\"0.002\" impratio=\"10\" integrator=\"") + integrator + "\""));
      const Data d = MakeData(m);
      m->flg_surfacevel = 1;
      const mjContact made = Tangent(m.get(), bound, m->opt.integrator == mjINT_DISCRETE);
      SphereCollision collision(
          [&](const mjModel* mm, mjData* dd, int g1, int g2) { AddTo(mm, dd, g1, g2, made); });
      Move(m, d);
      mj_forward(m.get(), d.get());
      ASSERT_EQ(d->ncon, 1);
      const int at = d->contact[0].efc_address;
      ASSERT_GE(at, 0) << "a zero normal is no longer accepted";
      ASSERT_EQ(d->nefc, 3);
      EXPECT_EQ(RowVelocity(m.get(), d.get(), at), 0);
      EXPECT_NE(RowVelocity(m.get(), d.get(), at + 1), 0);
      // N0 = bound / e when sticking; slipping corrects it by less than e^2 / impratio and the residual
      // slope.
      const double e = made.friction[0];
      EXPECT_NEAR(d->efc_force[at] * e, bound, 0.05 * bound) << integrator;
      EXPECT_LE(std::hypot(d->efc_force[at + 1], d->efc_force[at + 2]), bound * 1.001) << integrator;
      mjtNum force[6];
      mj_contactForce(m.get(), d.get(), 0, force);
      EXPECT_NEAR(force[0], d->efc_force[at], 1e-12 * force[0]);
      // The constant force acts on nothing.
      mjtNum expected[20] = {}, rows[3] = {0, d->efc_force[at + 1], d->efc_force[at + 2]};
      mj_mulJacTVec(m.get(), d.get(), expected, rows);
      for (int i = 0; i < m->nv; ++i) EXPECT_NEAR(d->qfrc_constraint[i], expected[i], 1e-9);
    }
}

TEST(EnginePins, FrictionOfAContactWithoutNormalStopsAtTheBound) {
  for (const char* integrator : {"implicitfast", "discrete"}) {
    const Model m =
        MustCompile(TwoBalls(std::string("timestep=\"0.002\" integrator=\"") + integrator + "\""));
    const Data d = MakeData(m);
    m->flg_surfacevel = 1;
    for (double push : {1.0, 100.0}) {
      const double vx = 0.05 * push;
      mj_resetData(m.get(), d.get());
      Vec3 t1, t2;
      MakeFrame(normalized({0.2, 0.1, 0.9}), &t1, &t2);
      for (int k = 0; k < 3; ++k) d->qvel[1 + k] = vx * t1[k];
      const mjContact made = Tangent(m.get(), 0.3, m->opt.integrator == mjINT_DISCRETE, 0, vx);
      SphereCollision collision(
          [&](const mjModel* mm, mjData* dd, int g1, int g2) { AddTo(mm, dd, g1, g2, made); });
      mj_forward(m.get(), d.get());
      const int at = d->contact[0].efc_address;
      // Slip was predicted: the bound is met, whatever the speed.
      EXPECT_NEAR(std::hypot(d->efc_force[at + 1], d->efc_force[at + 2]), 0.3, 0.003)
          << integrator << " " << push;
      EXPECT_LT(d->efc_force[at + 1], 0);
    }
  }
}

TEST(EnginePins, SurfaceVelocityIsABiasOfTheFrictionRows) {
  for (bool flag : {true, false}) {
    const Model m = MustCompile(TwoBalls("timestep=\"0.002\" integrator=\"implicitfast\""));
    const Data d = MakeData(m);
    EXPECT_EQ(m->flg_surfacevel, 0) << "set for no reason";
    m->flg_surfacevel = flag;
    const mjContact made = Tangent(m.get(), 50, false, 2e-5);
    ASSERT_NE(made.surfacevel[0], 0);
    SphereCollision collision(
        [&](const mjModel* mm, mjData* dd, int g1, int g2) { AddTo(mm, dd, g1, g2, made); });
    Move(m, d);
    mj_forward(m.get(), d.get());
    const int at = d->contact[0].efc_address;
    for (int k = 0; k < 2; ++k) {
      const double v = RowVelocity(m.get(), d.get(), at + 1 + k) + (flag ? made.surfacevel[k] : 0);
      const double B = -made.solreffriction[1] / made.solimp[0];
      EXPECT_NEAR(d->efc_aref[at + 1 + k], -B * v, 1e-9 * B * std::fabs(v)) << flag;
      if (flag) {
        // In force: -(k_t s + g v) with g = max(c_t, h k_t).
        const double g = std::max(5.0, 0.002 * 4000), s = k ? -1e-5 : 2e-5;
        EXPECT_NEAR(d->efc_D[at + 1 + k] * d->efc_aref[at + 1 + k],
                    -(4000 * s + g * RowVelocity(m.get(), d.get(), at + 1 + k)), 1e-9);
      }
    }
  }
}

TEST(EnginePins, DiscreteScalesTheDiagonalAndMakesTheRowImplicit) {
  for (double h : {0.002, 0.005}) {
    const Model m = MustCompile(TwoBalls("timestep=\"" + std::to_string(h) + "\" integrator=\"discrete\""));
    const Data d = MakeData(m);
    const double A = InverseMass(m.get());
    NormalRow row{{0.003, 0.002, 0.018}, normalized({0.2, 0.1, 0.9}), 1.7, 3e4, 90};
    RowContext c{h, A, m->opt.impratio, true};
    double rho = 0;
    mjContact made;
    SphereCollision collision([&](const mjModel* mm, mjData* dd, int g1, int g2) {
      std::vector<double> S(mm->nv);
      GuessDiscreteMetric(mm, S.data());
      rho = row.rho = DiscreteDiagonalRatio(mm, dd, S.data(), 1, 2, row.p_W, row.n_W);
      made = MakeNormalContact(row, c);
      AddTo(mm, dd, g1, g2, made);
    });
    Move(m, d);
    mj_forward(m.get(), d.get());
    ASSERT_EQ(d->ncon, 1);
    ASSERT_LT(rho, 0.99);  // the servo and the damper count
    const int at = d->contact[0].efc_address;
    const double imp = made.solimp[0], D = imp / ((1 - imp) * A * rho);
    const double K = -made.solref[0] / imp, B = -made.solref[1] / imp;  // K imp, B
    EXPECT_NEAR(d->efc_D[at], D * (1 + h * B + h * h * K), 1e-6 * d->efc_D[at]) << h;
    const double v = RowVelocity(m.get(), d.get(), at), r = made.dist;
    EXPECT_NEAR(d->efc_aref[at], -((B + h * K) * v + K * r) / (1 + h * B + h * h * K),
                1e-6 * std::fabs(d->efc_aref[at]));
    // In force: f - max(c, h k) v.
    EXPECT_NEAR(d->efc_D[at] * d->efc_aref[at], 1.7 - std::max(90.0, h * 3e4) * v, 1e-5) << h;
  }
}

TEST(EnginePins, DiscreteDiagonalOfChainsThatShareJoints) {
  // Two fingers of a moving hand: the joints of the hand move both and cancel.
  const Model m = MustCompile(R"(
      <mujoco><option integrator="discrete" cone="elliptic" timestep="0.004" gravity="0 0 0"/>
        <worldbody><body><joint name="base" type="slide" axis="0.3 1 0.2" damping="2"/><joint type="hinge" axis="0.2 0 1"/>
          <geom type="box" size="0.03 0.03 0.01" mass="0.4" contype="0" conaffinity="0"/>
          <body pos="0.04 0 0"><joint name="a" axis="0 1 0.3" damping="0.01"/>
            <geom type="capsule" size="0.005" fromto="0 0 0 0 0 0.05" mass="0.1" contype="0" conaffinity="0"/>
            <body pos="0 0 0.05"><joint name="b" axis="0 1 0" armature="0.001"/>
              <geom type="sphere" size="0.022" pos="-0.02 0 0.01" mass="0.05"/></body></body>
          <body pos="-0.04 0 0"><joint name="c" axis="0.1 1 0"/>
            <geom type="sphere" size="0.022" pos="0.021 0.004 0.06" mass="0.08"/></body>
        </body></worldbody>
        <actuator><position joint="a" kp="30" kv="0.3"/><position joint="b" kp="20" kv="0.1" gear="2"/>
          <position joint="c" kp="25"/><position joint="base" kp="500" kv="9"/></actuator>
      </mujoco>)");
  ASSERT_TRUE(m);
  const Data d = MakeData(m);
  double rho = 0;
  mjContact made;
  RowContext c{0.004, 0, 1, true};
  NormalRow row{{0, 0.002, 0.06}, normalized({1, 0.3, -0.2}), 0.7, 5e3, 30};
  SphereCollision collision([&](const mjModel* mm, mjData* dd, int g1, int g2) {
    const int b1 = mm->geom_bodyid[g1], b2 = mm->geom_bodyid[g2];
    c.inverse_mass = mm->body_invweight0[2 * b1] + mm->body_invweight0[2 * b2];
    std::vector<double> S(mm->nv);
    GuessDiscreteMetric(mm, S.data());
    rho = row.rho = DiscreteDiagonalRatio(mm, dd, S.data(), b1, b2, row.p_W, row.n_W);
    made = MakeNormalContact(row, c);
    AddTo(mm, dd, g1, g2, made);
  });
  for (int i = 0; i < m->nv; ++i) d->qvel[i] = 0.1 * (i - 2);
  mj_forward(m.get(), d.get());
  ASSERT_EQ(d->ncon, 1);
  ASSERT_LT(rho, 0.95);
  const int at = d->contact[0].efc_address;
  const double h = 0.004, imp = made.solimp[0], D = imp / ((1 - imp) * c.inverse_mass * rho);
  const double K = -made.solref[0] / imp, B = -made.solref[1] / imp;
  EXPECT_NEAR(d->efc_D[at], D * (1 + h * B + h * h * K), 1e-6 * d->efc_D[at]);
  EXPECT_NEAR(d->efc_D[at] * d->efc_aref[at],
              0.7 - std::max(30.0, h * 5e3) * RowVelocity(m.get(), d.get(), at), 1e-5);
}

TEST(EnginePins, DiscreteMetricOfJointsAndServosIsGuessedRight) {
  const Model m = MustCompile(R"(
      <mujoco><option integrator="discrete" timestep="0.003"/>
        <worldbody>
          <body><joint name="a" type="slide" axis="1 0 0" damping="3" stiffness="70"/><geom size="0.02" mass="0.3"/>
            <body pos="0.1 0 0"><joint name="b" type="hinge" axis="0 1 0" damping="0.02" armature="0.01"/>
              <geom size="0.02" mass="0.2" pos="0.05 0 0"/></body>
          </body>
          <body pos="0 0 1"><joint name="c" type="hinge" axis="0 0 1" stiffness="2"/><geom size="0.02" pos="0.03 0 0" mass="0.1"/></body>
          <body pos="0 0 2"><freejoint/><geom size="0.02" mass="0.1"/></body>
        </worldbody>
        <actuator>
          <position joint="a" kp="900" kv="7"/>
          <position joint="b" kp="40" kv="0.5" gear="3"/>
          <velocity joint="c" kv="0.7"/>
          <motor joint="c"/>
        </actuator>
      </mujoco>)");
  const Data d = MakeData(m);
  mj_forward(m.get(), d.get());
  ASSERT_TRUE(d->efm_active);
  std::vector<double> S(m->nv);
  GuessDiscreteMetric(m.get(), S.data());
  ASSERT_GT(S[0], 0.02);
  for (int i = 0; i < m->nv; ++i)
    EXPECT_NEAR(S[i], d->efm_sdiag[i], 1e-12 + 1e-9 * S[i]) << "degree of freedom " << i;
}

TEST(EnginePins, ContactsKeepTheirPlace) {
  // Native contacts before and after ours, in other pairs, and a broadphase that sorts.
  std::string balls;
  for (int i = 0; i < 6; ++i)
    balls += "<body pos=\"" + std::to_string(0.03 * (5 - i)) + " 0.001 0\"><freejoint/><geom type=\"" +
             (i % 3 == 2 ? "box\" size=\"0.016 0.016 0.016" : "sphere\" size=\"0.016") + "\"/></body>";
  const Model m =
      MustCompile("<mujoco><option cone=\"elliptic\"/><worldbody>" + balls + "</worldbody></mujoco>");
  const Data d = MakeData(m);
  struct Added {
    int at, geom1, geom2;
    double mark;
  };
  std::vector<Added> added;
  SphereCollision collision([&](const mjModel* mm, mjData* dd, int g1, int g2) {
    for (int k = 0; k < 3; ++k) {
      NormalRow row{{0.001 * added.size(), 0, 0}, {1, 0, 0}, 1, 1000, 1};
      const int at = AddTo(mm, dd, g1, g2, MakeNormalContact(row, {0.002, 10, 1}));
      added.push_back({at, g1, g2, row.p_W.x});
    }
  });
  mj_forward(m.get(), d.get());
  ASSERT_GE(added.size(), 6u);
  ASSERT_GT(d->ncon, int(added.size()));
  for (const Added& a : added) {
    ASSERT_LT(a.at, d->ncon);
    EXPECT_EQ(d->contact[a.at].geom[0], a.geom1);
    EXPECT_EQ(d->contact[a.at].geom[1], a.geom2);
    EXPECT_EQ(d->contact[a.at].pos[0], a.mark);
    EXPECT_GE(d->contact[a.at].efc_address, 0);
  }
}

TEST(EnginePins, TheTimerCountsCollisionPasses) {
  const Model m = MustCompile(TwoBalls("timestep=\"0.002\""));
  const Data d = MakeData(m);
  std::vector<int> seen;
  SphereCollision collision(
      [&](const mjModel*, mjData* dd, int, int) { seen.push_back(dd->timer[mjTIMER_POS_COLLISION].number); });
  for (int i = 0; i < 4; ++i) {
    const int before = d->timer[mjTIMER_POS_COLLISION].number;
    if (i % 2)
      mj_forward(m.get(), d.get());
    else
      mj_step(m.get(), d.get());
    EXPECT_EQ(d->timer[mjTIMER_POS_COLLISION].number, before + 1);
    ASSERT_EQ(seen.size(), std::size_t(i + 1));
    EXPECT_EQ(seen.back(), before) << "the number during a pass";
  }
}

// A plugin that looks around when it is told to advance.
struct Seen {
  double qvel = 0, time = 0, xpos = 0;
  int calls = 0, passes = 0;
} seen;

TEST(EnginePins, AdvanceComesAfterVelocityAndTime) {
  static const int slot = [] {
    mjpPlugin p;
    mjp_defaultPlugin(&p);
    p.name = "taxel.test.look";
    p.capabilityflags = mjPLUGIN_PASSIVE;
    p.nstate = [](const mjModel*, int) { return 0; };
    p.init = [](const mjModel*, mjData* d, int instance) {
      d->plugin_data[instance] = 0;
      return 0;
    };
    p.compute = [](const mjModel*, mjData*, int, int) {};
    p.advance = [](const mjModel*, mjData* d, int) {
      seen = {d->qvel[0], d->time, d->xpos[3], seen.calls + 1, d->timer[mjTIMER_POS_COLLISION].number};
    };
    return mjp_registerPlugin(&p);
  }();
  ASSERT_GE(slot, 0);
  for (const char* integrator : {"Euler", "implicitfast", "implicit", "discrete"}) {
    const Model m = MustCompile(
        std::string("<mujoco><option timestep=\"0.01\" integrator=\"") + integrator +
        R"("/><extension><plugin plugin="taxel.test.look"><instance name="x"/></plugin></extension>
        <worldbody><body><joint type="slide" axis="1 0 0"/><geom size="0.1" mass="2"/></body></worldbody>
        </mujoco>)");
    ASSERT_TRUE(m);
    const Data d = MakeData(m);
    d->qvel[0] = 0.3;
    d->qfrc_applied[0] = 4;
    const int before = seen.calls;
    mj_step(m.get(), d.get());
    EXPECT_EQ(seen.calls, before + 1);
    EXPECT_NEAR(seen.qvel, 0.3 + 0.01 * 4 / 2, 1e-12) << integrator;
    EXPECT_NEAR(seen.time, 0.01, 1e-15) << integrator;
    EXPECT_EQ(seen.xpos, 0) << integrator << ": kinematics are those of the step's start";
    EXPECT_EQ(seen.passes, d->timer[mjTIMER_POS_COLLISION].number);
  }
}

TEST(EnginePins, AttachingKeepsOnlyInstancesThatAreReferredTo) {
  // Not ours to change: docs/guide/mujoco.md tells how to write a model that can be attached. Should a
  // release keep them all, that advice can go.
  Register();
  for (const bool referred : {true, false}) {
    char error[1000] = "";
    mjSpec* parent =
        mj_parseXMLString("<mujoco><option cone=\"elliptic\"/></mujoco>", nullptr, error, sizeof(error));
    const std::string xml = std::string(R"(
        <mujoco><extension><plugin plugin="taxel"><instance name="skin"><config key="modulus" value="1e5"/></instance>
          </plugin></extension><custom><tuple name="skin"><element objtype="geom" objname="pad"/></tuple></custom>
          <worldbody><body name="b"><freejoint/>)") +
                            (referred ? "<plugin plugin=\"taxel\" instance=\"skin\"/>" : "") +
                            "<geom name=\"pad\" size=\"0.1\"/></body></worldbody></mujoco>";
    mjSpec* child = mj_parseXMLString(xml.c_str(), nullptr, error, sizeof(error));
    ASSERT_TRUE(parent && child) << error;
    mjsFrame* frame = mjs_addFrame(mjs_findBody(parent, "world"), nullptr);
    ASSERT_TRUE(mjs_attach(frame->element, mjs_findBody(child, "b")->element, "x_", ""));
    const Model m(mj_compile(parent, nullptr));
    ASSERT_TRUE(m) << mjs_getError(parent);
    EXPECT_EQ(m->nplugin, referred ? 1 : 0);
    EXPECT_GE(test::Id(m, mjOBJ_TUPLE, "x_skin"), 0);
    mj_deleteSpec(parent);
    mj_deleteSpec(child);
  }
}

TEST(EnginePins, GeomDistanceIsNativeForSoftPairs) {
  Bench bench;
  bench.joint = "";
  const Model m = MustCompile(bench.xml());
  const Data d = MakeData(m);
  mj_forward(m.get(), d.get());
  const int contacts = d->ncon;
  ASSERT_EQ(contacts, 0);  // welded to the world
  for (double distmax : {0.5, 0.03, 1.0}) {
    mjtNum fromto[6];
    const double distance = mj_geomDistance(m.get(), d.get(), test::Id(m, mjOBJ_GEOM, "pad"),
                                            test::Id(m, mjOBJ_GEOM, "block"), distmax, fromto);
    // Overlap by the static depth.
    EXPECT_NEAR(distance, -bench.depth(), 1e-6) << distmax;
    EXPECT_EQ(d->ncon, contacts);
  }
}

TEST(EnginePins, GeomDistanceDuringContactLeavesContactsAlone) {
  const Model m = MustCompile(Bench{}.xml());
  const Data d = MakeData(m);
  test::Step(m, d, 10);
  mj_forward(m.get(), d.get());
  const int contacts = d->ncon;
  ASSERT_GT(contacts, 15);
  mjtNum fromto[6];
  for (double distmax : {0.0, 0.2}) {
    mj_geomDistance(m.get(), d.get(), test::Id(m, mjOBJ_GEOM, "pad"), test::Id(m, mjOBJ_GEOM, "block"),
                    distmax, fromto);
    EXPECT_EQ(d->ncon, contacts) << "distmax " << distmax;
  }
  ASSERT_EQ(FindRuntime(m.get(), d.get())->Touches(m.get(), d.get()).size(), 1u);
}

TEST(EnginePinsDeathTest, ADistanceSensorDoesNotDisturbContact) {
  // Its cutoff is 0 unless given, which is a margin that a collision pass could have too. In a process of its
  // own: contacts added outside of a pass have no rows, and the engine reads through them.
  const auto same = [] {
    Bench plain, with;
    with.rest = "<sensor><distance name=\"gap\" geom1=\"pad\" geom2=\"block\"/></sensor>";
    const Model m1 = MustCompile(plain.xml()), m2 = MustCompile(with.xml());
    const Data d1 = MakeData(m1), d2 = MakeData(m2);
    d1->qvel[0] = d2->qvel[0] = 0.1;
    test::Step(m1, d1, 50);
    test::Step(m2, d2, 50);
    bool equal = d1->ncon == d2->ncon;
    for (int i = 0; i < m1->nq; ++i) equal &= d1->qpos[i] == d2->qpos[i];
    return equal;
  };
  EXPECT_EXIT(std::exit(same() ? 0 : 1), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace taxel::mujoco
