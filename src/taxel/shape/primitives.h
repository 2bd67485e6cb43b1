// The analytic shapes. Each sits at the origin of its own frame G.
#pragma once

#include <string>
#include <variant>

#include "taxel/math/box3.h"

namespace taxel {

struct Sphere {
  double radius = 0;
};
/// Centred; `size` holds the full edge lengths.
struct Box {
  Vec3 size;
};
/// Centred, axis along z; `length` is the full height.
struct Cylinder {
  double radius = 0, length = 0;
};
/// Centred, axis along z; `length` is that of the straight part, so the whole is length + 2 radius long.
struct Capsule {
  double radius = 0, length = 0;
};
/// Centred, axis-aligned.
struct Ellipsoid {
  Vec3 semi_axes;
};
/// The points with z <= 0: the outward normal is +z.
struct HalfSpace {};

using Primitive = std::variant<Sphere, Box, Cylinder, Capsule, Ellipsoid, HalfSpace>;

/// "sphere", "box", ...
std::string PrimitiveName(const Primitive& shape);
/// Throws Error when a size is not finite or not positive, or so large (> `largest`) or small (< 1e-6 m) that
/// another unit than metres is suspected.
void CheckPrimitive(const Primitive& shape, double largest = 10);
/// Box around the shape; infinite for a half space.
Box3 BoundingBox(const Primitive& shape);

}  // namespace taxel
