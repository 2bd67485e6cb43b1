// How far along a line an object's surface is: the object as a gel meets it.
#pragma once

#include <limits>

#include "taxel/math/pose.h"
#include "taxel/shape/marker_distance.h"

namespace taxel {

/// The object of a MarkerDistance, met along lines. Immutable, cheap to copy.
class ObjectHeight {
 public:
  /// Primitives are met in closed form, meshes by rays, trilinear distances by marching. Throws Error, naming
  /// `name`, for a nearest-voxel distance, which has steps.
  ObjectHeight(const MarkerDistance& distance, const std::string& name);

  /// Least s >= low with origin + s direction inside the object, in the object's frame; infinity where the
  /// line misses it. direction: unit.
  double Along(const Vec3& origin, const Vec3& direction, double low) const;

  /// Outward normal at a place of the surface that Along has found, in the object's frame. On an edge that of
  /// one side.
  Vec3 Normal(const Vec3& place) const;

  /// Box around the object in its own frame; infinite for a half space.
  const Box3& box() const { return distance_.inside_box(); }
  const MarkerDistance& distance() const { return distance_; }

 private:
  double March(const Vec3& origin, const Vec3& direction, double low) const;
  double CastMesh(const Vec3& origin, const Vec3& direction, double low) const;

  MarkerDistance distance_;
};

}  // namespace taxel
