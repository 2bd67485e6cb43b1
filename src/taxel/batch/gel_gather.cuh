// The grid, and from the grid back to the particles (Eqs. 7 to 11).
#pragma once

#include "taxel/batch/gel_state.cuh"

namespace taxel::cuda {

inline constexpr int kGridThreads = 256, kGatherThreads = 128;

/// Momentum and mass of a block's own nodes from all blocks that reach them, in a fixed order, and then
///     v = p / m + gravity,      0 where there is no mass.
__global__ void __launch_bounds__(kGridThreads, 4) GridKernel(GelScene scene) {
  const int filled = min(scene.watch->filled, scene.most_filled),
            active = min(scene.watch->active, scene.most_active);
  if (blockIdx.x == 0 && threadIdx.x == 0) scene.watch->slow = 0;  // the next list begins with the gather
  const int node = threadIdx.x % kBlockNodes3, own = threadIdx.x / kBlockNodes3;
  const int i = node / 16, j = node / 4 % 4, k = node % 4;
  constexpr int kAtOnce = kGridThreads / kBlockNodes3;
  for (int block = blockIdx.x * kAtOnce + own; block < active; block += gridDim.x * kAtOnce) {
    if (scene.pads > 0 && Stopped(scene, scene.key[block] / scene.blocks_a_world)) continue;
    float4 sum = make_float4(0, 0, 0, 0);
    // A node is reached from its own block and one neighbour along each axis: below where i < 3, else above.
    const int x = i < 3 ? -1 : 0, y = j < 3 ? -1 : 0, z = k < 3 ? -1 : 0;
#pragma unroll
    for (int n = 0; n < 8; ++n) {
      const int dx = x + n / 4, dy = y + n / 2 % 2, dz = z + n % 2;
      const int from = scene.near[27 * block + (dx + 1) * 9 + (dy + 1) * 3 + dz + 1];
      if (from < 0 || from >= filled) continue;
      const int there = ((i + 1 - 4 * dx) * kReachSide + j + 1 - 4 * dy) * kReachSide + k + 1 - 4 * dz;
      const float4 part = scene.reach[static_cast<size_t>(from) * kReach3 + there];
      sum.x += part.x, sum.y += part.y, sum.z += part.z, sum.w += part.w;
    }
    float4 out = make_float4(0, 0, 0, 0);
    if (sum.w > 0) {
      float mass = sum.w;
      if (scene.still_mass) {
        const BlockPlace at = PlaceOf(scene, scene.key[block]);
        const size_t column = (static_cast<size_t>(at.world) * scene.blocks[0] * kSide + at.x * kSide + i) *
                                  scene.blocks[1] * kSide +
                              at.y * kSide + j;
        mass += scene.still_mass[column * scene.blocks[2] * kSide + at.z * kSide + k];
      }
      const float inverse = 1 / mass;
      out = make_float4(sum.x * inverse + scene.gravity[0], sum.y * inverse + scene.gravity[1],
                        sum.z * inverse + scene.gravity[2], sum.w);
    }
    scene.nodes[static_cast<size_t>(block) * kBlockNodes3 + node] = out;
  }
}

/// Whether a point (cells) lies inside the object of a world.
__device__ inline bool InsideObject(const GelScene& s, int world, const Triple<float>& x) {
  const int index = s.object_of[world];
  if (index < 0) return false;
  const CudaGelObject& o = s.object[index];
  const Triple<float> p = (1 / s.unit) * ApplyInverse(s.X_GO[world], x);
  const Triple<float> d = p - Triple<float>{o.center[0], o.center[1], o.center[2]};
  if (Dot(d, d) > o.radius * o.radius) return false;
  return ShapeDistance(o.shape, p) < 0;
}

/// Velocity at a particle and its affine part C from the velocities of the nodes a block reaches.
__device__ inline void GatherVelocity(const float4* nodes, const float* f, float* v, float* C) {
  float wx[3], wy[3], wz[3];
  AxisWeights(f[0], wx);
  AxisWeights(f[1], wy);
  AxisWeights(f[2], wz);
  float s[3] = {}, mx[3] = {}, my[3] = {}, mz[3] = {};  // velocity and its first moments
#pragma unroll
  for (int i = 0; i < 3; ++i) {
    float a[3] = {}, ay[3] = {}, az[3] = {};
#pragma unroll
    for (int j = 0; j < 3; ++j) {
      const float4* row = nodes + (i * kReachSide + j) * kReachSide;
      const float4 n0 = row[0], n1 = row[1], n2 = row[2];
      const float u0[3] = {n0.x, n0.y, n0.z}, u1[3] = {n1.x, n1.y, n1.z}, u2[3] = {n2.x, n2.y, n2.z};
#pragma unroll
      for (int c = 0; c < 3; ++c) {
        const float t1 = wz[1] * u1[c], t2 = wz[2] * u2[c], both = t1 + t2;
        const float r = wz[0] * u0[c] + both;
        a[c] += wy[j] * r;
        az[c] += wy[j] * (both + t2);
        if (j > 0) ay[c] += static_cast<float>(j) * wy[j] * r;
      }
    }
#pragma unroll
    for (int c = 0; c < 3; ++c) {
      s[c] += wx[i] * a[c];
      my[c] += wx[i] * ay[c];
      mz[c] += wx[i] * az[c];
      if (i > 0) mx[c] += static_cast<float>(i) * wx[i] * a[c];
    }
  }
#pragma unroll
  for (int c = 0; c < 3; ++c) {
    v[c] = s[c];
    C[3 * c] = 4 * (mx[c] - f[0] * s[c]);
    C[3 * c + 1] = 4 * (my[c] - f[1] * s[c]);
    C[3 * c + 2] = 4 * (mz[c] - f[2] * s[c]);
  }
}

/// KirchhoffStress, to the bit; false where Newton's iteration cannot do it. Those few particles are left to
/// SlowStressKernel, whose doubles would cost this kernel half of its threads.
__device__ inline bool QuickStress(const GelNumbers& n, const GelMatrix<float>& F, float J, float Jbar,
                                   float* tau) {
  const float pressure = n.lambda * (Jbar - 1) * J;
  if (n.law == GelLaw::kNeoHookean) {
    NeoHookeanStress(n.mu, F, LogBarrier(J), pressure, tau);
    return true;
  }
  GelMatrix<float> R = F;
  float change = 1;
  for (int k = 0; k < 8 && J > kLeastTrustedJ && !(change < kPolarSettled); ++k) {
    const GelMatrix<float> next = PolarStep(R);
    change = 0;
#pragma unroll
    for (int i = 0; i < 9; ++i) change = fmaxf(change, fabsf(next.m[i] - R.m[i]));
    R = next;
  }
  CorotatedStress(n.mu, F, R, pressure, tau);
  return change < kPolarSettled;
}

/// A = keep C - tau, what the next scatter needs.
__device__ inline void AffineOf(const GelScene& scene, const GelMatrix<float>& F, const float* C, int p,
                                float* A) {
  const float J = Determinant(F);
  float tau[6];
  if (!QuickStress(scene.numbers, F, J, scene.average_volume ? 1.0f : J, tau)) {
    scene.slow[atomicAdd(&scene.watch->slow, 1)] = p;
#pragma unroll
    for (int k = 0; k < 6; ++k) tau[k] = 0;
  }
  A[0] = scene.keep * C[0] - tau[0], A[1] = scene.keep * C[1] - tau[1], A[2] = scene.keep * C[2] - tau[2];
  A[3] = scene.keep * C[3] - tau[1], A[4] = scene.keep * C[4] - tau[3], A[5] = scene.keep * C[5] - tau[4];
  A[6] = scene.keep * C[6] - tau[2], A[7] = scene.keep * C[7] - tau[4], A[8] = scene.keep * C[8] - tau[5];
}

/// A particle's new place; false, and nothing changes, where it may not go there.
__device__ inline bool MoveTo(const GelScene& scene, const BlockPlace& at, const float* v, int id,
                              float4* position) {
  float f[3] = {position->x + v[0], position->y + v[1], position->z + v[2]};
  const int3 from = CellOf(*position);
  int cell[3] = {from.x, from.y, from.z};
  const int home[3] = {kSide * at.x, kSide * at.y, kSide * at.z};
  float moved = fmaxf(fmaxf(fabsf(v[0]), fabsf(v[1])), fabsf(v[2]));
  const bool ok = fabsf(v[0]) < kMostMotion && fabsf(v[1]) < kMostMotion && fabsf(v[2]) < kMostMotion;
  if (!ok) {  // NaN too
    Report(scene, GelTrouble::kTooFast, id, moved);
    return false;
  }
#pragma unroll
  for (int k = 0; k < 3; ++k) {
    if (f[k] >= 1.5f) f[k] -= 1, ++cell[k];
    if (f[k] < 0.5f) f[k] += 1, --cell[k];
    const int local = cell[k] - home[k];
    if (cell[k] < kBorder - 1 || cell[k] > kSide * scene.blocks[k] - kBorder - 1) {
      Report(scene, GelTrouble::kLeftDomain, id, moved);
      return false;
    }
    if (local < -1 || local > kSide) {
      Report(scene, GelTrouble::kLeftReach, id, moved);
      return false;
    }
  }
  *position = make_float4(f[0], f[1], f[2], __int_as_float(PackCell(cell[0], cell[1], cell[2])));
  return true;
}

/// kHands: pads with hands, as Eq. 8 moves them.
template <bool kHands>
__global__ void __launch_bounds__(kGatherThreads, 6) GatherKernel(GelScene scene, GelState state) {
  __shared__ float4 nodes[kReach3];
  const int filled = min(scene.watch->filled, scene.most_filled);
  float fastest = 0;
  for (int block = blockIdx.x; block < filled; block += gridDim.x) {
    const BlockPlace at = PlaceOf(scene, scene.key[block]);
    if (Stopped(scene, at.world)) continue;  // the same for all threads
    __syncthreads();                         // the nodes of the block before are no longer read
    for (int n = threadIdx.x; n < kReach3; n += kGatherThreads) {
      const int x = n / 64 - 1, y = n / 8 % 8 - 1, z = n % 8 - 1;
      const int from = scene.near[27 * block + 9 * ((x >> 2) + 1) + 3 * ((y >> 2) + 1) + (z >> 2) + 1];
      const int there = ((x & 3) * kSide + (y & 3)) * kSide + (z & 3);
      nodes[n] =
          from < 0 ? make_float4(0, 0, 0, 0) : scene.nodes[static_cast<size_t>(from) * kBlockNodes3 + there];
    }
    __syncthreads();
    for (int p = scene.start[block] + threadIdx.x; p < scene.start[block + 1]; p += kGatherThreads) {
      float4 position = state.position[p];
      const float4 f0 = state.f0[p], f1 = state.f1[p];
      const float f8 = state.tail[p].y;
      const int id = __float_as_int(state.velocity[p].w);
      const int3 cell = CellOf(position);
      const int node = ((cell.x - kSide * at.x + 1) * kReachSide + cell.y - kSide * at.y + 1) * kReachSide +
                       cell.z - kSide * at.z + 1;
      const float f[3] = {position.x, position.y, position.z};
      float v[3];
      GelMatrix<float> C;
      GatherVelocity(nodes + node, f, v, C.m);
      GelMatrix<float> gradient = C;
      if constexpr (kHands) {
        const int particle = id - at.world * scene.particles;
        const float alpha = scene.alpha[particle];
        const float* hand = scene.hand + 3 * (at.world * scene.pads + scene.pad[particle]);
        const Triple<float> x{cell.x + f[0], cell.y + f[1], cell.z + f[2]};
        const float go = scene.stop_inside && InsideObject(scene, at.world, x) ? 0.0f : 1.0f;
#pragma unroll
        for (int i = 0; i < 3; ++i) {
          const float slip = v[i] + scene.hand_offset * hand[i] - hand[i];
          if (scene.alpha_slope)
#pragma unroll
            for (int k = 0; k < 3; ++k)
              gradient.m[3 * i + k] =
                  alpha * C.m[3 * i + k] + slip * scene.alpha_slope[3 * static_cast<size_t>(particle) + k];
          v[i] = go * (hand[i] + alpha * slip);
        }
      }
      const GelMatrix<float> F =
          Advance(gradient, GelMatrix<float>{{f0.x, f0.y, f0.z, f0.w, f1.x, f1.y, f1.z, f1.w, f8}});
      state.f0[p] = make_float4(F.m[0], F.m[1], F.m[2], F.m[3]);
      state.f1[p] = make_float4(F.m[4], F.m[5], F.m[6], F.m[7]);
      fastest = fmaxf(fastest, fmaxf(fmaxf(fabsf(v[0]), fabsf(v[1])), fabsf(v[2])));
      state.velocity[p] = make_float4(v[0], v[1], v[2], __int_as_float(id));
      if (MoveTo(scene, at, v, id, &position)) state.position[p] = position;
      float A[9];
      AffineOf(scene, F, C.m, p, A);
      state.a0[p] = make_float4(A[0], A[1], A[2], A[3]);
      state.a1[p] = make_float4(A[4], A[5], A[6], A[7]);
      state.tail[p] = make_float2(A[8], F.m[8]);
    }
  }
  for (int d = 16; d > 0; d /= 2) fastest = fmaxf(fastest, __shfl_xor_sync(0xffffffffu, fastest, d));
  if (threadIdx.x % 32 == 0) atomicMax(&scene.watch->fastest, __float_as_int(fastest));
}

/// At the start, and after F was given.
__global__ void AffineKernel(GelScene scene, GelState state) {
  const int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= scene.total) return;
  const float4 a = state.f0[p], b = state.f1[p];
  const GelMatrix<float> F = {{a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w, state.tail[p].y}};
  const float C[9] = {};
  float A[9];
  AffineOf(scene, F, C, p, A);
  state.a0[p] = make_float4(A[0], A[1], A[2], A[3]);
  state.a1[p] = make_float4(A[4], A[5], A[6], A[7]);
  state.tail[p].x = A[8];
}

/// Ends a step: the stress of the particles that the gather left, and the count of the steps.
__global__ void SlowStressKernel(GelScene scene, GelState state, int steps) {
  const int n = min(scene.watch->slow, scene.total);
  if (blockIdx.x == 0 && threadIdx.x == 0) scene.watch->step += steps;
  for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < n; k += gridDim.x * blockDim.x) {
    const int p = scene.slow[k];
    const float4 a = state.f0[p], b = state.f1[p];
    const GelMatrix<float> F = {{a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w, state.tail[p].y}};
    const float J = Determinant(F);
    float tau[6];
    KirchhoffStress(scene.numbers, F, J, scene.average_volume ? 1.0f : J, tau);
    float4 a0 = state.a0[p], a1 = state.a1[p];
    a0.x -= tau[0], a0.y -= tau[1], a0.z -= tau[2], a0.w -= tau[1];
    a1.x -= tau[3], a1.y -= tau[4], a1.z -= tau[2], a1.w -= tau[4];
    state.a0[p] = a0, state.a1[p] = a1;
    state.tail[p].x -= tau[5];
  }
}

}  // namespace taxel::cuda
