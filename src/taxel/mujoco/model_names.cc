#include "taxel/mujoco/model_names.h"

namespace taxel::mujoco {

std::string PlainName(const mjModel* m, int geom) {
  const char* name = mj_id2name(m, mjOBJ_GEOM, geom);
  return name && *name ? name : "geom " + std::to_string(geom);
}

std::string GeomName(const mjModel* m, int geom) {
  const char* name = mj_id2name(m, mjOBJ_GEOM, geom);
  return name && *name ? "geom '" + std::string(name) + "'" : "geom " + std::to_string(geom);
}

std::string SensorName(const mjModel* m, int sensor) {
  const char* name = mj_id2name(m, mjOBJ_SENSOR, sensor);
  return name && *name ? name : std::to_string(sensor);
}

}  // namespace taxel::mujoco
