#include "taxel/mujoco/visual.h"

#include <algorithm>
#include <cmath>

namespace taxel::mujoco {
namespace {

// Blue, cyan, yellow, red.
void PressureColor(double t, float rgba[4]) {
  t = std::clamp(t, 0.0, 1.0);
  const double knots[4][3] = {{0.15, 0.25, 0.85}, {0.1, 0.75, 0.85}, {0.98, 0.85, 0.2}, {0.85, 0.1, 0.1}};
  const int i = std::min(static_cast<int>(3 * t), 2);
  const double u = 3 * t - i;
  for (int c = 0; c < 3; ++c) rgba[c] = static_cast<float>((1 - u) * knots[i][c] + u * knots[i + 1][c]);
  rgba[3] = 1;
}

}  // namespace

void DrawSurfaces(const mjModel* m, mjData* d, const mjvOption*, mjvScene* scene, Runtime* runtime) {
  if (!runtime->scene().settings().show_surfaces) return;
  const std::vector<Touch*>& touches = runtime->Touches(m, d);
  double highest = runtime->scene().settings().show_max_pressure;
  if (!(highest > 0))
    for (const Touch* t : touches) highest = std::max(highest, t->surface.max_pressure);
  if (!(highest > 0)) return;
  for (const Touch* t : touches) {
    const ContactSurface& s = t->surface;
    for (int f = 0; f < s.num_faces(); ++f) {
      const Vec3 o = s.vertices[s.face_start[f]];
      for (int i = s.face_start[f] + 1; i + 1 < s.face_start[f + 1]; ++i) {
        if (scene->ngeom >= scene->maxgeom) return;
        // MuJoCo's triangle: corners at 0, x and y of its frame, scaled by size; columns of mat are not unit
        // here.
        const Vec3 a = s.vertices[i] - o, b = s.vertices[i + 1] - o, n = s.normals[f];
        const mjtNum size[3] = {1, 1, 1}, pos[3] = {o.x, o.y, o.z};
        const mjtNum mat[9] = {a.x, b.x, n.x, a.y, b.y, n.y, a.z, b.z, n.z};
        float rgba[4];
        const double pressure = (s.pressures[s.face_start[f]] + s.pressures[i] + s.pressures[i + 1]) / 3;
        PressureColor(pressure / highest, rgba);
        mjvGeom* geom = scene->geoms + scene->ngeom++;
        mjv_initGeom(geom, mjGEOM_TRIANGLE, size, pos, mat, rgba);
        geom->category = mjCAT_DECOR;
        geom->emission = 0.6f;
        geom->specular = 0;
        geom->reflectance = 0;
        geom->objtype = mjOBJ_UNKNOWN;
        geom->objid = -1;
        geom->segid = -1;
      }
    }
  }
}

}  // namespace taxel::mujoco
