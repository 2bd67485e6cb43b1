// Sensors on soft contact:
//   - the plugin's: wrench on a geom and from one partner, about the geom's origin in its frame; balance of
//     action and reaction; all three couplings
//   - MuJoCo's own: touch and contact read the true force, not that of the helper contacts; accelerometers
//   and
//     force sensors are right
#include "taxel/mujoco/sensors.h"

#include <gtest/gtest.h>

#include <cmath>

#include "taxel/mujoco/engine.h"
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

const mjtNum* Sensor(const Model& m, const Data& d, const char* name) {
  const int id = Id(m, mjOBJ_SENSOR, name);
  EXPECT_GE(id, 0) << name;
  return d->sensordata + m->sensor_adr[id];
}
Vec3 At(const mjtNum* v) { return {v[0], v[1], v[2]}; }

// A tilted world: gravity is oblique to the pad and the block sticks.
Bench Tilted() {
  Bench bench;
  bench.option = "integrator=\"implicitfast\" timestep=\"0.002\" gravity=\"2 -1.5 -9\"";
  bench.material = "<config key=\"dissipation\" value=\"50\"/>";  // so that it comes to rest soon
  bench.rest = R"(<sensor>
      <plugin name="on_pad" plugin="taxel" instance="skin" objtype="geom" objname="pad"/>
      <plugin name="on_block" plugin="taxel" instance="skin" objtype="geom" objname="block"/>
      <plugin name="pad_block" plugin="taxel" instance="skin" objtype="geom" objname="pad" reftype="geom" refname="block"/>
      <plugin name="pad_other" plugin="taxel" instance="skin" objtype="geom" objname="pad" reftype="geom" refname="other"/>
      </sensor>)";
  // A second thing on the same pad, 30 degrees turned in its body.
  bench.world = R"(<body name="other" pos="-0.028 0 0.00499"><freejoint/>
      <geom name="other" type="box" size="0.005 0.01 0.005" mass="0.2" euler="0 0 30"/></body>)";
  return bench;
}

TEST(WrenchSensor, BalancesWeightInTheGeomsFrame) {
  Bench bench = Tilted();
  bench.pad_geom =
      "quat=\"0.7071067811865476 0 0 0.7071067811865476\"";  // the pad's frame is turned by 90 degrees
  bench.side = 0.02;
  const Model m = MustCompile(bench.xml());
  ASSERT_TRUE(m);
  const Data d = MakeData(m);
  test::Step(m, d, 1500);
  mj_forward(m.get(), d.get());
  const Vec3 gravity{2, -1.5, -9};
  const Pose X_pad = GeomPose(d.get(), Id(m, mjOBJ_GEOM, "pad"));
  // Both weights on the pad; each alone when asked.
  EXPECT_LT(norm(X_pad.R * At(Sensor(m, d, "on_pad")) - 1.2 * gravity), 1e-3);
  EXPECT_LT(norm(X_pad.R * At(Sensor(m, d, "pad_block")) - 1.0 * gravity), 1e-3);
  EXPECT_LT(norm(X_pad.R * At(Sensor(m, d, "pad_other")) - 0.2 * gravity), 1e-3);
  const Pose X_block = GeomPose(d.get(), Id(m, mjOBJ_GEOM, "block"));
  EXPECT_LT(norm(X_block.R * At(Sensor(m, d, "on_block")) + 1.0 * gravity), 1e-3);
  // A body at rest: the contact's torque about the centre of mass vanishes. The geom's origin is there.
  EXPECT_LT(norm(At(Sensor(m, d, "on_block") + 3)), 1e-4);
  // The same wrench seen from the pad: torque about its origin.
  const Vec3 arm = X_block.p - X_pad.p;
  EXPECT_LT(norm(X_pad.R * At(Sensor(m, d, "pad_block") + 3) - cross(arm, gravity)), 1e-4);
}

TEST(WrenchSensor, WorksUnderAllCouplings) {
  for (const char* coupling : {"rows", "explicit", "sense"}) {
    Bench bench;
    bench.material =
        std::string("<config key=\"dissipation\" value=\"20\"/><config key=\"coupling\" value=\"") +
        coupling + "\"/><config key=\"scale\" value=\"none\"/>";
    bench.modulus = 1e5;
    bench.option = "integrator=\"Euler\" timestep=\"0.0005\"";
    bench.rest =
        "<sensor><plugin name=\"on_block\" plugin=\"taxel\" instance=\"skin\" objtype=\"geom\" "
        "objname=\"block\"/></sensor>";
    const Model m = MustCompile(bench.xml());
    ASSERT_TRUE(m);
    const Data d = MakeData(m);
    test::Step(m, d, std::string(coupling) == "sense" ? 0 : 4000);
    mj_forward(m.get(), d.get());
    // Sensing only: the block starts at the depth where the pad would carry it.
    EXPECT_NEAR(Sensor(m, d, "on_block")[2], 9.81, 1e-3) << coupling;
  }
}

TEST(WrenchSensor, NothingWithoutContact) {
  Bench bench;
  bench.rest =
      "<sensor><plugin name=\"on_pad\" plugin=\"taxel\" instance=\"skin\" objtype=\"geom\" "
      "objname=\"pad\"/></sensor>";
  const Model m = MustCompile(bench.xml());
  ASSERT_TRUE(m);
  const Data d = MakeData(m);
  test::Step(m, d, 10);
  EXPECT_LT(Sensor(m, d, "on_pad")[2], -1);
  d->qpos[2] = 1;
  mj_forward(m.get(), d.get());
  for (int k = 0; k < 6; ++k) EXPECT_EQ(Sensor(m, d, "on_pad")[k], 0);
}

TEST(WrenchSensor, AfterAStepItIsThatOfTheStep) {
  Bench bench;
  bench.rest =
      "<sensor><plugin name=\"on_block\" plugin=\"taxel\" instance=\"skin\" objtype=\"geom\" "
      "objname=\"block\"/></sensor>";
  const Model m = MustCompile(bench.xml());
  ASSERT_TRUE(m);
  const Data d = MakeData(m);
  d->qvel[0] = 0.2;
  for (int i = 0; i < 30; ++i) {
    const Vec3 before = At(d->qvel);
    mj_step(m.get(), d.get());
    // Newton: m dv = (f + m g) h, for what the step itself did.
    const Pose X = GeomPose(d.get(), Id(m, mjOBJ_GEOM, "block"));
    const Vec3 f = X.R * At(Sensor(m, d, "on_block")), dv = (At(d->qvel) - before) / m->opt.timestep;
    EXPECT_LT(norm(f - (dv + Vec3{0, 0, 9.81})), 1e-2)
        << i;  // axes of the step's start and end differ a little
  }
}

std::string NativeSensors() {
  return R"(<sensor>
      <touch name="touch" site="all"/>
      <contact name="net" geom1="pad" geom2="block" data="force" reduce="netforce"/>
      <contact name="found" geom1="pad" geom2="block" data="found" num="1"/>
      <accelerometer name="acc" site="all"/>
      </sensor>)";
}

TEST(NativeSensors, ReadTheTrueForce) {
  for (const char* integrator : {"Euler", "implicitfast", "discrete"}) {
    Bench bench;
    bench.option = std::string("timestep=\"0.002\" integrator=\"") + integrator + "\"";
    bench.body = "<site name=\"all\" type=\"box\" size=\"0.05 0.05 0.05\"/>";
    bench.rest = NativeSensors();
    const Model m = MustCompile(bench.xml());
    ASSERT_TRUE(m);
    const Data d = MakeData(m);
    test::Step(m, d, 1000);
    // The helper contacts carry a hundred times this in their constant rows.
    EXPECT_NEAR(*Sensor(m, d, "touch"), 9.81, 1e-6 * 9.81) << integrator;
    const mjtNum* net = Sensor(m, d, "net");
    EXPECT_NEAR(std::fabs(net[0]) > 1 ? std::fabs(net[0]) : norm(At(net)), 9.81, 1e-5 * 9.81) << integrator;
    EXPECT_NEAR(Sensor(m, d, "acc")[2], 9.81, 1e-4) << integrator;
    EXPECT_GT(*Sensor(m, d, "found"), 0);
    mj_forward(m.get(), d.get());
    EXPECT_NEAR(*Sensor(m, d, "touch"), 9.81, 1e-6 * 9.81) << integrator << ", forward";
  }
}

TEST(NativeSensors, ReadTheTrueForceWhileSliding) {
  Bench bench;
  bench.body = "<site name=\"all\" type=\"box\" size=\"0.05 0.05 0.05\"/>";
  bench.joint = "<joint type=\"slide\" axis=\"1 0 0\"/><joint type=\"slide\" axis=\"0 0 1\"/>";
  bench.rest = NativeSensors();
  const Model m = MustCompile(bench.xml());
  ASSERT_TRUE(m);
  const Data d = MakeData(m);
  d->qvel[0] = 0.5;
  test::Step(m, d, 10);
  mj_forward(m.get(), d.get());
  const Wrench w = OnlyWrench(m, d);
  ASSERT_LT(w.force.x, -5);
  // touch: the sum of normal forces.
  EXPECT_NEAR(*Sensor(m, d, "touch"), w.force.z, 1e-6 * w.force.z);
  // netforce: all of it, whatever frame it is given in.
  EXPECT_NEAR(norm(At(Sensor(m, d, "net"))), norm(w.force), 1e-5 * norm(w.force));
  EXPECT_NEAR(d->qfrc_constraint[0], w.force.x, 1e-9);
  EXPECT_NEAR(d->qfrc_constraint[1], w.force.z, 1e-9);
}

TEST(NativeSensors, OnlyThoseThatOurContactsReachRunAgain) {
  Bench bench;
  bench.body = "<site name=\"all\" type=\"box\" size=\"0.05 0.05 0.05\"/>";
  bench.world =
      R"(<body name="arm" pos="0.3 0 0"><joint/><geom name="arm" size="0.01"/><site name="away" size="0.1"/>
      <body name="hand" pos="0.1 0 0"><joint/><geom name="hand" size="0.01"/><site name="hand"/></body></body>)";
  bench.rest = R"(<sensor>
      <touch name="away1" site="away"/> <touch name="reached" site="all"/> <touch name="away2" site="hand"/>
      <contact name="with_block" geom1="block" data="force" reduce="netforce"/>
      <contact name="with_hand" subtree1="arm" data="force" reduce="netforce"/>
      <accelerometer name="acc" site="all"/>
      <contact name="pair" body1="block" geom2="pad" data="force" reduce="netforce"/></sensor>)";
  const Model m = MustCompile(bench.xml());
  ASSERT_TRUE(m);
  const Data d = MakeData(m);
  test::Step(m, d, 300);
  mj_forward(m.get(), d.get());
  Runtime* runtime = FindRuntime(m.get(), d.get());
  ASSERT_TRUE(runtime->HasHelpers());
  const std::vector<mjtNum> right(d->sensordata, d->sensordata + m->nsensordata);
  mju_fill(d->sensordata, 77, m->nsensordata);
  RefreshNativeSensors(m.get(), d.get(), 0, runtime);
  for (const char* name : {"reached", "with_block", "pair"}) {
    const int id = Id(m, mjOBJ_SENSOR, name);
    for (int k = m->sensor_adr[id]; k < m->sensor_adr[id] + m->sensor_dim[id]; ++k)
      EXPECT_EQ(d->sensordata[k], right[k]) << name;
  }
  for (const char* name : {"away1", "away2", "with_hand", "acc"}) EXPECT_EQ(*Sensor(m, d, name), 77) << name;
}

TEST(NativeSensors, ContactForcesAddUpToTheWrench) {
  Bench bench;
  const Model m = MustCompile(bench.xml());
  ASSERT_TRUE(m);
  const Data d = MakeData(m);
  d->qvel[0] = 0.1;
  test::Step(m, d, 10);
  mj_forward(m.get(), d.get());
  const Wrench w = OnlyWrench(m, d);
  Vec3 sum;
  for (int i = 0; i < d->ncon; ++i) {
    mjtNum f[6];
    mj_contactForce(m.get(), d.get(), i, f);
    const mjContact& con = d->contact[i];
    EXPECT_LT(std::fabs(f[0]), 20) << "contact " << i;
    for (int k = 0; k < 3; ++k) sum += f[k] * At(con.frame + 3 * k);
  }
  EXPECT_LT(norm(sum - w.force), 1e-9);
}

TEST(NativeSensors, TheForceOnTheBodyIsRight) {
  // cfrc_ext, and a force sensor at the joint of a held pad.
  Bench bench;
  bench.rest = "<sensor><force name=\"joint\" site=\"all\"/></sensor>";
  bench.body = "<site name=\"all\"/>";
  const Model m = MustCompile(bench.xml());
  ASSERT_TRUE(m);
  const Data d = MakeData(m);
  test::Step(m, d, 1000);
  mj_forward(m.get(), d.get());
  const int body = Id(m, mjOBJ_BODY, "block");
  EXPECT_NEAR(d->cfrc_ext[6 * body + 5], 9.81, 1e-5);
}

TEST(NativeSensors, SensorsOfTwoInstancesSpeakOfTheWholeModel) {
  Bench bench = Tilted();
  bench.instances = "<instance name=\"more\"><config key=\"modulus\" value=\"2e6\"/></instance>";
  bench.custom = "<tuple name=\"more\"><element objtype=\"geom\" objname=\"other\"/></tuple>";
  bench.rest = R"(<sensor>
      <plugin name="a" plugin="taxel" instance="skin" objtype="geom" objname="pad"/>
      <plugin name="b" plugin="taxel" instance="more" objtype="geom" objname="pad"/></sensor>)";
  const Model m = MustCompile(bench.xml());
  ASSERT_TRUE(m);
  const Data d = MakeData(m);
  test::Step(m, d, 300);
  ASSERT_GT(std::fabs(Sensor(m, d, "a")[2]), 1);
  for (int k = 0; k < 6; ++k) EXPECT_EQ(Sensor(m, d, "a")[k], Sensor(m, d, "b")[k]);
}

}  // namespace
}  // namespace taxel::mujoco
