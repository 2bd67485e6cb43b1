// Poses of many worlds in device memory.
#pragma once

namespace taxel {

inline constexpr int kMaxFingers = 16, kMaxObjects = 16;

/// Where the poses of a step come from; device memory.
struct CudaPoses {
  /// Poses of the objects in the pads' frames, (worlds, fingers, objects, 4, 4) row-major; or null, and then
  const float* X_PI = nullptr;
  /// poses in the world, as mujoco_warp keeps them: (worlds, count, 3) and (worlds, count, 3, 3).
  const float* position = nullptr;
  const float* rotation = nullptr;
  int count = 0;
  int pad_index[kMaxFingers] = {};
  int object_index[kMaxObjects] = {};
  float pad_offset[kMaxFingers][12] = {};     ///< X_GP: pad in its geom or body, 3 x 4 row-major
  float object_offset[kMaxObjects][12] = {};  ///< X_GI
  /// The same for each world, read in every step; null: those above. (worlds, fingers, 4, 4) row-major and
  const float* pad_offsets = nullptr;
  /// (worlds, objects, 4, 4).
  const float* object_offsets = nullptr;
  int fingers = 0, objects = 0;  ///< rows of a world in these two
};

}  // namespace taxel
