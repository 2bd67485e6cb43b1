// A pose that a marker model can use.
#pragma once

#include "taxel/math/pose.h"

namespace taxel::internal {

/// Throws Error, "<model>: <name> ...", unless X is finite and its rotation is one to 1e-6.
void CheckMarkerPose(const Pose& X, const char* model, const char* name);

/// Whether CheckMarkerPose would let it pass.
bool IsMarkerPose(const Pose& X);

}  // namespace taxel::internal
