// Cases: closed forms of volume and area; a mesh that is open, faces inwards, is flat, has an inward piece
// beside another; parts that touch along an edge; overlapping pieces count once; a cavity is outside.
#include "taxel/gel/solid_shape.h"

#include <gtest/gtest.h>

#include "../shape/expect_error.h"
#include "gel_meshes.h"
#include "taxel/shape/primitive_tets.h"
#include "taxel/shape/watertight.h"

namespace taxel {
using namespace internal;
namespace {

TEST(SolidShape, VolumesAndAreasAreThoseOfFineMeshes) {
  for (const Primitive& shape :
       {Primitive(Sphere{0.011}), Primitive(Box{{0.02, 0.03, 0.011}}), Primitive(Cylinder{0.01, 0.034}),
        Primitive(Capsule{0.008, 0.021}), Primitive(Ellipsoid{{0.03, 0.012, 0.019}})}) {
    const TriangleMesh fine = PrimitiveSurface(shape, 0.0008);
    // Inscribed: a little less, of second order in facet / radius.
    EXPECT_NEAR(EnclosedVolume(fine) / Volume(shape), 1, 2e-3) << PrimitiveName(shape);
    EXPECT_NEAR(SurfaceArea(fine) / SurfaceArea(shape), 1, 2e-3) << PrimitiveName(shape);
  }
  // Oblate closed form: 2 pi a^2 (1 + (1 - e^2) / e atanh e).
  const double a = 0.03, c = 0.012, e = std::sqrt(1 - c * c / (a * a));
  EXPECT_NEAR(SurfaceArea(Primitive(Ellipsoid{{a, a, c}})) /
                  (6.283185307179586 * a * a * (1 + (1 - e * e) / e * std::atanh(e))),
              1, 1e-5);
}

TEST(SolidShape, InsideOfTiltedMeshAndPrimitive) {
  const Pose X = test::TiltedPose();
  const SolidShape ellipsoid(Ellipsoid{{0.03, 0.02, 0.01}});
  const SolidShape box(Box{{0.03, 0.02, 0.01}});
  const SolidShape mesh(test::Transformed(X, test::LPrism(0.01, 0.008)), "L");
  EXPECT_NEAR(mesh.volume(), 4 * 0.01 * 0.01 * 0.008, 1e-15);
  EXPECT_TRUE(ellipsoid.Inside({0.015, 0.01, 0.004}));
  EXPECT_FALSE(ellipsoid.Inside({0.02, 0.013, 0.005}));
  EXPECT_TRUE(box.Inside({0.0149, -0.0099, 0.0049}));
  EXPECT_FALSE(box.Inside({0.0149, -0.0101, 0.0049}));
  EXPECT_TRUE(mesh.Inside(X * Vec3{0.005, 0.025, 0.004}));
  EXPECT_FALSE(mesh.Inside(X * Vec3{0.015, 0.015, 0.004}));  // in the reflex corner
}

TEST(SolidShape, OverlapCountsOnceAndCavityNotAtAll) {
  const Pose X = test::TiltedPose();
  TriangleMesh two = test::BoxMesh({0.03, 0.02, 0.01});
  TriangleMesh other = test::BoxMesh({0.03, 0.02, 0.01});
  for (Vec3& v : other.vertices) v += Vec3{0.02, 0.005, 0.003};
  test::Append(other, &two);
  const SolidShape joined(test::Transformed(X, two), "joined");
  const double common = 0.01 * 0.015 * 0.007;
  EXPECT_NEAR(joined.volume() / (2 * 6e-6 - common), 1, 1e-3);
  EXPECT_TRUE(joined.Inside(X * Vec3{0.025, 0.012, 0.006}));

  TriangleMesh hollow = test::Icosphere(4, 0.02);
  test::Append(test::Reversed(test::Icosphere(3, 0.012)), &hollow);
  const SolidShape shell(test::Transformed(X, hollow), "shell");
  EXPECT_NEAR(shell.volume(), EnclosedVolume(hollow), 1e-15);
  EXPECT_FALSE(shell.Inside(X * Vec3{0.004, 0.005, -0.003}));
  EXPECT_TRUE(shell.Inside(X * Vec3{0.009, -0.009, 0.009}));
}

TEST(SolidShape, PartsMayTouchAlongAnEdge) {
  TriangleMesh two = test::BoxMesh({0.03, 0.02, 0.01}), other = two;
  for (Vec3& v : other.vertices) v += Vec3{0.03, 0.02, 0};
  test::Append(other, &two);
  const TriangleMesh mesh = test::Transformed(test::TiltedPose(), MergeVertices(two));
  ASSERT_EQ(CheckWatertight(mesh).overshared_edges, 1);
  const SolidShape solid(mesh, "steps");
  EXPECT_NEAR(solid.volume(), 2 * 6e-6, 1e-15);
  EXPECT_TRUE(solid.Inside(test::TiltedPose() * Vec3{0.031, 0.021, 0.004}));
  EXPECT_FALSE(solid.Inside(test::TiltedPose() * Vec3{0.031, 0.019, 0.004}));
  TriangleMesh fin = test::BoxMesh({0.03, 0.02, 0.01});
  fin.vertices.push_back({0.01, -0.01, 0.02});
  fin.triangles.push_back({0, 1, 8});
  ExpectError([&] { SolidShape(fin, "fin"); }, {"must be closed", "shared by more than two"});
  TriangleMesh flipped = test::BoxMesh({0.03, 0.02, 0.01});
  std::swap(flipped.triangles[3][0], flipped.triangles[3][1]);
  ExpectError([&] { SolidShape(flipped, "box"); }, {"must be closed", "opposite sides"});
}

TEST(SolidShape, Refusals) {
  ExpectError([] { SolidShape(HalfSpace{}); }, {"half space", "give a box"});
  ExpectError([] { SolidShape(Sphere{-1}); }, {"radius is -1"});
  TriangleMesh open = test::Torus(20, 10, 0.03, 0.01);
  open.triangles.pop_back();
  ExpectError([&] { SolidShape(open, "ring"); }, {"must be closed", "'ring'", "3 open edges", "carving"});
  ExpectError([&] { SolidShape(test::Reversed(test::Torus(20, 10, 0.03, 0.01)), "ring"); },
              {"'ring' face inwards", "reverse"});
  TriangleMesh flat = test::BoxMesh({0.03, 0.02, 0.01});
  for (Vec3& v : flat.vertices) v.z = 0.1 * v.x;
  ExpectError([&] { SolidShape(flat, "sheet"); }, {"'sheet'"});
  TriangleMesh beside = test::Icosphere(2, 0.02);
  TriangleMesh inward = test::Reversed(test::Icosphere(2, 0.01));
  for (Vec3& v : inward.vertices) v += Vec3{0.05, 0.01, 0.02};
  test::Append(inward, &beside);
  ExpectError([&] { SolidShape(beside, "pair"); }, {"a piece of 'pair' faces inwards", "reverse"});
  ExpectError([] { SolidShape(TriangleMesh{}, "nothing"); }, {"nothing"});
}

}  // namespace
}  // namespace taxel
