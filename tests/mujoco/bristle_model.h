// A pad with bristles, for the tests of bristles in MuJoCo.
#pragma once

#include <cmath>
#include <string>

#include "skin_model.h"

namespace taxel::mujoco::test {

inline std::string Num(double x) {
  char text[40];
  std::snprintf(text, sizeof(text), "%.17g", x);
  return text;
}
inline std::string Text(const Vec3& v) { return Num(v.x) + " " + Num(v.y) + " " + Num(v.z); }

/// A pad of 40 x 60 x 6 mm whose upper face is z = 0, with 6 x 8 bristles of 1000 N/m, and a tactile sensor
/// "touch" with one taxel a bristle, in N. Nothing lies on it yet.
struct BristleBench {
  double step = 0.002;
  std::string integrator = "implicitfast";
  Vec3 gravity{0, 0, -9.81};
  Keys keys = {{"stiffness", "1000"}, {"damping", "10"},          {"depth", "0.005"}, {"friction", "0.6 0.4"},
               {"sigma0", "1000"},    {"stribeck_speed", "0.05"}, {"shape", "6 8"}};
  Keys readout = {{"unit", "N"}, {"output", "pressure shear slip saturated"}};
  std::string pad = "type=\"box\" size=\"0.02 0.03 0.003\" pos=\"0 0 -0.003\"";  // the geom "pad"
  std::string pad_body, pad_body_end;  // around the pad, where it is not the world's
  std::string objects, instances, custom, assets, sensors, rest;
  bool sensor = true;

  BristleBench& Set(const std::string& key, const std::string& value) {
    std::erase_if(keys, [&](const auto& e) { return e.first == key; });
    if (!value.empty()) keys.emplace_back(key, value);
    return *this;
  }
  std::string xml() const {
    return "<mujoco><option cone=\"elliptic\" timestep=\"" + Num(step) + "\" integrator=\"" + integrator +
           "\" gravity=\"" + Text(gravity) + "\"/><asset>" + assets +
           "</asset><extension><plugin plugin=\"taxel\"><instance name=\"pad\">" + Configs(keys) +
           (sensor ? Configs(readout) : "") + "</instance>" + instances +
           "</plugin></extension><custom><tuple name=\"pad\"><element objtype=\"geom\" "
           "objname=\"pad\"/></tuple>" +
           custom + "</custom><worldbody>" + pad_body + "<geom name=\"pad\" " + pad + "/>" + pad_body_end +
           objects + "</worldbody><sensor>" +
           (sensor ? "<plugin name=\"touch\" plugin=\"taxel\" instance=\"pad\" objtype=\"geom\" "
                     "objname=\"pad\"/>"
                   : "") +
           sensors + "</sensor>" + rest + "</mujoco>";
  }
};

inline std::string BodyXml(const std::string& name, const Vec3& at, const std::string& joint,
                           const std::string& geom, double mass) {
  return "<body name=\"" + name + "\" pos=\"" + Text(at) + "\">" + joint + "<geom name=\"" + name + "\" " +
         geom + " mass=\"" + Num(mass) + "\"/></body>";
}
inline const char* Free() { return "<freejoint/>"; }
inline const char* UpAndDown() { return "<joint type=\"slide\" axis=\"0 0 1\"/>"; }

/// Sum of the taxels of a sensor whose first numbers are n pressures in N.
inline double SumOfTaxels(const Model& m, const Data& d, int n, const char* name = "touch") {
  const mjtNum* x = SensorData(m, d, name);
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += x[i];
  return sum;
}

inline double Energy(const Model& m, const Data& d) {
  mj_energyPos(m.get(), d.get());
  mj_energyVel(m.get(), d.get());
  return d->energy[0] + d->energy[1];
}

inline void ExpectSameBits(const Model& m, const Data& a, const Data& b, const std::string& what) {
  for (int i = 0; i < m->nq; ++i) ASSERT_EQ(a->qpos[i], b->qpos[i]) << what << ", qpos " << i;
  for (int i = 0; i < m->nv; ++i) ASSERT_EQ(a->qvel[i], b->qvel[i]) << what << ", qvel " << i;
  for (int i = 0; i < m->npluginstate; ++i)
    ASSERT_EQ(a->plugin_state[i], b->plugin_state[i]) << what << ", plugin_state " << i;
  for (int i = 0; i < m->nsensordata; ++i)
    ASSERT_EQ(a->sensordata[i], b->sensordata[i]) << what << ", sensordata " << i;
}

}  // namespace taxel::mujoco::test
