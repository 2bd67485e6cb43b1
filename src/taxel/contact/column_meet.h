// What a column meets of a convex shape: where the shape begins above the bone, to first order over the cell.
#pragma once

#include "taxel/shape/primitives.h"

namespace taxel::internal {

/// Faces that a column meets at a smaller cosine are walls: they bound the contact and carry none of it.
inline constexpr double kWall = 0.1;

/// c + a s + b t over a cell.
struct Affine {
  double c, a, b;
  double operator()(double s, double t) const { return c + a * s + b * t; }
};

/// A column seen from the frame of what it meets.
struct ColumnView {
  Vec3 o, d, u, v;          ///< as Column has them
  double mean_ss, mean_tt;  ///< as Column has them
  double radius;
  double rise;  ///< of the skin above its tangent plane within the cell, at most, m
};

/// The shape over the cell, as an intersection: it begins at the least of the depths `front` below the skin's
/// tangent plane, is there where every `side` is positive and where that depth is more than every `back`.
struct ColumnMeeting {
  static constexpr int kMaxFronts = 3, kMaxBacks = 3, kMaxSides = 7;
  int fronts = 0, backs = 0, sides = 0;
  Affine front[kMaxFronts], back[kMaxBacks], side[kMaxSides];
  double bend = 0;  ///< the shift for curvature, m: how far a tangent plane is from the face over the cell
};

/// Curved faces by their tangent plane where the column's axis meets them, shifted by the mean of their
/// curvature over the cell; flat ones exactly. False: the shape is nowhere near the cell.
bool MeetColumn(const Primitive& shape, const ColumnView& column, ColumnMeeting* out);

/// A triangle with the outward unit normal n: false where it looks away from the bone or along the column.
bool MeetTriangle(const Vec3 corners[3], const Vec3& n, const ColumnView& column, ColumnMeeting* out);

}  // namespace taxel::internal
