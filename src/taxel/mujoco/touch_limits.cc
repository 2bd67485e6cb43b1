#include "taxel/mujoco/touch_limits.h"

#include <algorithm>
#include <cmath>

#include "taxel/contact/release_limit.h"
#include "taxel/mujoco/engine.h"
#include "taxel/mujoco/rows.h"

namespace taxel::mujoco {
using namespace internal;
namespace {

constexpr double kExplicitLimit = 0.25;   // of h^2 k / m
constexpr double kLift = 1.5;             // of what gravity adds to a speed in a step
constexpr double kCoreAcceleration = 20;  // m/s2: what starts from rest is foreseen up to twice gravity

// What explicit forces bear, for models that give no part of their push.
double LargestStep(const mjModel* m, const mjData* d, const Touch& touch) {
  const Patch& patch = touch.patch;
  if (patch.blocks.empty() || touch.surface.empty() || !(patch.stiffness > 0)) return HUGE_VAL;
  const int body1 = m->geom_bodyid[touch.geom1], body2 = m->geom_bodyid[touch.geom2];
  const auto light = [&](const Vec3& p, const Vec3& along) {
    return std::max(InverseMassAlong(m, d, body1, body2, p, along), double(mjMINVAL));
  };
  // Up and down, or about either axis of the patch, whichever is quicker: the sum of k / m over the blocks is
  // that of the three.
  const Vec3& at = touch.surface.center_of_pressure;
  const double heave = light(at, patch.mean_normal);
  double all = 0;
  for (const PatchBlock& b : patch.blocks) all += b.stiffness * light(b.p_W, b.n_W);
  const double normal = std::max(heave, 0.5 * (all / patch.stiffness - heave));
  const double across = std::max(light(at, patch.axis_u), light(at, patch.axis_v));
  return touch.model->LargestStep(1 / normal, 1 / across, touch);
}

}  // namespace

double CoreReach(const mjModel* m, const mjData* d, const Touch& touch) {
  // What the fastest point of the patch covers in a step, and a little more for what accelerates it.
  const RelativeMotion& v = touch.motion;
  double speed = 0;
  for (const PatchBlock& b : touch.patch.blocks) speed = std::max(speed, norm(v(b.p_W)));
  if (touch.patch.blocks.empty()) speed = norm(v(GeomPose(d, touch.owner).p));
  const double h = m->opt.timestep;
  return 2 * h * speed + kCoreAcceleration * h * h;
}

ExplicitStep LimitExplicit(const mjModel* m, const mjData* d, Touch* touch) {
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
  if (touch->patch.stiffness > most && touch->model->Weaken(most / touch->patch.stiffness, touch))
    return ExplicitStep::kSoftened;
  return h < LargestStep(m, d, *touch) ? ExplicitStep::kCarried : ExplicitStep::kTooLong;
}

void LimitRelease(const mjModel* m, const mjData* d, const PairState* known, bool implicit, Touch* touch) {
  const Patch& patch = touch->patch;
  touch->held_back = false;
  if (patch.blocks.empty()) return;
  const Vec3 at = touch->surface.empty() ? patch.blocks[0].p_W : touch->surface.center_of_pressure;
  const double v = dot(patch.mean_normal, touch->motion(at)), h = m->opt.timestep;
  touch->budget = known ? known->budget : FirstBudget(touch->energy, patch.force, norm(touch->motion(at)), h);
  if (touch->budget >= touch->energy) return;  // as nearly always: a step cannot give more than all
  const int body1 = m->geom_bodyid[touch->geom1], body2 = m->geom_bodyid[touch->geom2];
  ReleaseStep step{patch.force, patch.stiffness, v, 0, h, 0, implicit};
  step.inverse_mass = InverseMassAlong(m, d, body1, body2, at, patch.mean_normal);
  // What lies in a contact is lifted out of it: as fast as gravity pulls in a step, or slowly.
  const double gravity = norm(Vec3{m->opt.gravity[0], m->opt.gravity[1], m->opt.gravity[2]});
  // Beside the middle the weight of a body weighs less than the body: there it is lifted faster.
  const double middle =
      std::max(m->body_invweight0[2 * body1] + m->body_invweight0[2 * body2], double(mjMINVAL));
  const double lift = kLift * std::max(1.0, step.inverse_mass / middle) * gravity * h;
  step.slow = std::max(lift, patch.force / patch.stiffness / kCoreRecoveryTime);
  const double factor = ReleaseFactor(touch->budget, step);
  touch->held_back = factor < 1 && touch->model->Weaken(factor, touch);
}

double BudgetAtEnd(const mjModel* m, const mjData* d, const Touch& touch) {
  const RelativeMotion after =
      RelativeBodyMotion(m, d, m->geom_bodyid[touch.geom1], m->geom_bodyid[touch.geom2]);
  double power = 0;
  for (const RelativeMotion* v : {&touch.motion, &after})
    power += 0.5 * (dot(touch.normal.force, (*v)(Vec3{})) + dot(touch.normal.torque, v->angular));
  const double h = m->opt.timestep;
  return NextBudget(touch.budget, -h * power, touch.energy, h, touch.held_back);
}

}  // namespace taxel::mujoco
