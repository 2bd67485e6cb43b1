// Changes of poses. Cases: turns of a pose between two against central differences, for small, middling and
// large turns and at every share; the ends; equal poses; derivatives by entries against those by the twist.
#include "taxel/math/pose_twist.h"

#include <gtest/gtest.h>

#include <cmath>

#include "taxel/math/kernel_pose.h"

namespace taxel::internal {
namespace {

Pose Between(const Pose& from, const Pose& to, double at) {
  const KernelPose<double> X = Interpolate(ToKernelPose(from), ToKernelPose(to), at);
  Pose out;
  for (int i = 0; i < 9; ++i) out.R.m[i] = X.r[i];
  out.p = {X.t[0], X.t[1], X.t[2]};
  return out;
}

// The small turn from one rotation to another.
Vec3 TurnTo(const Mat3& from, const Mat3& to) {
  const Mat3 R = to * Transpose(from);
  return 0.5 * Vec3{R(2, 1) - R(1, 2), R(0, 2) - R(2, 0), R(1, 0) - R(0, 1)};
}

PoseTwist About(int axis, double size) {
  PoseTwist out;
  out.turn[axis] = size;
  return out;
}

TEST(PoseTwist, TurnsOfAPoseBetweenTwo) {
  const Pose from{RotationAbout(normalized({1, -2, 0.5}), 0.7), {1e-3, 2e-3, -1e-3}};
  for (const double angle : {1e-4, 0.02, 0.6, 2.5})
    for (const double at : {0.0, 0.25, 0.8, 1.0}) {
      const Pose to{RotationAbout(normalized({0.3, 1, -0.6}), angle) * from.R, {}};
      const BetweenTurns d = TurnsBetween(from, to, at);
      for (int axis = 0; axis < 3; ++axis) {
        constexpr double kStep = 1e-5;
        const auto slope = [&](bool end) {
          const auto moved = [&](double size) {
            return end ? Between(from, Moved(to, About(axis, size)), at).R
                       : Between(Moved(from, About(axis, size)), to, at).R;
          };
          return (0.5 / kStep) * TurnTo(moved(-kStep), moved(kStep));
        };
        const Vec3 by_from = slope(false), by_to = slope(true);
        for (int r = 0; r < 3; ++r) {
          EXPECT_NEAR(d.from(r, axis), by_from[r], 2e-7) << angle << " " << at;
          EXPECT_NEAR(d.to(r, axis), by_to[r], 2e-7) << angle << " " << at;
        }
      }
    }
}

TEST(PoseTwist, EqualPosesShareTheTurn) {
  const Pose X{RotationAbout({0, 0, 1}, 0.3), {}};
  const BetweenTurns d = TurnsBetween(X, X, 0.3);
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) {
      EXPECT_NEAR(d.from(r, c), r == c ? 0.7 : 0, 1e-12);
      EXPECT_NEAR(d.to(r, c), r == c ? 0.3 : 0, 1e-12);
    }
}

TEST(PoseTwist, EntriesSayWhatTheTwistSays) {
  const Pose X{RotationAbout(normalized({1, 2, 3}), 1.1), {0.1, 0.2, 0.3}};
  const PoseTwist d{{1, -2, 3}, {0.4, 0.5, -0.6}}, way{{0.3, 0.1, 0.2}, {-0.7, 0.2, 0.9}};
  const auto entries = EntriesOfTwist(X, d);
  constexpr double kStep = 1e-6;
  const auto times = [&](double s) { return Moved(X, {s * way.shift, s * way.turn}); };
  const Pose up = times(kStep), low = times(-kStep);
  double sum = 0;
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c)
      sum += entries[static_cast<std::size_t>(4 * r + c)] * (up.R(r, c) - low.R(r, c));
    sum += entries[static_cast<std::size_t>(4 * r + 3)] * (up.p[r] - low.p[r]);
  }
  EXPECT_NEAR(sum / (2 * kStep), dot(d.shift, way.shift) + dot(d.turn, way.turn), 1e-8);
}

}  // namespace
}  // namespace taxel::internal
