#include "taxel/mujoco/handle.h"

#include <atomic>
#include <mutex>
#include <vector>

#include "taxel/mujoco/runtime.h"

namespace taxel::mujoco {
namespace {

struct Entry {
  std::atomic<const mjData*> owner = nullptr;
  std::atomic<Runtime*> runtime = nullptr;
};

// Entries never move: a table of chunks that are made when needed and kept.
constexpr std::uintptr_t kChunk = 1024, kChunks = 4096;
std::atomic<Entry*> chunks[kChunks];
std::mutex mutex;
std::uintptr_t used = 0;
std::vector<std::uintptr_t>* Free() {
  static auto* free_entries = new std::vector<std::uintptr_t>;
  return free_entries;
}

Entry* Find(std::uintptr_t handle) {
  if (handle == 0 || handle > kChunk * kChunks) return nullptr;
  Entry* chunk = chunks[(handle - 1) / kChunk].load(std::memory_order_acquire);
  return chunk ? chunk + (handle - 1) % kChunk : nullptr;
}

}  // namespace

std::uintptr_t AddRuntime(const mjData* owner, std::unique_ptr<Runtime> runtime) {
  const std::lock_guard<std::mutex> lock(mutex);
  std::uintptr_t handle;
  if (!Free()->empty()) {
    handle = Free()->back();
    Free()->pop_back();
  } else {
    if (used == kChunk * kChunks) return 0;
    handle = ++used;
    std::atomic<Entry*>& chunk = chunks[(handle - 1) / kChunk];
    if (!chunk.load()) chunk.store(new Entry[kChunk], std::memory_order_release);
  }
  Entry* entry = Find(handle);
  entry->runtime.store(runtime.release());
  entry->owner.store(owner, std::memory_order_release);
  return handle;
}

Runtime* RuntimeOf(const mjData* owner, std::uintptr_t handle) {
  Entry* entry = Find(handle);
  return entry && entry->owner.load(std::memory_order_acquire) == owner ? entry->runtime.load() : nullptr;
}

Runtime* AnyRuntime(std::uintptr_t handle) {
  Entry* entry = Find(handle);
  return entry ? entry->runtime.load() : nullptr;
}

void RemoveRuntime(const mjData* owner, std::uintptr_t handle) {
  if (!RuntimeOf(owner, handle)) return;
  const std::lock_guard<std::mutex> lock(mutex);
  Entry* entry = Find(handle);
  entry->owner.store(nullptr);
  delete entry->runtime.exchange(nullptr);
  Free()->push_back(handle);
}

}  // namespace taxel::mujoco
