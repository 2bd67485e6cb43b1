#include "taxel/mujoco/fingerprint.h"

#include <fstream>
#include <iterator>

#include "taxel/mujoco/settings.h"

namespace taxel::mujoco {

std::string ModelFingerprint(const mjModel* m) {
  std::string key;
  const auto add = [&](const auto* data, std::size_t count) {
    if (count) key.append(reinterpret_cast<const char*>(data), count * sizeof(*data));
    key.push_back('|');
  };
  add(&m->ngeom, 1);
  add(m->geom_type, m->ngeom);
  add(m->geom_size, 3 * m->ngeom);
  add(m->geom_dataid, m->ngeom);
  add(m->geom_bodyid, m->ngeom);
  add(m->geom_matid, m->ngeom);
  add(m->geom_contype, m->ngeom);
  add(m->geom_conaffinity, m->ngeom);
  add(m->body_weldid, m->nbody);
  add(m->body_parentid, m->nbody);
  add(m->body_mocapid, m->nbody);
  add(m->body_jntnum, m->nbody);
  add(m->body_jntadr, m->nbody);
  add(m->jnt_type, m->njnt);
  add(m->exclude_signature, m->nexclude);
  add(m->pair_geom1, m->npair);
  add(m->pair_geom2, m->npair);
  for (int i = 0; i < m->nmesh; ++i) {
    add(m->mesh_vert + 3 * m->mesh_vertadr[i], 3 * m->mesh_vertnum[i]);
    add(m->mesh_face + 3 * m->mesh_faceadr[i], 3 * m->mesh_facenum[i]);
  }
  const int filter_parent = m->opt.disableflags & mjDSBL_FILTERPARENT;
  add(&filter_parent, 1);
  add(m->tuple_adr, m->ntuple);
  add(m->tuple_size, m->ntuple);
  add(m->numeric_adr, m->nnumeric);
  add(m->numeric_size, m->nnumeric);
  add(m->text_adr, m->ntext);
  add(m->plugin_attradr, m->nplugin);
  add(m->plugin, m->nplugin);
  add(m->plugin_attr, m->npluginattr);
  add(m->numeric_data, m->nnumericdata);
  add(m->text_data, m->ntextdata);
  add(m->tuple_objtype, m->ntupledata);
  add(m->tuple_objid, m->ntupledata);
  add(m->tuple_objprm, m->ntupledata);
  add(m->sensor_type, m->nsensor);
  add(m->sensor_objtype, m->nsensor);
  add(m->sensor_objid, m->nsensor);
  add(m->sensor_plugin, m->nsensor);
  add(m->site_bodyid, m->nsite);
  add(m->site_pos, 3 * m->nsite);
  add(m->site_quat, 4 * m->nsite);
  add(m->geom_pos, 3 * m->ngeom);
  add(m->geom_quat, 4 * m->ngeom);
  add(m->mesh_pos, 3 * m->nmesh);
  add(m->mesh_quat, 4 * m->nmesh);
  add(&m->opt.timestep, 1);
  add(m->names, m->nnames);
  for (int i = 0; i < m->nplugin; ++i) {
    const char* path = IsTaxelInstance(m, i) ? mj_getPluginConfig(m, i, "file") : nullptr;
    if (!path || !*path) continue;
    std::ifstream file(path, std::ios::binary);
    key.append(std::istreambuf_iterator<char>(file), {});
    key.push_back('|');
  }
  return key;
}

}  // namespace taxel::mujoco
