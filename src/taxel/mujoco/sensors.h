// Plugin sensors: the wrench of a geom, or of a pair of geoms; tactile sensors are in skin_sensor.h.
//
//   <sensor><plugin name="grip" plugin="taxel" instance="skin" objtype="geom" objname="pad"/></sensor>
//   <sensor><plugin ... objtype="geom" objname="pad" reftype="geom" refname="ball"/></sensor>
//
// Six numbers: force (N) and torque (N m) on the named geom from its soft contacts (with the second geom
// only, where one is given), about the geom's origin, in the geom's frame.
#pragma once

#include <mujoco/mujoco.h>

#include "taxel/mujoco/runtime.h"

namespace taxel::mujoco {

/// @throws Error for a sensor on something that is not a geom.
void CheckSensors(const mjModel* m, int instance);
int NumSensorData(const mjModel* m, int instance, int sensor);
void WriteSensors(const mjModel* m, mjData* d, int instance, Runtime* runtime);

/// Native sensors of contact force ran before the helper contacts were neutralised; runs those again that can
/// have counted one, and plugin sensors of others that come before `instance`.
void RefreshNativeSensors(const mjModel* m, mjData* d, int instance, Runtime* runtime);

/// Wrench on geom `geom` about the world origin; other = -1: from all geoms.
Wrench WrenchOnGeom(const std::vector<Touch*>& touches, int geom, int other);

}  // namespace taxel::mujoco
