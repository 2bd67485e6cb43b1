// Contact surfaces in MuJoCo's own viewers and renderer.
#pragma once

#include <mujoco/mujoco.h>

#include "taxel/mujoco/runtime.h"

namespace taxel::mujoco {

/// Adds the faces of all contact surfaces to the scene, coloured by pressure from blue to red; drawn when
/// contact points are (mjVIS_CONTACTPOINT), or always with show="true" in the instance... see docs/mujoco.md.
void DrawSurfaces(const mjModel* m, mjData* d, const mjvOption* option, mjvScene* scene, Runtime* runtime);

}  // namespace taxel::mujoco
