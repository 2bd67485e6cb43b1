// How long the columns of a skin that goes round a body can be.
#pragma once

#include <functional>

#include "taxel/contact/columns.h"

namespace taxel::internal {

/// Ends every column in the body's middle, so that those of two sides never cross and each place of the body
/// belongs to one of them. A column has room for the radius of the greatest ball that touches the skin in its
/// cell from within,
///     r = max { r : distance(p - r d) >= r },
/// or until the bend of the skin closes it, and takes kRoomShare of that. Its modulus is its length over
/// `thickness`: the pressure rises everywhere as it does in a distance field, by the body's modulus over the
/// thickness. Before ColumnSkin::Finish.
/// @param distance of a point from the skin, m.  @param thickness m; 0: the greatest distance of an end from
/// the skin, which is the inscribed radius.
void EndAtMiddle(const std::function<double(const Vec3&)>& distance, double thickness, ColumnSkin* skin);

/// Left between columns that end in one place: their law ends short of it, and the balls are found on facets.
inline constexpr double kRoomShare = 0.95;

}  // namespace taxel::internal
