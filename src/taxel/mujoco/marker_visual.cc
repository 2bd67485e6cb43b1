#include "taxel/mujoco/marker_visual.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "taxel/mujoco/engine.h"

namespace taxel::mujoco {
namespace {

mjvGeom* NewGeom(mjvScene* scene, int type, const Vec3& p, double size, const float rgba[4]) {
  if (scene->ngeom >= scene->maxgeom) return nullptr;
  mjvGeom* geom = scene->geoms + scene->ngeom++;
  const mjtNum pos[3] = {p.x, p.y, p.z}, sizes[3] = {size, size, size};
  mjv_initGeom(geom, type, sizes, pos, nullptr, rgba);
  geom->category = mjCAT_DECOR;
  geom->emission = 0.6f;
  geom->specular = geom->shininess = geom->reflectance = 0;
  geom->objtype = mjOBJ_UNKNOWN;
  geom->objid = geom->segid = -1;
  return geom;
}

// Distance of the nearest two markers: how large a dot may be.
double Spacing(const MarkerSensor& sensor) {
  if (sensor.settings.rows) return std::min(sensor.settings.pitch[0], sensor.settings.pitch[1]);
  return sensor.extent / std::sqrt(static_cast<double>(sensor.markers_P.size()));
}

}  // namespace

void DrawMarkers(const mjModel* m, const mjData* d, MarkerRuntime* runtime, int k, const MarkerSensor& sensor,
                 const mjtNum* state, mjvScene* scene) {
  if (!sensor.settings.show) return;
  std::vector<mjtNum> pixels(sensor.num_data());
  runtime->Read(m, d, k, d->time, state, pixels.data());
  const Pose X_WP = GeomPose(d, sensor.geom) * sensor.X_GP;
  const double scale = sensor.settings.pixel * sensor.settings.show_scale, size = Spacing(sensor);
  const float dot[4] = {0.03f, 0.03f, 0.04f, 1}, bar[4] = {0.95f, 0.55f, 0.05f, 1};
  for (std::size_t i = 0; i < sensor.markers_P.size(); ++i) {
    const Vec3 moved = scale * Vec3{pixels[3 * i], pixels[3 * i + 1], pixels[3 * i + 2]};
    const Vec3 from = X_WP * sensor.markers_P[i], to = from + X_WP.R * moved;
    NewGeom(scene, mjGEOM_SPHERE, to, 0.1 * size, dot);
    if (norm(moved) < 0.02 * size) continue;
    mjvGeom* geom = NewGeom(scene, mjGEOM_CAPSULE, from, 0.04 * size, bar);
    if (!geom) return;
    const mjtNum a[3] = {from.x, from.y, from.z}, b[3] = {to.x, to.y, to.z};
    mjv_connector(geom, mjGEOM_CAPSULE, 0.04 * size, a, b);
  }
}

}  // namespace taxel::mujoco
