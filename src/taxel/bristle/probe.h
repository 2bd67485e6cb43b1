// All probes of a pad against one body.
#pragma once

#include <vector>

#include "taxel/bristle/bristle_points.h"
#include "taxel/bristle/probe_target.h"
#include "taxel/math/pose.h"

namespace taxel {

/// One bristle that is pressed, in the world frame.
struct ProbeHit {
  int point;  ///< of the pad
  Vec3 p_W;   ///< where the probe meets the body; its base where it is saturated
  Vec3 n_W;   ///< outward normal of the body there, hence into the pad: the force on the pad acts along it
  double penetration;  ///< of the point into the body along n_W, m: at most the probe's length
  double cosine;       ///< between probe and normal: the way from p_W to the tip is penetration / cosine
  /// The whole probe is inside the body; n_W is then against its direction. (A body that holds the base alone
  /// lies behind the pad and is not met.)
  bool saturated;
};

/// Fills `hits` (cleared first, by rising point). The penetration is that of Eq. 4, s . n: the way from the
/// meeting point to the tip, projected on the normal of the body. Probes that graze (cosine below 0.01) are
/// left out. Allocates nothing once `hits` has its size.
void Probe(const BristlePoints& pad, const Pose& X_WP, const ProbeTarget& body, const Pose& X_WT,
           std::vector<ProbeHit>* hits);
/// The same, every probe against every triangle.
void ProbeByBruteForce(const BristlePoints& pad, const Pose& X_WP, const ProbeTarget& body, const Pose& X_WT,
                       std::vector<ProbeHit>* hits);

}  // namespace taxel
