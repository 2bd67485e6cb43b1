// Layers that follow the size of their contacts:
//   - the radius of a contact: ball, flat punch, strip, in a tilted world, by polygons and by columns
//   - the force is that of one stiffness times the rule; a wide press is left as it was
//   - on a half space; with a soft body in series, whichever comes first; on a height field
//   - depths, cores and the totals of the surface fit the scaled pressures
//   - wrong values and uses are refused by name
#include "taxel/contact/layer_size.h"

#include <gtest/gtest.h>

#include <cmath>

#include "scenes.h"
#include "taxel/contact/contact.h"
#include "taxel/contact/contact_gradient.h"
#include "taxel/contact/core_touch.h"
#include "taxel/field/layer_modulus.h"
#include "taxel/math/error.h"

namespace taxel::internal {
namespace {

using test::At;

constexpr double kThick = 0.006, kModulus = 4e4;

BodyOptions Layer(double poisson, FieldKind kind = FieldKind::kBacked) {
  BodyOptions o;
  o.modulus = kModulus;
  o.field.kind = kind;
  o.field.poisson = poisson;
  if (kind == FieldKind::kColumns) o.resolution = 5e-4;
  return o;
}

Body Pad(double poisson, FieldKind kind = FieldKind::kBacked) {
  return Body(Box{{0.09, 0.07, kThick}}, Layer(poisson, kind));
}

ContactSurface Press(const Body& pad, const Body& object, double height, const Pose& turn = {}) {
  const Pose X = test::TiltedPose();
  return ComputeContact(pad, X, object, X * At({0.004, -0.006, 0.5 * kThick + height}) * turn);
}

TEST(ContactRadius, IsThatOfABallAndOfAPunch) {
  const double R = 0.011, depth = 0.0012;
  const double cap = std::sqrt(2 * R * depth - depth * depth);
  for (FieldKind kind : {FieldKind::kBacked, FieldKind::kColumns})
    EXPECT_NEAR(ContactRadius(Press(Pad(-1, kind), Body(Sphere{R}, {}), R - depth)), cap, 0.01 * cap);
  const Body punch(Cylinder{0.004, 0.03}, {});
  for (double deep : {0.0005, 0.004}) {  // its wall, however long, is no part of it
    const double a = ContactRadius(Press(Pad(-1), punch, 0.015 - deep));
    EXPECT_NEAR(a, 0.004, 1e-4) << deep;
  }
}

TEST(ContactRadius, OfAStripIsTwiceItsAreaOverItsPerimeter) {
  // Ellipse with the moments of the rectangle: half axes 2 / sqrt(3) times its half sides.
  const double a = 0.02 * 2 / std::sqrt(3.0), b = 0.002 * 2 / std::sqrt(3.0);
  const Pose turned{RotationAbout({0, 0, 1}, 0.4), {}};
  const double found =
      ContactRadius(Press(Pad(-1), Body(Box{{0.04, 0.004, 0.02}}, {}), 0.01 - 0.001, turned));
  EXPECT_NEAR(found, a * b / std::sqrt(0.5 * (a * a + b * b)), 1e-6);
}

TEST(ContactRadius, OfNothingIs0) { EXPECT_EQ(ContactRadius({}), 0); }

TEST(FollowSize, MultipliesByTheRule) {
  for (FieldKind kind : {FieldKind::kBacked, FieldKind::kColumns})
    for (double nu : {0.0, 0.25, 0.48})
      for (double R : {0.003, 0.02}) {
        const Body ball(Sphere{R}, {});
        const ContactSurface plain = Press(Pad(-1, kind), ball, R - 7e-4);
        const ContactSurface sized = Press(Pad(nu, kind), ball, R - 7e-4);
        const double f = EffectiveModulus(ContactRadius(plain) / kThick, nu) / SoftestModulus(nu);
        EXPECT_GE(f, 1);
        EXPECT_NEAR(sized.size_factor, f, 1e-12 * f);
        EXPECT_LT(norm(sized.wrench_on_A.force - f * plain.wrench_on_A.force), 1e-9 * plain.normal_force);
        EXPECT_LT(norm(sized.wrench_on_A.torque - f * plain.wrench_on_A.torque), 1e-9 * plain.normal_force);
        EXPECT_NEAR(sized.normal_force, f * plain.normal_force, 1e-9 * plain.normal_force);
        EXPECT_NEAR(sized.max_pressure, f * plain.max_pressure, 1e-9 * plain.max_pressure * f);
        EXPECT_EQ(sized.area, plain.area);
        double sum = 0;
        for (int k = 0; k < sized.num_faces(); ++k) sum += sized.areas[k] * sized.face_pressures[k];
        EXPECT_NEAR(sum, sized.normal_force, 1e-9 * sized.normal_force);
      }
}

TEST(FollowSize, LeavesAWidePressOnFoamAsItWas) {
  const Body plate(Box{{0.2, 0.2, 0.02}}, {});
  EXPECT_NEAR(Press(Pad(0), plate, 0.01 - 0.001).size_factor, 1, 0.02);
}

TEST(FollowSize, KnowsHalfSpaces) {
  BodyOptions o = Layer(0.1, FieldKind::kDistance);
  o.field.thickness = kThick;
  const Body ground(HalfSpace{}, o), ball(Sphere{0.005}, {});
  const ContactSurface s = ComputeContact(ground, {}, ball, At({0.01, 0.02, 0.0045}));
  EXPECT_NEAR(s.size_factor, EffectiveModulus(ContactRadius(s) / kThick, 0.1) / SoftestModulus(0.1), 1e-9);
}

TEST(FollowSize, IsInSeriesWithASecondSoftBody) {
  const Body pad = Pad(0), ball(Sphere{0.006}, test::Soft(2e5));
  const Pose X = test::TiltedPose(), X_ball = X * At({0.001, 0.002, 0.5 * kThick + 0.005});
  const ContactSurface ab = ComputeContact(pad, X, ball, X_ball), ba = ComputeContact(ball, X_ball, pad, X);
  const double f = EffectiveModulus(ContactRadius(ab) / kThick, 0) / SoftestModulus(0);
  const double k = kModulus / kThick, other = 2e5 / 0.006;
  EXPECT_NEAR(ab.size_factor, (1 / k + 1 / other) / (1 / (f * k) + 1 / other), 1e-9);
  EXPECT_GT(ab.size_factor, 1.2);
  EXPECT_EQ(ab.size_factor, ba.size_factor);
  EXPECT_EQ(norm(ab.wrench_on_A.force + ba.wrench_on_A.force), 0);
}

TEST(FollowSize, DepthsAndCoresAreThoseOfThePlainLayer) {
  const Body ball(Sphere{0.004}, {});
  for (double depth : {0.001, 0.004, 0.0057, 0.0059}) {
    const Body plain = Pad(-1), sized = Pad(0);
    const ContactSurface a = Press(plain, ball, 0.004 - depth), b = Press(sized, ball, 0.004 - depth);
    EXPECT_NEAR(ContactDepth(b, sized, ball), ContactDepth(a, plain, ball), 1e-12);
    std::vector<CoreTouch> from_a, from_b;
    Patch patch_a, patch_b;
    patch_a.Build(a, {}, {}), patch_b.Build(b, {}, {});
    FindCoreTouches(a, patch_a, plain, ball, 1e-3, &from_a);
    FindCoreTouches(b, patch_b, sized, ball, 1e-3, &from_b);
    ASSERT_EQ(from_a.size(), from_b.size()) << depth;
    for (std::size_t i = 0; i < from_a.size(); ++i) EXPECT_NEAR(from_a[i].gap, from_b[i].gap, 1e-12) << depth;
  }
}

template <typename Do>
std::string Words(Do action) {
  try {
    action();
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

TEST(FollowSize, RefusesWhatItCannotDo) {
  EXPECT_NE(Words([] { Pad(0.5); }).find("layer_poisson is 0.5; give"), std::string::npos);
  EXPECT_NE(Words([] { Pad(-0.2); }).find("layer_poisson is -0.2"), std::string::npos);
  EXPECT_NE(Words([] { Pad(std::nan("")); }).find("layer_poisson is"), std::string::npos);
  EXPECT_NE(Words([] { Body(Sphere{0.01}, Layer(0.1, FieldKind::kDistance)); }).find("'backed' or 'columns'"),
            std::string::npos);
  BodyOptions rigid = Layer(0.1);
  rigid.modulus = 0;
  EXPECT_NE(Words([&] { Body(Box{{0.1, 0.1, 0.1}}, rigid); }), "");
  ContactWorkspace workspace;
  ContactSurface surface;
  ContactGradient gradient;
  const Body pad = Pad(0), ball(Sphere{0.004}, {});
  EXPECT_NE(Words([&] {
              ComputeContactGradient(pad, {}, ball, At({0, 0, 0.006}), {}, &workspace, &surface, &gradient);
            }).find("layer_poisson"),
            std::string::npos);
}

}  // namespace
}  // namespace taxel::internal
