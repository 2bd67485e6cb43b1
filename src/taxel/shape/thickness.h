// How thick a body is: inscribed balls.
#pragma once

#include <vector>

#include "taxel/shape/mesh_distance.h"

namespace taxel {

struct Thickness {
  double greatest = 0;  ///< radius of the largest inscribed ball met (metres); a lower bound, close for most bodies
  /// Radius of the inscribed balls in thin parts: a tenth of the surface has a wall thinner than twice this behind it.
  /// Equals `greatest` when few balls touch two opposite walls.
  double thin = 0;
};

/// Grows a ball inwards from points spread evenly over the surface until it touches the surface elsewhere (Ma, Bae and
/// Choi 2012, the shrinking ball). Balls between walls that meet at an edge are small however thick the body is, so only
/// balls whose two touching points face apart by more than 143 degrees count for `thin`.
/// @param samples number of points, >= 1
Thickness MeasureThickness(const MeshDistance& surface, int samples = 400);

/// Climbs from `start` to a local maximum of the distance to the surface, which is the centre of a ball that can grow no
/// further; exact to 2e-4 of the radius, or 1e-3 where the maximum lies in a narrow corner of the medial axis. `start`
/// must lie inside; `step` is the first stride.
struct Ball {
  Vec3 center;
  double radius = 0;
};
Ball GrowInscribedBall(const MeshDistance& surface, const Vec3& start, double step);

}  // namespace taxel
