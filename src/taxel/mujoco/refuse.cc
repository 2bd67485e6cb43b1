#include "taxel/mujoco/refuse.h"

#include <cstdio>

namespace taxel::mujoco {

const char* KeepReason(const std::string& reason) {
  thread_local char kept[kReasonRoom + 1];
  const int size = static_cast<int>(reason.size());
  if (size <= kReasonRoom) {
    std::snprintf(kept, sizeof(kept), "%s", reason.c_str());
    return kept;
  }
  // Cut between words, which is also between the bytes of letters beyond ASCII; where there is none near,
  // anywhere.
  constexpr char kGap[] = " ... ";
  constexpr int kHalf = (kReasonRoom - static_cast<int>(sizeof(kGap)) + 1) / 2, kLongestWord = 60;
  int head = kHalf, tail = size - kHalf;
  const auto step_to_space = [&](int at, int step) {
    for (int i = 0; i < kLongestWord; ++i, at += step)
      if (reason[at] == ' ') return at;
    return -1;
  };
  if (const int space = step_to_space(head, -1); space >= 0) head = space;
  if (const int space = step_to_space(tail, 1); space >= 0) tail = space + 1;
  std::snprintf(kept, sizeof(kept), "%.*s%s%s", head, reason.c_str(), kGap, reason.c_str() + tail);
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
