#include "taxel/marker/check_pose.h"

#include <string>

#include "taxel/math/check_rigid.h"

namespace taxel::internal {

bool IsMarkerPose(const Pose& X) { return IsRigid(X); }

void CheckMarkerPose(const Pose& X, const char* model, const char* name) {
  if (!IsRigid(X)) CheckRigid(X, std::string(model) + ": " + name);
}

}  // namespace taxel::internal
