// Layouts of points on the geoms of a model: taxels, and bristles.
#pragma once

#include <mujoco/mujoco.h>

#include "taxel/contact/body.h"
#include "taxel/skin/layout.h"

namespace taxel::mujoco {

/// Frame in which a geom was drawn: the geom's own; of a mesh, that of its file. X_G.
Pose DrawnFrame(const mjModel* m, int geom);

struct GeomLayout {
  Pose X_GS;      ///< frame in which the geom was drawn, in the geom's
  Layout drawn;   ///< in the frame in which the geom was drawn
  Layout layout;  ///< the same in the geom's frame
};
/// The layout that a description asks for, on a geom whose body is `body`. @throws Error
GeomLayout MakeGeomLayout(const mjModel* m, const Description& description, int geom, const Body& body);

/// How many points it will have; known from the description and the names of sites alone. @throws Error
int CountTaxels(const mjModel* m, const Description& description);

/// Naming sites is asking for the layout of sites.
Description::Entries WithSites(Description::Entries entries);

}  // namespace taxel::mujoco
