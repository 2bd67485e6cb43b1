// The row of friction of one block, for the two kinds of law: a spring that was stretched, and a force that
// changes with the velocity.
#pragma once

#include <mujoco/mujoco.h>

#include "taxel/contact/patch.h"
#include "taxel/contact/patch_friction.h"
#include "taxel/mujoco/rows.h"

namespace taxel::mujoco {

/// A spring of `stiffness` that is stretched by `stretch_W`; damping and bound are the block's. `velocity`:
/// of geom 2 relative to geom 1 at the block, m/s.
mjContact MakeSpringFriction(const PatchBlock& block, const FrictionBlock& f, double stiffness,
                             const Vec3& stretch_W, const Vec3& velocity, const RowContext& c);

/// A force about the present velocity. Below its bound only.
mjContact MakeAffineFriction(const PatchBlock& block, const FrictionBlock& f, const Vec3& velocity,
                             const RowContext& c);

}  // namespace taxel::mujoco
