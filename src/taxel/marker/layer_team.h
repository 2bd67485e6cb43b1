// Lanes that work together on one gel: a thread block on a GPU, one thread on the host.
//
// A team offers (T has a method Join(const T&), and T{} changes nothing)
//
//     void For(int n, f)             f(i) for i < n, in any order; all lanes wait until all are done
//     T Reduce<T>(int n, f)          f(i, &T) for i < n, the T of all lanes joined; the same bits in all
//     lanes int List(int n, wanted, give)  give(place, i) for every i with wanted(i), places in ascending
//     order of i;
//                                    how many there were. All lanes wait
//     LayerPhase Mark(LayerPhase)    what follows belongs to this phase, until the next call; the one before.
//                                    For clocks: it changes nothing
//
// Code between these calls runs in all lanes and must come to the same decisions in each: it depends on what
// Reduce and List returned and on memory that no For of the moment writes. f may write what no other i reads
// or writes.
#pragma once

#include "taxel/math/vec3.h"

/// A function that is compiled by itself on a GPU: registers and code are dear there.
#if defined(__CUDACC__)
#define TAXEL_APART __noinline__
#else
#define TAXEL_APART
#endif

namespace taxel::internal {

/// Lanes that work is shared out for, whatever the team has: sums are cut in the same places on all of them.
inline constexpr int kLayerLanes = 128;

/// Parts of a step.
enum class LayerPhase : int { kOther, kMeet, kBegin, kPressure, kFriction, kSums, kOutput, kCount };

/// One lane.
struct SerialTeam {
  LayerPhase Mark(LayerPhase) const { return LayerPhase::kOther; }
  template <typename F>
  void For(int n, const F& f) const {
    for (int i = 0; i < n; ++i) f(i);
  }
  template <typename T, typename F>
  T Reduce(int n, const F& f) const {
    T out{};
    for (int i = 0; i < n; ++i) f(i, &out);
    return out;
  }
  template <typename Wanted, typename Give>
  int List(int n, const Wanted& wanted, const Give& give) const {
    int count = 0;
    for (int i = 0; i < n; ++i)
      if (wanted(i)) give(count++, i);
    return count;
  }
};

}  // namespace taxel::internal
