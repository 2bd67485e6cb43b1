// Wrong models do not compile, and the message names the element, the value and the way out:
//   - values, tuples, pairs, cs:: entries, options and flags of MuJoCo
//   - sleep, which MuJoCo hides while it compiles; a geom that was deleted after soften
#include <gtest/gtest.h>

#include "settings_model.h"
#include "taxel/mujoco/settings.h"

namespace taxel::mujoco {
namespace {

using test::Compile;
using test::Config;
using test::Data;
using test::Element;
using test::MakeData;
using test::Model;
using test::MustCompile;
using test::Parts;
using test::Tuple;
using test::Warnings;

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
      {"field", With("field", "spring"), {skin, "field=\"spring\"", "distance, backed, laplace or columns"}},
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

}  // namespace
}  // namespace taxel::mujoco
