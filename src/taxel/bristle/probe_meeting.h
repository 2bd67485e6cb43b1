// What a probe finds on its way.
#pragma once

#include "taxel/math/vec3.h"

namespace taxel {

/// What a probe finds on its way from its base (t = 0) to its tip (t = 1).
struct ProbeMeeting {
  enum class Kind {
    kNone,    ///< nothing
    kEnters,  ///< goes into the body at t, where the body's outward unit normal is n
    kInside,  ///< starts inside the body: pressed beyond its length
  };
  Kind kind = Kind::kNone;
  double t = 0;
  Vec3 normal;
};

}  // namespace taxel
