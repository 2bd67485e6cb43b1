#include "taxel/mujoco/geom_shape.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <string>

#include "taxel/contact/body_data.h"
#include "taxel/math/box3.h"
#include "taxel/mujoco/geom_body.h"
#include "taxel/mujoco/model_names.h"

namespace taxel::mujoco {
using namespace internal;
namespace {

template <class T>
bool Equal(const T* a, const T* b, std::size_t count) {
  return !std::memcmp(a, b, count * sizeof(T));
}

// The first mesh with the same triangles: models made of copies have one mesh many times.
int FirstEqualMesh(const mjModel* m, int mesh) {
  const auto vertices = [&](int i) { return m->mesh_vert + 3 * m->mesh_vertadr[i]; };
  const auto faces = [&](int i) { return m->mesh_face + 3 * m->mesh_faceadr[i]; };
  for (int i = 0; i < mesh; ++i)
    if (m->mesh_vertnum[i] == m->mesh_vertnum[mesh] && m->mesh_facenum[i] == m->mesh_facenum[mesh] &&
        Equal(m->mesh_quat + 4 * i, m->mesh_quat + 4 * mesh, 4) &&
        Equal(vertices(i), vertices(mesh), 3 * m->mesh_vertnum[mesh]) &&
        Equal(faces(i), faces(mesh), 3 * m->mesh_facenum[mesh]))
      return i;
  return mesh;
}

// A rigid mesh nobody spoke of, with nothing that its body would refuse (extent). All else is quickly made,
// or soft.
bool MayWait(const mjModel* m, int geom, const GeomSettings& s) {
  if (s.named || m->geom_type[geom] != mjGEOM_MESH) return false;
  const int mesh = m->geom_dataid[geom];
  const float* v = m->mesh_vert + 3 * m->mesh_vertadr[mesh];
  Box3 box;
  for (int i = 0; i < m->mesh_vertnum[mesh]; ++i) box.Include(Vec3{v[3 * i], v[3 * i + 1], v[3 * i + 2]});
  const Vec3 size = box.size();
  const double most = std::max({size.x, size.y, size.z});
  return most > 0 && most <= 1000;
}

// Every byte that a shape is made from, but the name.
std::string ShapeKey(const mjModel* m, int geom, const GeomSettings& s, std::vector<int>* equal_mesh) {
  std::string key;
  const auto add = [&](const auto& value) {
    key.append(reinterpret_cast<const char*>(&value), sizeof(value));
  };
  const auto add_list = [&](const std::vector<int>& list) {
    add(list.size());
    for (int i : list) add(i);
  };
  add(m->geom_type[geom]);
  for (int k = 0; k < 3; ++k) add(m->geom_size[3 * geom + k]);
  int data = m->geom_dataid[geom];
  if (m->geom_type[geom] == mjGEOM_MESH && data >= 0) {
    int& first = (*equal_mesh)[data];
    if (first < 0) first = FirstEqualMesh(m, data);
    data = first;
  }
  add(data);
  const BodyOptions& b = s.body;
  for (double v : {b.modulus, b.resolution, b.dissipation, b.static_friction, b.dynamic_friction,
                   b.field.thickness, b.field.exposed.x, b.field.exposed.y, b.field.exposed.z,
                   b.field.stiffening_start, b.field.poisson, b.field.core_fraction})
    add(v);
  for (const Vec3& v :
       {b.field.column_cell.corner, b.field.column_cell.across_u, b.field.column_cell.across_v})
    for (int k = 0; k < 3; ++k) add(v[k]);
  add(b.field.kind);
  add(b.field.bone);
  add(b.field.law.size());
  for (double v : b.field.law) add(v);
  add_list(b.field.back_triangles);
  add_list(b.field.skin_triangles);
  add(s.anchors);
  return key;
}

}  // namespace

const Body& GeomShape::body(const mjModel* m, int geom) const {
  return body_([&] { return MakeGeomBody(m, geom, options_); });
}

const Anchors& GeomShape::anchors(const mjModel* m, int geom) const {
  return anchors_([&] { return Anchors(TouchableSurface(body(m, geom)), max_anchors_, seed_); });
}

const std::vector<int>& GeomShape::column_anchors(const mjModel* m, int geom) const {
  return column_anchors_([&] { return anchors(m, geom).OfColumns(body(m, geom).data().columns); });
}

const ProbeTarget& GeomShape::target(const mjModel* m, int geom) const {
  return target_([&] { return ProbeTarget(body(m, geom)); });
}

std::vector<std::shared_ptr<GeomShape>> MakeGeomShapes(const mjModel* m, const Settings& settings,
                                                       const std::vector<bool>& joins) {
  std::vector<std::shared_ptr<GeomShape>> out(m->ngeom);
  std::map<std::string, std::shared_ptr<GeomShape>> known;
  std::vector<int> equal_mesh(m->nmesh, -1);
  for (int g = 0; g < m->ngeom; ++g) {
    if (!joins[g]) continue;
    std::shared_ptr<GeomShape>& shape = known[ShapeKey(m, g, settings.geoms[g], &equal_mesh)];
    if (!shape) {
      BodyOptions options = settings.geoms[g].body;
      options.name = PlainName(m, g);
      shape = std::make_shared<GeomShape>(options);
      if (!MayWait(m, g, settings.geoms[g])) shape->body(m, g);
    }
    out[g] = shape;
  }
  return out;
}

}  // namespace taxel::mujoco
