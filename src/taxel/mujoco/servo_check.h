// Servos that are too stiff for the integrator: found when the model is loaded, not after a lost grasp.
#pragma once

#include <mujoco/mujoco.h>

#include <string>
#include <vector>

#include "taxel/mujoco/scene.h"

namespace taxel::mujoco {

/// Euler, implicit and implicitfast solve contacts with the inertia M and then divide by M + h D (Euler: add
/// the servo's damping explicitly). Where h D is not small against M, a light finger on a stiff servo moves
/// otherwise than its contacts assume: they chatter, slip or let go. The condition, found by experiment
/// (docs/guide/mujoco.md):
///     h kv >= M  and  h^2 kp >= M,
/// M the joint's inertia with armature, kv with joint damping. One line for each such actuator that moves a
/// geom with soft contact; none under `discrete`, which is exact for any gains.
std::vector<std::string> StiffServos(const mjModel* m, const Scene& scene);
/// The same as MuJoCo warnings, each once.
void WarnOfStiffServos(const mjModel* m, const Scene& scene);

}  // namespace taxel::mujoco
