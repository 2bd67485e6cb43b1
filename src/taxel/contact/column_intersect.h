// Equal pressure in a column of a curved body, cut through its sides.
#pragma once

#include "taxel/contact/intersect.h"

namespace taxel::internal {

/// The common case of EqualPressure for two curved bodies: the plane of equal pressure crosses all edges of
/// the first's column between surface and end, so that its cut is known at once and only the second's planes
/// remain to clip by. Linear laws on both sides; everything in the frame K. Returns false, having added
/// nothing, when the case is another one: call EqualPressure then.
/// @param column the cell that `first` was made from
bool EqualPressureInColumn(const Pose& X_WK, const Cell& column, const SoftPiece& first,
                           const SoftPiece& second, FaceSink* sink);

}  // namespace taxel::internal
