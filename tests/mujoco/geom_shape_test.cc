// What is made from the shape of a geom:
//   - rigid meshes when something soft comes near, everything else with the scene
//   - equal shapes once, under whatever name; shapes that differ in a number are their own
//   - one body for many threads that ask at once
//   - late or early, the same bits
//   - what is wrong is still said when the model compiles, and names the geom it is about
#include "taxel/mujoco/geom_shape.h"

#include <gtest/gtest.h>

#include <cstring>
#include <thread>

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

// A skew prism; `far` copies hang above, out of reach.
std::string Prism(const char* name, const char* scale = "1 1 1") {
  return std::string("<mesh name=\"") + name + "\" scale=\"" + scale +
         "\" vertex=\"0 0 0 0.02 0 0 0.004 0.018 0 0.003 0.002 0.015 0.023 0.002 0.015 0.007 0.02 0.015\"/>";
}

Bench Prisms() {
  Bench bench;
  bench.rest = "<asset>" + Prism("a") + Prism("b") + Prism("large", "1.1 1 1") + "</asset>";
  bench.world = R"(<body name="low" pos="-0.02 0.01 0.009"><freejoint/>
        <geom name="low" type="mesh" mesh="a" mass="0.1"/></body>
      <body pos="0 0 1"><freejoint/><geom name="high" type="mesh" mesh="b" mass="0.1"/></body>
      <body pos="0 0 2"><freejoint/><geom name="large" type="mesh" mesh="large" mass="0.1"/></body>
      <body pos="0 0 3"><freejoint/><geom name="egg" type="ellipsoid" size="0.01 0.02 0.03"/></body>
      <body pos="0 0 4"><freejoint/><geom name="egg2" type="ellipsoid" size="0.01 0.02 0.03"/></body>)";
  return bench;
}

const GeomShape* ShapeOf(const Model& m, const Scene& scene, const char* geom) {
  return scene.geoms()[Id(m, mjOBJ_GEOM, geom)].shape.get();
}

TEST(GeomShape, RigidMeshesWaitUntilSomethingSoftIsNear) {
  const Model m = MustCompile(Prisms().xml());
  ASSERT_TRUE(m);
  const Data d = MakeData(m);
  const Scene& scene = FindRuntime(m.get(), d.get())->scene();
  EXPECT_TRUE(ShapeOf(m, scene, "pad")->has_body());
  EXPECT_TRUE(ShapeOf(m, scene, "egg")->has_body());
  EXPECT_FALSE(ShapeOf(m, scene, "large")->has_body());
  test::Step(m, d, 50);
  EXPECT_TRUE(ShapeOf(m, scene, "low")->has_body());
  EXPECT_FALSE(ShapeOf(m, scene, "large")->has_body());
  mj_forward(m.get(), d.get());
  EXPECT_EQ(FindRuntime(m.get(), d.get())->Touches(m.get(), d.get()).size(), 2u);
}

TEST(GeomShape, EqualShapesAreOne) {
  const Model m = MustCompile(Prisms().xml());
  ASSERT_TRUE(m);
  const Scene scene(m.get());
  EXPECT_EQ(ShapeOf(m, scene, "low"), ShapeOf(m, scene, "high"));  // two meshes of the same triangles
  EXPECT_EQ(ShapeOf(m, scene, "egg"), ShapeOf(m, scene, "egg2"));
  EXPECT_NE(ShapeOf(m, scene, "low"), ShapeOf(m, scene, "large"));
  // The same size, but a material of its own.
  Bench bench = Prisms();
  bench.instances = "<instance name=\"soft\"><config key=\"modulus\" value=\"1e5\"/></instance>";
  bench.custom = "<tuple name=\"soft\"><element objtype=\"geom\" objname=\"egg2\"/></tuple>";
  const Model other = MustCompile(bench.xml());
  ASSERT_TRUE(other);
  const Scene two(other.get());
  EXPECT_NE(ShapeOf(other, two, "egg"), ShapeOf(other, two, "egg2"));
  EXPECT_TRUE(ShapeOf(other, two, "egg2")->body(other.get(), Id(other, mjOBJ_GEOM, "egg2")).soft());
}

TEST(GeomShape, ManyThreadsGetOneBody) {
  const Model m = MustCompile(Prisms().xml());
  ASSERT_TRUE(m);
  const Scene scene(m.get());
  const int geom = Id(m, mjOBJ_GEOM, "large");
  const Body* bodies[8] = {};
  const Anchors* anchors[8] = {};
  scene.geoms()[geom].shape->ReserveAnchors(20, 3);
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&, i] {
      anchors[i] = &scene.geoms()[geom].shape->anchors(m.get(), geom);
      bodies[i] = &scene.geoms()[geom].shape->body(m.get(), geom);
    });
  for (std::thread& t : threads) t.join();
  for (int i = 1; i < 8; ++i) {
    EXPECT_EQ(bodies[i], bodies[0]);
    EXPECT_EQ(anchors[i], anchors[0]);
  }
}

TEST(GeomShape, LateIsTheSameAsEarly) {
  const Model m = MustCompile(Prisms().xml());
  ASSERT_TRUE(m);
  const Data first = MakeData(m);
  test::Step(m, first, 60);  // makes the prism on the way
  const Data second = MakeData(m);
  test::Step(m, second, 60);
  EXPECT_EQ(0, std::memcmp(first->qpos, second->qpos, m->nq * sizeof(mjtNum)));
  EXPECT_EQ(0, std::memcmp(first->plugin_state, second->plugin_state, m->npluginstate * sizeof(mjtNum)));
}

TEST(GeomShape, WrongOnesAreStillCompileErrors) {
  Bench bench = Prisms();
  bench.rest = "<asset>" + Prism("a") + Prism("b") + Prism("large", "1e5 1e5 1e5") + "</asset>";
  std::string error;
  EXPECT_FALSE(test::Compile(bench.xml(), &error));
  EXPECT_NE(error.find("body 'large': the mesh is"), std::string::npos) << error;
  EXPECT_NE(error.find("more than 1000 m; taxel works in metres"), std::string::npos) << error;
  // A sensor on the second of two equal geoms: the message speaks of that one.
  bench = Prisms();
  bench.instances =
      R"(<instance name="taxels"><config key="layout" value="vertices"/><config key="taxels" value="9"/></instance>)";
  bench.rest += R"(<sensor><plugin name="s" plugin="taxel" instance="taxels" objtype="geom" objname="egg2"/>
      </sensor>)";
  error.clear();
  EXPECT_FALSE(test::Compile(bench.xml(), &error));
  EXPECT_NE(error.find("body 'egg2'"), std::string::npos) << error;
  EXPECT_EQ(error.find("'egg'"), std::string::npos) << error;
}

}  // namespace
}  // namespace taxel::mujoco
