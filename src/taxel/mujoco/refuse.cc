#include "taxel/mujoco/refuse.h"

#include <cstdio>

namespace taxel::mujoco {

const char* KeepReason(const std::string& reason) {
  thread_local char kept[2048];
  std::snprintf(kept, sizeof(kept), "%s", reason.c_str());
  return kept;
}

void Refuse(mjData* d, int instance, const char* reason) {
  for (int i = 0; i < instance; ++i) {
    const mjpPlugin* plugin = mjp_getPluginAtSlot(d->plugin[i]);
    if (plugin && plugin->destroy) plugin->destroy(d, i);
  }
  mju_free(d->buffer);
  mju_free(d->arena);
  mju_free(d);
  mju_error("taxel: %s", reason);
}

}  // namespace taxel::mujoco
