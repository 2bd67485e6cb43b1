// What stands in mjData.plugin_data: a number that leads to the runtime of exactly that mjData.
#pragma once

#include <mujoco/mujoco.h>

#include <cstdint>
#include <memory>

namespace taxel::mujoco {

class Runtime;

/// MuJoCo copies plugin_data bit by bit when an mjData is pickled, also into another process. A pointer would
/// then be shared, or dangle; a handle knows whose it is. Lookup takes no lock.
std::uintptr_t AddRuntime(const mjData* owner, std::unique_ptr<Runtime> runtime);
/// Null when the handle is 0, unknown, or belongs to another mjData.
Runtime* RuntimeOf(const mjData* owner, std::uintptr_t handle);
/// Whoever it belongs to; for MuJoCo's reset callback, which does not say of which mjData.
Runtime* AnyRuntime(std::uintptr_t handle);
/// Frees the runtime if it belongs to this mjData.
void RemoveRuntime(const mjData* owner, std::uintptr_t handle);

}  // namespace taxel::mujoco
