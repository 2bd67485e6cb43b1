// FOTS (its numbers are compared with a slow reference in tests/python/marker/test_marker_modes.py):
//   - nothing without contact; memory begins and ends with the contact
//   - twist is (R - 1)(M - G): none at the centre, the clamp at 50 degrees
//   - the chain: a shear moves what the dilation moved
//   - whole pixels cut off what is below one
//   - a gravity shift is a drag that is not remembered
//   - parameters may change in the middle of a contact
#include "taxel/marker/fots.h"

#include <gtest/gtest.h>

#include <numbers>

#include "marker_scenes.h"
#include "taxel/math/error.h"

namespace taxel {
namespace {

using test::Grid;

Fots Make(FotsVariant variant, const Vec3* centre = nullptr) {
  return Fots(Grid(), MarkerDistance(Primitive{Box{{9e-3, 9e-3, 8e-3}}}), FotsDefaults(variant, 0.065e-3),
              centre);
}
Pose At(double x, double y, double z, double yaw = 0) { return {RotationAbout({0, 0, 1}, yaw), {x, y, z}}; }

constexpr FotsVariant kVariants[] = {FotsVariant::kFots, FotsVariant::kContactCentre,
                                     FotsVariant::kHydroShearOriginal, FotsVariant::kHydroShearReimpl};
constexpr double kAbove = 7e-3, kPressed = 5.5e-3;

TEST(Fots, RemembersAsLongAsTheContactLasts) {
  for (const FotsVariant variant : kVariants) {
    Fots fots = Make(variant);
    std::vector<Vec3> pressed, dragged, again;
    fots.Step(At(0, 0, kAbove), &pressed);
    for (const Vec3& v : pressed) ASSERT_EQ(norm(v), 0);
    fots.Step(At(0, 0, kPressed), &pressed);
    fots.Step(At(6e-4, 0, kPressed), &dragged);
    const double moved = dragged[31].x - pressed[31].x;
    EXPECT_GT(moved, 5);  // of 9.2 px
    EXPECT_LT(moved, 9.3);
    fots.Step(At(6e-4, 0, kPressed), &again);
    EXPECT_EQ(again, dragged);
    fots.Step(At(6e-4, 0, kAbove), &again);
    for (const Vec3& v : again) ASSERT_EQ(norm(v), 0);
    // Pressed there anew: no shear from before.
    fots.Step(At(6e-4, 0, kPressed), &again);
    EXPECT_LT(std::fabs(again[31].x), 0.5 * moved);
    fots.Reset();
    EXPECT_EQ(fots.state(), FotsState{});
  }
}

TEST(Fots, TwistTurnsAboutTheCentreUpToItsClamp) {
  const Vec3 centre{};
  // Round, so that a turn presses the same markers.
  Fots fots(Grid(), MarkerDistance(Primitive{Cylinder{5e-3, 8e-3}}),
            FotsDefaults(FotsVariant::kFots, 0.065e-3), &centre);
  std::vector<Vec3> start, turned, more;
  fots.Step(At(0, 0, kPressed), &start);
  const double angle = 50 * std::numbers::pi / 180;
  fots.Step(At(0, 0, kPressed, angle), &turned);
  fots.Step(At(0, 0, kPressed, 1.5 * angle), &more);
  EXPECT_NEAR(norm(turned[31] - start[31]), 0, 1e-12);
  // Marker 32 is one pitch along +x of the centre; where the dilation put it, v from the centre.
  const double v = 1.84375e-3 / 0.065e-3 + start[32].x, g = std::exp(-0.00038 * v * v);
  EXPECT_NEAR(turned[32].y - start[32].y, v * std::sin(angle) * g, 1e-9);
  EXPECT_NEAR(turned[32].x - start[32].x, v * (std::cos(angle) - 1) * g, 1e-9);
  for (std::size_t i = 0; i < more.size(); ++i) ASSERT_NEAR(norm(more[i] - turned[i]), 0, 1e-9);
}

TEST(Fots, WholePixelsCutOffWhatIsBelowOne) {
  FotsParameters p = FotsDefaults(FotsVariant::kFots, 0.065e-3);
  const MarkerDistance box(Primitive{Box{{9e-3, 9e-3, 8e-3}}});
  Fots smooth(Grid(), box, p);
  p.whole_pixels = true;
  p.image_origin_P = {-0.01, -0.01, 0};
  Fots whole(Grid(), box, p);
  std::vector<Vec3> a, b, before_a, before_b;
  smooth.Step(At(0, 0, kPressed), &before_a);
  whole.Step(At(0, 0, kPressed), &before_b);
  const double below_one = 0.9 * 0.065e-3;
  smooth.Step(At(below_one, 0, kPressed), &a);
  whole.Step(At(below_one, 0, kPressed), &b);
  EXPECT_GT(a[31].x - before_a[31].x, 0.5);
  EXPECT_NEAR(b[31].x, before_b[31].x, 1e-9);
}

TEST(Fots, AGravityShiftIsADragThatIsNotRemembered) {
  const Vec3 shift{2e-4, -1e-4, 3e-4}, in_plane{2e-4, -1e-4, 0};
  for (const FotsVariant variant : kVariants) {
    // Under a block much larger than the grid a drag changes no depth, so it is the shear alone.
    Fots fots(Grid(), MarkerDistance(Primitive{Box{{0.05, 0.05, 8e-3}}}), FotsDefaults(variant, 0.065e-3));
    Fots dragged = fots, plain = fots;
    std::vector<Vec3> out, expected, without;
    for (Fots* f : {&fots, &dragged, &plain}) f->Step(At(0, 0, kAbove), &out);
    fots.Step(At(0, 0, kAbove), &out, &shift);
    for (const Vec3& v : out) ASSERT_EQ(norm(v), 0);  // nothing touches
    for (Fots* f : {&fots, &dragged, &plain}) f->Step(At(0, 0, kPressed), &out);
    const Pose X = At(1e-4, 3e-4, kPressed, 0.2);
    fots.Step(X, &out, &shift);
    plain.Step(X, &without);
    dragged.Step({X.R, X.p + in_plane}, &expected);
    for (std::size_t i = 0; i < out.size(); ++i) ASSERT_NEAR(norm(out[i] - expected[i]), 0, 1e-9) << i;
    EXPECT_GT(norm(out[31] - without[31]), 2) << "of 3.4 px";
    EXPECT_EQ(fots.state(), plain.state());
    fots.Step(X, &out);
    plain.Step(X, &without);
    EXPECT_EQ(out, without);
  }
  Fots fots = Make(FotsVariant::kFots);
  std::vector<Vec3> out;
  const Vec3 wrong{NAN, 0, 0};
  EXPECT_THROW(fots.Step(At(0, 0, kPressed), &out, &wrong), Error);
}

TEST(Fots, ParametersMayChangeInAContact) {
  Fots fots = Make(FotsVariant::kContactCentre), other = Make(FotsVariant::kContactCentre);
  std::vector<Vec3> a, b;
  fots.Step(At(0, 0, kPressed), &a);
  FotsParameters p = fots.parameters();
  p.lambda_s *= 3;
  fots.set_parameters(p);
  EXPECT_TRUE(fots.state().touching);
  Fots from_start(Grid(), MarkerDistance(Primitive{Box{{9e-3, 9e-3, 8e-3}}}), p);
  from_start.Step(At(0, 0, kPressed), &b);
  fots.Step(At(4e-4, 1e-4, kPressed), &a);
  from_start.Step(At(4e-4, 1e-4, kPressed), &b);
  EXPECT_EQ(a, b);
  other.Step(At(0, 0, kPressed), &b);
  other.Step(At(4e-4, 1e-4, kPressed), &b);
  EXPECT_GT(norm(a[40] - b[40]), 0.1);
  p.pixel = 0;
  EXPECT_THROW(fots.set_parameters(p), Error);
}

TEST(Fots, SaysWhatIsWrong) {
  const MarkerDistance box(Primitive{Box{{9e-3, 9e-3, 8e-3}}});
  FotsParameters p = FotsDefaults(FotsVariant::kHydroShearReimpl, 0.065e-3);
  EXPECT_THROW(Fots({}, box, p), Error);
  p.whole_pixels = true;
  EXPECT_THROW(Fots(Grid(), box, p), Error);
  p = FotsDefaults(FotsVariant::kFots, 0);
  EXPECT_THROW(Fots(Grid(), box, p), Error);
  p = FotsDefaults(FotsVariant::kFots, 0.065e-3);
  p.lambda_t = -1;
  EXPECT_THROW(Fots(Grid(), box, p), Error);
  std::vector<Vec3> out;
  Fots fots = Make(FotsVariant::kFots);
  EXPECT_THROW(fots.Step(At(NAN, 0, 0), &out), Error);
}

}  // namespace
}  // namespace taxel
