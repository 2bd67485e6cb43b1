// A geom of a model as a body that can touch.
#pragma once

#include <mujoco/mujoco.h>

#include <cstdint>
#include <string>

#include "taxel/contact/body.h"
#include "taxel/shape/height_field.h"

namespace taxel::mujoco {

/// The body of a geom, in the geom's frame. Meshes are taken as they are, not as the convex hull that MuJoCo
/// collides.
/// What is mended in a mesh is told by a warning of MuJoCo's. A height field gets a half space, which stands
/// in for it where nothing but its frame counts.
/// @throws Error for soft height fields, SDF geoms, and whatever the body's constructor refuses.
Body MakeGeomBody(const mjModel* m, int geom, const BodyOptions& options);

/// The options of a geom's body in the geom's frame. MuJoCo turned meshes into their axes of inertia; the
/// user speaks of the frame of the file.
BodyOptions InGeomFrame(const mjModel* m, int geom, const BodyOptions& options);

/// The shape of a geom as a rigid body, for whatever asks no more of it, without warnings.
Body MakeRigidShape(const mjModel* m, int geom, const std::string& name);

/// The height field of a geom, as it is in the model now.
HeightField HeightFieldOf(const mjModel* m, int geom);

/// The triangles where the body can be touched: for a backed layer only the exposed skin. Empty for a half
/// space.
TriangleMesh TouchableSurface(const Body& body);

/// A number that changes when type, size or mesh of the geom do.
std::uint64_t ShapeSignature(const mjModel* m, int geom);

}  // namespace taxel::mujoco
