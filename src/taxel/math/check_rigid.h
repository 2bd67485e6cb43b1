// Poses that come from outside.
#pragma once

#include <string>

#include "taxel/math/pose.h"

namespace taxel {

/// @throws Error that opens with `what` where X is not finite or not a rotation and a translation, to 1e-6: a
/// scaled or mirrored matrix would give the forces of another world.
void CheckRigid(const Pose& X, const std::string& what);

}  // namespace taxel
