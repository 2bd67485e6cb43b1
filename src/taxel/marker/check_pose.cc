#include "taxel/marker/check_pose.h"

#include <string>

#include "taxel/math/check_rigid.h"

namespace taxel {

bool IsMarkerPose(const Pose& X) { return is_finite(X) && RotationDefect(X.R) <= 1e-6; }

void CheckMarkerPose(const Pose& X, const char* model, const char* name) {
  CheckRigid(X, std::string(model) + ": " + name);
}

}  // namespace taxel
