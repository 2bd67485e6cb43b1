// What does not change while a model runs:
//   - candidates: one geom is soft, and MuJoCo's filters let the two meet
//   - who owns the anchors: the soft geom, never a plane, the small object, the finer of two soft ones
//   - one scene for equal models, another one after a size changed
//   - anchors fit the room of the saved state
#include "taxel/mujoco/scene.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "test_model.h"

namespace taxel::mujoco {
using namespace internal;
namespace {

using test::Bench;
using test::Id;
using test::Model;
using test::MustCompile;

std::set<std::string> Candidates(const Model& m, const Scene& scene) {
  std::set<std::string> out;
  for (const auto& [a, b] : scene.candidates()) {
    EXPECT_LT(a, b);
    EXPECT_TRUE(scene.Candidate(a, b) && scene.Candidate(b, a));
    out.insert(mj_id2name(m.get(), mjOBJ_GEOM, a) + std::string(" ") + mj_id2name(m.get(), mjOBJ_GEOM, b));
  }
  return out;
}

std::string Material(const char* name, const char* geom, const std::string& config, Bench* bench) {
  bench->instances += std::string("<instance name=\"") + name + "\">" + config + "</instance>";
  bench->custom += std::string("<tuple name=\"") + name + "\"><element objtype=\"geom\" objname=\"" + geom +
                   "\"/></tuple>";
  return bench->xml();
}

TEST(Scene, CandidatesFollowTheFiltersOfMujoco) {
  Bench bench;
  bench.world = R"(<geom name="floor" type="plane" size="1 1 1" pos="0 0 -1"/>
      <body name="ghost" pos="0 0 1"><freejoint/>
        <geom name="ghost" size="0.01" contype="0" conaffinity="0"/></body>
      <body name="kept_off" pos="0 0 2"><freejoint/><geom name="kept_off" size="0.01"/></body>
      <body name="forced" pos="0 0 3"><freejoint/>
        <geom name="forced" size="0.01" contype="0" conaffinity="0"/></body>
      <body name="ball" pos="0 0 4"><freejoint/><geom name="ball" size="0.01"/></body>)";
  bench.rest =
      R"(<contact><exclude body1="world" body2="kept_off"/><pair geom1="forced" geom2="pad"/></contact>)";
  const Model m = MustCompile(bench.xml());
  ASSERT_TRUE(m);
  const Scene scene(m.get());
  // The floor is rigid and welded to the pad; block and ball may meet, but both are rigid.
  EXPECT_EQ(Candidates(m, scene), (std::set<std::string>{"pad block", "pad forced", "pad ball"}));
  for (const char* out : {"floor", "ghost", "kept_off"})
    EXPECT_EQ(scene.geoms()[Id(m, mjOBJ_GEOM, out)].shape, nullptr) << out;
}

TEST(Scene, ParentAndChildMeetOnlyWithoutTheFilter) {
  for (const bool filter : {true, false}) {
    Bench bench;
    if (!filter) bench.rest = "<option><flag filterparent=\"disable\"/></option>";
    bench.body = R"(<geom name="same" size="0.01"/>
        <body pos="0 0 0.03"><joint type="hinge"/><geom name="child" size="0.01"/></body>)";
    const Model m =
        MustCompile(Material("rubber", "block", "<config key=\"modulus\" value=\"1e5\"/>", &bench));
    ASSERT_TRUE(m);
    std::set<std::string> expected{"pad block", "pad same", "pad child"};
    if (!filter) expected.insert("block child");
    EXPECT_EQ(Candidates(m, Scene(m.get())), expected) << filter;
  }
}

TEST(Scene, TheSoftGeomOwnsUnlessItIsAPlaneOrTheOtherIsSmall) {
  Bench bench;
  bench.world = R"(<geom name="floor" type="plane" size="1 1 1" pos="0 0 -1"/>
      <body pos="0 0 1"><freejoint/><geom name="pea" size="0.004"/></body>)";
  const Model m = MustCompile(
      Material("mud", "floor", R"(<config key="modulus" value="1e5"/><config key="thickness" value="0.01"/>)",
               &bench));
  ASSERT_TRUE(m);
  const Scene scene(m.get());
  const int pad = Id(m, mjOBJ_GEOM, "pad"), block = Id(m, mjOBJ_GEOM, "block"),
            pea = Id(m, mjOBJ_GEOM, "pea"), floor = Id(m, mjOBJ_GEOM, "floor");
  for (const bool swap : {false, true}) {
    const auto owner = [&](int a, int b) { return swap ? scene.Owner(b, a) : scene.Owner(a, b); };
    EXPECT_EQ(owner(pad, block), pad);
    EXPECT_EQ(owner(floor, block), block);
    EXPECT_EQ(owner(pad, pea), pea);  // anchors 3.6 mm apart know little of a pea of 4 mm
  }
  // Only owners have anchors.
  EXPECT_TRUE(scene.geoms()[pad].owns && scene.geoms()[block].owns && scene.geoms()[pea].owns);
  EXPECT_FALSE(scene.geoms()[floor].owns);
  EXPECT_EQ(scene.geoms()[floor].first_anchor, -1);
}

TEST(Scene, OfTwoSoftGeomsTheFinerOwns) {
  for (const char* anchors : {"1024", "32"}) {
    Bench bench;
    const Model m = MustCompile(
        Material("rubber", "block",
                 std::string("<config key=\"modulus\" value=\"1e5\"/><config key=\"anchors\" value=\"") +
                     anchors + "\"/>",
                 &bench));
    ASSERT_TRUE(m);
    const Scene scene(m.get());
    const int pad = Id(m, mjOBJ_GEOM, "pad"), block = Id(m, mjOBJ_GEOM, "block");
    const int finer = scene.geoms()[pad].anchor_spacing < scene.geoms()[block].anchor_spacing ? pad : block;
    EXPECT_EQ(finer, std::string(anchors) == "32" ? pad : block);
    EXPECT_EQ(scene.Owner(pad, block), finer);
    EXPECT_EQ(scene.Owner(block, pad), finer);
    EXPECT_FALSE(scene.geoms()[finer == pad ? block : pad].owns);
  }
}

TEST(Scene, EqualModelsShareOneUntilASizeChanges) {
  const Model one = MustCompile(Bench().xml()), two = MustCompile(Bench().xml());
  ASSERT_TRUE(one && two);
  const auto scene = Scene::Of(one.get());
  EXPECT_EQ(Scene::Of(one.get()), scene);
  EXPECT_EQ(Scene::Of(two.get()), scene);
  const int block = Id(two, mjOBJ_GEOM, "block");
  const double size = two->geom_size[3 * block];
  two->geom_size[3 * block] = 1.1 * size;
  const auto changed = Scene::Of(two.get());
  EXPECT_NE(changed, scene);
  EXPECT_NE(changed->geoms()[block].signature, scene->geoms()[block].signature);
  const int pad = Id(two, mjOBJ_GEOM, "pad");
  EXPECT_EQ(changed->geoms()[pad].signature, scene->geoms()[pad].signature);
  two->geom_size[3 * block] = size;
  EXPECT_EQ(Scene::Of(two.get()), scene);
}

TEST(Scene, AnchorsFitTheRoom) {
  Bench bench;
  // One place in the model names ten geoms.
  bench.body = "<body name=\"hand\" pos=\"0 0 1\"><joint type=\"hinge\"/>";
  for (int i = 0; i < 10; ++i)
    bench.body += "<geom size=\"0.01\" pos=\"" + std::to_string(0.05 * i) + " 0 0\" name=\"tip" +
                  std::to_string(i) + "\"/>";
  bench.body += "</body>";
  bench.instances = "<instance name=\"tips\"><config key=\"modulus\" value=\"1e5\"/></instance>";
  bench.custom = "<tuple name=\"tips\"><element objtype=\"body\" objname=\"hand\"/></tuple>";
  const Model m = MustCompile(bench.xml());
  ASSERT_TRUE(m);
  const Scene scene(m.get());
  EXPECT_EQ(AnchorRoom(m.get()), 2 * kDefaultAnchors);
  EXPECT_LE(scene.num_anchors(), AnchorRoom(m.get()));
  EXPECT_GE(scene.num_anchors(), AnchorRoom(m.get()) / 2);
  int owners = 0, next = 0;
  for (int i = 0; i < m->ngeom; ++i) {
    const SceneGeom& g = scene.geoms()[i];
    if (!g.owns) continue;
    const int count = g.shape->anchors(m.get(), i).count();
    EXPECT_EQ(g.first_anchor, next);
    EXPECT_GE(count, 4);
    EXPECT_LE(count, g.shape->max_anchors());
    next += g.shape->max_anchors();
    ++owners;
  }
  EXPECT_EQ(next, scene.num_anchors());
  EXPECT_GE(owners, 10);
}

TEST(Scene, ModelsThatDifferInTuplesAloneDoNotShareAScene) {
  // The same elements in the same order, cut otherwise.
  const auto model = [](const char* first, const char* second) {
    return MustCompile(std::string(R"(<mujoco><option cone="elliptic"/><extension><plugin plugin="taxel">
        <instance name="a"><config key="modulus" value="1e6"/></instance>
        <instance name="b"><config key="modulus" value="1e4"/></instance></plugin></extension>
        <custom><tuple name="a">)") +
                       first + "</tuple><tuple name=\"b\">" + second + R"(</tuple></custom>
        <worldbody><geom name="x" size="0.1"/><geom name="y" size="0.1" pos="1 0 0"/>
        <geom name="z" size="0.1" pos="2 0 0"/>
        <body pos="0 0 1"><freejoint/><geom name="ball" size="0.01"/></body></worldbody></mujoco>)");
  };
  const std::string x = R"(<element objtype="geom" objname="x"/>)",
                    y = R"(<element objtype="geom" objname="y"/>)",
                    z = R"(<element objtype="geom" objname="z"/>)";
  const Model one = model(x.c_str(), (y + z).c_str()), two = model((x + y).c_str(), z.c_str());
  const auto a = Scene::Of(one.get()), b = Scene::Of(two.get());
  EXPECT_EQ(a->settings().geoms[Id(one, mjOBJ_GEOM, "y")].body.modulus, 1e4);
  EXPECT_EQ(b->settings().geoms[Id(two, mjOBJ_GEOM, "y")].body.modulus, 1e6);
}

}  // namespace
}  // namespace taxel::mujoco
