// Markers in MuJoCo's viewers.
#pragma once

#include <mujoco/mujoco.h>

#include "taxel/mujoco/marker_runtime.h"

namespace taxel::mujoco {

/// A dark dot where each marker is now, and a bar from its place at rest, both times show_scale.
void DrawMarkers(const mjModel* m, const mjData* d, MarkerRuntime* runtime, int k, const MarkerSensor& sensor,
                 const mjtNum* state, mjvScene* scene);

}  // namespace taxel::mujoco
