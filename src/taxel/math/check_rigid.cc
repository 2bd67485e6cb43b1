#include "taxel/math/check_rigid.h"

#include "taxel/math/error.h"

namespace taxel {

void CheckRigid(const Pose& X, const std::string& what) {
  if (!is_finite(X))
    throw Error(what + " is not finite; look for where the pose comes from (a simulation that blew up?)");
  const double defect = RotationDefect(X.R);
  if (!(defect <= 1e-6))
    throw Error(what + " is not a rotation (off by " + ToText(defect) +
                "); give an orthonormal right-handed matrix, to 1e-6");
}

}  // namespace taxel
