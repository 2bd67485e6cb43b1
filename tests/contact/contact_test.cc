// ComputeContact in closed form:
//   - a soft sphere on a rigid plate, a rigid sphere in a soft half space, at tilted poses: force, area,
//   pressure
//   - two soft spheres of equal modulus; of unequal modulus
//   - flat faces to rounding: box on plate, block on a backed pad, soft cube on a soft half space (springs in
//   series)
//   - a sphere in a groove of triangles
//   - refused: rigid pairs, two half spaces, poses that are none; wrong options
//   - culling; no contact; the same bits each time; workspaces
#include "taxel/contact/contact.h"

#include <gtest/gtest.h>

#include <limits>

#include "../shape/expect_error.h"
#include "scenes.h"
#include "taxel/field/stiffening.h"

namespace taxel {
using namespace internal;
namespace {

using test::At;
using test::Backed;
using test::kPi;
using test::Soft;
using test::SphereOnPlane;

TEST(ComputeContact, ASoftSphereOnAPlate) {
  const double E = 1e5, R = 0.05;
  const Body ball(Sphere{R}, Soft(E)), plate(HalfSpace{}, {}), slab(Box{{0.3, 0.2, 0.02}}, {});
  for (int i = 0; i < 10; ++i) {
    const Pose X = test::RandomPose(3, i, 0.2);
    for (double d : {1e-5, 0.001, 0.005, 0.02}) {
      const auto expected = SphereOnPlane(E, R, d);
      const Pose X_WA = X * Pose{test::RandomRotation(4, i), {0.01, -0.02, R - d}};
      for (const ContactSurface& s : {ComputeContact(ball, X_WA, plate, X),
                                      ComputeContact(ball, X_WA, slab, X * At({0.03, 0.01, -0.01}))}) {
        // Ten facets across promise 0.1 % on average, 1 % always.
        EXPECT_NEAR(s.normal_force, expected.force, 5e-3 * expected.force) << d;
        EXPECT_LT(norm(s.wrench_on_A.force - expected.force * X.R.col(2)), 5e-3 * expected.force);
        EXPECT_NEAR(s.area, expected.area, 1e-2 * expected.area);
        EXPECT_NEAR(s.max_pressure, E * d / R, 2e-2 * E * d / R);
        // The centre of pressure lies below the centre of the ball, in the plate.
        EXPECT_LT(norm(s.center_of_pressure - X * Vec3{0.01, -0.02, 0}), 1e-3 * std::sqrt(2 * R * d));
      }
    }
  }
}

TEST(ComputeContact, ARigidSphereInASoftHalfSpace) {
  // p = k depth over the cap: the vertical force is k times the volume of the cap, pi d^2 (R - d/3).
  const double E = 6e4, T = 0.03, R = 0.02;
  BodyOptions o = Soft(E);
  o.field.thickness = T;
  const Body ball(Sphere{R}, {}), ground(HalfSpace{}, o);
  const Pose X = test::TiltedPose();
  for (double d : {0.0005, 0.004, 0.012}) {
    const ContactSurface s = ComputeContact(ground, X, ball, X * At({0.02, 0.03, R - d}));
    const double force = E / T * kPi * d * d * (R - d / 3);
    EXPECT_LT(norm(s.wrench_on_A.force + force * X.R.col(2)), 5e-3 * force) << d;
    EXPECT_NEAR(s.area, 2 * kPi * R * d, 1e-2 * 2 * kPi * R * d);
  }
}

TEST(ComputeContact, TwoEqualSoftSpheresMeetInTheMiddle) {
  const double E = 8e4, R = 0.04;
  const Body a(Sphere{R}, Soft(E)), b(Sphere{R}, Soft(E));
  for (double d : {0.001, 0.006, 0.02}) {
    const Pose X = test::RandomPose(5, static_cast<int>(d * 1e4), 0.1);
    const Vec3 n = test::UniformDirection(6, 1);
    const ContactSurface s = ComputeContact(a, X, b, X * Pose{test::RandomRotation(7, 1), (2 * R - d) * n});
    const auto half = SphereOnPlane(E, R, d / 2);
    EXPECT_LT(norm(s.wrench_on_A.force + half.force * (X.R * n)), 5e-3 * half.force) << d;
    EXPECT_NEAR(s.area, half.area, 1e-2 * half.area);
    // The middle plane.
    for (const Vec3& v : s.vertices) EXPECT_NEAR(dot(X.R * n, v - X.p), R - d / 2, 1e-3 * d);
    for (int k = 0; k < s.num_faces(); ++k) EXPECT_NEAR(s.gradients_A[k], s.gradients_B[k], 0.01 * E / R);
  }
}

TEST(ComputeContact, AStifferSphereBehavesMoreAndMoreLikeARigidOne) {
  const double E = 5e4, R = 0.04, d = 0.004;
  const Body soft(Sphere{R}, Soft(E)), rigid(Sphere{0.03}, {});
  const Pose X_WB = At({0.02, 0.03, std::sqrt((0.07 - d) * (0.07 - d) - 0.0013)});
  const double limit = ComputeContact(soft, Pose{}, rigid, X_WB).normal_force;
  double before = 0;
  for (double stiffness : {1.0, 10.0, 100.0, 1e4}) {
    const double force =
        ComputeContact(soft, Pose{}, Body(Sphere{0.03}, Soft(stiffness * E)), X_WB).normal_force;
    EXPECT_GT(force, before);
    before = force;
  }
  EXPECT_NEAR(before, limit, 5e-3 * limit);
}

TEST(ComputeContact, FlatFacesAreExact) {
  // A soft box flat on a plate: the bottom face's cell is a frustum. With side a x b, depth d < H = half the
  // height: p = E d / H inside, falling to the side walls: the plane z = d above the bottom cuts the four
  // wall cells where the wall is nearer than d. F = (E / H) int min(d, distance to the walls).
  const double E = 4e4, a = 0.06, b = 0.05, H = 0.01, d = 0.003;
  const Body box(Box{{a, b, 2 * H}}, Soft(E)), plate(HalfSpace{}, {});
  const Pose X = test::TiltedPose();
  const ContactSurface s = ComputeContact(box, X * At({0.02, 0.01, H - d}), plate, X);
  // int min(d, w) over a rectangle = int_0^d (a - 2 w)(b - 2 w) dw.
  const double integral = a * b * d - (a + b) * d * d + 4.0 / 3 * d * d * d;
  EXPECT_NEAR(s.normal_force, E / H * integral, 1e-9 * E / H * integral);
  EXPECT_NEAR(s.area, a * b, 1e-9 * a * b);
  EXPECT_LT(norm(s.wrench_on_A.force - s.normal_force * X.R.col(2)), 1e-9);
  EXPECT_LT(norm(s.center_of_pressure - X * Vec3{0.02, 0.01, 0}), 1e-12);
}

TEST(ComputeContact, ABlockOnABackedPadIsExact) {
  const double E = 3e4, T = 0.018, side = 0.03;
  const Body pad(Box{{0.08, 0.06, T}}, Backed(E)), block(Box{{side, side, side}}, {});
  const Pose X = test::TiltedPose();
  const std::vector<Layer> law = StiffeningLaw(E, 0.8);
  for (double d : {1e-4, 0.004, 0.0144, 0.0153, 0.0169, 0.0178}) {
    const Pose X_WB = X * Pose{RotationAbout({0, 0, 1}, 0.4), {0.007, -0.004, 0.5 * T + 0.5 * side - d}};
    const ContactSurface s = ComputeContact(pad, X, block, X_WB);
    // The side walls push against each other; only the bottom is left.
    const double force = PressureOfDepth(law, d / T) * side * side;
    EXPECT_LT(norm(s.wrench_on_A.force + force * X.R.col(2)), 1e-9 * s.normal_force) << d;
    EXPECT_NEAR(s.area, side * side + 4 * side * d, 1e-9 * s.area);
  }
}

TEST(ComputeContact, ASoftCubeOnASoftHalfSpaceIsTwoSpringsInSeries) {
  // Both backed, so that there is no edge effect: p = d / (T1/E1 + T2/E2) while both are linear.
  const double E1 = 3e4, T1 = 0.04, E2 = 5e4, T2 = 0.02, d = 0.009;
  BodyOptions down = Backed(E1);
  down.field.exposed = {0, 0, -1};
  const Body cube(Box{{0.05, 0.03, T1}}, down), ground(HalfSpace{}, Backed(E2, T2));
  BodyOptions linear = Soft(E2);
  linear.field.thickness = T2;
  const Body plain(HalfSpace{}, linear);
  const Pose X = test::TiltedPose();
  const double p = d / (T1 / E1 + T2 / E2), force = p * 0.05 * 0.03;
  for (const Body& half_space : {ground, plain})
    for (bool swap : {false, true}) {
      const Pose X_WC = X * At({0.03, 0.02, 0.5 * T1 - d});
      const ContactSurface s =
          swap ? ComputeContact(half_space, X, cube, X_WC) : ComputeContact(cube, X_WC, half_space, X);
      EXPECT_NEAR(s.normal_force, force, 1e-9 * force);
      EXPECT_LT(norm(s.wrench_on_A.force - (swap ? -force : force) * X.R.col(2)), 1e-9 * force);
      EXPECT_NEAR(s.max_pressure, p, 1e-9 * p);
      EXPECT_NEAR(dot(X.R.col(2), s.centroid - X.p), -p * T2 / E2, 1e-12);
    }
}

TEST(ComputeContact, ASphereInAGrooveOfTriangles) {
  // Two walls at right angles, each as on a plate: the discs do not reach the bottom of the groove (d << R).
  const double E = 1e5, R = 0.02, d = 0.001, L = 0.1, h = R - d;
  TriangleMesh groove;
  groove.vertices = {{0, -L, 0}, {0, L, 0}, {L, -L, 0}, {L, L, 0}, {0, -L, L}, {0, L, L}};
  groove.triangles = {{0, 2, 1}, {1, 2, 3}, {0, 1, 4}, {1, 5, 4}};  // facing up (z) and along x
  const Body ball(Sphere{R}, Soft(E)), walls(groove, {});
  const Pose X = test::TiltedPose();
  const auto one = SphereOnPlane(E, R, d);
  for (int i = 0; i < 5; ++i) {
    const Pose X_WA = X * Pose{test::RandomRotation(8, i), {h, 0.013 * i - 0.02, h}};
    const ContactSurface s = ComputeContact(ball, X_WA, walls, X);
    const Vec3 expected = one.force * (X.R.col(0) + X.R.col(2));
    EXPECT_LT(norm(s.wrench_on_A.force - expected), 1e-2 * norm(expected)) << i;
    EXPECT_NEAR(s.area, 2 * one.area, 2e-2 * 2 * one.area);
  }
}

TEST(ComputeContact, RefusesWhatHasNoAnswer) {
  BodyOptions left, thick = Soft(1e5);
  left.name = "left";
  thick.name = "ground";
  thick.field.thickness = 0.02;
  const Body rigid(Sphere{0.03}, left), other(Box{{0.1, 0.1, 0.1}}, {}), soft(Sphere{0.03}, Soft(1e5));
  const Body ground(HalfSpace{}, thick), wall(HalfSpace{}, {});
  ExpectError([&] { ComputeContact(rigid, {}, other, {}); },
              {"'left'", "'box'", "are rigid", "give one of them a modulus"});
  ExpectError([&] { ComputeContact(ground, {}, wall, {}); },
              {"'ground'", "'half_space'", "unbounded", "box"});
  Pose nan, inf, scaled, mirrored;
  nan.p.y = std::numeric_limits<double>::quiet_NaN();
  inf.R.m[4] = std::numeric_limits<double>::infinity();
  scaled.R.m[0] = 1.01;
  mirrored.R.m[8] = -1;
  ExpectError([&] { ComputeContact(rigid, nan, soft, {}); }, {"pose of A ('left')", "not finite"});
  ExpectError([&] { ComputeContact(soft, {}, rigid, inf); }, {"pose of B ('left')", "not finite"});
  ExpectError([&] { ComputeContact(soft, {}, rigid, scaled); },
              {"rotation of B ('left')", "off by 0.02", "normalise the quaternion"});
  ExpectError([&] { ComputeContact(soft, mirrored, rigid, {}); },
              {"rotation of A", "off by 2", "right-handed"});
  Pose nearly;
  nearly.R.m[0] = 1 + 2e-7;  // rounding of a quaternion in single precision is let pass
  EXPECT_NO_THROW(ComputeContact(soft, nearly, rigid, {}));
  ContactOptions few, negative;
  few.facets_across = 1;
  negative.resolution = -1;
  ExpectError([&] { ComputeContact(soft, {}, rigid, {}, few); }, {"facets_across is 1", "2 or more"});
  ExpectError([&] { ComputeContact(soft, {}, rigid, {}, negative); }, {"resolution is -1", "0 (automatic)"});
}

TEST(ComputeContact, CullingDropsFacesThatLookTheWrongWay) {
  // A thin plate deep in a soft box: its upper face looks out of the box and would be sucked in.
  const Body box(Box{{0.1, 0.1, 0.04}}, Soft(1e5)), plate(Box{{0.03, 0.02, 0.002}}, {});
  const Pose X = test::TiltedPose(), X_WB = X * At({0.004, 0.003, 0.012});
  ContactOptions keep;
  keep.cull = false;
  const ContactSurface culled = ComputeContact(box, X, plate, X_WB),
                       all = ComputeContact(box, X, plate, X_WB, keep);
  // Bottom and sides against all six faces.
  EXPECT_NEAR(all.area - culled.area, 0.03 * 0.02, 1e-9);
  EXPECT_NEAR(all.area, 2 * (0.03 * 0.02 + 0.03 * 0.002 + 0.02 * 0.002), 1e-9);
  // With all faces: buoyancy, the gradient E / H times the volume, towards the surface.
  EXPECT_LT(norm(all.wrench_on_A.force + 1e5 / 0.02 * (0.03 * 0.02 * 0.002) * X.R.col(2)), 1e-9);
  ContactOptions narrow;
  narrow.cull_angle = 0.5;  // less than a right angle: the sides go too
  EXPECT_NEAR(ComputeContact(box, X, plate, X_WB, narrow).area, 0.03 * 0.02, 1e-9);
}

TEST(ComputeContact, ApartIsEmptyWhateverWasThereBefore) {
  const Body ball(Sphere{0.03}, Soft(1e5)), plate(HalfSpace{}, {}), mesh(test::BoxMesh({0.1, 0.1, 0.1}), {});
  ContactWorkspace workspace;
  ContactSurface s;
  ComputeContact(ball, At({0, 0, 0.02}), plate, {}, {}, &workspace, &s);
  ASSERT_FALSE(s.empty());
  ComputeContact(ball, At({0, 0, 0.0301}), plate, {}, {}, &workspace, &s);
  EXPECT_TRUE(s.empty());
  EXPECT_EQ(s.face_start, std::vector<std::int32_t>{0});
  EXPECT_EQ(s.area, 0);
  EXPECT_EQ(s.normal_force, 0);
  EXPECT_EQ(s.max_pressure, 0);
  EXPECT_EQ(s.wrench_on_A.force, Vec3{});
  ComputeContact(ball, At({0, 0, 0.0801}), mesh, {}, {}, &workspace, &s);
  EXPECT_TRUE(s.empty());
}

TEST(ComputeContact, TheSameInputGivesTheSameBitsInAnyWorkspace) {
  const Body ball(Sphere{0.03}, Soft(1e5)), box(Box{{0.05, 0.04, 0.06}}, Soft(2e5)),
      cap(Capsule{0.01, 0.05}, {});
  const Pose X = test::TiltedPose(), Y = X * At({0.02, 0.03, 0.035});
  const ContactSurface fresh = ComputeContact(ball, X, box, Y);
  ContactWorkspace used;
  ContactSurface s;
  ComputeContact(box, X, cap, Y, {}, &used, &s);
  ComputeContact(ball, X, box, Y, {}, &used, &s);
  ASSERT_FALSE(s.empty());
  EXPECT_EQ(s.vertices, fresh.vertices);
  EXPECT_EQ(s.pressures, fresh.pressures);
  EXPECT_EQ(s.wrench_on_A.torque, fresh.wrench_on_A.torque);
}

}  // namespace
}  // namespace taxel
