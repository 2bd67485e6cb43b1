// Which rows of an engine's arrays are pads and objects.
#pragma once

#include <vector>

#include "taxel/batch/cuda_poses.h"
#include "taxel/math/pose.h"

namespace taxel {

/// Poses in the world from arrays with `count` geoms or bodies per world: rows of the pads and of the
/// objects, and the pose of each in the frame of its row. Where the arrays are (position, rotation) is still
/// to be said, and so are offsets that differ from world to world. Throws Error for a row outside of the
/// arrays, more rows than a GPU takes, or another number of offsets.
CudaPoses AttachPoses(int count, const std::vector<int>& pads, const std::vector<Pose>& pad_offsets,
                      const std::vector<int>& objects, const std::vector<Pose>& object_offsets);

}  // namespace taxel
