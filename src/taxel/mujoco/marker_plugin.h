// The MuJoCo plugin "taxel.markers": marker sensors, which need nothing of soft contact.
#pragma once

#include <mujoco/mujoco.h>

#include "taxel/mujoco/marker_runtime.h"

namespace taxel::mujoco {

/// Called by Register.
void RegisterMarkers();

/// The runtime of instance i for this data, made where it is missing (a pickled mjData); null with a MuJoCo
/// warning when the model is wrong.
MarkerRuntime* FindMarkerRuntime(const mjModel* m, mjData* d, int instance);

}  // namespace taxel::mujoco
