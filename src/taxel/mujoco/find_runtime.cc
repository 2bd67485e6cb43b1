#include "taxel/mujoco/find_runtime.h"

#include <exception>
#include <memory>

#include "taxel/mujoco/handle.h"
#include "taxel/mujoco/scene.h"

namespace taxel::mujoco {
using namespace internal;

int plugin_slot = -1;

Runtime* FindRuntime(const mjModel* m, mjData* d) {
  for (int i = 0; i < m->nplugin; ++i) {
    if (m->plugin[i] != plugin_slot) continue;
    if (Runtime* runtime = RuntimeOf(d, d->plugin_data[i])) return runtime;
    if (d->plugin_data[i] == 0) return nullptr;
    // Copied bit by bit from another mjData (pickled): it gets its own.
    try {
      d->plugin_data[i] = AddRuntime(d, std::make_unique<Runtime>(Scene::Of(m), i));
    } catch (const std::exception& e) {
      mju_warning("taxel: %s", e.what());
      d->plugin_data[i] = 0;
    }
    return RuntimeOf(d, d->plugin_data[i]);
  }
  return nullptr;
}

}  // namespace taxel::mujoco
