// When two models are the same for taxel.
#pragma once

#include <mujoco/mujoco.h>

#include <string>

namespace taxel::mujoco {

/// All that scenes are made from, as bytes: equal bytes, equal scenes.
std::string ModelFingerprint(const mjModel* m);

}  // namespace taxel::mujoco
