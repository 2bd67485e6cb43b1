// Which taxel a point of a skin belongs to.
#pragma once

#include "taxel/skin/layout_data.h"

namespace taxel::internal {

/// The taxel whose cell holds the point p, where the skin's outward normal is n (both in the skin's frame):
/// in a flat grid by rows and columns, else the nearest that looks the same way, unless the place beyond the
/// rim of a grid is nearer. -1: none.
/// @param limit  a cell ends this far from its taxel along its axes, m; 0: where the next one begins
int TaxelAt(const Layout& layout, const Vec3& p, const Vec3& n, double limit);

}  // namespace taxel::internal
