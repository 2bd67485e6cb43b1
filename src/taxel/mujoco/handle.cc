#include "taxel/mujoco/handle.h"

#include <atomic>
#include <mutex>
#include <vector>

#include "taxel/mujoco/marker_runtime.h"
#include "taxel/mujoco/runtime.h"

namespace taxel::mujoco {
using namespace internal;
namespace {

template <typename T>
struct Entry {
  std::atomic<const mjData*> owner = nullptr;
  std::atomic<T*> runtime = nullptr;
};

constexpr std::uintptr_t kChunk = 1024, kChunks = 4096;

// Entries never move: a table of chunks that are made when needed and kept.
template <typename T>
struct Table {
  std::atomic<Entry<T>*> chunks[kChunks];
  std::mutex mutex;
  std::uintptr_t used = 0;
  std::vector<std::uintptr_t> free;

  Entry<T>* Find(std::uintptr_t handle) {
    if (handle == 0 || handle > kChunk * kChunks) return nullptr;
    Entry<T>* chunk = chunks[(handle - 1) / kChunk].load(std::memory_order_acquire);
    return chunk ? chunk + (handle - 1) % kChunk : nullptr;
  }
  static Table& Get() {
    static auto* table = new Table;
    return *table;
  }
};

}  // namespace

template <typename T>
std::uintptr_t Handles<T>::Add(const mjData* owner, std::unique_ptr<T> runtime) {
  Table<T>& table = Table<T>::Get();
  const std::lock_guard<std::mutex> lock(table.mutex);
  std::uintptr_t handle;
  if (!table.free.empty()) {
    handle = table.free.back();
    table.free.pop_back();
  } else {
    if (table.used == kChunk * kChunks) return 0;
    handle = ++table.used;
    std::atomic<Entry<T>*>& chunk = table.chunks[(handle - 1) / kChunk];
    if (!chunk.load()) chunk.store(new Entry<T>[kChunk], std::memory_order_release);
  }
  Entry<T>* entry = table.Find(handle);
  entry->runtime.store(runtime.release());
  entry->owner.store(owner, std::memory_order_release);
  return handle;
}

template <typename T>
T* Handles<T>::Of(const mjData* owner, std::uintptr_t handle) {
  Entry<T>* entry = Table<T>::Get().Find(handle);
  return entry && entry->owner.load(std::memory_order_acquire) == owner ? entry->runtime.load() : nullptr;
}

template <typename T>
T* Handles<T>::Any(std::uintptr_t handle) {
  Entry<T>* entry = Table<T>::Get().Find(handle);
  return entry ? entry->runtime.load() : nullptr;
}

template <typename T>
void Handles<T>::Remove(const mjData* owner, std::uintptr_t handle) {
  if (!Of(owner, handle)) return;
  Table<T>& table = Table<T>::Get();
  const std::lock_guard<std::mutex> lock(table.mutex);
  Entry<T>* entry = table.Find(handle);
  entry->owner.store(nullptr);
  delete entry->runtime.exchange(nullptr);
  table.free.push_back(handle);
}

template struct Handles<Runtime>;
template struct Handles<MarkerRuntime>;

std::uintptr_t AddRuntime(const mjData* owner, std::unique_ptr<Runtime> runtime) {
  return Handles<Runtime>::Add(owner, std::move(runtime));
}
Runtime* RuntimeOf(const mjData* owner, std::uintptr_t handle) { return Handles<Runtime>::Of(owner, handle); }
Runtime* AnyRuntime(std::uintptr_t handle) { return Handles<Runtime>::Any(handle); }
void RemoveRuntime(const mjData* owner, std::uintptr_t handle) { Handles<Runtime>::Remove(owner, handle); }

}  // namespace taxel::mujoco
