// A gel with markers and things that press into it, for the tests of marker sensors.
#pragma once

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "taxel/marker/marker_field.h"
#include "taxel/math/pose.h"
#include "taxel/mujoco/engine.h"
#include "taxel/mujoco/marker_plugin.h"
#include "test_model.h"

namespace taxel::mujoco::test {

/// What operator new was asked for so far (bristle_life_test.cc counts for the whole program).
long Allocations();

using MarkerKeys = std::vector<std::pair<std::string, std::string>>;

inline std::string MarkerConfigs(const MarkerKeys& keys) {
  std::string out;
  for (const auto& [key, value] : keys) out += "<config key=\"" + key + "\" value=\"" + value + "\"/>";
  return out;
}

inline std::string MarkerSensorXml(const std::string& name, const MarkerKeys& keys) {
  return "<plugin name=\"" + name + "\" plugin=\"taxel.markers\" objtype=\"geom\" objname=\"pad\">" +
         MarkerConfigs(keys) + "</plugin>";
}

/// A gel of 20 x 24 x 4 mm, tilted somewhere in the world, with 5 x 4 markers as printed; a ball and a box
/// that are moved by hand (mocap).
struct MarkerBench {
  MarkerKeys keys = {{"shape", "5 4"}, {"pitch", "0.003"}, {"mode", "paper"}};
  std::string option = "timestep=\"0.002\"";
  std::string pad = "type=\"box\" size=\"0.01 0.012 0.002\"";
  std::string pad_more;  // in the pad's body
  std::string world, extension, rest;
  std::string sensors;  // instead of the one with `keys`

  std::string xml() const {
    return "<mujoco><option " + option + "/><extension><plugin plugin=\"taxel.markers\"/>" + extension +
           "</extension><worldbody><body name=\"finger\" pos=\"0.1 -0.05 0.2\" quat=\"0.9 0.2 -0.3 "
           "0.1\"><geom name=\"pad\" " +
           pad + "/>" + pad_more +
           "</body><body name=\"ball\" mocap=\"true\"><geom name=\"ball\" type=\"sphere\" "
           "size=\"0.006\"/></body><body name=\"brick\" mocap=\"true\" pos=\"1 0 0\"><geom name=\"brick\" "
           "type=\"box\" size=\"0.003 0.002 0.004\"/></body>" +
           world + "</worldbody><sensor>" + (sensors.empty() ? MarkerSensorXml("gel", keys) : sensors) +
           "</sensor>" + rest + "</mujoco>";
  }
};

/// Places a mocap body at X_PI in the frame of the geom "pad".
inline void Place(const Model& m, const Data& d, const char* body, const Pose& X_PI) {
  mj_kinematics(m.get(), d.get());
  const Pose X = GeomPose(d.get(), Id(m, mjOBJ_GEOM, "pad")) * X_PI;
  const int k = m->body_mocapid[Id(m, mjOBJ_BODY, body)];
  for (int c = 0; c < 3; ++c) d->mocap_pos[3 * k + c] = X.p[c];
  mju_mat2Quat(d->mocap_quat + 4 * k, X.R.m);
}

/// A press, a slide with a turn, and off again, into the gel whose upper face is z = 0.002; t from 0 to 1.
inline Pose Path(double t, double reach, double x0 = 0) {
  const double down = std::fmin(1.0, 4 * t), slide = std::fmax(0.0, t - 0.3);
  const double lift = t > 0.9 ? 0.02 * (t - 0.9) : 0;
  Pose X;
  X.R = RotationAbout(normalized(Vec3{0.2, 0.3, 1}), 0.5 * slide);
  X.p = {x0 + 0.004 * slide, -0.001 + 0.002 * slide, 0.002 + reach + 0.0004 - 0.0014 * down + lift};
  return X;
}

inline std::vector<double> DataOf(const Model& m, const Data& d, const char* sensor) {
  const int i = Id(m, mjOBJ_SENSOR, sensor);
  return {d->sensordata + m->sensor_adr[i], d->sensordata + m->sensor_adr[i] + m->sensor_dim[i]};
}

/// Pose of a geom in the pad's frame (a box: the geom's), from this data.
inline Pose InPad(const Model& m, const Data& d, const char* geom) {
  return Inverse(GeomPose(d.get(), Id(m, mjOBJ_GEOM, "pad"))) * GeomPose(d.get(), Id(m, mjOBJ_GEOM, geom));
}

inline double GreatestDifference(const std::vector<double>& a, const std::vector<double>& b) {
  double most = a.size() == b.size() ? 0 : HUGE_VAL;
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) most = std::fmax(most, std::fabs(a[i] - b[i]));
  return most;
}
inline double Greatest(const std::vector<double>& a) {
  return GreatestDifference(a, std::vector<double>(a.size(), 0.0));
}

}  // namespace taxel::mujoco::test
