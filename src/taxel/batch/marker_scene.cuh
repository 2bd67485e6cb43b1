// A batch of marker fields in device memory, and the sizes its kernels share.
#pragma once

#include "taxel/batch/cuda_api.h"
#include "taxel/batch/world_pose.cuh"

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
  return Between(PadPose(p, world, finger), ThingPose(p, world, object));
}

__device__ inline bool SphereInBox(const float* box, const F3& c, float r) {
  const float x = fmaxf(fmaxf(box[0] - c.x, c.x - box[3]), 0.f),
              y = fmaxf(fmaxf(box[1] - c.y, c.y - box[4]), 0.f),
              z = fmaxf(fmaxf(box[2] - c.z, c.z - box[5]), 0.f);
  return x * x + y * y + z * z <= r * r;
}

}  // namespace taxel::cuda
