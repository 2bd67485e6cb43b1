// The point of an ellipsoid nearest to a given point.
#pragma once

#include "taxel/shape/primitives.h"

namespace taxel::internal {

struct EllipsoidClosest {
  double distance = 0;  ///< signed, negative inside
  Vec3 point;           ///< on the surface
  Vec3 normal;          ///< unit, outward, at `point`; the gradient of the signed distance
};

/// Nearest surface point of the ellipsoid sum (x_i / e_i)^2 = 1, by Eberly's secular equation ("Distance from
/// a point to an ellipse, an ellipsoid, or a hyperellipsoid", 2013). At the nearest point y - x is along the
/// normal (x_i / e_i^2). With e_m the least semi-axis, r_i = (e_i / e_m)^2, d_i = r_i - 1 and t the root of
///     G(t) = sum (r_i (y_i / e_i) / (t + d_i))^2 = 1,  t >= 0:      x_i = r_i y_i / (t + d_i).
/// t < 1 inside, t > 1 outside. We solve h(t) = G(t)^(-1/2) = 1: h is a power mean of exponent -2 of linear
/// functions, hence concave and increasing, so Newton's method from the left is monotone and needs no
/// bracket; 3 to 8 steps as a rule. Error of the distance: below 1e-12 of the greatest semi-axis or of the
/// distance, whichever is more.
///
/// Special points: where y_i = 0 on the least axis and G(0) <= 1 (the medial disc, with the centre) two
/// points are equally near and the one on the positive side is returned. Coordinates below 1e-20 e_i count as
/// 0. The semi-axes must be finite and > 0 (CheckPrimitive).
EllipsoidClosest ClosestPointOnEllipsoid(const Ellipsoid& shape, const Vec3& p_G);

}  // namespace taxel::internal
