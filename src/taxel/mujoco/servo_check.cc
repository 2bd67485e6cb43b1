#include "taxel/mujoco/servo_check.h"

#include <cmath>
#include <cstdio>

#include "taxel/mujoco/engine.h"

namespace taxel::mujoco {
using namespace internal;
namespace {

bool Moves(const mjModel* m, int body, const Scene& scene) {
  for (int g = 0; g < m->ngeom; ++g) {
    if (!scene.geoms()[g].shape) continue;
    for (int b = m->geom_bodyid[g]; b > 0; b = m->body_parentid[b])
      if (b == body) return true;
  }
  return false;
}

std::string Round(double x) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.3g", x);
  return text;
}

}  // namespace

std::vector<std::string> StiffServos(const mjModel* m, const Scene& scene) {
  std::vector<std::string> out;
  if (m->opt.integrator == mjINT_DISCRETE) return out;
  const double h = m->opt.timestep;
  for (int i = 0; i < m->nactuator; ++i) {
    const auto servo = JointServoOf(m, i);
    if (!servo) continue;
    const int dof = servo->dof;
    const double M = m->dof_M0[dof], kp = servo->kp, kv = servo->kv + m->dof_damping[dof];
    if (!(h * kv >= M && h * h * kp >= M) || !Moves(m, m->dof_bodyid[dof], scene)) continue;
    const char* name = mj_id2name(m, mjOBJ_ACTUATOR, i);
    const double armature = m->dof_armature[dof] + std::fmax(h * kv, h * h * kp) - M;
    out.push_back(
        "actuator '" + std::string(name ? name : std::to_string(i)) + "' (kp " + Round(kp) + ", kv " +
        Round(kv) + ") is too stiff for the inertia " + Round(M) + " of its joint at a time step of " +
        Round(h) +
        " s: soft contacts of what it moves may chatter or let go. Use <option integrator=\"discrete\"/>, or "
        "armature=\"" +
        Round(1.1 * armature) + "\" on the joint, or kv below " + Round(M / h) + ", or a smaller time step");
  }
  return out;
}

void WarnOfStiffServos(const mjModel* m, const Scene& scene) {
  for (const std::string& line : StiffServos(m, scene)) scene.WarnOnce(line);
}

}  // namespace taxel::mujoco
