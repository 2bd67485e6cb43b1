// The MuJoCo plugins "taxel" and "taxel.markers".
#pragma once

namespace taxel::mujoco {

/// Registers the plugins and wraps MuJoCo's table of collision functions; the second call does nothing.
/// Warns, and registers nothing, when the MuJoCo that runs is not the one taxel was built for. Loading the
/// plugin library does this by itself.
void Register();

}  // namespace taxel::mujoco
