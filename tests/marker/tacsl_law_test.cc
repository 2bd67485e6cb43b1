// TacSL at one point: in double it is what TacSl says, in float within 1e-6 of the largest force; the cone,
// the viscous part, unit shear.
#include "taxel/marker/tacsl_law.h"

#include <gtest/gtest.h>

#include "marker_scenes.h"
#include "taxel/marker/tacsl.h"

namespace taxel {
namespace {

TEST(TacSlLaw, ViscousBelowTheConeCoulombAtIt) {
  const TacSlRates<double> rates{100, 0.5, 2};
  const Triple<double> n{0, 0, -1};
  // 0.5 mm deep: 0.05 N; v across n is (0.03, 0.04), k_t |v_t| = 0.025 N < mu 0.05 N.
  Triple<double> F = TacSlForce(rates, 5e-4, n, {0.03, 0.04, 7});
  EXPECT_NEAR(F.x, -0.015, 1e-15);
  EXPECT_NEAR(F.y, -0.02, 1e-15);
  EXPECT_NEAR(F.z, -0.05, 1e-15);
  F = TacSlForce(rates, 5e-4, n, {30, 40, 0});
  EXPECT_NEAR(F.x, -0.06, 1e-15);
  EXPECT_NEAR(F.y, -0.08, 1e-15);
  F = TacSlForce(rates, 5e-4, n, {0, 0, 3});
  EXPECT_EQ(F.x, 0);
  EXPECT_EQ(ToTacSlForces(Triple<double>{0.3, 0.4, -2}).normal, 2);
}

template <typename T>
std::pair<T, T> Unit(T hardest, T x, T y) {
  MakeUnitShear(hardest, &x, &y);
  return {x, y};
}

TEST(TacSlLaw, ShearHasADirectionOrIsNone) {
  EXPECT_NEAR(Unit(2.0, 0.3, 0.4).second, 0.8, 1e-15);
  EXPECT_NEAR(Unit(2.0, -0.0018, -0.0024).second, -0.8, 1e-12);  // 1.5e-3 of the hardest
  EXPECT_EQ(Unit(2.0, 0.0009, 0.0012), std::pair(0.0, 0.0));     // 0.75e-3
  EXPECT_EQ(Unit(2.0, 1e-19, 0.0), std::pair(0.0, 0.0));
  EXPECT_EQ(Unit(0.0, 0.0, 0.0), std::pair(0.0, 0.0));
  EXPECT_EQ(Unit(2e-3f, 1e-9f, 1e-9f), std::pair(0.0f, 0.0f));
}

// A box that rests on the pad, moved by the last bits of its place: rounding is no direction. One that slides
// has the direction of its motion at every point it presses.
TEST(TacSlLaw, ARestHasNoUnitShearAndASlideTheSameEverywhere) {
  const TacSl tacsl(test::Grid(), MarkerDistance(Primitive{Box{{40e-3, 40e-3, 8e-3}}}), {1, 0.1, 2, true});
  TacSlReading rest, slide;
  const Pose X{{}, {0.5e-3, -0.2e-3, 3.5e-3}};
  tacsl.Read({}, X, {}, {{3e-9, -1e-12, 0}, {}}, &rest);
  tacsl.Read({}, X, {}, {{3e-3, -4e-3, 0}, {}}, &slide);
  int pressed = 0;
  for (std::size_t i = 0; i < rest.depth.size(); ++i) {
    EXPECT_EQ(rest.shear[2 * i], 0);
    EXPECT_EQ(rest.shear[2 * i + 1], 0);
    if (!(rest.depth[i] > 0)) continue;
    ++pressed;
    EXPECT_NEAR(slide.shear[2 * i], 0.6, 1e-9);
    EXPECT_NEAR(slide.shear[2 * i + 1], -0.8, 1e-9);
  }
  EXPECT_GT(pressed, 10);
}

TEST(TacSlLaw, DoubleIsTheClassAndFloatIsClose) {
  const TacSl tacsl(test::Grid(), MarkerDistance(Primitive{Sphere{8e-3}}), {100, 0.5, 0.7, false});
  const TacSlRates<double> rates = ToTacSlRates<double>(tacsl.parameters());
  const TacSlRates<float> quick = ToTacSlRates<float>(tacsl.parameters());
  TacSlReading reading;
  double largest = 0;
  int pressed = 0;
  for (int seed = 0; seed < 10; ++seed)
    for (const Pose& X : test::RandomPath(seed)) {
      const Vec3 v{0.05 * std::sin(1.0 + seed), -0.03, 0.02}, w{1, -2, 3};
      tacsl.Read({}, X, {}, {v, w}, &reading);
      for (std::size_t i = 0; i < reading.depth.size(); ++i) {
        if (!(reading.depth[i] > 0)) continue;
        ++pressed;
        const Vec3 n = normalized(tacsl.points_P()[i] - X.p);
        const Vec3 rub = -(v + cross(w, 8e-3 * n));
        const auto forces =
            ToTacSlForces(TacSlForce(rates, reading.depth[i], {n.x, n.y, n.z}, {rub.x, rub.y, rub.z}));
        const auto f = [](double x) { return static_cast<float>(x); };
        const auto close = ToTacSlForces(
            TacSlForce(quick, f(reading.depth[i]), {f(n.x), f(n.y), f(n.z)}, {f(rub.x), f(rub.y), f(rub.z)}));
        EXPECT_NEAR(forces.normal, reading.normal[i], 1e-12);
        EXPECT_NEAR(forces.shear_x, reading.shear[2 * i], 1e-12);
        EXPECT_NEAR(forces.shear_y, reading.shear[2 * i + 1], 1e-12);
        EXPECT_NEAR(close.normal, reading.normal[i], 1e-7);
        EXPECT_NEAR(close.shear_x, reading.shear[2 * i], 1e-7);
        EXPECT_NEAR(close.shear_y, reading.shear[2 * i + 1], 1e-7);
        largest = std::max(largest, reading.normal[i]);
      }
    }
  EXPECT_GT(pressed, 1000);
  EXPECT_GT(largest, 0.05);
}

}  // namespace
}  // namespace taxel
