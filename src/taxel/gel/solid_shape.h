// A solid that particles can fill.
#pragma once

#include <memory>
#include <string>
#include <variant>

#include "taxel/shape/mesh_distance.h"
#include "taxel/shape/primitives.h"

namespace taxel {

/// A primitive or a closed triangle mesh, in its own frame G, checked once. Immutable and cheap to copy.
///
///     SolidShape(Box{{0.02, 0.02, 0.004}});     // valid
///     SolidShape(mesh, "duck");                 // valid: closed, facing outwards; split vertices are merged
///     SolidShape(HalfSpace{});                  // Error: it has no end
///
/// The inside of a mesh is where its winding number is 1 or more: pieces that overlap are one solid, and an
/// inward-facing piece within an outward-facing one is a cavity.
class SolidShape {
 public:
  /// Throws Error for a half space and for sizes that CheckPrimitive refuses.
  // NOLINTNEXTLINE(google-explicit-constructor): each of the two is a solid, and calls read so
  SolidShape(const Primitive& shape, double largest = 10);
  /// Throws Error for a mesh that is not closed or encloses no positive volume, and for one with a piece that
  /// faces inwards and lies in no other. Closed is a little less than watertight: parts of the surface may
  /// touch along an edge, as long as each edge is used as often in one direction as in the other.
  // NOLINTNEXTLINE(google-explicit-constructor)
  SolidShape(const TriangleMesh& mesh, const std::string& name = "mesh");

  const std::string& name() const { return name_; }
  const Box3& box() const { return box_; }
  /// m3: of a mesh by the divergence theorem; where pieces overlap, less what that counts twice, measured
  /// along 256 x 256 columns.
  double volume() const { return volume_; }
  /// On the surface itself: either.
  bool Inside(const Vec3& p_G) const;

  /// The primitive, or nullptr for a mesh.
  const Primitive* primitive() const { return mesh_ ? nullptr : &primitive_; }
  /// The mesh with merged vertices and its tree, or nullptr for a primitive.
  const MeshDistance* mesh() const { return mesh_.get(); }

 private:
  std::string name_;
  Primitive primitive_;
  std::shared_ptr<const MeshDistance> mesh_;
  Box3 box_;
  double volume_ = 0;
};

/// m3; infinite for a half space.
double Volume(const Primitive& shape);
/// m2, of an ellipsoid to about 1e-6; infinite for a half space.
double SurfaceArea(const Primitive& shape);

}  // namespace taxel
