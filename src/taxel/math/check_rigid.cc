#include "taxel/math/check_rigid.h"

#include "taxel/math/error.h"

namespace taxel::internal {
namespace {

constexpr double kTolerance = 1e-6;

}  // namespace

bool IsRigid(const Pose& X) { return is_finite(X) && RotationDefect(X.R) <= kTolerance; }

void CheckRigid(const Pose& X, std::string_view what) {
  if (IsRigid(X)) return;
  if (!is_finite(X))
    throw Error(std::string(what) +
                " is not finite; look for where the pose comes from (a simulation that blew up?)");
  throw Error(std::string(what) + " is not a rotation (off by " + ToText(RotationDefect(X.R)) +
              "); give an orthonormal right-handed matrix, to 1e-6");
}

}  // namespace taxel::internal
