#include "taxel/mujoco/collision_rules.h"

#include <algorithm>

namespace taxel::mujoco {

int ExplicitPair(const mjModel* m, int g1, int g2) {
  for (int i = 0; i < m->npair; ++i)
    if ((m->pair_geom1[i] == g1 && m->pair_geom2[i] == g2) ||
        (m->pair_geom1[i] == g2 && m->pair_geom2[i] == g1))
      return i;
  return -1;
}

bool MayCollide(const mjModel* m, int g1, int g2) {
  if (ExplicitPair(m, g1, g2) >= 0) return true;
  if (!((m->geom_contype[g1] & m->geom_conaffinity[g2]) || (m->geom_contype[g2] & m->geom_conaffinity[g1])))
    return false;
  const int b1 = m->geom_bodyid[g1], b2 = m->geom_bodyid[g2];
  const int w1 = m->body_weldid[b1], w2 = m->body_weldid[b2];
  if (w1 == w2) return false;
  if (!(m->opt.disableflags & mjDSBL_FILTERPARENT) && w1 != 0 && w2 != 0) {
    const int p1 = m->body_weldid[m->body_parentid[w1]], p2 = m->body_weldid[m->body_parentid[w2]];
    if (w1 == p2 || w2 == p1) return false;
  }
  const int signature = (std::min(b1, b2) << 16) + std::max(b1, b2);
  for (int i = 0; i < m->nexclude; ++i)
    if (m->exclude_signature[i] == signature) return false;
  return true;
}

int PairCondim(const mjModel* m, int g1, int g2) {
  if (const int i = ExplicitPair(m, g1, g2); i >= 0) return m->pair_dim[i];
  if (m->geom_priority[g1] != m->geom_priority[g2])
    return m->geom_condim[m->geom_priority[g1] > m->geom_priority[g2] ? g1 : g2];
  return std::max(m->geom_condim[g1], m->geom_condim[g2]);
}

}  // namespace taxel::mujoco
