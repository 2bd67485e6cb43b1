// Poses of models that know one object.
#pragma once

#include "taxel/batch/marker_step.cuh"

namespace taxel::cuda {

/// Of the one object in the frame of a pad.
__device__ inline Pose32 ObjectPose(const CudaPoses& p, int fingers, int world, int finger) {
  if (p.X_PI) return LoadPose12(p.X_PI + 16 * (static_cast<std::size_t>(world) * fingers + finger));
  return Between(WorldPose(p, world, p.pad_index[finger], p.pad_offset[finger]),
                 WorldPose(p, world, p.object_index[0], p.object_offset[0]));
}
__device__ inline void StorePose12(const Pose32& X, float* m) {
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) m[4 * i + j] = X.r[3 * i + j];
    m[4 * i + 3] = X.t[i];
  }
}
__device__ inline F3 Load3(const float* v) { return {v[0], v[1], v[2]}; }

}  // namespace taxel::cuda
