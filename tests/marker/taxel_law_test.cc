// The law of one point. Cases:
//   - outside: false; a first pose: depth and no stretch
//   - entry: of an oblique step only the part below the surface counts; from beside the gel nothing does
//   - stick: stretch follows the motion along the gel and no other; slip: |t| = slip depth, direction kept
//   - friction 0 leaves no stretch; a path in many parts sticks as one step does
//   - FreeFlow: along the gel, away from the deepest place; a straight press of a slope builds its stretch;
//     press and release back along the same way ends where it began
//   - ToSource: covered area, the force as by hand with a tilted normal; far side: nothing
//   - the same in float
#include "taxel/marker/taxel_law.h"

#include <gtest/gtest.h>

#include <cmath>

#include "../shape/test_meshes.h"
#include "marker_scenes.h"
#include "taxel/marker/gel_pad.h"

namespace taxel {
namespace {

using V = Triple<double>;

V Of(const Vec3& v) { return {v.x, v.y, v.z}; }
Vec3 Of(const V& v) { return {v.x, v.y, v.z}; }

constexpr double kTop = 2e-3;
const Vec3 kTilted = normalized({0.2, -0.35, 0.9});  // into an indenter that leans

struct Law {
  GelPad pad{test::FlatPad()};
  PointMaterial<double> m{0.7, 0};
  PointTouch<double> touch;
  bool Move(const Vec3& before, const Vec3& now, const Vec3& stretch = {}, const Vec3& n = {0, 0, 1},
            bool started = true) {
    return MovePoint(pad.surface(), m, started, Of(before), Of(n), Of(stretch), Of(now), Of(n), &touch);
  }
  Vec3 stretch() const { return Of(touch.stretch); }
};

TEST(TaxelLaw, OutsideAndFirst) {
  Law law;
  EXPECT_FALSE(law.Move({0, 0, 0}, {0, 0, kTop}));  // on the surface is outside
  EXPECT_FALSE(law.Move({0, 0, 0}, {0, 0, 3e-3}));
  EXPECT_FALSE(law.Move({0, 0, 0}, {0.011, 0, 0}));
  ASSERT_TRUE(law.Move({5, 6, 7}, {1e-3, 2e-3, 1.2e-3}, {1e-4, 2e-4, 0}, kTilted, false));
  EXPECT_NEAR(law.touch.depth, 0.8e-3, 1e-18);
  EXPECT_EQ(law.stretch(), Vec3{});
}

TEST(TaxelLaw, EntryCountsThePartInside) {
  Law law;
  law.m.slip = 10;
  const Vec3 before{1e-3, 2e-3, kTop + 0.3e-3}, now{1.4e-3, 1.8e-3, kTop - 0.1e-3};
  ASSERT_TRUE(law.Move(before, now, {9, 9, 9}));  // a stretch from outside counts for nothing
  EXPECT_NEAR(law.stretch().x, 0.25 * -0.4e-3, 1e-17);
  EXPECT_NEAR(law.stretch().y, 0.25 * 0.2e-3, 1e-17);
  EXPECT_EQ(law.stretch().z, 0);
  ASSERT_TRUE(law.Move({10.4e-3, 0, kTop - 1e-4}, {10.3e-3, 0, kTop - 1e-4}));
  EXPECT_LT(norm(law.stretch()), 1e-4 * 1.1e-4);
}

TEST(TaxelLaw, SticksThenSlips) {
  Law law;
  const double depth = 0.5e-3, most = 0.7 * depth;
  const Vec3 start{1e-3, -2e-3, kTop - depth}, held{2e-5, 3e-5, 0}, step{-4e-5, 1e-4, 0};
  ASSERT_TRUE(law.Move(start, start + step, held));
  EXPECT_LT(norm(law.stretch() - (held - step)), 1e-18);
  const Vec3 far{-3e-3, 4e-3, 0};
  ASSERT_TRUE(law.Move(start, start + far, held));
  EXPECT_NEAR(norm(law.stretch()), most, 1e-18);
  EXPECT_LT(norm(normalized(law.stretch()) - normalized(held - far)), 1e-12);
  // Tilted: it is the part along the indenter that is limited.
  ASSERT_TRUE(law.Move(start, start + far, held, kTilted));
  const Vec3 s = law.stretch();
  EXPECT_NEAR(norm(s - dot(s, kTilted) * kTilted), most, 1e-18);
  EXPECT_EQ(s.z, 0);
  law.m.slip = 0;
  ASSERT_TRUE(law.Move(start, start + far, held, kTilted));
  EXPECT_EQ(law.stretch(), Vec3{});
  ASSERT_TRUE(law.Move(start, start, {}));
  EXPECT_EQ(law.stretch(), Vec3{});  // 0 of 0 is no NaN
}

TEST(TaxelLaw, PartsOfAStepStickAsTheWhole) {
  Law law;
  law.m = {100, 1.3};
  const Vec3 from{1e-3, 2e-3, kTop + 0.4e-3}, to{1.2e-3, 1.9e-3, kTop - 0.6e-3};
  ASSERT_TRUE(law.Move(from, to, {}, kTilted));
  const Vec3 whole = law.stretch();
  Vec3 stretch, before = from;
  for (int i = 1; i <= 7; ++i) {
    const Vec3 now = from + (i / 7.0) * (to - from);
    stretch = law.Move(before, now, stretch, kTilted) ? law.stretch() : Vec3{};
    before = now;
  }
  EXPECT_LT(norm(stretch - whole), 1e-18);
}

TEST(TaxelLaw, FreeFlowLeadsAwayFromTheDeepest) {
  // A ball's point at +x of the lowest one has its normal into the ball towards -x and up.
  const V n = Of(normalized({-0.3, 0, 0.9})), g{0, 0, 1};
  const V flow = FreeFlow(2.0, 0.5e-3, n, g);
  EXPECT_GT(flow.x, 0);
  EXPECT_EQ(flow.z, 0);
  EXPECT_NEAR(flow.x, 2.0 * 0.5e-3 * 0.3 / std::sqrt(0.9), 1e-18);
  const Vec3 tilted = normalized({0.1, 0.2, 0.97});
  EXPECT_NEAR(dot(Of(FreeFlow(4.0, 1e-3, n, Of(tilted))), tilted), 0, 1e-18);
}

TEST(TaxelLaw, PressAndReleaseOfASlopeEndsWhereItBegan) {
  Law law;
  law.m = {100, 3};
  const Vec3 high{1e-3, 0, kTop - 0.1e-3}, low{1e-3, 0, kTop - 0.7e-3}, held{1e-5, -2e-5, 0};
  ASSERT_TRUE(law.Move(high, low, held, kTilted));
  const Vec3 pressed = law.stretch();
  const Vec3 along = kTilted - kTilted.z * Vec3{0, 0, 1};
  EXPECT_LT(norm(pressed - held + (3 * 0.6e-3) * along), 1e-17);
  ASSERT_TRUE(law.Move(low, high, pressed, kTilted));
  EXPECT_LT(norm(law.stretch() - held), 1e-17);
}

TEST(TaxelLaw, SourcesByHand) {
  PointTouch<double> touch;
  touch.depth = 0.4e-3, touch.g = {0, 0, 1}, touch.stretch = {1e-4, -2e-4, 0};
  const Vec3 o{1e-3, 2e-3, kTop - 0.4e-3}, stretch{1e-4, -2e-4, 0};
  const double area = 2e-7, E = 1.6e8, K = 5e7;
  const PointSource<double> s = ToSource(touch, Of(o), Of(kTilted), area, E, K);
  EXPECT_LT(norm(Of(s.centre) - Vec3{1e-3, 2e-3, kTop}), 1e-18);
  EXPECT_LT(norm(Of(s.anchor) - Vec3{1.1e-3, 1.8e-3, kTop}), 1e-18);
  EXPECT_NEAR(s.push, area * kTilted.z * 0.4e-3, 1e-24);
  EXPECT_LT(norm(Of(s.pull) + (area * kTilted.z) * stretch), 1e-24);
  const Vec3 t = stretch - dot(stretch, kTilted) * kTilted;
  EXPECT_LT(norm(Of(s.force) + area * (E * 0.4e-3 * kTilted + K * t)), 1e-15);
  for (const Vec3& n : {Vec3{0, 0, -1}, Vec3{1, 0, 0}, normalized({0.1, 0, -0.4})}) {
    const PointSource<double> none = ToSource(touch, Of(o), Of(n), area, E, K);
    EXPECT_EQ(none.push, 0);
    EXPECT_EQ(Of(none.pull), Vec3{});
    EXPECT_EQ(Of(none.force), Vec3{});
  }
}

TEST(TaxelLaw, FrictionIsAtMostMuTimesPressure) {
  // K |t| <= mu E depth with slip = mu E / K, whatever the path.
  Law law;
  const double mu = 0.35, E = 1.63e8, K = 5.7e7;
  law.m = {mu * E / K, 4};
  Vec3 before{0, 0, 3e-3}, stretch, n = kTilted;
  for (std::uint64_t i = 0; i < 500; ++i) {
    const Vec3 now = test::UniformInBox(3, i, {-2e-3, -2e-3, 1e-3}, {2e-3, 2e-3, 2.4e-3});
    const bool inside = law.Move(before, now, stretch, n);
    stretch = inside ? law.stretch() : Vec3{};
    before = now;
    if (!inside) continue;
    const Vec3 f = Of(ToSource(law.touch, Of(now), Of(n), 1.0, E, K).force);
    EXPECT_LE(norm(f - dot(f, n) * n), mu * std::fabs(dot(f, n)) * (1 + 1e-12));
    EXPECT_LT(dot(f, n), 0);
  }
}

TEST(TaxelLaw, FloatIsDouble) {
  const GelPad pad{test::FlatPad()};
  const GelSurface<float> gel{true, 0.010375F, 0.012625F, -0.002F, 0.002F, {}};
  PointTouch<float> f;
  PointTouch<double> d;
  const Vec3 a{1e-3, 2e-3, 2.1e-3}, b{1.3e-3, 1.9e-3, 1.6e-3};
  const Triple<float> n{static_cast<float>(kTilted.x), static_cast<float>(kTilted.y),
                        static_cast<float>(kTilted.z)};
  const auto single = [](const Vec3& v) {
    return Triple<float>{static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
  };
  ASSERT_TRUE(MovePoint(gel, PointMaterial<float>{0.7F, 4.F}, true, single(a), n, {}, single(b), n, &f));
  ASSERT_TRUE(MovePoint(pad.surface(), PointMaterial<double>{0.7, 4.0}, true, Of(a), Of(kTilted), {}, Of(b),
                        Of(kTilted), &d));
  // 6e-8 of a coordinate of 2e-3 m, on a stretch of 3e-4 m.
  EXPECT_NEAR(f.stretch.x, d.stretch.x, 1e-9);
  EXPECT_NEAR(f.stretch.y, d.stretch.y, 1e-9);
  EXPECT_NEAR(f.depth, d.depth, 1e-9);
}

}  // namespace
}  // namespace taxel
