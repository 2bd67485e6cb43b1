// Grids of taxels wrapped round a curved primitive.
#pragma once

#include "taxel/shape/primitives.h"
#include "taxel/skin/layout_data.h"

namespace taxel {

/// Part of a curved primitive that a wrapped grid covers. Angles in radians.
///   cylinder: around = polar angle about z from +x; along = z in m (side only)
///   capsule:  around as for the cylinder; along = arc length of the meridian from the middle, m, over the
///   caps sphere:   around = longitude; along = latitude, up to +-pi/2 ellipsoid: the same in its parametric
///   angles: (a cos u cos v, b cos u sin v, c sin u)
/// Columns run around, rows along. NaN: the default: all around, from 0, and all along: a sphere, ellipsoid
/// or capsule has no bare spot; a cylinder has its two end faces, where no grid goes.
struct WrapRange {
  double around_from, around_to, along_from, along_to;
  WrapRange();
};

/// Cells are equal steps of the two parameters and points sit at the middle of the steps, so no point is at a
/// pole. On a sphere and the caps of a capsule rows are equal angles: cells shrink towards the poles, and
/// `areas` says by how much (closed form; ellipsoid: quadrature, relative error below 1e-9).
///
/// Normals are those of the true surface and axes point around, towards greater angles. The second axis is
/// the meridian towards +z, except on an ellipsoid with three different axes, where circles of latitude and
/// meridians are not at right angles. `wraps` is set where the grid goes all around (within 1e-9 of a turn).
///
/// @throws Error for a box and a half space (they have flat grids), for a range that is reversed, exceeds a
///         turn or leaves the surface.
Layout WrappedGrid(const Primitive& shape, int rows, int cols, const WrapRange& range = {},
                   int most = kMaxTaxels);

}  // namespace taxel
