// Patches (their blocks: patch_blocks_test.cc):
//   - pieces: their areas, forces and moments add up to the surface's; none larger than a cell of the grid
//   - side walls of a block in a backed pad are faded, and take nothing else along
//   - slivers, single faces, tiny depths: finite
//   - turned scenes give turned patches; the grid follows the owner, not the object
//   - used memory gives the same bits and takes no more; an empty surface leaves nothing behind
#include "taxel/contact/patch.h"

#include <gtest/gtest.h>

#include <cmath>

#include "patch_scenes.h"
#include "taxel/contact/normal_law.h"

namespace taxel {
namespace {

using test::At;
using test::Backed;
using test::BackedDown;
using test::ExpectFinite;
using test::kPi;
using test::Scene;
using test::Scenes;
using test::Soft;
using test::Total;

TEST(Patch, PiecesAddUpToTheSurface) {
  for (const Scene& scene : Scenes()) {
    const ContactSurface& s = scene.surface;
    ASSERT_FALSE(s.empty()) << scene.name;
    if (scene.walls) continue;
    for (double size : {0.0, 0.004, 0.0005}) {
      Patch patch;
      PatchOptions options;
      options.piece_size = size;
      patch.Build(s, test::TiltedPose().R, options);
      ExpectFinite(patch, scene.name);
      double area = 0, force = 0, stiffness = 0;
      Wrench w;
      for (const PatchPiece& p : patch.pieces) {
        area += p.area;
        force += p.force;
        stiffness += p.stiffness;
        w.force += p.force * p.n_W;
      }
      // Pieces below 1e-10 of the area are dropped.
      EXPECT_NEAR(area, s.area, 1e-7 * s.area) << scene.name;
      // Many pieces are merged within cells, as vectors: what is lost is the spread of the normals in a cell.
      EXPECT_NEAR(force, s.normal_force, (s.num_faces() > 150 ? 2e-3 : 1e-7) * s.normal_force) << scene.name;
      EXPECT_DOUBLE_EQ(patch.force, force);
      EXPECT_DOUBLE_EQ(patch.stiffness, stiffness);
      EXPECT_LT(norm(w.force - s.wrench_on_A.force), 1e-7 * s.normal_force) << scene.name;
      double expected = 0;
      for (int f = 0; f < s.num_faces(); ++f)
        expected += s.areas[f] * SeriesGradient(s.gradients_A[f], s.gradients_B[f]);
      EXPECT_NEAR(stiffness, expected, 1e-7 * expected) << scene.name;
    }
  }
}

TEST(Patch, PiecesAreNoLargerThanTheirCell) {
  const Body plate(HalfSpace{}, {}), box(Box{{0.05, 0.03, 0.02}}, BackedDown(5e4));
  const ContactSurface s = ComputeContact(box, At({0, 0, 0.008}), plate, {});
  for (int m : {1, 3, 4}) {
    PatchOptions options;
    options.blocks_per_side = m;
    options.piece_size = 0.004;
    Patch patch;
    patch.Build(s, Mat3{}, options);
    // 50 mm: m blocks of at most three pieces of 4 mm; the grid is along the edges here.
    const int along = m * std::min<int>(3, std::ceil(0.05 / m / 0.004)),
              across = m * std::min<int>(3, std::ceil(0.03 / m / 0.004));
    EXPECT_EQ(patch.pieces.size(), std::size_t(along * across)) << m;
    for (const PatchPiece& p : patch.pieces) EXPECT_NEAR(p.area, 0.05 / along * 0.03 / across, 1e-12);
    EXPECT_EQ(patch.blocks.size(), std::size_t(m * m));
  }
}

TEST(Patch, SecondMomentsOfThePiecesAreTheSurfaces) {
  for (const Scene& scene : Scenes()) {
    if (!scene.flat) continue;
    Patch patch;
    PatchOptions options;
    options.piece_size = 0.003;
    patch.Build(scene.surface, test::TiltedPose().R, options);
    const Vec3 c = scene.surface.centroid;
    double uu = 0, uv = 0, vv = 0, expected[3] = {0, 0, 0};
    for (const PatchPiece& p : patch.pieces) {
      const double u = dot(patch.axis_u, p.p_W - c), v = dot(patch.axis_v, p.p_W - c);
      uu += p.area * u * u + p.moment_uu;
      uv += p.area * u * v + p.moment_uv;
      vv += p.area * v * v + p.moment_vv;
    }
    const ContactSurface& s = scene.surface;
    for (int f = 0; f < s.num_faces(); ++f) {
      const Vec3 o = s.vertices[s.face_start[f]];
      for (int i = s.face_start[f] + 1; i + 1 < s.face_start[f + 1]; ++i) {
        const Vec3 a = s.vertices[i], b = s.vertices[i + 1];
        const double area = 0.5 * dot(cross(a - o, b - o), s.normals[f]);
        for (const Vec3& m : {0.5 * (o + a), 0.5 * (a + b), 0.5 * (b + o)}) {
          const double u = dot(patch.axis_u, m - c), v = dot(patch.axis_v, m - c);
          expected[0] += area / 3 * u * u, expected[1] += area / 3 * u * v, expected[2] += area / 3 * v * v;
        }
      }
    }
    const double scale = 1e-7 * (expected[0] + expected[2]);
    EXPECT_NEAR(uu, expected[0], scale) << scene.name;
    EXPECT_NEAR(uv, expected[1], scale) << scene.name;
    EXPECT_NEAR(vv, expected[2], scale) << scene.name;
  }
}

TEST(Patch, NothingIsFadedWithoutWalls) {
  for (const Scene& scene : Scenes()) {
    if (scene.walls) continue;
    Patch patch;
    patch.Build(scene.surface, test::TiltedPose().R, {});
    EXPECT_LT(norm(patch.wrench.force - scene.surface.wrench_on_A.force), 1e-12 * scene.surface.normal_force)
        << scene.name;
    EXPECT_LT(norm(patch.wrench.torque - scene.surface.wrench_on_A.torque),
              1e-12 * scene.surface.normal_force)
        << scene.name;
  }
}

TEST(Patch, SideWallsInABackedPadAreFaded) {
  const double E = 3e4, T = 0.018, side = 0.03, d = 0.004;
  const Body pad(Box{{0.08, 0.06, T}}, Backed(E)), block(Box{{side, 0.8 * side, side}}, {});
  const Pose X = test::TiltedPose();
  const ContactSurface s = ComputeContact(
      block, X * Pose{RotationAbout({0, 0, 1}, 0.4), {0.007, -0.004, 0.5 * T + 0.5 * side - d}}, pad, X);
  const double bottom = 0.8 * side * side;
  ASSERT_NEAR(s.area, bottom + 3.6 * side * d, 1e-9);  // the surface has the walls
  Patch patch;
  patch.Build(s, X.R, {});
  double area = 0;
  for (const PatchPiece& p : patch.pieces) {
    area += p.area;
    EXPECT_GT(dot(p.n_W, X.R.col(2)), 1 - 1e-9);
  }
  EXPECT_NEAR(area, bottom, 1e-9);
  EXPECT_LE(patch.blocks.size(), 16u);
  EXPECT_NEAR(patch.force, E * d / T * bottom, 1e-9 * patch.force);
  // Opposite walls cancel: the wrench is that of the whole surface.
  EXPECT_LT(norm(patch.wrench.force - s.wrench_on_A.force), 1e-9 * patch.force);
  EXPECT_LT(norm(patch.wrench.torque - s.wrench_on_A.torque), 1e-9 * patch.force * side);
  const Wrench w = Total(patch);
  EXPECT_LT(norm(w.force - patch.wrench.force), 1e-6 * patch.force);
  EXPECT_LT(norm(w.torque - patch.wrench.torque), 1e-6 * patch.force * side);
}

// Exact wrench of one face about the world origin.
Wrench OfFace(const ContactSurface& s, int f) {
  Wrench w;
  const int first = s.face_start[f];
  for (int i = first + 1; i + 1 < s.face_start[f + 1]; ++i) {
    const Vec3 a = s.vertices[first], b = s.vertices[i], c = s.vertices[i + 1];
    const double area = 0.5 * dot(cross(b - a, c - a), s.normals[f]);
    const double p[3] = {s.pressures[first], s.pressures[i], s.pressures[i + 1]};
    // int p x dA over a triangle = area / 12 sum_i p_i (sum x + x_i).
    const Vec3 sum = a + b + c;
    w.force += area / 3 * (p[0] + p[1] + p[2]) * s.normals[f];
    w.torque += area / 12 * cross(p[0] * (sum + a) + p[1] * (sum + b) + p[2] * (sum + c), s.normals[f]);
  }
  return w;
}

TEST(Patch, FadedWallsAreTakenOffExactly) {
  // Tilted a little, so that opposite walls do not cancel: what is left is the wrench of the bottom.
  const Body pad(Box{{0.08, 0.06, 0.018}}, Backed(3e4)), block(Box{{0.03, 0.024, 0.03}}, {});
  const Pose X = test::TiltedPose();
  for (double tilt : {0.01, 0.05}) {
    const ContactSurface s = ComputeContact(
        block,
        X * Pose{RotationAbout(normalized({0.8, 0.6, 0}), tilt), {0.007, -0.004, 0.009 + 0.015 - 0.003}}, pad,
        X);
    Patch patch;
    patch.Build(s, X.R, {});
    Wrench bottom;
    double walls = 0;
    for (int f = 0; f < s.num_faces(); ++f) {
      const Wrench w = OfFace(s, f);
      if (dot(s.normals[f], patch.mean_normal) > 0.7)
        bottom.force += w.force, bottom.torque += w.torque;
      else
        walls += norm(w.force);
    }
    for (const PatchPiece& p : patch.pieces) ASSERT_GT(dot(p.n_W, patch.mean_normal), 0.7);
    ASSERT_GT(walls, 0.05 * patch.force);
    EXPECT_LT(norm(patch.wrench.force - bottom.force), 1e-9 * patch.force) << tilt;
    EXPECT_LT(norm(patch.wrench.torque - bottom.torque), 1e-9 * patch.force) << tilt;
    const Wrench w = Total(patch);
    EXPECT_LT(norm(w.force - bottom.force), 1e-5 * patch.force) << tilt;
    EXPECT_LT(norm(w.torque - bottom.torque), 1e-5 * patch.force * 0.03) << tilt;
  }
}

TEST(Patch, TinyAndThinContactsAreFinite) {
  const Pose X = test::TiltedPose();
  const Body plate(HalfSpace{}, {}), ball(Sphere{0.02}, Soft(1e5)), pad(Box{{0.08, 0.06, 0.01}}, Backed(3e4));
  const Body needle(Box{{0.05, 1e-6, 0.01}}, {}), cube(Box{{0.02, 0.02, 0.02}}, {}),
      tip(Box{{2e-6, 2e-6, 0.02}}, {});
  const double half_diagonal = 0.01 * std::sqrt(2.0), corner = 0.01 * std::sqrt(3.0);
  const Mat3 edge_down = RotationAbout({1, 0, 0}, kPi / 4),
             corner_down =
                 RotationAbout({1, 0, 0}, std::atan(std::sqrt(0.5))) * RotationAbout({0, 1, 0}, kPi / 4);
  std::vector<ContactSurface> surfaces;
  for (double d : {1e-13, 1e-10, 1e-7, 1e-4}) {
    surfaces.push_back(ComputeContact(ball, X * At({0, 0, 0.02 - d}), plate, X));
    surfaces.push_back(ComputeContact(needle, X * At({0, 0, 0.01 - d}), pad, X));
    surfaces.push_back(ComputeContact(tip, X * At({0, 0, 0.015 - d}), pad, X));
    surfaces.push_back(ComputeContact(cube, X * Pose{edge_down, {0, 0, 0.005 + half_diagonal - d}}, pad, X));
    surfaces.push_back(ComputeContact(cube, X * Pose{corner_down, {0, 0, 0.005 + corner - d}}, pad, X));
    // Over the rim of the pad by a hair.
    surfaces.push_back(ComputeContact(cube, X * At({0.05 - 1e-9, 0, 0.015 - d}), pad, X));
  }
  Patch patch;
  int with_blocks = 0;
  for (std::size_t i = 0; i < surfaces.size(); ++i)
    for (int m : {1, 4, 16}) {
      PatchOptions options;
      options.blocks_per_side = m;
      options.piece_size = 0.001;
      patch.Build(surfaces[i], X.R, options);
      ExpectFinite(patch, "surface " + std::to_string(i));
      with_blocks += !patch.blocks.empty();
      if (surfaces[i].empty() || patch.blocks.empty()) continue;
      EXPECT_LT(norm(Total(patch).force - patch.wrench.force), 0.05 * surfaces[i].normal_force) << i;
    }
  EXPECT_GT(with_blocks, 40);
}

// One triangle with a linear pressure, made by hand.
ContactSurface OneFace(const Vec3& a, const Vec3& b, const Vec3& c, double pa, double pb, double pc) {
  ContactSurface s;
  s.vertices = {a, b, c};
  s.pressures = {pa, pb, pc};
  s.face_start = {0, 3};
  const Vec3 n2 = cross(b - a, c - a);
  s.normals = {normalized(n2)};
  s.areas = {0.5 * norm(n2)};
  s.centroids = {(a + b + c) / 3};
  s.face_pressures = {(pa + pb + pc) / 3};
  s.gradients_A = {1e7};
  s.gradients_B = {std::numeric_limits<double>::infinity()};
  s.area = s.areas[0];
  s.centroid = s.centroids[0];
  s.normal_force = s.area * s.face_pressures[0];
  const double sum = pa + pb + pc;
  // int p x dA over a triangle = area / 12 sum_i p_i (sum x + x_i)
  s.center_of_pressure = (pa * (a + b + c + a) + pb * (a + b + c + b) + pc * (a + b + c + c)) / (4 * sum);
  s.max_pressure = std::max({pa, pb, pc});
  s.wrench_on_A.force = s.normal_force * s.normals[0];
  s.wrench_on_A.torque = cross(s.center_of_pressure, s.wrench_on_A.force);
  return s;
}

TEST(Patch, ASingleFace) {
  const Pose X = test::TiltedPose();
  for (double thin : {1.0, 1e-3, 1e-6}) {
    ContactSurface s =
        OneFace(X * Vec3{0, 0, 0}, X * Vec3{0.02, 0, 0}, X * Vec3{0.005, 0.015 * thin, 0}, 1000, 4000, 0);
    s.gradients_A = {1e7 / thin};  // steeper than the pressure within the face: not an edge-on wall
    for (int m : {1, 2, 4}) {
      PatchOptions options;
      options.blocks_per_side = m;
      Patch patch;
      patch.Build(s, Mat3{}, options);
      ASSERT_FALSE(patch.blocks.empty()) << thin;
      ExpectFinite(patch, "one face");
      EXPECT_NEAR(patch.force, s.normal_force, 1e-6 * s.normal_force) << thin;
      // However long and thin: the edge of a box just touching. The regularisation is relative to the
      // rotations, which weigh length^2 / area more than the force does.
      EXPECT_LT(norm(Total(patch).force - s.wrench_on_A.force), 1e-3 * s.normal_force) << thin << ", m " << m;
      if (m == 4 && thin == 1) {
        EXPECT_LT(norm(Total(patch).torque - s.wrench_on_A.torque), 1e-5 * s.normal_force * 0.02);
      }
    }
  }
}

TEST(Patch, TurnsWithTheScene) {
  const Body pad(Box{{0.08, 0.06, 0.018}}, Backed(3e4)), ball(Sphere{0.02}, {}),
      block(Box{{0.03, 0.024, 0.03}}, {});
  const Pose X = test::RandomPose(3, 1, 0.2);
  for (const Body* object : {&ball, &block}) {
    const Pose X_WB{RotationAbout({1, 0, 0}, 0.1), {0.003, 0.002, object == &ball ? 0.026 : 0.022}};
    Patch still, turned;
    still.Build(ComputeContact(*object, X_WB, pad, {}), Mat3{}, {});
    turned.Build(ComputeContact(*object, X * X_WB, pad, X), X.R, {});
    EXPECT_LT(norm(turned.axis_u - X.R * still.axis_u), 1e-9);
    EXPECT_NEAR(turned.force, still.force, 1e-9 * still.force);
    const Wrench w = Total(still), Xw = Total(turned);
    // The facets of a ball may fall on either side of a border of the grid, by rounding; what blocks cannot
    // carry (1e-3 of the torque) then differs.
    const double tolerance = object == &ball ? 1e-3 : 1e-6;
    EXPECT_LT(norm(Xw.force - X.R * w.force), tolerance * still.force);
    EXPECT_LT(norm(Xw.torque - cross(X.p, Xw.force) - X.R * w.torque), tolerance * still.force * 0.02);
    if (object == &ball) continue;
    ASSERT_EQ(still.blocks.size(), turned.blocks.size());
    ASSERT_EQ(still.pieces.size(), turned.pieces.size());
    for (std::size_t b = 0; b < still.blocks.size(); ++b) {
      EXPECT_LT(norm(turned.blocks[b].p_W - X * still.blocks[b].p_W), 1e-8);
      EXPECT_LT(norm(turned.blocks[b].n_W - X.R * still.blocks[b].n_W), 1e-6);
      EXPECT_NEAR(turned.blocks[b].force, still.blocks[b].force, 1e-6 * still.force);
      EXPECT_NEAR(turned.blocks[b].stiffness, still.blocks[b].stiffness, 1e-6 * still.stiffness);
    }
  }
}

TEST(Patch, TheGridDoesNotTurnUnderAnObject) {
  const Body pad(Box{{0.08, 0.06, 0.018}}, Backed(3e4)), ball(Sphere{0.02}, {});
  Patch first, second;
  const Mat3 R_WO = test::TiltedPose().R;
  first.Build(ComputeContact(pad, {R_WO, {}}, ball, {Mat3{}, R_WO * Vec3{0, 0, 0.027}}), R_WO, {});
  second.Build(ComputeContact(pad, {R_WO, {}}, ball, {test::RandomRotation(4, 2), R_WO * Vec3{0, 0, 0.027}}),
               R_WO, {});
  // The mean normal is that of the facets' force, right to their fineness.
  EXPECT_LT(norm(first.axis_u - second.axis_u), 1e-3);
  EXPECT_LT(norm(first.axis_v - second.axis_v), 1e-3);
}

TEST(Patch, UsedMemoryGivesTheSameBitsAndTakesNoMore) {
  const std::vector<Scene> scenes = Scenes();
  PatchOptions options;
  options.piece_size = 0.002;
  Patch used;
  for (const Scene& scene : scenes) used.Build(scene.surface, test::TiltedPose().R, options);
  const PatchPiece* pieces = used.pieces.data();
  const PatchBlock* blocks = used.blocks.data();
  for (const Scene& scene : scenes) {
    Patch fresh;
    fresh.Build(scene.surface, test::TiltedPose().R, options);
    used.Build(scene.surface, test::TiltedPose().R, options);
    ASSERT_EQ(fresh.blocks.size(), used.blocks.size()) << scene.name;
    ASSERT_EQ(fresh.pieces.size(), used.pieces.size()) << scene.name;
    for (std::size_t b = 0; b < fresh.blocks.size(); ++b) {
      EXPECT_EQ(fresh.blocks[b].p_W, used.blocks[b].p_W) << scene.name;
      EXPECT_EQ(fresh.blocks[b].force, used.blocks[b].force) << scene.name;
    }
    EXPECT_EQ(fresh.wrench.torque, used.wrench.torque) << scene.name;
    EXPECT_EQ(used.pieces.data(), pieces);
    EXPECT_EQ(used.blocks.data(), blocks);
  }
}

TEST(Patch, AnEmptySurfaceLeavesNothingBehind) {
  Patch patch;
  patch.Build(Scenes()[0].surface, Mat3{}, {});
  ASSERT_FALSE(patch.blocks.empty());
  patch.Build(ContactSurface{}, Mat3{}, {});
  EXPECT_TRUE(patch.pieces.empty());
  EXPECT_TRUE(patch.blocks.empty());
  EXPECT_EQ(patch.force, 0);
  EXPECT_EQ(patch.stiffness, 0);
  EXPECT_EQ(patch.wrench.force, Vec3{});
  EXPECT_EQ(patch.wrench.torque, Vec3{});
}

}  // namespace
}  // namespace taxel
