// Poses from outside: rotations pass, to 1e-6; what is scaled, mirrored, skew or not finite is named.
#include "taxel/math/check_rigid.h"

#include <gtest/gtest.h>

#include <limits>

#include "taxel/math/error.h"

namespace taxel {
using namespace internal;
namespace {

std::string Message(const Pose& X) {
  try {
    CheckRigid(X, "the pose of 'pad'");
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

TEST(CheckRigid, TellsWhatIsWrong) {
  const Pose X{RotationAbout({0.2, -0.5, 0.8}, 1.1), {0.3, -2, 1e3}};
  EXPECT_EQ(Message(X), "");
  Pose nearly = X;
  nearly.R(0, 0) += 2e-7;
  EXPECT_EQ(Message(nearly), "");
  for (int k = 0; k < 4; ++k) {
    Pose wrong = X;
    for (int r = 0; r < 3; ++r) {
      if (k == 0) wrong.R(r, 1) *= 4;
      if (k == 1) wrong.R(r, 2) *= -1;
      if (k == 2) wrong.R(r, 0) += 1e-4 * wrong.R(r, 1);
    }
    if (k == 3) wrong.R = {};
    if (k == 3) wrong.R(0, 0) = 0;
    EXPECT_EQ(Message(wrong).find("the pose of 'pad' is not a rotation (off by "), 0u) << k << Message(wrong);
  }
  Pose lost = X;
  lost.p.z = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(Message(lost).find("the pose of 'pad' is not finite"), 0u);
}

}  // namespace
}  // namespace taxel
