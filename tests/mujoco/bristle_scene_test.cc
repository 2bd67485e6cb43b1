// Bristles in MuJoCo, who touches whom:
//   - many objects on one pad; boxes, balls, meshes with hollows; what weighs is what is felt
//   - pads that are boxes, cylinders and balls with grids around them, meshes with a bristle a vertex; two
//   pads
//   - a finger that moves its pad against something fixed: the taxels feel the actuator; a pad under a foot
//   - bristles given from outside the model (a reader)
//   - a coarser sensor on the same bristles, and a skin on what they press, feel the same force
//   - friction: that of the bristles, else of both geoms (a rigid one may be named and given its own), of a
//     <pair>, of a pair instance; native pairs
//   - what a model must not say, and that each message has the way out
#include <gtest/gtest.h>

#include <cmath>

#include "bristle_model.h"

namespace taxel::mujoco {
namespace {

using test::BodyXml;
using test::BristleBench;
using test::Configs;
using test::Data;
using test::Free;
using test::Id;
using test::MakeData;
using test::Model;
using test::MustCompile;
using test::SumOfTaxels;
using test::UpAndDown;
using test::Warnings;

constexpr double kG = 9.81;

// A mesh of boxes side by side: closed, and with a hollow between them.
std::string BoxesMesh(const std::string& name, const std::vector<std::pair<Vec3, Vec3>>& boxes) {
  std::string vertices, faces;
  const int box[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                          {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  for (std::size_t b = 0; b < boxes.size(); ++b) {
    const auto& [c, half] = boxes[b];
    for (int i = 0; i < 8; ++i)
      vertices += test::Text({c.x + (i & 1 ? half.x : -half.x), c.y + (i & 2 ? half.y : -half.y),
                              c.z + (i & 4 ? half.z : -half.z)}) +
                  " ";
    for (const auto& t : box)
      for (int k : t) faces += std::to_string(8 * b + k) + " ";
  }
  return "<mesh name=\"" + name + "\" vertex=\"" + vertices + "\" face=\"" + faces + "\"/>";
}

TEST(BristleScene, ManyObjectsOnOnePad) {
  BristleBench bench;
  bench.Set("shape", "20 14");
  bench.Set("stiffness", "300").Set("sigma0", "300").Set("damping", "1");
  bench.assets = BoxesMesh("table", {{{0, 0, 0.006}, {0.008, 0.008, 0.002}},
                                     {{-0.006, 0, 0}, {0.002, 0.008, 0.0041}},
                                     {{0.006, 0, 0}, {0.002, 0.008, 0.0041}}});
  bench.objects =
      BodyXml("cube", {-0.01, -0.02, 0.0062}, Free(), "type=\"box\" size=\"0.007 0.006 0.006\"", 0.1) +
      BodyXml("ball", {0.009, -0.018, 0.0081}, UpAndDown(), "type=\"sphere\" size=\"0.009\"", 0.15) +
      BodyXml("table", {-0.009, 0.015, 0.006}, UpAndDown(), "type=\"mesh\" mesh=\"table\"", 0.2) +
      BodyXml("rod", {0.01, 0.015, 0.0051}, UpAndDown(),
              "type=\"capsule\" size=\"0.006 0.005\" axisangle=\"0.3 1 0 90\"", 0.12);
  const Model m = MustCompile(bench.xml());
  ASSERT_TRUE(m);
  const Data d = MakeData(m);
  test::Step(m, d, 800);
  EXPECT_NEAR(SumOfTaxels(m, d, 280), (0.1 + 0.15 + 0.2 + 0.12) * kG, 1e-5);
  const auto& touches = FindRuntime(m.get(), d.get())->Touches(m.get(), d.get());
  EXPECT_EQ(touches.size(), 4u);
  for (const Touch* t : touches) {
    const int object = t->owner_is_2() ? t->geom1 : t->geom2;
    const double mass = m->body_mass[m->geom_bodyid[object]];
    EXPECT_NEAR(std::fabs(t->wrench.force.z), mass * kG, 1e-5) << object;
  }
  // Under the table's hollow nothing is felt.
  const Layout& layout = test::Sensor(m, d).skin->layout();
  int hollow = 0;
  for (int i = 0; i < layout.count(); ++i)
    if (std::fabs(layout.points[i].x + 0.009) < 0.0035 && std::fabs(layout.points[i].y - 0.015) < 0.006) {
      ++hollow;
      EXPECT_EQ(test::SensorData(m, d)[i], 0);
    }
  EXPECT_GT(hollow, 3);
}

TEST(BristleScene, PadsOfAllShapes) {
  const struct {
    const char *name, *pad, *assets;
    test::Keys keys;
    int taxels;
    double top;
  } pads[] = {
      {"cylinder",
       "type=\"cylinder\" size=\"0.02 0.03\" axisangle=\"1 0 0 90\"",
       "",
       {{"shape", "16 40"}},
       640,
       0.02},
      {"half of a cylinder",
       "type=\"cylinder\" size=\"0.02 0.03\" axisangle=\"1 0 0 90\"",
       "",
       {{"shape", "16 20"}, {"around", "0 180"}},
       320,
       0.02},
      {"ball", "type=\"sphere\" size=\"0.02\"", "", {{"shape", "20 30"}, {"along", "-85 85"}}, 600, 0.02},
      {"capsule",
       "type=\"capsule\" size=\"0.015 0.02\" axisangle=\"0 1 0 90\"",
       "",
       {{"shape", "12 30"}},
       360,
       0.015},
      {"points",
       "type=\"box\" size=\"0.02 0.02 0.01\"",
       "",
       {{"points", "0.01 0.01 0.01 -0.01 0.01 0.01 0 -0.012 0.01 0.001 0 0.01"}},
       4,
       0.01},
      {"poisson",
       "type=\"box\" size=\"0.02 0.02 0.01\"",
       "",
       {{"layout", "poisson"}, {"count", "90"}, {"direction", "0 0 1"}, {"within", "30"}},
       90,
       0.01}};
  for (const auto& p : pads) {
    BristleBench bench;
    bench.Set("shape", "").Set("friction", "0.9 0.7").Set("stiffness", "2000").Set("damping", "5");
    for (const auto& [key, value] : p.keys) bench.Set(key, value);
    bench.pad = p.pad;
    // The grid of a lying cylinder begins at its own x axis; a plate from above meets its middle either way.
    bench.objects = BodyXml("plate", {0.003, 0.002, p.top + 0.0095}, UpAndDown(),
                            "type=\"box\" size=\"0.05 0.05 0.01\" euler=\"2 -1 20\"", 0.3);
    const Model m = MustCompile(bench.xml());
    ASSERT_TRUE(m) << p.name;
    const Data d = MakeData(m);
    test::Step(m, d, 1000);
    const SkinSensor& sensor = test::Sensor(m, d);
    ASSERT_EQ(sensor.skin->count(), p.taxels) << p.name;
    const Layout& layout = sensor.skin->layout();
    // On a curved pad a taxel tells the part along its own normal; with shear it is the whole force.
    const mjtNum* x = test::SensorData(m, d);
    Vec3 sum;
    for (int i = 0; i < p.taxels; ++i)
      sum += x[p.taxels + i] * layout.axes[i] + x[2 * p.taxels + i] * layout.second_axis(i) -
             x[i] * layout.normals[i];
    const Vec3 acts = test::TouchForce(m, d, Id(m, mjOBJ_GEOM, "pad"));
    EXPECT_LT(norm(sum - acts), 1e-9) << p.name;
    EXPECT_NEAR((GeomPose(d.get(), Id(m, mjOBJ_GEOM, "pad")).R * acts).z, -0.3 * kG, 1e-5) << p.name;
  }
}

TEST(BristleScene, ABristleAtEveryVertex) {
  BristleBench bench;
  bench.assets = BoxesMesh(
      "brush", {{{0, 0, -0.005}, {0.015, 0.012, 0.005}}, {{0.03, 0, -0.004}, {0.006, 0.006, 0.004}}});
  bench.Set("shape", "").Set("layout", "vertices").Set("taxels", "16").Set("depth", "0.003");
  bench.pad = "type=\"mesh\" mesh=\"brush\"";
  bench.objects =
      BodyXml("plate", {0.01, 0, 0.0095}, UpAndDown(), "type=\"box\" size=\"0.06 0.06 0.01\"", 0.2);
  const Model m = MustCompile(bench.xml());
  ASSERT_TRUE(m);
  const Data d = MakeData(m);
  test::Step(m, d, 1000);
  // The upper corners of both boxes; their normals lean outwards by 54.7 degrees.
  const mjtNum* x = test::SensorData(m, d);
  int pressed = 0;
  for (int i = 0; i < 16; ++i) pressed += x[i] > 0;
  EXPECT_EQ(pressed, 8);
  const int pad = Id(m, mjOBJ_GEOM, "pad");
  EXPECT_NEAR((GeomPose(d.get(), pad).R * test::TouchForce(m, d, pad)).z, -0.2 * kG, 1e-5);
  // Without a sensor the number need not be told.
  bench.sensor = false;
  bench.Set("taxels", "");
  EXPECT_TRUE(MustCompile(bench.xml()));
}

TEST(BristleScene, PadAgainstPad) {
  BristleBench bench;
  bench.objects =
      BodyXml("upper", {0.001, 0.002, 0.0098}, UpAndDown(), "type=\"box\" size=\"0.018 0.025 0.01\"", 0.5);
  bench.instances =
      "<instance name=\"up\">" +
      Configs({{"stiffness", "500"}, {"depth", "0.004"}, {"shape", "7 5"}, {"face", "-z"}, {"unit", "N"}}) +
      "</instance>";
  bench.custom = "<tuple name=\"up\"><element objtype=\"geom\" objname=\"upper\"/></tuple>";
  bench.sensors =
      "<plugin name=\"above\" plugin=\"taxel\" instance=\"up\" objtype=\"geom\" objname=\"upper\"/>";
  const Model m = MustCompile(bench.xml());
  ASSERT_TRUE(m);
  const Data d = MakeData(m);
  test::Step(m, d, 600);
  EXPECT_NEAR(SumOfTaxels(m, d, 48), 0.5 * kG, 1e-6);
  EXPECT_NEAR(SumOfTaxels(m, d, 35, "above"), 0.5 * kG, 1e-6);
}

TEST(BristleScene, AFingerPressesSomethingFixed) {
  for (const char* integrator : {"implicitfast", "discrete"}) {
    BristleBench bench;
    bench.integrator = integrator;
    bench.gravity = {0, 0, 0};
    bench.pad_body =
        "<body name=\"finger\" pos=\"0 0 0\"><joint name=\"push\" type=\"slide\" axis=\"0 0 1\"/>";
    bench.pad_body_end = "</body>";
    bench.pad += " mass=\"0.05\"";
    bench.objects = "<geom name=\"post\" type=\"cylinder\" size=\"0.012 0.02\" pos=\"0.002 0.003 0.0205\"/>";
    bench.rest = "<actuator><motor joint=\"push\" ctrlrange=\"-10 10\"/></actuator>";
    const Model m = MustCompile(bench.xml());
    ASSERT_TRUE(m);
    const Data d = MakeData(m);
    for (double push : {0.5, 2.0, 8.0, 1.0}) {
      d->ctrl[0] = push;
      test::Step(m, d, 400);
      EXPECT_NEAR(SumOfTaxels(m, d, 48), push, 1e-6) << integrator;
    }
  }
}

TEST(BristleScene, APadFallsOnAFloor) {
  BristleBench bench;
  bench.Set("face", "-z");
  bench.pad_body = "<body name=\"foot\" pos=\"0.1 0.2 0.0065\" axisangle=\"0 0 1 40\"><freejoint/>";
  bench.pad_body_end = "</body>";
  bench.pad += " mass=\"0.25\"";
  bench.objects = "<geom name=\"floor\" type=\"plane\" size=\"1 1 0.1\" axisangle=\"1 0 0 4\"/>";
  for (const char* integrator : {"Euler", "implicitfast", "discrete"}) {
    bench.integrator = integrator;
    const Model m = MustCompile(bench.xml());
    ASSERT_TRUE(m);
    const Data d = MakeData(m);
    d->qpos[2] = 0.0065 + 0.2 * std::tan(4 * M_PI / 180);
    test::Step(m, d, 1000);
    const int pad = Id(m, mjOBJ_GEOM, "pad");
    EXPECT_LT(norm(GeomPose(d.get(), pad).R * test::TouchForce(m, d, pad) - Vec3{0, 0, 0.25 * kG}), 1e-5);
    // The foot follows the floor: every bristle presses alike.
    const mjtNum* x = test::SensorData(m, d);
    for (int i = 0; i < 48; ++i)
      EXPECT_NEAR(x[i], 0.25 * kG * std::cos(4 * M_PI / 180) / 48, 0.2 * 0.05) << i;
  }
}

TEST(BristleScene, GivenFromOutside) {
  // A model without the plugin, and bristles that somebody gives it to look with.
  const Model m =
      MustCompile("<mujoco><worldbody><geom name=\"pad\" type=\"box\" size=\"0.02 0.03 0.003\"/>" +
                  BodyXml("ball", {0, 0, 0.0125}, Free(), "type=\"sphere\" size=\"0.01\"", 0.1) +
                  "</worldbody></mujoco>");
  ASSERT_TRUE(m);
  const std::vector<GivenMaterial> given = {
      {"brush", {{"stiffness", "500"}, {"depth", "0.004"}, {"shape", "9 7"}}, {Id(m, mjOBJ_GEOM, "pad")}}};
  const std::vector<GivenSensor> sensors = {{"each", 0, {{"unit", "N"}}}, {"few", 0, {{"shape", "2 2"}}}};
  const Scene scene(m.get(), given, sensors);
  ASSERT_EQ(scene.skins().size(), 2u);
  EXPECT_EQ(scene.skins()[0].skin->count(), 63);  // where nothing else is said, each bristle is a taxel
  EXPECT_EQ(scene.skins()[1].skin->count(), 4);
  for (int t : scene.skins()[1].taxel_of_point) EXPECT_TRUE(t >= 0 && t < 4);
}

TEST(BristleScene, OtherSensorsFeelTheSameForce) {
  BristleBench bench;
  bench.gravity = {1.5, 0.7, -9};
  bench.objects =
      BodyXml("cube", {0.002, -0.003, 0.0098}, Free(), "type=\"box\" size=\"0.016 0.022 0.01\"", 0.5);
  bench.sensors =
      test::TouchSensor("coarse", {{"shape", "2 3"}, {"unit", "N"}, {"output", "pressure shear"}}) +
      test::TouchSensor(
          "object", {{"shape", "4 5"}, {"face", "-z"}, {"unit", "N"}, {"output", "pressure shear"}}, "cube") +
      test::TouchSensor(
          "whole", {{"points", "0 0 0.003"}, {"radius", "0.1"}, {"unit", "N"}, {"output", "pressure shear"}});
  const Model m = MustCompile(bench.xml());
  ASSERT_TRUE(m);
  const Data d = MakeData(m);
  test::Step(m, d, 800);
  const Vec3 weight = 0.5 * bench.gravity;
  const struct {
    const char* name;
    int skin, taxels;
    double sign;
  } all[] = {{"touch", 0, 48, 1}, {"coarse", 1, 6, 1}, {"object", 2, 20, -1}, {"whole", 3, 1, 1}};
  for (const auto& s : all) {
    const Layout& layout = test::Sensor(m, d, s.skin).skin->layout();
    const mjtNum* x = test::SensorData(m, d, s.name);
    Vec3 sum;
    for (int i = 0; i < s.taxels; ++i)
      sum += x[s.taxels + i] * layout.axes[i] + x[2 * s.taxels + i] * layout.second_axis(i) -
             x[i] * layout.normals[i];
    const int geom = test::Sensor(m, d, s.skin).geom;
    EXPECT_LT(norm(GeomPose(d.get(), geom).R * sum - s.sign * weight), 1e-5) << s.name;
  }
}

TEST(BristleScene, WhoseFriction) {
  // A plank pulled along by 3 N, pressed down by 10 N: it slides where mu < 0.3.
  const auto mu = [](const std::string& pad, const std::string& instances, const std::string& custom,
                     const std::string& geom, const std::string& rest = "") {
    BristleBench bench;
    bench.gravity = {3, 0, -10};
    bench.Set("friction", pad).Set("sigma1", "0");
    bench.instances = instances, bench.custom = custom, bench.rest = rest;
    bench.objects =
        BodyXml("plank", {0, 0, 0.0098}, std::string("<joint type=\"slide\" axis=\"1 0 0\"/>") + UpAndDown(),
                "type=\"box\" size=\"0.9 0.8 0.01\" " + geom, 1);
    const Model m = MustCompile(bench.xml());
    const Data d = MakeData(m);
    d->qvel[0] = 0.5;
    test::Step(m, d, 30);
    const double v = d->qvel[0];
    test::Step(m, d, 10);
    return (3 - (d->qvel[0] - v) / 0.02) / 10;
  };
  const double near = 1e-3;
  EXPECT_NEAR(mu("0.2 0.1", "", "", "friction=\"0.9\""), 0.1, near);  // as it was measured
  EXPECT_NEAR(mu("", "", "", "friction=\"0.2\""), 2 * 0.2 * 1 / 1.2, near);
  const std::string ice = "<instance name=\"ice\">" + Configs({{"modulus", "0"}, {"friction", "0.05 0.04"}}) +
                          "</instance>",
                    iced = "<tuple name=\"ice\"><element objtype=\"geom\" objname=\"plank\"/></tuple>";
  EXPECT_NEAR(mu("", ice, iced, ""), 2 * 0.04 / 1.04, near);
  EXPECT_NEAR(mu("0.2 0.1", ice, iced, ""), 0.1, near);
  const std::string oil = "<instance name=\"oil\">" + Configs({{"pair", "true"}, {"friction", "0.15 0.12"}}) +
                          "</instance>",
                    oiled =
                        "<tuple name=\"oil\"><element objtype=\"geom\" objname=\"plank\"/><element "
                        "objtype=\"geom\" objname=\"pad\"/></tuple>";
  EXPECT_NEAR(mu("0.2 0.1", oil, oiled, ""), 0.12, near);
  const std::string pair = "<contact><pair geom1=\"pad\" geom2=\"plank\" friction=\"0.22 0.22\"/></contact>";
  EXPECT_NEAR(mu("0.2 0.1", "", "", "contype=\"0\" conaffinity=\"0\"", pair), 0.22, near);
  EXPECT_NEAR(mu("0.2 0.1", oil, oiled, "contype=\"0\" conaffinity=\"0\"", pair), 0.12, near);
}

TEST(BristleScene, ANativePairIsMuJoCos) {
  BristleBench bench;
  bench.objects = BodyXml("cube", {0, 0, 0.0099}, Free(), "type=\"box\" size=\"0.01 0.01 0.01\"", 0.2);
  bench.instances =
      "<instance name=\"no\">" + Configs({{"pair", "true"}, {"native", "true"}}) + "</instance>";
  bench.custom =
      "<tuple name=\"no\"><element objtype=\"geom\" objname=\"pad\"/><element objtype=\"geom\" "
      "objname=\"cube\"/></tuple>";
  const Model m = MustCompile(bench.xml());
  ASSERT_TRUE(m);
  const Data d = MakeData(m);
  test::Step(m, d, 100);
  EXPECT_EQ(SumOfTaxels(m, d, 48), 0);
  ASSERT_GT(d->ncon, 0);
  for (int c = 0; c < d->ncon; ++c) EXPECT_EQ(d->contact[c].frame[2] != 0, true);
}

TEST(BristleScene, MessagesHaveTheWayOut) {
  const auto refuses = [](const BristleBench& bench, const std::string& who, const std::string& way) {
    Warnings warnings;
    std::string error;
    EXPECT_FALSE(test::Compile(bench.xml(), &error)) << who;
    const std::string all = error + warnings.Text();
    EXPECT_NE(all.find(who), std::string::npos) << who << " is not in: " << all;
    EXPECT_NE(all.find(way), std::string::npos) << way << " is not in: " << all;
  };
  BristleBench good;
  good.objects = BodyXml("cube", {0, 0, 0.02}, Free(), "type=\"box\" size=\"0.01 0.01 0.01\"", 0.2);
  ASSERT_TRUE(MustCompile(good.xml()));
  const auto with = [&](const std::string& key, const std::string& value) {
    BristleBench b = good;
    b.Set(key, value);
    return b;
  };
  for (const char* key : {"modulus", "dissipation", "anchors", "shear_stiffness", "shear_damping",
                          "breakaway", "resolution", "core_fraction", "stiffening_start"})
    refuses(with(key, "1"), std::string("plugin instance 'pad' gives ") + key + " and stiffness",
            "remove one");
  refuses(with("stiffness", "-1"), "plugin instance 'pad': stiffness=\"-1\"", "in N/m above 0");
  refuses(with("depth", ""), "plugin instance 'pad': bristles need depth", "thickness");
  refuses(with("stiffness", ""), "plugin instance 'pad' gives damping, which belongs to bristles",
          "add <config key=\"stiffness\"");
  BristleBench b = with("shape", "");
  b.sensor = false;
  refuses(b, "plugin instance 'pad': there is no layout", "give shape=");
  refuses(with("readout", "rays"), "sensor 'touch': geom 'pad' has bristles", "leave it out");
  b = good;
  b.sensor = false;
  b.Set("unit", "N");
  refuses(b, "plugin instance 'pad' gives unit", "add <sensor>");
  b = with("shape", "");
  b.Set("layout", "poisson").Set("spacing", "0.003");
  refuses(b, "bristles and room for the friction of", "give taxels=");

  b = good;
  b.custom = "<tuple name=\"soft\"><element objtype=\"geom\" objname=\"cube\"/></tuple>";
  b.instances = "<instance name=\"soft\">" + Configs({{"modulus", "1e5"}}) + "</instance>";
  refuses(b, "geom 'pad' has bristles and geom 'cube' is soft", "<exclude>");
  b.rest = "<contact><exclude body1=\"world\" body2=\"cube\"/></contact>";
  EXPECT_TRUE(MustCompile(b.xml()));
  b.rest = "";
  b.sensors = test::TouchSensor("other", {{"shape", "2 2"}, {"output", "saturated"}}, "cube");
  b.rest = "<contact><exclude body1=\"world\" body2=\"cube\"/></contact>";
  refuses(b, "sensor 'other': output has \"saturated\", but geom 'cube' has no bristles", "");

  for (const char* key : {"dissipation", "shear_stiffness", "shear_damping", "breakaway"}) {
    b = good;
    b.instances = "<instance name=\"two\">" + Configs({{"pair", "true"}, {key, "0.5"}}) + "</instance>";
    b.custom =
        "<tuple name=\"two\"><element objtype=\"geom\" objname=\"pad\"/><element objtype=\"geom\" "
        "objname=\"cube\"/></tuple>";
    refuses(b, "plugin instance 'two': the pair of geom 'pad' and geom 'cube' has bristles", "remove");
  }
  b.instances = "<instance name=\"two\">" + Configs({{"pair", "true"}, {"sigma0", "3"}}) + "</instance>";
  refuses(b, "plugin instance 'two': sigma0 belongs to a geom", "a pair takes dissipation, friction");
  b = good;
  std::string xml = b.xml();
  b.custom = "<tuple name=\"more\"><element objtype=\"geom\" objname=\"cube\" prm=\"1e5\"/></tuple>";
  b.instances = "<instance name=\"more\">" +
                Configs({{"stiffness", "9"}, {"depth", "0.01"}, {"shape", "2 2"}}) + "</instance>";
  refuses(b, "tuple 'more', element 0: prm=\"1e+05\" would be a modulus", "leave it out");

  // Two pads by one element: there is room to remember one.
  b = good;
  b.pad += " material=\"rubber\"";
  b.assets = "<material name=\"rubber\"/>";
  b.objects +=
      "<geom name=\"pad2\" material=\"rubber\" type=\"box\" size=\"0.02 0.03 0.003\" pos=\"0.1 0 0\"/>";
  xml = b.xml();
  const std::string one = "objtype=\"geom\" objname=\"pad\"/></tuple>";
  xml.replace(xml.find(one), one.size(), "objtype=\"material\" objname=\"rubber\"/></tuple>");
  Warnings warnings;
  std::string error;
  EXPECT_FALSE(test::Compile(xml, &error));
  EXPECT_NE((error + warnings.Text()).find("96 bristles and room for the friction of 48; name each pad"),
            std::string::npos)
      << error << warnings.Text();
}

}  // namespace
}  // namespace taxel::mujoco
