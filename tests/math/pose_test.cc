// Rigid poses. Cases:
//   composition and inverse on tilted poses; the monogram order X_AC = X_AB X_BC
//   rotations about an axis against hand-computed ones; quaternions against axis and angle, unnormalised,
//   both signs defect: zero for rotations; a reflection, a stretch and a shear are told
#include "taxel/math/pose.h"

#include <gtest/gtest.h>

#include "taxel/math/random.h"

namespace taxel {
using namespace internal;
namespace {

Pose AnyPose(int i) {
  auto u = [&](int k) { return 2 * RandomUniform(2, 7 * i + k) - 1; };
  return {RotationAbout({u(0), u(1), u(2)}, 3 * u(3)), {u(4), u(5), u(6)}};
}

TEST(Pose, CompositionAndInverse) {
  for (int i = 0; i < 200; ++i) {
    const Pose X_AB = AnyPose(2 * i), X_BC = AnyPose(2 * i + 1);
    const Vec3 p_C{0.3, -0.2, 0.7};
    EXPECT_LT(norm((X_AB * X_BC) * p_C - X_AB * (X_BC * p_C)), 1e-15);
    EXPECT_LT(norm(Inverse(X_AB) * (X_AB * p_C) - p_C), 2e-15);
    EXPECT_LT(norm((Inverse(X_AB) * X_AB).p), 1e-15);
  }
  EXPECT_EQ(Pose{} * (Vec3{1, 2, 3}), (Vec3{1, 2, 3}));
}

TEST(Pose, QuarterTurns) {
  EXPECT_LT(norm(RotationAbout({0, 0, 2}, M_PI / 2) * Vec3{1, 0, 0} - Vec3{0, 1, 0}), 1e-16);
  EXPECT_LT(norm(RotationAbout({1, 0, 0}, M_PI / 2) * Vec3{0, 1, 0} - Vec3{0, 0, 1}), 1e-16);
  // A third of a turn about the diagonal permutes the axes.
  EXPECT_LT(norm(RotationAbout({1, 1, 1}, 2 * M_PI / 3) * Vec3{1, 2, 3} - Vec3{3, 1, 2}), 2e-15);
}

TEST(Pose, QuaternionsAgreeWithAxisAndAngle) {
  for (int i = 0; i < 200; ++i) {
    const Vec3 k = normalized(
        {RandomUniform(3, 4 * i) - 0.5, RandomUniform(3, 4 * i + 1) - 0.5, RandomUniform(3, 4 * i + 2)});
    const double angle = 6 * RandomUniform(3, 4 * i + 3) - 3, c = std::cos(angle / 2),
                 s = std::sin(angle / 2);
    const Mat3 expected = RotationAbout(k, angle);
    for (double scale : {1.0, -2.5}) {  // any length, and q and -q are one rotation
      const Mat3 R = RotationFromQuaternion(scale * c, scale * s * k.x, scale * s * k.y, scale * s * k.z);
      for (int e = 0; e < 9; ++e) EXPECT_NEAR(R.m[e], expected.m[e], 1e-15);
    }
  }
}

TEST(Pose, DefectTellsWhatIsNoRotation) {
  for (int i = 0; i < 100; ++i) EXPECT_LT(RotationDefect(AnyPose(i).R), 1e-15);
  EXPECT_DOUBLE_EQ(RotationDefect(FromColumns({1, 0, 0}, {0, 1, 0}, {0, 0, -1})), 2);  // reflection
  EXPECT_NEAR(RotationDefect(FromColumns({1.001, 0, 0}, {0, 1, 0}, {0, 0, 1})), 0.002001, 1e-15);
  EXPECT_NEAR(RotationDefect(FromColumns({1, 0, 0}, {0.01, 1, 0}, {0, 0, 1})), 0.01, 1e-15);
}

}  // namespace
}  // namespace taxel
