// A block on a pad with tactile sensors, for the tests of skins.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "taxel/mujoco/engine.h"
#include "test_model.h"

namespace taxel::mujoco::test {

using Keys = std::vector<std::pair<std::string, std::string>>;

inline std::string Configs(const Keys& keys) {
  std::string out;
  for (const auto& [key, value] : keys) out += "<config key=\"" + key + "\" value=\"" + value + "\"/>";
  return out;
}
/// One tactile sensor with its keys inside it.
inline std::string TouchSensor(const std::string& name, const Keys& keys, const std::string& geom = "pad") {
  return "<plugin name=\"" + name + "\" plugin=\"taxel\" objtype=\"geom\" objname=\"" + geom + "\">" +
         Configs(keys) + "</plugin>";
}
/// The bench with one sensor "touch" on the pad.
inline Bench SkinBench(const Keys& keys, const std::string& geom = "pad") {
  Bench bench;
  bench.material = Configs({{"dissipation", "30"}});
  bench.rest = "<sensor>" + TouchSensor("touch", keys, geom) + "</sensor>";
  return bench;
}

inline const mjtNum* SensorData(const Model& m, const Data& d, const char* name = "touch") {
  const int id = Id(m, mjOBJ_SENSOR, name);
  EXPECT_GE(id, 0) << name;
  return d->sensordata + m->sensor_adr[id];
}
inline std::vector<double> SensorVector(const Model& m, const Data& d, const char* name = "touch") {
  const mjtNum* x = SensorData(m, d, name);
  return {x, x + m->sensor_dim[Id(m, mjOBJ_SENSOR, name)]};
}

inline const SkinSensor& Sensor(const Model& m, const Data& d, int k = 0) {
  return FindRuntime(m.get(), d.get())->scene().skins().at(k);
}
inline Vec3 ToVec3(const mjtNum* x) { return {x[0], x[1], x[2]}; }

/// Force on the skin in the geom's frame from a reading with pressure and shear, in Pa.
inline Vec3 ForceOf(const SkinSensor& sensor, const mjtNum* data) {
  const Layout& layout = sensor.skin->layout();
  const int n = layout.count();
  Vec3 sum;
  for (int i = 0; i < n; ++i)
    sum += layout.areas[i] * (data[n + i] * layout.axes[i] + data[2 * n + i] * layout.second_axis(i) -
                              data[i] * layout.normals[i]);
  return sum;
}
/// Force on a geom from all its touches, in its frame.
inline Vec3 TouchForce(const Model& m, const Data& d, int geom) {
  Runtime* runtime = FindRuntime(m.get(), d.get());
  runtime->ReadForces(m.get(), d.get());
  Vec3 sum;
  for (const Touch* t : runtime->Touches(m.get(), d.get())) {
    if (t->geom1 == geom) sum -= t->wrench.force;
    if (t->geom2 == geom) sum += t->wrench.force;
  }
  return TransposeMul(GeomPose(d.get(), geom).R, sum);
}

}  // namespace taxel::mujoco::test
