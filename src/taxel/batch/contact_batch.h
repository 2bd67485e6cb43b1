// One pair of bodies at many poses, on many threads.
#pragma once

#include <vector>

#include "taxel/contact/contact.h"

namespace taxel {

/// What a batch keeps of each query (the surfaces themselves would fill the memory).
struct ContactSummary {
  Wrench wrench_on_A;  ///< torque about the world origin
  double area = 0, normal_force = 0, max_pressure = 0;
  Vec3 centroid, center_of_pressure;
  int num_faces = 0;
};

/// result[i] = summary of ComputeContact(A, X_WA[i], B, X_WB[i]). Either list may hold one pose only, used
/// for all.
/// @param threads 0: as many as the machine has. The bits of the result do not depend on it.
std::vector<ContactSummary> ContactBatch(const Body& A, const std::vector<Pose>& X_WA, const Body& B,
                                         const std::vector<Pose>& X_WB, const ContactOptions& options = {},
                                         int threads = 0);

}  // namespace taxel
