// Parameters, motions and random numbers that the tests of the bristle's friction share.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>

#include "taxel/bristle/lugre.h"
#include "taxel/math/random.h"

namespace taxel::test {
using namespace internal;

inline double Draw(std::uint64_t seed, std::uint64_t i, double lo, double hi) {
  return lo + (hi - lo) * RandomUniform(seed, i);
}
/// Uniform in its logarithm.
inline double DrawLog(std::uint64_t seed, std::uint64_t i, double lo, double hi) {
  return lo * std::pow(hi / lo, RandomUniform(seed, i));
}

/// A tangent plane that is not along the axes.
inline Vec3 InPlane(double a, double b) {
  static const std::array<Vec3, 2> frame = [] {
    std::array<Vec3, 2> e;
    MakeFrame(normalized({0.3, -0.5, 0.8}), &e[0], &e[1]);
    return e;
  }();
  return a * frame[0] + b * frame[1];
}
inline Vec3 Direction(double angle) { return InPlane(std::cos(angle), std::sin(angle)); }
inline Vec3 DrawDirection(std::uint64_t seed, std::uint64_t i) {
  return Direction(Draw(seed, i, 0, 2 * std::numbers::pi));
}

struct Bristle {
  LuGreParameters p;
  double load;
  double breakaway() const { return p.static_friction * load / p.sigma0; }
  Bristle As(LuGreForm form) const {
    Bristle b = *this;
    b.p.form = form;
    return b;
  }
};
/// Section 3.4.2 of the paper.
inline Bristle Printed(LuGreForm form = LuGreForm::kPaper) {
  return {{1, 0.1, 0.01, 0.435, 0.23, 0.3, form}, 0.08};
}
inline Bristle Stiff(LuGreForm form = LuGreForm::kPaper) { return {{1e4, 20, 0, 0.6, 0.4, 0.01, form}, 5}; }
/// Any parameters a user might give.
inline Bristle DrawBristle(std::uint64_t seed, std::uint64_t i, LuGreForm form) {
  Bristle b;
  b.p.sigma0 = DrawLog(seed, 8 * i, 0.1, 1e6);
  b.p.static_friction = DrawLog(seed, 8 * i + 1, 0.05, 2);
  b.p.dynamic_friction = b.p.static_friction * (i % 7 == 0   ? 0
                                                : i % 7 == 1 ? 1
                                                             : Draw(seed, 8 * i + 2, 0, 1));
  b.p.stribeck_speed = DrawLog(seed, 8 * i + 3, 1e-4, 1);
  b.load = DrawLog(seed, 8 * i + 4, 1e-3, 1e2);
  // In units of what makes the damping force reach the cone at about the Stribeck speed.
  const double unit = b.p.static_friction * b.load / b.p.stribeck_speed;
  b.p.sigma1 = i % 5 == 0 ? 0 : unit * DrawLog(seed, 8 * i + 5, 1e-3, 1e2);
  b.p.viscosity = i % 3 == 0 ? 0 : unit * DrawLog(seed, 8 * i + 6, 1e-4, 10);
  b.p.form = form;
  return b;
}

/// The motions of scripts/make_lugre_reference.py, by the same formulas.
struct Motion {
  double duration;
  Vec3 velocity;
  double load;
};
inline Motion MotionAt(const std::string& name, const Bristle& b, double t) {
  constexpr double pi = std::numbers::pi;
  const double s = b.breakaway(), v = b.p.stribeck_speed;
  const double ramp = 12 * s / v, swing = 2 * pi * s / (0.05 * v), way = 4 * s / (0.04 * v),
               turn = 20 * s / v;
  if (name == "ramp") return {ramp, 2 * v * t / ramp * InPlane(0.8, 0.6), b.load};
  if (name == "swing_small" || name == "swing_large") {
    const double peak = 0.05 * v * (name == "swing_small" ? 0.4 : 4);
    return {1.5 * swing, peak * std::cos(2 * pi * t / swing) * InPlane(1, 0.5), b.load};
  }
  if (name == "there_and_back")
    return {3 * way, (static_cast<int>(t / way) % 2 == 0 ? 0.04 : -0.04) * v * InPlane(0.8, 0.6), b.load};
  return {2 * turn, v * Direction(2 * pi * t / turn), b.load * (1 + 0.3 * std::sin(4.5 * pi * t / turn))};
}

}  // namespace taxel::test
