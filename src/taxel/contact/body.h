// A body that can touch: shape, stiffness and everything a query needs, prepared once.
#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "taxel/contact/body_options.h"
#include "taxel/math/pose.h"
#include "taxel/shape/primitives.h"
#include "taxel/shape/tet_mesh.h"
#include "taxel/shape/triangle_mesh.h"

namespace taxel {

namespace internal {
struct BodyData;  // contact/body_data.h: what a query reads
}  // namespace internal

/// Immutable and cheap to copy; may be shared between threads. Every constructor throws Error for wrong
/// input.
class Body {
 public:
  /// A sphere, box, cylinder, capsule, ellipsoid or half space, soft or rigid.
  Body(const Primitive& shape, const BodyOptions& options);
  /// A triangle mesh. Rigid: open meshes are allowed, only triangles touch; closed parts that face inwards
  /// are turned, and triangles that are listed twice dropped, with a warning (MendSurface). Soft: must be
  /// watertight and face outwards; meshed into tetrahedra here.
  Body(const TriangleMesh& mesh, const BodyOptions& options);
  /// Tetrahedra as given; soft: the field is linear on them, vertex values by the exact distance to their
  /// boundary surface, the greatest of them being the modulus. Rigid: the boundary surface touches.
  Body(const TetMesh& mesh, const BodyOptions& options);

  bool soft() const;
  const BodyOptions& options() const;
  const std::string& name() const;
  /// What was mended in the input, a sentence each; the caller passes them on.
  const std::vector<std::string>& warnings() const;
  /// The primitive, or nullptr for a mesh.
  const Primitive* primitive() const;
  /// The tetrahedra that carry the field, or nullptr where the field is analytic; and the pressure at their
  /// vertices.
  const TetMesh* tets() const;
  const std::vector<double>* vertex_pressures() const;
  /// The surface for pictures: the given triangles, the boundary of the tetrahedra, or a fine tessellation.
  /// For a half space a square of side `half_space_size`.
  TriangleMesh Surface(double half_space_size = 0.2) const;
  /// Pressure at a point of the body's frame, 0 outside and for rigid bodies. @throws Error unless finite.
  double PressureAt(const Vec3& p_B) const;

  const internal::BodyData& data() const { return *data_; }

 private:
  std::shared_ptr<const internal::BodyData> data_;
};

}  // namespace taxel
