// What a press of pads needs beside the steps: the start, the object on the grid, the stop by the chamfer
// distance (Eq. 12), and the results by particle.
#pragma once

#include "taxel/batch/gel_state.cuh"

namespace taxel::cuda {

inline constexpr int kLayerThreads = 256, kNearestThreads = 128, kQueries = 4;

/// All worlds to the start, particles in the order of their numbers.
__global__ void StartKernel(GelScene scene, GelState state, const float* velocity, const float* deformation) {
  const int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= scene.total) return;
  const int particle = p % scene.particles;
  const float zero[3] = {}, one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  const float* v = velocity ? velocity + 3 * static_cast<size_t>(particle) : zero;
  const float* F = deformation ? deformation + 9 * static_cast<size_t>(particle) : one;
  state.position[p] = scene.start_position[particle];
  state.velocity[p] = make_float4(v[0], v[1], v[2], __int_as_float(p));
  state.f0[p] = make_float4(F[0], F[1], F[2], F[3]);
  state.f1[p] = make_float4(F[4], F[5], F[6], F[7]);
  state.tail[p] = make_float2(0, F[8]);
}

/// Masses on the grid are summed as whole numbers, so that their order does not matter: up to 4096 a node.
inline constexpr float kMassUnits = 1 << 20;

/// The points of each world's object on its grid; `mass` was cleared. A point outside the domain is left out.
__global__ void StillMassKernel(GelScene scene, const float* points, float point_mass, unsigned* mass) {
  const int world = blockIdx.y, index = scene.object_of[world];
  if (index < 0) return;
  const CudaGelObject& o = scene.object[index];
  const int nx = kSide * scene.blocks[0], ny = kSide * scene.blocks[1], nz = kSide * scene.blocks[2];
  for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < o.points; k += gridDim.x * blockDim.x) {
    const float* p = points + 3 * static_cast<size_t>(o.first_point + k);
    const Triple<float> x = Apply(scene.X_GO[world], scene.unit * Triple<float>{p[0], p[1], p[2]});
    const float bx = floorf(x.x - 0.5f), by = floorf(x.y - 0.5f), bz = floorf(x.z - 0.5f);
    if (!(bx >= 0 && by >= 0 && bz >= 0 && bx <= nx - 3 && by <= ny - 3 && bz <= nz - 3)) continue;
    float wx[3], wy[3], wz[3];
    AxisWeights(x.x - bx, wx);
    AxisWeights(x.y - by, wy);
    AxisWeights(x.z - bz, wz);
    for (int n = 0; n < 27; ++n) {
      const size_t column = (static_cast<size_t>(world) * nx + static_cast<int>(bx) + n / 9) * ny +
                            static_cast<int>(by) + n / 3 % 3;
      const float m = point_mass * wx[n / 9] * wy[n / 3 % 3] * wz[n % 3];
      atomicAdd(&mass[column * nz + static_cast<int>(bz) + n % 3],
                static_cast<unsigned>(__float2int_rn(m * kMassUnits)));
    }
  }
}

/// The same words, as floats.
__global__ void ToMassKernel(unsigned* mass, size_t n) {
  for (size_t k = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x; k < n;
       k += static_cast<size_t>(gridDim.x) * blockDim.x)
    mass[k] = __float_as_uint(static_cast<float>(mass[k]) / kMassUnits);
}

/// How a check of the chamfer distance is run: `ask` 0: in a step, for pad 0 and worlds that go on, when its
/// turn has come; 1: for all.
__device__ inline bool HasTurn(const GelScene& s, int world, bool ask) {
  return ask || (s.stop_step[world] < 0 && s.watch->step % s.check_every == 0);
}

/// Sum of one number a thread, in a fixed order; the same for all threads.
__device__ inline float SumOfThreads(float value, float* scratch) {
  scratch[threadIdx.x] = value;
  __syncthreads();
  for (int d = kLayerThreads / 2; d > 0; d /= 2) {
    if (threadIdx.x < d) scratch[threadIdx.x] += scratch[threadIdx.x + d];
    __syncthreads();
  }
  const float sum = scratch[0];
  __syncthreads();
  return sum;
}

/// Contact layer of pad blockIdx.y of world blockIdx.x, centred.
__global__ void __launch_bounds__(kLayerThreads) LayerKernel(GelScene scene, GelState state, bool ask) {
  __shared__ float scratch[kLayerThreads];
  const int world = blockIdx.x, pad = blockIdx.y;
  if (!HasTurn(scene, world, ask)) return;
  const size_t begin = (static_cast<size_t>(world) * scene.pads + pad) * scene.layer;
  // From a cell near the layer, so that float is as fine as the fraction.
  const int3 from = CellOf(state.position[scene.layer_slot[begin]]);
  float sum[3] = {};
  for (int k = threadIdx.x; k < scene.layer; k += kLayerThreads) {
    const float4 x = state.position[scene.layer_slot[begin + k]];
    const int3 c = CellOf(x);
    const float4 at = make_float4(c.x - from.x + x.x, c.y - from.y + x.y, c.z - from.z + x.z, 0);
    scene.layer_now[begin + k] = at;
    sum[0] += at.x, sum[1] += at.y, sum[2] += at.z;
  }
  float mean[3];
  for (int k = 0; k < 3; ++k) mean[k] = SumOfThreads(sum[k], scratch) / static_cast<float>(scene.layer);
  for (int k = threadIdx.x; k < scene.layer; k += kLayerThreads) {  // each thread its own points
    float4 at = scene.layer_now[begin + k];
    at.x -= mean[0], at.y -= mean[1], at.z -= mean[2];
    scene.layer_now[begin + k] = at;
  }
}

/// Squared distance of each point of a layer to the nearest one of its start (blockIdx.z 0), or the other way
/// round (1); blockIdx.y: world * pads checked + pad.
__global__ void __launch_bounds__(kNearestThreads) NearestKernel(GelScene scene, int pads_checked, bool ask) {
  __shared__ float4 tile[kNearestThreads];
  const int world = blockIdx.y / pads_checked, pad = blockIdx.y % pads_checked;
  if (!HasTurn(scene, world, ask)) return;
  const size_t layer = static_cast<size_t>(world) * scene.pads + pad;
  const float4* now = scene.layer_now + layer * scene.layer;
  const float4* start = scene.layer_start + static_cast<size_t>(pad) * scene.layer;
  const float4* from = blockIdx.z == 0 ? now : start;
  const float4* to = blockIdx.z == 0 ? start : now;
  float4 x[kQueries];
  float least[kQueries];
  const int first = blockIdx.x * kNearestThreads * kQueries + threadIdx.x;
#pragma unroll
  for (int q = 0; q < kQueries; ++q) {
    x[q] = from[min(first + q * kNearestThreads, scene.layer - 1)];
    least[q] = 3.4e38f;
  }
  for (int begin = 0; begin < scene.layer; begin += kNearestThreads) {
    __syncthreads();
    tile[threadIdx.x] = to[min(begin + static_cast<int>(threadIdx.x), scene.layer - 1)];
    __syncthreads();
#pragma unroll 4
    for (int k = 0; k < kNearestThreads; ++k) {  // the last one, repeated, changes nothing
      const float4 y = tile[k];
#pragma unroll
      for (int q = 0; q < kQueries; ++q) {
        const float a = x[q].x - y.x, b = x[q].y - y.y, c = x[q].z - y.z;
        least[q] = fminf(least[q], a * a + b * b + c * c);
      }
    }
  }
#pragma unroll
  for (int q = 0; q < kQueries; ++q) {
    const int k = first + q * kNearestThreads;
    if (k < scene.layer) scene.nearest[(2 * layer + blockIdx.z) * scene.layer + k] = least[q];
  }
}

/// Chamfer distance of pad blockIdx.y of world blockIdx.x, and the stop.
__global__ void __launch_bounds__(kLayerThreads) StopKernel(GelScene scene, bool ask) {
  __shared__ float scratch[kLayerThreads];
  const int world = blockIdx.x, pad = blockIdx.y;
  if (!HasTurn(scene, world, ask)) return;
  const size_t layer = static_cast<size_t>(world) * scene.pads + pad;
  float sum = 0;
  for (int k = threadIdx.x; k < 2 * scene.layer; k += kLayerThreads)
    sum += scene.nearest[2 * layer * scene.layer + k];
  sum = SumOfThreads(sum, scratch);
  if (threadIdx.x > 0) return;
  const float chamfer = scene.chamfer_sum ? sum : sum / static_cast<float>(scene.layer);
  scene.chamfer[layer] = chamfer;
  if (ask || pad > 0 || !(chamfer > scene.stop_chamfer)) return;
  scene.stop_step[world] = scene.watch->step;
  atomicAdd(&scene.watch->stopped, 1);
}

/// (worlds, pads, layer, 3): where the particles are, less where the hand has carried their start.
__global__ void DisplacementKernel(GelScene scene, GelState state, const int* contact, float* out) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x, in_world = scene.pads * scene.layer;
  if (k >= scene.worlds * in_world) return;
  const int world = k / in_world, pad = k % in_world / scene.layer;
  const float4 now = state.position[scene.layer_slot[k]];
  const float4 start = scene.start_position[contact[k % in_world]];
  const int3 a = CellOf(now), b = CellOf(start);
  const float steps =
      static_cast<float>(scene.stop_step[world] >= 0 ? scene.stop_step[world] : scene.watch->step);
  const float* hand = scene.hand + 3 * (world * scene.pads + pad);
  out[3 * static_cast<size_t>(k)] = a.x - b.x + (now.x - start.x) - steps * hand[0];
  out[3 * static_cast<size_t>(k) + 1] = a.y - b.y + (now.y - start.y) - steps * hand[1];
  out[3 * static_cast<size_t>(k) + 2] = a.z - b.z + (now.z - start.z) - steps * hand[2];
}

/// One world by particle.
__global__ void ReadKernel(GelScene scene, GelState state, int world, double* position, float* velocity,
                           float* deformation) {
  const int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= scene.total) return;
  const float4 v = state.velocity[p];
  const int id = __float_as_int(v.w);
  if (id / scene.particles != world) return;
  const size_t k = id % scene.particles;
  const float4 x = state.position[p], a = state.f0[p], b = state.f1[p];
  const int3 c = CellOf(x);
  position[3 * k] = c.x + static_cast<double>(x.x);
  position[3 * k + 1] = c.y + static_cast<double>(x.y);
  position[3 * k + 2] = c.z + static_cast<double>(x.z);
  velocity[3 * k] = v.x, velocity[3 * k + 1] = v.y, velocity[3 * k + 2] = v.z;
  const float F[9] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w, state.tail[p].y};
  for (int i = 0; i < 9; ++i) deformation[9 * k + i] = F[i];
}

}  // namespace taxel::cuda
