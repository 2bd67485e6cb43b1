// Patches:
//   - pieces: their areas, forces and moments add up to the surface's; none larger than a cell of the grid
//   - blocks: force and torque of the surface, for flat patches under tilt, spheres, cylinders, a groove;
//     rotational stiffness of flat patches; as many as asked for; forces stay positive
//   - side walls of a block in a backed pad are faded, and take nothing else along
//   - slivers, single faces, tiny depths: finite
//   - continuous: wrench and stiffness of the blocks under a slow tilt
//   - turned scenes give turned patches; the grid follows the owner, not the object
//   - used memory gives the same bits and takes no more; an empty surface leaves nothing behind
#include "taxel/contact/patch.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "scenes.h"
#include "taxel/contact/normal_law.h"

namespace taxel {
namespace {

using test::At;
using test::Backed;
using test::kPi;
using test::Soft;

BodyOptions BackedDown(double modulus) {
  BodyOptions o = Backed(modulus);
  o.field.exposed = {0, 0, -1};
  return o;
}
BodyOptions Layer(double modulus, double thickness) {
  BodyOptions o = Soft(modulus);
  o.field.thickness = thickness;
  return o;
}

struct Scene {
  std::string name;
  ContactSurface surface;
  bool flat;
  bool walls = false;  // some faces are seen edge-on
};

// A plate cuts a backed box whose skin looks down, tilted about both axes: one flat polygon whose pressure is
// linear; with a sphere the pressure is not, and the gradient changes over the disc.
std::vector<Scene> Scenes() {
  std::vector<Scene> out;
  const Pose X = test::TiltedPose();
  const Body plate(HalfSpace{}, {}), box(Box{{0.05, 0.03, 0.02}}, BackedDown(5e4)),
      ball(Sphere{0.02}, Soft(1e5));
  for (double tilt : {0.0, 0.01, 0.06, 0.2}) {
    const Mat3 R = RotationAbout(normalized({0.7, -0.4, 0.2}), tilt);
    out.push_back({"plate in box, tilt " + std::to_string(tilt),
                   ComputeContact(box, X * Pose{R, {0.004, 0.003, 0.01 - 0.002}}, plate, X), true});
    out.push_back({"plate in box, the other way round, tilt " + std::to_string(tilt),
                   ComputeContact(plate, X, box, X * Pose{R, {0.004, 0.003, 0.01 - 0.002}}), true});
  }
  for (double depth : {1e-4, 0.002, 0.008})
    out.push_back({"ball on plate " + std::to_string(depth),
                   ComputeContact(ball, X * At({0.01, 0.02, 0.02 - depth}), plate, X), true});
  const Body pad(Box{{0.1, 0.08, 0.01}}, Backed(3e4)), hard(Sphere{0.015}, {}), rod(Cylinder{0.01, 0.04}, {});
  const Body field(HalfSpace{}, Layer(8e4, 0.02)), finger(Capsule{0.008, 0.03}, Soft(2e5));
  for (double depth : {0.0005, 0.003}) {
    out.push_back({"hard ball in pad " + std::to_string(depth),
                   ComputeContact(pad, X, hard, X * At({0.007, -0.003, 0.005 + 0.015 - depth})), false});
    out.push_back(
        {"lying rod in pad " + std::to_string(depth),
         ComputeContact(
             rod, X * Pose{RotationAbout(normalized({0.9, 0.3, 0}), 0.5 * kPi + 0.02), {0, 0, 0.015 - depth}},
             pad, X),
         false, true});
    out.push_back(
        {"soft finger in soft ground " + std::to_string(depth),
         ComputeContact(finger, X * Pose{RotationAbout({0, 1, 0}, 1.4), {0.01, 0, 0.009 - depth}}, field, X),
         false});
  }
  TriangleMesh groove;
  groove.vertices = {{0, -0.1, 0}, {0, 0.1, 0}, {0.1, -0.1, 0}, {0.1, 0.1, 0}, {0, -0.1, 0.1}, {0, 0.1, 0.1}};
  groove.triangles = {{0, 2, 1}, {1, 2, 3}, {0, 1, 4}, {1, 5, 4}};
  out.push_back(
      {"ball in a groove", ComputeContact(ball, X * At({0.0191, 0.01, 0.0187}), Body(groove, {}), X), false});
  return out;
}

Wrench Total(const Patch& patch) {
  Wrench w;
  for (const PatchBlock& b : patch.blocks) {
    w.force += b.force * b.n_W;
    w.torque += cross(b.p_W, b.force * b.n_W);
  }
  return w;
}

// K = sum k (1, u, v) (1, u, v)^T about the point c.
using Stiffness = std::array<double, 6>;  // 11, 1u, 1v, uu, uv, vv
void AddPoint(Stiffness* K, double k, double u, double v) {
  const double q[6] = {1, u, v, u * u, u * v, v * v};
  for (int i = 0; i < 6; ++i) (*K)[i] += k * q[i];
}
Stiffness OfSurface(const ContactSurface& s, const Vec3& c, const Vec3& eu, const Vec3& ev) {
  Stiffness K{};
  for (int f = 0; f < s.num_faces(); ++f) {
    const double g = SeriesGradient(s.gradients_A[f], s.gradients_B[f]);
    const Vec3 o = s.vertices[s.face_start[f]];
    for (int i = s.face_start[f] + 1; i + 1 < s.face_start[f + 1]; ++i) {
      const Vec3 a = s.vertices[i], b = s.vertices[i + 1];
      const double area = 0.5 * dot(cross(a - o, b - o), s.normals[f]);
      // The rule of edge midpoints is exact for quadratics.
      for (const Vec3& m : {0.5 * (o + a), 0.5 * (a + b), 0.5 * (b + o)})
        AddPoint(&K, g * area / 3, dot(eu, m - c), dot(ev, m - c));
    }
  }
  return K;
}
Stiffness OfBlocks(const Patch& p, const Vec3& c) {
  Stiffness K{};
  for (const PatchBlock& b : p.blocks)
    AddPoint(&K, b.stiffness, dot(p.axis_u, b.p_W - c), dot(p.axis_v, b.p_W - c));
  return K;
}

void ExpectFinite(const Patch& patch, const std::string& name) {
  for (const PatchPiece& p : patch.pieces) {
    EXPECT_TRUE(is_finite(p.p_W) && is_finite(p.n_W)) << name;
    EXPECT_TRUE(std::isfinite(p.force) && std::isfinite(p.stiffness) && std::isfinite(p.moment_uu)) << name;
    EXPECT_TRUE(p.block >= 0 && p.block < static_cast<int>(patch.blocks.size())) << name;
    EXPECT_GT(p.force, 0) << name;
    EXPECT_GT(p.area, 0) << name;
    EXPECT_GE(p.stiffness, 0) << name;
  }
  for (const PatchBlock& b : patch.blocks) {
    EXPECT_TRUE(is_finite(b.p_W) && is_finite(b.n_W)) << name;
    EXPECT_NEAR(norm(b.n_W), 1, 1e-12) << name;
    EXPECT_TRUE(std::isfinite(b.force) && std::isfinite(b.stiffness)) << name;
    EXPECT_GT(b.force, 0) << name;
    EXPECT_GT(b.stiffness, 0) << name;
  }
  EXPECT_TRUE(is_finite(Total(patch).force) && is_finite(Total(patch).torque)) << name;
}

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

TEST(Patch, BlocksKeepForceAndTorque) {
  // Also where a block hardly carries anything (the rim of a wall): it must not hold back the others.
  for (const Scene& scene : Scenes())
    for (int m : {2, 4, 6}) {
      if (m == 2 && !scene.flat) continue;  // four points cannot carry six components
      PatchOptions options;
      options.blocks_per_side = m;
      Patch patch;
      patch.Build(scene.surface, test::TiltedPose().R, options);
      ExpectFinite(patch, scene.name);
      const Vec3 c = scene.surface.center_of_pressure;
      const Wrench w = Total(patch), expected = patch.wrench;
      const double force = scene.surface.normal_force, length = std::sqrt(scene.surface.area);
      // The correction is regularised with 1e-6 of the mean stiffness: what it puts back is right to 1e-5 on
      // a flat patch. Along and about a curved one there is hardly any stiffness to correct with.
      EXPECT_LT(norm(w.force - expected.force), (scene.flat ? 1e-5 : 1e-4) * force)
          << scene.name << ", m " << m;
      EXPECT_LT(norm((w.torque - cross(c, w.force)) - (expected.torque - cross(c, expected.force))),
                (scene.flat ? 1e-5 : 1e-3) * force * length)
          << scene.name << ", m " << m;
    }
}

TEST(Patch, OneBlockKeepsTheForce) {
  // It cannot carry the torque; that must not cost force.
  for (const Scene& scene : Scenes()) {
    if (!scene.flat) continue;
    PatchOptions options;
    options.blocks_per_side = 1;
    Patch patch;
    patch.Build(scene.surface, test::TiltedPose().R, options);
    ASSERT_EQ(patch.blocks.size(), 1u);
    EXPECT_NEAR(patch.blocks[0].force, norm(patch.wrench.force), 1e-5 * patch.force) << scene.name;
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

TEST(Patch, BlocksKeepTheNormalStiffnessOfFlatPatches) {
  for (const Scene& scene : Scenes()) {
    if (!scene.flat) continue;
    for (int m : {3, 4, 5}) {
      PatchOptions options;
      options.blocks_per_side = m;
      Patch patch;
      patch.Build(scene.surface, test::TiltedPose().R, options);
      const Vec3 c = scene.surface.centroid;
      const Stiffness exact = OfSurface(scene.surface, c, patch.axis_u, patch.axis_v),
                      got = OfBlocks(patch, c);
      const double length = std::sqrt(scene.surface.area);
      const double scale[6] = {exact[0],
                               exact[0] * length,
                               exact[0] * length,
                               exact[0] * length * length,
                               exact[0] * length * length,
                               exact[0] * length * length};
      for (int i = 0; i < 6; ++i)
        EXPECT_NEAR(got[i], exact[i], 1e-6 * scale[i]) << scene.name << ", m " << m << ", entry " << i;
    }
  }
}

TEST(Patch, AFlatPatchHasAtMostTheAskedBlocks) {
  for (const Scene& scene : Scenes()) {
    if (!scene.flat) continue;
    for (int m : {1, 2, 4, 7, 16}) {
      PatchOptions options;
      options.blocks_per_side = m;
      Patch patch;
      patch.Build(scene.surface, test::TiltedPose().R, options);
      EXPECT_LE(patch.blocks.size(), std::size_t(m * m)) << scene.name;
      EXPECT_GE(patch.blocks.size(), std::size_t(m)) << scene.name;
    }
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

TEST(Patch, ATiltedBlockInAPadKeepsItsRotationalStiffness) {
  // The walls come back with the tilt, as they should; the bottom must not lose its rotational stiffness
  // then. Sixteen unspread blocks have 1/16 less of it.
  const Body pad(Box{{0.08, 0.06, 0.018}}, Backed(3e4)), block(Box{{0.03, 0.024, 0.03}}, {});
  for (double tilt : {0.0, 0.001, 0.005, 0.02, 0.05, 0.13, 0.17}) {
    const ContactSurface s = ComputeContact(
        block, {RotationAbout(normalized({0.8, 0.6, 0}), tilt), {0.007, -0.004, 0.009 + 0.015 - 0.003}}, pad,
        {});
    Patch patch;
    patch.Build(s, Mat3{}, {});
    const Vec3 c = s.center_of_pressure;
    // Of the bottom alone: the walls only add.
    Stiffness bottom{};
    for (const PatchPiece& p : patch.pieces) {
      if (dot(p.n_W, patch.mean_normal) < 0.7) continue;
      AddPoint(&bottom, p.stiffness, dot(patch.axis_u, p.p_W - c), dot(patch.axis_v, p.p_W - c));
      bottom[3] += p.stiffness / p.area * p.moment_uu;
      bottom[5] += p.stiffness / p.area * p.moment_vv;
    }
    Stiffness got{};
    for (const PatchBlock& b : patch.blocks)
      if (dot(b.n_W, patch.mean_normal) > 0.7)
        AddPoint(&got, b.stiffness, dot(patch.axis_u, b.p_W - c), dot(patch.axis_v, b.p_W - c));
    EXPECT_NEAR(got[3] / bottom[3], 1, 0.01) << "tilt " << tilt;
    EXPECT_NEAR(got[5] / bottom[5], 1, 0.01) << "tilt " << tilt;
  }
}

TEST(Patch, IsContinuousUnderTilt) {
  const Body pad(Box{{0.08, 0.06, 0.018}}, Backed(3e4)), block(Box{{0.03, 0.024, 0.03}}, {}),
      ball(Sphere{0.02}, {});
  Patch patch;
  // From flat to standing on an edge, and the steps between fine enough to see a jump.
  for (const Body* object : {&block, &ball}) {
    Wrench before, surface_before;
    for (int i = 0; i <= 4000; ++i) {
      const double tilt = 0.15 * i / 4000;
      const double height = object == &ball ? 0.02 : 0.015;
      const ContactSurface s = ComputeContact(*object,
                                              {RotationAbout(normalized({0.8, 0.6, 0}), tilt),
                                               {0.007 + 0.01 * tilt, -0.004, 0.009 + height - 0.002}},
                                              pad, {});
      patch.Build(s, Mat3{}, {});
      ASSERT_FALSE(patch.blocks.empty());
      const Wrench w = Total(patch);
      if (i > 0) {
        // 4e-5 rad over 15 mm is 0.6 um of 2 mm: 3e-4 of the force, with the walls that fade in at most a
        // few times that.
        ASSERT_LT(norm(w.force - before.force), 2e-3 * s.normal_force) << i;
        ASSERT_LT(norm(w.torque - before.torque), 2e-3 * s.normal_force * 0.03) << i;
      }
      before = w;
    }
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
