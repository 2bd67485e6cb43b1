// Gradients of a step of taxel's marker model for every world and finger: a block each.
#include <stdexcept>
#include <string>

#include "taxel/batch/cuda_memory.cuh"
#include "taxel/batch/marker_kernels.cuh"
#include "taxel/marker/taxel_gradient.h"
#include "taxel/marker/taxel_law.h"

namespace taxel::cuda {
using namespace internal;
namespace {

/// Numbers a block adds up: gradients of a pose and the one before (3 x 4 each), then the parameters.
inline constexpr int kPoseNumbers = 24, kGradientNumbers = kPoseNumbers + kParameterCount;

struct VjpExp {
  __device__ float operator()(float x) const { return expf(x); }
};

__global__ void __launch_bounds__(kThreads)
    VjpKernel(const __grid_constant__ Scene s, const __grid_constant__ CudaVjpArguments a) {
  extern __shared__ __align__(16) float dynamic[];
  float* marker = dynamic;
  float* seed = marker + 3 * s.markers;  // cotangents of the markers along the gel
  float* part = seed + 3 * s.markers;    // (kWarps, kGradientNumbers)
  __shared__ Pose32 pose[2];
  __shared__ int started_shared;

  const int wf = blockIdx.x, world = wf / s.fingers, finger = wf - world * s.fingers;
  const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
  const float* par = s.parameters + kParameterCount * world;
  const float creep_free = par[kCreep] > 0 ? NAN : 1.0f;  // late motion has no gradient
  const float mu = par[kFriction], E = par[kNormalStiffness], K = par[kShearStiffness];
  const PointMaterial<float> material{mu * E / K, par[kSqueeze]};
  const float* before_state = a.state_before + static_cast<std::size_t>(wf) * s.state_size;
  const float* stretch = before_state + 13 * s.objects;

  for (int i = tid; i < s.markers; i += kThreads) {
    const float* u = a.displacement + 3 * (static_cast<std::size_t>(wf) * s.markers + i);
    const F3 n{s.marker_normal[3 * i], s.marker_normal[3 * i + 1], s.marker_normal[3 * i + 2]};
    const F3 given = creep_free * F3{u[0], u[1], u[2]}, along = given - Dot(given, n) * n;
    seed[3 * i] = along.x, seed[3 * i + 1] = along.y, seed[3 * i + 2] = along.z;
    for (int k = 0; k < 3; ++k) marker[3 * i + k] = s.marker[3 * i + k];
  }
  F3 force_seed{}, torque_seed{};
  if (a.wrench) {
    const float* w = a.wrench + 6 * static_cast<std::size_t>(wf);
    force_seed = {w[0], w[1], w[2]}, torque_seed = {w[3], w[4], w[5]};
  }
  float parameter_sum[kParameterCount] = {};

  for (int object = 0; object < s.objects; ++object) {
    __syncthreads();
    if (tid == 0) {
      pose[1] = RelativePose(a.step.poses, s, world, finger, object);
      const float* held = before_state + 13 * object;
      started_shared = held[0] != 0;
      pose[0] = started_shared ? LoadPose12(held + 1) : pose[1];
    }
    __syncthreads();
    const Pose32 before = pose[0], now = pose[1];
    const bool started = started_shared;
    float sum[kPoseNumbers] = {};
    for (int g = s.group_begin[object] + warp; g < s.group_begin[object + 1]; g += kWarps) {
      const float4 ball = s.group[g];
      const int slot = 32 * g + lane, index = s.slot_point[slot];
      const bool near = SphereInBox(s.box, Apply(now, F3{ball.x, ball.y, ball.z}), ball.w);
      if (index < 0) continue;
      const std::size_t at = 3 * (static_cast<std::size_t>(wf) * s.points + index);
      if (a.stretch_before)
        for (int k = 0; k < 3; ++k) a.stretch_before[at + k] = 0;
      if (!near) continue;
      const float4 pa = s.point[slot], nn = s.normal[slot];
      const F3 p{pa.x, pa.y, pa.z}, n_I{nn.x, nn.y, nn.z};
      const F3 held{stretch[3 * index], stretch[3 * index + 1], stretch[3 * index + 2]};
      const F3 o = Apply(now, p), o0 = Apply(before, p), m1 = Rotate(now, n_I), m0 = Rotate(before, n_I);
      const F3 n{-m1.x, -m1.y, -m1.z}, n0{-m0.x, -m0.y, -m0.z};
      PointTouch<float> touch;
      if (!MovePoint(s.gel, material, started, o0, n0, held, o, n, &touch)) continue;
      const PointSource<float> source = ToSource(touch, o, n, pa.w, E, K);
      SourceCotangent<float> c;
      SpreadGradient<float> spread;
      for (int i = 0; i < s.markers; ++i)
        AddMarkerCotangent(source, F3{marker[3 * i], marker[3 * i + 1], marker[3 * i + 2]},
                           F3{seed[3 * i], seed[3 * i + 1], seed[3 * i + 2]}, par[kLambdaD], par[kLambdaS],
                           par[kDilateScale], par[kShearScale], VjpExp{}, &c, &spread);
      // torque = o x force
      const F3 f = source.force, t = torque_seed;
      c.force = force_seed + F3{t.y * o.z - t.z * o.y, t.z * o.x - t.x * o.z, t.x * o.y - t.y * o.x};
      const F3 arm{f.y * t.z - f.z * t.y, f.z * t.x - f.x * t.z, f.x * t.y - f.y * t.x};
      if (a.stretch_after)
        c.stretch = {a.stretch_after[at], a.stretch_after[at + 1], a.stretch_after[at + 2]};
      PointGradient<float> d = PointVjp(s.gel, material, pa.w, E, K, started, o0, n0, held, o, n, c);
      d.o = d.o + arm;
      if (a.stretch_before) {
        a.stretch_before[at] = d.stretch_before.x;
        a.stretch_before[at + 1] = d.stretch_before.y;
        a.stretch_before[at + 2] = d.stretch_before.z;
      }
      const auto add = [&](const F3& od, const F3& nd, float* to) {
        const float o3[3] = {od.x, od.y, od.z}, n3[3] = {nd.x, nd.y, nd.z};
        for (int r = 0; r < 3; ++r) {
          to[4 * r] += o3[r] * p.x - n3[r] * n_I.x;
          to[4 * r + 1] += o3[r] * p.y - n3[r] * n_I.y;
          to[4 * r + 2] += o3[r] * p.z - n3[r] * n_I.z;
          to[4 * r + 3] += o3[r];
        }
      };
      add(d.o, d.n, sum);
      if (started) add(d.o_before, d.n_before, sum + 12);
      AddMaterialGradient(d, mu, E, K, &parameter_sum[kFriction], &parameter_sum[kNormalStiffness],
                          &parameter_sum[kShearStiffness]);
      parameter_sum[kSqueeze] += d.squeeze;
      parameter_sum[kLambdaD] += spread.lambda_d, parameter_sum[kLambdaS] += spread.lambda_s;
      parameter_sum[kDilateScale] += spread.dilate, parameter_sum[kShearScale] += spread.shear;
    }
    for (float& v : sum)
      for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
    if (lane == 0)
      for (int k = 0; k < kPoseNumbers; ++k) part[warp * kGradientNumbers + k] = sum[k];
    __syncthreads();
    if (tid < kPoseNumbers) {
      float v = 0;
      for (int w = 0; w < kWarps; ++w) v += part[w * kGradientNumbers + tid];
      const std::size_t row = 12 * (static_cast<std::size_t>(wf) * s.objects + object);
      if (tid < 12 && a.X_PI) a.X_PI[row + tid] += v;
      if (tid >= 12 && a.X_PI_before) a.X_PI_before[row + tid - 12] += v;
    }
  }
  __syncthreads();
  for (float& v : parameter_sum)
    for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
  if (lane == 0)
    for (int k = 0; k < kParameterCount; ++k) part[warp * kGradientNumbers + k] = parameter_sum[k];
  __syncthreads();
  if (tid < kParameterCount && a.parameters) {
    float v = 0;
    for (int w = 0; w < kWarps; ++w) v += part[w * kGradientNumbers + tid];
    a.parameters[static_cast<std::size_t>(wf) * kParameterCount + tid] += v;
  }
}

}  // namespace

void LaunchVjp(const Scene& s, const CudaVjpArguments& a) {
  const std::size_t bytes = sizeof(float) * (6 * s.markers + kWarps * kGradientNumbers);
  AllowShared(VjpKernel, bytes, "the gradient of so many markers");
  VjpKernel<<<s.worlds * s.fingers, kThreads, bytes, static_cast<cudaStream_t>(a.step.stream)>>>(s, a);
  const cudaError_t status = cudaGetLastError();
  if (status != cudaSuccess)
    throw std::runtime_error(std::string("gradients: ") + cudaGetErrorString(status));
}

}  // namespace taxel::cuda
