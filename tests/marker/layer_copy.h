// One gel of mode layer on the host, stepped by the code that kernels run, with any team.
#pragma once

#include <barrier>
#include <cstring>
#include <thread>
#include <type_traits>
#include <vector>

#include "taxel/marker/layer_arrays.h"
#include "taxel/marker/layer_step.h"

namespace taxel::test {

/// One lane that takes the work of every loop in another order.
struct ScrambledTeam : internal::SerialTeam {
  long turn = 1;
  template <typename F>
  void For(int n, const F& f) {
    turn = (turn * 48271 + 11) % 2147483647;
    for (int i = 0; i < n; ++i)  // 1000003 is a prime, so all of them are visited
      f(static_cast<int>((turn + 1000003L * i) % n));
  }
};

/// Several lanes, each a thread, as a thread block has them: they share loops by turns and meet at a barrier
/// after each. Races between lanes of a kernel are races here, which a thread sanitizer sees.
class ThreadTeam {
 public:
  struct Memory {
    explicit Memory(int lanes_)
        : lanes(lanes_), barrier(lanes_), parts(2 * static_cast<std::size_t>(lanes_)) {}
    struct alignas(16) Part {
      char bytes[64];
    };
    int lanes;
    std::barrier<> barrier;
    std::vector<Part> parts;
  };
  ThreadTeam(Memory* memory, int lane) : memory_(*memory), lane_(lane) {}
  internal::LayerPhase Mark(internal::LayerPhase) const { return internal::LayerPhase::kOther; }

  template <typename F>
  void For(int n, const F& f) {
    for (int i = lane_; i < n; i += memory_.lanes) f(i);
    memory_.barrier.arrive_and_wait();
  }
  template <typename T, typename F>
  T Reduce(int n, const F& f) {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(Memory::Part));
    T out{};
    for (int i = lane_; i < n; i += memory_.lanes) f(i, &out);
    Memory::Part* parts = &memory_.parts[static_cast<std::size_t>(turn_ * memory_.lanes)];
    turn_ ^= 1;
    std::memcpy(parts[lane_].bytes, &out, sizeof(T));
    memory_.barrier.arrive_and_wait();
    out = T{};
    for (int lane = 0; lane < memory_.lanes; ++lane) {
      T part;
      std::memcpy(&part, parts[lane].bytes, sizeof(T));
      out.Join(part);
    }
    return out;
  }
  template <typename Wanted, typename Give>
  int List(int n, const Wanted& wanted, const Give& give) {
    int count = 0;
    for (int base = 0; base < n; base += memory_.lanes) {
      const int i = base + lane_;
      const bool mine = i < n && wanted(i);
      Memory::Part* parts = &memory_.parts[static_cast<std::size_t>(turn_ * memory_.lanes)];
      turn_ ^= 1;
      parts[lane_].bytes[0] = mine;
      memory_.barrier.arrive_and_wait();
      int place = count;
      for (int lane = 0; lane < memory_.lanes; ++lane) {
        if (lane < lane_) place += parts[lane].bytes[0];
        count += parts[lane].bytes[0];
      }
      if (mine) give(place, i);
    }
    memory_.barrier.arrive_and_wait();
    return count;
  }

 private:
  Memory& memory_;
  int lane_, turn_ = 0;
};

/// @tparam Team as layer_team.h says
template <typename Team>
class LayerCopy {
 public:
  /// small_chunks: of work in fast memory, as on a GPU.
  LayerCopy(const LayerField& field, int small_chunks, Team team = {}, int most_chunks = 0)
      : arrays_(field, "a copy"), numbers_(internal::ToLayerNumbers(field.parameters())), team_(team) {
    scene_ = arrays_.scene();
    if (most_chunks > 0) scene_.most_chunks = most_chunks;
    const std::size_t bytes = internal::LayerMemory::Bytes(scene_.objects, scene_.most_chunks);
    fast_.resize(internal::LayerScratch::FastBytes(scene_, small_chunks) / 16 + 1);
    slow_.resize(internal::LayerScratch::SlowBytes(scene_, small_chunks) / 16 + 1);
    kept_.resize(bytes / 16 + 1);
    // What a step does not write must not matter.
    std::memset(static_cast<void*>(fast_.data()), 0x7f, 16 * fast_.size());
    std::memset(static_cast<void*>(slow_.data()), 0x7f, 16 * slow_.size());
    std::memset(static_cast<void*>(kept_.data()), 0, 16 * kept_.size());
    scratch_ = internal::LayerScratch::Carve(scene_, small_chunks, bytes, fast_.data(), slow_.data());
    displacement.resize(3 * static_cast<std::size_t>(scene_.markers));
    marker_forces.resize(displacement.size());
    wrench.resize(6);
  }

  internal::LayerOutcome Step(const std::vector<Pose>& X, const Pose* shift = nullptr) {
    Prepare(X, shift);
    return Run(&team_, shift != nullptr, rounds);
  }
  /// The same in two parts, the second with any team, in each of its lanes.
  void Prepare(const std::vector<Pose>& X, const Pose* shift = nullptr) {
    std::copy(X.begin(), X.end(), scratch_.X);
    if (shift) std::fill_n(scratch_.shifted, X.size(), *shift);
  }
  template <typename Any>
  internal::LayerOutcome Run(Any* team, bool shifted, int* count) {
    internal::LayerStep<Any> step(team, scene_, scratch_, numbers_, count);
    return step.Run(scratch_.X, shifted, Memory(),
                    {displacement.data(), wrench.data(), marker_forces.data()});
  }
  /// The same with a thread a lane.
  internal::LayerOutcome StepOnThreads(int lanes, const std::vector<Pose>& X, const Pose* shift = nullptr) {
    Prepare(X, shift);
    ThreadTeam::Memory memory(lanes);
    std::vector<internal::LayerOutcome> outcome(static_cast<std::size_t>(lanes));
    std::vector<std::thread> threads;
    for (int lane = 0; lane < lanes; ++lane)
      threads.emplace_back([&, lane] {
        ThreadTeam team(&memory, lane);
        int mine[2] = {};
        outcome[static_cast<std::size_t>(lane)] = Run(&team, shift != nullptr, mine);
      });
    for (std::thread& t : threads) t.join();
    for (const internal::LayerOutcome o : outcome)
      if (o != outcome[0]) return internal::LayerOutcome::kOverflow;
    return outcome[0];
  }
  void Reset(bool keep_normal) { internal::ResetLayer(team_, scene_, keep_normal, Memory()); }
  void set_parameters(const LayerParameters& p) { numbers_ = internal::ToLayerNumbers(p); }
  internal::LayerMemory Memory() { return internal::LayerMemory::At(kept_.data(), scene_.objects); }
  int chunks() const { return scene_.chunks(); }

  std::vector<float> displacement, marker_forces, wrench;
  int rounds[2] = {};

 private:
  struct alignas(16) Room {
    char bytes[16];
  };
  internal::LayerArrays arrays_;
  internal::LayerScene scene_;
  internal::LayerNumbers numbers_;
  Team team_;
  std::vector<Room> fast_, slow_, kept_;
  internal::LayerScratch scratch_;
};

}  // namespace taxel::test
