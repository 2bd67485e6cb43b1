// Cases: boxes of whole cells exactly (primitive and tilted-order mesh), of broken cells; lines through edges
// and vertices; volume of tilted sphere, ellipsoid and torus under refinement; mesh against winding number;
// refusals.
#include "taxel/gel/fill.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "../shape/expect_error.h"
#include "gel_meshes.h"
#include "taxel/gel/column_scan.h"

namespace taxel {
using namespace internal;
namespace {

double CountedVolume(const Filling& f) {
  return static_cast<double>(f.points.size()) * f.spacing * f.spacing * f.spacing;
}

TEST(FillLattice, BoxOfWholeCellsIsExact) {
  const Filling f = FillLattice(SolidShape(Box{{0.06, 0.02, 0.04}}), 0.01);
  ASSERT_EQ(f.points.size(), 6u * 2 * 4);
  EXPECT_EQ(f.lattice, (std::array{6, 2, 4}));
  EXPECT_NEAR(f.correction(), 1, 1e-12);
  EXPECT_NEAR(f.volume_per_point(), 1e-6, 1e-18);
  EXPECT_NEAR(norm(f.points.front() - Vec3{-0.025, -0.005, -0.015}), 0, 1e-16);
  EXPECT_NEAR(norm(f.points[1] - Vec3{-0.025, -0.005, -0.005}), 0, 1e-16);  // z fastest
  EXPECT_NEAR(norm(f.points.back() - Vec3{0.025, 0.005, 0.015}), 0, 1e-16);
}

TEST(FillLattice, BoxOfBrokenCellsIsCentredAndCorrected) {
  const Filling f = FillLattice(SolidShape(Box{{0.0264, 0.0236, 0.0077}}), 0.005);
  EXPECT_EQ(f.lattice, (std::array{5, 5, 2}));
  ASSERT_EQ(f.points.size(), 50u);
  Vec3 sum;
  for (const Vec3& p : f.points) sum += p;
  EXPECT_NEAR(norm(sum), 0, 1e-15);
  EXPECT_NEAR(f.volume_per_point() * 50, 0.0264 * 0.0236 * 0.0077, 1e-18);
  EXPECT_NEAR(f.correction(), 0.0264 * 0.0236 * 0.0077 / (50 * 1.25e-7), 1e-12);
}

TEST(FillLattice, BoxMeshEqualsBox) {
  TriangleMesh mesh = test::BoxMesh({0.06, 0.02, 0.04});
  for (Vec3& v : mesh.vertices) v += Vec3{0.3, -0.2, 0.1};
  const Filling f = FillLattice(SolidShape(mesh), 0.01);
  ASSERT_EQ(f.points.size(), 48u);
  EXPECT_NEAR(norm(f.points.front() - Vec3{0.305, -0.195, 0.105}), 0, 1e-15);
  EXPECT_NEAR(f.correction(), 1, 1e-12);
}

// Columns run through vertices and along edges of the triangles: no line may stay inside or be counted twice.
TEST(FillLattice, ColumnsThroughVerticesAndEdges) {
  const TriangleMesh cube = test::IntegerCube(3);
  ColumnLattice lattice{-4, -4, 0.5, 17, 17};
  const ColumnScan scan(cube, lattice);
  for (int i = 0; i < 17; ++i)
    for (int j = 0; j < 17; ++j) {
      int winding = 0;
      for (const Crossing& c : scan.column(i, j)) {
        winding += c.turn;
        EXPECT_EQ(std::fabs(c.z), 3);
        EXPECT_TRUE(winding == 0 || winding == 1);
      }
      EXPECT_EQ(winding, 0);
      const double out = std::max(std::fabs(lattice.x(i)), std::fabs(lattice.y(j)));
      if (out != 3) {
        EXPECT_EQ(scan.column(i, j).size(), out < 3 ? 2u : 0u) << i << ", " << j;
      }
    }
}

// The count is that of lattice points in a smooth body: the error falls faster than the spacing.
TEST(FillLattice, VolumeConverges) {
  const Pose X = test::TiltedPose();
  TriangleMesh ellipsoid = test::Icosphere(5, 1);
  for (Vec3& v : ellipsoid.vertices) v = X * cwise_mul(v, {0.03, 0.012, 0.019});
  const std::vector<SolidShape> solids{
      SolidShape(Sphere{0.02}),
      SolidShape(Ellipsoid{{0.03, 0.012, 0.019}}),
      SolidShape(Capsule{0.01, 0.023}),
      SolidShape(Cylinder{0.013, 0.03}),
      SolidShape(ellipsoid, "ellipsoid"),
      SolidShape(test::Transformed(X, test::Torus(120, 60, 0.03, 0.011)), "torus")};
  for (const SolidShape& solid : solids) {
    const Filling coarse = FillLattice(solid, 0.002), fine = FillLattice(solid, 0.0005);
    EXPECT_NEAR(CountedVolume(coarse) / solid.volume(), 1, 0.04) << solid.name();
    EXPECT_NEAR(CountedVolume(fine) / solid.volume(), 1, 0.006) << solid.name();
    EXPECT_NEAR(fine.volume_per_point() * static_cast<double>(fine.points.size()), solid.volume(),
                1e-12 * solid.volume());
  }
}

TEST(FillLattice, MeshAgreesWithWindingNumber) {
  TriangleMesh hollow = test::Icosphere(3, 0.02);
  test::Append(test::Reversed(test::Icosphere(2, 0.012)), &hollow);
  const SolidShape solid(test::Transformed(test::TiltedPose(), hollow), "shell");
  const Filling f = FillLattice(solid, 0.0013);
  std::size_t inside = 0;
  const Vec3 c = solid.box().center();
  for (int i = 0; i < f.lattice[0]; ++i)
    for (int j = 0; j < f.lattice[1]; ++j)
      for (int k = 0; k < f.lattice[2]; ++k)
        inside += solid.Inside(c + 0.0013 * Vec3{i - 0.5 * (f.lattice[0] - 1), j - 0.5 * (f.lattice[1] - 1),
                                                 k - 0.5 * (f.lattice[2] - 1)});
  EXPECT_EQ(f.points.size(), inside);
  for (const Vec3& p : f.points) ASSERT_TRUE(solid.Inside(p));
}

// Two boxes that touch along an edge, which lies in a plane of columns.
TEST(FillLattice, PartsThatTouchAlongAnEdge) {
  TriangleMesh two = test::BoxMesh({0.03, 0.02, 0.01}), other = two;
  for (Vec3& v : other.vertices) v += Vec3{0.03, 0.02, 0};
  test::Append(other, &two);
  EXPECT_EQ(FillLattice(SolidShape(two), 0.005).points.size(), 2u * 6 * 4 * 2);
  const SolidShape tilted(test::Transformed(test::TiltedPose(), two), "steps");
  const Filling f = FillLattice(tilted, 0.0007);
  EXPECT_NEAR(CountedVolume(f) / tilted.volume(), 1, 0.005);
}

TEST(FillLattice, Refusals) {
  const SolidShape plate(Box{{0.06, 0.02, 0.004}});
  for (const double bad : {0.0, -0.001, std::nan(""), HUGE_VAL})
    ExpectError([&] { FillLattice(plate, bad); }, {"'box'", "spacing is", "finite and greater than 0"});
  ExpectError([&] { FillLattice(plate, 0.01); }, {"spacing is 0.01", "along z", "use at most 0.004"});
  ExpectError([&] { FillLattice(plate, 1e-5); }, {"4.8e+09 points", "5e+07", "use at least"});
  EXPECT_EQ(FillLattice(plate, 0.008).points.size(), 8u * 3 * 1);  // just thick enough
  // The only site of the lattice is in the cavity.
  TriangleMesh hollow = test::Icosphere(3, 0.02);
  test::Append(test::Reversed(test::Icosphere(2, 0.012)), &hollow);
  const SolidShape shell(hollow, "shell");
  ExpectError([&] { FillLattice(shell, 0.04); }, {"'shell'", "spacing 0.04", "puts no point inside"});
}

}  // namespace
}  // namespace taxel
