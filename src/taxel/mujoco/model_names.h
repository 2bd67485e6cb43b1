// How messages call the elements of a model.
#pragma once

#include <mujoco/mujoco.h>

#include <string>

namespace taxel::mujoco {

/// "pad" or "geom 3".
std::string PlainName(const mjModel* m, int geom);
/// "geom 'pad'" or "geom 3".
std::string GeomName(const mjModel* m, int geom);
/// "touch" or "3".
std::string SensorName(const mjModel* m, int sensor);

}  // namespace taxel::mujoco
