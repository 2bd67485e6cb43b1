// What a model may say of touch (what it may not: wrong_settings_test.cc):
//   - geoms named by geom, body and material; prm overrides the modulus; every key arrives
//   - attached models: instance, tuple and cs:: entries keep together under a prefix, twice over
//   - cs:: entries of the published plugin
//   - a pair override changes that pair alone; <pair> friction is used; friction of geoms is read at run time
#include "taxel/mujoco/settings.h"

#include <gtest/gtest.h>

#include "settings_model.h"
#include "taxel/mujoco/scene.h"

namespace taxel::mujoco {
using namespace internal;
namespace {

using test::Bench;
using test::Config;
using test::Data;
using test::Element;
using test::Id;
using test::MakeData;
using test::Model;
using test::MustCompile;
using test::Parts;
using test::Tuple;
using test::Warnings;

TEST(Settings, TheRightModelCompilesInSilence) {
  const Warnings warnings;
  const Model m = MustCompile(Parts{}.xml());
  ASSERT_TRUE(m);
  const Data d = MakeData(m);
  test::Step(m, d, 5);
  EXPECT_EQ(Warnings::Text(), "");
}

TEST(Settings, GeomsBodiesAndMaterials) {
  struct {
    const char *type, *name;
    bool pad, bone, ball;
  } cases[] = {{"geom", "pad", true, false, false},
               {"body", "finger", true, true, false},
               {"material", "rubber", true, true, false},
               {"material", "steel", false, false, true}};
  for (const auto& c : cases) {
    Parts p;
    p.tuple = Element(c.type, c.name);
    const Model m = MustCompile(p.xml());
    ASSERT_TRUE(m);
    const Settings s = ReadSettings(m.get());
    EXPECT_EQ(s.geoms[Id(m, mjOBJ_GEOM, "pad")].named, c.pad) << c.name;
    EXPECT_EQ(s.geoms[Id(m, mjOBJ_GEOM, "bone")].named, c.bone) << c.name;
    EXPECT_EQ(s.geoms[Id(m, mjOBJ_GEOM, "ball")].named, c.ball) << c.name;
    EXPECT_FALSE(s.geoms[Id(m, mjOBJ_GEOM, "floor")].named);
  }
}

TEST(Settings, PrmOverridesTheModulus) {
  Parts p;
  p.tuple = Element("geom", "pad", "7e5") + Element("geom", "bone");
  const Model m = MustCompile(p.xml());
  ASSERT_TRUE(m);
  const Settings s = ReadSettings(m.get());
  EXPECT_EQ(s.geoms[Id(m, mjOBJ_GEOM, "pad")].body.modulus, 7e5);
  EXPECT_EQ(s.geoms[Id(m, mjOBJ_GEOM, "bone")].body.modulus, 2e5);
}

TEST(Settings, EveryKeyArrives) {
  Parts p;
  p.instance = Config("modulus", "3e5") + Config("dissipation", "2.5") + Config("friction", "0.8 0.6") +
               Config("field", "backed") + Config("thickness", "0.015") + Config("exposed", "0 -2 0") +
               Config("stiffening_start", "0.7") + Config("core_fraction", "0.2") +
               Config("resolution", "0.004") + Config("anchors", "100") + Config("stribeck_speed", "0.03") +
               Config("shear_stiffness", "0.4") + Config("shear_damping", "0.002") +
               Config("breakaway", "0.5") + Config("coupling", "explicit") + Config("blocks", "25") +
               Config("facets", "14") + Config("show", "false") + Config("show_pressure", "5e4");
  const Model m = MustCompile(p.xml());
  ASSERT_TRUE(m);
  const Settings s = ReadSettings(m.get());
  const GeomSettings& g = s.geoms[Id(m, mjOBJ_GEOM, "pad")];
  EXPECT_EQ(g.body.modulus, 3e5);
  EXPECT_EQ(g.body.dissipation, 2.5);
  EXPECT_TRUE(g.has_friction);
  EXPECT_EQ(g.body.static_friction, 0.8);
  EXPECT_EQ(g.body.dynamic_friction, 0.6);
  EXPECT_EQ(g.body.field.kind, FieldKind::kBacked);
  EXPECT_EQ(g.body.field.thickness, 0.015);
  EXPECT_EQ(g.body.field.exposed, (Vec3{0, -2, 0}));
  EXPECT_EQ(g.body.field.stiffening_start, 0.7);
  EXPECT_EQ(g.body.field.core_fraction, 0.2);
  EXPECT_EQ(g.body.resolution, 0.004);
  EXPECT_EQ(g.anchors, 100);
  EXPECT_EQ(g.stribeck_speed, 0.03);
  EXPECT_EQ(g.shear_ratio, 0.4);
  EXPECT_EQ(g.shear_damping, 0.002);
  EXPECT_EQ(g.breakaway, 0.5);
  EXPECT_EQ(s.coupling, Coupling::kExplicit);
  EXPECT_EQ(s.blocks_per_side, 5);
  EXPECT_EQ(s.facets_across, 14);
  EXPECT_FALSE(s.show_surfaces);
  EXPECT_EQ(s.show_max_pressure, 5e4);
}

// A finger that can be attached: its own instances, tuples and cs:: entry. Attaching keeps only the instances
// that a body, sensor or actuator refers to (engine_pins_test.cc), hence the <plugin> in the bodies.
constexpr char kFinger[] = R"(
    <mujoco model="finger">
      <extension><plugin plugin="taxel"><instance name="skin"><config key="modulus" value="4e5"/></instance>
        <instance name="slick"><config key="pair" value="true"/><config key="friction" value="0.05"/></instance>
      </plugin></extension>
      <custom><tuple name="skin"><element objtype="geom" objname="pad"/></tuple>
        <tuple name="slick"><element objtype="geom" objname="pad"/><element objtype="geom" objname="tip"/></tuple>
        <numeric name="cs::tip" data="6e5 2 0.003 0.7 0.5"/></custom>
      <worldbody><body name="finger"><joint name="bend" axis="0 1 0"/><plugin plugin="taxel" instance="skin"/>
        <geom name="pad" type="box" size="0.01 0.02 0.01" pos="0 0 0.1"/>
        <body name="end" pos="0 0 0.3"><joint axis="1 0 0"/><plugin plugin="taxel" instance="slick"/><geom name="tip" type="sphere" size="0.01"/></body>
      </body></worldbody>
      <sensor><plugin name="feel" plugin="taxel" instance="skin" objtype="geom" objname="pad"/></sensor>
    </mujoco>)";

TEST(Settings, AttachedTwiceUnderPrefixes) {
  Register();
  char error[1000] = "";
  mjSpec* hand = mj_parseXMLString(
      "<mujoco><option cone=\"elliptic\"/><worldbody><geom name=\"floor\" type=\"plane\" size=\"1 1 1\"/>"
      "<body name=\"palm\" pos=\"0 0 1\"><freejoint/><geom name=\"palm\" type=\"box\" size=\"0.05 0.05 "
      "0.01\"/>"
      "</body></worldbody></mujoco>",
      nullptr, error, sizeof(error));
  ASSERT_TRUE(hand) << error;
  std::vector<mjSpec*> fingers;
  for (const char* prefix : {"left_", "right_"}) {
    fingers.push_back(mj_parseXMLString(kFinger, nullptr, error, sizeof(error)));
    ASSERT_TRUE(fingers.back()) << error;
    mjsFrame* frame = mjs_addFrame(mjs_findBody(hand, "palm"), nullptr);
    frame->pos[0] = prefix[0] == 'l' ? -0.2 : 0.2;
    ASSERT_TRUE(mjs_attach(frame->element, mjs_findBody(fingers.back(), "finger")->element, prefix, ""))
        << mjs_getError(hand);
  }
  const Warnings warnings;
  const Model m(mj_compile(hand, nullptr));
  EXPECT_TRUE(m) << mjs_getError(hand) << Warnings::Text();
  if (m) {
    const Settings s = ReadSettings(m.get());
    for (const std::string prefix : {"left_", "right_"}) {
      const int pad = Id(m, mjOBJ_GEOM, (prefix + "pad").c_str()),
                tip = Id(m, mjOBJ_GEOM, (prefix + "tip").c_str());
      ASSERT_GE(pad, 0);
      EXPECT_TRUE(s.geoms[pad].named) << prefix;
      EXPECT_EQ(s.geoms[pad].body.modulus, 4e5) << prefix;
      ASSERT_GE(tip, 0);
      EXPECT_TRUE(s.geoms[tip].named) << prefix << ": the cs:: entry";
      EXPECT_EQ(s.geoms[tip].body.modulus, 6e5) << prefix;
    }
    ASSERT_EQ(s.pairs.size(), 2u);
    EXPECT_NE(s.pairs[0].geom[0], s.pairs[1].geom[0]);
    const Data d = MakeData(m);
    ASSERT_TRUE(d);
    test::Step(m, d, 3);
    EXPECT_EQ(Warnings::Text(), "");
  }
  mj_deleteSpec(hand);
  for (mjSpec* finger : fingers) mj_deleteSpec(finger);
}

TEST(Settings, AttachedByMjcf) {
  Register();
  mjVFS vfs;
  mj_defaultVFS(&vfs);
  const std::string hand = R"(
      <mujoco><option cone="elliptic"/><asset><model name="finger" file="finger.xml"/></asset>
        <worldbody><geom name="floor" type="plane" size="1 1 1"/>
          <body pos="0 0 1"><freejoint/><geom type="box" size="0.05 0.05 0.01"/>
            <frame pos="0.2 0 0"><attach model="finger" body="finger" prefix="f1/"/></frame></body></worldbody>
      </mujoco>)";
  mj_addBufferVFS(&vfs, "finger.xml", kFinger, sizeof(kFinger) - 1);
  mj_addBufferVFS(&vfs, "hand.xml", hand.data(), static_cast<int>(hand.size()));
  char error[1000] = "";
  const Warnings warnings;
  const Model m(mj_loadXML("hand.xml", &vfs, error, sizeof(error)));
  mj_deleteVFS(&vfs);
  ASSERT_TRUE(m) << error << Warnings::Text();
  const Settings s = ReadSettings(m.get());
  EXPECT_EQ(s.geoms[Id(m, mjOBJ_GEOM, "f1/pad")].body.modulus, 4e5);
  EXPECT_EQ(s.geoms[Id(m, mjOBJ_GEOM, "f1/tip")].body.modulus, 6e5);
  ASSERT_EQ(s.pairs.size(), 1u);
}

TEST(Settings, EntriesOfThePublishedPlugin) {
  Parts p;
  p.instance = "";
  p.tuple = "";
  p.custom =
      "<numeric name=\"cs::pad\" data=\"1e5 3 0.002 0.4 0.3\"/><numeric name=\"cs::ball\" data=\"0 0 0 1 "
      "1\"/>"
      "<numeric name=\"cs::VisualizeSurfaces\" data=\"0\"/>"
      "<numeric name=\"cs::ApplyContactSurfaceForces\" data=\"0\"/>"
      "<text name=\"cs::HydroelasticContactRepresentation\" data=\"kPolygon\"/>"
      "<numeric name=\"other\" data=\"1 2 3\"/>";
  const Model m = MustCompile(p.xml());
  ASSERT_TRUE(m);
  const Settings s = ReadSettings(m.get());
  const GeomSettings &pad = s.geoms[Id(m, mjOBJ_GEOM, "pad")], &ball = s.geoms[Id(m, mjOBJ_GEOM, "ball")];
  EXPECT_EQ(pad.body.modulus, 1e5);
  EXPECT_EQ(pad.body.dissipation, 3);
  EXPECT_EQ(pad.body.resolution, 0.002);
  EXPECT_EQ(pad.body.static_friction, 0.4);
  EXPECT_EQ(pad.body.dynamic_friction, 0.3);
  EXPECT_TRUE(ball.named);
  EXPECT_EQ(ball.body.modulus, 0);
  EXPECT_FALSE(s.show_surfaces);
  EXPECT_EQ(s.coupling, Coupling::kSense);
}

TEST(Settings, APairOverridesThatPairAlone) {
  Parts p;
  p.instance += Config("friction", "0.8 0.6") + Config("dissipation", "4") + Config("breakaway", "0.9");
  p.instances = "<instance name=\"slick\">" + Config("pair", "true") + Config("friction", "0.1") +
                Config("shear_stiffness", "0.2") + "</instance>";
  p.custom = Tuple("slick", Element("geom", "ball") + Element("geom", "pad"));
  const Model m = MustCompile(p.xml());
  ASSERT_TRUE(m);
  const Scene scene(m.get());
  const int pad = Id(m, mjOBJ_GEOM, "pad"), ball = Id(m, mjOBJ_GEOM, "ball"),
            floor = Id(m, mjOBJ_GEOM, "floor");
  const PairParameters with = scene.Parameters(m.get(), pad, ball),
                       without = scene.Parameters(m.get(), floor, pad);
  EXPECT_EQ(with.friction.static_friction, 0.1);
  EXPECT_EQ(with.friction.dynamic_friction, 0.1);
  EXPECT_EQ(with.friction.shear_ratio, 0.2);
  EXPECT_EQ(with.friction.breakaway, 0.9);  // not given: that of the geom
  EXPECT_EQ(with.dissipation, 4);
  // Harmonic mean with the floor's own MuJoCo friction.
  EXPECT_DOUBLE_EQ(without.friction.static_friction, 2 * 0.8 * 0.9 / (0.8 + 0.9));
  EXPECT_DOUBLE_EQ(without.friction.dynamic_friction, 2 * 0.6 * 0.9 / (0.6 + 0.9));
  EXPECT_EQ(without.friction.shear_ratio, 0.7);
}

TEST(Settings, ANativePairIsLeftToMuJoCo) {
  Bench bench;
  bench.instances =
      "<instance name=\"hard\"><config key=\"pair\" value=\"true\"/><config key=\"native\" "
      "value=\"true\"/></instance>";
  bench.custom =
      "<tuple name=\"hard\"><element objtype=\"geom\" objname=\"pad\"/><element objtype=\"geom\" "
      "objname=\"block\"/></tuple>";
  const Model m = MustCompile(bench.xml());
  ASSERT_TRUE(m);
  const Data d = MakeData(m);
  mj_forward(m.get(), d.get());
  EXPECT_GT(d->ncon, 0);
  EXPECT_LE(d->ncon, 8);
  EXPECT_EQ(FindRuntime(m.get(), d.get())->Touches(m.get(), d.get()).size(), 0u);
}

TEST(Settings, FrictionOfAnExplicitPairIsUsed) {
  Parts p;
  p.instance += Config("friction", "0.8");
  p.rest = "<contact><pair geom1=\"pad\" geom2=\"ball\" friction=\"0.25 0.25 0 0 0\"/></contact>";
  const Model m = MustCompile(p.xml());
  ASSERT_TRUE(m);
  const Scene scene(m.get());
  const PairParameters pair = scene.Parameters(m.get(), Id(m, mjOBJ_GEOM, "pad"), Id(m, mjOBJ_GEOM, "ball"));
  EXPECT_EQ(pair.friction.static_friction, 0.25);
  EXPECT_EQ(pair.friction.dynamic_friction, 0.25);
}

TEST(Settings, FrictionOfTheGeomsIsReadAtRunTime) {
  const Model m = MustCompile(Parts{}.xml());
  ASSERT_TRUE(m);
  const Scene scene(m.get());
  const int pad = Id(m, mjOBJ_GEOM, "pad"), ball = Id(m, mjOBJ_GEOM, "ball");
  EXPECT_DOUBLE_EQ(scene.Parameters(m.get(), pad, ball).friction.static_friction, 2 * 0.6 * 0.3 / 0.9);
  m->geom_friction[3 * ball] = 0.6;
  EXPECT_DOUBLE_EQ(scene.Parameters(m.get(), pad, ball).friction.static_friction, 0.6);
}

TEST(Settings, MaterialsFromOutsideComeOnTop) {
  const Model m = MustCompile(Parts{}.xml());
  ASSERT_TRUE(m);
  const int pad = Id(m, mjOBJ_GEOM, "pad"), ball = Id(m, mjOBJ_GEOM, "ball");
  const Settings s = ReadSettings(m.get(), {{"foam", {{"modulus", "5e4"}, {"anchors", "64"}}, {pad, ball}}});
  EXPECT_EQ(s.geoms[pad].body.modulus, 5e4);
  EXPECT_EQ(s.geoms[ball].body.modulus, 5e4);
  EXPECT_EQ(s.geoms[ball].anchors, 64);
  EXPECT_THROW(ReadSettings(m.get(), {{"foam", {{"stiffness", "5e4"}}, {pad}}}), std::exception);
}

TEST(Settings, SceneFollowsMuJoCosFilters) {
  Parts p;
  p.tuple = Element("body", "finger");
  p.rest = "<contact><exclude body1=\"finger\" body2=\"thing\"/></contact>";
  const Model m = MustCompile(p.xml());
  ASSERT_TRUE(m);
  const Scene scene(m.get());
  const int pad = Id(m, mjOBJ_GEOM, "pad"), bone = Id(m, mjOBJ_GEOM, "bone"),
            ball = Id(m, mjOBJ_GEOM, "ball"), floor = Id(m, mjOBJ_GEOM, "floor");
  EXPECT_TRUE(scene.Candidate(pad, floor));
  EXPECT_FALSE(scene.Candidate(pad, bone));  // one body
  EXPECT_FALSE(scene.Candidate(pad, ball));  // excluded
  EXPECT_FALSE(scene.geoms()[ball].shape);   // so it needs no body at all
  EXPECT_TRUE(scene.geoms()[floor].shape);
}

}  // namespace
}  // namespace taxel::mujoco
