// What stands in mjData.plugin_data: a number that leads to the runtime of exactly that mjData.
#pragma once

#include <mujoco/mujoco.h>

#include <cstdint>
#include <memory>

namespace taxel::mujoco {

class Runtime;
class MarkerRuntime;

/// MuJoCo copies plugin_data bit by bit when an mjData is pickled, also into another process. A pointer would
/// then be shared, or dangle; a handle knows whose it is. Lookup takes no lock. T: Runtime or MarkerRuntime.
template <typename T>
struct Handles {
  static std::uintptr_t Add(const mjData* owner, std::unique_ptr<T> runtime);
  /// Null when the handle is 0, unknown, or belongs to another mjData.
  static T* Of(const mjData* owner, std::uintptr_t handle);
  /// Whoever it belongs to; for MuJoCo's reset callback, which does not say of which mjData.
  static T* Any(std::uintptr_t handle);
  /// Frees the runtime if it belongs to this mjData.
  static void Remove(const mjData* owner, std::uintptr_t handle);
};

/// The same by name, for soft contact.
std::uintptr_t AddRuntime(const mjData* owner, std::unique_ptr<Runtime> runtime);
Runtime* RuntimeOf(const mjData* owner, std::uintptr_t handle);
Runtime* AnyRuntime(std::uintptr_t handle);
void RemoveRuntime(const mjData* owner, std::uintptr_t handle);

}  // namespace taxel::mujoco
