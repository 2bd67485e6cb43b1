// Which geoms may touch, by the rules of MuJoCo.
#pragma once

#include <mujoco/mujoco.h>

namespace taxel::mujoco {

/// Number of the explicit <pair> of two geoms, in any order; -1: none.
int ExplicitPair(const mjModel* m, int g1, int g2);

/// MuJoCo's rule whether two geoms may collide: bit masks, same or welded body, parent and child, <exclude>;
/// an explicit <pair> always may.
bool MayCollide(const mjModel* m, int g1, int g2);

/// MuJoCo's contact dimension of a pair: that of an explicit <pair>, else that of the geom with the higher
/// priority, else the greater. 1 is frictionless.
int PairCondim(const mjModel* m, int g1, int g2);

}  // namespace taxel::mujoco
