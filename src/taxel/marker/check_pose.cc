#include "taxel/marker/check_pose.h"

#include <string>

#include "taxel/math/error.h"

namespace taxel {

bool IsMarkerPose(const Pose& X) { return is_finite(X) && RotationDefect(X.R) <= 1e-6; }

void CheckMarkerPose(const Pose& X, const char* model, const char* name) {
  if (!is_finite(X))
    throw Error(std::string(model) + ": " + name +
                " is not finite; look for where the pose comes from (a simulation that blew up?)");
  const double defect = RotationDefect(X.R);
  if (!(defect <= 1e-6))
    throw Error(std::string(model) + ": " + name + " is not a rotation (off by " + ToText(defect) +
                "); give an orthonormal right-handed matrix, to 1e-6");
}

}  // namespace taxel
