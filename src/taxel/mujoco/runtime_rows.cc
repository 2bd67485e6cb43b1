// How the touches of a step become rows of MuJoCo's solver, and what is read back from them. The rest of the
// runtime is in runtime.cc.
#include <algorithm>
#include <cmath>

#include "taxel/contact/bristle_law.h"
#include "taxel/contact/release_limit.h"
#include "taxel/math/error.h"
#include "taxel/mujoco/engine.h"
#include "taxel/mujoco/geom_body.h"
#include "taxel/mujoco/rows.h"
#include "taxel/mujoco/runtime.h"

namespace taxel::mujoco {
namespace {

// Friction of a block of bristles, about the present velocity.
AffineRow AffineRowOf(const PatchBlock& block, const FrictionBlock& f, const Vec3& at, const Vec3& velocity) {
  AffineRow row;
  const Vec3 along = Tangential(f.along_W, block.n_W);
  // Axes that do not turn with the noise of a body at rest.
  if (norm(along) > 0.5 && f.along_damping < 0.999 * f.damping) {
    row.t1 = normalized(along);
    row.t2 = cross(block.n_W, row.t1);
  } else {
    MakeFrame(block.n_W, &row.t1, &row.t2);
  }
  row.p_W = at;
  row.slope[0] = f.along_damping;
  row.slope[1] = f.damping;
  row.bound = f.bound;
  row.force[0] = dot(f.force_W, row.t1), row.force[1] = dot(f.force_W, row.t2);
  row.velocity[0] = dot(velocity, row.t1), row.velocity[1] = dot(velocity, row.t2);
  return row;
}

constexpr double kExplicitLimit = 0.25;   // of h^2 k / m
constexpr double kLift = 1.5;             // of what gravity adds to a speed in a step
constexpr double kCoreAcceleration = 20;  // m/s2: what starts from rest is foreseen up to twice gravity

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

void Runtime::FindCore(const mjModel* m, mjData* d, Touch* touch) {
  // What the fastest point of the patch covers in a step, and a little more for what accelerates it.
  const RelativeMotion& v = touch->motion;
  double speed = 0;
  for (const PatchBlock& b : touch->patch.blocks) speed = std::max(speed, norm(v(b.p_W)));
  if (touch->patch.blocks.empty()) speed = norm(v(GeomPose(d, touch->owner).p));
  const double h = m->opt.timestep;
  touch->model->FindCore(Context(m, d), 2 * h * speed + kCoreAcceleration * h * h, touch);
}

void Runtime::LimitExplicit(const mjModel* m, const mjData* d, Touch* touch) {
  // Forces of the present pose are stable up to h^2 k / m = 4 for one spring; a quarter of a period is left
  // for what k and m hide (rotation about other axes, other contacts).
  const int bodies[2] = {m->geom_bodyid[touch->geom1], m->geom_bodyid[touch->geom2]};
  double lightest = mjMINVAL;
  for (const PatchBlock& b : touch->patch.blocks) {
    double A = 0;
    for (int body : bodies) {
      const mjtNum* c = d->xipos + 3 * body;
      A += m->body_invweight0[2 * body] +
           m->body_invweight0[2 * body + 1] * norm2(b.p_W - Vec3{c[0], c[1], c[2]});
    }
    lightest = std::max(lightest, A);
  }
  const double h = m->opt.timestep, most = kExplicitLimit / (h * h * lightest);
  touch->most_damping = h * most;
  if (touch->patch.stiffness <= most) return;
  if (!touch->model->Weaken(most / touch->patch.stiffness, touch) || warned_explicit_) return;
  warned_explicit_ = true;
  scene_->WarnOnce("coupling=\"explicit\": " + GeomName(m, touch->geom1) + " with " +
                   GeomName(m, touch->geom2) + ": the contact is stiffer than a step of " + ToText(h) +
                   " s can carry and is softened to what it can; shorten the step, or use coupling=\"rows\"");
}

void Runtime::LimitRelease(const mjModel* m, const mjData* d, Touch* touch) {
  const Patch& patch = touch->patch;
  touch->held_back = false;
  if (patch.blocks.empty()) return;
  const Vec3 at = touch->surface.empty() ? patch.blocks[0].p_W : touch->surface.center_of_pressure;
  const double v = dot(patch.mean_normal, touch->motion(at)), h = m->opt.timestep;
  const auto known = std::find_if(pairs_.begin(), pairs_.end(), [&](const PairState& p) {
    return p.geom1 == touch->geom1 && p.geom2 == touch->geom2;
  });
  touch->budget = known != pairs_.end() ? known->budget
                                        : FirstBudget(touch->energy, patch.force, norm(touch->motion(at)), h);
  if (touch->budget >= touch->energy) return;  // as nearly always: a step cannot give more than all
  const int body1 = m->geom_bodyid[touch->geom1], body2 = m->geom_bodyid[touch->geom2];
  ReleaseStep step{patch.force, patch.stiffness, v, 0, h, 0, coupling() == Coupling::kRows};
  step.inverse_mass = InverseMassAlong(m, d, body1, body2, at, patch.mean_normal);
  // What lies in a contact is lifted out of it: as fast as gravity pulls in a step, or slowly.
  const double gravity = norm(Vec3{m->opt.gravity[0], m->opt.gravity[1], m->opt.gravity[2]});
  step.slow = std::max(kLift * gravity * h, patch.force / patch.stiffness / kCoreRecoveryTime);
  const double factor = ReleaseFactor(touch->budget, step);
  touch->held_back = factor < 1 && touch->model->Weaken(factor, touch);
}

double Runtime::BudgetAtEnd(const mjModel* m, const mjData* d, const Touch& touch) const {
  const RelativeMotion after =
      RelativeBodyMotion(m, d, m->geom_bodyid[touch.geom1], m->geom_bodyid[touch.geom2]);
  double power = 0;
  for (const RelativeMotion* v : {&touch.motion, &after})
    power += 0.5 * (dot(touch.normal.force, (*v)(Vec3{})) + dot(touch.normal.torque, v->angular));
  const double h = m->opt.timestep;
  return NextBudget(touch.budget, -h * power, touch.energy, h, touch.held_back);
}

void Runtime::AddCoreRows(const mjModel* m, mjData* d, Touch* touch) {
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

void Runtime::AddRows(const mjModel* m, mjData* d, Touch* touch) {
  const int body1 = m->geom_bodyid[touch->geom1], body2 = m->geom_bodyid[touch->geom2];
  SavedState state = State(m, d);
  const RelativeMotion v = RelativeBodyMotion(m, d, body1, body2);
  const std::vector<FrictionBlock>& friction = touch->model->Friction(
      Context(m, d), v, state.started() ? PatchFriction::Bound::kLagged : PatchFriction::Bound::kElastic,
      touch);

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
    const FrictionBlock& f = friction[b];
    if (!(f.bound > 0) || !(f.stiffness > 0 || (f.affine && f.damping > 0))) continue;
    const Vec3 vb = v(block.p_W);
    if (f.affine && norm(f.force_W) < f.bound) {
      const Vec3 at = block.p_W + f.sliding * (block.slip_W - block.p_W);
      touch->tangent_contact[b] = add(MakeAffineContact(AffineRowOf(block, f, at, vb), c));
      continue;
    }
    TangentRow row;
    MakeFrame(block.n_W, &row.t1, &row.t2);
    row.stiffness = f.stiffness;
    row.damping = f.damping;
    row.bound = f.bound;
    Vec3 stretch = f.stretch_W;
    if (f.affine) {
      // Any stiffness up to G / h stands for the same force at zero velocity.
      row.stiffness = std::clamp(f.stiffness, 1e-3 * f.damping / c.step, f.damping / c.step);
      stretch = (f.force_W - f.damping * Tangential(vb, block.n_W)) / row.stiffness;
    }
    row.stretch[0] = dot(stretch, row.t1), row.stretch[1] = dot(stretch, row.t2);
    row.velocity[0] = dot(vb, row.t1), row.velocity[1] = dot(vb, row.t2);
    row.p_W = PredictsSlip(row, c) ? block.slip_W : block.p_W;
    touch->tangent_contact[b] = add(MakeTangentContact(row, c));
  }
}

void Runtime::ReadRows(mjData* d, Touch* touch) {
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

void Runtime::ReadCoreRows(mjData* d, Touch* touch) {
  touch->core_wrench = {};
  for (std::size_t i = 0; i < touch->core.size(); ++i) {
    const int row = RowOf(d, *touch, touch->core_contact[i]);
    if (row < 0 || !(d->efc_force[row] > 0)) continue;
    const CoreTouch& core = touch->core[i];
    const Vec3 force = d->efc_force[row] * core.n_W;
    AddForce(&touch->core_wrench, force, core.p_W);
    // Friction and readings know the force of blocks; what the core holds is felt by the one in front of it.
    const int b = NearestBlock(touch->patch, core.p_W);
    if (b >= 0 && coupling() == Coupling::kRows)
      touch->block_normal_force[b] += std::max(0.0, dot(force, touch->patch.blocks[b].n_W));
  }
  touch->wrench = {touch->wrench.force + touch->core_wrench.force,
                   touch->wrench.torque + touch->core_wrench.torque};
  touch->normal = {touch->normal.force + touch->core_wrench.force,
                   touch->normal.torque + touch->core_wrench.torque};
}

}  // namespace taxel::mujoco
