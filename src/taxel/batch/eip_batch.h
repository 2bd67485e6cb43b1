// Many presses of "Elastic Interaction of Particles" on threads, one a thread.
#pragma once

#include <vector>

#include "taxel/gel/eip_press.h"

namespace taxel {

/// Press k: object which[k] at X_DO[k]. options.threads is how many run at once (0: all); the results do not
/// depend on it. Throws Error for lists of different lengths and an object that does not exist, and the first
/// failure, naming the press.
std::vector<EipResult> RunEipPresses(const EipOptions& options, const std::vector<MarkerDistance>& objects,
                                     const std::vector<int>& which, const std::vector<Pose>& X_DO);

}  // namespace taxel
