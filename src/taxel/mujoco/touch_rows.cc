#include "taxel/mujoco/touch_rows.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "taxel/mujoco/engine.h"
#include "taxel/mujoco/rows.h"

namespace taxel::mujoco {
using namespace internal;
namespace {

// The block whose point is nearest to p.
int NearestBlock(const Patch& patch, const Vec3& p) {
  int nearest = -1;
  for (std::size_t b = 0; b < patch.blocks.size(); ++b)
    if (nearest < 0 || norm2(patch.blocks[b].p_W - p) < norm2(patch.blocks[nearest].p_W - p))
      nearest = static_cast<int>(b);
  return nearest;
}

RowContext RowContextOf(const mjModel* m, int body1, int body2) {
  RowContext c;
  c.step = m->opt.timestep;
  c.impratio = m->opt.impratio;
  c.inverse_mass = std::max(m->body_invweight0[2 * body1] + m->body_invweight0[2 * body2], double(mjMINVAL));
  c.discrete = m->opt.integrator == mjINT_DISCRETE;
  return c;
}

int AddContact(const mjModel* m, mjData* d, const Touch& touch, mjContact con) {
  con.geom[0] = con.geom1 = touch.geom1;
  con.geom[1] = con.geom2 = touch.geom2;
  const int at = d->ncon;
  return mj_addContact(m, d, &con) == 0 ? at : -1;
}

// The row of a contact of this touch, or -1.
int RowOf(const mjData* d, const Touch& touch, int contact) {
  if (contact < 0 || contact >= d->ncon) return -1;
  const mjContact& con = d->contact[contact];
  return con.geom[0] == touch.geom1 && con.geom[1] == touch.geom2 ? con.efc_address : -1;
}

}  // namespace

void AddCoreRows(const mjModel* m, mjData* d, Touch* touch) {
  const int body1 = m->geom_bodyid[touch->geom1], body2 = m->geom_bodyid[touch->geom2];
  const RowContext c = RowContextOf(m, body1, body2);
  touch->core_contact.assign(touch->core.size(), -1);
  touch->core_wrench = {};
  for (std::size_t i = 0; i < touch->core.size(); ++i) {
    const CoreTouch& core = touch->core[i];
    double gap = core.gap;
    // A body that hardly moves this way (a slide across it) would have to be fast to come back at the row's
    // speed.
    if (gap < 0)
      gap *=
          std::sqrt(std::min(1.0, InverseMassAlong(m, d, body1, body2, core.p_W, core.n_W) / c.inverse_mass));
    touch->core_contact[i] = AddContact(m, d, *touch, MakeCoreContact({core.p_W, core.n_W, gap}, c));
  }
}

void AddRows(const TouchContext& context, mjData* d, SavedState state, Touch* touch) {
  const mjModel* m = context.m;
  const int body1 = m->geom_bodyid[touch->geom1], body2 = m->geom_bodyid[touch->geom2];
  const RelativeMotion v = RelativeBodyMotion(m, d, body1, body2);
  const std::vector<FrictionBlock>& friction = touch->model->Friction(
      context, v, state.started() ? PatchFriction::Bound::kLagged : PatchFriction::Bound::kElastic, touch);

  const RowContext c = RowContextOf(m, body1, body2);
  const double theta = Implicitness(c.step, touch->patch.stiffness, c.inverse_mass);
  const double steeper = 2 * theta - 1;  // only where the step does not resolve the contact
  const int blocks = static_cast<int>(touch->patch.blocks.size());
  touch->normal_contact.assign(blocks, -1);
  touch->tangent_contact.assign(blocks, -1);
  const auto add = [&](const mjContact& con) { return AddContact(m, d, *touch, con); };
  if (c.discrete && (!state.started() || !state.MetricKnown())) GuessDiscreteMetric(m, state.metric());
  for (int b = 0; b < blocks; ++b) {
    const PatchBlock& block = touch->patch.blocks[b];
    // A step that leaps out of a deep overlap needs all of it, or the flanks throw the body out faster than
    // it came; three times k at most.
    const double stiffness =
        block.stiffness + steeper * std::min(ExitStiffness(touch->patch, block), 3 * block.stiffness);
    NormalRow row{block.p_W, block.n_W, block.force, stiffness, 0};
    row.damping = touch->parameters.dissipation * block.damping_share * block.force + block.damping;
    row.implicitness = theta;
    row.sliding_rate = stiffness / block.stiffness * dot(block.slope_W, v(block.p_W));
    row.normal_velocity = dot(block.n_W, v(block.p_W));
    if (c.discrete) row.rho = DiscreteDiagonalRatio(m, d, state.metric(), body1, body2, block.p_W, block.n_W);
    touch->normal_contact[b] = add(MakeNormalContact(row, c));
  }
  for (int b = 0; b < blocks; ++b) {
    const PatchBlock& block = touch->patch.blocks[b];
    const std::optional<mjContact> con = touch->model->FrictionContact(block, friction[b], v(block.p_W), c);
    if (con) touch->tangent_contact[b] = add(*con);
  }
}

void ReadRows(mjData* d, Touch* touch) {
  touch->wrench = touch->normal = {};
  touch->friction_force = {};
  for (std::size_t b = 0; b < touch->patch.blocks.size(); ++b) {
    const PatchBlock& block = touch->patch.blocks[b];
    touch->block_normal_force[b] = 0;
    touch->block_friction[b] = {};
    if (const int row = RowOf(d, *touch, touch->normal_contact[b]); row >= 0)
      touch->block_normal_force[b] = d->efc_force[row];
    if (const int row = RowOf(d, *touch, touch->tangent_contact[b]); row >= 0) {
      const mjContact& con = d->contact[touch->tangent_contact[b]];
      const double f1 = d->efc_force[row + 1], f2 = d->efc_force[row + 2];
      touch->block_friction[b] = {f1 * con.frame[3] + f2 * con.frame[6],
                                  f1 * con.frame[4] + f2 * con.frame[7],
                                  f1 * con.frame[5] + f2 * con.frame[8]};
      const Vec3 at{con.pos[0], con.pos[1], con.pos[2]};  // where it slides, that is not the block's
      AddForce(&touch->wrench, touch->block_friction[b], at);
      // Its row acts on nothing; left in place it would count as normal force in mj_contactForce and
      // sensors.
      d->efc_force[row] = 0;
    }
    AddForce(&touch->wrench, touch->block_normal_force[b] * block.n_W, block.p_W);
    AddForce(&touch->normal, touch->block_normal_force[b] * block.n_W, block.p_W);
    touch->friction_force += touch->block_friction[b];
  }
}

void ReadCoreRows(const mjData* d, bool blocks_feel, Touch* touch) {
  touch->core_wrench = {};
  for (std::size_t i = 0; i < touch->core.size(); ++i) {
    const int row = RowOf(d, *touch, touch->core_contact[i]);
    if (row < 0 || !(d->efc_force[row] > 0)) continue;
    const CoreTouch& core = touch->core[i];
    const Vec3 force = d->efc_force[row] * core.n_W;
    AddForce(&touch->core_wrench, force, core.p_W);
    // Friction and readings know the force of blocks; what the core holds is felt by the one in front of it.
    const int b = NearestBlock(touch->patch, core.p_W);
    if (b >= 0 && blocks_feel)
      touch->block_normal_force[b] += std::max(0.0, dot(force, touch->patch.blocks[b].n_W));
  }
  touch->wrench = {touch->wrench.force + touch->core_wrench.force,
                   touch->wrench.torque + touch->core_wrench.torque};
  touch->normal = {touch->normal.force + touch->core_wrench.force,
                   touch->normal.torque + touch->core_wrench.torque};
}

}  // namespace taxel::mujoco
