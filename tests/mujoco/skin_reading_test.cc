// Readings of tactile sensors in a simulation:
//   - the taxels carry the force that acts: at rest, sliding, hitting; all couplings; tilted frames; several
//   objects;
//     the sensor on the rigid side; a curved finger; rays
//   - the signal chain lives in plugin_state: copies go on with the same bits, a reset starts afresh, two
//   sensors of
//     one instance have states and noise of their own
//   - rate, pause, on demand; a reading on demand is part of what a copy carries and a reset forgets
//   - truth: centre, area, load and the pose of what presses, in the frame in which meshes were drawn
//   - slip: 1 where it slides, less where it sticks, nothing without contact
#include "taxel/mujoco/skin_reading.h"

#include <gtest/gtest.h>

#include <cmath>

#include "skin_model.h"
#include "taxel/mujoco/c_api.h"

namespace taxel::mujoco {
namespace {

using test::Bench;
using test::Configs;
using test::Data;
using test::ForceOf;
using test::Id;
using test::Keys;
using test::MakeData;
using test::Model;
using test::MustCompile;
using test::Sensor;
using test::SensorData;
using test::SensorVector;
using test::SkinBench;
using test::TouchForce;
using test::TouchSensor;

const Keys kShear = {{"shape", "6 8"}, {"output", "pressure shear"}};
Keys With(Keys keys, const Keys& more) {
  keys.insert(keys.end(), more.begin(), more.end());
  return keys;
}

// The forces of the taxels against those of the touches, after a forward pass.
void ExpectSums(const Model& m, const Data& d, const char* geom, double tolerance, const std::string& what) {
  const Vec3 force = TouchForce(m, d, Id(m, mjOBJ_GEOM, geom));
  const Vec3 taxels = ForceOf(Sensor(m, d), SensorData(m, d));
  EXPECT_LT(norm(taxels - force), tolerance * norm(force) + 1e-12) << what << " " << norm(force);
}

TEST(SkinReading, CarriesTheForceThatActs) {
  for (const auto& [coupling, step] :
       {std::pair{"rows", "0.002"}, {"explicit", "0.0005"}, {"sense", "0.002"}}) {
    Bench bench = SkinBench(kShear);
    bench.modulus = 2e5;
    bench.mass = 0.4;
    bench.pad_geom = "euler=\"0 0 25\" friction=\"0.5\"";
    bench.material += Configs({{"coupling", coupling}});
    bench.option = std::string("integrator=\"implicitfast\" gravity=\"1 -0.5 -9\" timestep=\"") + step + "\"";
    // A ball beside the block.
    bench.world =
        "<body name=\"ball\" pos=\"-0.025 0.01 0.0095\"><freejoint/><geom name=\"ball\" size=\"0.01\" "
        "mass=\"0.1\"/></body>";
    const Model m = MustCompile(bench.xml());
    ASSERT_TRUE(m) << coupling;
    const Data d = MakeData(m);
    // Thrown onto the pad, sideways and spinning.
    const int block = m->jnt_dofadr[m->body_jntadr[Id(m, mjOBJ_BODY, "block")]];
    d->qvel[block] = 0.15, d->qvel[block + 2] = -0.05, d->qvel[block + 5] = 2;
    int touching = 0;
    double greatest = 0;
    for (int i = 0; i < 400; ++i) {
      mj_step(m.get(), d.get());
      if (i % 4) continue;
      mj_forward(m.get(), d.get());
      const double size = norm(TouchForce(m, d, Id(m, mjOBJ_GEOM, "pad")));
      if (size < 0.05) continue;
      ++touching;
      greatest = std::max(greatest, size);
      // Everything lies over the array; the balance is exact.
      ExpectSums(m, d, "pad", 1e-9, std::string(coupling) + " " + std::to_string(i));
    }
    EXPECT_GT(touching, 20) << coupling;
    EXPECT_GT(greatest, 2) << coupling;
  }
}

TEST(SkinReading, AtRestItIsTheWeight) {
  for (const char* coupling : {"rows", "explicit"}) {
    Bench bench = SkinBench(kShear);
    bench.modulus = 2e5;
    bench.material += Configs({{"coupling", coupling}});
    bench.option = "integrator=\"implicitfast\" gravity=\"1.5 -1 -9\" timestep=\"0.0005\"";
    const Model m = MustCompile(bench.xml());
    ASSERT_TRUE(m);
    const Data d = MakeData(m);
    test::Step(m, d, 4000);
    const Vec3 force = ForceOf(Sensor(m, d), SensorData(m, d));
    EXPECT_LT(norm(force - Vec3{1.5, -1, -9}), 1e-4 * 9) << coupling;
  }
}

TEST(SkinReading, TheRigidSideFeelsTheSame) {
  // The sensor on the lower face of the block, which is rigid; the pad is soft.
  Bench bench = SkinBench(With(kShear, {{"face", "-z"}}), "block");
  bench.option = "integrator=\"implicitfast\" gravity=\"1.5 -1 -9\" timestep=\"0.002\"";
  const Model m = MustCompile(bench.xml());
  ASSERT_TRUE(m);
  const Data d = MakeData(m);
  d->qvel[0] = 0.1;
  for (int i = 0; i < 50; ++i) {
    mj_step(m.get(), d.get());
    mj_forward(m.get(), d.get());
    ExpectSums(m, d, "block", 1e-9, std::to_string(i));
  }
  test::Step(m, d, 1000);
  const Vec3 force =
      GeomPose(d.get(), Id(m, mjOBJ_GEOM, "block")).R * ForceOf(Sensor(m, d), SensorData(m, d));
  EXPECT_LT(norm(force - Vec3{-1.5, 1, 9}), 1e-3 * 9);
}

// A soft capsule, tilted, with a hard block lying on it between walls of air.
Bench Finger(const Keys& keys) {
  Bench bench;
  bench.instances =
      "<instance name=\"rubber\">" + Configs({{"modulus", "2e5"}, {"dissipation", "20"}}) + "</instance>";
  bench.custom = "<tuple name=\"rubber\"><element objtype=\"geom\" objname=\"finger\"/></tuple>";
  bench.world =
      "<geom name=\"finger\" type=\"capsule\" size=\"0.012 0.03\" pos=\"0.2 0 0\" euler=\"90 5 20\"/>"
      "<body name=\"plate\" pos=\"0.2 0 0.0165\"><joint type=\"slide\" axis=\"0 0 1\"/>"
      "<joint type=\"slide\" axis=\"1 0 0\" damping=\"1\"/>"
      "<geom name=\"plate\" type=\"box\" size=\"0.03 0.01 0.005\" mass=\"0.3\"/></body>";
  bench.rest = "<sensor>" + TouchSensor("touch", keys, "finger") + "</sensor>";
  return bench;
}

TEST(SkinReading, ACurvedFinger) {
  for (const char* readout : {"exact", "rays"}) {
    const Model m = MustCompile(
        Finger(
            {{"shape", "9 24"}, {"along", "-0.04 0.04"}, {"output", "pressure shear"}, {"readout", readout}})
            .xml());
    ASSERT_TRUE(m);
    const Data d = MakeData(m);
    d->qvel[m->jnt_dofadr[m->body_jntadr[Id(m, mjOBJ_BODY, "plate")]] + 1] = 0.05;
    for (int i = 0; i < 60; ++i) {
      mj_step(m.get(), d.get());
      mj_forward(m.get(), d.get());
      // Rays along the normals see a surface larger than that below it: depth over radius.
      ExpectSums(m, d, "finger", readout[0] == 'e' ? 1e-9 : 0.15, readout);
    }
    EXPECT_GT(norm(ForceOf(Sensor(m, d), SensorData(m, d))), 1);
  }
}

TEST(SkinReading, ASkinOnAPlane) {
  Bench bench;
  bench.instances =
      "<instance name=\"mat\">" + Configs({{"modulus", "1e5"}, {"thickness", "0.01"}}) + "</instance>";
  bench.custom = "<tuple name=\"mat\"><element objtype=\"geom\" objname=\"floor\"/></tuple>";
  bench.world =
      "<geom name=\"floor\" type=\"plane\" size=\"1 1 1\" pos=\"0.1 0.2 -0.2\" euler=\"3 2 40\"/>"
      "<body pos=\"0.11 0.21 -0.192\"><freejoint/><geom name=\"ball\" size=\"0.01\" mass=\"0.3\"/></body>";
  bench.rest = "<sensor>" + TouchSensor("touch", With(kShear, {{"pitch", "0.008"}}), "floor") + "</sensor>";
  const Model m = MustCompile(bench.xml());
  ASSERT_TRUE(m);
  const Data d = MakeData(m);
  for (int i = 0; i < 20; ++i) {
    mj_step(m.get(), d.get());
    mj_forward(m.get(), d.get());
    ExpectSums(m, d, "floor", 1e-9, std::to_string(i));
  }
  EXPECT_GT(norm(ForceOf(Sensor(m, d), SensorData(m, d))), 0.5);
}

const Keys kRemembers = {{"noise", "0 50"},
                         {"hysteresis", "0.05 2e4"},
                         {"creep", "0.1 0.3"},
                         {"delay", "0.02"},
                         {"drift_offset", "100"}};

TEST(SkinReading, CopiesGoOnAndResetsStartAfresh) {
  for (const char* coupling : {"rows", "explicit", "sense"}) {
    Bench bench = SkinBench(With(kShear, kRemembers));
    bench.modulus = 2e5;
    bench.material += Configs({{"coupling", coupling}});
    bench.option = "integrator=\"implicitfast\" timestep=\"0.0005\"";
    const Model m = MustCompile(bench.xml());
    ASSERT_TRUE(m);
    const Data a = MakeData(m), b = MakeData(m);
    a->qvel[0] = 0.1;
    test::Step(m, a, 60);
    // Twice: into a data that never ran, and into one that did.
    for (int round = 0; round < 2; ++round) {
      mj_copyData(b.get(), m.get(), a.get());
      for (int i = 0; i < 50; ++i) {
        test::Step(m, a, 1);
        test::Step(m, b, 1);
        ASSERT_EQ(SensorVector(m, a), SensorVector(m, b)) << coupling << i;
      }
      for (int i = 0; i < m->npluginstate; ++i) ASSERT_EQ(a->plugin_state[i], b->plugin_state[i]) << coupling;
    }
    // Between the halves of a step.
    mj_step1(m.get(), a.get());
    mj_copyData(b.get(), m.get(), a.get());
    mj_step2(m.get(), a.get());
    mj_step2(m.get(), b.get());
    test::Step(m, a, 3);
    test::Step(m, b, 3);
    EXPECT_EQ(SensorVector(m, a), SensorVector(m, b)) << coupling;

    const Data fresh = MakeData(m);
    mj_resetData(m.get(), a.get());
    for (int i = 0; i < m->npluginstate; ++i) EXPECT_EQ(a->plugin_state[i], 0);
    test::Step(m, a, 40);
    test::Step(m, fresh, 40);
    EXPECT_EQ(SensorVector(m, a), SensorVector(m, fresh)) << coupling;
  }
}

TEST(SkinReading, TwoSensorsOfOneInstance) {
  Bench bench;
  bench.material = Configs({{"dissipation", "30"}});
  bench.instances = "<instance name=\"tips\">" +
                    Configs({{"shape", "4 5"}, {"face", "+z"}, {"noise", "0 30"}, {"creep", "0.5 0.05"}}) +
                    "</instance>";
  const std::string sensor = "plugin=\"taxel\" instance=\"tips\" objtype=\"geom\" objname=\"";
  bench.rest =
      "<sensor><plugin name=\"a\" " + sensor + "pad\"/><plugin name=\"b\" " + sensor + "block\"/></sensor>";
  const Model m = MustCompile(bench.xml());
  ASSERT_TRUE(m);
  const Data d = MakeData(m);
  test::Step(m, d, 50);
  const std::vector<double> a = SensorVector(m, d, "a"), b = SensorVector(m, d, "b");
  // Nothing touches the top of the block: only noise, and another one than the pad's.
  double load = 0, least = 1e9;
  for (int i = 0; i < 20; ++i) {
    EXPECT_LT(std::fabs(b[i]), 200);
    EXPECT_NE(a[i], b[i]);
    load = std::max(load, a[i]);
    least = std::min(least, std::fabs(b[i] - a[i]));
  }
  EXPECT_GT(load, 5000);
  EXPECT_GT(least, 0);
}

TEST(SkinReading, RateHoldsAndPauseStops) {
  Bench bench = SkinBench(With(kShear, {{"rate", "100"}, {"output", "pressure slip truth"}}));
  bench.rest = "<sensor>" +
               TouchSensor("touch", {{"shape", "6 8"}, {"rate", "100"}, {"output", "pressure slip truth"}}) +
               "</sensor>";
  const Model m = MustCompile(bench.xml());
  ASSERT_TRUE(m);
  const Data d = MakeData(m);
  d->qvel[2] = -0.05;
  std::vector<double> last;
  int changes = 0;
  for (int i = 0; i < 100; ++i) {
    mj_step(m.get(), d.get());
    const std::vector<double> now = SensorVector(m, d);
    // Steps of 2 ms at 100 Hz: every fifth.
    EXPECT_TRUE(i % 5 == 0 || now == last) << i;
    changes += now != last;
    last = now;
  }
  EXPECT_EQ(changes, 20);
  EXPECT_EQ(taxel_skin_pause(m.get(), d.get(), 0, -1), 0);
  EXPECT_EQ(taxel_skin_pause(m.get(), d.get(), 0, 1), 0);
  EXPECT_EQ(taxel_skin_pause(m.get(), d.get(), 0, -1), 1);
  d->xfrc_applied[6 * Id(m, mjOBJ_BODY, "block") + 2] = -5;
  test::Step(m, d, 100);
  EXPECT_EQ(SensorVector(m, d), last);
  EXPECT_EQ(taxel_skin_pause(m.get(), d.get(), 0, 0), 1);
  test::Step(m, d, 10);
  EXPECT_NE(SensorVector(m, d), last);
  // The pause is state: a copy sleeps too, a reset wakes.
  taxel_skin_pause(m.get(), d.get(), 0, 1);
  const Data other = MakeData(m);
  mj_copyData(other.get(), m.get(), d.get());
  EXPECT_EQ(taxel_skin_pause(m.get(), other.get(), 0, -1), 1);
  mj_resetData(m.get(), d.get());
  EXPECT_EQ(taxel_skin_pause(m.get(), d.get(), 0, -1), 0);
}

std::vector<double> ReadNow(const Model& m, const Data& d) {
  std::vector<double> out(Sensor(m, d).num_data());
  double felt[10];
  char error[200];
  EXPECT_EQ(taxel_skin_read(nullptr, m.get(), d.get(), 0, out.data(), felt, error, sizeof(error)), 0)
      << error;
  return out;
}

TEST(SkinReading, OnDemand) {
  const Keys keys =
      With({{"shape", "6 8"}, {"on_demand", "true"}}, {{"creep", "0.5 0.05"}, {"noise", "0 10"}});
  const Model m = MustCompile(SkinBench(keys).xml());
  ASSERT_TRUE(m);
  const Data d = MakeData(m), untouched = MakeData(m);
  for (int i = 0; i < 30; ++i) {
    for (const Data* x : {&d, &untouched}) mj_step(m.get(), x->get());
    const std::vector<double> reading = ReadNow(m, d);
    EXPECT_EQ(reading, ReadNow(m, d));  // asked twice, told twice
    EXPECT_GT(*std::max_element(reading.begin(), reading.end()), 100);
    for (int k = 0; k < m->nsensordata; ++k) EXPECT_EQ(d->sensordata[k], 0);
  }
  // The physics does not know of it.
  for (int k = 0; k < m->nq; ++k) EXPECT_EQ(d->qpos[k], untouched->qpos[k]);
  // A reading moves the chain at the end of the step. A copy made in between does the same,
  const Data twin = MakeData(m);
  mj_copyData(twin.get(), m.get(), d.get());
  for (const Data* x : {&d, &twin}) mj_step(m.get(), x->get());
  for (int k = 0; k < m->npluginstate; ++k) ASSERT_EQ(d->plugin_state[k], twin->plugin_state[k]) << k;
  // and a reset forgets it.
  ReadNow(m, d);
  mj_resetData(m.get(), d.get());
  const Data fresh = MakeData(m);
  for (const Data* x : {&d, &fresh}) mj_step(m.get(), x->get());
  for (int k = 0; k < m->npluginstate; ++k) ASSERT_EQ(d->plugin_state[k], fresh->plugin_state[k]) << k;
}

TEST(SkinReading, BeforeTheSolverNothingOfTheLastStepIsLeft) {
  const Model m = MustCompile(SkinBench(With(kShear, {{"on_demand", "true"}})).xml());
  ASSERT_TRUE(m);
  const Data d = MakeData(m);
  d->qvel[0] = 0.2;
  test::Step(m, d, 20);
  ASSERT_GT(norm(ForceOf(Sensor(m, d), ReadNow(m, d).data())), 5);
  // Positions and contacts are new, forces are not there yet.
  mj_fwdPosition(m.get(), d.get());
  EXPECT_EQ(norm(ForceOf(Sensor(m, d), ReadNow(m, d).data())), 0);
  mj_forward(m.get(), d.get());
  EXPECT_GT(norm(ForceOf(Sensor(m, d), ReadNow(m, d).data())), 5);
}

// A wedge far from its file's origin.
const char* const kWedge =
    "<asset><mesh name=\"wedge\" vertex=\"0.1 0.2 0.3  0.12 0.2 0.3  0.1 0.22 0.3  0.12 0.22 0.3  0.1 0.2 "
    "0.32  "
    "0.12 0.2 0.31\" face=\"0 2 1 1 2 3 0 1 4 1 5 4 0 4 2 2 4 5 2 5 3 1 3 5\"/></asset>";

TEST(SkinReading, TheTruth) {
  Bench bench = SkinBench({{"shape", "6 8"}, {"output", "truth"}});
  bench.mass = 0.05;
  bench.pad_geom = "euler=\"0 0 25\"";
  // The wedge presses harder than the block. Its file has the lower face at z = 0.3.
  bench.world =
      "<body name=\"wedge\" pos=\"-0.13 -0.21 -0.3001\"><freejoint/>"
      "<geom name=\"wedge\" type=\"mesh\" mesh=\"wedge\" mass=\"0.5\"/></body>";
  bench.rest += kWedge;
  const Model m = MustCompile(bench.xml());
  ASSERT_TRUE(m);
  const Data d = MakeData(m);
  test::Step(m, d, 500);
  mj_forward(m.get(), d.get());
  const mjtNum* truth = SensorData(m, d);
  const Pose X_WS = GeomPose(d.get(), Id(m, mjOBJ_GEOM, "pad"));
  // The pose of the file's frame: the body's, as the geom was put there without more.
  const int body = Id(m, mjOBJ_BODY, "wedge");
  const Vec3 p = Inverse(X_WS) * test::ToVec3(d->xpos + 3 * body);
  EXPECT_LT(norm(test::ToVec3(truth + 5) - p), 1e-9);
  mjtNum inverse[4], expected[4], pad[4];
  mju_mat2Quat(pad, X_WS.R.m);
  mju_negQuat(inverse, pad);
  mju_mulQuat(expected, inverse, d->xquat + 4 * body);
  const double sign = expected[0] < 0 ? -1 : 1;
  for (int k = 0; k < 4; ++k) EXPECT_NEAR(truth[8 + k], sign * expected[k], 1e-9) << k;
  // Centre, area and load of all touches.
  double area = 0;
  for (const Touch* t : FindRuntime(m.get(), d.get())->last_touches()) area += t->surface.area;
  EXPECT_NEAR(truth[3], area, 1e-12);
  EXPECT_NEAR(truth[4], 0.55 * 9.81, 0.02 * 9.81);  // walls of the objects press, too
  const Vec3 center = (0.5 * test::ToVec3(d->xipos + 3 * body) +
                       0.05 * test::ToVec3(d->xipos + 3 * Id(m, mjOBJ_BODY, "block"))) /
                      0.55;
  const Vec3 found = X_WS * test::ToVec3(truth);
  EXPECT_NEAR(found.x, center.x, 5e-4);
  EXPECT_NEAR(found.y, center.y, 5e-4);
  EXPECT_NEAR(found.z, 0, 5e-4);
  // Nothing touches: zeros.
  for (const char* name : {"wedge", "block"})
    d->qpos[m->jnt_qposadr[m->body_jntadr[Id(m, mjOBJ_BODY, name)]] + 2] = 1;
  mj_forward(m.get(), d.get());
  for (int k = 0; k < 12; ++k) EXPECT_EQ(truth[k], 0) << k;
}

TEST(SkinReading, AMeshFeelsInTheFrameOfItsFile) {
  // A taxel in the middle of the wedge's lower face, z = 0.3 of the file, and one on its slope.
  Bench bench = SkinBench(
      {{"points", "0.11 0.21 0.3  0.11 0.205 0.31"}, {"radius", "0.008"}, {"output", "pressure truth"}},
      "wedge");
  bench.pad_geom = "euler=\"0 0 25\"";
  bench.mass = 0.05;
  bench.world =
      "<body name=\"wedge\" pos=\"-0.13 -0.21 -0.3001\"><freejoint/>"
      "<geom name=\"wedge\" type=\"mesh\" mesh=\"wedge\" mass=\"0.5\"/></body>";
  bench.rest += kWedge;
  const Model m = MustCompile(bench.xml());
  ASSERT_TRUE(m);
  const Data d = MakeData(m);
  test::Step(m, d, 500);
  mj_forward(m.get(), d.get());
  const mjtNum* data = SensorData(m, d);
  // The lower face bears the weight; the slope looks up.
  EXPECT_NEAR(data[0] * Sensor(m, d).skin->layout().areas[0], 0.5 * 9.81, 0.01 * 9.81);
  EXPECT_EQ(data[1], 0);
  // All as seen from the file: the contact is at its z = 0.3, below the centre of mass.
  const int body = Id(m, mjOBJ_BODY, "wedge");
  Mat3 R;
  std::copy(d->xmat + 9 * body, d->xmat + 9 * body + 9, R.m);
  const Pose X_WS{R, test::ToVec3(d->xpos + 3 * body)};
  const Vec3 center = test::ToVec3(data + 2), middle = Inverse(X_WS) * test::ToVec3(d->xipos + 3 * body);
  EXPECT_NEAR(center.z, 0.3, 1e-4);
  EXPECT_NEAR(center.x, middle.x, 5e-4);
  EXPECT_NEAR(center.y, middle.y, 5e-4);
  // The pad, in that frame.
  const Vec3 pad = Inverse(X_WS) * GeomPose(d.get(), Id(m, mjOBJ_GEOM, "pad")).p;
  EXPECT_LT(norm(test::ToVec3(data + 2 + 5) - pad), 1e-9);
}

TEST(SkinReading, SlipIsOneWhereItSlides) {
  Bench bench = SkinBench({{"shape", "6 8"}, {"output", "slip"}});
  bench.pad_geom = "friction=\"0.6\"", bench.block_geom = "friction=\"0.6\"";
  bench.option = "integrator=\"implicitfast\" timestep=\"0.002\" gravity=\"2 0 -9\"";
  const Model m = MustCompile(bench.xml());
  ASSERT_TRUE(m);
  const Data d = MakeData(m);
  test::Step(m, d, 500);
  // Held by friction, 0.37 of the bound.
  int touching = 0;
  for (double s : SensorVector(m, d)) {
    EXPECT_GE(s, 0);
    EXPECT_LT(s, 0.9);
    touching += s > 0;
  }
  EXPECT_GT(touching, 6);
  d->xfrc_applied[6 * Id(m, mjOBJ_BODY, "block")] = 8;  // pushed away
  test::Step(m, d, 30);
  ASSERT_GT(d->qvel[0], 0.05);
  for (double s : SensorVector(m, d)) EXPECT_TRUE(s == 0 || s > 0.9) << s;
  d->qpos[2] = 1;
  mj_forward(m.get(), d.get());
  for (double s : SensorVector(m, d)) EXPECT_EQ(s, 0);
}

TEST(SkinReading, UnitsAndAggregates) {
  // One load, three ways to say it.
  std::vector<std::vector<double>> seen;
  for (const Keys& keys : {Keys{}, Keys{{"unit", "N"}}, Keys{{"unit", "N"}, {"aggregate", "force"}}}) {
    const Model m = MustCompile(SkinBench(With({{"shape", "6 8"}}, keys)).xml());
    ASSERT_TRUE(m);
    const Data d = MakeData(m);
    test::Step(m, d, 20);
    seen.push_back(SensorVector(m, d));
  }
  for (int i = 0; i < 48; ++i) {
    EXPECT_NEAR(seen[1][i], 1e-4 * seen[0][i], 1e-12);
    EXPECT_NEAR(seen[2][i], seen[1][i], 1e-12);
  }
}

}  // namespace
}  // namespace taxel::mujoco
