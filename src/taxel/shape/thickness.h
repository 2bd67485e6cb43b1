// How thick a body is: inscribed balls.
#pragma once

#include <vector>

#include "taxel/shape/mesh_distance.h"

namespace taxel::internal {

struct Thickness {
  double greatest =
      0;  ///< radius of the largest inscribed ball met (metres); a lower bound, close for most bodies
  /// Radius of the inscribed balls in thin parts: a tenth of the surface has a wall thinner than twice this
  /// behind it. Equals `greatest` when few balls touch two opposite walls.
  double thin = 0;
};

/// Puts balls inside that touch the surface at points spread evenly over it and somewhere else (Ma, Bae and
/// Choi 2012, the shrinking ball), and lets the largest float to where it can grow no further. Balls between
/// walls that meet at an edge are small however thick the body is, so only balls whose two touching points
/// face apart by more than 143 degrees count for `thin`.
/// @param samples number of points, >= 1
Thickness MeasureThickness(const MeshDistance& surface, int samples = 200);

/// An inscribed ball.
struct Ball {
  Vec3 center;
  double radius = 0;
};

/// Climbs from `start` to a local maximum of the distance to the surface, which is the centre of a ball that
/// can grow no further; exact to about 5e-4 of the radius. `start` must lie inside; `step` is the first
/// stride.
Ball GrowInscribedBall(const MeshDistance& surface, const Vec3& start, double step);

}  // namespace taxel::internal
