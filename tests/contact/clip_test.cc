// Clip:
//   - 3-D: a triangle by a tilted plane gives the triangle or quadrilateral that the ratios on its edges
//   predict
//   - all in, all out, a vertex on the plane, an edge on the plane
//   - a polygon in the plane itself: exactly one of the two opposite half spaces keeps it
//   - the pieces of random polygons on both sides of random planes have the areas of the whole, stay convex
//   and keep their sense of rotation
//   - 2-D: the same, and agreement with 3-D
#include "taxel/contact/clip.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "scenes.h"

namespace taxel {
using namespace internal;
namespace {

using test::kPi;
using test::Uniform;

Polygon MakePolygon(const std::vector<Vec3>& v) {
  Polygon out;
  out.n = static_cast<int>(v.size());
  for (int i = 0; i < out.n; ++i) out.v[i] = v[i];
  return out;
}

double Area(const Polygon& p, const Vec3& normal) {
  double twice = 0;
  for (int i = 1; i + 1 < p.n; ++i) twice += dot(normal, cross(p.v[i] - p.v[0], p.v[i + 1] - p.v[0]));
  return 0.5 * twice;
}

double Area(const FlatPolygon& p) {
  double twice = 0;
  for (int i = 0; i < p.n; ++i) {
    const int j = (i + 1) % p.n;
    twice += p.x[i] * p.y[j] - p.x[j] * p.y[i];
  }
  return 0.5 * twice;
}

// In the frame of a tilted pose: the triangle (0,0), (0.04,0), (0.01,0.03).
struct TiltedTriangle {
  Pose X = test::TiltedPose();
  Vec3 normal = X.R.col(2);
  Polygon polygon = MakePolygon({X * Vec3{0, 0, 0}, X* Vec3{0.04, 0, 0}, X* Vec3{0.01, 0.03, 0}});
  // {x >= at} in that frame, tilted against the triangle by a third direction.
  Plane BeyondX(double at) const {
    const Vec3 n = X.R * normalized(Vec3{0.8, 0, 0.6});
    return {n, -dot(n, X * Vec3{at, 0, 0})};
  }
};

TEST(Clip, CutsATriangleInTheRatiosOfItsEdges) {
  const TiltedTriangle t;
  Polygon out;
  // x >= 0.02 leaves the corner at (0.04, 0): a triangle of height 0.02 over a base of 0.02, cut at y = 0.02.
  ASSERT_EQ(Clip(t.BeyondX(0.02), t.normal, t.polygon, &out), Clipped::kPart);
  ASSERT_EQ(out.n, 3);
  // Rounding of a few operations on numbers below 0.1: 1e-16.
  EXPECT_NEAR(Area(out, t.normal), 0.5 * 0.02 * 0.02, 1e-16);
  // Order: the walk starts at the first vertex of the input, so the new ones are on edge 0-1 and on edge 1-2.
  EXPECT_LT(norm(out.v[0] - t.X * Vec3{0.02, 0, 0}), 1e-16);
  EXPECT_EQ(out.v[1], t.polygon.v[1]);
  EXPECT_LT(norm(out.v[2] - t.X * Vec3{0.02, 0.02, 0}), 1e-16);
  // The other side is the quadrilateral.
  const Plane beyond = t.BeyondX(0.02), before{-beyond.n, -beyond.d};
  ASSERT_EQ(Clip(before, t.normal, t.polygon, &out), Clipped::kPart);
  EXPECT_EQ(out.n, 4);
  EXPECT_NEAR(Area(out, t.normal), 0.5 * 0.04 * 0.03 - 0.5 * 0.02 * 0.02, 1e-16);
}

TEST(Clip, LeavesTheResultAloneUnlessItIsAPart) {
  const TiltedTriangle t;
  Polygon out;
  out.n = -7;
  EXPECT_EQ(Clip(t.BeyondX(-0.001), t.normal, t.polygon, &out), Clipped::kAll);
  EXPECT_EQ(Clip(t.BeyondX(0.041), t.normal, t.polygon, &out), Clipped::kNothing);
  EXPECT_EQ(out.n, -7);
}

TEST(Clip, AVertexOnThePlaneIsNotDoubled) {
  const TiltedTriangle t;
  Polygon out;
  // x >= 0.01 goes through the third vertex: on each side a triangle.
  const Plane beyond = t.BeyondX(0.01), before{-beyond.n, -beyond.d};
  ASSERT_EQ(Clip(beyond, t.normal, t.polygon, &out), Clipped::kPart);
  EXPECT_EQ(out.n, 3);
  EXPECT_NEAR(Area(out, t.normal), 0.5 * 0.03 * 0.03, 1e-16);
  ASSERT_EQ(Clip(before, t.normal, t.polygon, &out), Clipped::kPart);
  EXPECT_EQ(out.n, 3);
  EXPECT_NEAR(Area(out, t.normal), 0.5 * 0.01 * 0.03, 1e-16);
  // Touched in one vertex or along one edge only: all or nothing.
  EXPECT_EQ(Clip(t.BeyondX(0), t.normal, t.polygon, &out), Clipped::kAll);
  EXPECT_EQ(Clip(t.BeyondX(0.04), t.normal, t.polygon, &out), Clipped::kNothing);
  const Plane above_edge{t.X.R.col(1), -dot(t.X.R.col(1), t.X.p)};
  EXPECT_EQ(Clip(above_edge, t.normal, t.polygon, &out), Clipped::kAll);
  EXPECT_EQ(Clip({-above_edge.n, -above_edge.d}, t.normal, t.polygon, &out), Clipped::kNothing);
}

TEST(Clip, OneOfTwoOppositeHalfSpacesKeepsAPolygonInTheirPlane) {
  for (int i = 0; i < 100; ++i) {
    const Pose X = test::RandomPose(11, i, 0.05);
    const Polygon p = MakePolygon({X * Vec3{0, 0, 0}, X * Vec3{0.03, 0.002, 0}, X * Vec3{0.01, 0.04, 0}});
    const Vec3 n = X.R.col(2);
    const Plane into{n, -dot(n, X.p)}, away{-into.n, -into.d};
    Polygon out;
    EXPECT_EQ(Clip(into, n, p, &out), Clipped::kAll) << i;
    EXPECT_EQ(Clip(away, n, p, &out), Clipped::kNothing) << i;
  }
}

// A convex polygon: points on an ellipse in order.
FlatPolygon RandomFlat(std::uint64_t i) {
  FlatPolygon p;
  p.n = 3 + static_cast<int>(RandomBits(21, i) % 10);
  std::vector<double> angle(p.n);
  for (int k = 0; k < p.n; ++k) angle[k] = Uniform(22, 16 * i + k, 0, 2 * kPi);
  std::sort(angle.begin(), angle.end());
  for (int k = 0; k < p.n; ++k) p.x[k] = 0.03 * std::cos(angle[k]), p.y[k] = 0.011 * std::sin(angle[k]);
  return p;
}

TEST(Clip, PiecesOfRandomPolygonsAddUpAndStayConvex) {
  int cut = 0;
  for (int i = 0; i < 2000; ++i) {
    const FlatPolygon flat = RandomFlat(i);
    const Pose X = test::RandomPose(31, i, 0.05);
    Polygon whole;
    whole.n = flat.n;
    for (int k = 0; k < flat.n; ++k) whole.v[k] = X * Vec3{flat.x[k], flat.y[k], 0};
    const Vec3 normal = X.R.col(2), m = test::UniformDirection(41, i);
    const Plane plane{m, -dot(m, X * test::UniformInBox(42, i, {-0.02, -0.01, 0}, {0.02, 0.01, 0}))};
    Polygon part[2];
    double sum = 0;
    for (int side = 0; side < 2; ++side) {
      const Plane half = side == 0 ? plane : Plane{-plane.n, -plane.d};
      const Clipped what = Clip(half, normal, whole, &part[side]);
      if (what == Clipped::kNothing) continue;
      const Polygon& p = what == Clipped::kAll ? whole : part[side];
      cut += what == Clipped::kPart;
      sum += Area(p, normal);
      EXPECT_LE(p.n, whole.n + 1);
      for (int k = 0; k < p.n; ++k) {
        EXPECT_GE(half(p.v[k]), -1e-15);
        const Vec3 a = p.v[k], b = p.v[(k + 1) % p.n], c = p.v[(k + 2) % p.n];
        EXPECT_GE(dot(normal, cross(b - a, c - b)), -1e-17);
      }
    }
    // Areas up to 1e-3 m2; kOnPlane keeps slivers of up to 1e-13 x 0.06 m on both sides.
    EXPECT_NEAR(sum, Area(whole, normal), 1e-14) << i;
  }
  EXPECT_GT(cut, 2000);  // most planes cut
}

TEST(Clip, FlatAndSpatialClippingAgree) {
  const Pose X = test::TiltedPose();
  for (int i = 0; i < 500; ++i) {
    const FlatPolygon flat = RandomFlat(i);
    Polygon spatial, spatial_out;
    spatial.n = flat.n;
    for (int k = 0; k < flat.n; ++k) spatial.v[k] = X * Vec3{flat.x[k], flat.y[k], 0};
    const double angle = Uniform(51, i, 0, 2 * kPi);
    const HalfPlane line{0.7 * std::cos(angle), 0.7 * std::sin(angle), Uniform(52, i, -0.02, 0.02)};
    const Vec3 n = X.R * Vec3{line.a, line.b, std::sqrt(1 - 0.49)};
    const Plane plane{n, line.c - dot(n, X.p)};
    FlatPolygon out;
    const Clipped what = Clip(line, true, flat, &out);
    ASSERT_EQ(what, Clip(plane, X.R.col(2), spatial, &spatial_out)) << i;
    if (what != Clipped::kPart) continue;
    ASSERT_EQ(out.n, spatial_out.n);
    for (int k = 0; k < out.n; ++k)
      EXPECT_LT(norm(spatial_out.v[k] - X * Vec3{out.x[k], out.y[k], 0}), 1e-15);
    EXPECT_GT(Area(out), 0);
  }
}

TEST(Clip, AFlatHalfPlaneWithoutDirectionFollowsTheTie) {
  const FlatPolygon p = RandomFlat(3);
  FlatPolygon out;
  EXPECT_EQ(Clip(HalfPlane{0, 0, 0}, true, p, &out), Clipped::kAll);
  EXPECT_EQ(Clip(HalfPlane{0, 0, 0}, false, p, &out), Clipped::kNothing);
  // Away from the plane the tie does not matter.
  EXPECT_EQ(Clip(HalfPlane{0, 0, 1e-3}, false, p, &out), Clipped::kAll);
  EXPECT_EQ(Clip(HalfPlane{0, 0, -1e-3}, true, p, &out), Clipped::kNothing);
}

}  // namespace
}  // namespace taxel
