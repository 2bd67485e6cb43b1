// ParseSensorXml:
//   - Table 2 of the paper in OpenRAVE's form and as printed give the same numbers, and the options of a pad
//   - declarations, comments, byte order marks, CRLF, any case, any order, quotation marks, blanks
//   - several sensors, alone or deep in a robot's file; foreign elements around them are skipped
//   - what is left out with a note: the place on the link, power
//   - wrong input names file, line, element, value and way out: missing, twice, unknown, no number, out of
//     range, wrong type, wrong nesting, cut off anywhere, empty, binary, nested or repeated without end
//   - time is linear in the file
#include "taxel/bristle/sensor_xml.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "../shape/expect_error.h"

namespace taxel {
namespace {

const std::string kPath = "sensors.xml";

// OpenRAVE's form, one element a line: <link> is in line 2, <sensor> in line 3, <thickness> in line 4.
const std::string kOpenRave = R"(<AttachedSensor>
<link>object1</link>
<sensor name="T1" type="SimTactileSensor">
<thickness>0.006</thickness>
<k>58.5</k>
<cn>0.0583</cn>
<sigma0>1.0</sigma0>
<sigma1>0.1</sigma1>
<x0>0.3</x0>
<ct>0.01</ct>
<mus>0.435</mus>
<mud>0.23</mud>
</sensor>
</AttachedSensor>
)";

// Letter by letter as the paper prints it.
const std::string kPrinted = R"(< AttachedSensor >
< link > object1 < /link >
< sensorname = “T1” type = “SimTactileSensor” >
< thickness > 0.006 < /thickness >
< k > 58.5 < /k >
< cn > 0.0583 < /cn >
< sigma0 > 1.0 < /sigma0 >
< sigma1 > 0.1 < /sigma1 >
< x0 > 0.3 < /x0 >
< ct > 0.01 < /ct >
< mus > 0.435 < /mus >
< mud > 0.23 < /mud >

< /sensor >
< /AttachedSensor >
)";

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, text.npos) << "the test replaces '" << from << "', which is not there";
  return text.replace(at, from.size(), to);
}

void ExpectTable2(const SensorXml& s) {
  EXPECT_EQ(s.link, "object1");
  EXPECT_EQ(s.name, "T1");
  EXPECT_EQ(s.thickness, 0.006);
  EXPECT_EQ(s.k, 58.5);
  EXPECT_EQ(s.cn, 0.0583);
  EXPECT_EQ(s.sigma0, 1.0);
  EXPECT_EQ(s.sigma1, 0.1);
  EXPECT_EQ(s.x0, 0.3);
  EXPECT_EQ(s.ct, 0.01);
  EXPECT_EQ(s.mus, 0.435);
  EXPECT_EQ(s.mud, 0.23);
}

SensorXml One(const std::string& text) {
  const std::vector<SensorXml> all = ParseSensorXml(text, kPath);
  EXPECT_EQ(all.size(), 1u);
  return all.at(0);
}

void ExpectWrong(const std::string& text, std::initializer_list<std::string> parts) {
  ExpectError([&] { ParseSensorXml(text, kPath); }, {"sensor file 'sensors.xml'"});
  ExpectError([&] { ParseSensorXml(text, kPath); }, parts);
}

TEST(SensorXml, ReadsTable2InBothForms) {
  const SensorXml written = One(kOpenRave), printed = One(kPrinted);
  ExpectTable2(written);
  ExpectTable2(printed);
  EXPECT_TRUE(written.notes.empty());
  ASSERT_EQ(printed.notes.size(), 1u);
  EXPECT_EQ(printed.notes[0], "line 3: 'sensorname = ' is read as 'sensor name = '");
}

TEST(SensorXml, MakesTheOptionsOfAPad) {
  const BristleOptions o = ToBristleOptions(One(kOpenRave));
  EXPECT_EQ(o.stiffness, 58.5);
  EXPECT_EQ(o.damping, 0.0583);
  EXPECT_EQ(o.depth, 0.012);  // twice the foam
  EXPECT_EQ(o.dead_band, 0);
  EXPECT_TRUE(o.curve.empty());
  EXPECT_TRUE(o.has_friction);
  EXPECT_EQ(o.friction.sigma0, 1.0);
  EXPECT_EQ(o.friction.sigma1, 0.1);
  EXPECT_EQ(o.friction.viscosity, 0.01);
  EXPECT_EQ(o.friction.static_friction, 0.435);
  EXPECT_EQ(o.friction.dynamic_friction, 0.23);
  EXPECT_EQ(o.friction.stribeck_speed, 0.3);
  EXPECT_EQ(o.friction.form, LuGreForm::kPassive);
}

TEST(SensorXml, TakesWhatXmlAllows) {
  ExpectTable2(One("\xEF\xBB\xBF<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<!DOCTYPE robot>\n" + kOpenRave));
  ExpectTable2(One("<!-- <k>7</k> --> " + kOpenRave + "<!-- the end -->"));
  ExpectTable2(One(Replaced(kOpenRave, "58.5", "58<!-- , -->.5")));
  ExpectTable2(One(Replaced(kOpenRave, "\"T1\"", "'T1'")));
  ExpectTable2(One(Replaced(kOpenRave, "58.5", "\n\t+5.85e1\r\n")));
  std::string crlf;
  for (char c : kOpenRave) crlf += c == '\n' ? std::string("\r\n") : std::string(1, c);
  ExpectTable2(One(crlf));
  // names in any case, as OpenRAVE lowers them; values keep theirs
  std::string upper = kOpenRave;
  for (const char* name : {"AttachedSensor", "link", "sensor", "thickness", "sigma0", "mus", "type", "name"})
    for (std::size_t at = 0; (at = upper.find(name, at)) != upper.npos;)
      for (const char* c = name; *c; ++c, ++at) upper[at] = static_cast<char>(std::toupper(*c));
  ExpectTable2(One(upper));
  ExpectTable2(One(Replaced(kOpenRave, "SimTactileSensor", "simtactilesensor")));
  // any order
  ExpectTable2(One(Replaced(Replaced(kOpenRave, "<k>58.5</k>\n", ""), "<mud>", "<k>58.5</k><mud>")));
  const std::string link = "<link>object1</link>\n";
  ExpectTable2(One(Replaced(Replaced(kOpenRave, link, ""), "</AttachedSensor>", link + "</AttachedSensor>")));
}

TEST(SensorXml, NamesAndLinks) {
  EXPECT_EQ(One(Replaced(kOpenRave, "object1", "left &amp; &lt;right&gt;")).link, "left & <right>");
  EXPECT_EQ(One(Replaced(kOpenRave, "\"T1\"", "\"pad 'A', 5 > 4\"")).name, "pad 'A', 5 > 4");
  EXPECT_EQ(One(Replaced(kOpenRave, "\"T1\"", "“Bob’s”")).name, "Bob’s");
  const std::string named = Replaced(kOpenRave, "<AttachedSensor>", "<AttachedSensor name=\"outer\">");
  EXPECT_EQ(One(named).name, "T1");
  EXPECT_EQ(One(Replaced(named, "name=\"T1\" ", "")).name, "outer");
  EXPECT_EQ(One(Replaced(kOpenRave, "name=\"T1\" ", "")).name, "");
}

TEST(SensorXml, SeveralSensorsInARobot) {
  const std::string second = Replaced(Replaced(kOpenRave, "T1", "T2"), "58.5", "22.1");
  const std::string robot =
      "<Robot name=\"hand\"><KinBody><Body><Geom type=\"box\"/><k>x</k></Body></KinBody>\n" + kOpenRave +
      "<Group>" + second + "</Group><sensor type=\"BaseCamera\"><width>640</width></sensor></Robot>";
  const std::vector<SensorXml> all = ParseSensorXml(robot, kPath);
  ASSERT_EQ(all.size(), 2u);
  ExpectTable2(all[0]);
  EXPECT_EQ(all[1].name, "T2");
  EXPECT_EQ(all[1].k, 22.1);
  EXPECT_EQ(ParseSensorXml(kPrinted + kOpenRave, kPath).size(), 2u);  // also without a root
}

TEST(SensorXml, SaysWhatItLeavesOut) {
  const std::string text =
      Replaced(Replaced(kOpenRave, "</link>", "</link>\n<Translation>0 0 0.1</Translation>"), "<mus>",
               "<rotationaxis/><mus>");
  ExpectWrong(text, {"line 12", "<rotationaxis> in <sensor> is not known"});
  const SensorXml s = One(
      Replaced(Replaced(kOpenRave, "</link>",
                        "</link>\n<Translation>0 0 0.1</Translation><rotationaxis>1 0 0 90</rotationaxis>"),
               "<mus>", "<power>1</power><mus>"));
  ExpectTable2(s);
  ASSERT_EQ(s.notes.size(), 3u);
  EXPECT_EQ(s.notes[0], "line 3: <translation> is left out: a pad is where its geom is");
  EXPECT_EQ(s.notes[1], "line 3: <rotationaxis> is left out: a pad is where its geom is");
  EXPECT_EQ(s.notes[2], "line 12: <power> is left out: a pad is always on");
}

TEST(SensorXml, MissingElements) {
  const std::string names[] = {"thickness", "k", "cn", "sigma0", "sigma1", "x0", "ct", "mus", "mud"};
  for (const std::string& name : names) {
    const std::size_t from = kOpenRave.find("<" + name + ">"), to = kOpenRave.find("</" + name + ">\n");
    const std::string text = kOpenRave.substr(0, from) + kOpenRave.substr(to + name.size() + 4);
    ExpectWrong(text, {"line 3", "<sensor> has no <" + name + ">", "add <" + name + ">...</" + name + ">"});
    ExpectWrong(Replaced(kOpenRave, "<" + name + ">", "<" + name + ">0.1</" + name + "><" + name + ">"),
                {"<" + name + "> is there twice", "the first is in line", "remove one"});
  }
  ExpectWrong(Replaced(kOpenRave, "<link>object1</link>", ""), {"line 1", "<AttachedSensor> has no <link>"});
  ExpectWrong(Replaced(kOpenRave, "object1", " "), {"line 2", "<link> is empty"});
  ExpectWrong("<AttachedSensor><link>a</link></AttachedSensor>", {"has no <sensor>", "SimTactileSensor"});
  ExpectWrong("<Robot><AttachedSensor/></Robot>", {"<AttachedSensor> is empty"});
  ExpectWrong("<AttachedSensor><link>a</link><sensor type='SimTactileSensor'/></AttachedSensor>",
              {"<sensor> has no <thickness>"});
  ExpectWrong(Replaced(kOpenRave, "<sensor ", "<sensor name='x' type='SimTactileSensor'></sensor><sensor "),
              {"<sensor> has no <thickness>"});
  ExpectWrong(Replaced(kOpenRave, "</AttachedSensor>", "<link>b</link></AttachedSensor>"),
              {"line 14", "<link> is there twice (the first is in line 2)"});
}

TEST(SensorXml, WrongValues) {
  const auto with = [](const char* k) { return Replaced(kOpenRave, "58.5", k); };
  ExpectWrong(with("58,5"), {"line 5", "<k> is '58,5', not a number", "with a decimal point"});
  ExpectWrong(with("58.5 N/m"), {"<k> is '58.5 N/m', not a number"});
  ExpectWrong(with(""), {"line 5", "<k> is empty", "N/m"});
  ExpectWrong(with("-1"), {"line 5", "<k> is '-1'", "greater than 0"});
  ExpectWrong(with("0"), {"<k> is '0'", "greater than 0"});
  ExpectWrong(with("nan"), {"<k> is 'nan'"});
  ExpectWrong(with("1e999"), {"<k> is '1e999'"});
  ExpectWrong(Replaced(kOpenRave, "0.006", "0"), {"line 4", "<thickness> is '0'", "metres, greater than 0"});
  ExpectWrong(Replaced(kOpenRave, "0.006", "6"), {"<thickness> is '6' m", "millimetres, divide by 1000"});
  ExpectWrong(Replaced(kOpenRave, "0.0583", "-0.1"), {"line 6", "<cn> is '-0.1'", "0 or more (N s/m)"});
  ExpectWrong(Replaced(kOpenRave, "<x0>0.3", "<x0>0"), {"line 9", "<x0> is '0'", "m/s"});
  ExpectWrong(Replaced(kOpenRave, "<sigma0>1.0", "<sigma0>0"), {"line 7", "<sigma0> is '0'", "N/m"});
  ExpectWrong(Replaced(kOpenRave, "<mud>0.23", "<mud>0.5"),
              {"line 3", "<mud> is 0.5 and <mus> is 0.435", "give mud <= mus"});
  // what a pad refuses for its size is refused here
  ExpectWrong(with("1e30"), {"line 3", "stiffness is 1e+30", "N/m"});
  ExpectWrong(Replaced(kOpenRave, "0.006", "1e-9"), {"line 3", "depth is 2e-09"});
  ExpectWrong(Replaced(kOpenRave, "<mus>0.435", "<mus>435"),
              {"line 3", "static friction is 435", "0 to 100"});
  for (const char* name : {"sigma0", "sigma1", "ct", "mus", "mud"})
    ExpectWrong(Replaced(kOpenRave, "<" + std::string(name) + ">", "<" + std::string(name) + ">-"),
                {"<" + std::string(name) + "> is '-"});
  EXPECT_EQ(One(Replaced(kOpenRave, "0.0583", "0")).cn, 0);  // no damping is allowed
}

TEST(SensorXml, UnknownThings) {
  ExpectWrong(Replaced(kOpenRave, "SimTactileSensor", "BaseLaser2D"),
              {"line 3", "the type of <sensor> is 'BaseLaser2D'", "only SimTactileSensor"});
  ExpectWrong(Replaced(kOpenRave, " type=\"SimTactileSensor\"", ""), {"line 3", "<sensor> has no type"});
  ExpectWrong(Replaced(kOpenRave, "</k>", "</k><stiffness>3</stiffness>"),
              {"line 5", "<stiffness> in <sensor> is not known", "thickness, k, cn", "remove it"});
  ExpectWrong(Replaced(kOpenRave, "</link>", "</link><body>3</body>"),
              {"line 2", "<body> in <AttachedSensor> is not known", "link, sensor, translation"});
  ExpectWrong(Replaced(kOpenRave, "<k>", "<k unit=\"N/m\">"),
              {"line 5", "<k> has an attribute 'unit'", "remove it"});
  ExpectWrong(Replaced(kOpenRave, "name=\"T1\"", "file=\"a.xml\""),
              {"<sensor> has an attribute 'file'", "it has name, type"});
  ExpectWrong(Replaced(kOpenRave, "name=\"T1\"", "name=\"a\" NAME=\"b\""), {"the attribute 'name' twice"});
  ExpectWrong(Replaced(kOpenRave, "</k>", "</k> and then"), {"the text 'and then' stands in <sensor>"});
  ExpectWrong(Replaced(kOpenRave, "</link>", "</link> 7"), {"the text '7' stands in <AttachedSensor>"});
  ExpectWrong(Replaced(kOpenRave, "58.5", "<b>58.5</b>"), {"line 5", "<b> stands in <k>", "one value"});
  ExpectWrong(Replaced(kOpenRave, "object1", "a&nbsp;b"), {"line 2", "'&nbsp;' is an entity"});
  ExpectWrong(Replaced(kOpenRave, "58.5", "<![CDATA[58.5]]>"), {"line 5", "CDATA"});
  ExpectWrong("<sensor type=\"simtactilesensor\"/>", {"line 1", "stands outside of an <AttachedSensor>"});
}

TEST(SensorXml, DamagedFiles) {
  ExpectWrong("", {"is empty", "AttachedSensor"});
  ExpectWrong(" \n\t ", {"is empty"});
  ExpectWrong("k = 58.5", {"there is no <AttachedSensor>"});
  ExpectWrong("<Robot/>", {"there is no <AttachedSensor>"});
  ExpectWrong(std::string("<\0A", 3), {"byte 1", "a NUL", "UTF-8"});
  ExpectWrong("\xFF\xFE\x80\x81", {"there is no <AttachedSensor>"});
  ExpectWrong(
      "\x7F"
      "ELF<\x01\x02\xF0>",
      {"line 1", "'<?", "is not well formed"});
  ExpectWrong(Replaced(kOpenRave, "</k>", "</kk>"), {"line 5", "</kk> stands where <k> of line 5 is open"});
  ExpectWrong(Replaced(kOpenRave, "</sensor>\n", ""),
              {"line 13", "</attachedsensor> stands where <sensor> of line 3 is open"});
  ExpectWrong(kOpenRave + "</Robot>", {"line 15", "</robot> closes nothing"});
  ExpectWrong("<Robot>\n" + kOpenRave, {"line 1", "<robot> is never closed", "add </robot>"});
  ExpectWrong(Replaced(kOpenRave, "\"T1\"", "T1"),
              {"line 3", "'name' of <sensor> is not between quotation marks"});
  ExpectWrong("<Robot a=\"T1'>", {"line 1", "'a' of <robot> is not between quotation marks"});
  ExpectWrong(Replaced(kOpenRave, "name=", "name "), {"line 3", "'name' of <sensor> has no value"});
  ExpectWrong("<!-- " + kOpenRave, {"line 1", "'<!--' has no end", "'-->'"});
  ExpectWrong("<?xml " + kOpenRave, {"'<?' has no end"});
  ExpectWrong("< >", {"is not well formed"});
  ExpectWrong("<" + std::string(200, 'a') + ">", {"a name of more than 100 characters"});
  for (std::size_t n = 0; n < kPrinted.rfind('>'); ++n)  // cut off anywhere
    EXPECT_THROW(ParseSensorXml(kPrinted.substr(0, n), kPath), Error) << n;
}

TEST(SensorXml, BombsAreRefusedInLinearTime) {
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += "<a>";
  ExpectWrong(deep, {"line 1", "nested more than 64 deep"});
  std::string attributes = "<a";
  for (int i = 0; i < 100000; ++i) attributes += " b" + std::to_string(i) + "='1'";
  ExpectWrong(attributes + ">", {"more than 32 attributes"});
  std::string notes = Replaced(kOpenRave, "</link>", "</link>@");
  std::string many;
  for (int i = 0; i < 50000; ++i) many += "<quat/>\n";
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(One(Replaced(notes, "@", many)).notes.size(), 50000u);
  std::string sensors;
  for (int i = 0; i < 5000; ++i) sensors += kOpenRave;
  EXPECT_EQ(ParseSensorXml(sensors, kPath).size(), 5000u);
  // quadratic, these two would take a minute
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), 20);
  ExpectWrong(std::string((1 << 24) + 1, ' ') + kOpenRave, {"has 16777", "at most 16 MiB"});
}

TEST(SensorXml, ReadsFiles) {
  const auto path = (std::filesystem::path(testing::TempDir()) / "taxel_sensor.xml").string();
  std::ofstream(path) << kPrinted;
  ExpectTable2(ReadSensorXml(path).at(0));
  std::remove(path.c_str());
  ExpectError([&] { ReadSensorXml(path); }, {"sensor file '" + path + "'", "does not exist"});
  ExpectError([&] { ReadSensorXml(testing::TempDir()); }, {"is a folder"});
}

}  // namespace
}  // namespace taxel
