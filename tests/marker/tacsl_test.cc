// TacSL's force field (compared with a slow reference in tests/python/marker/test_marker_modes.py):
//   - penalty along the normal, viscous shear below the cone, Coulomb at it, none at rest
//   - the same in a turned world; unit shear
#include "taxel/marker/tacsl.h"

#include <gtest/gtest.h>

#include "marker_scenes.h"
#include "taxel/math/error.h"

namespace taxel {
namespace {

const MarkerDistance kBlock(Primitive{Box{{0.02, 0.02, 0.01}}});
const std::vector<Vec3> kPoints{{0, 0, 0}, {1e-3, 2e-3, 0}, {0.05, 0, 0}};

TEST(TacSl, PressesAndRubs) {
  const TacSl tacsl(kPoints, kBlock, {100, 0.5, 2, false});
  const Pose turned{RotationAbout(normalized({1, 2, 3}), 0.8), {0.3, -0.2, 0.1}};
  for (const Pose& X_WP : {Pose{}, turned}) {
    const Pose X_WI = X_WP * Pose{{}, {0, 0, 4.5e-3}};  // half a millimetre deep
    TacSlReading r;
    tacsl.Read(X_WP, X_WI, {}, {}, &r);
    EXPECT_NEAR(r.depth[0], 5e-4, 1e-15);
    EXPECT_NEAR(r.normal[1], 0.05, 1e-12);
    EXPECT_EQ(r.normal[2], 0);  // beside the block
    EXPECT_NEAR(r.shear[0], 0, 1e-15);
    tacsl.Read(X_WP, X_WI, {}, {X_WP.R * Vec3{0.1, 0, 0.3}, {}}, &r);
    EXPECT_NEAR(r.shear[0], 0.05, 1e-12);  // k_t v, along with the block
    tacsl.Read(X_WP, X_WI, {X_WP.R * Vec3{0, 10, 0}, {}}, {}, &r);
    EXPECT_NEAR(r.shear[1], -0.1, 1e-12);  // mu k_n depth, against the pad
    // Spinning about z: the point at (1, 2) mm moves along (-2, 1).
    tacsl.Read(X_WP, X_WI, {}, {{}, X_WP.R * Vec3{0, 0, 10}}, &r);
    EXPECT_NEAR(r.shear[2], 0.5 * -0.02, 1e-12);
    EXPECT_NEAR(r.shear[3], 0.5 * 0.01, 1e-12);
    EXPECT_NEAR(norm(r.points_W[1] - X_WP * kPoints[1]), 0, 1e-15);
  }
}

TEST(TacSl, UnitShear) {
  const TacSl tacsl(kPoints, kBlock, {100, 0.5, 2, true});
  TacSlReading r;
  const Pose X_WI{{}, {0, 0, 4.5e-3}};
  tacsl.Read({}, X_WI, {}, {{0.03, 0.04, 0}, {}}, &r);
  EXPECT_NEAR(r.shear[0], 0.6, 1e-12);
  EXPECT_NEAR(r.shear[1], 0.8, 1e-12);
  EXPECT_EQ(r.shear[4], 0);
  tacsl.Read({}, X_WI, {}, {}, &r);
  EXPECT_EQ(r.shear[0], 0);
}

TEST(TacSl, SaysWhatIsWrong) {
  EXPECT_THROW(TacSl({}, kBlock, {}), Error);
  EXPECT_THROW(TacSl(kPoints, kBlock, {-1, 0, 0, false}), Error);
  const TacSl tacsl(kPoints, kBlock, {});
  TacSlReading r;
  EXPECT_THROW(tacsl.Read({{}, {NAN, 0, 0}}, {}, {}, {}, &r), Error);
  EXPECT_THROW(tacsl.Read({}, {}, {{NAN, 0, 0}, {}}, {}, &r), Error);
}

}  // namespace
}  // namespace taxel
