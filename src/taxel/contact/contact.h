// The question everything rests on: two bodies, two poses; where do they touch, and with what pressure?
#pragma once

#include <memory>

#include "taxel/contact/body.h"
#include "taxel/contact/surface.h"
#include "taxel/shape/height_field.h"

namespace taxel {

enum class Faces {
  kPolygons,   ///< convex polygons: fewest faces
  kTriangles,  ///< each polygon cut into triangles round its centroid: no preferred diagonal
};

struct ContactOptions {
  Faces faces = Faces::kPolygons;
  /// Drop faces whose normal is more than `cull_angle` from the pressure gradient of a soft body: there the
  /// rigid surface faces the wrong way (its far side sticks out of the pad's other face).
  bool cull = true;
  double cull_angle = 1.9634954084936207;  ///< 112.5 degrees
  /// Facet size for curved primitives in this query, m. 0: each body's own `resolution`.
  double resolution = 0;
  /// Automatic refinement of curved shapes: facets across the cap in which they touch, 2 to 200. The force is
  /// then right to about 0.2 % (8 facets), 0.1 % (10), 0.04 % (40); docs/theory/contact.md has the table.
  int facets_across = 10;
};

/// Memory that a query needs besides its result. Keep one per thread and hand it back: nothing is allocated
/// then after warm-up. It carries no history.
class ContactWorkspace {
 public:
  ContactWorkspace();
  ~ContactWorkspace();
  ContactWorkspace(ContactWorkspace&&) noexcept;
  ContactWorkspace& operator=(ContactWorkspace&&) noexcept;
  struct Impl;
  Impl& impl() { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

/// Computes the contact surface of A at X_WA and B at X_WB into *surface (overwritten; empty when they do not
/// touch). Soft against rigid: the part of the rigid surface inside the soft body, with the soft body's
/// pressure. Soft against soft: the points where both pressures are equal. Swapping A and B gives the same
/// faces with opposite normals. Deterministic: same input, same bits.
/// @throws Error when both are rigid, both are half spaces, or a pose is not finite or not a rotation (1e-6).
void ComputeContact(const Body& A, const Pose& X_WA, const Body& B, const Pose& X_WB,
                    const ContactOptions& options, ContactWorkspace* workspace, ContactSurface* surface);

/// A on a height field F, which is rigid: the triangles of F near A, as of a rigid mesh. B of the surface is
/// F. A must be soft and bounded.
void ComputeContact(const Body& A, const Pose& X_WA, const HeightField& F, const Pose& X_WF,
                    const ContactOptions& options, ContactWorkspace* workspace, ContactSurface* surface);

/// The same with fresh memory: convenient, slower.
ContactSurface ComputeContact(const Body& A, const Pose& X_WA, const Body& B, const Pose& X_WB,
                              const ContactOptions& options = {});

}  // namespace taxel
