// The kernels:
//   - FacetInCell: a tilted facet in a box cell, area, force, centre of pressure and gradients in closed
//   form; the stiffening law piece by piece; culling
//   - EqualPressure: two slabs of different slopes: where the plane lies, its pressure and gradients; tilted
//   fields; with a stiffening law on one side
//   - FaceSink: polygons and triangles have the same totals; flip gives exactly the opposite
#include "taxel/contact/intersect.h"

#include <gtest/gtest.h>

#include "scenes.h"

namespace taxel {
using namespace internal;
namespace {

// A slab lo <= x <= hi whose depth grows from 0 at the face z = top downwards: u = (top - z) / T.
struct Slab {
  Slab(const Vec3& lo, const Vec3& hi, double T, std::vector<Layer> law) : law(std::move(law)) {
    for (int k = 2; k >= 0; --k) {
      Vec3 n;
      n[k] = 1;
      planes.push_back({-n, hi[k]});
      planes.push_back({n, -lo[k]});
    }
    depth = {{0, 0, -1 / T}, hi.z / T};
    center = 0.5 * (lo + hi);
    radius = 0.5 * norm(hi - lo);
    max_depth = (hi.z - lo.z) / T;
  }
  /// Turned upside down about the plane z = 0: the surface is the lower face.
  void Mirror() {
    for (Plane& p : planes) p.n.z = -p.n.z;
    depth.n.z = -depth.n.z;
    center.z = -center.z;
  }
  SoftPiece piece() const {
    return {planes.data(), static_cast<int>(planes.size()), depth, center, radius, &law, max_depth};
  }
  std::vector<Plane> planes;
  Linear depth;
  Vec3 center;
  double radius, max_depth;
  std::vector<Layer> law;
};

Polygon Quad(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  Polygon p;
  p.n = 4;
  p.v[0] = a, p.v[1] = b, p.v[2] = c, p.v[3] = d;
  return p;
}

// A big facet through the line x = x0, z = 0, rising in x with the slope tan(angle), facing down.
struct Ramp {
  Ramp(double angle, double x0) {
    const Vec3 along{std::cos(angle), 0, std::sin(angle)}, across{0, 1, 0}, o{x0, 0, 0};
    normal = {std::sin(angle), 0, -std::cos(angle)};
    polygon = Quad(o - along - across, o - along + across, o + along + across, o + along - across);
  }
  Polygon polygon;
  Vec3 normal;
};

TEST(FacetInCell, ATiltedFacetInABoxHasTheClosedForm) {
  // The pad: 0.08 x 0.05 x 0.02, top at z = 0, p = E (-z / T). The ramp z = t (x - x0), t = tan a, dips to
  // -t (0.04 + x0) at x = -0.04 and leaves through the top at x = x0.
  const double E = 3e4, T = 0.02, a = 0.2, x0 = 0.013, width = 0.05;
  const Slab slab({-0.04, -0.025, -0.02}, {0.04, 0.025, 0}, T, LinearLaw(E));
  const Ramp ramp(a, x0);
  const Pose X = test::TiltedPose();
  ContactSurface s;
  FaceSink sink({}, false, &s);
  FacetInCell(X, ramp.polygon, ramp.normal, slab.piece(), &sink);
  sink.Finish();
  ASSERT_EQ(s.num_faces(), 1);
  const double run = x0 + 0.04, length = run / std::cos(a), deepest = run * std::tan(a);
  const double force = E * deepest / T / 2 * length * width;
  // Rounding only.
  EXPECT_NEAR(s.area, length * width, 1e-15);
  EXPECT_NEAR(s.normal_force, force, 1e-12 * force);
  EXPECT_NEAR(s.max_pressure, E * deepest / T, 1e-9);
  EXPECT_LT(norm(s.wrench_on_A.force - force * (X.R * ramp.normal)), 1e-12 * force);
  // A triangular load: its centre lies a third of the way from the deep end.
  const double xc = -0.04 + run / 3;
  EXPECT_LT(norm(s.center_of_pressure - X * Vec3{xc, 0, (xc - x0) * std::tan(a)}), 1e-14);
  EXPECT_LT(norm(s.wrench_on_A.torque - cross(s.center_of_pressure, s.wrench_on_A.force)), 1e-14);
  EXPECT_NEAR(s.gradients_A[0], E / T * std::cos(a), 1e-6);
  EXPECT_TRUE(std::isinf(s.gradients_B[0]));
}

TEST(FacetInCell, TheStiffeningLawIsIntegratedPieceByPiece) {
  const double E = 3e4, T = 0.02, a = 0.3, x0 = 0.02, width = 0.05;
  const Slab slab({-0.04, -0.025, -0.02}, {0.04, 0.025, 0}, T, StiffeningLaw(E, 0.7));
  const Ramp ramp(a, x0);  // reaches u = 0.06 tan(0.3) / 0.02 = 0.928, in the fourth layer
  ContactSurface s;
  FaceSink sink({}, false, &s);
  FacetInCell(test::TiltedPose(), ramp.polygon, ramp.normal, slab.piece(), &sink);
  sink.Finish();
  ASSERT_EQ(s.num_faces(), 4);
  // Trapezoids between the knots u = 0, 0.7, 0.85, 0.925 and the deepest: dA = width T / sin(a) du.
  const double deepest = 0.06 * std::tan(a) / T;
  ASSERT_GT(deepest, 0.925);
  double force = 0, area = 0, u0 = 0;
  for (double u1 : {0.7, 0.85, 0.925, deepest}) {
    const double piece = width * T / std::sin(a) * (u1 - u0);
    force += piece * 0.5 * (PressureOfDepth(slab.law, u0) + PressureOfDepth(slab.law, u1));
    area += piece;
    u0 = u1;
  }
  EXPECT_NEAR(s.normal_force, force, 1e-12 * force);
  EXPECT_NEAR(s.area, area, 1e-12 * area);
  // Neighbours agree in the pressure on the line between them: the law is continuous.
  EXPECT_NEAR(s.max_pressure, PressureOfDepth(slab.law, deepest), 1e-8);
}

TEST(FacetInCell, AFacetOnAKnotBelongsToOneLayer) {
  const Slab slab({-0.04, -0.025, -0.02}, {0.04, 0.025, 0}, 0.02, StiffeningLaw(3e4, 0.75));
  // z = -0.015 is u = 0.75 exactly; facing down it belongs to the layer below.
  const double z = -0.015;
  for (int side : {-1, 1}) {
    const Polygon p = side < 0 ? Quad({-1, -1, z}, {-1, 1, z}, {1, 1, z}, {1, -1, z})
                               : Quad({-1, -1, z}, {1, -1, z}, {1, 1, z}, {-1, 1, z});
    ContactOptions options;
    options.cull = false;  // the one facing up is pulled by the pad
    ContactSurface s;
    FaceSink sink(options, false, &s);
    FacetInCell(Pose{}, p, {0, 0, side + 0.0}, slab.piece(), &sink);
    sink.Finish();
    EXPECT_EQ(s.num_faces(), 1) << side;
    EXPECT_NEAR(s.area, 0.08 * 0.05, 1e-15);
    EXPECT_NEAR(s.normal_force, 3e4 * 0.75 * 0.08 * 0.05, 1e-9);
  }
}

TEST(FacetInCell, CullingLooksAtTheAngleToTheGradient) {
  const Slab slab({-0.04, -0.025, -0.02}, {0.04, 0.025, 0}, 0.02, LinearLaw(3e4));
  // The gradient points down; a ramp at the angle a makes the angle a with it.
  for (double degrees : {0.0, 60.0, 100.0, 112.0, 113.0, 150.0, 179.0}) {
    const double a = degrees / 180 * test::kPi;
    const Vec3 along{std::cos(a), 0, std::sin(a)}, across{0, 1, 0}, o{0, 0, -0.01};
    const Vec3 normal{std::sin(a), 0, -std::cos(a)};
    const Polygon p = Quad(o - 0.004 * along - 0.01 * across, o - 0.004 * along + 0.01 * across,
                           o + 0.004 * along + 0.01 * across, o + 0.004 * along - 0.01 * across);
    for (bool cull : {true, false}) {
      ContactOptions options;
      options.cull = cull;
      ContactSurface s;
      FaceSink sink(options, false, &s);
      FacetInCell(test::TiltedPose(), p, normal, slab.piece(), &sink);
      sink.Finish();
      EXPECT_EQ(s.empty(), cull && degrees > 112.5) << degrees;
    }
  }
}

TEST(EqualPressure, TwoSlabsOfDifferentSlopesMeetWhereTheSpringsBalance) {
  // First: surface at z = 0, p1 = -z E1 / T1, for z in [-0.02, 0]. Second, upside down: surface at z = -d, p2
  // = (z
  // + d) E2 / T2. Equal at depth d (E2/T2) / (E1/T1 + E2/T2) below the first's surface.
  const double E1 = 3e4, T1 = 0.02, E2 = 5e4, T2 = 0.01, d = 0.004;
  const Slab first({-0.03, -0.02, -0.02}, {0.03, 0.02, 0}, T1, LinearLaw(E1));
  Slab second({-0.01, -0.04, d - 0.01}, {0.05, 0.01, d}, T2, LinearLaw(E2));
  second.Mirror();
  for (bool flip : {false, true}) {
    const Pose X = test::TiltedPose();
    ContactSurface s;
    FaceSink sink({}, flip, &s);
    EqualPressure(X, first.piece(), second.piece(), &sink);
    sink.Finish();
    ASSERT_EQ(s.num_faces(), 1);
    const double k1 = E1 / T1, k2 = E2 / T2, p = d * k1 * k2 / (k1 + k2), z = -d * k2 / (k1 + k2);
    const double area = 0.04 * 0.03;  // the overlap [-0.01, 0.03] x [-0.02, 0.01]
    EXPECT_NEAR(s.area, area, 1e-15);
    EXPECT_NEAR(s.normal_force, p * area, 1e-12);
    EXPECT_NEAR(s.max_pressure, p, 1e-9);
    EXPECT_LT(norm(s.centroid - X * Vec3{0.01, -0.005, z}), 1e-15);
    const Vec3 into_first = X.R * Vec3{0, 0, -1};
    EXPECT_LT(norm(s.normals[0] - (flip ? -into_first : into_first)), 1e-15);
    EXPECT_NEAR(flip ? s.gradients_B[0] : s.gradients_A[0], k1, 1e-6);
    EXPECT_NEAR(flip ? s.gradients_A[0] : s.gradients_B[0], k2, 1e-6);
  }
}

TEST(EqualPressure, TiltedFieldsMeetInTheTiltedPlane) {
  // The second's field is turned by 0.1 about y: the surface is the plane grad p1 . x + d1 = grad p2 . x +
  // d2.
  const double k1 = 1.5e6, k2 = 4e6;
  const Slab first({-0.03, -0.02, -0.02}, {0.03, 0.02, 0}, 3e4 / k1, LinearLaw(3e4));
  Slab second({-0.05, -0.05, -0.04}, {0.05, 0.05, 0}, 3e4 / k2, LinearLaw(3e4));
  second.Mirror();
  const Pose turn{RotationAbout({0, 1, 0}, 0.1), {0.002, 0.001, -0.004}};
  for (Plane& p : second.planes) p = Transform(turn, p);
  second.depth = Transform(turn, second.depth);
  second.center = turn * second.center;
  ContactSurface s;
  FaceSink sink({}, false, &s);
  EqualPressure(Pose{}, first.piece(), second.piece(), &sink);
  sink.Finish();
  ASSERT_EQ(s.num_faces(), 1);
  const Vec3 g1{0, 0, -k1}, g2 = k2 * turn.R.col(2), m = normalized(g1 - g2);
  EXPECT_LT(norm(s.normals[0] - m), 1e-14);
  EXPECT_NEAR(s.gradients_A[0], dot(g1, m), 1e-6);
  EXPECT_NEAR(s.gradients_B[0], -dot(g2, m), 1e-6);
  for (std::size_t i = 0; i < s.vertices.size(); ++i) {
    const Vec3 x = s.vertices[i];
    EXPECT_NEAR(s.pressures[i], dot(g1, x), 1e-8);
    EXPECT_NEAR(s.pressures[i], dot(g2, x - turn.p), 1e-8);
  }
}

TEST(EqualPressure, AStiffeningSideMeetsInTheRightLayer) {
  // A stiffening pad (start 0.5) against a stiff spring: bisection on the law gives the compression.
  const double E1 = 3e4, T1 = 0.02, k2 = 2e8;
  const Slab first({-0.03, -0.02, -0.02}, {0.03, 0.02, 0}, T1, StiffeningLaw(E1, 0.5));
  for (double d : {0.004, 0.0101, 0.0137, 0.0171, 0.0188, 0.01973}) {
    Slab second({-0.01, -0.04, d - 0.01}, {0.05, 0.01, d}, 0.01, LinearLaw(0.01 * k2));
    second.Mirror();
    double lo = 0, hi = d;  // depth in the first
    for (int i = 0; i < 80; ++i) {
      const double mid = 0.5 * (lo + hi);
      (PressureOfDepth(first.law, mid / T1) < k2 * (d - mid) ? lo : hi) = mid;
    }
    ContactSurface s;
    FaceSink sink({}, false, &s);
    EqualPressure(test::TiltedPose(), first.piece(), second.piece(), &sink);
    sink.Finish();
    ASSERT_EQ(s.num_faces(), 1) << d;
    const double p = PressureOfDepth(first.law, lo / T1);
    EXPECT_NEAR(s.max_pressure, p, 1e-9 * p) << d;
    EXPECT_NEAR(s.area, 0.04 * 0.03, 1e-12);
  }
}

// A regular hexagon with a linear pressure, tilted.
void AddHexagon(FaceSink* sink) {
  Polygon p;
  p.n = 6;
  for (int i = 0; i < 6; ++i)
    p.v[i] = {0.02 * std::cos(i * test::kPi / 3), 0.02 * std::sin(i * test::kPi / 3), 0.001};
  sink->Add(test::TiltedPose(), p, {0, 0, 1}, {{1e5, -2e5, 0}, 6e3}, 1e6, 2e6);
}

TEST(FaceSink, TrianglesAndPolygonsHaveTheSameTotals) {
  ContactSurface polygons, triangles;
  ContactOptions as_triangles;
  as_triangles.faces = Faces::kTriangles;
  FaceSink to_polygons({}, false, &polygons), to_triangles(as_triangles, false, &triangles);
  AddHexagon(&to_polygons);
  AddHexagon(&to_triangles);
  to_polygons.Finish();
  to_triangles.Finish();
  EXPECT_EQ(polygons.num_faces(), 1);
  EXPECT_EQ(triangles.num_faces(), 6);
  const double area = 1.5 * std::sqrt(3.0) * 0.02 * 0.02;
  EXPECT_NEAR(polygons.area, area, 1e-17);
  EXPECT_NEAR(triangles.area, area, 1e-17);
  EXPECT_NEAR(polygons.normal_force, 6e3 * area, 1e-12);  // the mean of a linear function is at the centre
  EXPECT_NEAR(triangles.normal_force, 6e3 * area, 1e-12);
  EXPECT_LT(norm(polygons.wrench_on_A.force - triangles.wrench_on_A.force), 1e-13);
  EXPECT_LT(norm(polygons.wrench_on_A.torque - triangles.wrench_on_A.torque), 1e-14);
  EXPECT_LT(norm(polygons.center_of_pressure - triangles.center_of_pressure), 1e-15);
  EXPECT_LT(norm(polygons.centroid - triangles.centroid), 1e-15);
  EXPECT_EQ(polygons.max_pressure, triangles.max_pressure);
}

TEST(FaceSink, FlipGivesExactlyTheOpposite) {
  ContactSurface one, two;
  FaceSink plain({}, false, &one), flipped({}, true, &two);
  AddHexagon(&plain);
  AddHexagon(&flipped);
  plain.Finish();
  flipped.Finish();
  EXPECT_EQ(one.wrench_on_A.force, -two.wrench_on_A.force);
  EXPECT_EQ(one.wrench_on_A.torque, -two.wrench_on_A.torque);
  EXPECT_EQ(one.normals[0], -two.normals[0]);
  EXPECT_EQ(one.gradients_A[0], two.gradients_B[0]);
  EXPECT_EQ(one.gradients_B[0], two.gradients_A[0]);
  EXPECT_EQ(one.center_of_pressure, two.center_of_pressure);
  for (int i = 0; i < 6; ++i) EXPECT_EQ(one.vertices[i], two.vertices[5 - i]);
  for (int i = 0; i < 6; ++i) EXPECT_EQ(one.pressures[i], two.pressures[5 - i]);
}

TEST(FaceSink, NeverKeepsNegativePressureOrNoise) {
  ContactSurface s;
  FaceSink sink({}, false, &s);
  Polygon p = Quad({0, 0, 0}, {1e-9, 0, 0}, {1e-9, 1e-9, 0}, {0, 1e-9, 0});  // 1e-18 m2
  sink.Add(Pose{}, p, {0, 0, 1}, {{}, 1e4}, 1, 1);
  EXPECT_TRUE(s.empty());
  p = Quad({0, 0, 0}, {0.01, 0, 0}, {0.01, 0.01, 0}, {0, 0.01, 0});
  sink.Add(Pose{}, p, {0, 0, 1}, {{1e5, 0, 0}, -1e-9}, 1, 1);  // rounding below zero at x = 0
  sink.Finish();
  for (double q : s.pressures) EXPECT_GE(q, 0);
  EXPECT_EQ(s.num_faces(), 1);
}

}  // namespace
}  // namespace taxel
