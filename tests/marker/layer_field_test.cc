// Contact on an elastic layer against closed forms: Hertz and Mindlin on a thick layer, a flat punch,
// confined compression; and what is remembered. Cells are coarse (some 16 across the contact), so bounds are
// some per cent.
#include "taxel/marker/layer_field.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "taxel/math/error.h"

namespace taxel {
namespace {

constexpr double kPi = std::numbers::pi;

GelPad Slab(double wide, double thick) { return GelPad(MarkerDistance(Primitive{Box{{wide, wide, thick}}})); }

std::vector<Vec3> SomeMarkers() { return {{0, 0, 0}, {1e-3, 0.5e-3, 0}, {-2e-3, 1e-3, 0}}; }

// A ball of 50 mm pressed into 40 mm of gel: as good as a half space but for what the base gives back.
struct Thick {
  static constexpr double kRadius = 50e-3, kThick = 40e-3, kDepth = 0.1e-3, kYoung = 1e5, kPoisson = 0.3;
  LayerField field;
  LayerReading reading;
  explicit Thick(double friction)
      : field(Slab(12e-3, kThick), SomeMarkers(), {MarkerDistance(Primitive{Sphere{kRadius}})},
              {friction, kYoung, kPoisson, 0, 1e-3}, {0.25e-3, 2e-5, 1}) {}
  void Move(double x, double depth) {
    field.Step({Pose{{}, {x, 0, 0.5 * kThick + kRadius - depth}}}, nullptr, &reading);
  }
};

TEST(LayerField, HertzOnAThickLayer) {
  Thick t(0);
  t.Move(0, -1e-5);
  t.Move(0, Thick::kDepth);
  const double E = Thick::kYoung / (1 - Thick::kPoisson * Thick::kPoisson);
  const double a = std::sqrt(Thick::kRadius * Thick::kDepth);
  const double P = 4.0 / 3 * E * a * Thick::kDepth;
  // The base stiffens by 1 + (2 a0 / pi) a / H and so on (Dimitriadis; a0 = -1.02 at nu = 0.3): 6 %.
  const double chi = a / Thick::kThick, alpha = -(1.2876 - 1.4678 * 0.3 + 1.3442 * 0.09) / 0.7;
  const double stiffer = 1 - 2 * alpha * chi / kPi;
  EXPECT_NEAR(-t.reading.force_P.z / (P * stiffer), 1, 0.03);
  std::vector<double> p;
  t.field.Pressure(&p);
  const double area = std::count_if(p.begin(), p.end(), [](double x) { return x > 0; }) * 0.25e-3 * 0.25e-3;
  EXPECT_NEAR(std::sqrt(area / kPi) / a, 1, 0.05);
  EXPECT_NEAR(*std::max_element(p.begin(), p.end()) / (1.5 * -t.reading.force_P.z / (kPi * a * a)), 1, 0.05);
  EXPECT_NEAR(t.reading.force_P.x, 0, 1e-6);
}

TEST(LayerField, MindlinsStickingRadius) {
  Thick t(0);
  t.Move(0, -1e-5);
  t.Move(0, Thick::kDepth);
  LayerParameters p = t.field.parameters();
  p.friction = 0.4;
  t.field.set_parameters(p);
  for (const double x : {2e-5, 3e-5, 4e-5}) {
    t.Move(x, Thick::kDepth);
    int stick = 0;
    for (const Vec3& s : t.field.state().traction) stick += std::hypot(s.x, s.y) < 0.98 * 0.4 * -s.z;
    const double c = std::sqrt(1.0 * stick / static_cast<double>(t.field.state().index.size()));
    const double q = t.reading.force_P.x / (0.4 * -t.reading.force_P.z);
    EXPECT_NEAR(c, std::cbrt(1 - q), 0.04) << "Q / mu P = " << q;
    EXPECT_GT(q, 0.3);
  }
}

// A square block under a plate that covers it: every column is confined.
TEST(LayerField, APlateOverAllOfIt) {
  LayerField field(Slab(16e-3, 2e-3), SomeMarkers(), {MarkerDistance(Primitive{Box{{0.1, 0.1, 0.01}}})},
                   {0, 2e5, 0.3, 0, 1e-3}, {0.5e-3, 1e-4, 1});
  LayerReading reading;
  field.Step({Pose{{}, {0, 0, 1e-3 + 5e-3 - 2e-5}}}, nullptr, &reading);
  std::vector<double> p;
  field.Pressure(&p);
  const double confined = 2e5 * 0.7 / (1.3 * 0.4);
  EXPECT_NEAR(p[p.size() / 2 + 16] / (confined * 2e-5 / 2e-3), 1, 0.01);
}

// Round flat punch on a thick layer: P = 2 E* a d, and the base's relief of first order.
TEST(LayerField, AFlatPunch) {
  constexpr double a = 3e-3, depth = 0.05e-3, thick = 60e-3;
  LayerField field(Slab(9e-3, thick), SomeMarkers(), {MarkerDistance(Primitive{Cylinder{a, 0.01}})},
                   {0, 1e5, 0.3, 0, 1e-3}, {0.25e-3, 1e-4, 1});
  LayerReading reading;
  field.Step({Pose{{}, {0, 0, 0.5 * thick + 5e-3 - depth}}}, nullptr, &reading);
  const double E = 1e5 / 0.91, alpha = -(1.2876 - 1.4678 * 0.3 + 1.3442 * 0.09) / 0.7;
  EXPECT_NEAR(-reading.force_P.z / (2 * E * a * depth * (1 - 2 * alpha * a / thick / kPi)), 1, 0.03);
}

struct Mini {
  LayerField field{Slab(20e-3, 4e-3), SomeMarkers(), {MarkerDistance(Primitive{Sphere{10e-3}})}, {}, {}};
  LayerReading reading;
  const LayerReading& At(double x, double y, double depth) {
    field.Step({Pose{{}, {x, y, 12e-3 - depth}}}, nullptr, &reading);
    return reading;
  }
};

TEST(LayerField, StickSlipAndRelease) {
  Mini m;
  m.At(0, 0, -1e-4);
  const double pressed = -m.At(0.3e-3, -0.2e-3, 0.6e-3).force_P.z;
  EXPECT_GT(pressed, 0.3);
  Vec3 force = m.At(0.4e-3, -0.2e-3, 0.6e-3).force_P;
  EXPECT_GT(force.x, 0.02);
  EXPECT_LT(force.x, -0.5 * force.z);
  for (int i = 0; i < 40; ++i) m.At(0.4e-3 + 1e-4 * i, -0.2e-3, 0.6e-3);
  force = m.reading.force_P;
  EXPECT_NEAR(std::hypot(force.x, force.y), -0.5 * force.z, -0.005 * force.z);
  m.At(4e-3, -0.2e-3, -1e-4);
  EXPECT_EQ(m.reading.force_P, Vec3{});
  for (const Vec3& u : m.reading.displacement) EXPECT_EQ(u, Vec3{});
}

TEST(LayerField, AStateIsTheWholeMemory) {
  Mini one;
  one.At(0, 0, -1e-4);
  one.At(0, 0, 0.5e-3);
  one.At(0.2e-3, 0.1e-3, 0.5e-3);
  Mini other;
  other.field.set_state(one.field.state());
  EXPECT_EQ(one.At(0.3e-3, 0.1e-3, 0.6e-3).displacement, other.At(0.3e-3, 0.1e-3, 0.6e-3).displacement);
  EXPECT_EQ(one.field.state(), other.field.state());
  LayerState bad = one.field.state();
  bad.index.back() = 1 << 20;
  EXPECT_THROW(other.field.set_state(bad), Error);
  EXPECT_EQ(one.field.state(), other.field.state());
}

TEST(LayerField, ALongStepIsCutAndAFirstPoseMayTouch) {
  Mini slow, fast, first;
  slow.At(0, 0, -1e-3);
  for (int i = 0; i <= 20; ++i) slow.At(0, 0, 0.8e-3 * i / 20);
  fast.At(0, 0, -30e-3);
  fast.At(0, 0, 0.8e-3);
  first.At(0, 0, 0.8e-3);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(norm(slow.reading.displacement[i] - fast.reading.displacement[i]), 0, 0.1);
    EXPECT_NEAR(norm(first.reading.displacement[i] - fast.reading.displacement[i]), 0, 0.05);
  }
  EXPECT_NEAR(slow.reading.force_P.z / fast.reading.force_P.z, 1, 0.01);
}

// Press, drag aside, half of the way back and out a little, in `n` steps each: a motion is not lost because
// it is slow (steps of a ten-thousandth of the depth), nor a reading late by what is not yet remembered.
TEST(LayerField, AsManyStepsAsOneLikes) {
  const auto run = [](int n) {
    Mini m;
    m.At(0, 0, -1e-5);
    const Vec3 way[] = {{0.05e-3, 0, 0.7e-3},
                        {0.3e-3, 0.1e-3, 0.7e-3},
                        {0.15e-3, 0.05e-3, 0.7e-3},
                        {0.15e-3, 0.05e-3, 0.6e-3}};
    Vec3 from{0, 0, -1e-5};
    for (const Vec3& to : way) {
      for (int i = 1; i <= n; ++i) {
        const Vec3 at = from + (1.0 * i / n) * (to - from);
        m.At(at.x, at.y, at.z);
      }
      from = to;
    }
    return m.reading;
  };
  const LayerReading few = run(25), many = run(500);
  EXPECT_GT(-few.force_P.z, 0.4);
  EXPECT_LT(norm(many.force_P - few.force_P), 0.01 * norm(few.force_P));
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_LT(norm(many.displacement[i] - few.displacement[i]), 0.04 * norm(few.displacement[1])) << i;
}

TEST(LayerField, TheReadingsOfAShiftBelongTogether) {
  Mini m;
  m.At(0, 0, -1e-4);
  m.At(0, 0, 0.5e-3);
  const LayerState before = m.field.state();
  const Pose shift{{}, {0, 0, -0.1e-3}};
  m.field.Step({Pose{{}, {0, 0, 11.5e-3}}}, &shift, &m.reading);
  EXPECT_EQ(m.field.state(), before);
  std::vector<double> p;
  m.field.Pressure(&p);
  double sum = 0;
  for (const double x : p) sum += x * m.field.cells().pitch * m.field.cells().pitch;
  EXPECT_NEAR(sum / -m.reading.force_P.z, 1, 1e-4);
}

TEST(LayerField, DeepPressesAndJumpsStayFinite) {
  Mini m;
  for (const double depth : {1e-3, 6e-3, 20e-3, -5e-3, 3e-3, 3e-3}) {
    m.At(depth, -depth, depth);
    EXPECT_TRUE(is_finite(m.reading.force_P)) << depth;
    for (const Vec3& u : m.reading.displacement) EXPECT_TRUE(is_finite(u));
  }
}

}  // namespace
}  // namespace taxel
