// From an mjData to its runtime of soft contact.
#pragma once

#include <mujoco/mujoco.h>

#include "taxel/mujoco/runtime.h"

namespace taxel::mujoco {

/// The runtime of a model's first taxel instance, or nullptr. An mjData that was copied bit by bit (pickled)
/// gets its own here.
Runtime* FindRuntime(const mjModel* m, mjData* d);
/// Slot of the plugin in MuJoCo's table; -1 before registration.
extern int plugin_slot;

}  // namespace taxel::mujoco
