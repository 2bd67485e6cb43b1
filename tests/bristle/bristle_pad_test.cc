// A pad without an engine:
//   - flat press: k d on every bristle under the body, none elsewhere; the wrench on the body is their sum
//   - damping: pressing in adds c_n v, pulling out takes it off and never pulls
//   - the memory: pushed sideways it holds by sigma0 x, and lets go of it when the body leaves, is another,
//   or on Reset
//   - beyond its length a bristle is saturated
//   - points and options of different depths do not go together
#include "taxel/bristle/bristle_pad.h"

#include <gtest/gtest.h>

#include "../shape/expect_error.h"
#include "taxel/skin/layout.h"

namespace taxel {
namespace {

BristleOptions Foam() {
  return ReadBristles(Description("pad", {{"stiffness", "200"},
                                          {"damping", "0.5"},
                                          {"depth", "0.008"},
                                          {"friction", "0.6 0.4"},
                                          {"sigma0", "150"},
                                          {"sigma1", "0"}}));
}

BristlePad Pad() {
  const Body box(Box{{0.03, 0.02, 0.006}}, {});
  return BristlePad(BristlePoints(MakeLayout(Description("pad", {{"shape", "4 5"}}), box), 0.008), Foam());
}

// Tilted in space, so that no axis is special.
const Pose X_WP{RotationAbout(normalized({0.2, 0.7, -0.4}), 0.8), {0.1, -0.2, 0.3}};

// A block of 12 x 40 mm over the columns 0, 1 and 2 (x from -18 to 3 mm), `depth` deep.
Pose Over(double depth) { return X_WP * Pose{{}, {-0.0075, 0, 0.003 + 0.01 - depth}}; }
const ProbeTarget& Block() {
  static const ProbeTarget block(Body(Box{{0.021, 0.04, 0.02}}, {}));
  return block;
}

TEST(BristlePad, FlatPress) {
  BristlePad pad = Pad();
  PadReading r;
  pad.Press(Block(), X_WP, Over(0.002), {}, 1e-3, &r);
  double sum = 0;
  for (int i = 0; i < 20; ++i) {
    EXPECT_NEAR(r.normal[i], i % 5 < 3 ? 0.4 : 0, 1e-12) << i;
    EXPECT_EQ(r.saturated[i], 0);
    sum += r.normal[i];
  }
  const Vec3 up = X_WP.R.col(2);
  EXPECT_LT(norm(r.on_body.force - sum * up), 1e-12);
  // The pressed columns have their middle at x = -6 mm.
  const Vec3 torque = r.on_body.torque - cross(X_WP * Vec3{-0.006, 0, 0.001}, r.on_body.force);
  EXPECT_LT(norm(torque), 1e-12);
}

TEST(BristlePad, Damping) {
  BristlePad pad = Pad();
  PadReading in, out;
  const Vec3 up = X_WP.R.col(2);
  pad.Press(Block(), X_WP, Over(0.002), {-0.1 * up, {}, {}}, 1e-3, &in);
  EXPECT_NEAR(in.normal[0], 0.4 + 0.05, 1e-12);
  pad.Press(Block(), X_WP, Over(0.002), {5 * up, {}, {}}, 1e-3, &out);
  EXPECT_EQ(out.normal[0], 0);
}

TEST(BristlePad, RemembersUntilItIsLeft) {
  const ProbeTarget other(Body(Box{{0.021, 0.04, 0.02}}, {}));
  const Vec3 side = X_WP.R * Vec3{0.6, 0.8, 0};
  for (const int case_ : {0, 1, 2, 3}) {
    BristlePad pad = Pad();
    PadReading r;
    // 0.2 mm to the side in ten steps: 30 mN of the 240 mN that would make it slide; LuGre yields by a few
    // percent.
    for (int i = 0; i < 10; ++i) pad.Press(Block(), X_WP, Over(0.002), {0.02 * side, {}, {}}, 1e-3, &r);
    EXPECT_NEAR(r.deflection[0], 2e-4, 0.15 * 2e-4);
    pad.Press(Block(), X_WP, Over(0.002), {}, 1e-3, &r);
    const Vec3 held = r.friction_P[0];
    EXPECT_NEAR(norm(held), 150 * r.deflection[0], 1e-12);
    EXPECT_GT(dot(held, Vec3{0.6, 0.8, 0}), 0.999 * norm(held));  // dragged along with the body
    if (case_ == 1) pad.Reset();
    if (case_ == 2) pad.Press(Block(), X_WP, Over(-0.01), {}, 1e-3, &r);
    pad.Press(case_ == 3 ? other : Block(), X_WP, Over(0.002), {}, 1e-3, &r, case_ == 3 ? 2 : 1);
    EXPECT_NEAR(norm(r.friction_P[0]), case_ == 0 ? norm(held) : 0, 1e-12) << case_;
    EXPECT_NEAR(r.normal[0], 0.4, 1e-12);
  }
}

TEST(BristlePad, SaturatesBeyondItsLength) {
  BristlePad pad = Pad();
  PadReading r;
  pad.Press(Block(), X_WP, Over(0.009), {}, 1e-3, &r);
  EXPECT_EQ(r.saturated[0], 1);
  EXPECT_EQ(r.saturated[4], 0);
  EXPECT_NEAR(r.normal[0], 200 * 0.008, 1e-12);
}

TEST(BristlePad, WrongInput) {
  const Body box(Box{{0.03, 0.02, 0.006}}, {});
  const Layout grid = MakeLayout(Description("pad", {{"shape", "4 5"}}), box);
  ExpectError([&] { BristlePad(BristlePoints(grid, 0.009), Foam()); },
              {"make the points with the same depth"});
  BristleOptions wrong = Foam();
  wrong.friction.dynamic_friction = 0.7;
  ExpectError([&] { BristlePad(BristlePoints(grid, 0.008), wrong); },
              {"dynamic friction 0.7 is above static friction 0.6"});
}

}  // namespace
}  // namespace taxel
