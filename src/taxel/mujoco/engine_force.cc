#include "taxel/mujoco/engine_force.h"

#include <algorithm>
#include <cmath>

namespace taxel::mujoco {

bool EngineForces::Solved(const mjModel* m, const mjData* d) {
  if (d->nefc == 0 || m->nv == 0) return false;
  product_.resize(m->nv);
  mj_mulJacTVec(m, d, product_.data(), d->efc_force);
  double size = 0;
  for (int i = 0; i < m->nv; ++i) size = std::max(size, std::fabs(d->qfrc_constraint[i]));
  // Memory that nobody wrote may hold the force 0, too; then the counts of the two stages must do.
  if (!(size > 0)) return d->timer[mjTIMER_CONSTRAINT].number >= d->timer[mjTIMER_POS_COLLISION].number;
  for (int i = 0; i < m->nv; ++i)
    // NaN is not equal to anything either.
    if (!(std::fabs(product_[i] - d->qfrc_constraint[i]) <= 1e-6 * size + 1e-12)) return false;
  return true;
}

void EngineForces::Read(const mjModel* m, const mjData* d) {
  pairs_.clear();
  load_.clear();
  const auto in_solver = [&](const mjContact& con) {
    return con.geom[0] >= 0 && con.geom[1] >= 0 && con.efc_address >= 0;
  };
  if (std::none_of(d->contact, d->contact + d->ncon, in_solver) || !Solved(m, d)) return;
  for (int i = 0; i < d->ncon; ++i) {
    const mjContact& con = d->contact[i];
    if (!in_solver(con)) continue;
    std::size_t at = pairs_.size();
    while (at > 0 && (pairs_[at - 1].geom1 != con.geom[0] || pairs_[at - 1].geom2 != con.geom[1])) --at;
    if (at == 0) {
      pairs_.push_back({con.geom[0], con.geom[1], {}, {}, {}, {}});
      load_.push_back(0);
      at = pairs_.size();
    }
    PairForce& pair = pairs_[at - 1];
    mjtNum f[6];
    mj_contactForce(m, d, i, f);
    const auto axis = [&](int k) {
      return Vec3{con.frame[3 * k], con.frame[3 * k + 1], con.frame[3 * k + 2]};
    };
    const Vec3 p{con.pos[0], con.pos[1], con.pos[2]};
    const Vec3 normal = f[0] * axis(0), friction = f[1] * axis(1) + f[2] * axis(2);
    AddForce(&pair.wrench, normal + friction, p);
    pair.wrench.torque += f[3] * axis(0) + f[4] * axis(1) + f[5] * axis(2);
    pair.normal += normal;
    pair.friction += friction;
    pair.center += norm(normal) * p;
    load_[at - 1] += norm(normal);
  }
  for (std::size_t k = 0; k < pairs_.size(); ++k)
    if (load_[k] > 0) pairs_[k].center = pairs_[k].center / load_[k];
}

const PairForce* EngineForces::Find(int geom1, int geom2) const {
  for (const PairForce& pair : pairs_)
    if (pair.geom1 == geom1 && pair.geom2 == geom2) return &pair;
  return nullptr;
}

}  // namespace taxel::mujoco
