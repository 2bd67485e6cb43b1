// What a column meets of a convex shape: where the shape begins above the bone, to first order over the cell.
#pragma once

#include "taxel/math/dual_vec3.h"
#include "taxel/shape/primitives.h"

namespace taxel::internal {

/// Faces that a column meets at a smaller cosine are walls: they bound the contact and carry none of it.
inline constexpr double kWall = 0.1;

// All of this is written over its scalar T: double, or a Dual where derivatives are wanted.

/// c + a s + b t over a cell.
template <typename T>
struct AffineOf {
  T c, a, b;
  T operator()(const T& s, const T& t) const { return c + a * s + b * t; }
};

/// A column seen from the frame of what it meets.
template <typename T>
struct ColumnViewOf {
  typename SpaceOf<T>::Vector o, d, u, v;  ///< as Column has them
  double mean_ss, mean_tt;                 ///< as Column has them
  double radius;
  double rise;  ///< of the skin above its tangent plane within the cell, at most, m
};

/// The shape over the cell, as an intersection: it begins at the least of the depths `front` below the skin's
/// tangent plane, is there where every `side` is positive and where that depth is more than every `back`.
template <typename T>
struct ColumnMeetingOf {
  static constexpr int kMaxFronts = 3, kMaxBacks = 3, kMaxSides = 7;
  int fronts = 0, backs = 0, sides = 0;
  AffineOf<T> front[kMaxFronts], back[kMaxBacks], side[kMaxSides];
  double bend = 0;  ///< the shift for curvature, m: how far a tangent plane is from the face over the cell
};

using Affine = AffineOf<double>;
using ColumnView = ColumnViewOf<double>;
using ColumnMeeting = ColumnMeetingOf<double>;

/// Curved faces by their tangent plane where the column's axis meets them, shifted by the mean of their
/// curvature over the cell; flat ones exactly. False: the shape is nowhere near the cell. Made for double and
/// ContactDual.
template <typename T>
bool MeetColumn(const Primitive& shape, const ColumnViewOf<T>& column, ColumnMeetingOf<T>* out);

/// A triangle with the outward unit normal n: false where it looks away from the bone or along the column.
template <typename T>
bool MeetTriangle(const Vec3 corners[3], const Vec3& n, const ColumnViewOf<T>& column,
                  ColumnMeetingOf<T>* out);

}  // namespace taxel::internal
