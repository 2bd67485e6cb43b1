// An order of points in which neighbours in the list are neighbours in space.
#pragma once

#include <vector>

#include "taxel/math/vec3.h"

namespace taxel::internal {

/// Indices of all points such that each run of `group` (the last may be shorter) is compact: halved along the
/// longest side, again and again, at multiples of `group`. Same points, same order.
std::vector<int> GroupOrder(const std::vector<Vec3>& points, int group);

}  // namespace taxel::internal
