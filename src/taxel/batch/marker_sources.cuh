// What points inside the gel do to the markers: lanes are markers, warps share the sources.
#pragma once

#include "taxel/batch/marker_scene.cuh"

namespace taxel::cuda {

__device__ inline float Exp2(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
inline constexpr float kLog2E = 1.4426950408889634f, kInversePi = 0.3183098861837907f;

/// What a point inside the gel does to the markers: centre push | anchor, pull.x | pull.y, pull.z, - , -.
/// Published models have no centre.
struct SourceBuffer {
  float4 a[kSources], b[kSources];
  float2 c[kSources];
};

/// kPush: sources have a centre that pushes. kFlat: nothing moves along z.
template <bool kPush, bool kFlat>
__device__ inline void AddSources(const SourceBuffer& src, int count, const float* marker, int markers,
                                  float lambda_d2, float lambda_s2, float* sums) {
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  for (int base = 0; base < markers; base += 64) {
    const int i = base + lane, j = i + 32;
    const bool have_i = i < markers, have_j = j < markers;
    const F3 p = have_i ? F3{marker[3 * i], marker[3 * i + 1], marker[3 * i + 2]} : F3{};
    const F3 q = have_j ? F3{marker[3 * j], marker[3 * j + 1], marker[3 * j + 2]} : F3{};
    F3 u{}, v{};
    for (int k = warp; k < count; k += kWarps) {
      const float4 a = src.a[k], b = src.b[k];
      const float2 c = src.c[k];
      const auto add = [&](const F3& at, F3* sum) {
        if constexpr (kPush) {
          const float dx = at.x - a.x, dy = at.y - a.y, dz = kFlat ? 0.f : at.z - a.z;
          const float push =
              a.w * Exp2(lambda_d2 * (kFlat ? dx * dx + dy * dy : dx * dx + dy * dy + dz * dz));
          sum->x += push * dx, sum->y += push * dy;
          if constexpr (!kFlat) sum->z += push * dz;
        }
        const float ax = at.x - b.x, ay = at.y - b.y, az = kFlat ? 0.f : at.z - b.z;
        const float pull = Exp2(lambda_s2 * (kFlat ? ax * ax + ay * ay : ax * ax + ay * ay + az * az));
        sum->x += b.w * pull, sum->y += c.x * pull;
        if constexpr (!kFlat) sum->z += c.y * pull;
      };
      add(p, &u);
      if (have_j) add(q, &v);
    }
    float* mine = sums + warp * 3 * markers;
    if (have_i) mine[3 * i] += u.x, mine[3 * i + 1] += u.y, mine[3 * i + 2] += u.z;
    if (have_j) mine[3 * j] += v.x, mine[3 * j + 1] += v.y, mine[3 * j + 2] += v.z;
  }
}

/// Shares the forces in `force` (x, y, z) at the centres of the sources among the markers.
__device__ inline void ShareForces(const SourceBuffer& src, const float4* force, int count,
                                   const float* marker, int markers, float lambda2, float2* share,
                                   float* sums) {
  for (int k = threadIdx.x; k < count; k += kThreads) {
    float nearest = 1e30f, sum = 0;
    for (int pass = 0; pass < 2; ++pass)
      for (int i = 0; i < markers; ++i) {
        const float dx = marker[3 * i] - src.a[k].x, dy = marker[3 * i + 1] - src.a[k].y,
                    dz = marker[3 * i + 2] - src.a[k].z, d2 = dx * dx + dy * dy + dz * dz;
        if (pass == 0)
          nearest = fminf(nearest, d2);
        else
          sum += Exp2(lambda2 * (d2 - nearest));
      }
    share[k] = {nearest, 1 / sum};
  }
  __syncthreads();
  for (int i = threadIdx.x; i < markers; i += kThreads) {
    F3 f{};
    for (int k = 0; k < count; ++k) {
      const float dx = marker[3 * i] - src.a[k].x, dy = marker[3 * i + 1] - src.a[k].y,
                  dz = marker[3 * i + 2] - src.a[k].z, d2 = dx * dx + dy * dy + dz * dz;
      const float w = share[k].y * Exp2(lambda2 * (d2 - share[k].x));
      f = f + w * F3{force[k].x, force[k].y, force[k].z};
    }
    sums[3 * i] += f.x, sums[3 * i + 1] += f.y, sums[3 * i + 2] += f.z;
  }
  __syncthreads();
}

}  // namespace taxel::cuda
