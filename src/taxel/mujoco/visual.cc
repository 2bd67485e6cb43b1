#include "taxel/mujoco/visual.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "taxel/mujoco/engine.h"

namespace taxel::mujoco {
using namespace internal;
namespace {

// Blue, cyan, yellow, red; dark, because emission and the scene's lights add up.
void PressureColor(double t, float rgba[4]) {
  t = std::clamp(t, 0.0, 1.0);
  const double knots[4][3] = {{0.05, 0.08, 0.45}, {0.0, 0.4, 0.5}, {0.6, 0.5, 0.0}, {0.6, 0.02, 0.02}};
  const int i = std::min(static_cast<int>(3 * t), 2);
  const double u = 3 * t - i;
  for (int c = 0; c < 3; ++c) rgba[c] = static_cast<float>((1 - u) * knots[i][c] + u * knots[i + 1][c]);
  rgba[3] = 1;
}

void AddGeom(mjvScene* scene, int type, const mjtNum size[3], const Vec3& p, const mjtNum mat[9],
             float emission, const float rgba[4]) {
  if (scene->ngeom >= scene->maxgeom) return;
  mjvGeom* geom = scene->geoms + scene->ngeom++;
  const mjtNum pos[3] = {p.x, p.y, p.z};
  mjv_initGeom(geom, type, size, pos, mat, rgba);
  geom->category = mjCAT_DECOR;
  geom->emission = emission;
  geom->specular = geom->shininess = geom->reflectance = 0;
  geom->objtype = mjOBJ_UNKNOWN;
  geom->objid = geom->segid = -1;
}

struct Corner {
  Vec3 p;
  double pressure;
};

// Fills a scene with triangles; a triangle over which the pressure varies much is split into four.
class Painter {
 public:
  Painter(mjvScene* scene, double highest) : scene_(scene), highest_(highest) {}

  void Draw(const Corner& a, const Corner& b, const Corner& c, const Vec3& n, int depth = 0) {
    const auto [least, most] = std::minmax({a.pressure, b.pressure, c.pressure});
    if (depth < 4 && most - least > 0.12 * highest_) {
      const Corner ab = Middle(a, b), bc = Middle(b, c), ca = Middle(c, a);
      Draw(a, ab, ca, n, depth + 1);
      Draw(ab, b, bc, n, depth + 1);
      Draw(ca, bc, c, n, depth + 1);
      Draw(ab, bc, ca, n, depth + 1);
      return;
    }
    // MuJoCo's triangle has its corners at the origin, on x and on y of its frame; the frame need not be
    // orthogonal.
    const Vec3 u = b.p - a.p, v = c.p - a.p;
    const mjtNum size[3] = {1, 1, 1};
    const mjtNum mat[9] = {u.x, v.x, n.x, u.y, v.y, n.y, u.z, v.z, n.z};
    float rgba[4];
    PressureColor((a.pressure + b.pressure + c.pressure) / (3 * highest_), rgba);
    AddGeom(scene_, mjGEOM_TRIANGLE, size, a.p, mat, 0.8f, rgba);
  }

 private:
  static Corner Middle(const Corner& a, const Corner& b) {
    return {0.5 * (a.p + b.p), 0.5 * (a.pressure + b.pressure)};
  }
  mjvScene* scene_;
  double highest_;
};

}  // namespace

void DrawTaxels(const mjModel* m, mjData* d, mjvScene* scene, Runtime* runtime) {
  const std::vector<SkinSensor>& skins = runtime->scene().skins();
  for (int k = 0; k < static_cast<int>(skins.size()); ++k) {
    const SkinSensor& sensor = skins[k];
    if (!sensor.show) continue;
    if (sensor.on_demand || !runtime->skin_readings().Has(k)) {
      if (!PosesKnown(m, d)) continue;
      runtime->LookAtSkin(m, d, k);
    }
    if (!runtime->skin_readings().Has(k)) continue;  // its pose is not finite
    const SkinReading& felt = runtime->skin_readings().felt(k);
    double highest = runtime->scene().settings().show_max_pressure;
    if (!(highest > 0))
      for (double v : felt.values) highest = std::max(highest, v);
    const Layout& layout = sensor.skin->layout();
    const Pose X = GeomPose(d, sensor.geom);
    for (int i = 0; i < sensor.skin->count(); ++i) {
      const double share = highest > 0 ? felt.values[i] / highest : 0;
      float rgba[4];
      PressureColor(share, rgba);
      rgba[3] = static_cast<float>(0.25 + 0.7 * std::clamp(4 * share, 0.0, 1.0));
      const Vec3 n = X.R * layout.normals[i], u = X.R * layout.axes[i], v = cross(n, u);
      const mjtNum mat[9] = {u.x, v.x, n.x, u.y, v.y, n.y, u.z, v.z, n.z};
      // In a grid a tile a little smaller than the cell. A free list knows no sides and is often curved: a
      // lens half sunk into the surface, because a tile would stand off at its corners.
      const double root = std::sqrt(layout.areas[i]);
      if (layout.rows == 0) {
        const mjtNum size[3] = {0.42 * root, 0.42 * root, 0.12 * root};
        AddGeom(scene, mjGEOM_ELLIPSOID, size, X * layout.points[i], mat, 0.6f, rgba);
        continue;
      }
      const double width = layout.plane ? layout.grid.du : root;
      const mjtNum size[3] = {0.42 * width, 0.42 * layout.areas[i] / width, 0.01 * root};
      AddGeom(scene, mjGEOM_BOX, size, X * layout.points[i] + size[2] * n, mat, 0.6f, rgba);
    }
  }
}

void DrawSurfaces(const mjModel* m, mjData* d, const mjvOption*, mjvScene* scene, Runtime* runtime) {
  if (!runtime->scene().settings().show_surfaces) return;
  const std::vector<Touch*>& touches = runtime->Touches(m, d);
  double highest = runtime->scene().settings().show_max_pressure;
  if (!(highest > 0))
    for (const Touch* t : touches) highest = std::max(highest, t->surface.max_pressure);
  if (!(highest > 0)) return;
  Painter painter(scene, highest);
  for (const Touch* t : touches) {
    const ContactSurface& s = t->surface;
    // A little into the soft side, so that it does not flicker with the rigid one's own face.
    const double shift = (runtime->scene().geoms()[t->geom1].soft ? -1 : 1) * 1e-3 * std::sqrt(s.area);
    for (int f = 0; f < s.num_faces(); ++f) {
      const int first = s.face_start[f];
      const auto corner = [&](int i) { return Corner{s.vertices[i] + shift * s.normals[f], s.pressures[i]}; };
      for (int i = first + 1; i + 1 < s.face_start[f + 1]; ++i)
        painter.Draw(corner(first), corner(i), corner(i + 1), s.normals[f]);
    }
  }
}

}  // namespace taxel::mujoco
