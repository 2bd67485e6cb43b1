// Small changes of poses, and what they do to a pose between two others.
#pragma once

#include <array>

#include "taxel/math/pose.h"

namespace taxel::internal {

/// A small change of X_AB: B's origin moves by `shift`, B turns by `turn` (rad) about its origin; both along
/// A's axes. Also the derivatives of a number with respect to these six.
struct PoseTwist {
  Vec3 shift, turn;
};

/// X after the change: exp(turn) R, p + shift.
Pose Moved(const Pose& X, const PoseTwist& change);

/// Turn of a pose between two (Interpolate of kernel_pose.h) per turn of either; shifts are 1 - at and at.
///     turn = from turn_from + to turn_to
/// With phi the rotation vector from the one to the other and J the left Jacobian of SO(3):
///     to = at J(at phi) J(phi)^-1        from = exp(at phi) - at J(at phi) J(-phi)^-1
/// @pre less than half a turn between them
struct BetweenTurns {
  Mat3 from, to;
};
BetweenTurns TurnsBetween(const Pose& from, const Pose& to, double at);

/// Derivatives with respect to the entries of a pose, row-major 3 x 4 (rotation | translation), from those
/// with respect to its twist. Of all 3 x 3 derivatives that say the same along rotations it is the least:
/// half of [turn]x R.
std::array<double, 12> EntriesOfTwist(const Pose& X, const PoseTwist& derivative);

}  // namespace taxel::internal
