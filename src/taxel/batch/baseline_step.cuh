// One step of FOTS or TacSL for every world and finger: a block each.
//
// FOTS: threads are markers. Pressed ones become sources in shared memory, in the order of the markers; one
// thread follows the contact; then every marker sums over the sources. Sums have a fixed order: same input,
// same bits.
#pragma once

#include "taxel/batch/cuda_baselines.h"
#include "taxel/batch/world_pose.cuh"
#include "taxel/marker/tacsl_point.h"

namespace taxel::cuda {

inline constexpr int kBaselineWarps = 2, kBaselineThreads = 32 * kBaselineWarps;
inline constexpr int kFotsStateSize = 25, kTacSlStateSize = 13;

/// Device memory of a batch.
struct BaselineScene {
  int worlds, fingers, markers;
  bool unit_shear;
  const float* marker;      // (markers, 3)
  const float* parameters;  // (worlds, ...)
  float* state;             // (worlds, fingers, ...)
  KernelShape<float> object;
  FotsRule<float> rule;
};

__device__ inline FotsState<float> LoadFots(const float* m) {
  FotsState<float> s;
  s.started = m[0] != 0, s.touching = m[1] != 0;
  s.X_PI = LoadPose12(m + 2);
  s.centre_I = Load3(m + 14);
  s.quaternion_start = {m[17], m[18], m[19], m[20]};
  s.quaternion = {m[21], m[22], m[23], m[24]};
  return s;
}
__device__ inline void StoreFots(const FotsState<float>& s, float* m) {
  m[0] = s.started, m[1] = s.touching;
  StorePose12(s.X_PI, m + 2);
  m[14] = s.centre_I.x, m[15] = s.centre_I.y, m[16] = s.centre_I.z;
  const KernelQuaternion<float>&a = s.quaternion_start, &b = s.quaternion;
  m[17] = a.w, m[18] = a.x, m[19] = a.y, m[20] = a.z;
  m[21] = b.w, m[22] = b.x, m[23] = b.y, m[24] = b.z;
}

/// Dynamic shared memory: a float4 and an int a marker.
inline std::size_t FotsMemory(int markers) { return (sizeof(float4) + sizeof(int)) * markers; }

template <FotsVariant kVariant>
__global__ void __launch_bounds__(kBaselineThreads, 16)
    FotsKernel(const __grid_constant__ BaselineScene s, const __grid_constant__ CudaBaselineArguments a) {
  __shared__ int warp_count[kBaselineWarps];
  __shared__ float remembered[kFotsStateSize];
  __shared__ FotsMotion<float> motion;
  extern __shared__ __align__(16) float4 source[];  // (markers): place, push
  int* pressed = reinterpret_cast<int*>(source + s.markers);

  const int wf = blockIdx.x, world = wf / s.fingers, finger = wf - world * s.fingers;
  if (a.mask && !a.mask[world]) return;
  const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
  const float* par = s.parameters + kFotsParameterCount * world;
  FotsRule<float> rule = s.rule;
  rule.variant = kVariant;  // known when compiling
  const FotsRates<float> rates{par[kFotsLambdaD], par[kFotsLambdaS], par[kFotsLambdaT],
                               par[kFotsDilateScale]};
  float* memory = s.state + static_cast<std::size_t>(wf) * kFotsStateSize;
  if (tid < kFotsStateSize) remembered[tid] = memory[tid];  // early: it is needed late
  const Pose32 X_PI = ObjectPose(a.poses, s.fingers, world, finger);

  int count = 0;
  for (int base = 0; base < s.markers; base += kBaselineThreads) {
    const int i = base + tid;
    float depth = 0;
    F3 p{};
    if (i < s.markers) {
      p = Load3(s.marker + 3 * i);
      depth = -ShapeDistance(s.object, ApplyInverse(X_PI, p));
    }
    const unsigned votes = __ballot_sync(0xffffffffu, depth > 0);
    if (lane == 0) warp_count[warp] = __popc(votes);
    __syncthreads();
    int at = count + __popc(votes & ((1u << lane) - 1));
    for (int w = 0; w < kBaselineWarps; ++w) {
      if (w < warp) at += warp_count[w];
      count += warp_count[w];
    }
    if (depth > 0) {
      const FotsSource<float> out = ToFotsSource(rule, rates, p, depth);
      source[at] = {out.at.x, out.at.y, out.at.z, out.push};
      pressed[at] = i;
    }
    __syncthreads();
  }

  if (tid == 0) {
    FotsState<float> state = LoadFots(remembered);
    F3 sum{};
    if (!state.touching && AboutContact(kVariant))
#pragma unroll 1
      for (int k = 0; k < count; ++k) sum = sum + Load3(s.marker + 3 * pressed[k]);
    FollowContact(rule, X_PI, count, sum, &state);
    StoreFots(state, remembered);
    if (count > 0) motion = MotionSinceContact(rule, state, X_PI, a.shift ? Load3(a.shift + 3 * wf) : F3{});
  }
  __syncthreads();
  if (tid < kFotsStateSize) memory[tid] = remembered[tid];
  if (!a.out.displacement) return;
  float* displacement = a.out.displacement + 3 * static_cast<std::size_t>(wf) * s.markers;
  if (count == 0) {
    for (int i = tid; i < 3 * s.markers; i += kBaselineThreads) displacement[i] = 0;
    return;
  }
  const FotsMotion<float> m = motion;
  for (int i = tid; i < s.markers; i += kBaselineThreads) {
    const F3 place = FotsPlace(rule, Load3(s.marker + 3 * i));
    F3 dilation{};
    for (int k = 0; k < count; ++k) {
      const float4 from = source[k];
      dilation = dilation + FotsDilation(kVariant, rates.lambda_d, place,
                                         FotsSource<float>{{from.x, from.y, from.z}, from.w});
    }
    const F3 u = FotsDisplacement(kVariant, rates, m, place, dilation);
    displacement[3 * i] = u.x, displacement[3 * i + 1] = u.y, displacement[3 * i + 2] = u.z;
  }
}

__global__ void __launch_bounds__(kBaselineThreads, 16)
    TacSlKernel(const __grid_constant__ BaselineScene s, const __grid_constant__ CudaBaselineArguments a) {
  const int wf = blockIdx.x, world = wf / s.fingers, finger = wf - world * s.fingers;
  if (a.mask && !a.mask[world]) return;
  const float* par = s.parameters + kTacSlParameterCount * world;
  const TacSlRates<float> rates{par[kTacSlNormal], par[kTacSlTangential], par[kTacSlFriction]};
  float* memory = s.state + static_cast<std::size_t>(wf) * kTacSlStateSize;
  __shared__ int hardest;
  if (threadIdx.x == 0) hardest = 0;
  const Pose32 X_PI = ObjectPose(a.poses, s.fingers, world, finger);
  KernelMotion<float> motion{};
  if (a.velocity) {
    motion = {Load3(a.velocity + 6 * wf), Load3(a.velocity + 6 * wf + 3)};
  } else if (memory[0] != 0) {
    motion = MotionBetween(LoadPose12(memory + 1), X_PI, a.dt);
  }
  __syncthreads();  // all have read the pose before
  if (threadIdx.x == 0) {
    memory[0] = 1;
    StorePose12(X_PI, memory + 1);
  }
  float largest = 0;
  for (int i = threadIdx.x; i < s.markers; i += kBaselineThreads) {
    TacSlForces<float> f;
    const float depth = internal::TacSlAt(s.object, rates, X_PI, motion, Load3(s.marker + 3 * i), &f);
    largest = fmaxf(largest, f.normal);
    const std::size_t k = static_cast<std::size_t>(wf) * s.markers + i;
    if (a.out.depth) a.out.depth[k] = depth;
    if (a.out.normal) a.out.normal[k] = f.normal;
    if (a.out.shear) a.out.shear[2 * k] = f.shear_x, a.out.shear[2 * k + 1] = f.shear_y;
  }
  if (!s.unit_shear || !a.out.shear) return;
  atomicMax(&hardest, __float_as_int(largest));  // of numbers of 0 or more: in the order of their bits
  __syncthreads();
  for (int i = threadIdx.x; i < s.markers; i += kBaselineThreads) {
    float* shear = a.out.shear + 2 * (static_cast<std::size_t>(wf) * s.markers + i);
    MakeUnitShear(__int_as_float(hardest), shear, shear + 1);  // what this thread has written
  }
}

/// Forgets: `started` and `touching` are all that the next step looks at.
__global__ void BaselineResetKernel(const __grid_constant__ BaselineScene s, const std::uint8_t* mask,
                                    int state_size) {
  const int wf = blockIdx.x * blockDim.x + threadIdx.x;
  if (wf >= s.worlds * s.fingers || (mask && !mask[wf / s.fingers])) return;
  float* memory = s.state + static_cast<std::size_t>(wf) * state_size;
  for (int k = 0; k < state_size; ++k) memory[k] = 0;
}

}  // namespace taxel::cuda
