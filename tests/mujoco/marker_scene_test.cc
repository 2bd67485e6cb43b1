// Marker sensors of a model:
//   - where the markers are: a grid on a box and on a dome, in the frame of the mesh's file; points
//   - who may press: all that can collide, mocap bodies too; geoms and bodies by name; never what is fixed to
//   it
//   - room in sensordata and plugin_state
//   - whatever is wrong is told when the model is compiled, with the sensor's name
#include "taxel/mujoco/marker_scene.h"

#include <gtest/gtest.h>

#include "marker_model.h"

namespace taxel::mujoco {
namespace {

using test::Compile;
using test::Data;
using test::MakeData;
using test::MarkerBench;
using test::MarkerKeys;
using test::MarkerSensorXml;
using test::Model;
using test::MustCompile;
using test::Warnings;

std::vector<std::string> Objects(const mjModel* m, const MarkerSensor& s) {
  std::vector<std::string> out;
  for (const MarkerObject& o : s.objects) out.push_back(mj_id2name(m, mjOBJ_GEOM, o.geom));
  return out;
}

using Names = std::vector<std::string>;

TEST(MarkerScene, AGridFillsTheGelOrHasAPitch) {
  MarkerBench bench;
  bench.sensors =
      MarkerSensorXml("fill", {{"shape", "3 2"}}) +
      MarkerSensorXml("pitch", {{"shape", "2 2"}, {"pitch", "0.002 0.004"}, {"center", "0.001 0"}}) +
      MarkerSensorXml("points", {{"points", "0 0 0.002 0.001 -0.003 0.0015"}});
  const Model m = MustCompile(bench.xml());
  ASSERT_TRUE(m);
  const MarkerScene scene(m.get());
  const std::vector<MarkerSensor>& s = scene.sensors();
  ASSERT_EQ(s.size(), 3u);
  ASSERT_EQ(s[0].markers_P.size(), 6u);
  EXPECT_LT(norm(s[0].markers_P[0] - Vec3{-0.005, -0.008, 0.002}), 1e-12);
  EXPECT_LT(norm(s[0].markers_P[1] - Vec3{0.005, -0.008, 0.002}), 1e-12);  // columns along x
  EXPECT_LT(norm(s[1].markers_P[2] - Vec3{0, 0.002, 0.002}), 1e-12);
  EXPECT_LT(norm(s[2].markers_P[1] - Vec3{0.001, -0.003, 0.0015}), 1e-15);
}

TEST(MarkerScene, OnAMeshTheFrameIsThatOfItsFile) {
  // A roof far from its own origin: MuJoCo moves and turns it.
  MarkerBench bench;
  bench.rest =
      "<asset><mesh name=\"roof\" vertex=\"0.1 0.2 0.3  0.14 0.2 0.3  0.14 0.22 0.3  0.1 0.22 0.3  0.1 0.21 "
      "0.31  0.14 0.21 0.31\" face=\"0 2 1 0 3 2 0 1 5 0 5 4 2 3 4 2 4 5 0 4 3 1 2 5\"/></asset>";
  bench.pad = "type=\"mesh\" mesh=\"roof\"";
  bench.keys = {{"shape", "2 2"}, {"pitch", "0.01 0.008"}, {"center", "0.12 0.21"}};
  const Model m = MustCompile(bench.xml());
  ASSERT_TRUE(m);
  const MarkerScene scene(m.get());
  const MarkerSensor& s = scene.sensors()[0];
  ASSERT_NE(s.X_GP, Pose{});
  // The roof rises by 1 from y = 0.2 to 0.21.
  EXPECT_LT(norm(s.markers_P[0] - Vec3{0.115, 0.206, 0.306}), 1e-7);
  EXPECT_LT(norm(s.markers_P[3] - Vec3{0.125, 0.214, 0.306}), 1e-7);
  EXPECT_LT(s.pad->Value({0.12, 0.21, 0.309}), 0);
  EXPECT_GT(s.pad->Value({0.12, 0.202, 0.309}), 0);
}

TEST(MarkerScene, WhoMayPress) {
  MarkerBench bench;
  bench.pad_more = "<geom name=\"nail\" type=\"sphere\" size=\"0.001\"/>";
  bench.world =
      "<body name=\"tool\" pos=\"0 0 2\"><freejoint/><geom name=\"tip\" type=\"sphere\" "
      "size=\"0.003\"/><geom "
      "name=\"look\" type=\"sphere\" size=\"0.003\" contype=\"0\" conaffinity=\"0\"/></body><geom "
      "name=\"wall\" type=\"sphere\" size=\"0.003\"/>";
  bench.sensors = MarkerSensorXml("all", {{"shape", "1 1"}}) +
                  MarkerSensorXml("tool", {{"shape", "1 1"}, {"objects", "tool"}}) +
                  MarkerSensorXml("named", {{"shape", "1 1"}, {"objects", "look ball"}});
  const Model m = MustCompile(bench.xml());
  ASSERT_TRUE(m);
  const MarkerScene scene(m.get());
  EXPECT_EQ(Objects(m.get(), scene.sensors()[0]), (Names{"ball", "brick", "tip"}));
  EXPECT_EQ(Objects(m.get(), scene.sensors()[1]), (Names{"tip"}));
  EXPECT_EQ(Objects(m.get(), scene.sensors()[2]), (Names{"ball", "look"}));
  // One sample serves all.
  EXPECT_EQ(scene.sensors()[0].objects[2].indenter, scene.sensors()[1].objects[0].indenter);
}

TEST(MarkerScene, PlanesAndGiantsAreLeftOutWithAWarning) {
  MarkerBench bench;
  bench.world =
      "<body mocap=\"true\"><geom name=\"floor\" type=\"plane\" size=\"1 1 1\"/></body><body "
      "mocap=\"true\"><geom name=\"table\" type=\"box\" size=\"1 1 0.1\"/></body>";
  const Warnings warnings;
  const Model m = MustCompile(bench.xml());
  ASSERT_TRUE(m);
  EXPECT_GE(Warnings::Count("sensor 'gel': geom 'floor' is a plane"), 1) << Warnings::Text();
  EXPECT_GE(Warnings::Count("geom 'table' would need"), 1) << Warnings::Text();
  const MarkerScene scene(m.get());
  EXPECT_EQ(Objects(m.get(), scene.sensors()[0]), (Names{"ball", "brick"}));
}

TEST(MarkerScene, RoomIsAsDocumented) {
  MarkerBench bench;
  bench.sensors = MarkerSensorXml("a", {{"shape", "9 7"}, {"objects", "ball"}, {"pitch", "0.001"}}) +
                  MarkerSensorXml("b", {{"shape", "2 2"}, {"capacity", "100"}, {"rate", "60"}});
  const Model m = MustCompile(bench.xml());
  ASSERT_TRUE(m);
  EXPECT_EQ(m->sensor_dim[0], 3 * 63);
  const int a = 2 + 14 * 1 + 5 * 1024, b = 2 + 3 * 4 + 14 * 2 + 5 * 100;
  EXPECT_EQ(m->npluginstate, a + b);
}

TEST(MarkerScene, OneInstanceMayServeSeveralSensors) {
  MarkerBench bench;
  bench.extension =
      "<plugin plugin=\"taxel.markers\"><instance name=\"kind\"><config key=\"shape\" value=\"2 "
      "2\"/></instance></plugin>";
  std::string xml = bench.xml();
  const std::string twice =
      "<sensor><plugin name=\"one\" plugin=\"taxel.markers\" instance=\"kind\" objtype=\"geom\" "
      "objname=\"pad\"/><plugin name=\"two\" plugin=\"taxel.markers\" instance=\"kind\" objtype=\"geom\" "
      "objname=\"brick\"/></sensor>";
  xml.replace(xml.find("<sensor>"), xml.find("</sensor>") + 9 - xml.find("<sensor>"), twice);
  const std::string bare = "<plugin plugin=\"taxel.markers\"/>";
  xml.replace(xml.find(bare), bare.size(), "");
  const Model m = MustCompile(xml);
  ASSERT_TRUE(m);
  const MarkerScene scene(m.get());
  ASSERT_EQ(scene.sensors().size(), 2u);
  EXPECT_EQ(scene.sensors()[1].state_offset, scene.sensors()[0].memory().size());
}

TEST(MarkerScene, WhatIsWrongIsTold) {
  struct Case {
    MarkerKeys keys;
    std::vector<std::string> parts;
  };
  const Case cases[] = {
      {{}, {"sensor 'gel'", "where its markers are", "shape=\"rows columns\""}},
      {{{"shape", "3 3"}, {"points", "0 0 0"}}, {"shape and points", "keep one"}},
      {{{"shape", "3"}}, {"shape=\"3\"", "rows columns"}},
      {{{"shape", "0 3"}}, {"shape=\"0 3\""}},
      {{{"points", "0 0"}}, {"points=\"0 0\"", "x y z"}},
      {{{"points", "0 0 0"}, {"pitch", "1"}}, {"pitch belongs to a grid"}},
      {{{"shape", "3 3"}, {"pitch", "-1"}}, {"pitch=\"-1\""}},
      {{{"shape", "3 30"}, {"pitch", "0.003"}}, {"row 0, column 0", "beside geom 'pad'", "smaller pitch"}},
      {{{"shape", "3 3"}, {"mode", "hydroshear"}}, {"mode=\"hydroshear\"", "taxel, paper or release"}},
      {{{"shape", "3 3"}, {"lambda_d", "0"}}, {"lambda_d=\"0\"", "above 0"}},
      {{{"shape", "3 3"}, {"friction", "-0.1"}}, {"friction=\"-0.1\""}},
      {{{"shape", "3 3"}, {"creep", "2"}}, {"creep=\"2\"", "0 to 1"}},
      {{{"shape", "3 3"}, {"mode", "paper"}, {"squeeze", "2"}}, {"squeeze belongs to mode=\"taxel\""}},
      {{{"shape", "3 3"}, {"mode", "paper"}, {"output", "displacement wrench"}}, {"knows no forces"}},
      {{{"shape", "3 3"}, {"output", "wrench"}}, {"output=\"wrench\"", "displacement wrench"}},
      {{{"shape", "3 3"}, {"distance", "nearest"}}, {"a distance with a gradient"}},
      {{{"shape", "3 3"}, {"backing", "0.001"}}, {"backing is for a mesh"}},
      {{{"shape", "3 3"}, {"substeps", "0"}}, {"substeps=\"0\""}},
      {{{"shape", "3 3"}, {"stiffness_area", "1"}}, {"stiffness_area", "mode=\"paper\""}},
      {{{"shape", "3 3"}, {"mode", "release"}, {"stiffness_area", "1"}},
       {"stiffness_area", "mode=\"paper\""}},
      {{{"shape", "3 3"}, {"pixel", "0"}}, {"pixel=\"0\""}},
      {{{"shape", "3 3"}, {"capacity", "2"}}, {"capacity=\"2\"", "16"}},
      {{{"shape", "3 3"}, {"rate", "0"}}, {"rate=\"0\"", "frames"}},
      {{{"shape", "3 3"}, {"spacing", "1e-3"}}, {"spacing", "exact"}},
      {{{"shape", "3 3"}, {"distance", "voxel"}}, {"distance=\"voxel\"", "trilinear"}},
      {{{"shape", "3 3"}, {"objects", "bal"}}, {"no geom and no body 'bal'"}},
      {{{"shape", "3 3"}, {"objects", "ball ball"}}, {"geom 'ball' twice"}},
      {{{"shape", "3 3"}, {"objects", "pad"}}, {"geom 'pad' is fixed to geom 'pad'"}},
      {{{"shape", "3 3"}, {"objects", "ball"}, {"point_radius", "2e-5"}}, {"geom 'ball' would need"}},
  };
  for (const Case& c : cases) {
    MarkerBench bench;
    bench.sensors = MarkerSensorXml("gel", c.keys);
    const Warnings warnings;
    std::string error;
    const Model m = Compile(bench.xml(), &error);
    EXPECT_FALSE(m) << c.parts[0];
    const std::string said = error + "\n" + Warnings::Text();
    for (const std::string& part : c.parts)
      EXPECT_NE(said.find(part), std::string::npos) << part << "\n" << said;
    EXPECT_NE(said.find("sensor 'gel'"), std::string::npos) << said;
  }
}

TEST(MarkerScene, WrongPlacesAreTold) {
  const auto complaint = [](const MarkerBench& bench) {
    const Warnings warnings;
    std::string error;
    EXPECT_FALSE(Compile(bench.xml(), &error));
    return error + "\n" + Warnings::Text();
  };
  MarkerBench bench;
  bench.pad = "type=\"sphere\" size=\"0.01\"";
  EXPECT_NE(complaint(bench).find("must be a box or a mesh"), std::string::npos);
  bench = {};
  bench.sensors =
      "<plugin name=\"gel\" plugin=\"taxel.markers\" objtype=\"body\" objname=\"finger\"><config "
      "key=\"shape\" value=\"2 2\"/></plugin>";
  EXPECT_NE(complaint(bench).find("must name the gel"), std::string::npos);
  bench.sensors =
      "<plugin name=\"gel\" plugin=\"taxel.markers\" objtype=\"geom\" objname=\"pad\" reftype=\"geom\" "
      "refname=\"ball\"><config key=\"shape\" value=\"2 2\"/></plugin>";
  EXPECT_NE(complaint(bench).find("leave reftype and refname out"), std::string::npos);
  bench = {};
  bench.pad += " contype=\"0\" conaffinity=\"0\"";
  EXPECT_NE(complaint(bench).find("no geom of the model may press"), std::string::npos);
}

}  // namespace
}  // namespace taxel::mujoco
