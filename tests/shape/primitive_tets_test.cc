// PrimitiveTets and PrimitiveSurface, for boxes (three sizes, two equal, cube, flat), spheres, cylinders
// (long, flat, as long as wide), capsules and ellipsoids, coarsest and fine:
//   - sound meshes with the Euler characteristic of a ball; outer vertices on the true surface; closed
//   surfaces
//   - volume: exact for boxes, of the order of the resolution squared below the true one for round shapes
//   - distance interpolated on the tetrahedra: exact for boxes; close for the others; greatest depth is a
//   vertex
//   - invariance under the mirror planes of the shape: no preferred diagonal
//   - resolution is obeyed; refused: half space, negative and endless resolution
#include "taxel/shape/primitive_tets.h"

#include <gtest/gtest.h>

#include <set>
#include <tuple>

#include "expect_error.h"
#include "taxel/shape/signed_distance.h"
#include "taxel/shape/watertight.h"
#include "test_meshes.h"
#include "tet_checks.h"

namespace taxel {
using namespace internal;
namespace {

using namespace test;

struct Case {
  Primitive shape;
  double resolution;
  double volume;
  double inradius;
};

std::vector<Case> Boxes() {
  std::vector<Case> cases;
  for (double resolution : {0.0, 0.011})
    for (const Vec3& s : {Vec3{0.03, 0.05, 0.02}, {0.02, 0.05, 0.02}, {0.03, 0.03, 0.03}, {0.07, 0.07, 0.01}})
      cases.push_back({Box{s}, resolution, s.x * s.y * s.z, 0.5 * std::min({s.x, s.y, s.z})});
  return cases;
}

std::vector<Case> RoundShapes() {
  std::vector<Case> cases;
  for (double resolution : {0.0, 0.007}) {
    cases.push_back({Sphere{0.03}, resolution, 4.0 / 3 * M_PI * 2.7e-5, 0.03});
    cases.push_back({Cylinder{0.02, 0.07}, resolution, M_PI * 4e-4 * 0.07, 0.02});
    cases.push_back({Cylinder{0.03, 0.02}, resolution, M_PI * 9e-4 * 0.02, 0.01});
    cases.push_back({Cylinder{0.02, 0.04}, resolution, M_PI * 4e-4 * 0.04, 0.02});
    cases.push_back({Capsule{0.02, 0.05}, resolution, M_PI * 4e-4 * 0.05 + 4.0 / 3 * M_PI * 8e-6, 0.02});
    cases.push_back({Ellipsoid{{0.03, 0.02, 0.04}}, resolution, 4.0 / 3 * M_PI * 2.4e-5, 0.02});
  }
  return cases;
}

std::vector<Case> All() {
  std::vector<Case> all = Boxes();
  for (const Case& c : RoundShapes()) all.push_back(c);
  return all;
}

std::string Name(const Case& c) { return PrimitiveName(c.shape) + " at " + std::to_string(c.resolution); }

std::vector<double> Depths(const Case& c, const TetMesh& mesh) {
  std::vector<double> depth;
  for (const Vec3& p : mesh.vertices) depth.push_back(-SignedDistance(c.shape, p));
  return depth;
}

TEST(PrimitiveTets, AreSound) {
  for (const Case& c : All()) {
    SCOPED_TRACE(Name(c));
    const TetMesh mesh = PrimitiveTets(c.shape, c.resolution);
    ExpectSoundMesh(mesh);
    EXPECT_EQ(EulerCharacteristic(mesh), 1);
    std::set<int> used;
    for (const auto& t : mesh.tets) used.insert(t.begin(), t.end());
    EXPECT_EQ(used.size(), mesh.vertices.size());
  }
}

TEST(PrimitiveTets, HaveTheVolume) {
  for (const Case& c : Boxes())
    EXPECT_NEAR(TotalVolume(PrimitiveTets(c.shape, c.resolution)), c.volume, 1e-12 * c.volume) << Name(c);
  for (const Case& c : RoundShapes()) {
    const double volume = TotalVolume(PrimitiveTets(c.shape, c.resolution));
    EXPECT_LT(volume, c.volume) << Name(c);
    EXPECT_GT(volume, 0.97 * c.volume) << Name(c);  // 24 segments: pi / sin(pi / 12) / 12 = 0.989 a dimension
  }
}

TEST(PrimitiveTets, LieOnTheSurface) {
  for (const Case& c : All()) {
    SCOPED_TRACE(Name(c));
    const TriangleMesh surface = PrimitiveSurface(c.shape, c.resolution);
    EXPECT_TRUE(CheckWatertight(surface).ok());
    EXPECT_GT(EnclosedVolume(surface), 0);
    double worst = 0;
    for (const Vec3& p : surface.vertices) worst = std::max(worst, std::fabs(SignedDistance(c.shape, p)));
    EXPECT_LT(worst, 1e-14);
  }
}

TEST(PrimitiveTets, ReachTheMedialAxis) {
  for (const Case& c : All()) {
    const auto depth = Depths(c, PrimitiveTets(c.shape, c.resolution));
    EXPECT_NEAR(*std::max_element(depth.begin(), depth.end()), c.inradius, 1e-12) << Name(c);
  }
}

TEST(PrimitiveTets, InterpolateTheDistance) {
  for (const Case& c : All()) {
    SCOPED_TRACE(Name(c));
    const TetMesh mesh = PrimitiveTets(c.shape, c.resolution);
    const auto depth = Depths(c, mesh);
    const Box3 box = BoundingBox(c.shape);
    const bool is_box = std::holds_alternative<Box>(c.shape);
    const double tolerance = is_box ? 1e-14 : (c.resolution > 0 ? 0.06 : 0.13) * c.inradius;
    int inside = 0;
    for (int i = 0; i < 100; ++i) {
      const Vec3 p = UniformInBox(3, i, box.lo, box.hi);
      const double value = Interpolate(mesh, depth, p);
      if (std::isnan(value)) continue;
      ++inside;
      EXPECT_NEAR(value, -SignedDistance(c.shape, p), tolerance);
    }
    EXPECT_GT(inside, 40);
  }
}

TEST(PrimitiveTets, HaveNoPreferredDiagonal) {
  for (const Case& c : All()) {
    SCOPED_TRACE(Name(c));
    const TetMesh mesh = PrimitiveTets(c.shape, c.resolution);
    // Tetrahedra as sets of places, rounded to a nanometre's thousandth.
    using Place = std::array<long, 3>;
    auto places = [&](const Vec3& flip) {
      std::multiset<std::array<Place, 4>> all;
      for (const auto& t : mesh.tets) {
        std::array<Place, 4> tet;
        for (int k = 0; k < 4; ++k)
          for (int i = 0; i < 3; ++i) tet[k][i] = std::lround(flip[i] * mesh.vertices[t[k]][i] * 1e10);
        std::sort(tet.begin(), tet.end());
        all.insert(tet);
      }
      return all;
    };
    const auto original = places({1, 1, 1});
    for (const Vec3& flip : {Vec3{-1, 1, 1}, {1, -1, 1}, {1, 1, -1}}) EXPECT_EQ(places(flip), original);
  }
}

TEST(PrimitiveTets, ObeyTheResolution) {
  for (const Case& c : All()) {
    if (c.resolution == 0) continue;
    const TriangleMesh surface = PrimitiveSurface(c.shape, c.resolution);
    for (int t = 0; t < static_cast<int>(surface.triangles.size()); ++t)
      for (int k = 0; k < 3; ++k)
        EXPECT_LE(norm(surface.corner(t, k) - surface.corner(t, (k + 1) % 3)), 1.2 * c.resolution) << Name(c);
  }
}

TEST(PrimitiveTets, AreSmall) {
  EXPECT_LE(PrimitiveTets(Box{{0.03, 0.05, 0.02}}).tets.size(), 144u);
  EXPECT_LE(PrimitiveTets(Sphere{0.03}).tets.size(), 864u);
  EXPECT_LE(PrimitiveTets(Cylinder{0.02, 0.07}).tets.size(), 500u);
}

TEST(PrimitiveTets, Refuse) {
  ExpectError([] { PrimitiveTets(HalfSpace{}); }, {"half_space", "endless", "box"});
  ExpectError([] { PrimitiveTets(Sphere{0.1}, -0.01); }, {"sphere", "-0.01"});
  ExpectError([] { PrimitiveTets(Sphere{0.1}, NAN); }, {"sphere", "resolution"});
  ExpectError([] { PrimitiveTets(Box{{1, 1, 1}}, 1e-4); }, {"resolution", "tetrahedra"});
  ExpectError([] { PrimitiveTets(Sphere{0}); }, {"sphere", "radius"});
}

}  // namespace
}  // namespace taxel
