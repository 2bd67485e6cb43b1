// A skin of columns against polygons and closed forms, at tilted poses:
//  - smooth bodies at random on a flat pad, on fingers, half of the spacing; a flat punch exactly, its
//  ripple;
//  - an edge and a corner; the rim of a cylinder; something beside a cap is not felt by it;
//  - soft on soft: linear laws have a closed form, stiffening ones the polygons';
//  - meshes by samples and by triangles against the shapes they stand for; needles; a height field;
//  - swapped bodies: the same bits with the other sign; deep overlap keeps its middle; behind the bone
//  nothing;
//  - a capsule poked in end first or rolled over its seam pushes without a jump, and hardly sideways;
//  - columns of a plane; the column of each face.
#include "taxel/contact/column_contact.h"

#include <gtest/gtest.h>

#include "scenes.h"
#include "taxel/math/error.h"
#include "taxel/shape/primitive_tets.h"

namespace taxel {
using namespace internal;
namespace {

using test::At;
using test::Backed;
using test::kPi;
using test::RandomRotation;
using test::Soft;
using test::Uniform;

BodyOptions Columned(double modulus, double thickness = 0, double resolution = 0) {
  BodyOptions o = Backed(modulus, thickness);
  o.field.kind = FieldKind::kColumns;
  o.resolution = resolution;
  return o;
}

Wrench On(const Body& A, const Pose& X, const Body& B, const Pose& Y) {
  return ComputeContact(A, X, B, Y).wrench_on_A;
}

double Off(const Vec3& a, const Vec3& b) { return norm(a - b) / norm(b); }

const Box kPad{{0.04, 0.04, 0.006}};

// A body of radius about 8 mm whose lowest point is `depth` below the pad's skin.
Pose PressedIn(const Primitive& shape, const Mat3& R, double x, double y, double depth) {
  const TriangleMesh surface = PrimitiveSurface(shape, 0.0005);
  double least = HUGE_VAL;
  for (const Vec3& v : surface.vertices) least = std::min(least, (R * v).z);
  return {R, {x, y, 0.003 - least - depth}};
}

TEST(ColumnContact, AgreesWithPolygonsOnAPad) {
  const Body polygons(kPad, Backed(1e5)), columns(kPad, Columned(1e5)),
      fine(kPad, Columned(1e5, 0, 0.000625));
  const Primitive shapes[] = {Sphere{0.008}, Capsule{0.006, 0.012}, Ellipsoid{{0.006, 0.009, 0.012}},
                              Sphere{0.0025}};
  for (int i = 0; i < 60; ++i) {
    const Primitive& shape = shapes[i % 4];
    const Body body(shape, {});
    const Pose X =
        PressedIn(shape, RandomRotation(3, i), Uniform(5, i, -0.012, 0.012), Uniform(6, i, -0.012, 0.012),
                  Uniform(7, i, 0.0003, i % 4 == 3 ? 0.0012 : 0.0035));
    ContactOptions exact;
    exact.facets_across = 60;
    const ContactSurface a = ComputeContact(polygons, {}, body, X, exact),
                         b = ComputeContact(columns, {}, body, X), c = ComputeContact(fine, {}, body, X);
    EXPECT_LT(Off(b.wrench_on_A.force, a.wrench_on_A.force), 0.01) << i;
    EXPECT_LT(Off(c.wrench_on_A.force, a.wrench_on_A.force), 0.003) << i;
    EXPECT_NEAR(b.area, a.area, 0.015 * a.area) << i;
    EXPECT_LT(norm(b.center_of_pressure - a.center_of_pressure), 2e-5) << i;
    EXPECT_LT(norm(b.wrench_on_A.torque - a.wrench_on_A.torque), 0.01 * 0.02 * norm(a.wrench_on_A.force))
        << i;
  }
}

TEST(ColumnContact, AgreesWithPolygonsOnFingers) {
  const double R = 0.01;
  const Primitive skins[] = {Sphere{R}, Capsule{R, 0.03}, Cylinder{R, 0.03}};
  const Primitive others[] = {Sphere{0.008}, Capsule{0.006, 0.04}, Box{{0.02, 0.014, 0.014}}};
  for (const Primitive& skin : skins)
    for (const Primitive& other : others)
      for (int i = 0; i < 4; ++i) {
        const Body polygons(skin, Backed(1e5, 0.004)), columns(skin, Columned(1e5, 0.004)), body(other, {});
        const double r = std::holds_alternative<Sphere>(other)    ? 0.008
                         : std::holds_alternative<Capsule>(other) ? 0.006
                                                                  : 0.01;
        const double angle = Uniform(11, i, 0, 2 * kPi), reach = R + r - Uniform(12, i, 0.0006, 0.002);
        // The box keeps its face to the finger, all turn about the line of contact.
        const Mat3 turn =
            RotationAbout({0, 0, 1}, angle) * RotationAbout({1, 0, 0}, Uniform(13, i, 0, 2 * kPi));
        const Pose X{turn, {reach * std::cos(angle), reach * std::sin(angle), 0.002}};
        ContactOptions exact;
        exact.facets_across = 60;
        const Wrench a = ComputeContact(polygons, {}, body, X, exact).wrench_on_A,
                     b = On(columns, {}, body, X);
        EXPECT_LT(Off(b.force, a.force), 0.012)
            << PrimitiveName(skin) << " " << PrimitiveName(other) << " " << i;
      }
}

// F = E a b d / h, wherever it stands and however it is turned.
TEST(ColumnContact, AFlatPunchHasNoRipple) {
  const Body pad(kPad, Columned(1e5)), punch(Box{{0.0071, 0.0053, 0.02}}, {}),
      peg(Cylinder{0.0041, 0.02}, {});
  const double d = 0.0007, box = 1e5 * 0.0071 * 0.0053 * d / 0.006,
               round = 1e5 * kPi * 0.0041 * 0.0041 * d / 0.006;
  for (int i = 0; i < 200; ++i) {
    const Pose X{RotationAbout({0, 0, 1}, Uniform(1, i, 0, 7)),
                 {Uniform(2, i, -0.01, 0.01), Uniform(3, i, -0.01, 0.01), 0.003 + 0.01 - d}};
    EXPECT_NEAR(-On(pad, {}, punch, X).force.z, box, 1e-9 * box);
    EXPECT_NEAR(-On(pad, {}, peg, X).force.z, round, 2e-3 * round);
  }
}

TEST(ColumnContact, ABallHasNoRipple) {
  const Body pad(kPad, Columned(1e5)), ball(Sphere{0.008}, {});
  double least = HUGE_VAL, most = 0;
  for (int i = 0; i < 200; ++i) {
    const double f =
        -On(pad, {}, ball, At({Uniform(2, i, -0.01, 0.01), Uniform(3, i, -0.01, 0.01), 0.0105})).force.z;
    least = std::min(least, f), most = std::max(most, f);
  }
  EXPECT_LT(most - least, 0.005 * least);
}

TEST(ColumnContact, FollowsEdgesAndCorners) {
  const Body polygons(kPad, Backed(1e5)), columns(kPad, Columned(1e5)), cube(Box{{0.01, 0.01, 0.01}}, {});
  const Mat3 edge = RotationAbout({1, 0, 0}, kPi / 4),
             corner = RotationAbout({1, 1, 0}, std::acos(1 / std::sqrt(3.0)));
  for (const Mat3& R :
       {edge, corner, RotationAbout({0, 0, 1}, 0.4) * edge, RotationAbout({0, 0, 1}, 0.9) * corner}) {
    const Pose X = PressedIn(Box{{0.01, 0.01, 0.01}}, R, 0.0013, -0.0021, 0.0011);
    EXPECT_LT(Off(On(columns, {}, cube, X).force, On(polygons, {}, cube, X).force), 1e-6);
  }
}

// A slab beside the cap of a cylinder reaches into the columns of the cap's rim, from the side.
TEST(ColumnContact, ARidgeIsNotFeltTwice) {
  const Body polygons(Cylinder{0.01, 0.03}, Backed(1e5, 0.004)),
      columns(Cylinder{0.01, 0.03}, Columned(1e5, 0.004)), slab(Box{{0.02, 0.05, 0.05}}, {});
  const Pose X = At({0.01 + 0.01 - 0.001, 0, 0});
  const Vec3 a = On(polygons, {}, slab, X).force, b = On(columns, {}, slab, X).force;
  // Beside the cap the polygons' field rises along the slab, which adds to its area and not to what it holds.
  EXPECT_LT(Off(b, a), 0.03);
  EXPECT_NEAR(b.z, 0, 1e-6 * norm(a));
}

TEST(ColumnContact, SoftOnSoftIsASeries) {
  // Two flat layers: E1 z / h1 = E2 w / h2 with z + w = d.
  const Body pad(kPad, Columned(1e5)), block(Box{{0.007, 0.009, 0.004}}, Backed(3e5));
  const double d = 0.001, k1 = 1e5 / 0.006, k2 = 3e5 / 0.004, p = d / (1 / k1 + 1 / k2);
  const Pose X{RotationAbout({1, 0, 0}, kPi), {0.0013, -0.002, 0.003 + 0.002 - d}};  // its exposed face down
  const ContactSurface s = ComputeContact(pad, {}, block, X);
  EXPECT_NEAR(-s.wrench_on_A.force.z, p * 63e-6, 1e-9 * p * 63e-6);
  EXPECT_NEAR(s.centroid.z, 0.003 - p / k1, 1e-9);
  for (int f = 0; f < s.num_faces(); ++f) {
    EXPECT_NEAR(s.gradients_A[f], k1, 1e-6 * k1);
    EXPECT_NEAR(s.gradients_B[f], k2, 1e-6 * k2);
  }
  const Body polygons(kPad, Backed(1e5));
  for (const BodyOptions& o : {Soft(2e5), Backed(2e5, 0.003)})
    for (const double depth : {0.0005, 0.002, 0.004}) {
      const Body ball(Sphere{0.008}, o);
      const Pose Y = At({0.0013, -0.002, 0.011 - depth});
      EXPECT_LT(Off(On(pad, {}, ball, Y).force, On(polygons, {}, ball, Y).force), 0.01) << depth;
    }
}

TEST(ColumnContact, MeshesAreWhatTheyStandFor) {
  const Primitive ball = Sphere{0.008}, cube = Box{{0.01, 0.012, 0.009}};
  const Body pad(kPad, Columned(1e5)), finger(Sphere{0.01}, Columned(1e5, 0.004));
  // Finer than the columns, and coarser.
  for (const double size : {0.0004, 0.003}) {
    const TriangleMesh mesh = PrimitiveSurface(ball, size);
    const Body body(mesh, {});
    ContactOptions exact;
    exact.facets_across = 60;
    for (int i = 0; i < 6; ++i) {
      const Pose X{RandomRotation(9, i), {Uniform(1, i, -0.01, 0.01), Uniform(2, i, -0.01, 0.01), 0.0098}};
      const ContactSurface polygons = ComputeContact(Body(kPad, Backed(1e5)), {}, body, X),
                           s = ComputeContact(pad, {}, body, X);
      EXPECT_LT(Off(s.wrench_on_A.force, polygons.wrench_on_A.force), 0.01) << size << " " << i;
      if (size < 0.001) {
        EXPECT_LT(s.num_faces(), 200);
      }
      const Pose Y{X.R, 0.0168 * normalized(X.p)};
      EXPECT_LT(
          Off(On(finger, {}, body, Y).force,
              ComputeContact(Body(Sphere{0.01}, Backed(1e5, 0.004)), {}, body, Y, exact).wrench_on_A.force),
          0.02);
    }
  }
  const Body block(PrimitiveSurface(cube, 1), {}), exact(cube, {});
  for (int i = 0; i < 10; ++i) {
    const Pose X = PressedIn(cube, RandomRotation(21, i), 0.0013, -0.0021, 0.0011);
    EXPECT_LT(Off(On(pad, {}, block, X).force, On(pad, {}, exact, X).force), 0.02) << i;
  }
}

// A needle between the samples of a cell, and a mesh that is pressed past the bone.
TEST(ColumnContact, MeshesArePressedInByTheirTips) {
  const Body pad(kPad, Columned(1e5)), polygons(kPad, Backed(1e5));
  for (const double width : {0.0001, 0.0004, 0.002}) {
    const Primitive pin = Box{{width, width, 0.02}};
    const Body mesh(PrimitiveSurface(pin, 1), {}), exact(pin, {});
    for (int i = 0; i < 20; ++i) {
      const Pose X{RotationAbout({0, 0, 1}, Uniform(1, i, 0, 7)),
                   {Uniform(2, i, -0.01, 0.01), Uniform(3, i, -0.01, 0.01), 0.003 + 0.01 - 0.0008}};
      const double expected = 1e5 * width * width * 0.0008 / 0.006;
      EXPECT_NEAR(-On(pad, {}, mesh, X).force.z, expected, 1e-6 * expected) << width << " " << i;
      EXPECT_NEAR(-On(pad, {}, exact, X).force.z, expected, 1e-6 * expected) << width << " " << i;
    }
  }
  const Body thin(Box{{0.04, 0.04, 0.02}}, Columned(1e5, 0.002)),
      ball(PrimitiveSurface(Sphere{0.02}, 0.001), {});
  double before = 0;
  for (double depth = 0.0005; depth < 0.004; depth += 0.0005) {
    const double force = -On(thin, {}, ball, At({0, 0, 0.01 + 0.02 - depth})).force.z;
    EXPECT_GT(force, before) << depth;
    before = force;
  }
}

TEST(ColumnContact, AHeightFieldIsAMesh) {
  std::vector<float> heights(21 * 21);
  for (int r = 0; r < 21; ++r)
    for (int c = 0; c < 21; ++c) heights[r * 21 + c] = 0.5f + 0.02f * static_cast<float>(c);
  const HeightField field{21, 21, 0.1, 0.1, 0.01, 0.01, heights.data()};
  const Body polygons(Sphere{0.01}, Backed(1e5, 0.004)), columns(Sphere{0.01}, Columned(1e5, 0.004));
  ContactWorkspace w;
  ContactSurface a, b;
  const Pose X = At({0.003, -0.002, 0.0062 + 0.01 - 0.001});
  ComputeContact(polygons, X, field, {}, {}, &w, &a);
  ComputeContact(columns, X, field, {}, {}, &w, &b);
  ASSERT_FALSE(a.empty());
  EXPECT_LT(Off(b.wrench_on_A.force, a.wrench_on_A.force), 0.015);
}

TEST(ColumnContact, SwappingTheBodiesTurnsTheSigns) {
  const Body pad(kPad, Columned(1e5)), finger(Capsule{0.008, 0.02}, Columned(2e5, 0.003)),
      ball(Sphere{0.008}, {});
  const Pose X{RandomRotation(1, 1), {0.1, -0.2, 0.3}};
  for (const auto& [A, B] : {std::pair(&pad, &ball), std::pair(&pad, &finger), std::pair(&finger, &ball)}) {
    const Pose Y = X * Pose{RandomRotation(2, 2), {0.001, 0.002, A == &finger ? 0.012 : 0.0105}};
    const ContactSurface s = ComputeContact(*A, X, *B, Y), t = ComputeContact(*B, Y, *A, X);
    ASSERT_FALSE(s.empty());
    EXPECT_EQ(s.wrench_on_A.force, -t.wrench_on_A.force);
    EXPECT_EQ(s.wrench_on_A.torque, -t.wrench_on_A.torque);
    ASSERT_EQ(s.num_faces(), t.num_faces());
    EXPECT_EQ(s.columns, t.columns);
    EXPECT_NE(s.columns_of_A, t.columns_of_A);
    for (int f = 0; f < s.num_faces(); ++f) EXPECT_EQ(s.normals[f], -t.normals[f]);
  }
}

// End first at 5 to 10 degrees, where columns of the rim meet the wall far above the skin.
TEST(ColumnContact, ACapsuleEndFirstPushesStraight) {
  const Body pad(kPad, Columned(1e5)), polygons(kPad, Backed(1e5)), rod(Capsule{0.005, 0.012}, {});
  for (int i = 0; i < 400; ++i) {
    const double tilt = 0.1 + 0.0002 * i, turn = 0.7 * i;
    const Mat3 R = RotationAbout({std::cos(turn), std::sin(turn), 0}, tilt);
    const Vec3 axis = R * Vec3{0, 0, 1};
    const Vec3 p = Vec3{Uniform(3, i, -0.01, 0.01), Uniform(4, i, -0.01, 0.01),
                        0.003 + 0.005 - Uniform(5, i, 0.0005, 0.002)};
    const Pose X{R, p + 0.006 * axis};
    const Vec3 f = On(pad, {}, rod, X).force;
    EXPECT_LT(std::hypot(f.x, f.y), 0.003 * std::fabs(f.z)) << i;
    if (i % 20 == 0) {
      EXPECT_LT(Off(f, On(polygons, {}, rod, X).force), 0.02) << i;
    }
  }
}

// Pushed along its axis and tipped, the rows of columns under its seam pass from the wall to the end
// together.
TEST(ColumnContact, ACapsuleHasNoJumpAtItsSeam) {
  const Body pad(kPad, Columned(1e5)), rod(Capsule{0.005, 0.012}, {});
  const double tilts[] = {0, 0.02, -0.15, 1.3};
  for (const double tilt : tilts) {
    const double low = 0.006 * std::fabs(std::sin(tilt)) + 0.005;
    Vec3 before, last;
    for (int i = 0; i < 200; ++i) {
      const Pose X{RotationAbout({0, 1, 0}, kPi / 2 + tilt), {1e-5 * i, 0.0003, 0.003 + low - 0.001}};
      const Vec3 f = On(pad, {}, rod, X).force, step = f - last;
      if (i > 1) {
        EXPECT_LT(norm(step - before), 0.002 * norm(f)) << tilt << " " << i;
      }
      before = step, last = f;
    }
  }
}

// A ball that goes right through a thin pad pushes with more and more, and its middle does not open.
TEST(ColumnContact, DeepOverlapKeepsItsMiddle) {
  const Body pad(Box{{0.04, 0.04, 0.002}}, Columned(1e5)), ball(Sphere{0.02}, {});
  double before = 0;
  for (double depth = 0.0005; depth < 0.012; depth += 0.0005) {
    const ContactSurface s = ComputeContact(pad, {}, ball, At({0, 0, 0.001 + 0.02 - depth}));
    EXPECT_GE(-s.wrench_on_A.force.z, before) << depth;
    before = -s.wrench_on_A.force.z;
    double covered = 0;
    for (int f = 0; f < s.num_faces(); ++f)
      if (norm(s.centroids[f] - s.center_of_pressure) < 0.003) covered += s.areas[f];
    if (depth > 0.002) {
      EXPECT_GT(covered, 0.8 * kPi * 9e-6) << depth;
    }
  }
}

TEST(ColumnContact, WhatIsBehindTheBoneIsNotMet) {
  const Body pad(kPad, Columned(1e5, 0.002)), ball(Sphere{0.001}, {});
  EXPECT_FALSE(ComputeContact(pad, {}, ball, At({0, 0, 0.003})).empty());
  const ContactSurface s = ComputeContact(pad, {}, ball, At({0, 0, -0.001}));
  EXPECT_TRUE(s.empty());
  EXPECT_TRUE(ComputeContact(pad, {}, Body(Box{{0.02, 0.02, 0.002}}, {}), At({0, 0, -0.0035})).empty());
}

TEST(ColumnContact, APlaneHasColumnsWhereItIsTouched) {
  const Body polygons(HalfSpace{}, Backed(1e5, 0.005)), columns(HalfSpace{}, Columned(1e5, 0.005));
  const Pose X{RandomRotation(4, 1), {0.3, 0.1, -0.2}};
  for (const Primitive& shape : {Primitive{Sphere{0.01}}, Primitive{Ellipsoid{{0.006, 0.009, 0.012}}}}) {
    const Body body(shape, {});
    const Pose Y = X * Pose{RandomRotation(5, 2), {7.3, -4.1, 0.0075}};
    ContactOptions exact;
    exact.facets_across = 60;
    const ContactSurface a = ComputeContact(columns, X, body, Y),
                         b = ComputeContact(polygons, X, body, Y, exact);
    EXPECT_LT(Off(a.wrench_on_A.force, b.wrench_on_A.force), 0.01);
  }
}

TEST(ColumnContact, TellsTheColumnOfEachFace) {
  const Body pad(kPad, Columned(1e5)), ball(Sphere{0.008}, {});
  const ContactSurface s = ComputeContact(pad, {}, ball, At({0.001, 0.002, 0.0105}));
  ASSERT_EQ(s.columns.size(), static_cast<std::size_t>(s.num_faces()));
  for (int f = 0; f < s.num_faces(); ++f) {
    const Column& c = pad.data().columns.columns[s.columns[f]];
    const Vec3 q = s.centroids[f] - c.p;
    EXPECT_LE(std::hypot(dot(q, c.u), dot(q, c.v)), c.radius);
  }
  EXPECT_TRUE(ComputeContact(Body(kPad, Backed(1e5)), {}, ball, At({0, 0, 0.0105})).columns.empty());
}

TEST(ColumnContact, TetrahedraHaveNone) {
  const TetMesh one{{{0, 0, 0}, {0.01, 0, 0}, {0, 0.01, 0}, {0, 0, 0.01}}, {{0, 1, 2, 3}}};
  EXPECT_THROW(Body(one, Columned(1e5)), Error);
}

}  // namespace
}  // namespace taxel
