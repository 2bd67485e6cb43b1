// What touches as rows of MuJoCo's solver, and the forces that those carried.
#pragma once

#include <mujoco/mujoco.h>

#include "taxel/mujoco/saved_state.h"
#include "taxel/mujoco/touch.h"

namespace taxel::mujoco {

/// Two contacts for each block, normal and friction: fills normal_contact and tangent_contact.
void AddRows(const TouchContext& context, mjData* d, SavedState state, Touch* touch);
/// One contact for each place where a core is near: fills core_contact.
void AddCoreRows(const mjModel* m, mjData* d, Touch* touch);

/// After the solver: forces of blocks and wrenches, from the rows. Takes the constant force out of the
/// friction's contacts, which would count as normal force elsewhere.
void ReadRows(mjData* d, Touch* touch);
/// After ReadRows, or after explicit forces: adds what the cores hold. `blocks_feel`: the block in front of a
/// core counts it as its own normal force.
void ReadCoreRows(const mjData* d, bool blocks_feel, Touch* touch);

}  // namespace taxel::mujoco
