// The formulas of FOTS that CPU and GPU share, on random paths in space with entry, slide, twist, tilt,
// release and re-entry:
//   - in double they are what Fots says, to 1e-9 px (the distance is written in another way)
//   - in float they are within 1e-3 px of that
//   - quaternions and rotation vectors: known turns, no jump over a whole turn
#include "taxel/marker/fots_law.h"

#include <gtest/gtest.h>

#include <numbers>

#include "marker_scenes.h"
#include "taxel/marker/fots.h"

namespace taxel {
using namespace internal;
namespace {

constexpr double kPixel = 0.065e-3;
constexpr FotsVariant kVariants[] = {FotsVariant::kFots, FotsVariant::kContactCentre,
                                     FotsVariant::kHydroShearOriginal, FotsVariant::kHydroShearReimpl};

// Down, a drag with a twist and a tilt, up, and the same elsewhere.
std::vector<Pose> Path(std::uint64_t seed) {
  std::vector<Pose> out;
  std::uint64_t n = 0;
  const auto draw = [&] { return 2 * RandomUniform(seed, n++) - 1; };
  for (int contact = 0; contact < 2; ++contact) {
    const Vec3 start{3e-3 * draw(), 4e-3 * draw(), 0}, axis = normalized({0.2 * draw(), 0.2 * draw(), 1});
    const Vec3 drag{1e-3 * draw(), 1e-3 * draw(), 0};
    const Mat3 R = RotationAbout(normalized({draw(), draw(), draw()}), 3 * draw());
    const double twist = 1.2 * draw(), depth = 0.5e-3 + 0.3e-3 * draw();
    for (int i = 0; i <= 20; ++i) {
      const double s = i / 20.0, in = std::sin(std::numbers::pi * s);  // above at both ends
      out.push_back({RotationAbout(axis, twist * s) * R,
                     start + s * drag + Vec3{1e-5 * draw(), 1e-5 * draw(), 10.2e-3 - (depth + 0.2e-3) * in}});
    }
  }
  return out;
}

template <typename T>
struct Field {
  FotsRule<T> rule;
  FotsRates<T> rates;
  FotsState<T> state;
  std::vector<Triple<T>> markers, displacement;
  std::vector<FotsSource<T>> sources;
  std::vector<T> depth;

  Field(const FotsParameters& p, const Vec3* centre)
      : rule(ToFotsRule<T>(p, centre)), rates(ToFotsRates<T>(p)) {
    for (const Vec3& m : test::Grid()) markers.push_back({T(m.x), T(m.y), T(m.z)});
    displacement.resize(markers.size()), sources.resize(markers.size()), depth.resize(markers.size());
  }
  // Against a ball of 8 mm, or a cylinder when it is not round enough.
  void Step(const Pose& X, bool ball, const Triple<T>& shift) {
    KernelPose<T> pose;
    for (int i = 0; i < 9; ++i) pose.r[i] = T(X.R.m[i]);
    for (int i = 0; i < 3; ++i) pose.t[i] = T(X.p[i]);
    for (std::size_t i = 0; i < markers.size(); ++i) {
      const Triple<T> p = ApplyInverse(pose, markers[i]);
      const T side = std::sqrt(p.x * p.x + p.y * p.y) - T(7e-3), end = std::fabs(p.z) - T(7.5e-3);
      depth[i] = -(ball ? std::sqrt(Dot(p, p)) - T(8e-3)
                        : (side > 0 && end > 0 ? std::sqrt(side * side + end * end) : std::max(side, end)));
    }
    StepFots(rule, rates, markers.data(), depth.data(), static_cast<int>(markers.size()), pose, shift, &state,
             sources.data(), displacement.data());
  }
};

TEST(FotsLaw, FloatIsCloseToTheClass) {
  double largest = 0, worst_of_all = 0;
  for (const FotsVariant variant : kVariants)
    for (const bool ball : {true, false})
      for (const bool given : {false, true})
        for (int seed = 0; seed < 12; ++seed) {
          const FotsParameters p = FotsDefaults(variant, kPixel);
          const Vec3 centre{0.5e-3, -0.3e-3, 1e-3};
          const Primitive shape = ball ? Primitive{Sphere{8e-3}} : Primitive{Cylinder{7e-3, 15e-3}};
          Fots reference(test::Grid(), MarkerDistance(shape), p, given ? &centre : nullptr);
          Field<double> exact(p, given ? &centre : nullptr);
          Field<float> quick(p, given ? &centre : nullptr);
          std::vector<Vec3> out;
          const Vec3 shift{0.1e-3, -0.25e-3, 0.05e-3};
          int touching = 0, starts = 0;
          for (const Pose& X : Path(100 * seed + 7)) {
            const bool pulled = touching % 3 == 1, before = exact.state.touching;
            reference.Step(X, &out, pulled ? &shift : nullptr);
            exact.Step(X, ball, pulled ? Triple<double>{shift.x, shift.y, shift.z} : Triple<double>{});
            quick.Step(
                X, ball,
                pulled ? Triple<float>{float(shift.x), float(shift.y), float(shift.z)} : Triple<float>{});
            touching += exact.state.touching;
            starts += exact.state.touching && !before;
            ASSERT_EQ(exact.state.touching, quick.state.touching);
            for (std::size_t i = 0; i < out.size(); ++i) {
              const Triple<double>& a = exact.displacement[i];
              const Triple<float>& b = quick.displacement[i];
              ASSERT_NEAR(norm(out[i] - Vec3{a.x, a.y, a.z}), 0, 1e-9);
              const double off = norm(out[i] - Vec3{b.x, b.y, b.z});
              ASSERT_LT(off, 1e-3) << "variant " << int(variant) << " seed " << seed << " marker " << i;
              worst_of_all = std::max(worst_of_all, off);
              largest = std::max(largest, norm(out[i]));
            }
          }
          if (ball) {
            EXPECT_GT(touching, 10);
            EXPECT_GE(starts, 2);  // entry and re-entry
          }
        }
  EXPECT_GT(largest, 10);
  RecordProperty("worst_px", std::to_string(worst_of_all));
}

TEST(FotsLaw, WholePixelsAgreeAwayFromTheSteps) {
  FotsParameters p = FotsDefaults(FotsVariant::kFots, kPixel);
  p.whole_pixels = true;
  p.image_origin_P = {-0.01037, -0.01262, 0};
  int compared = 0;
  for (int seed = 0; seed < 12; ++seed) {
    Field<double> exact(p, nullptr);
    Field<float> quick(p, nullptr);
    for (const Pose& X : Path(100 * seed + 3)) {
      exact.Step(X, true, {});
      quick.Step(X, true, {});
      if (!exact.state.touching) continue;
      const KernelPose<double> now = ToKernelPose(X);
      FotsRule<double> smooth = exact.rule;
      smooth.whole_pixels = false;
      const FotsMotion<double> m = MotionSinceContact(smooth, exact.state, now, {});
      const auto near_step = [](double v) { return std::fabs(v - std::round(v)) < 1e-3; };
      if (near_step(m.G.x) || near_step(m.G.y) || near_step(m.G_now.x) || near_step(m.G_now.y) ||
          near_step(m.shear.x) || near_step(m.shear.y))
        continue;
      ++compared;
      for (std::size_t i = 0; i < exact.displacement.size(); ++i) {
        ASSERT_NEAR(exact.displacement[i].x, quick.displacement[i].x, 1e-3);
        ASSERT_NEAR(exact.displacement[i].y, quick.displacement[i].y, 1e-3);
      }
    }
  }
  EXPECT_GT(compared, 100);
}

TEST(FotsLaw, TurnsAndMotions) {
  for (const double angle : {1e-5, 0.3, 1.5, 3.0, 3.1415}) {
    for (const Vec3& axis : {Vec3{0, 0, 1}, Vec3{1, 0, 0}, normalized({-1, 2, 0.4})}) {
      const KernelPose<double> X = ToKernelPose({RotationAbout(axis, angle), {}});
      const Triple<double> v = RotationVector(ToQuaternion(X.r));
      EXPECT_NEAR(v.x, angle * axis.x, 1e-9);
      EXPECT_NEAR(v.y, angle * axis.y, 1e-9);
      EXPECT_NEAR(v.z, angle * axis.z, 1e-9);
    }
  }
  const Mat3 start = RotationAbout(normalized({1, 1, 0}), 1.1);
  const Vec3 w{0.4, -1.3, 2.0}, v{0.1, 0.2, -0.3};
  const double dt = 1.0 / 60;
  const KernelMotion<double> m = MotionBetween(
      ToKernelPose({start, {1, 2, 3}}),
      ToKernelPose({RotationAbout(normalized(w), dt * norm(w)) * start, Vec3{1, 2, 3} + dt * v}), dt);
  EXPECT_NEAR(m.w.x, w.x, 1e-12);
  EXPECT_NEAR(m.w.y, w.y, 1e-12);
  EXPECT_NEAR(m.w.z, w.z, 1e-12);
  EXPECT_NEAR(m.v.z, v.z, 1e-12);
}

TEST(FotsLaw, AWholeTurnOfTheReleaseDoesNotJump) {
  FotsRule<double> rule = ToFotsRule<double>(FotsDefaults(FotsVariant::kHydroShearReimpl, kPixel), nullptr);
  rule.max_twist = 100;
  FotsState<double> state;
  FollowContact(rule, ToKernelPose({}), 0, {}, &state);
  // Up to just short of two half turns; the sign of the quaternion follows.
  for (int i = 1; i <= 60; ++i) {
    const double angle = 0.1 * i;
    const KernelPose<double> X = ToKernelPose({RotationAbout({0, 0, 1}, angle), {}});
    FollowContact(rule, X, 1, {}, &state);
    const FotsMotion<double> m = MotionSinceContact(rule, state, X, {});
    EXPECT_NEAR(m.cosine, std::cos(angle), 1e-9);
    EXPECT_NEAR(m.sine, std::sin(angle), 1e-9);
    EXPECT_NEAR(RotationVector(state.quaternion).z, angle, 1e-9);
  }
}

}  // namespace
}  // namespace taxel
