#include "taxel/mujoco/sensors.h"

#include <string>

#include "taxel/math/error.h"
#include "taxel/mujoco/engine.h"

namespace taxel::mujoco {

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
      mjtNum* state = runtime->SkinState(m, d, k);
      runtime->skin_readings().Mend(runtime->scene().skins()[k], state);
      runtime->skin_readings().Read(m, d, runtime, k, state, false, out);
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

void RefreshNativeSensors(const mjModel* m, mjData* d, Runtime* runtime) {
  if (runtime->refreshing || !runtime->scene().has_native_touch() || !runtime->HasHelpers()) return;
  runtime->refreshing = true;
  mj_sensorAcc(m, d);
  runtime->refreshing = false;
}

}  // namespace taxel::mujoco
