// Kernels of many pads of a gel (pad_scene.h): blocks along x are pieces of a pad, along y pads. No atomics
// but for the first blow-up and the greatest motion, which have no order: same input, same bits.
#pragma once

#include "taxel/batch/pad_particle.h"
#include "taxel/batch/pad_read.h"
#include "taxel/batch/pad_skin.h"

namespace taxel::cuda {
using namespace internal;

inline constexpr int kPadThreads = 128;

/// A pad that has blown up stays where it is. Read anew by each block: within a launch the answer may change,
/// and the pad is lost either way.
__device__ inline bool Lost(const PadScene& s, int pad) {
  return *static_cast<volatile const unsigned long long*>(s.state.trouble + pad) != kNoTrouble;
}

/// Rows 0 to `last` of the path, `begin` steps after the start of a way.
__global__ void PathKernel(PadScene s, const KernelPose<double>* from, const KernelPose<double>* to,
                           int begin, int last, int steps, bool smooth) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x), a_row = s.pads * s.bodies();
  if (i >= (last + 1) * a_row) return;
  const int row = i / a_row, pad = i % a_row / s.bodies(), body = i % s.bodies();
  s.path[i] = PoseOnWay(s, from, to, pad, body, begin + row, steps, smooth);
}

/// Particles of a tile: with `kGather` they go on with the nodes of the row before, with `kScatter` they give
/// to those of this row. clock: steps done before row 0.
template <bool kGather, bool kScatter>
__global__ void __launch_bounds__(kPadTile) MoveKernel(PadScene s, int row, const unsigned long long* clock) {
  const int pad = static_cast<int>(blockIdx.y), tile = static_cast<int>(blockIdx.x),
            me = static_cast<int>(threadIdx.x);
  __shared__ float staged[kScatter ? kPadStaged * kPadTile : 1], volume[kScatter ? kPadTile : 1];
  if (__syncthreads_or(me == 0 && Lost(s, pad))) return;
  const PadPlan& plan = s.plan;
  const std::size_t P = static_cast<std::size_t>(pad), N = static_cast<std::size_t>(plan.particles);
  const int c0 = plan.tile_first[tile], c1 = plan.tile_first[tile + 1], begin = plan.cell_first[c0];
  const int p = begin + me;
  const bool live = p < plan.cell_first[c1];
  PadParticle q;
  float motion = 0;
  int cell = c0;
  if (live) {
    cell = plan.cell_of[p];
    PlaceParticle(plan, p, &q);
    if (kGather) {
      motion = GatherParticle(s.nodes + P * plan.nodes + plan.cell_node[cell], plan.row, plan.plane, &q);
      if (!(motion < 0.5f))
        atomicMin(s.state.trouble + pad,
                  (*clock + static_cast<unsigned>(row) - 2) << 32 | static_cast<unsigned>(plan.number[p]));
    } else {
      LoadMotion(s.state, P, N, p, &q);
    }
    Deform(s.state, P, N, p, kGather, &q);
    if (!kScatter) StoreMotion(s.state, P, N, p, q);
  }
  if (!kScatter) {
    const unsigned most = __reduce_max_sync(0xffffffffu, __float_as_uint(motion));
    if (me % 32 == 0) atomicMax(s.fastest + pad, most);
    return;
  }
  if (live) volume[me] = q.J;
  __syncthreads();
  if (live) {
    float J = q.J;
    if (plan.average_volume) {
      J = 0;
      const int first = plan.cell_first[cell], end = plan.cell_first[cell + 1];
      for (int k = first; k < end; ++k) J += volume[k - begin];
      J /= static_cast<float>(end - first);
    }
    float rest[3];
    HandRest(s, pad, row, rest);
    StageParticle(plan, rest, q, J, staged + me, kPadTile);
  }
  __syncthreads();
  PadNode* give = s.give + 27 * (P * plan.cells + c0);
  for (int k = me; k < 27 * (c1 - c0); k += kPadTile) {
    const int c = c0 + k / 27, first = plan.cell_first[c] - begin, end = plan.cell_first[c + 1] - begin;
    PadNode sum;
    for (int i = first; i < end; ++i) AddShare(staged + i, kPadTile, k % 27, &sum);
    give[k] = sum;
  }
}

__global__ void __launch_bounds__(kPadThreads) LookKernel(PadScene s, int row) {
  const int point = static_cast<int>(blockIdx.x * kPadThreads + threadIdx.x),
            pad = static_cast<int>(blockIdx.y);
  if (point < s.plan.points && !Lost(s, pad)) LookAtPoint(s, pad, row, point);
}

__global__ void __launch_bounds__(kPadThreads) SumKernel(PadScene s) {
  const int node = static_cast<int>(blockIdx.x * kPadThreads + threadIdx.x),
            pad = static_cast<int>(blockIdx.y);
  if (node < s.plan.nodes && !Lost(s, pad)) SumNode(s, pad, node);
}

__global__ void __launch_bounds__(kPadThreads) PushKernel(PadScene s) {
  const int k = static_cast<int>(blockIdx.x * kPadThreads + threadIdx.x), pad = static_cast<int>(blockIdx.y);
  if (k < s.plan.skin_nodes && !Lost(s, pad)) PushNode(s, pad, s.plan.skin_node[k]);
}

/// After the last round the loads of a block's points are added to its own sums: load (pads, blocks,
/// objects + 1, 6).
__global__ void __launch_bounds__(kPadThreads)
    RoundKernel(PadScene s, int row, bool first, bool last, double* load) {
  const int point = static_cast<int>(blockIdx.x * kPadThreads + threadIdx.x),
            pad = static_cast<int>(blockIdx.y);
  const bool live = point < s.plan.points && !Lost(s, pad);
  if (live) RoundOfPoint(s, pad, row, point, first, last);
  if (!last) return;
  double mine[6];
  const int body = live ? LoadOfPoint(s, pad, point, mine) : -1;
  constexpr int kWarps = kPadThreads / 32;
  __shared__ double parts[kWarps][6];
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  double* to = load + (static_cast<std::size_t>(pad) * gridDim.x + blockIdx.x) * (s.objects + 1) * 6;
  for (int b = 0; b <= s.objects; ++b) {
    if (!__syncthreads_or(body == b)) continue;
    for (int k = 0; k < 6; ++k) {
      double sum = body == b ? mine[k] : 0.0;
      for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d);
      if (lane == 0) parts[warp][k] = sum;
    }
    __syncthreads();
    if (threadIdx.x < 6) {
      double sum = 0;
      for (int w = 0; w < kWarps; ++w) sum += parts[w][threadIdx.x];
      to[6 * b + threadIdx.x] += sum;
    }
  }
}

/// The sums of the blocks; out (pads, objects + 1, 6).
__global__ void LoadKernel(PadScene s, int blocks, const double* load, double* out) {
  const int a_pad = 6 * (s.objects + 1), i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= s.pads * a_pad) return;
  const double* from = load + static_cast<std::size_t>(i / a_pad) * blocks * a_pad + i % a_pad;
  double sum = 0;
  for (int b = 0; b < blocks; ++b) sum += from[static_cast<std::size_t>(b) * a_pad];
  out[i] = sum;
}

__global__ void ClockKernel(unsigned long long* clock, int steps) { *clock += static_cast<unsigned>(steps); }

__global__ void ForgetKernel(PadScene s, int object, const std::uint8_t* pads) {
  const int point = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x),
            pad = static_cast<int>(blockIdx.y);
  if (point >= s.plan.contact || !pads[pad]) return;
  SkinMemory& m = s.state.memory[static_cast<std::size_t>(pad) * s.plan.contact + point];
  if (m.object == object) m = SkinMemory{};
}

__global__ void ReadPointKernel(PadScene s, GelPadReading r) {
  const int k = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x), pad = static_cast<int>(blockIdx.y);
  if (k < s.plan.contact - s.plan.rim) ReadPoint(s, r, pad, k);
}

__global__ void ReadParticleKernel(PadScene s, GelPadReading r) {
  const int p = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x), pad = static_cast<int>(blockIdx.y);
  if (p < s.plan.particles) ReadParticle(s, r, pad, p);
}

}  // namespace taxel::cuda
