#include "taxel/bristle/sensor_xml.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "taxel/bristle/loose_tags.h"
#include "taxel/math/error.h"
#include "taxel/shape/read_file.h"
#include "taxel/shape/text_scan.h"

namespace taxel {
using namespace internal;

namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 24;
constexpr const char* kTooLarge = "at most 16 MiB are read: take the sensors out into a file of their own";

struct Parameter {
  const char* name;
  double SensorXml::*member;
  bool may_be_zero;
  const char* allowed;
};
constexpr Parameter kParameters[] = {
    {"thickness", &SensorXml::thickness, false, "the thickness of the foam in metres, greater than 0"},
    {"k", &SensorXml::k, false, "a stiffness greater than 0 (N/m)"},
    {"cn", &SensorXml::cn, true, "a damping of 0 or more (N s/m)"},
    {"sigma0", &SensorXml::sigma0, false, "a stiffness greater than 0 (N/m)"},
    {"sigma1", &SensorXml::sigma1, true, "a damping of 0 or more (N s/m)"},
    {"x0", &SensorXml::x0, false, "the Stribeck speed, greater than 0 (m/s)"},
    {"ct", &SensorXml::ct, true, "a damping of 0 or more (N s/m)"},
    {"mus", &SensorXml::mus, true, "a friction coefficient of 0 or more"},
    {"mud", &SensorXml::mud, true, "a friction coefficient of 0 or more"},
};
constexpr const char* kType = "SimTactileSensor";
constexpr double kThickest = 0.5;  // m: more was given in millimetres

// As people write it; the tags come in lower case.
std::string Shown(const std::string& name) { return name == "attachedsensor" ? "AttachedSensor" : name; }

template <typename Names>
std::string Joined(const Names& names) {
  std::string out;
  for (const auto& name : names) out += (out.empty() ? "" : ", ") + std::string(name);
  return out;
}

class Parser {
 public:
  Parser(std::string_view text, const std::string& path) : tags_(text, path), path_(path) {}

  std::vector<SensorXml> All() {
    std::vector<SensorXml> sensors;
    while (const auto tag = tags_.Next()) {
      if (!tag->starts) continue;
      if (tag->name == "attachedsensor")
        sensors.push_back(Attached(*tag));
      else if (const std::string* type = tag->Find("type");
               tag->name == "sensor" && type != nullptr && EqualsIgnoringCase(*type, kType))
        tags_.Fail(tag->position,
                   "<sensor> stands outside of an <AttachedSensor>; put it into one, with its <link>");
    }
    if (sensors.empty())
      throw Error("sensor file '" + path_ +
                  "': there is no <AttachedSensor> in it; it needs <AttachedSensor> <link>...</link> <sensor "
                  "type=\"SimTactileSensor\"> ... </sensor> </AttachedSensor>");
    return sensors;
  }

 private:
  SensorXml Attached(const LooseTag& attached) {
    SensorXml out;
    CheckAttributes(attached, {"name"});
    const std::string* name = attached.Find("name");
    if (attached.ends)
      tags_.Fail(attached.position, "<AttachedSensor> is empty; it needs <link> and <sensor>");
    std::size_t link = 0, sensor = 0;
    ForEachChild(attached, [&](const LooseTag& tag) {
      if (tag.name == "link") {
        Once(tag, &link);
        out.link = Value(tag);
        if (out.link.empty()) tags_.Fail(tag.position, "<link> is empty; give the name of the link");
      } else if (tag.name == "sensor") {
        Once(tag, &sensor);
        Sensor(tag, &out);
      } else if (tag.name == "translation" || tag.name == "quat" || tag.name == "rotationaxis" ||
                 tag.name == "rotationmat") {
        Ignore(tag, "a pad is where its geom is", &out);
      } else {
        Unknown(tag, "AttachedSensor",
                {"link", "sensor", "translation", "quat", "rotationaxis", "rotationmat"});
      }
    });
    if (sensor == 0)
      Missing(attached, "sensor", "<sensor name=\"T1\" type=\"SimTactileSensor\"> ... </sensor>");
    if (link == 0) Missing(attached, "link", "<link>NAME</link>");
    if (out.name.empty() && name != nullptr) out.name = *name;
    return out;
  }

  void Sensor(const LooseTag& sensor, SensorXml* out) {
    CheckAttributes(sensor, {"name", "type"});
    if (sensor.as_printed)
      out->notes.push_back(InLine(sensor.position) + "'sensorname = ' is read as 'sensor name = '");
    if (const std::string* name = sensor.Find("name")) out->name = *name;
    const std::string* type = sensor.Find("type");
    if (type == nullptr) tags_.Fail(sensor.position, "<sensor> has no type; write type=\"SimTactileSensor\"");
    if (!EqualsIgnoringCase(*type, kType))
      tags_.Fail(sensor.position, "the type of <sensor> is " + Quoted(*type) +
                                      "; only SimTactileSensor is read: remove this AttachedSensor");
    std::size_t seen[std::size(kParameters)] = {};
    if (!sensor.ends)
      ForEachChild(sensor, [&](const LooseTag& tag) {
        for (std::size_t i = 0; i < std::size(kParameters); ++i)
          if (tag.name == kParameters[i].name) {
            Once(tag, &seen[i]);
            out->*kParameters[i].member = Number(tag, kParameters[i]);
            return;
          }
        if (tag.name == "power") return Ignore(tag, "a pad is always on", out);
        std::vector<std::string> known;
        for (const Parameter& p : kParameters) known.emplace_back(p.name);
        Unknown(tag, "sensor", known);
      });
    for (std::size_t i = 0; i < std::size(kParameters); ++i)
      if (seen[i] == 0) {
        const std::string name = kParameters[i].name;
        Missing(sensor, name, "<" + name + ">...</" + name + ">, " + kParameters[i].allowed);
      }
    if (out->mud > out->mus)
      tags_.Fail(sensor.position, "<mud> is " + ToText(out->mud) + " and <mus> is " + ToText(out->mus) +
                                      "; sliding cannot hold better than sticking: give mud <= mus");
    CheckBristles(ToBristleOptions(*out), tags_.Where(sensor.position));
  }

  double Number(const LooseTag& tag, const Parameter& parameter) {
    const std::string text = Value(tag), what = "<" + tag.name + "> is " + Quoted(text);
    const auto value = ToNumber(text);
    if (!value)
      tags_.Fail(tag.position, (text.empty() ? "<" + tag.name + "> is empty" : what + ", not a number") +
                                   "; give " + parameter.allowed + ", with a decimal point");
    if (!std::isfinite(*value) || *value < 0 || (*value == 0 && !parameter.may_be_zero))
      tags_.Fail(tag.position, what + "; give " + parameter.allowed);
    if (parameter.member == &SensorXml::thickness && *value > kThickest)
      tags_.Fail(tag.position, what + " m; if this was millimetres, divide by 1000");
    return *value;
  }

  // Calls `child` for each element inside of `parent`, which is open; the child must read itself to its end.
  template <typename Child>
  void ForEachChild(const LooseTag& parent, const Child& child) {
    for (;;) {
      const auto tag = tags_.Next();  // the end tag of the parent comes, or Next fails
      if (const std::string_view stray = TrimBlanks(tags_.text()); !stray.empty())
        tags_.Fail(tag->position, "the text " + Quoted(stray) + " stands in <" + Shown(parent.name) +
                                      "> outside of its elements; remove it");
      if (!tag->starts) return;
      child(*tag);
    }
  }

  // The text of an element without elements.
  std::string Value(const LooseTag& tag) {
    CheckAttributes(tag, {});
    if (tag.ends) return "";
    const auto end = tags_.Next();
    if (end->starts)
      tags_.Fail(end->position, "<" + end->name + "> stands in <" + tag.name +
                                    ">, which holds one value; close <" + tag.name + "> with </" + tag.name +
                                    ">");
    return tags_.Decoded(TrimBlanks(tags_.text()), tag.position);
  }

  void Ignore(const LooseTag& tag, const std::string& why, SensorXml* out) {
    const std::size_t depth = tags_.depth() - (tag.ends ? 0 : 1);
    while (tags_.depth() > depth) tags_.Next();
    out->notes.push_back(InLine(tag.position) + "<" + tag.name + "> is left out: " + why);
  }

  // `behind`: where the element ended when it was met before; 0 at first.
  void Once(const LooseTag& tag, std::size_t* behind) {
    if (*behind != 0)
      tags_.Fail(tag.position, "<" + tag.name + "> is there twice (the first is in line " +
                                   std::to_string(tags_.Line(*behind)) + "); remove one");
    *behind = tag.after;
  }

  void CheckAttributes(const LooseTag& tag, const std::vector<std::string>& allowed) {
    for (const auto& [key, value] : tag.attributes)
      if (std::find(allowed.begin(), allowed.end(), key) == allowed.end())
        tags_.Fail(
            tag.position,
            "<" + Shown(tag.name) + "> has an attribute " + Quoted(key) + ", which is not known; " +
                (allowed.empty() ? "it has none: remove it" : "it has " + Joined(allowed) + ": remove it"));
  }

  [[noreturn]] void Missing(const LooseTag& tag, const std::string& name, const std::string& cure) {
    tags_.Fail(tag.position, "<" + Shown(tag.name) + "> has no <" + name + ">; add " + cure);
  }
  [[noreturn]] void Unknown(const LooseTag& tag, const std::string& parent,
                            const std::vector<std::string>& known) {
    tags_.Fail(tag.position, "<" + tag.name + "> in <" + parent + "> is not known; there are " +
                                 Joined(known) + ": correct its name, or remove it");
  }
  std::string InLine(std::size_t position) const {
    return "line " + std::to_string(tags_.Line(position)) + ": ";
  }

  LooseTags tags_;
  const std::string& path_;
};

}  // namespace

std::vector<SensorXml> ParseSensorXml(std::string_view text, const std::string& path) {
  const std::string where = "sensor file '" + path + "'";
  if (TrimBlanks(text).empty()) throw Error(where + " is empty; it needs an <AttachedSensor>");
  if (text.size() > kMostBytes)
    throw Error(where + " has " + std::to_string(text.size()) + " bytes; " + kTooLarge);
  if (const std::size_t nul = text.find('\0'); nul != text.npos)
    throw Error(where + ", byte " + std::to_string(nul) +
                ": a NUL; this is not text in UTF-8: save it as UTF-8, or give another file");
  return Parser(text, path).All();
}

std::vector<SensorXml> ReadSensorXml(const std::string& path) {
  return ParseSensorXml(ReadFile("sensor file", path, kMostBytes, kTooLarge), path);
}

BristleOptions ToBristleOptions(const SensorXml& sensor) {
  BristleOptions out;
  out.stiffness = sensor.k;
  out.damping = sensor.cn;
  out.depth = 2 * sensor.thickness;
  out.friction.sigma0 = sensor.sigma0;
  out.friction.sigma1 = sensor.sigma1;
  out.friction.viscosity = sensor.ct;
  out.friction.static_friction = sensor.mus;
  out.friction.dynamic_friction = sensor.mud;
  out.friction.stribeck_speed = sensor.x0;
  out.has_friction = true;
  return out;
}

}  // namespace taxel
