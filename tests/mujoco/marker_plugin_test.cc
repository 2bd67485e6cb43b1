// The plugin "taxel.markers":
//   - the numbers of a MarkerField that is stepped by hand with the same poses, in both modes, tilted pad
//   - of a TaxelField with two objects, creep and forces (mode taxel)
//   - several objects: the sum; an object far away adds nothing and is remembered all the same
//   - reading is pure: mj_forward again changes neither numbers nor state; disabled sensors do not stop
//   history
//   - copied data, restored states, halves of a step, a reset: the same future, to the bit
//   - a rate: frames at its times, held between them
//   - beside soft contact on the same geom; under RK4
//   - nothing is allocated once everything has been near
//   - too many points inside: a warning; a size that changed: a warning
#include "taxel/mujoco/marker_plugin.h"

#include <gtest/gtest.h>

#include <cmath>

#include "marker_model.h"
#include "taxel/mujoco/geom_body.h"

namespace taxel::mujoco {
namespace {

using test::Allocations;
using test::Data;
using test::DataOf;
using test::Greatest;
using test::GreatestDifference;
using test::Id;
using test::InPad;
using test::MakeData;
using test::MarkerBench;
using test::MarkerSensorXml;
using test::Model;
using test::MustCompile;
using test::Path;
using test::Place;
using test::Warnings;

constexpr int kSteps = 120;

// The field that the sensor should be, from shapes of its own.
class ByHand {
 public:
  ByHand(MarkerMode mode, const Primitive& indenter)
      : field_(MarkerDistance(Primitive{Box{{0.02, 0.024, 0.004}}}), Markers(),
               SampleIndenter(Body(indenter, {}), 0.75e-3, 0), Parameters(mode)) {}
  std::vector<double> Step(const Pose& X_PI) {
    MarkerReading r;
    field_.Step(X_PI, &r);
    std::vector<double> out;
    for (const Vec3& v : r.displacement) out.insert(out.end(), {v.x, v.y, v.z});
    return out;
  }
  static std::vector<Vec3> Markers() {
    std::vector<Vec3> out;
    for (int row = 0; row < 5; ++row)
      for (int col = 0; col < 4; ++col) out.push_back({(col - 1.5) * 0.003, (row - 2) * 0.003, 0.002});
    return out;
  }

 private:
  static MarkerParameters Parameters(MarkerMode mode) {
    MarkerParameters p;
    p.mode = mode;
    return p;
  }
  MarkerField field_;
};

void StepBall(const Model& m, const Data& d, int i) {
  Place(m, d, "ball", Path(double(i) / kSteps, 0.006));
  mj_step(m.get(), d.get());
}

std::vector<double> StateOf(const Model& m, const Data& d) {
  return {d->plugin_state, d->plugin_state + m->npluginstate};
}

TEST(MarkerPlugin, EqualsAFieldSteppedByHand) {
  for (const bool release : {false, true}) {
    MarkerBench bench;
    bench.keys.back().second = release ? "release" : "paper";
    const Model m = MustCompile(bench.xml());
    ASSERT_TRUE(m);
    ASSERT_EQ(m->sensor_dim[0], 60);
    const Data d = MakeData(m);
    ByHand hand(release ? MarkerMode::kRelease : MarkerMode::kPaper, Sphere{0.006});
    double most = 0, shear = 0;
    for (int i = 0; i <= kSteps; ++i) {
      StepBall(m, d, i);
      const std::vector<double> now = DataOf(m, d, "gel"), wanted = hand.Step(InPad(m, d, "ball"));
      most = std::fmax(most, Greatest(wanted));
      if (i == kSteps / 2) shear = wanted[3 * 9];
      ASSERT_LT(GreatestDifference(now, wanted), 1e-9) << "mode " << release << ", step " << i;
    }
    EXPECT_GT(most, 0.1);  // px: something happened
    EXPECT_NE(shear, 0);
    EXPECT_LT(Greatest(DataOf(m, d, "gel")), 1e-12);  // lifted off
  }
}

TEST(MarkerPlugin, EqualsATaxelFieldSteppedByHand) {
  // Two objects, creep, forces: one TaxelField with both.
  MarkerBench bench;
  bench.keys = {{"shape", "5 4"},   {"pitch", "0.003"}, {"output", "displacement wrench"},
                {"substeps", "2"},  {"creep", "0.3"},   {"creep_time", "0.05"},
                {"friction", "0.7"}};
  const Model m = MustCompile(bench.xml());
  ASSERT_TRUE(m);
  ASSERT_EQ(m->sensor_dim[0], 66);
  const Data d = MakeData(m);
  TaxelParameters p;
  p.creep = 0.3, p.creep_time = 0.05, p.friction = 0.7;
  TaxelField field(GelPad(MarkerDistance(Primitive{Box{{0.02, 0.024, 0.004}}})), ByHand::Markers(),
                   {SampleCellMiddles(Body(Sphere{0.006}, {}), 0.75e-3, 0),
                    SampleCellMiddles(Body(Box{{0.006, 0.004, 0.008}}, {}), 0.75e-3, 0)},
                   p, 2);
  TaxelReading r;
  double most = 0, force = 0;
  for (int i = 0; i <= kSteps; ++i) {
    Place(m, d, "brick", Path(double(i) / kSteps, 0.004, -0.006));
    StepBall(m, d, i);
    field.Step({InPad(m, d, "ball"), InPad(m, d, "brick")}, i ? m->opt.timestep : 0, nullptr, &r);
    std::vector<double> wanted;
    for (const Vec3& v : r.displacement) wanted.insert(wanted.end(), {v.x, v.y, v.z});
    most = std::fmax(most, Greatest(wanted));
    force = std::fmax(force, norm(r.force_P));
    for (const Vec3& v : {r.force_P, r.torque_P}) wanted.insert(wanted.end(), {v.x, v.y, v.z});
    ASSERT_LT(GreatestDifference(DataOf(m, d, "gel"), wanted), 1e-9) << i;
  }
  EXPECT_GT(most, 1);
  EXPECT_GT(force, 0.1);
}

TEST(MarkerPlugin, TaxelModeTakesNoMemoryAndGoesOnAfterACopy) {
  MarkerBench bench;
  bench.keys = {{"shape", "5 4"}, {"pitch", "0.003"}, {"mode", "taxel"}, {"creep", "0.3"}, {"rate", "100"}};
  const Model m = MustCompile(bench.xml());
  ASSERT_TRUE(m);
  const Data d = MakeData(m), copy = MakeData(m);
  for (int i = 0; i <= kSteps; ++i) StepBall(m, d, i);
  mj_resetData(m.get(), d.get());
  const long before = Allocations();
  for (int i = 0; i < kSteps / 2; ++i) StepBall(m, d, i);
  EXPECT_EQ(Allocations() - before, 0);
  mj_copyData(copy.get(), m.get(), d.get());
  for (int i = kSteps / 2; i <= kSteps; ++i) {
    StepBall(m, d, i);
    StepBall(m, copy, i);
    ASSERT_EQ(DataOf(m, copy, "gel"), DataOf(m, d, "gel")) << i;
  }
}

TEST(MarkerPlugin, SeveralObjectsAddUp) {
  MarkerBench bench;
  const test::MarkerKeys grid = {{"shape", "5 4"}, {"pitch", "0.003"}, {"mode", "paper"}};
  const auto with = [&](const char* name, const char* objects) {
    test::MarkerKeys keys = grid;
    if (*objects) keys.emplace_back("objects", objects);
    return MarkerSensorXml(name, keys);
  };
  bench.sensors = with("both", "ball,brick") + with("a", "ball") + with("b", "brick") + with("all", "");
  const Model m = MustCompile(bench.xml());
  ASSERT_TRUE(m);
  const Data d = MakeData(m);
  bool both_pressed = false;
  for (int i = 0; i <= kSteps; ++i) {
    const double t = double(i) / kSteps;
    Place(m, d, "ball", Path(t, 0.006, 0.004));
    if (t > 0.2) Place(m, d, "brick", Path(t - 0.2, 0.004, -0.006));
    mj_step(m.get(), d.get());
    std::vector<double> sum = DataOf(m, d, "a");
    const std::vector<double> b = DataOf(m, d, "b");
    both_pressed |= Greatest(sum) > 0.1 && Greatest(b) > 0.1;
    for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += b[k];
    ASSERT_LT(GreatestDifference(DataOf(m, d, "both"), sum), 1e-12) << i;
    ASSERT_EQ(DataOf(m, d, "all"), DataOf(m, d, "both")) << i;
  }
  EXPECT_TRUE(both_pressed);
}

TEST(MarkerPlugin, AnObjectThatJumpsInFromAfarEntersAsByHand) {
  const Model m = MustCompile(MarkerBench().xml());
  ASSERT_TRUE(m);
  const Data d = MakeData(m);
  ByHand hand(MarkerMode::kPaper, Sphere{0.006});
  for (const double z : {0.5, 0.3, 0.0075, 0.0072, 0.4, 0.007}) {
    Place(m, d, "ball", {RotationAbout({1, 0, 0}, z), {0.001, 0.002 * z, z}});
    mj_step(m.get(), d.get());
    EXPECT_LT(GreatestDifference(DataOf(m, d, "gel"), hand.Step(InPad(m, d, "ball"))), 1e-9) << z;
  }
  EXPECT_GT(Greatest(DataOf(m, d, "gel")), 0.01);
}

TEST(MarkerPlugin, ReadingChangesNothing) {
  const Model m = MustCompile(MarkerBench().xml());
  ASSERT_TRUE(m);
  const Data d = MakeData(m);
  for (int i = 0; i < kSteps / 2; ++i) StepBall(m, d, i);
  const std::vector<double> state = StateOf(m, d);
  Place(m, d, "ball", Path(0.6, 0.006));
  mj_forward(m.get(), d.get());
  const std::vector<double> once = DataOf(m, d, "gel");
  for (int i = 0; i < 3; ++i) {
    mj_forward(m.get(), d.get());
    EXPECT_EQ(DataOf(m, d, "gel"), once);
  }
  Place(m, d, "ball", Path(0.9, 0.006));  // a look elsewhere and back
  mj_forward(m.get(), d.get());
  EXPECT_NE(DataOf(m, d, "gel"), once);
  Place(m, d, "ball", Path(0.6, 0.006));
  mj_forward(m.get(), d.get());
  EXPECT_EQ(DataOf(m, d, "gel"), once);
  EXPECT_EQ(StateOf(m, d), state);
}

TEST(MarkerPlugin, CopiesRestoredStatesAndResetsHaveTheSameFuture) {
  const Model m = MustCompile(MarkerBench().xml());
  ASSERT_TRUE(m);
  const Data d = MakeData(m);
  std::vector<std::vector<double>> run;
  const Data copy = MakeData(m), restored = MakeData(m), halves = MakeData(m);
  std::vector<mjtNum> saved(mj_stateSize(m.get(), mjSTATE_INTEGRATION));
  const int half = kSteps / 2;
  for (int i = 0; i <= kSteps; ++i) {
    if (i == half) {
      mj_copyData(copy.get(), m.get(), d.get());
      mj_getState(m.get(), d.get(), saved.data(), mjSTATE_INTEGRATION);
    }
    StepBall(m, d, i);
    run.push_back(DataOf(m, d, "gel"));
  }
  for (int i = 0; i < 10; ++i) StepBall(m, restored, 100 + i);  // another history first
  mj_setState(m.get(), restored.get(), saved.data(), mjSTATE_INTEGRATION);
  for (int i = half; i <= kSteps; ++i) {
    StepBall(m, copy, i);
    StepBall(m, restored, i);
    ASSERT_EQ(DataOf(m, copy, "gel"), run[i]) << i;
    ASSERT_EQ(DataOf(m, restored, "gel"), run[i]) << i;
  }
  EXPECT_EQ(StateOf(m, copy), StateOf(m, d));
  EXPECT_EQ(StateOf(m, restored), StateOf(m, d));
  // Copied between the halves of a step.
  mj_resetData(m.get(), d.get());
  EXPECT_EQ(Greatest(StateOf(m, d)), 0);
  for (int i = 0; i <= kSteps; ++i) {
    Place(m, d, "ball", Path(double(i) / kSteps, 0.006));
    mj_step1(m.get(), d.get());
    mj_copyData(halves.get(), m.get(), d.get());
    mj_step2(m.get(), halves.get());
    ASSERT_EQ(DataOf(m, halves, "gel"), run[i]) << i;
    mj_copyData(d.get(), m.get(), halves.get());
  }
}

TEST(MarkerPlugin, HistoryGoesOnWhileSensorsAreDisabled) {
  const Model m = MustCompile(MarkerBench().xml());
  ASSERT_TRUE(m);
  const Data d = MakeData(m), blind = MakeData(m);
  for (int i = 0; i < kSteps / 2; ++i) {
    m->opt.disableflags = 0;
    StepBall(m, d, i);
    m->opt.disableflags = mjDSBL_SENSOR;
    StepBall(m, blind, i);
  }
  EXPECT_EQ(StateOf(m, blind), StateOf(m, d));
  m->opt.disableflags = 0;
}

TEST(MarkerPlugin, ARateHoldsItsFrames) {
  MarkerBench bench;
  bench.keys.emplace_back("rate", "60");
  const Model m = MustCompile(bench.xml());
  ASSERT_TRUE(m);
  const Data d = MakeData(m);
  ByHand hand(MarkerMode::kPaper, Sphere{0.006});
  std::vector<double> frame;
  int frames = 0;
  for (int i = 0; i <= kSteps; ++i) {
    const double time = d->time;
    const bool due = std::floor(time * 60 + 1e-6) > std::floor((time - 0.002) * 60 + 1e-6);
    StepBall(m, d, i);
    if (due) frame = hand.Step(InPad(m, d, "ball")), ++frames;
    ASSERT_LT(GreatestDifference(DataOf(m, d, "gel"), frame), 1e-9) << i;
  }
  EXPECT_EQ(frames, 15);  // 0.24 s at 60 a second, and the first
  // After restoring a state the held frame is there at once.
  const Data other = MakeData(m);
  std::vector<mjtNum> saved(mj_stateSize(m.get(), mjSTATE_INTEGRATION));
  mj_resetData(m.get(), d.get());
  for (int i = 0; i < 61; ++i) StepBall(m, d, i);
  mj_getState(m.get(), d.get(), saved.data(), mjSTATE_INTEGRATION);
  mj_setState(m.get(), other.get(), saved.data(), mjSTATE_INTEGRATION);
  mj_forward(m.get(), d.get());
  mj_forward(m.get(), other.get());
  EXPECT_EQ(DataOf(m, other, "gel"), DataOf(m, d, "gel"));
  EXPECT_GT(Greatest(DataOf(m, d, "gel")), 0.1);
}

TEST(MarkerPlugin, BesideSoftContactOnTheSameGeom) {
  MarkerBench bench;
  bench.option = "timestep=\"0.002\" cone=\"elliptic\" integrator=\"implicitfast\"";
  bench.extension =
      "<plugin plugin=\"taxel\"><instance name=\"gel\"><config key=\"modulus\" value=\"2e5\"/><config "
      "key=\"field\" value=\"backed\"/></instance></plugin>";
  bench.world =
      "<body name=\"cube\" pos=\"0 0 1\"><freejoint/><geom name=\"cube\" type=\"box\" size=\".004 .004 "
      ".004\" mass=\"0.05\"/></body>";
  bench.rest = "<custom><tuple name=\"gel\"><element objtype=\"geom\" objname=\"pad\"/></tuple></custom>";
  bench.keys.emplace_back("objects", "cube");
  const Model m = MustCompile(bench.xml());
  ASSERT_TRUE(m);
  const Data d = MakeData(m);
  // On the tilted gel, gravity along its -z.
  mj_forward(m.get(), d.get());
  const Pose X_WP = GeomPose(d.get(), Id(m, mjOBJ_GEOM, "pad"));
  const Vec3 down = X_WP.R * Vec3{0.6, 0, -9.8};
  for (int c = 0; c < 3; ++c) m->opt.gravity[c] = down[c];
  const Pose X_WC = X_WP * Pose{RotationAbout({0, 0, 1}, 0.0), {0, 0, 0.0062}};
  for (int c = 0; c < 3; ++c) d->qpos[c] = X_WC.p[c];
  mju_mat2Quat(d->qpos + 3, X_WC.R.m);
  ByHand hand(MarkerMode::kPaper, Box{{0.008, 0.008, 0.008}});
  std::vector<double> wanted;
  for (int i = 0; i < 200; ++i) {
    mj_step(m.get(), d.get());
    wanted = hand.Step(InPad(m, d, "cube"));
    ASSERT_LT(GreatestDifference(DataOf(m, d, "gel"), wanted), 1e-9) << i;
  }
  const double depth = 0.006 - InPad(m, d, "cube").p.z;
  EXPECT_NEAR(depth, 0.05 * 9.8 * 0.004 / (2e5 * 64e-6), 3e-5);
  EXPECT_GT(Greatest(wanted), 0.01);
}

TEST(MarkerPlugin, RunsUnderRungeKutta) {
  MarkerBench bench;
  bench.option = "integrator=\"RK4\" gravity=\"0 0 0\"";
  bench.world =
      "<body name=\"free\" pos=\"0 1 0\"><freejoint/><geom name=\"free\" type=\"sphere\" "
      "size=\"0.006\"/></body>";
  const Model m = MustCompile(bench.xml());
  ASSERT_TRUE(m);
  const Data d = MakeData(m);
  ByHand hand(MarkerMode::kPaper, Sphere{0.006});
  for (int i = 0; i < 40; ++i) {
    StepBall(m, d, i);
    EXPECT_LT(GreatestDifference(DataOf(m, d, "gel"), hand.Step(InPad(m, d, "ball"))), 1e-9);
  }
}

TEST(MarkerPlugin, TakesNoMemoryOnceWarm) {
  MarkerBench bench;
  bench.keys.emplace_back("rate", "100");
  const Model m = MustCompile(bench.xml());
  ASSERT_TRUE(m);
  const Data d = MakeData(m);
  const auto run = [&] {
    for (int i = 0; i <= kSteps; ++i) {
      Place(m, d, "brick", Path(1 - double(i) / kSteps, 0.004, -0.004));
      StepBall(m, d, i);
    }
  };
  run();
  mj_resetData(m.get(), d.get());
  const long before = Allocations();
  run();
  EXPECT_EQ(Allocations() - before, 0);
}

TEST(MarkerPlugin, TooManyPointsInsideAreTold) {
  MarkerBench bench;
  bench.keys.emplace_back("capacity", "16");
  const Model m = MustCompile(bench.xml());
  ASSERT_TRUE(m);
  const Data d = MakeData(m);
  const Warnings warnings;
  for (int i = 0; i <= kSteps; ++i) StepBall(m, d, i);
  EXPECT_EQ(Warnings::Count("room for 16"), 1) << Warnings::Text();
  for (const double x : DataOf(m, d, "gel")) EXPECT_TRUE(std::isfinite(x));
}

TEST(MarkerPlugin, AChangedSizeIsTold) {
  const Model m = MustCompile(MarkerBench().xml());
  ASSERT_TRUE(m);
  const Data d = MakeData(m);
  const Warnings warnings;
  StepBall(m, d, 0);
  EXPECT_EQ(Warnings::Count("size"), 0);
  m->geom_size[3 * Id(m, mjOBJ_GEOM, "ball")] *= 1.1;
  StepBall(m, d, 1);
  StepBall(m, d, 2);
  EXPECT_EQ(Warnings::Count("the size of geom 'ball' changed"), 1) << Warnings::Text();
}

TEST(MarkerPlugin, IsDrawn) {
  MarkerBench bench;
  bench.keys.emplace_back("show_scale", "20");
  const Model m = MustCompile(bench.xml());
  ASSERT_TRUE(m);
  const Data d = MakeData(m);
  for (int i = 0; i < kSteps / 2; ++i) StepBall(m, d, i);
  mjvScene scene;
  mjv_defaultScene(&scene);
  mjv_makeScene(m.get(), &scene, 2000);
  mjvOption option;
  mjv_defaultOption(&option);
  mjvPerturb perturb;
  mjv_defaultPerturb(&perturb);
  mjvCamera camera;
  mjv_defaultCamera(&camera);
  const std::vector<double> state = StateOf(m, d);
  mjv_updateScene(m.get(), d.get(), &option, &perturb, &camera, mjCAT_ALL, &scene);
  int dots = 0, bars = 0;
  for (int i = 0; i < scene.ngeom; ++i) {
    dots += scene.geoms[i].category == mjCAT_DECOR && scene.geoms[i].type == mjGEOM_SPHERE;
    bars += scene.geoms[i].category == mjCAT_DECOR && scene.geoms[i].type == mjGEOM_CAPSULE;
  }
  EXPECT_EQ(dots, 20);
  EXPECT_GT(bars, 3);
  EXPECT_EQ(StateOf(m, d), state);
  mjv_freeScene(&scene);
}

}  // namespace
}  // namespace taxel::mujoco
