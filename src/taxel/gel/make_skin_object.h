// Rigid objects as the points of a gel's skin see them.
#pragma once

#include <string>

#include "taxel/gel/skin_meet.h"
#include "taxel/shape/marker_distance.h"

namespace taxel::internal {

/// Of an object with its shape; friction and poses are left. A lattice of the shape lies in `distance`.
/// Throws Error, opening with `what`, for a shape without a kernel.
SkinObject ToSkinObject(const MarkerDistance& distance, const std::string& what, double cell);
/// The plane that the hand carries; its poses are left.
SkinObject FloorObject(double cell);

}  // namespace taxel::internal
