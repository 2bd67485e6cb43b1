// Cases, tilted: a closed torus against the lattice; parallel and pinhole rays; a cup (its bowl is carved); a
// hidden cavity (filled); a ball with a hole (filled, or carved when holes are looked through); a sheet;
// refusals.
#include "taxel/gel/carve.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "../shape/expect_error.h"
#include "gel_meshes.h"
#include "taxel/gel/fill.h"

namespace taxel {
namespace {

double VolumeOf(const Carving& c) { return static_cast<double>(c.points.size()) * c.volume_per_point(); }

bool Holds(const Carving& c, const Vec3& p) {
  return std::any_of(c.points.begin(), c.points.end(), [&](const Vec3& q) {
    const Vec3 d = cwise_abs(q - p);
    return std::max({d.x, d.y, d.z}) <= 0.5 * c.voxel * (1 + 1e-9);
  });
}

CarveOptions Small() {
  CarveOptions options;
  options.views = 60;
  options.pixels = 120;
  return options;
}

TEST(CarveVoxels, ClosedMeshLikeTheLattice) {
  const SolidShape solid(test::Transformed(test::TiltedPose(), test::Torus(60, 30, 0.03, 0.012)), "torus");
  const Filling lattice = FillLattice(solid, 0.001);
  for (const bool pinhole : {false, true}) {
    CarveOptions options = Small();
    options.pinhole = pinhole;
    const Carving carved = CarveVoxels(solid.mesh()->mesh(), 0.001, options);
    EXPECT_EQ(carved.lattice, lattice.lattice);
    // Only what lies within the rise of the surface between the pixels (1.1 mm across) may be lost: its edges
    // turn by 12 degrees, tan(6 degrees) * 1.1 mm / 2.
    std::vector<Vec3> deep;
    for (const Vec3& p : lattice.points)
      if (solid.mesh()->SignedDistance(p) < -6e-5) deep.push_back(p);
    EXPECT_GT(deep.size(), 0.95 * static_cast<double>(lattice.points.size()));
    EXPECT_TRUE(std::includes(carved.points.begin(), carved.points.end(), deep.begin(), deep.end(),
                              [](const Vec3& a, const Vec3& b) {
                                const Vec3 d = a - b;
                                for (int k = 0; k < 3; ++k)
                                  if (std::fabs(d[k]) > 1e-9) return d[k] < 0;
                                return false;
                              }));
    // Less than a voxel is added around (surface / volume = 2 / 12 mm).
    EXPECT_GT(VolumeOf(carved), 0.99 * solid.volume());
    EXPECT_LT(VolumeOf(carved), 1.08 * solid.volume()) << (pinhole ? "pinhole" : "parallel");
    options.whole_voxels = true;
    const Carving whole = CarveVoxels(solid.mesh()->mesh(), 0.001, options);
    EXPECT_GT(whole.points.size(), carved.points.size());
    EXPECT_LT(VolumeOf(whole), 1.35 * solid.volume());
  }
}

TEST(CarveVoxels, BowlIsCarvedAndHiddenCavityFilled) {
  const Pose X = test::TiltedPose();
  // A cup 30 mm wide and 34 mm high with walls of 4 mm, and an air bubble in a ball.
  const TriangleMesh cup = test::Transformed(
      X, test::Lathe({{0, 0}, {0.015, 0}, {0.015, 0.034}, {0.011, 0.034}, {0.011, 0.004}, {0, 0.004}}, 48));
  ASSERT_GT(EnclosedVolume(cup), 0);
  const Carving carved = CarveVoxels(cup, 0.0007, Small());
  EXPECT_FALSE(Holds(carved, X * Vec3{0.001, 0.002, 0.03}));
  EXPECT_FALSE(Holds(carved, X * Vec3{-0.002, 0.001, 0.0065}));  // just above the floor
  EXPECT_FALSE(Holds(carved, X * Vec3{0.006, -0.005, 0.012}));
  EXPECT_TRUE(Holds(carved, X * Vec3{0.013, 0.0, 0.02}));     // wall
  EXPECT_TRUE(Holds(carved, X * Vec3{0.002, 0.003, 0.002}));  // floor
  EXPECT_NEAR(VolumeOf(carved) / EnclosedVolume(cup), 1.06, 0.08);

  TriangleMesh hollow = test::Icosphere(4, 0.02);
  test::Append(test::Reversed(test::Icosphere(3, 0.012)), &hollow);
  hollow = test::Transformed(X, hollow);
  const Carving filled = CarveVoxels(hollow, 0.001, Small());
  const Filling with_cavity = FillLattice(SolidShape(hollow), 0.001);
  EXPECT_TRUE(Holds(filled, X * Vec3{0.001, 0.003, -0.002}));
  const double ball = 4.0 / 3 * 3.14159265358979 * 8e-6;
  EXPECT_NEAR(VolumeOf(filled) / ball, 1.02, 0.04);
  EXPECT_LT(static_cast<double>(with_cavity.points.size()) * 1e-9, 0.85 * ball);
}

TEST(CarveVoxels, OpenMeshes) {
  const Pose X = test::TiltedPose();
  // A ball whose cap above z = 0.7 radius is missing.
  TriangleMesh open = test::Icosphere(4, 0.02);
  std::erase_if(open.triangles, [&](const std::array<int, 3>& t) {
    return open.vertices[t[0]].z > 0.014 && open.vertices[t[1]].z > 0.014 && open.vertices[t[2]].z > 0.014;
  });
  open = test::Transformed(X, open);
  CarveOptions options = Small();
  const Carving filled = CarveVoxels(open, 0.001, options);
  EXPECT_TRUE(Holds(filled, X * Vec3{0.001, 0.002, 0.001}));
  EXPECT_TRUE(Holds(filled, X * Vec3{0.003, 0.001, 0.012}));    // under the hole
  EXPECT_FALSE(Holds(filled, X * Vec3{0.001, 0.002, 0.0185}));  // the missing cap
  options.look_through_holes = true;
  const Carving seen = CarveVoxels(open, 0.001, options);
  EXPECT_FALSE(Holds(seen, X * Vec3{0.001, 0.002, 0.001}));
  EXPECT_LT(seen.points.size(), filled.points.size() / 4);

  // A slanted sheet has no inside: the voxels it cuts, by the rule of the corners.
  const TriangleMesh sheet{{{0, 0, 0}, {0.04, 0, 0.013}, {0.04, 0.03, 0.02}, {0, 0.03, 0.007}},
                           {{0, 1, 2}, {0, 2, 3}}};
  CarveOptions whole = Small();
  whole.whole_voxels = whole.look_through_holes = true;
  const Carving cut = CarveVoxels(sheet, 0.001, whole);
  // About 1,900 voxels are cut; those near the border may go, as a flat view sees past their corners.
  for (const double x : {0.0123, 0.0205, 0.0271})
    for (const double y : {0.0104, 0.0155, 0.0187}) EXPECT_TRUE(Holds(cut, {x, y, 0.325 * x + 0.2333 * y}));
  EXPECT_GT(cut.points.size(), 600u);
  EXPECT_LT(cut.points.size(), 4200u);
  for (const Vec3& p : cut.points) EXPECT_LT(std::fabs(p.z - (0.325 * p.x + 0.2333 * p.y)), 0.0023);
}

TEST(CarveVoxels, PaperVoxelIsTheDiagonalOver256) {
  EXPECT_NEAR(PaperVoxel(test::BoxMesh({0.02, 0.03, 0.06})), 0.07 / 256, 1e-15);
}

TEST(CarveVoxels, Refusals) {
  const TriangleMesh box = test::BoxMesh({0.02, 0.03, 0.06});
  for (const double bad : {0.0, -1.0, std::nan(""), HUGE_VAL})
    ExpectError([&] { CarveVoxels(box, bad); }, {"voxel is", "finite and greater than 0"});
  ExpectError([&] { CarveVoxels(box, 0.07); }, {"voxel is 0.07", "larger than the mesh (0.06"});
  ExpectError([&] { CarveVoxels(box, 1e-6); }, {"3e+08", "use at least"});
  ExpectError([&] { CarveVoxels({}, 0.01); }, {"mesh to carve"});
  CarveOptions options;
  options.views = 3;
  ExpectError([&] { CarveVoxels(box, 0.01, options); }, {"views is 3", "4 to 10000"});
  options = {};
  options.pixels = 1;
  ExpectError([&] { CarveVoxels(box, 0.01, options); }, {"pixels is 1"});
  options = {};
  options.pinhole = true;
  options.distance = 1;
  ExpectError([&] { CarveVoxels(box, 0.01, options); }, {"distance is 1", "outside the mesh"});
  // A slanted sheet whose two sides are believed has no inside at the centres of coarse voxels.
  options = Small();
  options.look_through_holes = true;
  options.pixels = 400;
  const TriangleMesh sheet{{{0, 0, 0}, {0.04, 0, 0.013}, {0.04, 0.03, 0.0207}, {0, 0.03, 0.0077}},
                           {{0, 1, 2}, {0, 2, 3}}};
  ExpectError([&] { CarveVoxels(sheet, 0.011, options); },
              {"carve away every voxel", "0.011", "whole_voxels"});
}

}  // namespace
}  // namespace taxel
