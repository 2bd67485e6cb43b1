// Bodies that come so fast that no step sees them in a skin.
#pragma once

#include "taxel/mujoco/touch.h"

namespace taxel::mujoco {

/// Where geom 2 will be relative to geom 1 after `time` seconds, if the two move on as they do.
Pose PoseAfter(const Pose& X_WG, const RelativeMotion& v, double time);

/// A pair that does not touch, but whose way within a step is longer than what its layers give: looks along
/// that way at poses half a layer apart, from the first in which the two touch to the first in which one of
/// them is at its core, and fills touch->core with what the layers allow there and the way up to it,
///     gap = gap there - n . (p there - p now).
/// Nothing, after one comparison, where the next step sees the body in its layer anyway. `scratch` is kept
/// between calls.
void Foresee(const TouchContext& c, double reach, Touch* touch, Touch* scratch);

}  // namespace taxel::mujoco
