// One step of a marker field for every world and finger: a block each.
//
// Points lie in groups of 32 near each other (point_order.h), so that a warp looks at one group and most
// groups are dismissed by their bounding sphere. Points inside the gel become sources in shared memory, in
// the order of the points; then lanes are markers and warps share the sources. Sums have a fixed order: same
// input, same bits.
//
// What a mode does is its Model; each has a file of its own (marker_taxel.cu, marker_paper.cu,
// marker_release.cu):
//
//     static constexpr bool kPush, kFlat, kForces;  // of AddSources; whether forces are shared among markers
//     Model(const Scene& s, const float* par);      // its numbers: a row of CudaParameter
//     float lambda_d, lambda_s;
//     // What an object does to the markers that lie in it; one number a marker in `depth`. All threads.
//     void Dilate(const Scene&, int object, const Pose32& now, const float* marker, float* depth, float*
//     sums);
//     // Moves one point and its memory; whether it is inside, and what it does there.
//     bool Move(const Scene&, const Motion&, const F3& p, const F3& n_I, float area, float* stretch,
//               bool add_wrench, Wrench*, PointSource<float>* out);
//     F3 Along(const Scene&, int marker, const F3& u);           // of a sum: what the camera sees
//     static F3 KeepNormal(const F3& stretch, const F3& n);      // of a reset that keeps what was pressed
#pragma once

#include "taxel/batch/cuda_memory.cuh"
#include "taxel/batch/marker_kernels.cuh"
#include "taxel/batch/marker_sources.cuh"
#include "taxel/marker/taxel_law.h"

namespace taxel::cuda {

/// Of an object over a step.
struct Motion {
  const Pose32* path;  // substeps + 1, from the pose before to `now`
  bool started;        // there was a step before
  bool shifted;        // a gravity pass goes on to `later`
  const Pose32& now;
  const Pose32& later;
};

/// What one thread adds up: force, and torque about the pad's origin.
struct Wrench {
  F3 force{}, torque{};
};

/// Dynamic shared memory of a step.
struct StepMemory {
  float* marker;      // (markers, 3)
  float* depth;       // (markers), of 3 x markers
  float* sums;        // (kWarps, markers, 3)
  Pose32* path;       // substeps + 1, then the shifted pose
  int* list;          // groups that may touch
  float* force_sums;  // (markers, 3), and what follows: with forces alone
  float4* force;
  float2* share;

  __device__ StepMemory(float* dynamic, const Scene& s) {
    marker = dynamic;
    depth = marker + 3 * s.markers;
    sums = depth + 3 * s.markers;
    path = reinterpret_cast<Pose32*>(sums + 3 * kWarps * s.markers);
    list = reinterpret_cast<int*>(path + s.substeps + 2);
    force_sums = reinterpret_cast<float*>(list + MostGroups(s));
    force = reinterpret_cast<float4*>((reinterpret_cast<std::uintptr_t>(force_sums + 3 * s.markers) + 15) /
                                      16 * 16);
    share = reinterpret_cast<float2*>(force + kSources);
  }
  static std::size_t Bytes(const Scene& s, bool forces) {
    return sizeof(float) * (3 * s.markers * (2 + kWarps + (forces ? 1 : 0)) + 12 * (s.substeps + 2)) +
           sizeof(int) * MostGroups(s) + (forces ? kSources * (sizeof(float4) + sizeof(float2)) + 16 : 0);
  }

 private:
  static __host__ __device__ int MostGroups(const Scene& s) {
    int groups = 0;
    for (int o = 0; o < s.objects; ++o) groups = max(groups, s.group_begin[o + 1] - s.group_begin[o]);
    return groups;
  }
};

/// Of an object's points in the frame of a pad, where a step takes them.
__device__ inline Pose32 PointsPose(const Scene& s, const CudaStepArguments& a, int world, int finger,
                                    int object) {
  Pose32 X = RelativePose(a.poses, s, world, finger, object);
  if (a.turns)
    X = Compose(X, LoadPose12(a.turns + 16 * (static_cast<std::size_t>(world) * s.objects + object)));
  X.t[2] += a.lift;
  return X;
}

/// Thread 0: the way of an object in this step; whether its pose is finite. shift: of this finger, or null.
__device__ inline bool ReadPath(const Scene& s, const Pose32& now, const float* object_state,
                                const float* shift, int shift_numbers, Pose32* path) {
  bool finite = true;
  for (const float v : now.r) finite &= isfinite(v);
  for (const float v : now.t) finite &= isfinite(v);
  path[0] = object_state[0] != 0 ? LoadPose12(object_state + 1) : now;
  path[s.substeps] = now;
  if (shift) {
    Pose32 moved = shift_numbers == 16 ? Compose(LoadPose12(shift), now) : now;
    for (int i = 0; i < 3 && shift_numbers == 3; ++i) moved.t[i] += shift[i];
    path[s.substeps + 1] = moved;
  }
  return finite;
}

/// Of a lane with `wanted`: its place among all of the block, in the order of the threads. `count` goes on by
/// their number. Threads wait once before they go on.
__device__ inline int PlaceInOrder(bool wanted, int* warp_count, int* count) {
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  const unsigned votes = __ballot_sync(0xffffffffu, wanted);
  if (lane == 0) warp_count[warp] = __popc(votes);
  __syncthreads();
  int at = *count;
  for (int w = 0; w < kWarps; ++w) {
    if (w < warp) at += warp_count[w];
    *count += warp_count[w];
  }
  return at + __popc(votes & ((1u << lane) - 1));
}

/// Groups of an object that may touch, ascending; their number.
__device__ inline int ListTouching(const Scene& s, int object, const Motion& m, int* warp_count, int* list) {
  int touching = 0;
  for (int base = s.group_begin[object]; base < s.group_begin[object + 1]; base += kThreads) {
    const int g = base + static_cast<int>(threadIdx.x);
    bool near = false;
    if (g < s.group_begin[object + 1]) {
      const float4 ball = s.group[g];
      const F3 c{ball.x, ball.y, ball.z};
      near = SphereInBox(s.box, Apply(m.now, c), ball.w) ||
             (m.shifted && SphereInBox(s.box, Apply(m.later, c), ball.w));
    }
    const int at = PlaceInOrder(near, warp_count, &touching);
    if (near) list[at] = g;
    __syncthreads();
  }
  return touching;
}

/// What the threads of a block added up, into six numbers; NaN where an object was lost.
__device__ inline void WriteWrench(const Wrench& mine, bool lost, float (*parts)[6], float* to) {
  const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
  float sum[6] = {mine.force.x, mine.force.y, mine.force.z, mine.torque.x, mine.torque.y, mine.torque.z};
  for (float& v : sum)
    for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
  if (lane == 0)
    for (int k = 0; k < 6; ++k) parts[warp][k] = sum[k];
  __syncthreads();
  if (tid < 6) {
    float v = 0;
    for (int w = 0; w < kWarps; ++w) v += parts[w][tid];
    to[tid] = lost ? NAN : v;
  }
}

template <typename Model>
__device__ inline void StepField(const Scene& s, const CudaStepArguments& a) {
  __shared__ SourceBuffer src;
  __shared__ int warp_count[kWarps];
  __shared__ float wrench_sum[kWarps][6];
  __shared__ int started_shared, finite_shared;
  extern __shared__ __align__(16) float dynamic[];
  const StepMemory memory(dynamic, s);
  float *marker = memory.marker, *sums = memory.sums;
  Pose32* path = memory.path;

  const int wf = blockIdx.x, world = wf / s.fingers, finger = wf - world * s.fingers;
  if (a.mask && !a.mask[world]) return;
  const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
  const float* par = s.parameters + kParameterCount * world;
  Model model(s, par);
  const float lambda_d2 = -kLog2E * model.lambda_d, lambda_s2 = -kLog2E * model.lambda_s;
  const bool shifted = a.shift != nullptr;
  float* stretch = StretchState(s, wf);

  for (int i = tid; i < 3 * s.markers; i += kThreads) marker[i] = s.marker[i];
  for (int i = tid; i < 3 * kWarps * s.markers; i += kThreads) sums[i] = 0;
  if constexpr (Model::kForces)
    for (int i = tid; i < 3 * s.markers; i += kThreads) memory.force_sums[i] = 0;
  Wrench wrench;
  bool lost = false;

  for (int object = 0; object < s.objects; ++object) {
    __syncthreads();  // the poses of the object before are no longer read
    float* object_state = ObjectState(s, wf, object);
    if (tid == 0) {
      finite_shared = ReadPath(s, PointsPose(s, a, world, finger, object), object_state,
                               shifted ? a.shift + a.shift_numbers * wf : nullptr, a.shift_numbers, path);
      started_shared = object_state[0] != 0;
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
    const Motion motion{path, started, shifted, now, later};

    model.Dilate(s, object, now, marker, memory.depth, sums);
    const int touching = ListTouching(s, object, motion, warp_count, memory.list);
    int count = 0;
    for (int first = 0; first < touching; first += kWarps) {
      bool inside = false;
      PointSource<float> out;
      if (first + warp < touching) {
        const int slot = 32 * memory.list[first + warp] + lane, index = s.slot_point[slot];
        if (index >= 0) {
          const float4 pa = s.point[slot], nn = s.normal[slot];
          inside = model.Move(s, motion, F3{pa.x, pa.y, pa.z}, F3{nn.x, nn.y, nn.z}, pa.w,
                              stretch + 3 * static_cast<std::size_t>(index), a.out.wrench != nullptr, &wrench,
                              &out);
        }
      }
      const int at = PlaceInOrder(inside, warp_count, &count);
      if (inside) {
        src.a[at] = {out.centre.x, out.centre.y, out.centre.z, out.push};
        src.b[at] = {out.anchor.x, out.anchor.y, out.anchor.z, out.pull.x};
        src.c[at] = {out.pull.y, out.pull.z};
        if constexpr (Model::kForces) memory.force[at] = {out.force.x, out.force.y, out.force.z, 0};
      }
      __syncthreads();
      if (count > kSources - kThreads || first + kWarps >= touching) {
        AddSources<Model::kPush, Model::kFlat>(src, count, marker, s.markers, lambda_d2, lambda_s2, sums);
        if constexpr (Model::kForces)
          ShareForces(src, memory.force, count, marker, s.markers, -kLog2E * s.force_lambda, memory.share,
                      memory.force_sums);
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
    u = model.Along(s, i, u);
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
    if constexpr (Model::kForces) {
      float* given = a.out.marker_forces + 3 * (static_cast<std::size_t>(wf) * s.markers + i);
      for (int k = 0; k < 3; ++k) given[k] = lost ? NAN : memory.force_sums[3 * i + k];
    }
  }
  if (a.out.wrench) WriteWrench(wrench, lost, wrench_sum, a.out.wrench + 6 * static_cast<std::size_t>(wf));
}

/// A stretch is only read where the point was inside at the last pose, so forgetting the pose forgets all.
template <typename Model>
__device__ inline void ResetField(const Scene& s, const std::uint8_t* mask, bool keep_normal) {
  const int wf = blockIdx.x;
  if (mask && !mask[wf / s.fingers]) return;
  if (!keep_normal) {
    for (int o = threadIdx.x; o < s.objects; o += blockDim.x) ObjectState(s, wf, o)[0] = 0;
    for (int i = threadIdx.x; i < 3 * s.markers; i += blockDim.x) LateState(s, wf)[i] = 0;
    return;
  }
  float* f = StretchState(s, wf);
  for (int object = 0; object < s.objects; ++object) {
    const Pose32 X = LoadPose12(ObjectState(s, wf, object) + 1);
    const int begin = 32 * s.group_begin[object], end = 32 * s.group_begin[object + 1];
    for (int slot = begin + static_cast<int>(threadIdx.x); slot < end; slot += blockDim.x) {
      const int k = s.slot_point[slot];
      if (k < 0) continue;
      const float4 nn = s.normal[slot];
      const F3 v = Model::KeepNormal({f[3 * k], f[3 * k + 1], f[3 * k + 2]}, Rotate(X, F3{nn.x, nn.y, nn.z}));
      f[3 * k] = v.x, f[3 * k + 1] = v.y, f[3 * k + 2] = v.z;
    }
  }
}

using StepKernel = void (*)(Scene, CudaStepArguments);
using ResetKernel = void (*)(Scene, const std::uint8_t*, bool);

inline void AllowStep(StepKernel kernel, const Scene& s, bool forces) {
  AllowShared(kernel, StepMemory::Bytes(s, forces), "so many points or markers");
}
inline void LaunchStep(StepKernel kernel, const Scene& s, bool forces, const CudaStepArguments& a) {
  AllowStep(kernel, s, forces);
  kernel<<<s.worlds * s.fingers, kThreads, StepMemory::Bytes(s, forces), Stream(a.stream)>>>(s, a);
  Check(cudaGetLastError(), "step");
}
inline void LaunchReset(ResetKernel kernel, const Scene& s, const std::uint8_t* mask, bool keep_normal,
                        cudaStream_t stream) {
  kernel<<<s.worlds * s.fingers, kThreads, 0, stream>>>(s, mask, keep_normal);
  Check(cudaGetLastError(), "reset");
}

}  // namespace taxel::cuda
