// Distances along a surface:
//   - plane: the straight distance, on good and very obtuse triangles, from faces, edges and vertices
//   - cylinder unrolled, also obtuse; sphere: great circles; cube: the unfolded faces
//   - paths that bend: re-entrant border, hole, slit
//   - a metric: symmetric, triangle inequality, never below the straight distance, on a torus with bumps;
//     a radius changes nothing within it
//   - soup, mixed winding, doubled faces, many sheets on an edge, parts that do not touch, needles
//   - a field used again; vertices and triangles; wrong input
#include "taxel/shape/geodesic.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "expect_error.h"
#include "taxel/shape/sample_surface.h"
#include "test_meshes.h"

namespace taxel {
using namespace internal;
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kInf = std::numeric_limits<double>::infinity();

// [0, a] x [0, b], n by m cells; every row is sheared by `shear` of a cell more than the last, so that
// triangles get obtuse; the border is ragged then.
TriangleMesh Sheet(double a, double b, int n, int m, double shear = 0) {
  TriangleMesh mesh;
  for (int j = 0; j <= m; ++j)
    for (int i = 0; i <= n; ++i) mesh.vertices.push_back({a * (i + shear * j) / n, b * j / m, 0});
  for (int j = 0; j < m; ++j)
    for (int i = 0; i < n; ++i) {
      const int v = j * (n + 1) + i;
      mesh.triangles.push_back({v, v + 1, v + n + 2});
      mesh.triangles.push_back({v, v + n + 2, v + n + 1});
    }
  return mesh;
}

std::vector<std::vector<double>> AllPairs(const TriangleMesh& mesh, const std::vector<SurfaceSample>& s,
                                          double radius) {
  const GeodesicDistance geodesic(mesh);
  std::vector<std::vector<double>> d(s.size(), std::vector<double>(s.size()));
  GeodesicField field;
  for (std::size_t i = 0; i < s.size(); ++i) {
    geodesic.From(s[i].point, s[i].triangle, radius, &field);
    for (std::size_t j = 0; j < s.size(); ++j) d[i][j] = field.At(s[j].point, s[j].triangle);
  }
  return d;
}

TEST(Geodesic, PlaneIsExact) {
  const Pose X = test::TiltedPose();
  // Shears of 0, 3 and 9 cells: the greatest angles are 90, 162 and 174 degrees. A sheared sheet is a
  // parallelogram: still convex.
  for (const double shear : {0.0, 3.0, 9.0}) {
    const TriangleMesh mesh = test::Transformed(X, Sheet(0.02, 0.015, 9, 7, shear));
    const auto s = UniformSurfaceSamples(mesh, 40, 3);
    const auto d = AllPairs(mesh, s, kInf);
    for (int i = 0; i < 40; ++i)
      for (int j = 0; j < 40; ++j) EXPECT_NEAR(d[i][j], norm(s[i].point - s[j].point), 1e-13) << shear;
  }
}

TEST(Geodesic, PlaneFromEdgesAndVertices) {
  const TriangleMesh mesh = Sheet(0.02, 0.015, 9, 7, 1.5);
  const GeodesicDistance geodesic(mesh);
  for (const int t : {0, 17, 50, 101})
    for (int k = 0; k < 3; ++k) {
      const Vec3 vertex = mesh.corner(t, k), edge = 0.3 * vertex + 0.7 * mesh.corner(t, (k + 1) % 3);
      for (const Vec3& p : {vertex, edge, vertex + 1e-13 * Vec3{1, 1, 0}}) {
        const GeodesicField field = geodesic.From(p, t, kInf);
        for (const auto& q : UniformSurfaceSamples(mesh, 50, 8))
          EXPECT_NEAR(field.At(q.point, q.triangle), norm(q.point - p), 1e-12);
        for (int v = 0; v < static_cast<int>(mesh.vertices.size()); ++v)
          EXPECT_NEAR(field.AtVertex(v), norm(mesh.vertices[v] - p), 1e-12);
      }
    }
}

// A sheet bent round the z axis: columns parallel to it, each higher by `shear` of a row than the last.
// (Shear along the circle would be Schwarz's lantern: fine triangles, but no cylinder.)
TriangleMesh Bent(double radius, double turn, double length, int columns, int rows, double shear) {
  TriangleMesh mesh = Sheet(length, radius * turn, rows, columns, shear);
  for (Vec3& v : mesh.vertices) v = {radius * std::cos(v.y / radius), radius * std::sin(v.y / radius), v.x};
  return mesh;
}

TEST(Geodesic, CylinderUnrolled) {
  const double radius = 0.01, turn = 1.5 * kPi;
  struct Case {
    int columns, rows;
    double shear;  // 4 rows of 1.2 mm a column of 1 mm: 168 degrees
  };
  for (const Case& c : {Case{18, 10, 0}, Case{36, 20, 0.5}, Case{48, 25, 4}}) {
    const TriangleMesh mesh =
        test::Transformed(test::TiltedPose(), Bent(radius, turn, 0.03, c.columns, c.rows, c.shear));
    const Pose X = Inverse(test::TiltedPose());
    const auto s = UniformSurfaceSamples(mesh, 40, 5);
    const auto d = AllPairs(mesh, s, kInf);
    const double edge = std::max(radius * turn / c.columns, 0.03 / c.rows * (1 + c.shear));
    const auto unrolled = [&](const Vec3& p_W) {
      const Vec3 p = X * p_W;
      const double angle = std::atan2(p.y, p.x);
      return Vec3{radius * (angle < -1e-9 ? angle + 2 * kPi : angle), p.z, 0};
    };
    int compared = 0;
    for (int i = 0; i < 40; ++i)
      for (int j = 0; j < i; ++j) {
        const double truth = norm(unrolled(s[i].point) - unrolled(s[j].point));
        if (truth <= 2 * edge) continue;
        ++compared;
        EXPECT_NEAR(d[i][j] / truth, 1, 0.005) << c.columns;
        EXPECT_GE(d[i][j], norm(s[i].point - s[j].point) * (1 - 1e-14));
      }
    EXPECT_GT(compared, 100);
  }
}

TEST(Geodesic, SphereGreatCircles) {
  // The facets' error at more than two edges: 1.3 % on 320 triangles, 0.33 % on 1280, 0.08 % on 5120.
  struct Case {
    int level;
    double error;
  };
  for (const Case& c : {Case{2, 0.02}, Case{3, 0.005}, Case{4, 0.0015}}) {
    const TriangleMesh mesh = test::Icosphere(c.level, 0.02);
    const auto s = UniformSurfaceSamples(mesh, 20, 6);
    const auto d = AllPairs(mesh, s, kInf);
    const double edge = norm(mesh.corner(0, 0) - mesh.corner(0, 1));
    for (int i = 0; i < 20; ++i)
      for (int j = 0; j < 20; ++j) {
        const Vec3 u = normalized(s[i].point), v = normalized(s[j].point);
        const double truth = 0.02 * std::atan2(norm(cross(u, v)), dot(u, v));
        if (truth > 2 * edge) {
          EXPECT_NEAR(d[i][j] / truth, 1, c.error);
        }
      }
  }
}

TEST(Geodesic, CubeUnfolds) {
  const TriangleMesh cube = test::IntegerCube(2);  // |x| <= 2
  const GeodesicDistance geodesic(cube);
  const auto from = geodesic.Project({0.3, -0.7, 2});
  const GeodesicField field = geodesic.From(from.point, from.triangle, kInf);
  // Over one edge onto the face x = 2: the face lies flat at x = 2 + (2 - z).
  const auto side = geodesic.Project({2, 0.4, 1.1});
  EXPECT_NEAR(field.At(side.point, side.triangle), std::hypot(2 + 0.9 - 0.3, 0.4 + 0.7), 1e-13);
  // To the opposite face: the best of the ways over one or two side faces.
  const Vec3 q{-0.5, 0.2, -2};
  double best = kInf;
  for (int turn = 0; turn < 4; ++turn) {
    const auto rotated = [turn](Vec3 p) {
      for (int k = 0; k < turn; ++k) p = {-p.y, p.x, p.z};
      return p;
    };
    const Vec3 a = rotated({0.3, -0.7, 0}), b = rotated(q);
    // Over the face x = 2, and over x = 2 and then y = 2 or y = -2.
    best = std::min(best, std::hypot(2 - a.x + 4 + 2 - b.x, b.y - a.y));
    best = std::min(best, std::hypot(2 - a.x + 4 + 2 - b.y, 2 - a.y + 2 - b.x));
    best = std::min(best, std::hypot(2 - a.x + 4 + 2 + b.y, 2 + a.y + 2 - b.x));
  }
  const auto bottom = geodesic.Project(q);
  EXPECT_NEAR(field.At(bottom.point, bottom.triangle), best, 1e-13);
}

// A sheet of 6 by 6 cells without its middle 2 by 2, cut along y = 3 from x = 4 to the right border; the lips
// of the cut still hold together at its inner end, or not.
TriangleMesh HoleAndSlit(bool open) {
  TriangleMesh mesh = Sheet(6, 6, 6, 6);
  std::erase_if(mesh.triangles, [&](const std::array<int, 3>& t) {
    const Vec3 c = (1.0 / 3) * (mesh.vertices[t[0]] + mesh.vertices[t[1]] + mesh.vertices[t[2]]);
    return c.x > 2 && c.x < 4 && c.y > 2 && c.y < 4;
  });
  for (int x = open ? 4 : 5; x <= 6; ++x) {
    const int lower = 3 * 7 + x, upper = static_cast<int>(mesh.vertices.size());
    mesh.vertices.push_back(mesh.vertices[lower] + Vec3{0, 1e-12, 0});
    for (auto& t : mesh.triangles) {
      const double y = (mesh.vertices[t[0]].y + mesh.vertices[t[1]].y + mesh.vertices[t[2]].y) / 3;
      if (y > 3) std::replace(t.begin(), t.end(), lower, upper);
    }
  }
  return mesh;
}

TEST(Geodesic, BendsAtReentrantBordersAndHoles) {
  const GeodesicDistance geodesic(HoleAndSlit(true));
  const auto p = geodesic.Project({1.2, 2.7, 0});
  const GeodesicField field = geodesic.From(p.point, p.triangle, kInf);
  const auto to = [&](double x, double y) {
    const auto q = geodesic.Project({x, y, 0});
    return field.At(q.point, q.triangle);
  };
  const double corner = std::hypot(0.8, 0.7);                           // to (2, 2)
  EXPECT_NEAR(to(1.7, 4.6), std::hypot(0.5, 1.9), 1e-13);               // straight past the hole
  EXPECT_NEAR(to(3.2, 0.6), std::hypot(2, 2.1), 1e-13);                 // straight below its corner
  EXPECT_NEAR(to(4.4, 1.6), corner + std::hypot(2.4, 0.4), 1e-12);      // round one corner
  EXPECT_NEAR(to(4.6, 2.5), corner + 2 + std::hypot(0.6, 0.5), 1e-12);  // round two
}

TEST(Geodesic, ASlitIsABorder) {
  for (const bool open : {false, true}) {
    const GeodesicDistance geodesic(HoleAndSlit(open));
    const auto below = geodesic.Project({5.5, 2.9, 0}), above = geodesic.Project({5.5, 3.1, 0});
    const double d = geodesic.From(below.point, below.triangle, kInf).At(above.point, above.triangle);
    // Through the vertex that is left at the inner end, or round the hole: (4, 2), (2, 2), (2, 4), (4, 4).
    EXPECT_NEAR(d, open ? 2 * std::hypot(1.5, 0.9) + 6 : 2 * std::hypot(1.5, 0.1), 1e-9);
  }
}

TEST(Geodesic, MetricOnABumpyTorus) {
  TriangleMesh mesh = test::Torus(30, 20, 0.05, 0.02);
  for (std::size_t i = 0; i < mesh.vertices.size(); ++i)
    mesh.vertices[i] += test::UniformInBox(9, i, {-0.003, -0.003, -0.003}, {0.003, 0.003, 0.003});
  mesh = test::Transformed(test::TiltedPose(), mesh);
  const int n = 40;
  const auto s = UniformSurfaceSamples(mesh, n, 4);
  const auto d = AllPairs(mesh, s, kInf);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      EXPECT_NEAR(d[i][j], d[j][i], 1e-13);
      EXPECT_GE(d[i][j], norm(s[i].point - s[j].point) - 1e-17);
      for (int k = 0; k < n; ++k) EXPECT_LE(d[i][j], d[i][k] + d[k][j] + 1e-13);
    }
  // A radius changes nothing within it.
  const double radius = 0.04;
  const auto near = AllPairs(mesh, s, radius);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) EXPECT_EQ(near[i][j], d[i][j] <= radius ? d[i][j] : kInf);
}

TEST(Geodesic, VerticesAndPointsAgree) {
  const TriangleMesh mesh = test::Torus(16, 12, 0.05, 0.02);
  const GeodesicDistance geodesic(mesh);
  const GeodesicField field = geodesic.From(0.5 * (mesh.corner(5, 0) + mesh.corner(5, 1)), 5, kInf);
  const std::vector<double> distances = field.VertexDistances();
  ASSERT_EQ(distances.size(), mesh.vertices.size());
  for (int t = 0; t < static_cast<int>(mesh.triangles.size()); ++t)
    for (int k = 0; k < 3; ++k)
      EXPECT_NEAR(field.At(mesh.corner(t, k), t), distances[mesh.triangles[t][k]], 1e-14);
}

TEST(Geodesic, TrianglesHoldAllThatIsWithinTheRadius) {
  const TriangleMesh mesh = test::Torus(30, 20, 0.05, 0.02);
  const GeodesicDistance geodesic(mesh);
  for (const auto& p : UniformSurfaceSamples(mesh, 10, 2)) {
    const GeodesicField field = geodesic.From(p.point, p.triangle, 0.015);
    const std::vector<int> triangles = field.Triangles();
    EXPECT_TRUE(std::is_sorted(triangles.begin(), triangles.end()));
    EXPECT_LT(triangles.size(), mesh.triangles.size() / 4);
    for (const auto& q : UniformSurfaceSamples(mesh, 2000, 3))
      if (field.At(q.point, q.triangle) < kInf) {
        EXPECT_TRUE(std::binary_search(triangles.begin(), triangles.end(), q.triangle));
      }
  }
}

TEST(Geodesic, SoupsAndMixedWindingAreJoined) {
  const TriangleMesh ball = test::Icosphere(2, 0.02);
  TriangleMesh soup;
  for (int t = 0; t < static_cast<int>(ball.triangles.size()); ++t) {
    const int base = static_cast<int>(soup.vertices.size());
    for (int k = 0; k < 3; ++k) soup.vertices.push_back(ball.corner(t, k));
    soup.triangles.push_back(t % 3 == 0 ? std::array{base, base + 2, base + 1}
                                        : std::array{base, base + 1, base + 2});
  }
  const auto s = UniformSurfaceSamples(ball, 15, 6);
  const auto d = AllPairs(ball, s, kInf), e = AllPairs(soup, s, kInf);
  for (int i = 0; i < 15; ++i)
    for (int j = 0; j < 15; ++j) EXPECT_NEAR(d[i][j], e[i][j], 1e-14);
}

TEST(Geodesic, DoubledFacesAreOne) {
  const TriangleMesh ball = test::Icosphere(2, 0.02);
  const int count = static_cast<int>(ball.triangles.size());
  TriangleMesh doubled = ball;
  for (const auto& t : ball.triangles) doubled.triangles.push_back({t[0], t[2], t[1]});
  const GeodesicDistance a(ball), b(doubled);
  const auto s = UniformSurfaceSamples(ball, 15, 6);
  for (const auto& p : s) {
    const GeodesicField f = a.From(p.point, p.triangle, kInf), g = b.From(p.point, p.triangle + count, kInf);
    EXPECT_EQ(f.num_windows(), g.num_windows());
    for (const auto& q : s) EXPECT_EQ(f.At(q.point, q.triangle), g.At(q.point, q.triangle + count));
  }
}

TEST(Geodesic, ManySheetsEverywhere) {
  // Triangles over random vertices: edges with up to ten triangles, folds, crossings. Still a metric.
  for (int seed = 0; seed < 12; ++seed) {
    TriangleMesh mesh;
    const int vertices = 9 + seed, triangles = 60 + 10 * seed;
    for (int i = 0; i < vertices; ++i)
      mesh.vertices.push_back(test::UniformInBox(seed, i, {-1, -1, -1}, {1, 1, 1}));
    for (std::uint64_t i = 0; mesh.triangles.size() < static_cast<std::size_t>(triangles); ++i) {
      const auto pick = [&](int k) { return static_cast<int>(RandomBits(seed + 100, 3 * i + k) % vertices); };
      const std::array<int, 3> t = {pick(0), pick(1), pick(2)};
      if (t[0] != t[1] && t[1] != t[2] && t[2] != t[0]) mesh.triangles.push_back(t);
    }
    const auto s = UniformSurfaceSamples(mesh, 20, seed);
    const auto d = AllPairs(mesh, s, kInf);
    for (int i = 0; i < 20; ++i)
      for (int j = 0; j < 20; ++j) {
        ASSERT_LT(d[i][j], kInf);
        EXPECT_NEAR(d[i][j], d[j][i], 1e-12);
        EXPECT_GE(d[i][j], norm(s[i].point - s[j].point) - 1e-15);
      }
  }
}

TEST(Geodesic, SheetsOnOneEdgeAndPartsApart) {
  // Three half planes along x = 0 and a triangle far away.
  TriangleMesh mesh;
  const double angle[3] = {0, 2, 4};
  mesh.vertices = {{0, 0, 0}, {0, 1, 0}};
  for (double a : angle) {
    const int base = static_cast<int>(mesh.vertices.size());
    mesh.vertices.push_back({std::cos(a), 0, std::sin(a)});
    mesh.vertices.push_back({std::cos(a), 1, std::sin(a)});
    mesh.triangles.push_back({0, base, base + 1});
    mesh.triangles.push_back({0, base + 1, 1});
  }
  const int base = static_cast<int>(mesh.vertices.size());
  for (const Vec3& v : {Vec3{5, 0, 0}, Vec3{6, 0, 0}, Vec3{5, 1, 0}}) mesh.vertices.push_back(v);
  mesh.triangles.push_back({base, base + 1, base + 2});
  const GeodesicDistance geodesic(mesh);
  const auto on = [&](int sheet, double out, double y) {
    return geodesic.Project({out * std::cos(angle[sheet]), y, out * std::sin(angle[sheet])});
  };
  const auto p = on(0, 0.6, 0.2);
  const GeodesicField field = geodesic.From(p.point, p.triangle, kInf);
  for (int sheet : {1, 2}) {
    const auto q = on(sheet, 0.7, 0.9);
    EXPECT_NEAR(field.At(q.point, q.triangle), std::hypot(1.3, 0.7), 1e-13);
  }
  const auto far = geodesic.Project({5.2, 0.2, 0});
  EXPECT_EQ(field.At(far.point, far.triangle), kInf);
  EXPECT_EQ(field.AtVertex(base), kInf);
}

TEST(Geodesic, TrianglesWithoutArea) {
  // Two squares joined over a needle whose corners are in line: [0,1]^2 and [1,2]x[0,1], the middle of the
  // seam being a vertex on the right side only.
  TriangleMesh mesh{{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {1, 0.5, 0}, {2, 0, 0}, {2, 1, 0}},
                    {{0, 1, 2}, {0, 2, 3}, {1, 4, 2}, {1, 5, 4}, {4, 5, 6}, {4, 6, 2}, {3, 3, 2}}};
  const GeodesicDistance geodesic(mesh);
  for (const Vec3& from : {Vec3{0.2, 0.7, 0}, Vec3{1, 0.3, 0}, Vec3{1, 0.5, 0}, Vec3{0.9, 0.2, 0}}) {
    const auto p = geodesic.Project(from);
    const GeodesicField field = geodesic.From(p.point, p.triangle, kInf);
    for (const auto& q : UniformSurfaceSamples(mesh, 40, 3))
      EXPECT_NEAR(field.At(q.point, q.triangle), norm(q.point - from), 1e-9);
  }
  // A source on the needle itself, and on the triangle that is only an edge.
  const GeodesicField needle = geodesic.From({1, 0.3, 0}, 2, kInf),
                      edge = geodesic.From({0.4, 1, 0}, 6, kInf);
  for (const auto& q : UniformSurfaceSamples(mesh, 40, 3)) {
    EXPECT_NEAR(needle.At(q.point, q.triangle), norm(q.point - Vec3{1, 0.3, 0}), 1e-9);
    EXPECT_NEAR(edge.At(q.point, q.triangle), norm(q.point - Vec3{0.4, 1, 0}), 1e-9);
  }
}

TEST(Geodesic, AFieldUsedAgainForgetsTheLastSource) {
  const TriangleMesh torus = test::Torus(30, 20, 0.05, 0.02), ball = test::Icosphere(3, 0.02);
  const GeodesicDistance a(torus), b(ball);
  GeodesicField field;
  for (const auto& p : UniformSurfaceSamples(torus, 6, 2)) {
    a.From(p.point, p.triangle, 0.03, &field);
    EXPECT_EQ(field.VertexDistances(), a.From(p.point, p.triangle, 0.03).VertexDistances());
    b.From(ball.corner(3, 0), 3, 0.01, &field);
    EXPECT_EQ(field.VertexDistances(), b.From(ball.corner(3, 0), 3, 0.01).VertexDistances());
  }
}

TEST(Geodesic, WrongInput) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const TriangleMesh ball = test::Icosphere(1, 0.02);
  ExpectError([] { GeodesicDistance(TriangleMesh{}); }, {"surface for distances"});
  const GeodesicDistance geodesic(ball);
  const Vec3 p = ball.corner(0, 0);
  ExpectError([&] { geodesic.From(p, 80, 0.01); }, {"no triangle 80", "has 80"});
  ExpectError([&] { geodesic.From(p, -1, 0.01); }, {"no triangle -1"});
  ExpectError([&] { geodesic.From(p, 0, 0); }, {"radius is 0", "metres"});
  ExpectError([&] { geodesic.From(p, 0, nan); }, {"radius is nan"});
  ExpectError([&] { geodesic.From({0, 0, 1}, 0, 0.01); }, {"point 0 0 1", "from triangle 0", "Project"});
  ExpectError([&] { geodesic.From({0, nan, 1}, 0, 0.01); }, {"point 0 nan 1"});
  const GeodesicField field = geodesic.From(p, 0, 0.01);
  ExpectError([&] { field.At(p, 80); }, {"no triangle 80"});
  ExpectError([&] { field.At({nan, 0, 0}, 0); }, {"not finite"});
  ExpectError([&] { field.AtVertex(42); }, {"no vertex 42", "has 42"});
}

}  // namespace
}  // namespace taxel
