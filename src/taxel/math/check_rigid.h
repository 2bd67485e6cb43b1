// Poses that come from outside.
#pragma once

#include <string>
#include <string_view>

#include "taxel/math/pose.h"

namespace taxel::internal {

/// @throws Error that opens with `what` where X is not finite or not a rotation and a translation, to 1e-6: a
/// scaled or mirrored matrix would give the forces of another world.
void CheckRigid(const Pose& X, std::string_view what);
/// Says whether it would; for callers that put `what` together only then: no memory is taken in a step.
bool IsRigid(const Pose& X);

}  // namespace taxel::internal
