// Poses in device memory, as a step reads them.
#pragma once

#include <cstddef>

#include "taxel/batch/cuda_poses.h"
#include "taxel/math/kernel_pose.h"

namespace taxel::cuda {

using F3 = Triple<float>;
using Pose32 = KernelPose<float>;

TAXEL_HD inline Pose32 LoadPose12(const float* m) {
  Pose32 X;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) X.r[3 * i + j] = m[4 * i + j];
    X.t[i] = m[4 * i + 3];
  }
  return X;
}
TAXEL_HD inline Pose32 WorldPose(const CudaPoses& p, int world, int index, const float* offset) {
  const std::size_t k = static_cast<std::size_t>(world) * p.count + index;
  Pose32 X;
  for (int i = 0; i < 9; ++i) X.r[i] = p.rotation[9 * k + i];
  for (int i = 0; i < 3; ++i) X.t[i] = p.position[3 * k + i];
  return Compose(X, LoadPose12(offset));
}
TAXEL_HD inline Pose32 PadPose(const CudaPoses& p, int world, int finger) {
  const float* own = p.pad_offsets
                         ? p.pad_offsets + 16 * (static_cast<std::size_t>(world) * p.fingers + finger)
                         : p.pad_offset[finger];
  return WorldPose(p, world, p.pad_index[finger], own);
}
TAXEL_HD inline Pose32 ThingPose(const CudaPoses& p, int world, int object) {
  const float* own = p.object_offsets
                         ? p.object_offsets + 16 * (static_cast<std::size_t>(world) * p.objects + object)
                         : p.object_offset[object];
  return WorldPose(p, world, p.object_index[object], own);
}

/// Of the one object in the frame of a pad.
TAXEL_HD inline Pose32 ObjectPose(const CudaPoses& p, int fingers, int world, int finger) {
  if (p.X_PI) return LoadPose12(p.X_PI + 16 * (static_cast<std::size_t>(world) * fingers + finger));
  return Between(PadPose(p, world, finger), ThingPose(p, world, 0));
}
TAXEL_HD inline void StorePose12(const Pose32& X, float* m) {
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) m[4 * i + j] = X.r[3 * i + j];
    m[4 * i + 3] = X.t[i];
  }
}
TAXEL_HD inline F3 Load3(const float* v) { return {v[0], v[1], v[2]}; }

}  // namespace taxel::cuda
