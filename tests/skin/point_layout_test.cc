// Free lists of taxels:
//   - normals from a sphere, a box, a mesh (face, edge, corner of a cube); given normals become unit length
//   - areas: a grid on a box's top is pitch^2, also beside the edge; half space; sphere within 1 %; no body
//   - default radius; axes: tangential, +z or +x, continuous over a fingertip
//   - vertices: normals of a cube and of a sphere, areas add up, a soup counts once, unused vertices
//   - wrong input, one by one
#include "taxel/skin/point_layout.h"

#include <gtest/gtest.h>

#include <limits>

#include "../shape/expect_error.h"
#include "../shape/test_meshes.h"
#include "layout_checks.h"

namespace taxel {
namespace {

constexpr double kPi = 3.14159265358979323846;

Body Rigid(const Primitive& shape) {
  BodyOptions options;
  options.name = "finger";
  return Body(shape, options);
}
Body Rigid(const TriangleMesh& mesh) {
  BodyOptions options;
  options.name = "finger";
  return Body(mesh, options);
}

TEST(PointLayout, NormalsOfTheSurface) {
  const Body ball = Rigid(Sphere{0.02});
  std::vector<Vec3> points;
  for (int i = 0; i < 20; ++i)
    points.push_back((0.02 + test::Uniform(1, i, -0.002, 0.002)) * test::UniformDirection(2, i));
  const Layout layout = PointLayout(points, {}, &ball);
  test::CheckFrames(layout);
  EXPECT_EQ(layout.points, points);
  EXPECT_EQ(layout.rows, 0);
  EXPECT_FALSE(layout.plane);
  for (int i = 0; i < 20; ++i) EXPECT_LT(norm(layout.normals[i] - normalized(points[i])), 1e-14);

  const Body box = Rigid(Box{{0.02, 0.03, 0.04}});
  EXPECT_EQ(PointLayout({{0.01, 0.002, 0.003}}, {}, &box, 0.002).normals[0], (Vec3{1, 0, 0}));
}

TEST(PointLayout, NormalsOfAMeshOnItsFacesEdgesAndCorners) {
  TriangleMesh cube = test::IntegerCube(2);
  for (Vec3& v : cube.vertices) v *= 0.005;
  const Pose X = test::TiltedPose();
  const Body body = Rigid(test::Transformed(X, cube));
  const std::vector<Vec3> points = {X * Vec3{0.01, 0.002, 0.003}, X * Vec3{0.01, -0.01, 0.0012},
                                    X * Vec3{-0.01, -0.01, 0.01}, X * Vec3{0.005, 0.005, 0.0101}};
  const Layout layout = PointLayout(points, {}, &body, 0.002);
  const Vec3 expected[4] = {{1, 0, 0}, normalized({1, -1, 0}), normalized({-1, -1, 1}), {0, 0, 1}};
  for (int i = 0; i < 4; ++i) EXPECT_LT(norm(layout.normals[i] - X.R * expected[i]), 1e-13) << i;
}

TEST(PointLayout, GivenNormalsBecomeUnit) {
  const Body ball = Rigid(Sphere{0.02});
  const Layout layout = PointLayout({{0, 0, 0.02}}, {{0, 3, 4}}, &ball, 0.002);
  EXPECT_LT(norm(layout.normals[0] - Vec3{0, 0.6, 0.8}), 1e-15);
  test::CheckFrames(layout);
}

TEST(PointLayout, AreasOfAGridOnABox) {
  // Taxels up to the edge: the walls beside it do not count.
  const Body box = Rigid(Box{{0.02, 0.03, 0.04}});
  std::vector<Vec3> points;
  for (int j = 0; j < 15; ++j)
    for (int i = 0; i < 10; ++i) points.push_back({-0.009 + 0.002 * i, -0.014 + 0.002 * j, 0.02});
  const Layout layout = PointLayout(points, {}, &box);
  test::CheckFrames(layout);
  for (double a : layout.areas) EXPECT_NEAR(a, 4e-6, 1e-15);
  // A radius of its own.
  for (double a : PointLayout(points, {}, &box, 0.0005).areas) EXPECT_NEAR(a, kPi * 0.25e-6, 1e-15);
}

TEST(PointLayout, AreasOnAHalfSpaceAndWithoutABody) {
  const Body ground = Rigid(HalfSpace{});
  const std::vector<Vec3> points = {{1, 2, 0}, {1.01, 2, 0.001}, {1, 2.01, -0.001}};
  const Layout layout = PointLayout(points, {}, &ground, 0.002);
  EXPECT_NEAR(layout.areas[0], kPi * 4e-6, 1e-15);
  EXPECT_NEAR(layout.areas[1], kPi * 3e-6, 1e-15);
  EXPECT_EQ(layout.normals[2], (Vec3{0, 0, 1}));
  const std::vector<Vec3> normals(3, {0, 0, 1});
  for (double a : PointLayout(points, normals, nullptr, 0.002).areas) EXPECT_DOUBLE_EQ(a, kPi * 4e-6);
  // Default: 0.75 of the mean distance to the nearest.
  const double s = std::sqrt(1e-4 + 1e-6), r = 0.75 * s;
  for (double a : PointLayout(points, normals, nullptr).areas) EXPECT_NEAR(a, kPi * r * r, 1e-15);
}

TEST(PointLayout, AreasOnASphereWithinOnePercent) {
  const double r = 0.02;
  const Body ball = Rigid(Sphere{r});
  std::vector<Vec3> points;
  for (const Vec3& v : test::Icosphere(2, r).vertices) points.push_back(v);
  const Layout all = PointLayout(points, {}, &ball, 0.01);  // reaches every point of the surface
  EXPECT_NEAR(test::SumOfAreas(all) / (4 * kPi * r * r), 1, 0.005);
  // A single cap of straight radius a has the area pi a^2, whatever the sphere.
  EXPECT_NEAR(PointLayout({{r, 0, 0}}, {}, &ball, 0.008).areas[0] / (kPi * 64e-6), 1, 0.01);
}

TEST(PointLayout, AxesAreContinuousOverAFingertip) {
  EXPECT_LT(norm(FreeAxis({1, 0, 0}) - Vec3{0, 0, 1}), 1e-16);
  EXPECT_LT(norm(FreeAxis({0, 0, 1}) - Vec3{1, 0, 0}), 1e-16);
  EXPECT_LT(norm(FreeAxis({0, 0, -1}) - Vec3{1, 0, 0}), 1e-16);
  // Normals up to 70 degrees off the x axis.
  for (int i = 0; i < 200; ++i) {
    const double a = test::Uniform(1, i, -1.2, 1.2), b = test::Uniform(2, i, -1.2, 1.2), step = 1e-3;
    const auto normal = [](double u, double v) {
      return Vec3{std::cos(u) * std::cos(v), std::sin(u) * std::cos(v), std::sin(v)};
    };
    EXPECT_LT(norm(FreeAxis(normal(a, b)) - FreeAxis(normal(a + step, b + step))), 4 * step);
  }
}

TEST(VertexLayout, CubeCornersAndSphere) {
  TriangleMesh cube = test::IntegerCube(1);
  const Pose X = test::TiltedPose();
  const Layout layout = VertexLayout(test::Transformed(X, cube));
  test::CheckFrames(layout);
  ASSERT_EQ(layout.count(), static_cast<int>(cube.vertices.size()));
  EXPECT_NEAR(test::SumOfAreas(layout), 24, 1e-12);
  for (int i = 0; i < layout.count(); ++i) {
    // However the faces are cut: the mean of the faces of |x| <= 1 that meet in an integer point.
    const Vec3 v = cube.vertices[i];
    Vec3 mean;
    for (int k = 0; k < 3; ++k)
      if (std::fabs(v[k]) == 1) mean[k] = v[k];
    EXPECT_LT(norm(layout.normals[i] - X.R * normalized(mean)), 1e-14) << i;
  }
  const TriangleMesh ball = test::Icosphere(3, 0.02);
  const Layout sphere = VertexLayout(ball);
  for (int i = 0; i < sphere.count(); ++i)
    EXPECT_LT(norm(sphere.normals[i] - normalized(ball.vertices[i])), 5e-3);
  EXPECT_NEAR(test::SumOfAreas(sphere) / SurfaceArea(ball), 1, 1e-12);
}

TEST(VertexLayout, SoupsCountOnceAndUnusedVerticesNot) {
  const TriangleMesh ball = test::Icosphere(1, 0.02);
  TriangleMesh soup;
  soup.vertices.push_back({5, 5, 5});  // of no triangle
  for (int t = 0; t < static_cast<int>(ball.triangles.size()); ++t) {
    const int base = static_cast<int>(soup.vertices.size());
    for (int k = 0; k < 3; ++k) soup.vertices.push_back(ball.corner(t, k));
    soup.triangles.push_back({base, base + 1, base + 2});
  }
  const Layout layout = VertexLayout(soup);
  EXPECT_EQ(layout.count(), static_cast<int>(ball.vertices.size()));
  EXPECT_EQ(layout.points[0], ball.corner(0, 0));
  EXPECT_NEAR(test::SumOfAreas(layout) / SurfaceArea(ball), 1, 1e-12);
}

TEST(VertexLayout, WrongInput) {
  ExpectError([] { VertexLayout({}); }, {"mesh of taxels"});
  // The same triangle from both sides.
  TriangleMesh leaf{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}, {0, 2, 1}}};
  ExpectError([&] { VertexLayout(leaf); }, {"vertex 0", "at 0 0 0", "back to back", "poisson"});
  TriangleMesh nothing{{{0, 0, 0}, {0, 0, 0}, {0, 1, 0}}, {{0, 1, 2}}};
  ExpectError([&] { VertexLayout(nothing); }, {"degenerate"});
}

TEST(PointLayout, WrongInput) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Body ball = Rigid(Sphere{0.02});
  const Body ground = Rigid(HalfSpace{});
  const Vec3 top{0, 0, 0.02}, side{0.02, 0, 0};
  ExpectError([&] { PointLayout({}, {}, &ball); }, {"no point"});
  ExpectError([&] { PointLayout(std::vector<Vec3>(65537), {}, &ball); }, {"65537", "at most 65536"});
  ExpectError(
      [&] {
        PointLayout({top, side}, {{0, 0, 1}}, &ball);
      },
      {"2 points but 1 normals", "from the surface"});
  ExpectError([&] { PointLayout({top}, {}, nullptr, 0.1); }, {"without normals", "give the normals"});
  ExpectError([&] { PointLayout({top}, {}, &ball, -1); }, {"radius is -1"});
  ExpectError([&] { PointLayout({top}, {}, &ball, nan); }, {"radius is nan"});
  ExpectError([&] { PointLayout({top, {nan, 0, 0}}, {}, &ball); }, {"taxel 1 at nan 0 0", "finite"});
  ExpectError([&] { PointLayout({{0, 0, 20}}, {}, &ball); }, {"taxel 0 at 0 0 20", "millimetres", "1000"});
  ExpectError([&] { PointLayout({top}, {{0, 0, 0}}, &ball); }, {"taxel 0", "normal 0 0 0", "not zero"});
  ExpectError([&] { PointLayout({top}, {{0, 0, nan}}, &ball); }, {"normal 0 0 nan"});
  ExpectError(
      [&] {
        PointLayout({side, {0, 0, 0.03}}, {}, &ball);
      },
      {"taxel 1 at 0 0 0.03", "body 'finger'", "at most 0.008", "metres"});
  ExpectError(
      [&] {
        PointLayout({{1, 0, 0.006}}, {}, &ground, 0.01);
      },
      {"0.006 m from the surface", "at most 0.005"});
  ExpectError([&] { PointLayout({top, side, top}, {}, &ball); }, {"taxel 0", "taxel 2", "same place"});
  ExpectError([&] { PointLayout({top}, {}, &ball); }, {"without neighbours", "radius"});
  ExpectError(
      [&] {
        PointLayout({top}, {{0, 0, -1}}, &ball, 0.005);
      },
      {"taxel 0", "faces its normal 0 0 -1", "point out of the body"});
  ExpectError([&] { PointLayout({{0, 0, 0.024}}, {}, &ball, 0.003); }, {"radius 0.003", "raise radius"});
}

}  // namespace
}  // namespace taxel
