// How fine is fine enough:
//   - at default settings within 1 % and with 40 facets across within 0.1 % of closed forms: sphere, capsule
//   lying and upright, cylinder lying, ellipsoid flat and on its side; of fine results: cylinder on its rim,
//   tilted capsule
//   - shallow touches, 1e-5 of the radius, are as good as deep ones
//   - the error falls with the number of facets; `resolution` trades faces for accuracy, per query or per
//   body
#include <gtest/gtest.h>

#include "scenes.h"

namespace taxel {
using namespace internal;
namespace {

using test::At;
using test::kPi;
using test::Soft;
using test::SphereOnPlane;

constexpr double kE = 1e5;

struct Case {
  const char* name;
  Primitive shape;
  Mat3 R;
  double lowest;            // support below the centre
  double (*force)(double);  // closed form in the depth; nullptr: against a fine result
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

// Force of a segment of height h < r of a disc of unit thickness with p = E (1 - rho / R): one slice of a
// lying cylinder. With h0 = R - d, a = sqrt(R^2 - h0^2): int_-a^a 1 - sqrt(s^2 + h0^2) / R ds
//     = 2 a - (a R + h0^2 asinh(a / h0)) / R.
double Slice(double R, double d) {
  const double h = R - d, a = std::sqrt(R * R - h * h);
  return kE * (2 * a - (a * R + h * h * std::asinh(a / h)) / R);
}
constexpr double kR = 0.02, kL = 0.05;
// A lying cylinder: its ends are nearer than the side for points within their depth of the end; the cut at
// height h0 has u = min(1 - rho/R, (L/2 - |z|)/R): lose at each end int (u_side - w/R)+ dw = R/2 u_side^2.
double LyingCylinder(double d) {
  double loss = 0;
  const double h = kR - d, a = std::sqrt(kR * kR - h * h);
  const int n = 20000;
  for (int i = 0; i < n; ++i) {
    const double s = a * (i + 0.5) / n, u = 1 - std::sqrt(s * s + h * h) / kR;
    loss += 2 * kR / 2 * u * u * (a / n) * 2;  // both halves, both ends
  }
  return kL * Slice(kR, d) - kE * loss;
}
double LyingCapsule(double d) { return kL * Slice(kR, d) + SphereOnPlane(kE, kR, d).force; }
double UprightCapsule(double d) { return SphereOnPlane(kE, kR, d).force; }
double Ball(double d) { return SphereOnPlane(kE, kR, d).force; }
// An ellipsoid is a stretched ball: in the coordinates S^-1 x the same integral, times the areas' factor a b
// / R^2 for semi-axes a, b in the plane, at the relative depth d / c.
double FlatEllipsoid(double d) { return SphereOnPlane(kE, 1, d / 0.012).force * 0.03 * 0.02; }
double EllipsoidOnItsSide(double d) { return SphereOnPlane(kE, 1, d / 0.03).force * 0.012 * 0.02; }

class Refined : public testing::TestWithParam<Case> {
 protected:
  double Force(double depth, const ContactOptions& options, bool soft, int* faces = nullptr) const {
    const Pose X = test::TiltedPose();
    BodyOptions ground = Soft(kE);
    ground.field.thickness = kR;
    const Body body(GetParam().shape, soft ? Soft(kE) : BodyOptions{}),
        plate(HalfSpace{}, soft ? BodyOptions{} : ground);
    const Pose X_WA =
        X * Pose{RotationAbout({0, 0, 1}, 0.7) * GetParam().R, {0.01, 0.02, GetParam().lowest - depth}};
    const ContactSurface s = ComputeContact(body, X_WA, plate, X, options);
    if (faces) *faces = s.num_faces();
    return s.normal_force;
  }
  double Expected(double depth) const {
    if (GetParam().force) return GetParam().force(depth);
    ContactOptions fine;
    fine.facets_across = 120;
    return Force(depth, fine, true);
  }
};

TEST_P(Refined, DefaultIsGoodToOnePercentAndFineToOnePerMille) {
  ContactOptions fine;
  fine.facets_across = 40;
  for (double depth : {1e-5, 1e-3, 0.03, 0.1, 0.3}) {
    const double d = depth * kR * 0.5, expected = Expected(d);
    EXPECT_NEAR(Force(d, {}, true) / expected, 1, 1e-2) << depth;
    EXPECT_NEAR(Force(d, fine, true) / expected, 1, 1e-3) << depth;
  }
}

TEST_P(Refined, TheErrorFallsWithTheNumberOfFacets) {
  const double d = 0.05 * kR;
  ContactOptions finest;
  finest.facets_across = 200;
  const double expected = Force(d, finest, true);
  double error[3];
  for (int k = 0; k < 3; ++k) {
    ContactOptions options;
    options.facets_across = k == 0 ? 5 : (k == 1 ? 10 : 20);
    error[k] = std::fabs(Force(d, options, true) / expected - 1);
  }
  // Second order would be a factor of 16 from 5 to 20; where facets straddle the rim of the patch it is not
  // even.
  EXPECT_LT(error[2], error[0] / 5 + 1e-5);
  EXPECT_LT(error[0], 0.03);
}

TEST_P(Refined, ResolutionTradesFacesForAccuracy) {
  const double d = 0.05 * kR, expected = Expected(d);
  ContactOptions coarse, fine;
  coarse.resolution = 0.15 * kR;
  fine.resolution = 0.02 * kR;
  int few = 0, many = 0;
  const double rough = Force(d, coarse, true, &few), exact = Force(d, fine, true, &many);
  EXPECT_GT(many, 2 * few);
  EXPECT_NEAR(rough / expected, 1, 0.1);
  EXPECT_NEAR(exact / expected, 1, 3e-3);
  // The body's own resolution does the same as the query's.
  BodyOptions own = Soft(kE);
  own.resolution = fine.resolution;
  const Pose X_WA{GetParam().R, {0, 0, GetParam().lowest - d}};
  const Body body(GetParam().shape, own), plain(GetParam().shape, Soft(kE)), plate(HalfSpace{}, {});
  EXPECT_EQ(ComputeContact(body, X_WA, plate, {}).vertices,
            ComputeContact(plain, X_WA, plate, {}, fine).vertices);
}

TEST_P(Refined, ARigidOneInASoftHalfSpaceIsAsGood) {
  // p = k depth: the force is k times the overlap volume, whatever the shape; here against a fine result.
  ContactOptions fine;
  fine.facets_across = 60;
  for (double depth : {1e-5, 0.01, 0.2}) {
    const double d = depth * kR, expected = Force(d, fine, false);
    EXPECT_NEAR(Force(d, {}, false) / expected, 1, 1e-2) << depth;
  }
}

const Mat3 kLie = RotationAbout({0, 1, 0}, kPi / 2), kTilt = RotationAbout({0, 1, 0}, 0.6);
INSTANTIATE_TEST_SUITE_P(
    Shapes, Refined,
    testing::Values(
        Case{"Sphere", Sphere{kR}, kTilt, kR, Ball},
        Case{"LyingCylinder", Cylinder{kR, kL}, kLie, kR, LyingCylinder},
        Case{"CylinderOnItsRim", Cylinder{kR, kL}, kTilt, kR* std::sin(0.6) + 0.5 * kL* std::cos(0.6),
             nullptr},
        Case{"LyingCapsule", Capsule{kR, kL}, kLie, kR, LyingCapsule},
        Case{"UprightCapsule", Capsule{kR, kL}, Mat3{}, kR + 0.5 * kL, UprightCapsule},
        Case{"TiltedCapsule", Capsule{kR, kL}, kTilt, kR + 0.5 * kL* std::cos(0.6), UprightCapsule},
        Case{"FlatEllipsoid", Ellipsoid{{0.03, 0.02, 0.012}}, Mat3{}, 0.012, FlatEllipsoid},
        Case{"EllipsoidOnItsSide", Ellipsoid{{0.03, 0.02, 0.012}}, kLie, 0.03, EllipsoidOnItsSide}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace taxel
