// What a single probe meets on a mesh. Cases:
//   tree and brute force to the last bit: L, dumbbell, torus, crumpled spheres, also 1 um and 10 m large and
//   far from their origin, open meshes, a soup of triangles; short, long and axis-parallel probes closed:
//   first front face of AllHits; inside as by winding number and parity; pieces that overlap; a cavity;
//   triangles that face inwards enters, leaves, enters again: the nearest; a concave notch aimed at vertices
//   and edges: never slips through, from outside and from inside integer cube: exactly along a face, through
//   edges and corners, base on a face, edge and corner open: either side, normal against the probe, no
//   inside; rim; edge-on triangles without area; a probe without length; a mesh of one triangle; soft bodies;
//   tetrahedra
#include "taxel/bristle/probe_tree.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "pads.h"
#include "taxel/bristle/probe_target.h"
#include "taxel/shape/mesh_distance.h"
#include "taxel/shape/ray.h"
#include "taxel/shape/read_mesh.h"

namespace taxel {
using namespace internal;
namespace {

using Kind = ProbeMeeting::Kind;
using test::Crumpled;
using test::TiltedPose;
using test::Transformed;
using test::Uniform;
using test::UniformDirection;
using test::UniformInBox;

ProbeTarget Target(const TriangleMesh& mesh) { return ProbeTarget(Body(mesh, {})); }

// Meets by tree and by brute force; they must not differ in a bit.
ProbeMeeting MeetBoth(const ProbeTarget& target, const Vec3& base, const Vec3& tip) {
  const ProbeMeeting a = target.Meet(base, tip), b = target.MeetByBruteForce(base, tip);
  EXPECT_EQ(a.kind, b.kind);
  EXPECT_EQ(a.t, b.t);
  EXPECT_EQ(a.normal, b.normal);
  return a;
}

Vec3 At(double x, double y, double z) { return {x, y, z}; }

struct Named {
  const char* name;
  TriangleMesh mesh;
};

std::vector<Named> ClosedMeshes() {
  return {{"L", Transformed(TiltedPose(), test::Data("l_shape.obj"))},
          {"dumbbell", test::Data("dumbbell.obj")},
          {"torus", Transformed(TiltedPose(), test::Torus(40, 30, 0.05, 0.02))},
          {"crumpled", Crumpled(4, 0.03, 0.2, 7)},
          {"tiny", test::Scaled(1e-6 / 0.03, Crumpled(3, 0.03, 0.2, 8))},
          {"large", test::Scaled(10 / 0.03, Crumpled(3, 0.03, 0.2, 9))},
          {"off its origin", Transformed(Pose{{}, {0.7, -0.5, 0.9}}, Crumpled(3, 0.003, 0.2, 10))}};
}

TriangleMesh Soup(int count) {
  TriangleMesh mesh;
  for (int i = 0; i < count; ++i) {
    const Vec3 at = UniformInBox(20, i, {-0.03, -0.02, -0.04}, {0.03, 0.02, 0.04});
    for (int k = 0; k < 3; ++k) mesh.vertices.push_back(at + 0.008 * UniformDirection(21, 3 * i + k));
    mesh.triangles.push_back({3 * i, 3 * i + 1, 3 * i + 2});
  }
  return mesh;
}

struct Segment {
  Vec3 base, tip;
};

// From in and around the box; half of them end in the box, of the others a third is along an axis, lengths
// from a hundredth to twice the box.
Segment RandomSegment(const Box3& box, int i) {
  const Vec3 size = box.size();
  const double scale = norm(size);
  const Vec3 base = UniformInBox(30, i, box.lo - 0.3 * size, box.hi + 0.3 * size);
  if (i % 2) return {base, UniformInBox(33, i, box.lo, box.hi)};
  Vec3 d = UniformDirection(31, i);
  if (i % 3 == 0) d = Vec3{}, d[i / 6 % 3] = i % 4 ? 1 : -1;
  return {base, base + scale * std::pow(10, Uniform(32, i, -2, 0.3)) * d};
}

TEST(ProbeTree, EqualsBruteForceToTheLastBit) {
  std::vector<Named> meshes = ClosedMeshes();
  meshes.push_back({"soup", Soup(700)});
  TriangleMesh open = Crumpled(3, 0.03, 0.2, 11);
  open.triangles.resize(open.triangles.size() * 2 / 3);
  meshes.push_back({"open", open});
  for (const auto& [name, mesh] : meshes) {
    SCOPED_TRACE(name);
    const ProbeTarget target = Target(mesh);
    int count[3] = {};
    for (int i = 0; i < 4000; ++i) {
      const auto [base, tip] = RandomSegment(target.box(), i);
      ++count[static_cast<int>(MeetBoth(target, base, tip).kind)];
      if (testing::Test::HasFailure()) return;
    }
    EXPECT_GT(count[0], 500);
    EXPECT_GT(count[1], 200);
  }
}

// From what ray.h knows: crossings in order, and the winding number of the base.
TEST(ProbeTree, MeetsTheFirstFrontFaceOrStartsInside) {
  for (const auto& [name, mesh] : ClosedMeshes()) {
    SCOPED_TRACE(name);
    const ProbeTarget target = Target(mesh);
    const MeshDistance distance(mesh);
    int enters = 0, inside = 0, again = 0;
    for (int i = 0; i < 3000; ++i) {
      const auto [base, tip] = RandomSegment(target.box(), i);
      const ProbeMeeting m = target.Meet(base, tip);
      const auto hits = AllHits(mesh, distance.bvh(), {base, tip - base});
      const bool in = hits.size() % 2 == 1;
      ASSERT_EQ(in, distance.Inside(base));
      ASSERT_EQ(m.kind == Kind::kInside, in);
      inside += in;
      if (in) continue;
      const RayHit* first = nullptr;
      int entries = 0;
      for (const RayHit& hit : hits)
        if (hit.t <= 1 && dot(AreaNormal2(mesh, hit.triangle), tip - base) < 0) {
          if (!first) first = &hit;
          ++entries;
        }
      again += entries > 1;
      ASSERT_EQ(m.kind == Kind::kEnters, first != nullptr);
      if (!first) continue;
      ++enters;
      EXPECT_EQ(m.t, first->t);
      EXPECT_LT(norm(m.normal - normalized(AreaNormal2(mesh, first->triangle))), 1e-14);
    }
    EXPECT_GT(enters, 200);
    EXPECT_GT(inside, 50);
    EXPECT_GT(again, 0);
  }
}

TEST(ProbeTree, EntersLeavesEntersAgain) {
  // The arms of the L, 30 mm wide, seen across the notch from its open corner and through the long arm.
  const ProbeTarget L = Target(test::LPrism(0.03, 0.04));
  const ProbeMeeting m = MeetBoth(L, {0.1, 0.02, 0.02}, {-0.1, 0.02, 0.02});
  EXPECT_EQ(m.kind, Kind::kEnters);
  EXPECT_NEAR(m.t, 0.04 / 0.2, 1e-15);
  EXPECT_EQ(m.normal, (Vec3{1, 0, 0}));
  // From the notch down into the short arm, then out below.
  EXPECT_NEAR(MeetBoth(L, {0.05, 0.05, 0.02}, {0.05, -0.05, 0.02}).t, 0.2, 1e-15);
  // In the notch, inside the box: not inside the body, whichever way it looks.
  EXPECT_EQ(MeetBoth(L, {0.05, 0.05, 0.02}, {0.051, 0.052, 0.021}).kind, Kind::kNone);
  EXPECT_EQ(MeetBoth(L, {0.05, 0.05, 0.02}, {0.025, 0.05, 0.02}).kind, Kind::kEnters);
  // Two rings of a torus: the outer one first; from the hole the inner side.
  const ProbeTarget torus = Target(test::Torus(64, 48, 0.05, 0.02));
  EXPECT_NEAR(MeetBoth(torus, {0.1, 0.0003, 0.0002}, {-0.1, 0.0003, 0.0002}).t, 0.15, 2e-3);
  const ProbeMeeting hole = MeetBoth(torus, {0.0001, 0.0003, 0.0002}, {-0.1, 0.0003, 0.0002});
  EXPECT_NEAR(hole.t, 0.3, 2e-3);
  EXPECT_GT(hole.normal.x, 0.9);
}

TEST(ProbeTree, OverlappingPiecesCavitiesAndInsideOut) {
  const TriangleMesh ball = test::Icosphere(3, 0.02);
  const ProbeTarget two = Target(test::Joined(ball, Transformed(Pose{{}, {0.02, 0.001, 0.002}}, ball)));
  // Inside the first, the second ahead: the first crossing is a front face, yet the base is inside.
  EXPECT_EQ(MeetBoth(two, {-0.01, 0.001, 0.001}, {0.05, 0.001, 0.001}).kind, Kind::kInside);
  EXPECT_EQ(MeetBoth(two, {0.01, 0.001, 0.001}, {0.05, 0.001, 0.001}).kind, Kind::kInside);  // in both
  EXPECT_EQ(MeetBoth(two, {0.01, 0.018, 0.01}, {0.01, 0, 0}).kind, Kind::kEnters);  // in the box, in the gap

  const ProbeTarget shell = Target(test::Joined(ball, test::Flipped(test::Icosphere(2, 0.01))));
  EXPECT_EQ(MeetBoth(shell, {0.001, 0.002, 0.015}, {0.001, 0.002, 0.03}).kind, Kind::kInside);
  const ProbeMeeting from_cavity = MeetBoth(shell, {0.001, 0.002, 0.003}, {0.001, 0.002, 0.03});
  EXPECT_EQ(from_cavity.kind, Kind::kEnters);
  EXPECT_LT(from_cavity.normal.z, -0.9);

  const ProbeTarget inwards = Target(test::Flipped(ball)), outwards = Target(ball);
  for (int i = 0; i < 300; ++i) {
    const auto [base, tip] = RandomSegment(outwards.box(), i);
    const ProbeMeeting a = MeetBoth(inwards, base, tip), b = outwards.Meet(base, tip);
    EXPECT_EQ(a.kind, b.kind);
    EXPECT_NEAR(a.t, b.t, 1e-13);
    EXPECT_LT(norm(a.normal - b.normal), 1e-13);
  }
}

TEST(ProbeTree, NothingSlipsThroughEdgesAndVertices) {
  for (const auto& [name, mesh] : {Named{"sphere", Transformed(TiltedPose(), test::Icosphere(3, 0.07))},
                                   Named{"tiny", test::Scaled(1e-6 / 0.07, test::Icosphere(3, 0.07))},
                                   Named{"large", test::Scaled(10 / 0.07, test::Icosphere(3, 0.07))}}) {
    SCOPED_TRACE(name);
    const ProbeTarget target = Target(mesh);
    Vec3 center;
    for (const Vec3& v : mesh.vertices) center += v;
    center *= 1.0 / static_cast<double>(mesh.vertices.size());
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
      const Vec3 a = mesh.corner(t, 0), b = mesh.corner(t, 1), c = mesh.corner(t, 2);
      const double w = Uniform(40, t, 0, 1);
      for (const Vec3& aim : {a, 0.5 * (a + b), w * b + (1 - w) * c}) {
        // From outside through the aim towards the middle; and from inside out, to a tip just beyond.
        const ProbeMeeting m = MeetBoth(target, aim + 1.7 * (aim - center), center);
        ASSERT_EQ(m.kind, Kind::kEnters);
        EXPECT_NEAR(m.t, 1.7 / 2.7, 1e-12);
        ASSERT_EQ(MeetBoth(target, center, aim + 0.1 * (aim - center)).kind, Kind::kInside);
        ASSERT_EQ(MeetBoth(target, center + 0.3 * (aim - center), aim).kind, Kind::kInside);
      }
    }
  }
}

// Every product is exact, so every edge and vertex is hit exactly.
TEST(ProbeTree, IntegerCubeAlongFacesThroughEdgesAndCorners) {
  const ProbeTarget cube = Target(test::IntegerCube(3));
  for (int x = -4; x <= 4; ++x)
    for (int y = -4; y <= 4; ++y) {
      SCOPED_TRACE(std::to_string(x) + " " + std::to_string(y));
      const ProbeMeeting m = MeetBoth(cube, At(x, y, 5), At(x, y, 1));
      // Where it runs along a side (3) it touches the rim of the top, on all four sides alike.
      const bool over = std::abs(x) <= 3 && std::abs(y) <= 3;
      EXPECT_EQ(m.kind, over ? Kind::kEnters : Kind::kNone);
      if (over) {
        EXPECT_EQ(m.t, 0.5);
        EXPECT_EQ(m.normal, (Vec3{0, 0, 1}));
      }
      for (int z = -4; z <= 4; ++z) {
        const bool in = std::abs(x) < 3 && std::abs(y) < 3 && std::abs(z) < 3;
        const bool out = std::abs(x) > 3 || std::abs(y) > 3 || std::abs(z) > 3;
        for (const Vec3& d : {Vec3{1, 0, 0}, Vec3{0, -1, 0}, Vec3{0, 0, 1}, Vec3{1, 1, 1}, Vec3{2, -1, 0}}) {
          const Vec3 base = At(x, y, z);
          const Kind kind = MeetBoth(cube, base, base + 20 * d).kind;
          if (in) {
            EXPECT_EQ(kind, Kind::kInside);
          }
          if (out) {
            EXPECT_NE(kind, Kind::kInside);
          }
        }
        // Base on a face (not on its rim), straight in: pressed to the end, one way or the other.
        if (std::abs(x) == 3 && std::abs(y) < 3 && std::abs(z) < 3) {
          const ProbeMeeting pressed = MeetBoth(cube, At(x, y, z), At(x / 3, y, z));
          EXPECT_NE(pressed.kind, Kind::kNone);
          EXPECT_EQ(pressed.t, 0);
        }
      }
    }
  // Diagonally through corners and edges.
  EXPECT_EQ(MeetBoth(cube, {5, 5, 5}, {-5, -5, -5}).t, 0.2);
  EXPECT_EQ(MeetBoth(cube, {5, 5, 1}, {-5, -5, 1}).t, 0.2);
}

// Between two cubes, within the box of both: through edges and vertices in and through a face out (and the
// other way round) the winding number must come out even.
TEST(ProbeTree, NotInsideBetweenIntegerCubes) {
  const TriangleMesh cube = test::IntegerCube(2);
  const ProbeTarget two = Target(test::Joined(cube, Transformed(Pose{{}, {8, 0, 0}}, cube)));
  int enters = 0;
  for (int x = 3; x <= 5; ++x)
    for (int y = -2; y <= 2; ++y)
      for (int z = -2; z <= 2; ++z)
        for (int p = -4; p <= 4; ++p)
          for (int q = -4; q <= 4; ++q)
            for (double side : {-8.0, 8.0}) {
              const Vec3 base = At(x, y, z);
              const ProbeMeeting m = MeetBoth(two, base, base + At(side, p, q));
              ASSERT_NE(m.kind, Kind::kInside);
              // Does it meet the plane of the cube's near face within the face?
              const double t = side > 0 ? (6 - x) / 8.0 : (x - 2) / 8.0;
              const bool over = std::fabs(y + t * p) <= 2 && std::fabs(z + t * q) <= 2;
              if (!over) continue;  // perhaps through a side, perhaps past it
              ++enters;
              ASSERT_EQ(m.kind, Kind::kEnters);
              EXPECT_EQ(m.t, t);
            }
  EXPECT_GT(enters, 2000);
}

TEST(ProbeTree, AnOpenMeshIsMetFromBothSides) {
  const TriangleMesh square{{{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}}, {{0, 1, 2}, {0, 2, 3}}};
  const ProbeTarget sheet = Target(Transformed(TiltedPose(), square));
  const Pose X = TiltedPose();
  for (double side : {-1.0, 1.0}) {
    const ProbeMeeting m = MeetBoth(sheet, X * Vec3{0.3, 0.2, side}, X * Vec3{0.3, 0.2, -3 * side});
    EXPECT_EQ(m.kind, Kind::kEnters);
    EXPECT_NEAR(m.t, 0.25, 1e-15);
    EXPECT_LT(norm(m.normal - X.R * Vec3{0, 0, side}), 1e-15);
  }
  EXPECT_EQ(MeetBoth(sheet, X * Vec3{0.3, 0.2, 1}, X * Vec3{0.3, 0.2, 0.1}).kind, Kind::kNone);
  EXPECT_EQ(MeetBoth(sheet, X * Vec3{1.1, 0.2, 1}, X * Vec3{1.1, 0.2, -1}).kind, Kind::kNone);
  const ProbeTarget flat = Target(square);
  EXPECT_EQ(MeetBoth(flat, {0.5, 0.5, 1}, {0.5, 0.5, -1}).kind, Kind::kEnters);  // the inner edge
  EXPECT_EQ(MeetBoth(flat, {1, 1, 1}, {1, 1, -1}).kind, Kind::kEnters);          // a corner of the rim
  EXPECT_EQ(MeetBoth(flat, {-3, 0.1, 0}, {3, 0.1, 0}).kind, Kind::kNone);        // edge-on
  EXPECT_EQ(MeetBoth(flat, {0.2, 0.1, 0}, {0.2, 0.1, 1}).kind, Kind::kEnters);   // base on it
  // A bowl has no inside.
  TriangleMesh bowl = test::Icosphere(3, 1);
  std::erase_if(bowl.triangles, [&](const auto& t) { return bowl.vertices[t[0]].z > 0.5; });
  const ProbeMeeting from_within = MeetBoth(Target(bowl), {0.1, 0.1, 0}, {0.1, 0.1, -2});
  EXPECT_EQ(from_within.kind, Kind::kEnters);
  EXPECT_GT(from_within.normal.z, 0.9);
}

TEST(ProbeTree, OneTriangle) {
  const ProbeTarget one = Target({{{0, 0, 0}, {0.01, 0, 0}, {0, 0.01, 0}}, {{0, 1, 2}}});
  EXPECT_NEAR(MeetBoth(one, {0.002, 0.003, -0.01}, {0.002, 0.003, 0.03}).t, 0.25, 1e-15);
  EXPECT_EQ(MeetBoth(one, {0.008, 0.003, -0.01}, {0.008, 0.003, 0.03}).kind, Kind::kNone);
}

TEST(ProbeTree, TrianglesWithoutAreaDoNothing) {
  TriangleMesh mesh = Crumpled(2, 0.03, 0.1, 12);
  const ProbeTarget clean = Target(mesh);
  const int n = static_cast<int>(mesh.triangles.size());
  for (int t = 0; t < n; t += 5) {  // two corners at one place keep it closed
    const auto [a, b, c] = mesh.triangles[t];
    mesh.triangles.push_back({a, a, b});
    mesh.triangles.push_back({b, a, a});
    mesh.triangles.push_back({c, c, c});
  }
  const ProbeTarget dirty = Target(mesh);
  for (int i = 0; i < 500; ++i) {
    const auto [base, tip] = RandomSegment(clean.box(), i);
    const ProbeMeeting a = MeetBoth(clean, base, tip), b = MeetBoth(dirty, base, tip);
    EXPECT_EQ(a.kind, b.kind);
    EXPECT_EQ(a.t, b.t);
  }
}

TEST(ProbeTree, AProbeWithoutLengthOrNumbers) {
  const ProbeTarget L = Target(test::LPrism(0.03, 0.04));
  EXPECT_EQ(MeetBoth(L, {0.01, 0.02, 0.03}, {0.01, 0.02, 0.03}).kind, Kind::kInside);
  EXPECT_EQ(MeetBoth(L, {0.05, 0.05, 0.03}, {0.05, 0.05, 0.03}).kind, Kind::kNone);
  EXPECT_EQ(MeetBoth(L, {0.01, 0.02, -0.03}, {0.01, 0.02, -0.03}).kind, Kind::kNone);
  const double nan = std::nan("");
  for (const Vec3& wrong : {Vec3{nan, nan, nan}, Vec3{0.01, nan, 0.03}, Vec3{0.01, 0.02, -HUGE_VAL}}) {
    EXPECT_EQ(MeetBoth(L, wrong, {0.01, 0.02, 0.03}).kind, Kind::kNone);
    EXPECT_EQ(MeetBoth(L, {0.01, 0.02, 0.03}, wrong).kind, Kind::kNone);
  }
  EXPECT_EQ(MeetBoth(L, {0.01, 0.02, 0.03}, {1e300, 1e200, 0.03}).kind, Kind::kInside);
  // A probe that is short, long, or almost along an axis.
  EXPECT_NEAR(MeetBoth(L, {0.01, 0.02, -1e-9}, {0.01, 0.02, 1e-9}).t, 0.5, 1e-12);
  EXPECT_NEAR(MeetBoth(L, {0.01, 0.02, -1e4}, {0.01, 0.02, 1e4}).t, 0.5, 1e-12);
  EXPECT_NEAR(MeetBoth(L, {0.01, 0.02, -0.01}, {0.01 + 1e-17, 0.02 - 3e-18, 0.01}).t, 0.5, 1e-12);
}

TEST(ProbeTree, SurfacesOfSoftBodiesAndTetrahedra) {
  const TetMesh tets = ReadTetMesh(std::string(TAXEL_TEST_DATA) + "/l_shape_h10.vtk");
  BodyOptions soft;
  soft.modulus = 1e5;
  const ProbeTarget a{Body(tets, soft)}, b{Body(tets, {})}, c = Target(test::Data("l_shape.obj"));
  for (int i = 0; i < 500; ++i) {
    const auto [base, tip] = RandomSegment(c.box(), i);
    const ProbeMeeting m = MeetBoth(a, base, tip), n = MeetBoth(b, base, tip), o = MeetBoth(c, base, tip);
    EXPECT_EQ(m.kind, n.kind);
    EXPECT_EQ(m.t, n.t);
    EXPECT_EQ(m.kind, o.kind);
    EXPECT_NEAR(m.t, o.t, 1e-12);
  }
}

}  // namespace
}  // namespace taxel
