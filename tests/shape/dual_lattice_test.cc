// MakeLattice: box faces midway between points, points outside the box all round, corners midway where it can
// be. MeshLattice: sound on an L, a torus, two balls about to touch and random lattices over a spiky body;
// quality bounded
//   away from 0; volume within the first order of the spacing; kinds and cells of the vertices. FitToSurface:
//   outer vertices on the surface, corners taken, nothing inverted.
#include "taxel/shape/dual_lattice.h"

#include <gtest/gtest.h>

#include "taxel/shape/fit_surface.h"
#include "taxel/shape/tet_edit.h"
#include "test_meshes.h"
#include "tet_checks.h"

namespace taxel {
using namespace internal;
namespace {

using namespace test;

TEST(MakeLattice, PutsFacesAndCornersMidway) {
  const Box3 box{{-0.01, 0.02, 0.03}, {0.05, 0.05, 0.07}};
  const std::vector<Vec3> corners = {{0.01, 0.03, 0.04}, {0.03, 0.05, 0.03}};
  const Lattice lattice = MakeLattice(box, 0.0071, corners);
  for (int axis = 0; axis < 3; ++axis) {
    EXPECT_LE(lattice.step[axis], 0.0071 * 1.02);
    EXPECT_GE(lattice.step[axis], 0.0071 / 2);
    const double last = lattice.origin[axis] + (lattice.count[axis] - 1) * lattice.step[axis];
    EXPECT_NEAR(lattice.origin[axis], box.lo[axis] - 0.5 * lattice.step[axis], 1e-15);
    EXPECT_NEAR(last, box.hi[axis] + 0.5 * lattice.step[axis], 1e-15);
    for (const Vec3& c : corners) {
      const double at = (c[axis] - lattice.origin[axis]) / lattice.step[axis];
      EXPECT_NEAR(at - std::floor(at), 0.5, 0.3);
    }
  }
}

void ExpectSoundLatticeMesh(const TriangleMesh& surface, double spacing) {
  const MeshDistance distance(surface);
  const LatticeMesh m = MeshLattice(distance, MakeLattice(BoundingBox(surface), spacing, {}));
  ASSERT_FALSE(m.mesh.tets.empty());
  ExpectSoundMesh(m.mesh);
  ASSERT_EQ(m.kind.size(), m.mesh.vertices.size());
  ASSERT_EQ(m.cell.size(), m.mesh.vertices.size());
  std::vector<char> outer(m.mesh.vertices.size(), 0);
  for (const auto& t : BoundarySurface(m.mesh).triangles)
    for (int v : t) outer[v] = 1;
  for (std::size_t v = 0; v < outer.size(); ++v) {
    EXPECT_EQ(outer[v] != 0, m.kind[v] == LatticeVertex::kSurface || m.kind[v] == LatticeVertex::kCrossing);
    const bool of_cell = m.kind[v] == LatticeVertex::kCentre || m.kind[v] == LatticeVertex::kSurface;
    EXPECT_EQ(m.cell[v].empty(), !of_cell);
    if (of_cell) {
      EXPECT_EQ(m.cell[v].Distance2(m.mesh.vertices[v]), 0);
    }
  }
  double worst = 1;
  for (int t = 0; t < static_cast<int>(m.mesh.tets.size()); ++t)
    worst = std::min(worst, TetQuality(m.mesh.corner(t, 0), m.mesh.corner(t, 1), m.mesh.corner(t, 2),
                                       m.mesh.corner(t, 3)));
  EXPECT_GT(worst, 1e-3);  // of the order of the margin squared, 0.05^2
}

TEST(MeshLattice, IsSound) {
  const Pose X = TiltedPose();
  for (double spacing : {0.004, 0.0061, 0.011}) {
    ExpectSoundLatticeMesh(LPrism(0.02, 0.017), spacing);
    ExpectSoundLatticeMesh(Transformed(X, LPrism(0.02, 0.017)), spacing);
    ExpectSoundLatticeMesh(Transformed(X, Torus(40, 20, 0.04, 0.015)), spacing);
  }
}

TEST(MeshLattice, IsSoundOnSpikes) {
  TriangleMesh surface = Icosphere(3, 0.05);  // radii between 2 and 5 cm, unrelated from vertex to vertex
  for (std::size_t i = 0; i < surface.vertices.size(); ++i) surface.vertices[i] *= Uniform(9, i, 0.4, 1);
  for (double spacing : {0.003, 0.0047, 0.008}) ExpectSoundLatticeMesh(surface, spacing);
}

TEST(MeshLattice, VolumeConverges) {
  const TriangleMesh surface = Transformed(TiltedPose(), Torus(40, 20, 0.04, 0.015));
  const double volume = EnclosedVolume(surface);
  const MeshDistance distance(surface);
  for (double spacing : {0.006, 0.003}) {
    const LatticeMesh m = MeshLattice(distance, MakeLattice(BoundingBox(surface), spacing, {}));
    EXPECT_NEAR(TotalVolume(m.mesh), volume, spacing * volume / 0.015);
    EXPECT_EQ(EulerCharacteristic(m.mesh), 0);
  }
}

TEST(FitToSurface, BringsVerticesToTheirPlace) {
  const TriangleMesh surface = LPrism(0.02, 0.017);
  const MeshDistance distance(surface);
  const SharpFeatures features(surface, 0.5);
  const LatticeMesh first =
      MeshLattice(distance, MakeLattice(BoundingBox(surface), 0.005, features.corners()));
  TetEditor edit(first.mesh);
  const SurfaceFit fit = FitToSurface(&edit, first, distance, features);
  ExpectSoundMesh(edit.mesh());
  EXPECT_EQ(fit.off_surface, 0);
  for (std::size_t c = 0; c < features.corners().size(); ++c) {
    ASSERT_GE(fit.vertex_of_corner[c], 0);
    EXPECT_EQ(edit.position(fit.vertex_of_corner[c]), features.corners()[c]);
  }
  for (int v = 0; v < edit.num_vertices(); ++v) {
    if (first.kind[v] < LatticeVertex::kSurface) continue;
    EXPECT_LT(distance.ClosestPoint(edit.position(v)).distance, 1e-12);
  }
  EXPECT_NEAR(TotalVolume(edit.mesh()), EnclosedVolume(surface), 1e-9 * EnclosedVolume(surface));
}

TEST(FitToSurface, NeverInverts) {
  TriangleMesh surface = Icosphere(3, 0.05);
  for (std::size_t i = 0; i < surface.vertices.size(); ++i) surface.vertices[i] *= Uniform(9, i, 0.4, 1);
  const MeshDistance distance(surface);
  const SharpFeatures features(surface, 0.5);
  const LatticeMesh first =
      MeshLattice(distance, MakeLattice(BoundingBox(surface), 0.004, features.corners()));
  TetEditor edit(first.mesh);
  FitToSurface(&edit, first, distance, features);
  ExpectSoundMesh(edit.mesh());
}

}  // namespace
}  // namespace taxel
