// Tactile sensors of a model:
//   - lengths in sensordata for every choice of output; keys inside the sensor, in an instance, in a
//   material's
//   - saved state: large enough for every sensor, apart from that of friction, whatever the time step
//   - frames: points of a mesh are those of its file; sites; the other body's sites are refused
//   - whatever is wrong is told when the model is compiled, with the sensor's name
//   - a model that was changed since (time step, layout file) does not write beyond its memory
//   - saved as mjb and loaded
#include "taxel/mujoco/skin_sensor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <fstream>

#include "../shape/expect_error.h"
#include "skin_model.h"
#include "taxel/math/error.h"
#include "taxel/mujoco/geom_layout.h"

namespace taxel::mujoco {
namespace {

using test::Bench;
using test::Compile;
using test::Configs;
using test::Data;
using test::Id;
using test::Keys;
using test::MakeData;
using test::Model;
using test::MustCompile;
using test::Sensor;
using test::SkinBench;
using test::TouchSensor;
using test::Warnings;

// A tetrahedron-like wedge far from its own origin: MuJoCo moves and turns it.
const char* const kWedge =
    "<asset><mesh name=\"wedge\" vertex=\"0.1 0.2 0.3  0.14 0.2 0.3  0.1 0.23 0.3  0.14 0.23 0.3  0.1 0.2 "
    "0.32  "
    "0.14 0.2 0.31\" face=\"0 2 1 1 2 3 0 1 4 1 5 4 0 4 2 2 4 5 2 5 3 1 3 5\"/></asset>";

// What compiling says: the error of the compiler and the warnings.
std::string Complaint(const std::string& xml) {
  const Warnings warnings;
  std::string error;
  const Model m = Compile(xml, &error);
  if (!m) return error + "\n" + Warnings::Text();
  const Data d = MakeData(m);
  EXPECT_FALSE(m && d) << "this should not compile:\n" << xml;
  return Warnings::Text();
}

TEST(SkinSensor, LengthsForEveryOutput) {
  const char* const words[4] = {"pressure", "shear", "slip", "truth"};
  const int sizes[4] = {48, 96, 48, 12};
  for (int set = 1; set < 16; ++set) {
    std::string output;
    int size = 0;
    for (int k = 3; k >= 0; --k)  // in any order
      if (set >> k & 1)
        output += std::string(output.empty() ? "" : k % 2 ? ", " : " ") + words[k], size += sizes[k];
    const Model m = MustCompile(SkinBench({{"shape", "6 8"}, {"output", output}}).xml());
    ASSERT_TRUE(m) << output;
    EXPECT_EQ(m->sensor_dim[0], size) << output;
    const Data d = MakeData(m);
    EXPECT_EQ(Sensor(m, d).num_data(), size);
    test::Step(m, d, 3);
    for (int i = 0; i < m->nsensordata; ++i) EXPECT_TRUE(std::isfinite(d->sensordata[i]));
  }
  const Model m = MustCompile(SkinBench({{"shape", "6 8"}}).xml());
  EXPECT_EQ(m->sensor_dim[0], 48);
}

TEST(SkinSensor, KeysInTheSensorInAnInstanceOrInTheMaterial) {
  // The same sensor three ways: equal numbers. In the material its state comes after that of friction.
  const Keys keys = {
      {"shape", "6 8"}, {"noise", "0 20"}, {"creep", "0.2 0.05"}, {"output", "pressure shear"}};
  std::vector<std::vector<double>> seen, poses;
  for (int way = 0; way < 3; ++way) {
    Bench bench = SkinBench(keys);
    const std::string sensor = "<sensor><plugin name=\"touch\" plugin=\"taxel\" instance=\"";
    if (way == 1) {
      bench.instances = "<instance name=\"sensors\">" + Configs(keys) + "</instance>";
      bench.rest = sensor + "sensors\" objtype=\"geom\" objname=\"pad\"/></sensor>";
    } else if (way == 2) {
      bench.material += Configs(keys);
      bench.rest = sensor + "skin\" objtype=\"geom\" objname=\"pad\"/></sensor>";
    }
    const Model m = MustCompile(bench.xml());
    ASSERT_TRUE(m) << way;
    const Data d = MakeData(m);
    d->qvel[0] = 0.05;
    test::Step(m, d, 200);
    seen.push_back(test::SensorVector(m, d));
    poses.emplace_back(d->qpos, d->qpos + m->nq);
    EXPECT_EQ(seen[way], seen[0]) << way;
    EXPECT_EQ(poses[way], poses[0]) << way;
  }
}

TEST(SkinSensor, StatesDoNotOverlap) {
  // Two sensors on the material's own instance, one with keys inside it.
  const Keys keys = {
      {"shape", "6 8"}, {"creep", "0.2 0.05"}, {"delay", "0.02"}, {"output", "pressure shear"}};
  for (const char* step : {"0.0005", "0.002", "0.01"}) {
    Bench bench;
    bench.option = std::string("integrator=\"implicitfast\" timestep=\"") + step + "\"";
    bench.material = Configs({{"dissipation", "30"}}) + Configs(keys);
    const std::string shared = "plugin=\"taxel\" instance=\"skin\" objtype=\"geom\" objname=\"";
    bench.rest = "<sensor><plugin name=\"a\" " + shared + "pad\"/><plugin name=\"b\" " + shared +
                 "block\"/>" + TouchSensor("c", {{"shape", "3 4"}, {"hysteresis", "0.1 1e4"}}) + "</sensor>";
    const Model m = MustCompile(bench.xml());
    ASSERT_TRUE(m);
    const Data d = MakeData(m);
    Runtime* runtime = FindRuntime(m.get(), d.get());
    const std::vector<SkinSensor>& skins = runtime->scene().skins();
    ASSERT_EQ(skins.size(), 3u);
    // Each has its own piece of plugin_state, after friction, and together they fill it.
    std::vector<int> uses(m->npluginstate, 0);
    for (int i = 0; i < SavedState::Size(m.get()); ++i) ++uses[m->plugin_stateadr[skins[0].instance] + i];
    for (int k = 0; k < 3; ++k) {
      const mjtNum* at = runtime->SkinState(m.get(), d.get(), k);
      for (int i = 0; i < skins[k].state_size; ++i) {
        ASSERT_LT(at - d->plugin_state + i, m->npluginstate);
        ++uses[at - d->plugin_state + i];
      }
    }
    for (int n : uses) EXPECT_EQ(n, 1);
    // More delay in steps when they are short: 20 ms are 40, 10 or 2 of them.
    EXPECT_GT(skins[0].state_size, 3 * 48 * 0.02 / std::stod(step));
    // Anchors fill the room of friction alone.
    d->qvel[0] = 0.1;
    test::Step(m, d, 50);
    EXPECT_EQ(Warnings::Count("anchors"), 0);
  }
}

TEST(SkinSensor, PointsOfAMeshAreThoseOfItsFile) {
  Bench bench;
  bench.instances =
      "<instance name=\"soft\">" + Configs({{"modulus", "1e5"}, {"resolution", "0.006"}}) + "</instance>";
  bench.custom = "<tuple name=\"soft\"><element objtype=\"geom\" objname=\"wedge\"/></tuple>";
  bench.world =
      "<body pos=\"0.5 0.1 0.2\" euler=\"10 20 30\"><freejoint/>"
      "<geom name=\"wedge\" type=\"mesh\" mesh=\"wedge\" pos=\"0.01 0.02 0.03\" euler=\"5 0 0\"/></body>";
  bench.rest = std::string(kWedge) + "<sensor>" +
               TouchSensor("touch", {{"points", "0.11 0.21 0.3  0.13 0.205 0.3"}}, "wedge") + "</sensor>";
  const Model m = MustCompile(bench.xml());
  ASSERT_TRUE(m);
  const Data d = MakeData(m);
  mj_forward(m.get(), d.get());
  const int mesh = 0, geom = Id(m, mjOBJ_GEOM, "wedge");
  ASSERT_GT(mju_norm3(m->mesh_pos + 3 * mesh), 0.1);
  const Layout& layout = Sensor(m, d).skin->layout();
  ASSERT_EQ(layout.count(), 2);
  // Where MuJoCo put the corner (0.1, 0.2, 0.3) of the file: all vertices are moved alike.
  const Pose X_GS = DrawnFrame(m.get(), geom);
  const Vec3 file[2] = {{0.1, 0.2, 0.3}, {0.14, 0.23, 0.3}};
  for (const Vec3& p : file) {
    double nearest = 1;
    for (int v = 0; v < m->mesh_vertnum[mesh]; ++v) {
      const float* q = m->mesh_vert + 3 * (m->mesh_vertadr[mesh] + v);
      nearest = std::min(nearest, norm(X_GS * p - Vec3{q[0], q[1], q[2]}));
    }
    EXPECT_LT(nearest, 1e-7);
  }
  EXPECT_LT(norm(layout.points[0] - X_GS * Vec3{0.11, 0.21, 0.3}), 1e-12);
  // They look down, as that side of the wedge does in its file.
  EXPECT_LT(norm(layout.normals[1] - X_GS.R * Vec3{0, 0, -1}), 1e-6);
  // The geom of the model lies where its file says, moved by its own pos and euler.
  EXPECT_EQ(DrawnFrame(m.get(), Id(m, mjOBJ_GEOM, "pad")), Pose{});
}

TEST(SkinSensor, SitesMarkTaxels) {
  Bench bench = SkinBench({{"sites", "tax"}, {"radius", "0.004"}});
  bench.pad_geom = "euler=\"0 0 30\"";
  // On the pad's top: turned sites, z outwards.
  bench.world =
      "<site name=\"tax0\" pos=\"0.01 0.005 0\"/><site name=\"other\" pos=\"0.01 0 0\"/>"
      "<site name=\"tax1\" pos=\"-0.012 0.003 0\" euler=\"0 0 70\"/><site name=\"tax2\" pos=\"0 -0.01 0\"/>";
  const Model m = MustCompile(bench.xml());
  ASSERT_TRUE(m);
  EXPECT_EQ(m->sensor_dim[0], 3);
  const Data d = MakeData(m);
  mj_forward(m.get(), d.get());
  const Layout& layout = Sensor(m, d).skin->layout();
  const Pose X = GeomPose(d.get(), Id(m, mjOBJ_GEOM, "pad"));
  int k = 0;
  for (const char* name : {"tax0", "tax1", "tax2"}) {
    const int site = Id(m, mjOBJ_SITE, name);
    EXPECT_LT(norm(X * layout.points[k] - test::ToVec3(d->site_xpos + 3 * site)), 1e-12) << name;
    EXPECT_LT(norm(X.R * layout.normals[k] - Vec3{0, 0, 1}), 1e-12) << name;
    ++k;
  }
  bench.body = "<site name=\"tax3\" pos=\"0 0 0\"/>";
  EXPECT_NE(Complaint(bench.xml()).find("site 'tax3' is on another body"), std::string::npos);
}

TEST(SkinSensor, WhatIsWrongIsToldWithTheSensorsName) {
  const struct {
    Keys keys;
    const char* message;
  } cases[] = {
      {{{"shape", "6"}}, "sensor 'touch': shape=\"6\" is not two whole numbers"},
      {{{"shape", "6 8"}, {"output", "presure"}},
       "sensor 'touch': output=\"presure\" is not a list of pressure"},
      {{{"shape", "6 8"}, {"output", "slip slip"}}, "each once"},
      {{{"shape", "6 8"}, {"output", ","}}, "sensor 'touch': output=\",\" is not"},
      {{{"shape", "6 8"}, {"samples", "5"}}, "add readout=\"rays\""},
      {{{"shape", "6 8"}, {"around", "0 90"}}, "has no meaning for a grid on a box"},
      {{{"shape", "6 8"}, {"noise", "1 -1"}}, "sensor 'touch': noise"},
      {{{"shape", "6 8"}, {"on_demand", "yes"}}, "sensor 'touch': on_demand=\"yes\" is not true or false"},
      {{{"shape", "6 8"}, {"show_taxels", "2"}}, "show_taxels"},
      {{{"layout", "vertices"}}, "sensor 'touch'"},
      {{{"layout", "poisson"}, {"spacing", "0.01"}}, "needs taxels"},
      {{{"layout", "poisson"}, {"spacing", "0.01"}, {"taxels", "7"}}, "write taxels="},
      {{{"sites", "none"}}, "sensor 'touch': sites=\"none\": no site"},
      {{{"file", "/nowhere/taxels.csv"}}, "/nowhere/taxels.csv"},
      {{{"points", "0 0 0 0"}}, "multiple of 3"},
      {{{"shape", "6 8"}, {"gains", "1 2 3"}}, "gains has 3 numbers for 48 taxels"},
      {{{"output", "slip"}}, "but no layout; add shape"},
  };
  for (const auto& c : cases) {
    const std::string all = Complaint(SkinBench(c.keys).xml());
    EXPECT_NE(all.find(c.message), std::string::npos) << c.message << "\n" << all;
  }
}

TEST(SkinSensor, WrongElements) {
  // A geom that touches nothing soft; a body; a second object; an instance without a sensor; a misspelt key.
  Bench bench = SkinBench({{"shape", "6 8"}}, "far");
  bench.world =
      "<geom name=\"far\" type=\"box\" size=\"0.1 0.1 0.1\" pos=\"5 0 0\" contype=\"0\" conaffinity=\"0\"/>";
  EXPECT_NE(Complaint(bench.xml()).find("sensor 'touch': geom 'far' is not soft and can touch nothing soft"),
            std::string::npos);

  bench = Bench();
  bench.rest = "<sensor><plugin name=\"touch\" plugin=\"taxel\" objtype=\"body\" objname=\"block\">" +
               Configs({{"shape", "6 8"}}) + "</plugin></sensor>";
  EXPECT_NE(Complaint(bench.xml()).find("sensor 'touch' must name a geom"), std::string::npos);

  bench.rest =
      "<sensor><plugin name=\"touch\" plugin=\"taxel\" objtype=\"geom\" objname=\"pad\" reftype=\"geom\" "
      "refname=\"block\">" +
      Configs({{"shape", "6 8"}}) + "</plugin></sensor>";
  EXPECT_NE(Complaint(bench.xml()).find("sensor 'touch' is tactile"), std::string::npos);

  bench = Bench();
  bench.instances = "<instance name=\"idle\">" + Configs({{"shape", "6 8"}}) + "</instance>";
  EXPECT_NE(Complaint(bench.xml()).find("instance 'idle' describes a tactile sensor, but no sensor uses it"),
            std::string::npos);

  EXPECT_NE(Complaint(SkinBench({{"shap", "6 8"}}).xml()).find("shap"), std::string::npos);
}

TEST(SkinSensor, GivenSensorsSuggestTheRightKey) {
  const Model m = MustCompile(Bench().xml());
  ASSERT_TRUE(m);
  const int pad = Id(m, mjOBJ_GEOM, "pad");
  const Scene scene(m.get(), {}, {{"tip", pad, {{"shape", "6 8"}, {"output", "slip truth"}}}});
  ASSERT_EQ(scene.skins().size(), 1u);
  EXPECT_EQ(scene.skins()[0].sensor, -1);
  EXPECT_EQ(scene.skins()[0].num_data(), 60);
  for (const auto& [wrong, right] : {std::pair{"agregate", "aggregate"},
                                     {"nois", "noise"},
                                     {"shpae", "shape"},
                                     {"outputs", "output"},
                                     {"ondemand", "on_demand"}}) {
    try {
      const Scene bad(m.get(), {}, {{"tip", pad, {{"layout", "grid"}, {"shape", "6 8"}, {wrong, "1"}}}});
      ADD_FAILURE() << wrong;
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find("sensor 'tip': there is no parameter \"" + std::string(wrong)),
                std::string::npos)
          << e.what();
      EXPECT_NE(std::string(e.what()).find("did you mean \"" + std::string(right) + "\""), std::string::npos)
          << e.what();
    }
  }
  // Keys of a material are not a sensor's.
  EXPECT_THROW(Scene(m.get(), {}, {{"tip", pad, {{"shape", "6 8"}, {"modulus", "1e5"}}}}), Error);
}

TEST(SkinSensor, AShorterTimeStepNeedsRoom) {
  // 20 ms of delay at 10 ms a step are two frames; at 1 ms twenty, for which the model has no room.
  Bench bench = SkinBench({{"shape", "6 8"}, {"delay", "0.02"}});
  bench.option = "integrator=\"implicitfast\" timestep=\"0.01\"";
  const Model m = MustCompile(bench.xml());
  ASSERT_TRUE(m);
  m->opt.timestep = 0.001;
  // mj_makeData would end the program (in Python: raise) with these words.
  ExpectError([&] { Scene::Of(m.get()); },
              {"sensor 'touch'", "plugin_state", "time step", "compile the model again"});
  // A longer one fits.
  m->opt.timestep = 0.02;
  EXPECT_TRUE(MakeData(m));
}

TEST(SkinSensor, ALayoutFileThatChanged) {
  const std::string path = testing::TempDir() + "/taxel_skin_sensor_test.csv";
  const auto write = [&](int rows) {
    std::ofstream file(path);
    file << "x,y,z\n";
    for (int i = 0; i < rows; ++i) file << -0.03 + 0.01 * i << ",0.001,0.005\n";
  };
  write(3);
  const std::string xml = SkinBench({{"file", path}, {"radius", "0.004"}}).xml();
  const Model three = MustCompile(xml);
  ASSERT_TRUE(three);
  EXPECT_EQ(three->sensor_dim[0], 3);
  const Data d3 = MakeData(three);
  // The same text, another file: a fresh model sees it.
  write(5);
  const Model five = MustCompile(xml);
  ASSERT_TRUE(five);
  EXPECT_EQ(five->sensor_dim[0], 5);
  const Data d5 = MakeData(five);
  ASSERT_TRUE(d5);
  EXPECT_EQ(Sensor(five, d5).skin->count(), 5);
  EXPECT_EQ(Sensor(three, d3).skin->count(), 3);
  // The old model has room for three.
  ExpectError([&] { Scene::Of(three.get()); },
              {"sensor 'touch'", "sensordata", "layout file", "compile the model again"});
  std::remove(path.c_str());
}

TEST(SkinSensor, SavedAndLoaded) {
  const Model m = MustCompile(
      SkinBench(
          {{"shape", "6 8"}, {"noise", "0 5"}, {"delay", "0.01"}, {"output", "pressure shear slip truth"}})
          .xml());
  ASSERT_TRUE(m);
  std::vector<char> bytes(mj_sizeModel(m.get()));
  mj_saveModel(m.get(), nullptr, bytes.data(), static_cast<int>(bytes.size()));
  const Model loaded(mj_loadModelBuffer(bytes.data(), static_cast<int>(bytes.size())));
  ASSERT_TRUE(loaded);
  const Data a = MakeData(m), b = MakeData(loaded);
  test::Step(m, a, 50);
  test::Step(loaded, b, 50);
  EXPECT_EQ(test::SensorVector(m, a), test::SensorVector(loaded, b));
  EXPECT_GT(*std::max_element(a->sensordata, a->sensordata + 48), 100);
}

}  // namespace
}  // namespace taxel::mujoco
