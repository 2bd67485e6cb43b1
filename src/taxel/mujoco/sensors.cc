#include "taxel/mujoco/sensors.h"

#include <mujoco/mjxmacro.h>

#include <algorithm>
#include <limits>
#include <string>

#include "taxel/math/error.h"
#include "taxel/mujoco/engine.h"
#include "taxel/mujoco/model_names.h"

namespace taxel::mujoco {
using namespace internal;
namespace {

// The model as if sensors first .. first + count - 1 were all it has: MuJoCo then computes these alone.
mjModel SensorWindow(const mjModel* m, int first, int count) {
  mjModel window = *m;
  const int nuser_sensor = m->nuser_sensor;  // as MuJoCo's list calls it
#define X(type, name, rows, columns) window.name += first * (columns);
  MJMODEL_POINTERS_SENSOR
#undef X
  window.name_sensoradr += first;
  window.nsensor = count;
  window.nplugin = 0;
  return window;
}

bool HasHelpers(const Touch& t) {
  return std::any_of(t.tangent_contact.begin(), t.tangent_contact.end(), [](int c) { return c >= 0; });
}

// Whether an object of a contact sensor may mean this geom. A site is a region of space: it may.
bool Means(const mjModel* m, int type, int id, int geom) {
  if (type == mjOBJ_GEOM) return id == geom;
  if (type != mjOBJ_BODY && type != mjOBJ_XBODY) return true;
  for (int body = m->geom_bodyid[geom];; body = m->body_parentid[body]) {
    if (body == id) return true;
    if (body == 0) return false;
  }
}

// A sensor of contact force may count contacts of this touch.
bool Reaches(const mjModel* m, int sensor, const Touch& t) {
  if (m->sensor_type[sensor] == mjSENS_TOUCH) {
    const int body = m->site_bodyid[m->sensor_objid[sensor]];
    return body == m->geom_bodyid[t.geom1] || body == m->geom_bodyid[t.geom2];
  }
  const auto pair = [&](int g1, int g2) {
    return Means(m, m->sensor_objtype[sensor], m->sensor_objid[sensor], g1) &&
           Means(m, m->sensor_reftype[sensor], m->sensor_refid[sensor], g2);
  };
  return pair(t.geom1, t.geom2) || pair(t.geom2, t.geom1);
}

}  // namespace

void CheckSensors(const mjModel* m, int instance) {
  for (int i = 0; i < m->nsensor; ++i) {
    if (m->sensor_type[i] != mjSENS_PLUGIN || m->sensor_plugin[i] != instance) continue;
    const char* text = mj_id2name(m, mjOBJ_SENSOR, i);
    const std::string where = "sensor '" + std::string(text ? text : std::to_string(i).c_str()) + "'";
    if (m->sensor_objtype[i] != mjOBJ_GEOM)
      throw Error(where + " must name a geom: objtype=\"geom\" objname=\"...\"");
    if (IsSkinInstance(m, instance) && m->sensor_reftype[i] != mjOBJ_UNKNOWN)
      throw Error(where + " is tactile and reads whatever touches its geom; leave reftype and refname out");
    if (m->sensor_reftype[i] != mjOBJ_GEOM && m->sensor_reftype[i] != mjOBJ_UNKNOWN)
      throw Error(where +
                  ": the second object must be a geom: reftype=\"geom\" refname=\"...\" (or leave it out)");
  }
}

int NumSensorData(const mjModel* m, int instance, int) {
  if (!IsSkinInstance(m, instance)) return 6;
  try {
    return SkinDataSize(m, instance);
  } catch (const std::exception&) {  // Init says what is wrong
    return 1;
  }
}

Wrench WrenchOnGeom(const std::vector<Touch*>& touches, int geom, int other) {
  Wrench w;
  for (const Touch* t : touches) {
    const bool second = t->geom2 == geom;
    if (!second && t->geom1 != geom) continue;
    if (other >= 0 && (second ? t->geom1 : t->geom2) != other) continue;
    const double s = second ? 1 : -1;
    w.force += s * t->wrench.force;
    w.torque += s * t->wrench.torque;
  }
  return w;
}

void WriteSensors(const mjModel* m, mjData* d, int instance, Runtime* runtime) {
  const std::vector<Touch*>* touches = nullptr;
  for (int i = 0; i < m->nsensor; ++i) {
    if (m->sensor_type[i] != mjSENS_PLUGIN || m->sensor_plugin[i] != instance) continue;
    mjtNum* out = d->sensordata + m->sensor_adr[i];
    if (const int k = runtime ? runtime->scene().FindSkin(i) : -1; k >= 0) {
      if (PosesKnown(m, d) && !PoseIsRigid(d, m->sensor_objid[i])) {
        // No number would be true, and 0 would look like one.
        mju_fill(out, std::numeric_limits<mjtNum>::quiet_NaN(), m->sensor_dim[i]);
        runtime->scene().WarnOnce("sensor '" + runtime->scene().skins()[k].name +
                                  "' reads NaN: the pose of " + GeomName(m, m->sensor_objid[i]) +
                                  " is not finite");
        continue;
      }
      mjtNum* state = runtime->SkinState(m, d, k);
      runtime->skin_readings().Mend(runtime->scene().skins()[k], state);
      runtime->ReadSkin(m, d, k, state, false, out);
      continue;
    }
    mju_zero(out, m->sensor_dim[i]);
    if (!runtime || m->sensor_dim[i] != 6) continue;
    if (!touches) touches = &runtime->Touches(m, d);
    const int geom = m->sensor_objid[i];
    const Wrench w =
        WrenchOnGeom(*touches, geom, m->sensor_reftype[i] == mjOBJ_GEOM ? m->sensor_refid[i] : -1);
    const Pose X = GeomPose(d, geom);
    const Vec3 force = TransposeMul(X.R, w.force), torque = TransposeMul(X.R, w.torque - cross(X.p, w.force));
    for (int k = 0; k < 3; ++k) out[k] = force[k], out[3 + k] = torque[k];
  }
}

void RefreshNativeSensors(const mjModel* m, mjData* d, int instance, Runtime* runtime) {
  const NativeTouch& native = runtime->scene().native_touch();
  if (runtime->refreshing || native.empty() || !runtime->HasHelpers()) return;
  if (native.user && mjcb_sensor) {  // a callback must see the whole model
    runtime->refreshing = true;
    mj_sensorAcc(m, d);
    runtime->refreshing = false;
    return;
  }
  const std::vector<int>& sensors = native.sensors;
  const auto reached = [&](int i) {
    for (const Touch* t : runtime->last_touches())
      if (HasHelpers(*t) && Reaches(m, i, *t)) return true;
    return false;
  };
  for (std::size_t k = 0; k < sensors.size(); ++k) {
    if (!reached(sensors[k])) continue;
    const int first = sensors[k];
    int count = 1;
    while (k + 1 < sensors.size() && sensors[k + 1] == first + count && reached(sensors[k + 1])) ++k, ++count;
    const mjModel window = SensorWindow(m, first, count);
    mj_sensorAcc(&window, d);
  }
  // Plugins that come later have not run yet.
  for (int i : native.plugins)
    if (i < instance)
      if (const mjpPlugin* plugin = mjp_getPluginAtSlot(m->plugin[i]); plugin && plugin->compute)
        plugin->compute(m, d, i, mjPLUGIN_SENSOR);
}

}  // namespace taxel::mujoco
