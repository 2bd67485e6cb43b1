// Contact surfaces and taxels in MuJoCo's own viewers and renderer.
#pragma once

#include <mujoco/mujoco.h>

#include "taxel/mujoco/runtime.h"

namespace taxel::mujoco {

/// Adds the contact surfaces of the last pass to the scene, coloured by pressure from blue (0) to red
/// (show_pressure, or the greatest of the frame), unless an instance says show="false". They lie inside the
/// soft geom: make that translucent (rgba with alpha), or switch the viewer to transparent geoms.
void DrawSurfaces(const mjModel* m, mjData* d, const mjvOption* option, mjvScene* scene, Runtime* runtime);

/// A tile (free layouts: a lens) at every taxel of every tactile sensor, coloured by what it felt at its last
/// reading (before the signal chain), unless the sensor says show_taxels="false".
void DrawTaxels(const mjModel* m, mjData* d, mjvScene* scene, Runtime* runtime);

}  // namespace taxel::mujoco
