// Distance to a triangle surface. Cases:
//   triangle: random and needle triangles against an independent region-by-region formula; points, segments,
//   no area closest point: tilted torus and L prism against a loop over all triangles; ties go to the least
//   index winding number: against the sum of all solid angles, near, far and inside; a hole; reversed
//   triangles inside and signed distance: L prism against two boxes; torus against its closed form wrong
//   input: empty mesh, index out of range, vertex that is not finite
#include "taxel/shape/mesh_distance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "taxel/math/error.h"
#include "taxel/shape/signed_distance.h"
#include "taxel/shape/triangle_distance.h"
#include "test_meshes.h"

namespace taxel {
using namespace internal;
namespace {

using test::TiltedPose;
using test::Uniform;
using test::UniformInBox;

constexpr double kWindingError = 0.1;  // promised in the header

// Distance by Ericson's Voronoi regions ("Real-time collision detection", 5.1.5), in long double.
double ReferenceDistance(const Vec3& a3, const Vec3& b3, const Vec3& c3, const Vec3& p3) {
  using L = std::array<long double, 3>;
  auto wide = [](const Vec3& v) { return L{v.x, v.y, v.z}; };
  auto sub = [](const L& u, const L& v) { return L{u[0] - v[0], u[1] - v[1], u[2] - v[2]}; };
  auto mad = [](const L& u, long double s, const L& v) {
    return L{u[0] + s * v[0], u[1] + s * v[1], u[2] + s * v[2]};
  };
  auto in = [](const L& u, const L& v) { return u[0] * v[0] + u[1] * v[1] + u[2] * v[2]; };
  const L a = wide(a3), b = wide(b3), c = wide(c3), p = wide(p3);
  auto away = [&](const L& q) { return static_cast<double>(std::sqrt(in(sub(p, q), sub(p, q)))); };
  const L ab = sub(b, a), ac = sub(c, a), ap = sub(p, a), bp = sub(p, b), cp = sub(p, c);
  const long double d1 = in(ab, ap), d2 = in(ac, ap), d3 = in(ab, bp), d4 = in(ac, bp), d5 = in(ab, cp),
                    d6 = in(ac, cp);
  if (d1 <= 0 && d2 <= 0) return away(a);
  if (d3 >= 0 && d4 <= d3) return away(b);
  const long double vc = d1 * d4 - d3 * d2;
  if (vc <= 0 && d1 >= 0 && d3 <= 0) return away(mad(a, d1 / (d1 - d3), ab));
  if (d6 >= 0 && d5 <= d6) return away(c);
  const long double vb = d5 * d2 - d1 * d6;
  if (vb <= 0 && d2 >= 0 && d6 <= 0) return away(mad(a, d2 / (d2 - d6), ac));
  const long double va = d3 * d6 - d5 * d4;
  if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0)
    return away(mad(b, (d4 - d3) / ((d4 - d3) + (d5 - d6)), sub(c, b)));
  const long double s = 1 / (va + vb + vc);
  return away(mad(mad(a, vb * s, ab), vc * s, ac));
}

double ExactWinding(const TriangleMesh& mesh, const Vec3& p) {
  double sum = 0;
  for (int t = 0; t < static_cast<int>(mesh.triangles.size()); ++t) {
    const Vec3 a = mesh.corner(t, 0) - p, b = mesh.corner(t, 1) - p, c = mesh.corner(t, 2) - p;
    const double la = norm(a), lb = norm(b), lc = norm(c);
    sum +=
        2 * std::atan2(dot(a, cross(b, c)), la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb);
  }
  return sum / (4 * M_PI);
}

TEST(TriangleDistance, AgreesWithVoronoiRegions) {
  for (int i = 0; i < 20000; ++i) {
    const Vec3 lo{-0.4, -1.1, 0.2}, hi{0.9, 0.3, 0.7};
    const Vec3 a = UniformInBox(1, 4 * i, lo, hi), b = UniformInBox(1, 4 * i + 1, lo, hi);
    const Vec3 c = UniformInBox(1, 4 * i + 2, lo, hi), p = UniformInBox(1, 4 * i + 3, 2 * lo, 2 * hi);
    // Coordinates near 1: a few roundings.
    EXPECT_NEAR(norm(p - ClosestPointOnTriangle(a, b, c, p)), ReferenceDistance(a, b, c, p), 4e-15);
  }
}

TEST(TriangleDistance, NeedlesKeepTheirDigits) {
  for (int i = 0; i < 20000; ++i) {
    const Vec3 a = UniformInBox(2, 4 * i, {-1, -1, -1}, {1, 1, 1}),
               b = UniformInBox(2, 4 * i + 1, {-1, -1, -1}, {1, 1, 1});
    const double height = std::pow(10.0, Uniform(3, 2 * i, -14, -3));
    const Vec3 c =
        a + Uniform(3, 2 * i + 1, -0.5, 1.5) * (b - a) + height * UniformInBox(4, i, {-1, -1, -1}, {1, 1, 1});
    const Vec3 p = UniformInBox(2, 4 * i + 2, {-1, -1, -1}, {1, 1, 1});
    // The weights of a needle of height h are off by eps / h, along the needle; the distance by their square
    // at most, and the edges, at most h away, cap that.
    EXPECT_NEAR(norm(p - ClosestPointOnTriangle(a, b, c, p)), ReferenceDistance(a, b, c, p), 1e-12);
  }
}

TEST(TriangleDistance, DegenerateTrianglesAreSegmentsOrPoints) {
  const Vec3 a{0.1, 0.2, 0.3}, b{0.5, -0.1, 0.4}, p{0.2, 0.7, -0.3};
  EXPECT_EQ(ClosestPointOnTriangle(a, a, a, p), a);
  const Vec3 on = ClosestPointOnSegment(a, b, p);
  EXPECT_LT(norm(ClosestPointOnTriangle(a, b, a, p) - on), 1e-15);
  EXPECT_LT(norm(ClosestPointOnTriangle(a, a, b, p) - on), 1e-15);
  const Vec3 beyond = a + 2.0 * (b - a), q = a + 1.6 * (b - a) + 0.1 * normalized(cross(b - a, {0, 0, 1}));
  EXPECT_NEAR(norm(q - ClosestPointOnTriangle(a, b, beyond, q)), 0.1, 1e-15);
}

TEST(MeshDistance, ClosestPointAgreesWithALoopOverAllTriangles) {
  for (const TriangleMesh& mesh :
       {test::Transformed(TiltedPose(), test::Torus(24, 16, 0.05, 0.02)),
        test::Transformed(TiltedPose(), test::LPrism(0.03, 0.04)), test::Icosphere(3, 0.07)}) {
    const MeshDistance distance(mesh);
    for (int i = 0; i < 2000; ++i) {
      const Vec3 p = UniformInBox(5, i, {-0.15, -0.12, -0.1}, {0.12, 0.15, 0.13});
      double best = std::numeric_limits<double>::infinity();
      for (int t = 0; t < static_cast<int>(mesh.triangles.size()); ++t)
        best = std::min(best, ReferenceDistance(mesh.corner(t, 0), mesh.corner(t, 1), mesh.corner(t, 2), p));
      const auto closest = distance.ClosestPoint(p);
      EXPECT_NEAR(closest.distance, best, 1e-15);
      EXPECT_NEAR(norm(closest.point - p), closest.distance, 1e-16);
      const int t = closest.triangle;
      EXPECT_LT(ReferenceDistance(mesh.corner(t, 0), mesh.corner(t, 1), mesh.corner(t, 2), closest.point),
                1e-16);
    }
  }
}

TEST(MeshDistance, EqualDistancesGoToTheLeastIndex) {
  const TriangleMesh cube = test::IntegerCube(3);
  const MeshDistance distance(cube);
  for (int i = 0; i < static_cast<int>(cube.vertices.size()); ++i) {
    const Vec3 p =
        1.5 * cube.vertices[i];  // outside; many are nearest to a vertex that several triangles share
    int expected = -1;
    double best = std::numeric_limits<double>::infinity();
    for (int t = 0; t < static_cast<int>(cube.triangles.size()); ++t) {
      const double d2 =
          norm2(p - ClosestPointOnTriangle(cube.corner(t, 0), cube.corner(t, 1), cube.corner(t, 2), p));
      if (d2 < best) best = d2, expected = t;
    }
    EXPECT_EQ(distance.ClosestPoint(p).triangle, expected);
  }
}

TEST(MeshDistance, WindingNumberAgreesWithAllSolidAngles) {
  for (const TriangleMesh& mesh :
       {test::Transformed(TiltedPose(), test::Torus(48, 32, 0.05, 0.02)),
        test::Transformed(TiltedPose(), test::LPrism(0.03, 0.04)), test::Icosphere(4, 0.07)}) {
    const MeshDistance distance(mesh);
    for (int i = 0; i < 2000; ++i) {
      const Vec3 p = UniformInBox(6, i, {-0.12, -0.12, -0.1}, {0.12, 0.12, 0.13});
      EXPECT_NEAR(distance.WindingNumber(p), ExactWinding(mesh, p), kWindingError);
    }
    for (int i = 0; i < 500; ++i) {  // a micrometre either side of the surface
      const int t = static_cast<int>(RandomBits(7, i) % mesh.triangles.size());
      const Vec3 c = (1.0 / 3) * (mesh.corner(t, 0) + mesh.corner(t, 1) + mesh.corner(t, 2));
      const Vec3 n = normalized(AreaNormal2(mesh, t));
      EXPECT_NEAR(distance.WindingNumber(c + 1e-6 * n), 0, kWindingError);
      EXPECT_NEAR(distance.WindingNumber(c - 1e-6 * n), 1, kWindingError);
    }
  }
}

TEST(MeshDistance, WindingNumberSurvivesAHoleAndTellsReversedTriangles) {
  TriangleMesh mesh = test::Icosphere(3, 0.07);
  mesh.triangles.resize(mesh.triangles.size() - 6);
  const MeshDistance open(mesh);
  EXPECT_TRUE(open.Inside({0.01, -0.02, 0.03}));
  EXPECT_FALSE(open.Inside({0.05, 0.05, 0.05}));
  TriangleMesh inward = test::Icosphere(2, 0.07);
  for (auto& t : inward.triangles) std::swap(t[1], t[2]);
  EXPECT_NEAR(MeshDistance(inward).WindingNumber({0.01, 0.02, 0.03}), -1, kWindingError);
  EXPECT_FALSE(MeshDistance(inward).Inside({0.01, 0.02, 0.03}));
}

TEST(MeshDistance, LPrismAgreesWithTwoBoxes) {
  const double w = 0.03, height = 0.04;
  const Pose X = TiltedPose();
  const MeshDistance distance(test::Transformed(X, test::LPrism(w, height)));
  const Box wide{{2 * w, w, height}}, tall{{w, 3 * w, height}};
  for (int i = 0; i < 5000; ++i) {
    const Vec3 p = UniformInBox(8, i, {-0.03, -0.03, -0.03}, {0.09, 0.12, 0.07});
    const double union_of_boxes = std::min(SignedDistance(wide, p - Vec3{w, 0.5 * w, 0.5 * height}),
                                           SignedDistance(tall, p - Vec3{0.5 * w, 1.5 * w, 0.5 * height}));
    const double d = distance.SignedDistance(X * p);
    if (union_of_boxes > 0) {  // exact outside
      EXPECT_NEAR(d, union_of_boxes, 1e-15);
    } else {  // only a bound inside
      EXPECT_LE(d, union_of_boxes + 1e-15);
      EXPECT_TRUE(distance.Inside(X * p));
    }
  }
}

TEST(MeshDistance, TorusAgreesWithItsClosedForm) {
  const double major = 0.05, minor = 0.02;
  const Pose X = TiltedPose();
  const MeshDistance distance(test::Transformed(X, test::Torus(128, 64, major, minor)));
  // Chords miss the circles by r (1 - cos(pi / n)): 8.5e-5 around (n = 128, r = 0.07), 2.4e-5 across.
  for (int i = 0; i < 5000; ++i) {
    const Vec3 p = UniformInBox(9, i, {-0.1, -0.1, -0.05}, {0.1, 0.1, 0.05});
    const double exact = std::hypot(std::hypot(p.x, p.y) - major, p.z) - minor;
    EXPECT_NEAR(distance.SignedDistance(X * p), exact, 1.1e-4);
  }
}

TEST(MeshDistance, SurfacePointsHaveNoDistance) {
  const TriangleMesh cube = test::IntegerCube(2);
  const MeshDistance distance(cube);
  for (const Vec3& v : cube.vertices) {
    EXPECT_EQ(distance.SignedDistance(v), 0);
    EXPECT_FALSE(std::isnan(distance.WindingNumber(v)));
  }
}

TEST(MeshDistance, RefusesWrongInput) {
  EXPECT_THROW(MeshDistance(TriangleMesh{}), Error);
  TriangleMesh bad = test::LPrism(0.03, 0.04);
  bad.triangles[3][1] = 99;
  EXPECT_THROW(MeshDistance{bad}, Error);
  bad = test::LPrism(0.03, 0.04);
  bad.vertices[2].y = NAN;
  EXPECT_THROW(MeshDistance{bad}, Error);
  const MeshDistance good(test::LPrism(0.03, 0.04));
  EXPECT_TRUE(std::isnan(good.ClosestPoint({NAN, 0, 0}).distance));
}

}  // namespace
}  // namespace taxel
