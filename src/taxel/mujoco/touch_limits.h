// What a step can carry of a contact, and what the contact may give back.
#pragma once

#include <mujoco/mujoco.h>

#include "taxel/mujoco/saved_state.h"
#include "taxel/mujoco/touch.h"

namespace taxel::mujoco {

/// How near a core must be to be reached within two steps, m.
double CoreReach(const mjModel* m, const mjData* d, const Touch& touch);

/// What became of a contact whose forces are those of the start of the step.
enum class ExplicitStep {
  kCarried,
  kSoftened,  ///< it was stiffer than the step can carry
  kTooLong,   ///< so it is, and its model has no part to give (bristles, which act as they were published)
};

/// Explicit coupling: sets most_damping, and softens a patch that is stiffer than the step can carry.
ExplicitStep LimitExplicit(const mjModel* m, const mjData* d, Touch* touch);

/// Weakens a patch that would release more in this step than its budget (contact/release_limit.h). `known`:
/// what the pair remembers, null at the first touch. `implicit`: rows, whose force is that of the end of the
/// step.
void LimitRelease(const mjModel* m, const mjData* d, const PairState* known, bool implicit, Touch* touch);
/// The budget after the step, with the velocities at its end.
double BudgetAtEnd(const mjModel* m, const mjData* d, const Touch& touch);

}  // namespace taxel::mujoco
