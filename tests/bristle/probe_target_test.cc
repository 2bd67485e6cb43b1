// What a single probe meets on an analytic shape. (Meshes: probe_tree_test.cc.) Cases:
//   sphere, box, cylinder, capsule, ellipsoid, half space: entry by hand on tilted probes
//   all of them at random, also 4 um and 9 m large: the meeting lies on the surface (signed distance 0), the
//   normal is its gradient, nothing of the probe before it is inside; kInside exactly where the base is; no
//   meeting, nothing of the probe inside
//   against a fine mesh of itself: t and normal agree as far as the mesh is fine
//   base on the surface going in, leaving, along; tip on the surface; along a face; along the axis of a
//   cylinder; probe that touches; probe without length; too short; away
//   box() of each; a target of nothing
#include "taxel/bristle/probe_target.h"

#include <gtest/gtest.h>

#include <cmath>
#include <variant>
#include <vector>

#include "pads.h"
#include "taxel/math/error.h"
#include "taxel/shape/primitives.h"
#include "taxel/shape/signed_distance.h"

namespace taxel {
namespace {

using Kind = ProbeMeeting::Kind;
using test::Uniform;
using test::UniformDirection;
using test::UniformInBox;

ProbeTarget Target(const Primitive& shape) { return ProbeTarget(Body(shape, {})); }

void ExpectEnters(const ProbeMeeting& m, double t, const Vec3& normal) {
  EXPECT_EQ(m.kind, Kind::kEnters);
  EXPECT_NEAR(m.t, t, 1e-14);
  EXPECT_LT(norm(m.normal - normal), 1e-14);
}

TEST(ProbeTarget, EntersASphere) {
  const ProbeTarget ball = Target(Sphere{0.05});
  // 30 mm beside the centre: the surface is at 40 mm.
  ExpectEnters(ball.Meet({0.03, -0.1, 0}, {0.03, 0.02, 0}), 0.06 / 0.12, {0.6, -0.8, 0});
  EXPECT_EQ(ball.Meet({0.0501, -0.1, 0}, {0.0501, 0.1, 0}).kind, Kind::kNone);
  EXPECT_EQ(ball.Meet({0.01, 0.02, 0.03}, {0.2, 0.2, 0.2}).kind, Kind::kInside);
}

TEST(ProbeTarget, EntersABoxThroughTheRightFace) {
  const ProbeTarget box = Target(Box{{0.2, 0.04, 0.06}});
  ExpectEnters(box.Meet({0.05, 0.07, 0.01}, {0.02, -0.03, 0.02}), 0.5, {0, 1, 0});
  ExpectEnters(box.Meet({-0.13, 0.012, 0.01}, {-0.07, 0.01, 0.02}), 0.5, {-1, 0, 0});
  ExpectEnters(box.Meet({0.05, 0.01, -0.05}, {0.05, 0.01, -0.01}), 0.5, {0, 0, -1});
  EXPECT_EQ(box.Meet({0.05, 0.07, 0.01}, {0.02, 0.021, 0.02}).kind, Kind::kNone);  // too short
  EXPECT_EQ(box.Meet({0.11, 0.01, 0}, {0.101, 0.03, 0}).kind, Kind::kNone);        // past the edge
}

TEST(ProbeTarget, EntersACylinderThroughSideAndEnd) {
  const ProbeTarget cylinder = Target(Cylinder{0.05, 0.08});
  ExpectEnters(cylinder.Meet({0.03, 0.08, 0.02}, {0.03, 0, 0.02}), 0.5, {0.6, 0.8, 0});
  ExpectEnters(cylinder.Meet({0.01, 0.02, 0.06}, {0.02, -0.01, 0.02}), 0.5, {0, 0, 1});
  ExpectEnters(cylinder.Meet({0.03, 0.01, -0.05}, {0.03, 0.01, 0.05}), 0.1, {0, 0, -1});  // along the axis
  EXPECT_EQ(cylinder.Meet({0.04, 0.04, -0.05}, {0.04, 0.04, 0.05}).kind, Kind::kNone);
  EXPECT_EQ(cylinder.Meet({0.03, 0.01, 0}, {0.03, 0.01, 0.05}).kind, Kind::kInside);
  // Through the plane of the end beside it, then past the rim.
  EXPECT_EQ(cylinder.Meet({0.06, 0, 0.06}, {0.03, 0, 0.045}).kind, Kind::kNone);
}

TEST(ProbeTarget, EntersACapsuleThroughSideAndCaps) {
  const ProbeTarget capsule = Target(Capsule{0.05, 0.08});
  ExpectEnters(capsule.Meet({0.03, 0.08, 0.02}, {0.03, 0, 0.02}), 0.5, {0.6, 0.8, 0});
  ExpectEnters(capsule.Meet({0.03, 0, 0.12}, {0.03, 0, 0.04}), 0.5, {0.6, 0, 0.8});
  ExpectEnters(capsule.Meet({0, 0.03, -0.12}, {0, 0.03, -0.04}), 0.5, {0, 0.6, -0.8});
  EXPECT_EQ(capsule.Meet({0.03, 0, 0.07}, {0.03, 0, 0.2}).kind, Kind::kInside);
  EXPECT_EQ(capsule.Meet({0.03, 0, 0.085}, {0.03, 0, 0.2}).kind, Kind::kNone);  // away
}

TEST(ProbeTarget, EntersAnEllipsoid) {
  const Vec3 a{0.02, 0.05, 0.03};
  const ProbeTarget ellipsoid = Target(Ellipsoid{a});
  const Vec3 on = cwise_mul(a, {0.48, 0.6, 0.64});  // a unit vector, scaled
  ExpectEnters(ellipsoid.Meet({on.x, on.y, 0.05}, {on.x, on.y, 2 * on.z - 0.05}), 0.5,
               normalized(cwise_div(on, cwise_mul(a, a))));
}

TEST(ProbeTarget, EntersAHalfSpaceFromAbove) {
  const ProbeTarget floor = Target(HalfSpace{});
  ExpectEnters(floor.Meet({3, 4, 0.03}, {5, -1, -0.09}), 0.25, {0, 0, 1});
  EXPECT_EQ(floor.Meet({3, 4, -1e-9}, {5, -1, 0.09}).kind, Kind::kInside);
  EXPECT_EQ(floor.Meet({3, 4, 0.03}, {3, 4, 1e-9}).kind, Kind::kNone);
  EXPECT_EQ(floor.Meet({3, 4, 0.03}, {5, 4, 0.03}).kind, Kind::kNone);
  ExpectEnters(floor.Meet({3, 4, 0.03}, {5, 4, 0}), 1, {0, 0, 1});
  EXPECT_EQ(floor.box().hi.z, 0);
  EXPECT_TRUE(std::isinf(floor.box().lo.x) && std::isinf(floor.box().hi.y) && std::isinf(floor.box().lo.z));
}

// Shapes of about unit size times s.
std::vector<Primitive> Shapes(double s) {
  return {Sphere{0.7 * s},           Box{{0.9 * s, 1.6 * s, 0.5 * s}},       Cylinder{0.6 * s, 0.9 * s},
          Capsule{0.4 * s, 0.8 * s}, Ellipsoid{{0.9 * s, 0.3 * s, 0.6 * s}}, HalfSpace{}};
}

TEST(ProbeTarget, MeetingsOfRandomProbesLieOnTheSurface) {
  for (double s : {4e-6, 0.02, 9.0}) {
    for (const Primitive& shape : Shapes(s)) {
      SCOPED_TRACE(PrimitiveName(shape) + " of " + ToText(s));
      const ProbeTarget target = Target(shape);
      int enters = 0, inside = 0, none = 0;
      for (int i = 0; i < 2000; ++i) {
        const Vec3 base = UniformInBox(1, i, {-s, -s, -s}, {s, s, s});
        const Vec3 d = s * Uniform(2, i, 0.1, 2) * UniformDirection(3, i);
        const ProbeMeeting m = target.Meet(base, base + d);
        // 20 roundings of the coordinates; the distance of an ellipsoid is iterated.
        const double close = 1e-14 * s;
        EXPECT_EQ(m.kind == Kind::kInside, SignedDistance(shape, base) < 0);
        (m.kind == Kind::kEnters ? enters : m.kind == Kind::kInside ? inside : none)++;
        if (m.kind == Kind::kInside) continue;
        const double until = m.kind == Kind::kEnters ? m.t : 1;
        for (double share : {0.1, 0.3, 0.6, 0.9, 0.99})
          EXPECT_GE(SignedDistance(shape, base + share * until * d), -close);
        if (m.kind == Kind::kNone) continue;
        EXPECT_NEAR(SignedDistance(shape, base + m.t * d), 0, 10 * close);
        EXPECT_NEAR(norm(m.normal), 1, 1e-15);
        EXPECT_LE(dot(m.normal, d), 1e-13 * norm(d));
        // A hair outside, where the gradient is that of the face that was entered.
        const Vec3 gradient = SignedDistanceGradient(shape, base + m.t * d + 1e-7 * s * m.normal);
        EXPECT_LT(norm(m.normal - gradient), 1e-6);
      }
      EXPECT_GT(enters, 100);
      EXPECT_GT(none, 100);
      EXPECT_GT(inside, 100);
    }
  }
}

TEST(ProbeTarget, AgreesWithAFineMeshOfItself) {
  for (const Primitive& shape : Shapes(0.02)) {
    if (std::holds_alternative<HalfSpace>(shape)) continue;
    SCOPED_TRACE(PrimitiveName(shape));
    const Body body(shape, {});
    const ProbeTarget exact(body), mesh(Body(body.Surface(), {}));
    int both = 0;
    for (int i = 0; i < 3000; ++i) {
      const Vec3 base = 0.03 * UniformDirection(4, i);
      const Vec3 tip = UniformInBox(5, i, {-0.008, -0.008, -0.008}, {0.008, 0.008, 0.008});
      const ProbeMeeting a = exact.Meet(base, tip), b = mesh.Meet(base, tip);
      if (a.kind != Kind::kEnters || b.kind != Kind::kEnters) continue;
      const double cosine = -dot(a.normal, normalized(tip - base));
      if (cosine < 0.3) continue;
      ++both;
      // Facets of 1/40 of the size on a curve of a third of it: 0.1 % of the size deep, 3 degrees off, more
      // at the tip of the ellipsoid; the face of a rim may be the neighbour's.
      EXPECT_LT(std::fabs(a.t - b.t) * norm(tip - base), 2e-4);
    }
    EXPECT_GT(both, 1500);
  }
}

// A corner of the box is 15 mm from its centre; the limits of a touch are as the header says.
TEST(ProbeTarget, OnTheSurface) {
  const ProbeTarget box = Target(Box{{0.5, 0.25, 0.125}});                        // exact in binary
  ExpectEnters(box.Meet({0.1, 0.1, 0.0625}, {0.1, 0.1, 0}), 0, {0, 0, 1});        // base on it, going in
  EXPECT_EQ(box.Meet({0.1, 0.1, 0.0625}, {0.1, 0.1, 0.1}).kind, Kind::kNone);     // leaving
  EXPECT_EQ(box.Meet({0.1, 0.1, 0.0625}, {0.2, 0.1, 0.0625}).kind, Kind::kNone);  // along
  ExpectEnters(box.Meet({0.1, 0.1, 0.125}, {0.1, 0.1, 0.0625}), 1, {0, 0, 1});    // tip on it
  for (double side : {-1.0, 1.0}) {                                               // along a face from outside
    ExpectEnters(box.Meet({0.25 * side, 0.1, 0.125}, {0.25 * side, 0.1, 0}), 0.5, {0, 0, 1});
    ExpectEnters(box.Meet({0.25 * side, 0.125, 0.125}, {0.25 * side, 0.125, 0}), 0.5, {0, 0, 1});  // an edge
  }
  const ProbeTarget ball = Target(Sphere{0.25});
  ExpectEnters(ball.Meet({0, 0, 0.25}, {0, 0.1, 0}), 0, {0, 0, 1});
  EXPECT_EQ(ball.Meet({0, 0, 0.25}, {0, 0.1, 0.3}).kind, Kind::kNone);
  ExpectEnters(ball.Meet({0.25, -1, 0}, {0.25, 1, 0}), 0.5, {1, 0, 0});  // touches
  const ProbeTarget cylinder = Target(Cylinder{0.25, 0.5});
  ExpectEnters(cylinder.Meet({0.25, 0, 0.5}, {0.25, 0, 0}), 0.5, {0, 0, 1});  // along the side
  const ProbeTarget floor = Target(HalfSpace{});
  ExpectEnters(floor.Meet({1, 2, 0}, {1, 2, -1}), 0, {0, 0, 1});
  EXPECT_EQ(floor.Meet({1, 2, 0}, {1, 2, 1}).kind, Kind::kNone);
}

TEST(ProbeTarget, AProbeWithoutLengthCanOnlyBeInside) {
  for (const Primitive& shape : Shapes(0.02)) {
    const Vec3 out{0.1, 0.2, 0.3}, in{0.001, 0.001, -0.001};
    EXPECT_EQ(Target(shape).Meet(out, out).kind, Kind::kNone) << PrimitiveName(shape);
    EXPECT_EQ(Target(shape).Meet(in, in).kind, Kind::kInside) << PrimitiveName(shape);
  }
}

TEST(ProbeTarget, NothingMeetsNothing) {
  EXPECT_TRUE(ProbeTarget().box().empty());
  EXPECT_EQ(ProbeTarget().Meet({}, {1, 0, 0}).kind, Kind::kNone);
  EXPECT_EQ(ProbeTarget().MeetByBruteForce({}, {1, 0, 0}).kind, Kind::kNone);
}

TEST(ProbeTarget, BoxesAreThoseOfTheBodies) {
  EXPECT_EQ(Target(Capsule{0.01, 0.04}).box().hi, (Vec3{0.01, 0.01, 0.03}));
  TriangleMesh mesh = test::LPrism(0.03, 0.04);
  mesh.vertices.push_back({5, 5, 5});  // of no triangle
  const ProbeTarget L(Body(mesh, {}));
  EXPECT_EQ(L.box().lo, Vec3{});
  EXPECT_EQ(L.box().hi, (Vec3{0.06, 0.09, 0.04}));
}

}  // namespace
}  // namespace taxel
