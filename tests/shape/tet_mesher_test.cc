// MeshInterior:
//   - the L of tests/data: sound, all twelve corners exact, volume, force on a plate at 2 mm and 0.5 mm
//   against the true
//     distance field, size; the same for a tilted copy
//   - a tilted box of three different sizes, the dumbbell, a tilted torus (one hole), an oblique prism whose
//   edges no
//     lattice follows, a mesh sphere of 2,000 triangles: volume, outer vertices on the surface
//   - depth: exact at the vertices, 0 on the outer surface; the greatest inscribed ball of a box and an L
//   - random points lie in exactly as many tetrahedra as they should: one inside, none outside
//   - same input, same bits
//   - refused: open, flipped, inside-out, too thin for the budget, too many tetrahedra, wrong options
#include "taxel/shape/tet_mesher.h"

#include <gtest/gtest.h>

#include "expect_error.h"
#include "taxel/shape/mesh_distance.h"
#include "taxel/shape/primitive_tets.h"
#include "taxel/shape/read_mesh.h"
#include "test_meshes.h"
#include "tet_checks.h"

namespace taxel {
using namespace internal;
namespace {

using namespace test;

TriangleMesh LShape() { return ReadTriangleMesh(TAXEL_TEST_DATA "/l_shape.obj"); }

bool HasVertex(const TetMesh& mesh, const Vec3& p) {
  return std::find(mesh.vertices.begin(), mesh.vertices.end(), p) != mesh.vertices.end();
}

/// Integral of the true depth over the plane n . x = offset by the midpoint rule on `cells` x `cells`
/// squares.
double TruePlaneIntegral(const TriangleMesh& surface, const Vec3& n, double offset, int cells) {
  const MeshDistance distance(surface);
  Vec3 e1, e2;
  MakeFrame(n, &e1, &e2);
  Box3 box;
  for (const Vec3& v : surface.vertices) box.Include(Vec3{dot(e1, v), dot(e2, v), 0});
  const double dx = box.size().x / cells, dy = box.size().y / cells;
  double sum = 0;
  for (int i = 0; i < cells; ++i)
    for (int j = 0; j < cells; ++j) {
      const Vec3 p = offset * n + (box.lo.x + (i + 0.5) * dx) * e1 + (box.lo.y + (j + 0.5) * dy) * e2;
      sum += std::max(0.0, -distance.SignedDistance(p)) * dx * dy;
    }
  return sum;
}

void ExpectDepths(const MeshedInterior& m, const TriangleMesh& surface, double tolerance) {
  const MeshDistance distance(surface);
  std::vector<char> outer(m.mesh.vertices.size(), 0);
  for (const auto& t : BoundarySurface(m.mesh).triangles)
    for (int v : t) outer[v] = 1;
  ASSERT_EQ(m.depth.size(), m.mesh.vertices.size());
  double worst = 0;
  for (std::size_t v = 0; v < m.depth.size(); ++v) {
    if (outer[v]) {
      EXPECT_EQ(m.depth[v], 0);
    } else {
      worst = std::max(worst, std::fabs(m.depth[v] + distance.SignedDistance(m.mesh.vertices[v])));
      EXPECT_GT(m.depth[v], 0);
    }
    EXPECT_LE(m.depth[v], m.max_depth);
  }
  EXPECT_LT(worst, tolerance);
}

double GreatestOff(const MeshedInterior& m, const TriangleMesh& surface) {
  const MeshDistance distance(surface);
  const TriangleMesh outer = BoundarySurface(m.mesh);
  double worst = 0;
  for (const auto& t : outer.triangles)
    for (int v : t) worst = std::max(worst, distance.ClosestPoint(outer.vertices[v]).distance);
  return worst;
}

void ExpectGoodL(const TriangleMesh& surface, const Pose& X) {
  const MeshedInterior m = MeshInterior(surface, {}, "l_shape");
  ExpectSoundMesh(m.mesh);
  EXPECT_EQ(EulerCharacteristic(m.mesh), 1);
  EXPECT_NEAR(TotalVolume(m.mesh), 40e-6, 40e-6 * 1e-9);
  EXPECT_LT(m.mesh.tets.size(), 10'000u);
  EXPECT_EQ(m.corners, 12);
  EXPECT_EQ(m.corners_kept, 12);
  int exact = 0;
  for (const Vec3& v : surface.vertices) {
    const Vec3 p =
        TransposeMul(X.R, v - X.p);  // the outline has corners at x, y in {-3, -1, 3} cm but not all pairs
    const int ix = std::lround(p.x * 100), iy = std::lround(p.y * 100);
    const bool corner = (std::abs(ix) == 3 && std::abs(iy) == 3) || (ix == 3 && iy == -1) ||
                        (ix == -1 && iy == 3) || (ix == -1 && iy == -1);
    if (corner && HasVertex(m.mesh, v)) ++exact;
  }
  EXPECT_EQ(exact, 12);
  ExpectDepths(m, surface, 1e-12);
  EXPECT_NEAR(m.max_depth, 0.01, 1e-5);
  // A rigid plate pressed into the flat side, with pressure 1e5 Pa at a depth of 1 cm.
  const Vec3 n = X.R * Vec3{0, 0, 1};
  const double bottom = -0.01 + dot(n, X.p), modulus = 1e5 / 0.01;
  EXPECT_NEAR(modulus * PlaneIntegral(m.mesh, m.depth, n, bottom + 0.002), 35.3133, 0.01 * 35.3133);
  const double shallow = modulus * TruePlaneIntegral(surface, n, bottom + 0.0005, 600);
  EXPECT_NEAR(modulus * PlaneIntegral(m.mesh, m.depth, n, bottom + 0.0005), shallow, 0.02 * shallow);
}

TEST(TetMesher, KeepsTheL) { ExpectGoodL(LShape(), Pose{}); }

TEST(TetMesher, KeepsATiltedL) { ExpectGoodL(Transformed(TiltedPose(), LShape()), TiltedPose()); }

TEST(TetMesher, KeepsATiltedBox) {
  const Vec3 size{0.031, 0.047, 0.022};
  const TriangleMesh surface = Transformed(TiltedPose(), PrimitiveSurface(Box{size}));
  const MeshedInterior m = MeshInterior(surface, {}, "box");
  ExpectSoundMesh(m.mesh);
  EXPECT_EQ(EulerCharacteristic(m.mesh), 1);
  EXPECT_EQ(m.corners_kept, 8);
  for (int c = 0; c < 8; ++c) {
    const Vec3 s{c & 1 ? 0.5 : -0.5, c & 2 ? 0.5 : -0.5, c & 4 ? 0.5 : -0.5};
    EXPECT_TRUE(HasVertex(m.mesh, TiltedPose() * cwise_mul(s, size)));
  }
  EXPECT_NEAR(TotalVolume(m.mesh), size.x * size.y * size.z, 1e-9 * size.x * size.y * size.z);
  EXPECT_NEAR(m.max_depth, 0.011, 1.1e-5);
  ExpectDepths(m, surface, 1e-12);
}

TEST(TetMesher, KeepsTheDumbbell) {
  const TriangleMesh surface = ReadTriangleMesh(TAXEL_TEST_DATA "/dumbbell.obj");
  const MeshedInterior m = MeshInterior(surface, {}, "dumbbell");
  ExpectSoundMesh(m.mesh);
  EXPECT_EQ(EulerCharacteristic(m.mesh), 1);
  EXPECT_EQ(m.corners_kept, m.corners);
  EXPECT_NEAR(TotalVolume(m.mesh), EnclosedVolume(surface), 1e-6 * EnclosedVolume(surface));
  EXPECT_NEAR(m.max_depth, 0.02, 2e-5);
}

TEST(TetMesher, MeshesATiltedTorus) {
  const TriangleMesh surface = Transformed(TiltedPose(), Torus(60, 30, 0.05, 0.015));
  const MeshedInterior m = MeshInterior(surface, {}, "torus");
  ExpectSoundMesh(m.mesh);
  EXPECT_EQ(EulerCharacteristic(m.mesh), 0);
  EXPECT_NEAR(TotalVolume(m.mesh), EnclosedVolume(surface), 0.005 * EnclosedVolume(surface));
  EXPECT_LT(m.mesh.tets.size(), 100'000u);
}

TEST(TetMesher, MeshesASphereOfTwoThousandTriangles) {
  TriangleMesh surface;  // 50 x 21 bands: 2,000 triangles
  constexpr int kAround = 50, kBands = 21;
  constexpr double kRadius = 0.05;
  for (int j = 1; j < kBands; ++j)
    for (int i = 0; i < kAround; ++i) {
      const double u = 2 * M_PI * i / kAround, v = M_PI * j / kBands;
      surface.vertices.push_back(kRadius *
                                 Vec3{std::sin(v) * std::cos(u), std::sin(v) * std::sin(u), std::cos(v)});
    }
  const int top = static_cast<int>(surface.vertices.size()), bottom = top + 1, last = (kBands - 2) * kAround;
  surface.vertices.push_back({0, 0, kRadius});
  surface.vertices.push_back({0, 0, -kRadius});
  for (int i = 0; i < kAround; ++i) {
    const int k = (i + 1) % kAround;
    surface.triangles.push_back({top, i, k});
    surface.triangles.push_back({bottom, last + k, last + i});
    for (int j = 0; j < last; j += kAround) {
      surface.triangles.push_back({j + i, j + kAround + i, j + kAround + k});
      surface.triangles.push_back({j + i, j + kAround + k, j + k});
    }
  }
  ASSERT_EQ(surface.triangles.size(), 2000u);
  const MeshedInterior m = MeshInterior(surface, {}, "sphere");
  ExpectSoundMesh(m.mesh);
  EXPECT_EQ(EulerCharacteristic(m.mesh), 1);
  EXPECT_NEAR(TotalVolume(m.mesh), EnclosedVolume(surface), 0.005 * EnclosedVolume(surface));
  EXPECT_LT(GreatestOff(m, surface), 1e-12);
  EXPECT_LT(m.mesh.tets.size(), 40'000u);
  // The ball inside a polyhedron: its nearest face is up to (pi / 50)^2 / 2 + (pi / 42)^2 / 2 of the radius
  // nearer.
  EXPECT_NEAR(m.max_depth, kRadius, 0.006 * kRadius);
  ExpectDepths(m, surface, 1e-12);
}

TEST(TetMesher, FollowsEdgesThatNoLatticeFollows) {
  TriangleMesh surface;  // three-sided prism: its edges have 60 degrees, its faces favour no three directions
  for (double z : {-0.025, 0.025})
    for (int i = 0; i < 3; ++i)
      surface.vertices.push_back({0.04 * std::cos(2 * M_PI * i / 3), 0.04 * std::sin(2 * M_PI * i / 3), z});
  surface.triangles = {{0, 2, 1}, {3, 4, 5}, {0, 1, 4}, {0, 4, 3},
                       {1, 2, 5}, {1, 5, 4}, {2, 0, 3}, {2, 3, 5}};
  surface = Transformed(TiltedPose(), surface);
  const MeshedInterior m = MeshInterior(surface, {}, "prism");
  ExpectSoundMesh(m.mesh);
  EXPECT_EQ(m.corners_kept, 6);
  EXPECT_NEAR(TotalVolume(m.mesh), EnclosedVolume(surface), 1e-3 * EnclosedVolume(surface));
  EXPECT_NEAR(m.max_depth, 0.02, 2e-5);
  // A plate on an end, and one on the edge at angle 0 (half as wide a wedge as any right angle).
  const Vec3 end = TiltedPose().R * Vec3{0, 0, 1}, edge = TiltedPose().R * Vec3{-1, 0, 0};
  for (const auto& [n, depth, tolerance] : {std::tuple{end, 0.002, 0.01}, {edge, 0.005, 0.06}}) {
    double lowest = INFINITY;
    for (const Vec3& v : surface.vertices) lowest = std::min(lowest, dot(n, v));
    const double truth = TruePlaneIntegral(surface, n, lowest + depth, 400);
    EXPECT_NEAR(PlaneIntegral(m.mesh, m.depth, n, lowest + depth), truth, tolerance * truth);
  }
}

TEST(TetMesher, CoversEachInnerPointOnce) {
  const TriangleMesh surface = Transformed(TiltedPose(), LPrism(0.02, 0.017));
  const MeshedInterior m = MeshInterior(surface, {}, "l");
  ExpectSoundMesh(m.mesh);
  const MeshDistance distance(surface);
  const Box3 box = BoundingBox(surface);
  for (int i = 0; i < 400; ++i) {
    const Vec3 p = UniformInBox(7, i, box.lo, box.hi);
    EXPECT_EQ(CountContaining(m.mesh, p), distance.Inside(p) ? 1 : 0);
  }
}

TEST(TetMesher, IsDeterministic) {
  const TriangleMesh surface = Transformed(TiltedPose(), Torus(24, 12, 0.05, 0.02));
  const MeshedInterior a = MeshInterior(surface, {}, "torus"), b = MeshInterior(surface, {}, "torus");
  EXPECT_EQ(a.mesh.vertices, b.mesh.vertices);
  EXPECT_EQ(a.mesh.tets, b.mesh.tets);
  EXPECT_EQ(a.depth, b.depth);
  EXPECT_EQ(a.max_depth, b.max_depth);
}

TEST(TetMesher, FinerSpacingMakesMore) {
  MesherOptions fine;
  fine.spacing = 0.0025;
  const MeshedInterior m = MeshInterior(LShape(), fine, "l");
  ExpectSoundMesh(m.mesh);
  EXPECT_LE(m.spacing, 0.0025 * (1 + 1e-9));
  EXPECT_GT(m.mesh.tets.size(), 2 * MeshInterior(LShape(), {}, "l").mesh.tets.size());
}

TEST(TetMesher, RefusesBrokenSurfaces) {
  TriangleMesh open = LShape();
  open.triangles.pop_back();
  ExpectError([&] { MeshInterior(open, {}, "lid"); }, {"lid"});
  TriangleMesh flipped = LShape();
  std::swap(flipped.triangles[3][0], flipped.triangles[3][1]);
  ExpectError([&] { MeshInterior(flipped, {}, "lid"); }, {"lid"});
  TriangleMesh inside_out = LShape();
  for (auto& t : inside_out.triangles) std::swap(t[0], t[1]);
  ExpectError([&] { MeshInterior(inside_out, {}, "lid"); }, {"lid", "inwards", "reverse"});
}

TEST(TetMesher, RefusesWhatTheBudgetCannotHold) {
  const TriangleMesh plate = PrimitiveSurface(Box{{0.2, 0.2, 0.0005}}, 0.02);
  MesherOptions options;
  options.max_lattice_points = 100'000;
  ExpectError([&] { MeshInterior(plate, options, "plate"); },
              {"plate", "5e-04 m thick", "max_lattice_points", "taxel mesh", "fTetWild"});
  MesherOptions few;
  few.max_tets = 1000;
  ExpectError([&] { MeshInterior(LShape(), few, "l"); }, {"max_tets", "1000", "taxel mesh"});
}

TEST(TetMesher, EndsOnANoisySurfaceAndSaysSo) {
  // A torus that every facet of makes a crease: the finer it is followed, the more there is to follow.
  TriangleMesh noisy = Transformed(TiltedPose(), Torus(24, 12, 0.05, 0.02));
  for (std::size_t i = 0; i < noisy.vertices.size(); ++i)
    noisy.vertices[i] += 0.002 * test::UniformDirection(5, i);
  MesherOptions all, some;
  all.enough_tets = 0;
  const MeshedInterior whole = MeshInterior(noisy, all, "noisy");
  EXPECT_FALSE(whole.stopped);
  some.enough_tets = static_cast<int>(whole.mesh.tets.size()) / 2;
  const MeshedInterior part = MeshInterior(noisy, some, "noisy");
  EXPECT_TRUE(part.stopped);
  EXPECT_LT(part.mesh.tets.size(), 0.51 * static_cast<double>(whole.mesh.tets.size()));
  ExpectSoundMesh(part.mesh);
  EXPECT_NEAR(part.max_depth, whole.max_depth, 0.02 * whole.max_depth);
  EXPECT_FALSE(MeshInterior(LShape(), {}, "l").stopped);
  some.enough_tets = -1;
  ExpectError([&] { MeshInterior(noisy, some, "noisy"); }, {"noisy", "enough_tets", "-1"});
}

// A grid that ignores the creases at the edges of the L: the force on a plate 2 mm deep is half of what it
// should be.
TEST(RefineForDepth, MakesACoarseGridFollowTheCreases) {
  const TetMesh coarse = ReadTetMesh(TAXEL_TEST_DATA "/l_shape_h10.vtk");
  const MeshedInterior fine = RefineForDepth(coarse, {}, "grid");
  ExpectSoundMesh(fine.mesh);
  EXPECT_NEAR(TotalVolume(fine.mesh), TotalVolume(coarse), 1e-15);
  EXPECT_GT(fine.mesh.tets.size(), coarse.tets.size());
  EXPECT_NEAR(fine.max_depth, 0.01, 1e-5);
  const MeshDistance surface(BoundarySurface(coarse));
  auto worst =
      [&](const TetMesh& mesh) {  // mean error of the depth at the middles of the tetrahedra, by volume
        double error = 0, volume = 0;
        for (int t = 0; t < static_cast<int>(mesh.tets.size()); ++t) {
          Vec3 middle;
          double linear = 0;
          for (int v : mesh.tets[t]) {
            middle += 0.25 * mesh.vertices[v];
            linear += 0.25 * surface.ClosestPoint(mesh.vertices[v]).distance;
          }
          const double v = TetVolume(mesh, t);
          error += v * std::fabs(surface.ClosestPoint(middle).distance - linear);
          volume += v;
        }
        return error / volume;
      };
  EXPECT_GT(worst(coarse), 1e-3);
  EXPECT_LT(worst(fine.mesh), 0.1 * worst(coarse));
}

TEST(TetMesher, RefusesWrongOptions) {
  MesherOptions options;
  options.spacing = -1;
  ExpectError([&] { MeshInterior(LShape(), options, "l"); }, {"spacing", "-1"});
  options = {};
  options.field_tolerance = 0;
  ExpectError([&] { MeshInterior(LShape(), options, "l"); }, {"field_tolerance", "0"});
  options = {};
  options.spacing = 1e-5;
  ExpectError([&] { MeshInterior(LShape(), options, "l"); },
              {"spacing", "1e-05 m", "lattice points", "take a greater resolution"});
}

}  // namespace
}  // namespace taxel
