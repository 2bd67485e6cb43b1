// Particles to the grid: one group of threads a block of 4^3 cells, no atomics, the same bits in every run.
//
// The particles of a block lie in at most 6^3 cells. They are laid out in shared memory so that the first
// particles of all cells come first, then all second ones, and so on, with the fullest cells in front. Then a
// thread sums a third of the stencil (the nodes with one x) of one cell in registers, and neighbours read
// neighbouring words. A sum of stencils is added node by node: at one place (y, z) of the stencil all cells
// have different nodes.
#pragma once

#include "taxel/batch/gel_state.cuh"

namespace taxel::cuda {

inline constexpr int kScatterThreads = 192, kScatterChunk = kScatterThreads / 3;
/// Particles in shared memory at a time; fuller blocks take several rounds.
inline constexpr int kScatterSlots = 3 * kScatterThreads, kSlotWarps = kScatterSlots / 32;
inline constexpr int kStagedRows = 15;  // place 3, q 3, A 9
inline constexpr int kPlaneNodes = kBaseSide * kReachSide * kReachSide;

struct ScatterShared {
  union {
    float staged[kStagedRows][kScatterSlots];
    unsigned short before[kSlotWarps][kBases3];  ///< particles of a cell in the warps before
  };
  float4 plane[3][kPlaneNodes];  ///< by x of the stencil
  int4 rank_key[kBases3 / 4];    ///< number of particles * 256 + 255 - cell: no two are the same
  unsigned short rank[kBases3];  ///< of a cell, the fullest first
  unsigned short sorted_count[kBases3 + 1];
  unsigned short layer[kScatterSlots + 1];  ///< first slot of the n-th particles of all cells
  unsigned char sorted_cell[kBases3];
  int filled_cells;
  float mean_J[kBases3];
};
static_assert(kBases3 % 4 == 0);
static_assert(sizeof(ScatterShared) <= 58 * 1024 - 512, "four must fit on a multiprocessor of sm_90");

/// A thread's three particles of a round.
struct ScatterSlot {
  float4 position;
  int cell;   // -1: none
  int order;  // among the particles of the cell
};

__device__ inline int LocalCell(const float4& position, const BlockPlace& at) {
  const int3 c = CellOf(position);
  const int x = c.x - kSide * at.x + 1, y = c.y - kSide * at.y + 1, z = c.z - kSide * at.z + 1;
#ifdef TAXEL_GEL_DEBUG
  if (x < 0 || y < 0 || z < 0 || x >= kBaseSide || y >= kBaseSide || z >= kBaseSide) __trap();
#endif
  return (x * kBaseSide + y) * kBaseSide + z;
}

/// Cell of each particle of the round and its place among those of that cell, in the order of the array.
/// Afterwards rank_key holds the numbers of particles. @pre a barrier since the last use of `staged`.
__device__ inline void OrderSlots(const GelState& state, const BlockPlace& at, int first, int n,
                                  ScatterShared* s, ScatterSlot* slots) {
  const int thread = threadIdx.x, warp = thread / 32, lane = thread % 32;
  int* words = reinterpret_cast<int*>(s->before);
  for (int k = thread; k < kSlotWarps * kBases3 / 2; k += kScatterThreads) words[k] = 0;
#pragma unroll
  for (int m = 0; m < 3; ++m) {
    const int slot = m * kScatterThreads + thread;
    slots[m].cell = -1;
    if (slot < n) {
      slots[m].position = state.position[first + slot];
      slots[m].cell = LocalCell(slots[m].position, at);
    }
  }
  __syncthreads();
#pragma unroll
  for (int m = 0; m < 3; ++m) {
    const unsigned same = __match_any_sync(0xffffffffu, slots[m].cell);
    slots[m].order = __popc(same & ((1u << lane) - 1));
    if (slots[m].cell >= 0 && slots[m].order == 0)
      s->before[m * (kScatterThreads / 32) + warp][slots[m].cell] = static_cast<unsigned short>(__popc(same));
  }
  __syncthreads();
  for (int c = thread; c < kBases3; c += kScatterThreads) {
    int here[kSlotWarps], sum = 0;
#pragma unroll
    for (int w = 0; w < kSlotWarps; ++w) here[w] = s->before[w][c];  // all in flight before the first store
#pragma unroll
    for (int w = 0; w < kSlotWarps; ++w) {
      s->before[w][c] = static_cast<unsigned short>(sum);
      sum += here[w];
    }
    reinterpret_cast<int*>(s->rank_key)[c] = (sum << 8) + (255 - c);
  }
  __syncthreads();
#pragma unroll
  for (int m = 0; m < 3; ++m)
    if (slots[m].cell >= 0) slots[m].order += s->before[m * (kScatterThreads / 32) + warp][slots[m].cell];
}

/// Cells by falling number of particles, and the first slot of each layer of particles.
__device__ inline void RankCells(ScatterShared* s) {
  const int thread = threadIdx.x;
  for (int c = thread; c < kBases3; c += kScatterThreads) {
    const int key = reinterpret_cast<const int*>(s->rank_key)[c];
    int rank = 0;
    for (int k = 0; k < kBases3 / 4; ++k) {
      const int4 other = s->rank_key[k];
      rank += (other.x > key) + (other.y > key) + (other.z > key) + (other.w > key);
    }
    s->rank[c] = static_cast<unsigned short>(rank);
    s->sorted_cell[rank] = static_cast<unsigned char>(c);
    s->sorted_count[rank] = static_cast<unsigned short>(key >> 8);
  }
  if (thread == 0) s->sorted_count[kBases3] = 0;
  __syncthreads();
  for (int r = thread; r < kBases3; r += kScatterThreads)
    for (int t = s->sorted_count[r + 1]; t < s->sorted_count[r]; ++t)
      s->layer[t] = static_cast<unsigned short>(r + 1);  // cells with more than t particles
  __syncthreads();
  if (thread < 32) {
    const int layers = s->sorted_count[0];
    if (thread == 0) s->filled_cells = s->layer[0];
    __syncwarp();
    int sum = 0;
    for (int first = 0; first < layers; first += 32) {
      const int t = first + thread, here = t < layers ? s->layer[t] : 0;
      int up = here;
      for (int d = 1; d < 32; d *= 2) {
        const int other = __shfl_up_sync(0xffffffffu, up, d);
        if (thread >= d) up += other;
      }
      if (t < layers) s->layer[t] = static_cast<unsigned short>(sum + up - here);
      sum += __shfl_sync(0xffffffffu, up, 31);
    }
  }
  __syncthreads();
}

/// Adds the mean J of the cells of a block to `mean_J`, in the order of the array.
__device__ inline void MeanVolumes(const GelState& state, const BlockPlace& at, int begin, int end,
                                   ScatterShared* s) {
  // Two sums a cell; a thread owns its cells.
  float sum[2] = {}, number[2] = {};
  for (int first = begin; first < end; first += kScatterSlots) {
    const int n = min(kScatterSlots, end - first);
    ScatterSlot slots[3];
    OrderSlots(state, at, first, n, s, slots);
    RankCells(s);
#pragma unroll
    for (int m = 0; m < 3; ++m)
      if (slots[m].cell >= 0) {
        const int p = first + m * kScatterThreads + threadIdx.x;
        const float4 a = state.f0[p], b = state.f1[p];
        const GelMatrix<float> F = {{a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w, state.tail[p].y}};
        s->staged[0][s->layer[slots[m].order] + s->rank[slots[m].cell]] = Determinant(F);
      }
    __syncthreads();
    for (int k = 0; k < 2; ++k) {
      const int c = k * kScatterThreads + threadIdx.x;
      if (c >= kBases3) continue;
      const int rank = s->rank[c], count = s->sorted_count[rank];
      for (int t = 0; t < count; ++t) sum[k] += s->staged[0][s->layer[t] + rank];
      number[k] += static_cast<float>(count);
    }
    __syncthreads();
  }
  for (int k = 0; k < 2; ++k) {
    const int c = k * kScatterThreads + threadIdx.x;
    if (c < kBases3) s->mean_J[c] = number[k] > 0 ? sum[k] / number[k] : 1.0f;
  }
  __syncthreads();
}

/// q + A (i, j, k) is what node (i, j, k) of the stencil gets, times its weight.
__device__ inline void StageSlots(const GelScene& scene, const GelState& state, const BlockPlace& at,
                                  int first, const ScatterSlot* slots, ScatterShared* s) {
#pragma unroll
  for (int m = 0; m < 3; ++m) {
    if (slots[m].cell < 0) continue;
    const int p = first + m * kScatterThreads + threadIdx.x;
    const float4 f = slots[m].position, v4 = state.velocity[p], a = state.a0[p], b = state.a1[p];
    const float2 tail = state.tail[p];
    float A[9] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w, tail.x};
    float v[3] = {v4.x, v4.y, v4.z};
    if (scene.average_volume) {
      const float4 c = state.f0[p], d = state.f1[p];
      const GelMatrix<float> F = {{c.x, c.y, c.z, c.w, d.x, d.y, d.z, d.w, tail.y}};
      const float pressure = scene.numbers.lambda * (s->mean_J[slots[m].cell] - 1) * Determinant(F);
      A[0] -= pressure, A[4] -= pressure, A[8] -= pressure;
    }
    if (scene.keep != 1) {
      for (int i = 0; i < 3; ++i) v[i] *= scene.keep;
      if (scene.pads > 0) {
        const int particle = __float_as_int(v4.w) - at.world * scene.particles;
        const float* hand = scene.hand + 3 * (at.world * scene.pads + scene.pad[particle]);
        for (int i = 0; i < 3; ++i) v[i] += (1 - scene.keep) * hand[i];
      }
    }
    const int slot = s->layer[slots[m].order] + s->rank[slots[m].cell];
    s->staged[0][slot] = f.x, s->staged[1][slot] = f.y, s->staged[2][slot] = f.z;
#pragma unroll
    for (int i = 0; i < 3; ++i)
      s->staged[3 + i][slot] = v[i] - (A[3 * i] * f.x + A[3 * i + 1] * f.y + A[3 * i + 2] * f.z);
#pragma unroll
    for (int k = 0; k < 9; ++k) s->staged[6 + k][slot] = A[k];
  }
}

/// Sums the staged particles, 64 cells at a time, into the planes. @pre a barrier after StageSlots.
__device__ inline void SumCells(ScatterShared* s) {
  const int i = threadIdx.x / kScatterChunk;  // x of the stencil
  const float x = static_cast<float>(i);
  // Weight of node i: 0.5 (1.5 - f)^2, 0.75 - (f - 1)^2, 0.5 (f - 0.5)^2.
  const float around = i == 0 ? 1.5f : (i == 1 ? 1.0f : 0.5f), square = i == 1 ? -1.0f : 0.5f,
              constant = i == 1 ? 0.75f : 0.0f;
  for (int chunk = 0; chunk < s->filled_cells; chunk += kScatterChunk) {
    const int rank = chunk + threadIdx.x % kScatterChunk;
    const int count = rank < s->filled_cells ? s->sorted_count[rank] : 0;
    float4 sum[9];
#pragma unroll
    for (int n = 0; n < 9; ++n) sum[n] = make_float4(0, 0, 0, 0);
    for (int t = 0; t < count; ++t) {
      const int slot = s->layer[t] + rank;
      const float d = s->staged[0][slot] - around;
      const float wx = square * d * d + constant;
      float wy[3], wz[3];
      AxisWeights(s->staged[1][slot], wy);
      AxisWeights(s->staged[2][slot], wz);
      float3 row = make_float3(s->staged[3][slot] + x * s->staged[6][slot],
                               s->staged[4][slot] + x * s->staged[9][slot],
                               s->staged[5][slot] + x * s->staged[12][slot]);
      const float3 ay = make_float3(s->staged[7][slot], s->staged[10][slot], s->staged[13][slot]);
      const float3 az = make_float3(s->staged[8][slot], s->staged[11][slot], s->staged[14][slot]);
#pragma unroll
      for (int j = 0; j < 3; ++j) {
        const float wxy = wx * wy[j];
        float3 v = row;
#pragma unroll
        for (int k = 0; k < 3; ++k) {
          const float w = wxy * wz[k];
          sum[3 * j + k].x += w * v.x;
          sum[3 * j + k].y += w * v.y;
          sum[3 * j + k].z += w * v.z;
          sum[3 * j + k].w += w;
          v.x += az.x, v.y += az.y, v.z += az.z;
        }
        row.x += ay.x, row.y += ay.y, row.z += ay.z;
      }
    }
    int node = 0;
    if (count > 0) {
      const int c = s->sorted_cell[rank];
      node =
          (c / (kBaseSide * kBaseSide) * kReachSide + c / kBaseSide % kBaseSide) * kReachSide + c % kBaseSide;
    }
#pragma unroll
    for (int n = 0; n < 9; ++n) {
      if (count > 0) {
        float4* to = &s->plane[i][node + n / 3 * kReachSide + n % 3];
        float4 old = *to;
        old.x += sum[n].x, old.y += sum[n].y, old.z += sum[n].z, old.w += sum[n].w;
        *to = old;
      }
      __syncthreads();
    }
  }
}

__global__ void __launch_bounds__(kScatterThreads, 4) ScatterKernel(GelScene scene, GelState state) {
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  ScatterShared* s = reinterpret_cast<ScatterShared*>(shared_bytes);
  const int filled = min(scene.watch->filled, scene.most_filled);
  for (int block = blockIdx.x; block < filled; block += gridDim.x) {
    const BlockPlace at = PlaceOf(scene, scene.key[block]);
    if (Stopped(scene, at.world)) continue;  // the same for all threads
    const int begin = scene.start[block], end = scene.start[block + 1];
    float4* planes = &s->plane[0][0];
    for (int k = threadIdx.x; k < 3 * kPlaneNodes; k += kScatterThreads) planes[k] = make_float4(0, 0, 0, 0);
    if (scene.average_volume) MeanVolumes(state, at, begin, end, s);
    for (int first = begin; first < end; first += kScatterSlots) {
      ScatterSlot slots[3];
      OrderSlots(state, at, first, min(kScatterSlots, end - first), s, slots);
      RankCells(s);
      StageSlots(scene, state, at, first, slots, s);
      __syncthreads();
      SumCells(s);  // ends with a barrier
    }
    float4* out = scene.reach + static_cast<size_t>(block) * kReach3;
    for (int k = threadIdx.x; k < kReach3; k += kScatterThreads) {
      const int x = k / (kReachSide * kReachSide), rest = k % (kReachSide * kReachSide);
      float4 sum = make_float4(0, 0, 0, 0);
#pragma unroll
      for (int i = 0; i < 3; ++i)
        if (x - i >= 0 && x - i < kBaseSide) {
          const float4 part = s->plane[i][(x - i) * kReachSide * kReachSide + rest];
          sum.x += part.x, sum.y += part.y, sum.z += part.z, sum.w += part.w;
        }
      out[k] = sum;
    }
    __syncthreads();
  }
}

}  // namespace taxel::cuda
