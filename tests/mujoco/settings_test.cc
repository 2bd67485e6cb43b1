// What a model may say of touch:
//   - wrong models do not compile, and the message names the element, the value and the way out
//   - geoms named by geom, body and material; prm overrides the modulus; every key arrives
//   - attached models: instance, tuple and cs:: entries keep together under a prefix, twice over
//   - cs:: entries of the published plugin
//   - a pair override changes that pair alone; <pair> friction is used; friction of geoms is read at run time
#include "taxel/mujoco/settings.h"

#include <gtest/gtest.h>

#include "taxel/mujoco/scene.h"
#include "test_model.h"

namespace taxel::mujoco {
namespace {

using test::Bench;
using test::Compile;
using test::Data;
using test::Id;
using test::MakeData;
using test::Model;
using test::MustCompile;
using test::Warnings;

// Two geoms on the floor, and the plugin.
struct Parts {
  std::string option = "cone=\"elliptic\"";
  std::string instance = "<config key=\"modulus\" value=\"2e5\"/>";
  std::string instances;
  std::string tuple = "<element objtype=\"geom\" objname=\"pad\"/>";
  std::string custom;
  std::string asset;
  std::string world;
  std::string rest;

  std::string xml() const {
    return "<mujoco><option " + option + "/><extension><plugin plugin=\"taxel\"><instance name=\"skin\">" +
           instance + "</instance>" + instances +
           "</plugin></extension><asset><material name=\"rubber\"/><material name=\"steel\"/>" + asset +
           "</asset><custom>" + (tuple.empty() ? "" : "<tuple name=\"skin\">" + tuple + "</tuple>") + custom +
           "</custom><worldbody><geom name=\"floor\" type=\"plane\" size=\"1 1 0.1\" friction=\"0.9\"/>"
           "<body name=\"finger\" pos=\"0 0 0.1\"><freejoint/>"
           "<geom name=\"pad\" type=\"box\" size=\"0.02 0.03 0.01\" material=\"rubber\" friction=\"0.6\"/>"
           "<geom name=\"bone\" type=\"capsule\" size=\"0.01 0.02\" pos=\"0 0 0.03\" material=\"rubber\"/>"
           "<site name=\"spot\"/></body>"
           "<body name=\"thing\" pos=\"0 0 0.2\"><freejoint/>"
           "<geom name=\"ball\" type=\"sphere\" size=\"0.02\" material=\"steel\" friction=\"0.3\"/></body>" +
           world + "</worldbody>" + rest + "</mujoco>";
  }
};
std::string Config(const std::string& key, const std::string& value) {
  return "<config key=\"" + key + "\" value=\"" + value + "\"/>";
}
std::string Element(const std::string& type, const std::string& name, const std::string& prm = "") {
  return "<element objtype=\"" + type + "\" objname=\"" + name + "\"" +
         (prm.empty() ? "" : " prm=\"" + prm + "\"") + "/>";
}
std::string Tuple(const std::string& name, const std::string& elements) {
  return "<tuple name=\"" + name + "\">" + elements + "</tuple>";
}

struct Wrong {
  const char* what;
  Parts parts;
  std::vector<std::string> message;
};
Parts With(const std::string& key, const std::string& value) {
  Parts p;
  p.instance += Config(key, value);
  return p;
}
Parts Modulus(const std::string& value) {
  Parts p;
  p.instance = Config("modulus", value);
  return p;
}
template <class Change>
Parts Changed(Change&& change) {
  Parts p;
  change(p);
  return p;
}

std::vector<Wrong> WrongModels() {
  const std::string skin = "plugin instance 'skin'";
  return {
      {"no modulus",
       Changed([](Parts& p) { p.instance = Config("friction", "0.5"); }),
       {skin, "tuple 'skin'", "no modulus", "<config key=\"modulus\""}},
      {"negative modulus", Modulus("-3"), {skin, "modulus=\"-3\"", "Pa", "at least 0"}},
      {"modulus is no number", Modulus("soft"), {skin, "modulus=\"soft\"", "number"}},
      {"modulus with a unit", Modulus("1e5Pa"), {skin, "modulus=\"1e5Pa\"", "number"}},
      {"modulus is nan", Modulus("nan"), {skin, "modulus=\"nan\"", "number"}},
      {"two moduli", Modulus("1e5 2e5"), {skin, "modulus=\"1e5 2e5\""}},
      {"dissipation", With("dissipation", "-1"), {skin, "dissipation=\"-1\"", "s/m"}},
      {"static below dynamic",
       With("friction", "0.3 0.5"),
       {skin, "friction=\"0.3 0.5\"", "static >= dynamic"}},
      {"three frictions",
       With("friction", "0.5 0.4 0.3"),
       {skin, "friction=\"0.5 0.4 0.3\"", "one coefficient"}},
      {"field", With("field", "spring"), {skin, "field=\"spring\"", "distance, backed or laplace"}},
      {"thickness", With("thickness", "0"), {skin, "thickness=\"0\"", "m"}},
      {"exposed", With("exposed", "0 0 0"), {skin, "exposed=\"0 0 0\"", "three numbers"}},
      {"stiffening", With("stiffening_start", "1.5"), {skin, "stiffening_start=\"1.5\"", "0.01 and 0.99"}},
      {"core", With("core_fraction", "0"), {skin, "core_fraction=\"0\"", "fraction"}},
      {"resolution", With("resolution", "100"), {skin, "resolution=\"100\"", "m"}},
      {"anchors not whole", With("anchors", "32.5"), {skin, "anchors=\"32.5\"", "4 to 65536"}},
      {"too few anchors", With("anchors", "1"), {skin, "anchors=\"1\"", "4 to 65536"}},
      {"breakaway", With("breakaway", "2"), {skin, "breakaway=\"2\"", "LuGre"}},
      {"shear stiffness", With("shear_stiffness", "0"), {skin, "shear_stiffness=\"0\"", "ratio"}},
      {"shear damping", With("shear_damping", "-1"), {skin, "shear_damping=\"-1\"", "time"}},
      {"stribeck", With("stribeck_speed", "0"), {skin, "stribeck_speed=\"0\"", "speed"}},
      {"coupling", With("coupling", "implicit"), {skin, "coupling=\"implicit\"", "rows, explicit or sense"}},
      {"blocks", With("blocks", "15"), {skin, "blocks=\"15\"", "square"}},
      {"facets", With("facets", "1"), {skin, "facets=\"1\"", "2 to 200"}},
      {"show", With("show", "maybe"), {skin, "show=\"maybe\"", "true or false"}},
      {"show pressure", With("show_pressure", "-5"), {skin, "show_pressure=\"-5\"", "Pa"}},
      {"unknown key", With("stiffness", "3"), {"stiffness"}},
      {"no tuple",
       Changed([](Parts& p) { p.tuple = ""; }),
       {skin, "modulus", "no tuple 'skin'", "<tuple name=\"skin\">"}},
      {"geom twice",
       Changed([](Parts& p) {
         p.instances = "<instance name=\"other\">" + Config("modulus", "1e6") + "</instance>";
         p.custom = Tuple("other", Element("body", "finger"));
       }),
       {"geom 'pad'", "'skin'", "'other'", "one material"}},
      {"geom twice in a tuple",
       Changed([](Parts& p) { p.tuple += Element("body", "finger"); }),
       {"geom 'pad'", "'skin'", "one material"}},
      {"prm",
       Changed([](Parts& p) { p.tuple = Element("geom", "pad", "-1e5"); }),
       {"tuple 'skin'", "element 0", "prm=\"-1e+05\"", "modulus", "leave it out"}},
      {"a soft site",
       Changed([](Parts& p) { p.tuple = Element("geom", "pad") + Element("site", "spot"); }),
       {"tuple 'skin'", "element 1", "\"site\"", "geom, body or material"}},
      {"native without pair",
       With("native", "true"),
       {skin, "native", "<config key=\"pair\" value=\"true\"/>"}},
      {"pair of one",
       Changed([](Parts& p) {
         p.instances = "<instance name=\"two\">" + Config("pair", "true") + "</instance>";
         p.custom = Tuple("two", Element("geom", "pad"));
       }),
       {"'two'", "exactly two", "holds 1"}},
      {"pair with a body",
       Changed([](Parts& p) {
         p.instances = "<instance name=\"two\">" + Config("pair", "true") + "</instance>";
         p.custom = Tuple("two", Element("geom", "pad") + Element("body", "thing"));
       }),
       {"'two'", "objtype geom"}},
      {"pair of the same",
       Changed([](Parts& p) {
         p.instances = "<instance name=\"two\">" + Config("pair", "true") + "</instance>";
         p.custom = Tuple("two", Element("geom", "pad") + Element("geom", "pad"));
       }),
       {"'two'", "same geom twice"}},
      {"pair with a modulus",
       Changed([](Parts& p) {
         p.instances =
             "<instance name=\"two\">" + Config("pair", "true") + Config("modulus", "1e5") + "</instance>";
         p.custom = Tuple("two", Element("geom", "pad") + Element("geom", "ball"));
       }),
       {"'two'", "modulus belongs to a geom", "friction"}},
      {"pair twice",
       Changed([](Parts& p) {
         p.instances = "<instance name=\"two\">" + Config("pair", "true") +
                       "</instance><instance name=\"more\">" + Config("pair", "true") + "</instance>";
         p.custom = Tuple("two", Element("geom", "pad") + Element("geom", "ball")) +
                    Tuple("more", Element("geom", "ball") + Element("geom", "pad"));
       }),
       {"geom 'pad'", "geom 'ball'", "'two'", "'more'", "keep one"}},
      {"pair without tuple",
       Changed([](Parts& p) {
         p.instances = "<instance name=\"two\">" + Config("pair", "true") + "</instance>";
       }),
       {"'two'", "no tuple 'two'"}},
      {"two opinions",
       Changed([](Parts& p) {
         p.instance += Config("blocks", "16");
         p.instances = "<instance name=\"view\">" + Config("blocks", "9") + "</instance>";
       }),
       {"'view'", "blocks=\"9\"", "'skin'", "\"16\"", "once"}},
      {"cs without geom",
       Changed([](Parts& p) { p.custom = "<numeric name=\"cs::paws\" data=\"1e5 1 0.01 0.5 0.4\"/>"; }),
       {"numeric 'cs::paws'", "no geom 'paws'"}},
      {"cs with four values",
       Changed([](Parts& p) { p.custom = "<numeric name=\"cs::ball\" data=\"1e5 1 0.01 0.5\"/>"; }),
       {"numeric 'cs::ball'", "4 values", "needs 5"}},
      {"cs negative",
       Changed([](Parts& p) { p.custom = "<numeric name=\"cs::ball\" data=\"1e5 1 0.01 -0.5 0.4\"/>"; }),
       {"numeric 'cs::ball'", "value 4", "-0.5", "at least 0"}},
      {"cs and tuple",
       Changed([](Parts& p) { p.custom = "<numeric name=\"cs::pad\" data=\"1e5 1 0.01 0.5 0.4\"/>"; }),
       {"geom 'pad'", "'skin'", "'cs::pad'", "one material"}},
      {"cs switch",
       Changed([](Parts& p) { p.custom = "<numeric name=\"cs::VisualizeSurfaces\" data=\"2\"/>"; }),
       {"cs::VisualizeSurfaces", "0 or 1"}},
      {"cs representation",
       Changed([](Parts& p) {
         p.custom = "<text name=\"cs::HydroelasticContactRepresentation\" data=\"kVoxel\"/>";
       }),
       {"cs::HydroelasticContactRepresentation", "kVoxel", "kTriangle or kPolygon"}},
      {"soft plane",
       Changed([](Parts& p) { p.tuple = Element("geom", "floor"); }),
       {"geom 'floor'", "soft plane", "thickness", "<config key=\"thickness\""}},
      {"hfield",
       Changed([](Parts& p) {
         p.asset = "<hfield name=\"hills\" nrow=\"4\" ncol=\"4\" size=\"1 1 0.1 0.1\"/>";
         p.world = "<geom name=\"hills\" type=\"hfield\" hfield=\"hills\"/>";
         p.tuple = Element("geom", "hills");
       }),
       {"geom 'hills'", "height field", "cannot be soft", "mesh"}},
      {"nothing soft", Modulus("0"), {"no geom is soft", "modulus"}},
      {"pyramidal",
       Changed([](Parts& p) { p.option = "cone=\"pyramidal\""; }),
       {"elliptic", "<option cone=\"elliptic\"/>"}},
      {"RK4", Changed([](Parts& p) { p.option += " integrator=\"RK4\""; }), {"RK4", "implicitfast"}},
      {"noslip",
       Changed([](Parts& p) { p.option += " noslip_iterations=\"3\""; }),
       {"noslip", "noslip_iterations=\"0\""}},
      {"explicit RK4",
       Changed([](Parts& p) {
         p.option = "integrator=\"RK4\"";
         p.instance += Config("coupling", "explicit");
       }),
       {"explicit", "RK4", "Euler"}},
      {"sensor on a site",
       Changed([](Parts& p) {
         p.rest =
             "<sensor><plugin name=\"touch\" plugin=\"taxel\" instance=\"skin\" objtype=\"site\" "
             "objname=\"spot\"/></sensor>";
       }),
       {"sensor 'touch'", "geom"}},
      {"sensor against a site",
       Changed([](Parts& p) {
         p.rest =
             "<sensor><plugin name=\"touch\" plugin=\"taxel\" instance=\"skin\" objtype=\"geom\" "
             "objname=\"pad\" "
             "reftype=\"site\" refname=\"spot\"/></sensor>";
       }),
       {"sensor 'touch'", "second object", "geom"}},
  };
}

TEST(Settings, WrongModelsDoNotCompile) {
  for (const Wrong& wrong : WrongModels()) {
    const Warnings warnings;
    std::string error;
    const Model m = Compile(wrong.parts.xml(), &error);
    if (m) {
      ADD_FAILURE() << wrong.what << ": compiled";
      continue;
    }
    for (const std::string& part : wrong.message)
      EXPECT_NE(error.find(part), std::string::npos) << wrong.what << ": '" << part << "' not in: " << error;
    // Once, and nowhere else: what MuJoCo finds by itself has no "taxel: ".
    const std::size_t ours = error.find("taxel: ");
    EXPECT_TRUE(ours == std::string::npos || error.find("taxel: ", ours + 1) == std::string::npos)
        << wrong.what << ": " << error;
    EXPECT_EQ(Warnings::Text(), "") << wrong.what;
  }
}

TEST(Settings, FlagsThatExcludeEachOther) {
  // Flags are an element of their own.
  struct {
    const char *flag, *coupling, *message;
  } cases[] = {{"diagexact=\"enable\"", "rows", "diagexact"},
               {"override=\"enable\"", "rows", "override"},
               {"sleep=\"enable\"", "rows", "the friction of a sleeping body would be forgotten"},
               {"spring=\"disable\" damper=\"disable\"", "explicit", "spring"}};
  for (const auto& c : cases) {
    const Warnings warnings;
    Parts p;
    p.instance += Config("coupling", c.coupling);
    std::string xml = p.xml();
    xml.replace(xml.find("/><extension>"), 2, std::string("><flag ") + c.flag + "/></option>");
    std::string error;
    const Model m = Compile(xml, &error);
    EXPECT_FALSE(m) << c.flag;
    EXPECT_NE(error.find(c.message), std::string::npos) << error;
  }
}

// MuJoCo hides the flag while it compiles; what one compilation saw must not reach the next.
TEST(Settings, SleepIsSeenOfItsOwnModelAlone) {
  const Warnings warnings;
  Parts p;
  std::string sleeping = p.xml(), error;
  sleeping.replace(sleeping.find("/><extension>"), 2, "><flag sleep=\"enable\"/></option>");
  for (int k = 0; k < 3; ++k) {
    EXPECT_FALSE(Compile(sleeping, &error)) << k;
    EXPECT_NE(error.find("sleep"), std::string::npos) << error;
    EXPECT_TRUE(Compile(p.xml(), &error)) << error;
  }
  // Contact that is MuJoCo's own may sleep.
  p.instance += Config("coupling", "sense");
  sleeping = p.xml();
  sleeping.replace(sleeping.find("/><extension>"), 2, "><flag sleep=\"enable\"/></option>");
  const Model m = MustCompile(sleeping);
  ASSERT_TRUE(m);
  const Data d = MakeData(m);
  test::Step(m, d, 3);
}

// As taxel.soften leaves it behind when one of its geoms is deleted: no tuple, and the names in a text.
TEST(Settings, ADeletedGeomIsNamed) {
  const Warnings warnings;
  std::string xml = Parts{}.xml(), error;
  const std::size_t begin = xml.find("<tuple"), end = xml.find("</tuple>") + 8;
  xml.replace(begin, end - begin, "<text name=\"skin::geoms\" data=\"pad foot\"/>");
  EXPECT_FALSE(Compile(xml, &error));
  EXPECT_NE(error.find("of which 'foot' was deleted"), std::string::npos) << error;
}

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
