// One point, one marker:
//   - the entry fraction: inside, outside, in, out, equal distances, 0
//   - Coulomb: stick below the cone, cut to it above, direction kept; no pulling; both modes
//   - as printed: turned frames, the normal's direction; as released: what the 1e-8 costs
//   - outside the gel nothing is left
//   - terms of the two sums; float against double
#include "taxel/marker/hydroshear_law.h"

#include <gtest/gtest.h>

#include "marker_scenes.h"

namespace taxel {
using namespace internal;
namespace {

using V = Triple<double>;

TEST(EntryFraction, IsTheShareOfTheStepThatWasInside) {
  EXPECT_EQ(EntryFraction(-1e-3, -3e-3), 1);
  EXPECT_EQ(EntryFraction(-3e-3, -1e-3), 1);
  EXPECT_EQ(EntryFraction(1e-3, 2e-3), 0);
  EXPECT_DOUBLE_EQ(EntryFraction(-1e-3, 3e-3), 0.25);  // entry
  EXPECT_DOUBLE_EQ(EntryFraction(3e-3, -1e-3), 0.25);  // exit
  EXPECT_EQ(EntryFraction(-1e-3, 0.0), 1);
  EXPECT_EQ(EntryFraction(0.0, -1e-3), 1);
  // 0/0: inside all of it, outside nothing; 0 is outside.
  EXPECT_EQ(EntryFraction(-1e-3, -1e-3), 1);
  EXPECT_EQ(EntryFraction(1e-3, 1e-3), 0);
  EXPECT_EQ(EntryFraction(0.0, 0.0), 0);
  EXPECT_EQ(EntryFraction(-2e-4f, 2e-4f), 0.5f);
}

TEST(EntryFraction, StaysBetween0And1) {
  for (int i = 0; i < 100000; ++i) {
    const double a = std::pow(10, -12 * RandomUniform(1, i)) * (RandomUniform(2, i) - 0.5),
                 b = std::pow(10, -12 * RandomUniform(3, i)) * (RandomUniform(4, i) - 0.5);
    const double alpha = EntryFraction(a, b);
    ASSERT_GE(alpha, 0);
    ASSERT_LE(alpha, 1);
    ASSERT_EQ(EntryFraction(b, a), alpha) << a << " " << b;
  }
}

TEST(Track, PrintedClipKeepsTheConeAndTheDirection) {
  for (int i = 0; i < 2000; ++i) {
    const auto draw = [&](int k) { return 2 * RandomUniform(k, i) - 1; };
    const Vec3 axis = normalized({draw(1), draw(2), draw(3)});
    const V n{axis.x, axis.y, axis.z}, f{1e-3 * draw(4), 1e-3 * draw(5), 1e-3 * draw(6)},
        moved{1e-3 * draw(7), 1e-3 * draw(8), 1e-3 * draw(9)};
    const double mu = 0.7;
    const V sum = f + moved, out = TrackAsPrinted(f, moved, n, mu);
    const double before = Dot(sum, n), normal = Dot(out, n);
    const V t = out - normal * n, t0 = sum - before * n;
    const double length = std::sqrt(Dot(t, t)), length0 = std::sqrt(Dot(t0, t0));
    ASSERT_NEAR(normal, before > 0 ? before : 0, 1e-17);  // no pulling
    ASSERT_LE(length, mu * normal * (1 + 1e-12) + 1e-18);
    ASSERT_NEAR(length, std::fmin(length0, mu * normal), 1e-17);
    ASSERT_NEAR(Dot(t, t0), length * length0, 1e-19);
  }
}

TEST(Track, StickKeepsEverythingAsPrinted) {
  const V f{1e-5, -2e-5, 4e-4}, n{0, 0, 1};
  const V out = TrackAsPrinted(f, V{}, n, 0.5);
  EXPECT_EQ(out.x, f.x);
  EXPECT_EQ(out.y, f.y);
  EXPECT_EQ(out.z, f.z);
}

TEST(Track, AnOutwardNormalWouldRemoveEveryPressingForce) {
  const V press{0, 0, 1e-3};  // o before - o: the indenter went down
  EXPECT_EQ(TrackAsPrinted(V{}, press, V{0, 0, 1}, 0.5).z, 1e-3);
  EXPECT_EQ(TrackAsPrinted(V{}, press, V{0, 0, -1}, 0.5).z, 0);
}

TEST(Track, ReleasedClipAndItsLeak) {
  V f{3e-4, -4e-4, 1e-3};  // 0.5 mm along the surface, cone 0.4 mm
  V out = TrackAsReleased(f, V{}, 0.4);
  EXPECT_NEAR(std::hypot(out.x, out.y), 4e-4, 1e-8);
  EXPECT_NEAR(out.y / out.x, -4.0 / 3, 1e-12);
  EXPECT_EQ(out.z, 1e-3);
  EXPECT_EQ(TrackAsReleased(V{1e-4, 0, -1e-9}, V{}, 0.4).x, 0);  // pulled: nothing to rub with
  EXPECT_EQ(TrackAsReleased(V{}, V{}, 0.4).x, 0);
  // Sticking far inside the cone loses 1e-8 m a step.
  f = {1e-4, 0, 1e-3};
  for (int i = 0; i < 100; ++i) f = TrackAsReleased(f, V{}, 0.4);
  EXPECT_NEAR(f.x, 1e-4 - 1e-6, 2e-9);
}

TEST(Track, NothingIsLeftOutside) {
  const V f{1e-4, 0, 1e-3}, o{0, 0, 2e-3}, n{0, 0, 1};
  for (const MarkerMode mode : {MarkerMode::kPaper, MarkerMode::kRelease}) {
    EXPECT_GT(Track(mode, f, o, -1e-9, o, -1e-9, n, 0.5).z, 0);
    for (const double phi : {0.0, 1e-9}) {
      const V out = Track(mode, f, o, phi, o, -1e-3, n, 0.5);
      EXPECT_EQ(Dot(out, out), 0) << phi;
    }
  }
}

TEST(Track, EntryCountsTheInnerPartOfTheStep) {
  // From 3 mm above to 1 mm below, and 0.8 mm along x: a quarter of both.
  const V before{0, 0, 3e-3}, now{0.8e-3, 0, -1e-3}, n{0, 0, 1};
  for (const MarkerMode mode : {MarkerMode::kPaper, MarkerMode::kRelease}) {
    const V out = Track(mode, V{}, now, -1e-3, before, 3e-3, n, 0.5);
    EXPECT_NEAR(out.x, -0.2e-3, 1e-8);
    EXPECT_NEAR(out.z, 1e-3, 1e-18);
  }
}

TEST(Terms, DifferBetweenTheModes) {
  const V p{1e-3, 2e-3, 1e-3}, q{0, 0, 0};
  const double lambda = 20000;
  const V printed = DilationTerm(MarkerMode::kPaper, lambda, p, q, 1e-3),
          released = DilationTerm(MarkerMode::kRelease, lambda, p, q, 1e-3);
  EXPECT_DOUBLE_EQ(printed.x, 1e-6 * std::exp(-0.1));
  EXPECT_DOUBLE_EQ(printed.y, 2 * printed.x);
  EXPECT_EQ(printed.z, 0);
  EXPECT_DOUBLE_EQ(released.x, 1e-6 * std::exp(-0.12));
  EXPECT_DOUBLE_EQ(released.z, released.x);
  const V f{-1e-4, 0, 5e-4};
  const V pull = ShearPull(MarkerMode::kPaper, f, -2e-3, 3.0);
  EXPECT_DOUBLE_EQ(pull.x, 6e-7);  // along the motion of the indenter, which was +x
  EXPECT_EQ(pull.z, 0);
  EXPECT_EQ(ShearPull(MarkerMode::kPaper, f, 1e-3, 3.0).x, 0);
  EXPECT_DOUBLE_EQ(ShearPull(MarkerMode::kRelease, f, -2e-3, 3.0).x, 5e-8);
  EXPECT_DOUBLE_EQ(ShearPull(MarkerMode::kRelease, f, -2e-3, 3.0).z, -2.5e-7);
}

TEST(Float, IsCloseToDouble) {
  using W = Triple<float>;
  for (int i = 0; i < 1000; ++i) {
    const auto draw = [&](int k) { return 1e-3 * (2 * RandomUniform(k, i) - 1); };
    const V f{draw(1), draw(2), std::fabs(draw(3))}, o{draw(4), draw(5), draw(6)},
        b{draw(7), draw(8), draw(9)};
    const auto to_float = [](const V& v) {
      return W{static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
    };
    const double phi = -std::fabs(draw(10)), before = draw(11);
    for (const MarkerMode mode : {MarkerMode::kPaper, MarkerMode::kRelease}) {
      const V d = Track(mode, f, o, phi, b, before, V{0, 0, 1}, 0.5);
      const W s = Track(mode, to_float(f), to_float(o), static_cast<float>(phi), to_float(b),
                        static_cast<float>(before), W{0, 0, 1}, 0.5f);
      // A few roundings of 1e-3, and of the fraction where the two distances are near each other.
      ASSERT_NEAR(d.x, s.x, 3e-9);
      ASSERT_NEAR(d.z, s.z, 3e-9);
    }
  }
}

}  // namespace
}  // namespace taxel
