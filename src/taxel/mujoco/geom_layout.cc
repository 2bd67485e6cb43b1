#include "taxel/mujoco/geom_layout.h"

#include <algorithm>
#include <cstring>

#include "taxel/math/error.h"
#include "taxel/mujoco/model_names.h"

namespace taxel::mujoco {
namespace {

// Sites whose name begins with the given text, in the order of the model.
std::vector<int> SitesOf(const mjModel* m, const Description& d) {
  std::vector<int> out;
  const std::string& prefix = d.Text("sites");
  for (int i = 0; i < m->nsite; ++i) {
    const char* name = mj_id2name(m, mjOBJ_SITE, i);
    if (name && !std::strncmp(name, prefix.c_str(), prefix.size())) out.push_back(i);
  }
  if (out.empty()) throw Error(d.where() + ": sites=\"" + prefix + "\": no site has a name that begins so");
  return out;
}

Pose PoseOf(const mjtNum* p, const mjtNum* q) {
  return {RotationFromQuaternion(q[0], q[1], q[2], q[3]), {p[0], p[1], p[2]}};
}

LayoutSites SitesOnGeom(const mjModel* m, const Description& d, int geom, const Pose& X_GS) {
  LayoutSites out;
  const Pose X_SB = Inverse(PoseOf(m->geom_pos + 3 * geom, m->geom_quat + 4 * geom) * X_GS);
  for (int s : SitesOf(m, d)) {
    if (m->site_bodyid[s] != m->geom_bodyid[geom])
      throw Error(d.where() + ": site '" + mj_id2name(m, mjOBJ_SITE, s) +
                  "' is on another body than the geom; put it on the same body");
    const Pose X_ST = X_SB * PoseOf(m->site_pos + 3 * s, m->site_quat + 4 * s);
    out.points.push_back(X_ST.p);
    out.normals.push_back(X_ST.R.col(2));
  }
  return out;
}

// A body in the frame in which the user drew it, so that points and directions mean what the file says.
Body DrawnBody(const Body& body, const Pose& X_SG, const std::string& name) {
  TriangleMesh mesh = body.Surface();
  for (Vec3& v : mesh.vertices) v = X_SG * v;
  BodyOptions options;
  options.name = name;
  return Body(mesh, options);
}

// Geoms of equal shape share a body; messages name the geom they are about.
Body NamedBody(const Body& body, const std::string& name) {
  if (body.name() == name || !body.primitive()) return body;
  BodyOptions options = body.options();
  options.name = name;
  return Body(*body.primitive(), options);
}

void Carry(Layout* layout, const Pose& X_GS) {
  for (Vec3& p : layout->points) p = X_GS * p;
  for (Layout::Ghost& ghost : layout->ghosts) ghost.point = X_GS * ghost.point;
  for (auto* list : {&layout->normals, &layout->axes})
    for (Vec3& v : *list) v = X_GS.R * v;
  layout->grid.X_GF = X_GS * layout->grid.X_GF;
}

}  // namespace

Description::Entries WithSites(Description::Entries entries) {
  const auto has = [&](const char* key) {
    return std::any_of(entries.begin(), entries.end(), [&](const auto& e) { return e.first == key; });
  };
  if (has("sites") && !has("layout")) entries.emplace_back("layout", "sites");
  return entries;
}

Pose DrawnFrame(const mjModel* m, int geom) {
  if (m->geom_type[geom] != mjGEOM_MESH) return {};
  const int mesh = m->geom_dataid[geom];
  return Inverse(PoseOf(m->mesh_pos + 3 * mesh, m->mesh_quat + 4 * mesh));
}

int CountTaxels(const mjModel* m, const Description& d) {
  return d.Has("sites") ? static_cast<int>(SitesOf(m, d).size()) : CountTaxels(d);
}

GeomLayout MakeGeomLayout(const mjModel* m, const Description& d, int geom, const Body& body) {
  GeomLayout out;
  out.X_GS = DrawnFrame(m, geom);
  const bool mesh = m->geom_type[geom] == mjGEOM_MESH;
  LayoutSites sites;
  if (d.Has("sites")) sites = SitesOnGeom(m, d, geom, out.X_GS);
  out.drawn = MakeLayout(
      d, mesh ? DrawnBody(body, Inverse(out.X_GS), PlainName(m, geom)) : NamedBody(body, PlainName(m, geom)),
      d.Has("sites") ? &sites : nullptr);
  out.layout = out.drawn;
  if (mesh) Carry(&out.layout, out.X_GS);
  return out;
}

}  // namespace taxel::mujoco
