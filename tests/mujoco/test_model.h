// Models, data and warnings that the tests of the adapter share.
#pragma once

#include <gtest/gtest.h>
#include <mujoco/mujoco.h>

#include <initializer_list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "taxel/mujoco/find_runtime.h"
#include "taxel/mujoco/plugin.h"

namespace taxel::mujoco::test {
using namespace internal;

/// Collects what mju_warning says while it lives. The plugin is registered by the first one.
class Warnings {
 public:
  Warnings() : before_(mju_user_warning) {
    Register();
    lines().clear();
    mju_user_warning = [](const char* text) {
      const std::lock_guard<std::mutex> lock(mutex());
      lines().push_back(text);
    };
  }
  ~Warnings() { mju_user_warning = before_; }
  static std::string Text() {
    const std::lock_guard<std::mutex> lock(mutex());
    std::string all;
    for (const std::string& line : lines()) all += line + "\n";
    return all;
  }
  static int Count(const std::string& part) {
    const std::lock_guard<std::mutex> lock(mutex());
    int n = 0;
    for (const std::string& line : lines()) n += line.find(part) != std::string::npos;
    return n;
  }

 private:
  static std::vector<std::string>& lines() {
    static std::vector<std::string> all;
    return all;
  }
  static std::mutex& mutex() {
    static std::mutex m;
    return m;
  }
  void (*before_)(const char*);
};

struct DeleteModel {
  void operator()(mjModel* m) const { mj_deleteModel(m); }
};
struct DeleteData {
  void operator()(mjData* d) const { mj_deleteData(d); }
};
using Model = std::unique_ptr<mjModel, DeleteModel>;
using Data = std::unique_ptr<mjData, DeleteData>;

/// Null, with the compiler's message, when the model is wrong.
inline Model Compile(const std::string& xml, std::string* error = nullptr) {
  Register();
  char text[2000] = "";
  mjSpec* spec = mj_parseXMLString(xml.c_str(), nullptr, text, sizeof(text));
  if (!spec) {
    if (error) *error = text;
    return nullptr;
  }
  Model m(mj_compile(spec, nullptr));
  if (!m && error) *error = mjs_getError(spec);
  mj_deleteSpec(spec);
  return m;
}
inline Model MustCompile(const std::string& xml) {
  std::string error;
  Model m = Compile(xml, &error);
  if (!m) ADD_FAILURE() << error << "\n" << Warnings::Text();
  return m;
}
inline Data MakeData(const Model& m) { return Data(mj_makeData(m.get())); }

inline int Id(const Model& m, int type, const char* name) { return mj_name2id(m.get(), type, name); }

inline void Step(const Model& m, const Data& d, int steps) {
  for (int i = 0; i < steps; ++i) mj_step(m.get(), d.get());
}

/// A block on a backed pad, 80 x 60 x 10 mm and 1e6 Pa unless told. k = E A / T, linear to 80 % of T.
struct Bench {
  double modulus = 1e6, thickness = 0.01, mass = 1, side = 0.03;
  std::string option = "integrator=\"implicitfast\" timestep=\"0.002\"";
  std::string material;   // more <config> of the pad
  std::string instances;  // more <instance>
  std::string custom;     // more of <custom>
  std::string world;      // more of <worldbody>
  std::string body;       // more of the block's body
  std::string rest;       // sensors, actuators, ...
  std::string joint = "<freejoint/>";
  std::string pad_geom;    // more attributes of the pad
  std::string block_geom;  // more attributes of the block

  double area() const { return side * 0.8 * side; }
  double stiffness() const { return modulus * area() / thickness; }
  double depth() const { return mass * 9.81 / stiffness(); }

  std::string xml() const {
    const auto num = [](double x) {
      char text[40];
      std::snprintf(text, sizeof(text), "%.17g", x);
      return std::string(text);
    };
    return "<mujoco><option cone=\"elliptic\" " + option +
           "/>"
           "<extension><plugin plugin=\"taxel\"><instance name=\"skin\"><config key=\"modulus\" value=\"" +
           num(modulus) + "\"/><config key=\"field\" value=\"backed\"/>" + material + "</instance>" +
           instances +
           "</plugin></extension>"
           "<custom><tuple name=\"skin\"><element objtype=\"geom\" objname=\"pad\"/></tuple>" +
           custom + "</custom><worldbody><geom name=\"pad\" type=\"box\" size=\"0.04 0.03 " +
           num(0.5 * thickness) + "\" pos=\"0 0 " + num(-0.5 * thickness) + "\" " + pad_geom + "/>" + world +
           "<body name=\"block\" pos=\"0.004 -0.003 " + num(0.5 * side - depth()) + "\">" + joint +
           "<geom name=\"block\" type=\"box\" size=\"" + num(0.5 * side) + " " + num(0.4 * side) + " " +
           num(0.5 * side) + "\" mass=\"" + num(mass) + "\" " + block_geom + "/>" + body +
           "</body></worldbody>" + rest + "</mujoco>";
  }
};

/// Wrench on the second geom of the only touching pair.
inline Wrench OnlyWrench(const Model& m, const Data& d) {
  Runtime* runtime = FindRuntime(m.get(), d.get());
  runtime->ReadForces(m.get(), d.get());
  const std::vector<Touch*>& touches = runtime->Touches(m.get(), d.get());
  EXPECT_EQ(touches.size(), 1u);
  return touches.empty() ? Wrench{} : touches[0]->wrench;
}

}  // namespace taxel::mujoco::test
