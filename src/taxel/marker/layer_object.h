// An object as kernels meet it along lines: plain data for host and device.
#pragma once

#include "taxel/marker/line_span.h"
#include "taxel/shape/marker_distance.h"

namespace taxel::internal {

enum class LayerObjectKind : int { kSphere, kBox, kCylinder, kCapsule, kEllipsoid, kHalfSpace, kTrilinear };

/// sizes: sphere: radius; box: edges; cylinder, capsule: radius, length; ellipsoid: half axes.
struct LayerObject {
  LayerObjectKind kind = LayerObjectKind::kSphere;
  Vec3 sizes;
  DistanceLattice<double> lattice;  ///< kTrilinear
  bool endless = false;             ///< without a box
  Box3 box;
};

/// As ObjectHeight::Along, in the object's frame.
TAXEL_HD inline double HeightAlong(const LayerObject& object, const Vec3& origin, const Vec3& direction,
                                   double low) {
  const MeetLine line{origin, direction};
  const Vec3& s = object.sizes;
  switch (object.kind) {
    case LayerObjectKind::kSphere:
      return FirstInside(line(Sphere{s.x}), low);
    case LayerObjectKind::kBox:
      return FirstInside(line(Box{s}), low);
    case LayerObjectKind::kCylinder:
      return FirstInside(line(Cylinder{s.x, s.y}), low);
    case LayerObjectKind::kCapsule:
      return FirstInside(line(Capsule{s.x, s.y}), low);
    case LayerObjectKind::kEllipsoid:
      return FirstInside(line(Ellipsoid{s}), low);
    case LayerObjectKind::kHalfSpace:
      return FirstInside(line(HalfSpace{}), low);
    case LayerObjectKind::kTrilinear:
      return MarchLine(origin, direction, low, MarchEnd(object.box, origin),
                       [&](const Vec3& p) { return TrilinearDistance(object.lattice, p.x, p.y, p.z); });
  }
  return kNoSpan;
}

/// A lattice of the result lies in `distance`. Throws Error, opening with `name`, for a mesh, whose rays no
/// kernel casts, and for a nearest-voxel distance.
LayerObject ToLayerObject(const MarkerDistance& distance, const std::string& name);

}  // namespace taxel::internal
