// One step of a marker field for every world and finger: a block each.
//
// Points lie in groups of 32 near each other (point_order.h), so that a warp looks at one group and most
// groups are dismissed by their bounding sphere. Points inside the gel become sources in shared memory, in
// the order of the points; then lanes are markers and warps share the sources. Sums have a fixed order: same
// input, same bits.
#pragma once

#include "taxel/batch/cuda_api.h"
#include "taxel/batch/world_pose.cuh"
#include "taxel/marker/hydroshear_law.h"
#include "taxel/marker/taxel_law.h"

namespace taxel::cuda {

inline constexpr int kWarps = 4, kThreads = 32 * kWarps, kSources = 256;
/// What the compiler keeps registers down for (64 a thread): 4, 5, 6, 8 give 69, 66, 61, 59 us for 1024
/// worlds.
inline constexpr int kBlocksPerSm = 8;

/// Device memory of a batch.
struct Scene {
  int worlds, fingers, objects, markers, points, substeps, state_size;
  float force_lambda;
  const float4* point;  // x y z area, in groups of 32: every object starts a group of its own
  const float4* normal;
  const float4* group;    // centre and radius of each group of 32 slots
  const int* slot_point;  // of a slot: index of the point, -1 for a filler
  const float* marker;    // (markers, 3)
  const float* marker_normal;
  const float* parameters;
  float* state;
  int group_begin[kMaxObjects + 1];
  GelSurface<float> gel;
  float box[6];
  KernelShape<float> pad;
  const KernelShape<float>* shape;
};

/// Offsets in the state of one world and finger.
__device__ inline float* ObjectState(const Scene& s, int wf, int object) {
  return s.state + static_cast<std::size_t>(wf) * s.state_size + 13 * object;
}
__device__ inline float* StretchState(const Scene& s, int wf) {
  return s.state + static_cast<std::size_t>(wf) * s.state_size + 13 * s.objects;
}
__device__ inline float* LateState(const Scene& s, int wf) {
  return StretchState(s, wf) + 3 * static_cast<std::size_t>(s.points);
}

__device__ inline Pose32 RelativePose(const CudaPoses& p, const Scene& s, int world, int finger, int object) {
  if (p.X_PI)
    return LoadPose12(p.X_PI +
                      16 * ((static_cast<std::size_t>(world) * s.fingers + finger) * s.objects + object));
  return Between(WorldPose(p, world, p.pad_index[finger], p.pad_offset[finger]),
                 WorldPose(p, world, p.object_index[object], p.object_offset[object]));
}

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

__device__ inline bool SphereInBox(const float* box, const F3& c, float r) {
  const float x = fmaxf(fmaxf(box[0] - c.x, c.x - box[3]), 0.f),
              y = fmaxf(fmaxf(box[1] - c.y, c.y - box[4]), 0.f),
              z = fmaxf(fmaxf(box[2] - c.z, c.z - box[5]), 0.f);
  return x * x + y * y + z * z <= r * r;
}

/// One point of the published models (hydroshear_law.h) over one step.
template <CudaMode kMode>
__device__ inline bool TrackPublished(const Scene& s, float mu, bool started, const Pose32& before,
                                      const Pose32& now, const F3& p, const F3& n_I, F3* f, float* phi) {
  constexpr MarkerMode kLaw = kMode == CudaMode::kPaper ? MarkerMode::kPaper : MarkerMode::kRelease;
  const F3 o = Apply(now, p);
  *phi = ShapeDistance(s.pad, o);
  if (!(*phi < 0)) {
    *f = {};
    return false;
  }
  const F3 o_before = started ? Apply(before, p) : o;
  const float phi_before = started ? ShapeDistance(s.pad, o_before) : *phi;
  if (!started || !(phi_before < 0)) *f = {};
  const F3 n = Rotate(now, n_I);
  *f = Track(kLaw, *f, o, *phi, o_before, phi_before, F3{-n.x, -n.y, -n.z}, mu);
  return true;
}

template <CudaMode kMode, bool kFlat>
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
        if constexpr (kMode == CudaMode::kTaxel) {
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

/// Dynamic shared memory of StepKernel.
struct StepMemory {
  static std::size_t Bytes(const Scene& s, bool forces) {
    int groups = 0;
    for (int o = 0; o < s.objects; ++o) groups = max(groups, s.group_begin[o + 1] - s.group_begin[o]);
    return sizeof(float) * (3 * s.markers * (2 + kWarps + (forces ? 1 : 0)) + 12 * (s.substeps + 2)) +
           sizeof(int) * groups + (forces ? kSources * (sizeof(float4) + sizeof(float2)) + 16 : 0);
  }
};

template <CudaMode kMode, bool kFlat, bool kForces>
__global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    StepKernel(const __grid_constant__ Scene s, const __grid_constant__ CudaStepArguments a) {
  __shared__ SourceBuffer src;
  __shared__ int warp_count[kWarps];
  __shared__ float wrench_sum[kWarps][6];
  __shared__ int started_shared, finite_shared;
  extern __shared__ __align__(16) float dynamic[];
  float* marker = dynamic;                 // (markers, 3)
  float* normal = marker + 3 * s.markers;  // (markers, 3); published models: depths
  float* sums = normal + 3 * s.markers;    // (kWarps, markers, 3)
  Pose32* path =
      reinterpret_cast<Pose32*>(sums + 3 * kWarps * s.markers);  // substeps + 1, then the shifted pose
  int* list = reinterpret_cast<int*>(path + s.substeps + 2);
  int groups_most = 0;
  for (int o = 0; o < s.objects; ++o) groups_most = max(groups_most, s.group_begin[o + 1] - s.group_begin[o]);
  float* force_sums = reinterpret_cast<float*>(list + groups_most);
  float4* force = reinterpret_cast<float4*>(
      (reinterpret_cast<std::uintptr_t>(force_sums + 3 * s.markers) + 15) / 16 * 16);
  float2* share = reinterpret_cast<float2*>(force + kSources);

  const int wf = blockIdx.x, world = wf / s.fingers, finger = wf - world * s.fingers;
  const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
  const float* par = s.parameters + kParameterCount * world;
  const float lambda_d = par[kLambdaD], lambda_s = par[kLambdaS], mu = par[kFriction];
  const float E = par[kNormalStiffness], K = par[kShearStiffness];
  const float lambda_d2 = -kLog2E * lambda_d, lambda_s2 = -kLog2E * lambda_s;
  const float dilate =
      kMode == CudaMode::kTaxel ? par[kDilateScale] * lambda_d * kInversePi : par[kDilateScale];
  const float shear = kMode == CudaMode::kTaxel ? par[kShearScale] * lambda_s * kInversePi : par[kShearScale];
  const PointMaterial<float> material{mu * E / K, par[kSqueeze]};
  const bool shifted = a.shift != nullptr;
  float* stretch = StretchState(s, wf);

  for (int i = tid; i < 3 * s.markers; i += kThreads) marker[i] = s.marker[i];
  for (int i = tid; i < 3 * kWarps * s.markers; i += kThreads) sums[i] = 0;
  if constexpr (kForces)
    for (int i = tid; i < 3 * s.markers; i += kThreads) force_sums[i] = 0;
  F3 total{}, torque{};
  bool lost = false;

  for (int object = 0; object < s.objects; ++object) {
    __syncthreads();  // the poses of the object before are no longer read
    float* object_state = ObjectState(s, wf, object);
    if (tid == 0) {
      const Pose32 now = RelativePose(a.poses, s, world, finger, object);
      bool finite = true;
      for (const float v : now.r) finite &= isfinite(v);
      for (const float v : now.t) finite &= isfinite(v);
      finite_shared = finite;
      started_shared = object_state[0] != 0;
      path[0] = started_shared ? LoadPose12(object_state + 1) : now;
      path[s.substeps] = now;
      if (shifted) {
        Pose32 moved = now;
        for (int i = 0; i < 3; ++i) moved.t[i] += a.shift[3 * wf + i];
        path[s.substeps + 1] = moved;
      }
    }
    __syncthreads();
    if (!finite_shared) {  // its memory stays; the output says so
      lost = true;
      continue;
    }
    const bool started = started_shared;
    if (tid > 0 && tid < s.substeps)
      path[tid] = Interpolate(path[0], path[s.substeps], tid / float(s.substeps));
    const Pose32 now = path[s.substeps];
    const Pose32 later = shifted ? path[s.substeps + 1] : now;

    if constexpr (kMode != CudaMode::kTaxel) {
      constexpr MarkerMode kLaw = kMode == CudaMode::kPaper ? MarkerMode::kPaper : MarkerMode::kRelease;
      float* depth = normal;
      for (int i = tid; i < s.markers; i += kThreads) {
        const F3 p{marker[3 * i], marker[3 * i + 1], marker[3 * i + 2]};
        depth[i] = fmaxf(0.f, -ShapeDistance(s.shape[object], ApplyInverse(now, p)));
      }
      __syncthreads();
      for (int i = tid; i < s.markers; i += kThreads) {
        const F3 p{marker[3 * i], marker[3 * i + 1], marker[3 * i + 2]};
        F3 u{};
        for (int j = 0; j < s.markers; ++j)
          if (depth[j] > 0)
            u = u + DilationTerm(kLaw, lambda_d, p, F3{marker[3 * j], marker[3 * j + 1], marker[3 * j + 2]},
                                 depth[j]);
        sums[3 * i] += dilate * u.x, sums[3 * i + 1] += dilate * u.y, sums[3 * i + 2] += dilate * u.z;
      }
    }

    // Groups that may touch, ascending.
    int touching = 0;
    for (int base = s.group_begin[object]; base < s.group_begin[object + 1]; base += kThreads) {
      const int g = base + tid;
      bool near = false;
      if (g < s.group_begin[object + 1]) {
        const float4 ball = s.group[g];
        const F3 c{ball.x, ball.y, ball.z};
        near = SphereInBox(s.box, Apply(now, c), ball.w) ||
               (shifted && SphereInBox(s.box, Apply(later, c), ball.w));
      }
      const unsigned votes = __ballot_sync(0xffffffffu, near);
      if (lane == 0) warp_count[warp] = __popc(votes);
      __syncthreads();
      int at = touching;
      for (int w = 0; w < kWarps; ++w) {
        if (w < warp) at += warp_count[w];
        touching += warp_count[w];
      }
      if (near) list[at + __popc(votes & ((1u << lane) - 1))] = g;
      __syncthreads();
    }

    int count = 0;
    for (int first = 0; first < touching; first += kWarps) {
      bool inside = false;
      PointSource<float> out;
      if (first + warp < touching) {
        const int slot = 32 * list[first + warp] + lane, index = s.slot_point[slot];
        if (index >= 0) {
          const float4 pa = s.point[slot], nn = s.normal[slot];
          const F3 p{pa.x, pa.y, pa.z}, n_I{nn.x, nn.y, nn.z};
          float* f = stretch + 3 * static_cast<std::size_t>(index);
          F3 held{f[0], f[1], f[2]};
          if constexpr (kMode == CudaMode::kTaxel) {
            PointTouch<float> touch;
            const int steps = started ? s.substeps : 1;
            for (int j = 1; j <= steps; ++j) {
              const Pose32 &X0 = path[j - 1], &X1 = path[started ? j : s.substeps];
              const F3 n0 = Rotate(X0, n_I), n1 = Rotate(X1, n_I);
              inside = MovePoint(s.gel, material, started, Apply(X0, p), F3{-n0.x, -n0.y, -n0.z}, held,
                                 Apply(X1, p), F3{-n1.x, -n1.y, -n1.z}, &touch);
              held = inside ? touch.stretch : F3{};
            }
            if (inside) {
              f[0] = held.x, f[1] = held.y, f[2] = held.z;
              const F3 nw = Rotate(now, n_I), n{-nw.x, -nw.y, -nw.z}, o = Apply(now, p);
              if (shifted) {
                PointTouch<float> moved;
                const F3 nl = Rotate(later, n_I);
                const bool there = MovePoint(s.gel, material, true, o, n, held, Apply(later, p),
                                             F3{-nl.x, -nl.y, -nl.z}, &moved);
                touch.stretch = there ? moved.stretch : F3{};
              }
              out = ToSource(touch, o, n, pa.w, E, K);
              if (a.out.wrench) {
                total = total + out.force;
                torque =
                    torque + F3{o.y * out.force.z - o.z * out.force.y, o.z * out.force.x - o.x * out.force.z,
                                o.x * out.force.y - o.y * out.force.x};
              }
              out.push *= dilate;
              out.pull = shear * out.pull;
            }
          } else {
            constexpr MarkerMode kLaw = kMode == CudaMode::kPaper ? MarkerMode::kPaper : MarkerMode::kRelease;
            float phi, phi_later;
            inside = TrackPublished<kMode>(s, mu, started, path[0], now, p, n_I, &held, &phi);
            if (inside) f[0] = held.x, f[1] = held.y, f[2] = held.z;
            if (shifted) inside = TrackPublished<kMode>(s, mu, true, now, later, p, n_I, &held, &phi_later);
            out.pull = shear * ShearPull(kLaw, held, phi, E);
            out.anchor = Apply(now, p) + held;
            out.centre = {};
            out.push = 0;
          }
        }
      }
      const unsigned votes = __ballot_sync(0xffffffffu, inside);
      if (lane == 0) warp_count[warp] = __popc(votes);
      __syncthreads();
      int at = count, all = 0;
      for (int w = 0; w < kWarps; ++w) {
        if (w < warp) at += warp_count[w];
        all += warp_count[w];
      }
      if (inside) {
        at += __popc(votes & ((1u << lane) - 1));
        src.a[at] = {out.centre.x, out.centre.y, out.centre.z, out.push};
        src.b[at] = {out.anchor.x, out.anchor.y, out.anchor.z, out.pull.x};
        src.c[at] = {out.pull.y, out.pull.z};
        if constexpr (kForces) force[at] = {out.force.x, out.force.y, out.force.z, 0};
      }
      count += all;
      __syncthreads();
      if (count > kSources - kThreads || first + kWarps >= touching) {
        AddSources<kMode, kFlat>(src, count, marker, s.markers, lambda_d2, lambda_s2, sums);
        if constexpr (kForces)
          ShareForces(src, force, count, marker, s.markers, -kLog2E * s.force_lambda, share, force_sums);
        count = 0;
        __syncthreads();
      }
    }
    if (tid < 13) {
      const float* r = path[s.substeps].r;
      const float* t = path[s.substeps].t;
      const int k = tid - 1;
      object_state[tid] = tid == 0 ? 1.f : (k % 4 == 3 ? t[k / 4] : r[3 * (k / 4) + k % 4]);
    }
  }
  __syncthreads();

  const float creep = par[kCreep], late_share = creep > 0 ? -expm1f(-a.dt / par[kCreepTime]) : 0.f;
  for (int i = tid; i < s.markers; i += kThreads) {
    F3 u{};
    for (int w = 0; w < kWarps; ++w) {
      const float* part = sums + 3 * (w * s.markers + i);
      u = u + F3{part[0], part[1], part[2]};
    }
    if constexpr (kMode == CudaMode::kTaxel && !kFlat) {
      const F3 n{s.marker_normal[3 * i], s.marker_normal[3 * i + 1], s.marker_normal[3 * i + 2]};
      u = u - Dot(u, n) * n;
    }
    if (lost) u = {NAN, NAN, NAN};
    if (creep > 0 && !lost) {
      float* late = LateState(s, wf) + 3 * i;
      const F3 then{late[0], late[1], late[2]};
      const F3 next = then + late_share * (u - then);
      late[0] = next.x, late[1] = next.y, late[2] = next.z;
      u = u + creep * (next - u);
    }
    float* to = a.out.displacement + 3 * (static_cast<std::size_t>(wf) * s.markers + i);
    to[0] = u.x, to[1] = u.y, to[2] = u.z;
    if constexpr (kForces) {
      float* given = a.out.marker_forces + 3 * (static_cast<std::size_t>(wf) * s.markers + i);
      for (int k = 0; k < 3; ++k) given[k] = lost ? NAN : force_sums[3 * i + k];
    }
  }
  if (a.out.wrench) {
    float sum[6] = {total.x, total.y, total.z, torque.x, torque.y, torque.z};
    for (float& v : sum)
      for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
    if (lane == 0)
      for (int k = 0; k < 6; ++k) wrench_sum[warp][k] = sum[k];
    __syncthreads();
    if (tid < 6) {
      float v = 0;
      for (int w = 0; w < kWarps; ++w) v += wrench_sum[w][tid];
      a.out.wrench[6 * static_cast<std::size_t>(wf) + tid] = lost ? NAN : v;
    }
  }
}

}  // namespace taxel::cuda
