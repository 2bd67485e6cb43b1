// Cases: faces of a box exactly; area and normals of the other primitives and a tilted torus; selection by
// direction; refusals.
#include "taxel/gel/skin_points.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "../shape/expect_error.h"
#include "gel_meshes.h"
#include "taxel/shape/signed_distance.h"

namespace taxel {
namespace {

double Sum(const std::vector<double>& v) { return std::accumulate(v.begin(), v.end(), 0.0); }

TEST(SampleSkin, FacesOfABoxAreLattices) {
  const SkinPoints skin = SampleSkin(SolidShape(Box{{0.06, 0.02, 0.045}}), 0.01);
  ASSERT_EQ(skin.points.size(), 2u * (2 * 5 + 6 * 5 + 6 * 2));  // 4.5 cells are 5, by round
  EXPECT_NEAR(Sum(skin.areas), 2 * (0.06 * 0.02 + 0.02 * 0.045 + 0.045 * 0.06), 1e-15);
  const std::array<int, 6> counts{10, 10, 30, 30, 12, 12};
  for (int face = 0; face < 6; ++face)
    EXPECT_EQ(std::count(skin.faces.begin(), skin.faces.end(), face), counts[face]);
  EXPECT_NEAR(norm(skin.points[0] - Vec3{-0.03, -0.005, -0.018}), 0, 1e-15);
  EXPECT_EQ(skin.normals[0], (Vec3{-1, 0, 0}));
  EXPECT_NEAR(skin.areas[0], 0.01 * 0.009, 1e-15);
  EXPECT_NEAR(norm(skin.points.back() - Vec3{0.025, 0.005, 0.0225}), 0, 1e-15);
  EXPECT_EQ(skin.normals.back(), (Vec3{0, 0, 1}));
}

TEST(SampleSkin, PrimitivesHaveTheirAreaAndNormals) {
  for (const Primitive& shape :
       {Primitive(Sphere{0.011}), Primitive(Cylinder{0.01, 0.034}), Primitive(Capsule{0.008, 0.021}),
        Primitive(Ellipsoid{{0.03, 0.012, 0.019}})}) {
    const SkinPoints skin = SampleSkin(SolidShape(shape), 0.0013, 4);
    EXPECT_NEAR(Sum(skin.areas) / SurfaceArea(shape), 1, 1e-9);
    EXPECT_NEAR(static_cast<double>(skin.points.size()) * 0.0013 * 0.0013 / SurfaceArea(shape), 1, 0.15)
        << PrimitiveName(shape);
    Vec3 closed;  // the integral of the normal over a closed surface is zero
    double flux = 0;
    for (std::size_t i = 0; i < skin.points.size(); ++i) {
      ASSERT_NEAR(SignedDistance(shape, skin.points[i]), 0, 1e-12);
      ASSERT_LT(SignedDistance(shape, skin.points[i] - 1e-5 * skin.normals[i]), 0);
      ASSERT_GT(SignedDistance(shape, skin.points[i] + 1e-5 * skin.normals[i]), 0);
      ASSERT_NEAR(norm(skin.normals[i]), 1, 1e-12);
      EXPECT_EQ(skin.faces[i], -1);
      closed += skin.areas[i] * skin.normals[i];
      flux += skin.areas[i] * dot(skin.points[i], skin.normals[i]);
    }
    EXPECT_LT(norm(closed), 0.01 * SurfaceArea(shape));
    EXPECT_NEAR(flux / 3 / Volume(shape), 1, 0.02) << PrimitiveName(shape);
  }
}

TEST(SampleSkin, TiltedTorus) {
  const Pose X = test::TiltedPose();
  const TriangleMesh mesh = test::Transformed(X, test::Torus(60, 30, 0.03, 0.011));
  const SolidShape solid(mesh, "torus");
  const SkinPoints skin = SampleSkin(solid, 0.0015);
  EXPECT_NEAR(Sum(skin.areas) / SurfaceArea(mesh), 1, 1e-9);
  double flux = 0;
  for (std::size_t i = 0; i < skin.points.size(); ++i)
    flux += skin.areas[i] * dot(skin.points[i], skin.normals[i]);
  EXPECT_NEAR(flux / 3 / solid.volume(), 1, 0.02);
  // Half of a torus, by area, is nearer to its axis plane than 60 degrees: tilted with the mesh.
  const auto up = PointsFacing(skin, X.R * Vec3{0, 0, 1}, 0.5);
  double area = 0;
  for (const int i : up) area += skin.areas[i];
  // On the ring dA = r (R + r cos v) dv du, and the normal is pi/2 - v from the axis: 2 pi r R * 2 * 0.5.
  EXPECT_NEAR(area / (2 * 3.14159265 * 0.011 * 0.03 * 2 * 0.5), 1, 0.05);
  EXPECT_EQ(SampleSkin(solid, 0.0015).points, skin.points);
  EXPECT_NE(SampleSkin(solid, 0.0015, 1).points, skin.points);
}

TEST(PointsFacing, SelectsFacesOfABox) {
  const SkinPoints skin = SampleSkin(SolidShape(Box{{0.06, 0.02, 0.04}}), 0.01);
  const auto top = PointsFacing(skin, {0, 0, 3}, 0);
  EXPECT_EQ(top.size(), 12u);
  for (const int i : top) EXPECT_EQ(skin.faces[i], 5);
  const double third = std::acos(1 / std::sqrt(3.0));
  EXPECT_EQ(PointsFacing(skin, {1, 1, 1}, third).size(), skin.points.size() / 2);  // just reached
  EXPECT_EQ(PointsFacing(skin, {1, 1, 1}, third - 1e-6).size(), 0u);
  EXPECT_EQ(PointsFacing(skin, {-0.2, 0.1, 0.7}, 3.1415).size(), skin.points.size());
}

TEST(SampleSkin, Refusals) {
  const SolidShape ball(Sphere{0.01});
  for (const double bad : {0.0, -0.001, std::nan(""), HUGE_VAL})
    ExpectError([&] { SampleSkin(ball, bad); }, {"'sphere'", "spacing is", "finite and greater than 0"});
  ExpectError([&] { SampleSkin(ball, 0.03); }, {"spacing is 0.03", "larger than the shape (0.02"});
  ExpectError([&] { SampleSkin(ball, 1e-6); }, {"more than 1e+07", "use at least"});
  const SkinPoints skin = SampleSkin(ball, 0.005);
  ExpectError([&] { PointsFacing(skin, {}, 1); }, {"(0, 0, 0)"});
  ExpectError([&] { PointsFacing(skin, {0, 0, 1}, 4); }, {"angle is 4", "0 to pi"});
}

}  // namespace
}  // namespace taxel
