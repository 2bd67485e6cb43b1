// A thread block as a team of lanes (layer_team.h).
#pragma once

#include <type_traits>

#include "taxel/marker/layer_team.h"

namespace taxel::cuda {

/// Shared memory of a team.
struct BlockTeamMemory {
  static constexpr int kWarps = internal::kLayerLanes / 32, kLargest = 48;
  alignas(16) char parts[2][kWarps * kLargest];
  int counts[2][kWarps];
};

/// Of kLayerLanes threads; one a kernel. Sums have a fixed order: same input, same bits. Loops have few turns
/// for a lane, so they are not unrolled. Bodies are for the device alone; the host compiles them, too, as it
/// does all of a template that runs on both.
class BlockTeam {
 public:
  __host__ __device__ internal::LayerPhase Mark(internal::LayerPhase) const {
    return internal::LayerPhase::kOther;
  }

  template <typename F>
  __host__ __device__ void For(int n, const F& f) {
#if defined(__CUDA_ARCH__)
#if defined(__NVCC__)
#pragma unroll 1
#endif
    for (int i = static_cast<int>(threadIdx.x); i < n; i += internal::kLayerLanes) f(i);
    __syncthreads();
#endif
  }

  template <typename T, typename F>
  __host__ __device__ T Reduce(int n, const F& f) {
    T out{};
#if defined(__CUDA_ARCH__)
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= BlockTeamMemory::kLargest);
#if defined(__NVCC__)
#pragma unroll 1
#endif
    for (int i = static_cast<int>(threadIdx.x); i < n; i += internal::kLayerLanes) f(i, &out);
    if constexpr (std::is_empty_v<T>) {
      __syncthreads();
    } else {
      for (int d = 16; d > 0; d /= 2) out.Join(Down(out, d));
      // Two places in turn: who is still reading the one has not come to the barrier of the other.
      T* parts = reinterpret_cast<T*>(Shared().parts[turn_]);
      if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = out;
      turn_ ^= 1;
      __syncthreads();
      out = parts[0];
      for (int w = 1; w < BlockTeamMemory::kWarps; ++w) out.Join(parts[w]);
    }
#endif
    return out;
  }

  template <typename Wanted, typename Give>
  __host__ __device__ int List(int n, const Wanted& wanted, const Give& give) {
    int count = 0;
#if defined(__CUDA_ARCH__)
    const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
    for (int base = 0; base < n; base += internal::kLayerLanes) {
      const int i = base + static_cast<int>(threadIdx.x);
      const bool mine = i < n && wanted(i);
      const unsigned votes = __ballot_sync(0xffffffffu, mine);
      int* counts = Shared().counts[list_turn_];
      list_turn_ ^= 1;
      if (lane == 0) counts[warp] = __popc(votes);
      __syncthreads();
      int place = count;
      for (int w = 0; w < BlockTeamMemory::kWarps; ++w) {
        if (w < warp) place += counts[w];
        count += counts[w];
      }
      if (mine) give(place + __popc(votes & ((1u << lane) - 1)), i);
    }
    __syncthreads();
#endif
    return count;
  }

 private:
#if defined(__CUDACC__)
  static __device__ BlockTeamMemory& Shared() {
    __shared__ BlockTeamMemory memory;
    return memory;
  }
  template <typename T>
  static __device__ T Down(const T& value, int distance) {
    constexpr int kWords = sizeof(T) / sizeof(int);
    static_assert(kWords * sizeof(int) == sizeof(T));
    int words[kWords];
    memcpy(words, &value, sizeof(T));
    for (int k = 0; k < kWords; ++k) words[k] = __shfl_down_sync(0xffffffffu, words[k], distance);
    T out;
    memcpy(&out, words, sizeof(T));
    return out;
  }
#endif

  int turn_ = 0, list_turn_ = 0;
};

}  // namespace taxel::cuda
