// Blocks of a patch:
//   - force and torque of the surface, for flat patches under tilt, spheres, cylinders, a groove; rotational
//     stiffness of flat patches; as many as asked for; forces stay positive
//   - the thin flank of something deep in columns has few of them, and nothing is lost
//   - continuous: wrench and stiffness of the blocks under a slow tilt
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "patch_scenes.h"
#include "taxel/contact/contact.h"
#include "taxel/contact/normal_law.h"
#include "taxel/contact/patch.h"

namespace taxel {
using namespace internal;
namespace {

using test::Backed;
using test::ExpectFinite;
using test::Scene;
using test::Scenes;
using test::Total;

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

TEST(PatchBlocks, AThinFlankOnColumnsHasFewBlocks) {
  // A ball 7.3 mm deep in foam: its rim leans by 50 degrees, five beyond what counts as flat, with a few per
  // cent of the load.
  BodyOptions o;
  o.modulus = 3e4;
  o.field.kind = FieldKind::kColumns;
  o.resolution = 0.0025;
  const Body pad(Box{{0.08, 0.08, 0.018}}, o), ball(Sphere{0.02}, BodyOptions{});
  const ContactSurface s =
      ComputeContact(pad, Pose{}, ball, {Mat3{}, {0.0013, -0.0021, 0.009 + 0.02 - 0.0073}});
  ContactSurface plain = s;
  plain.columns.clear();  // as the polygons of another field
  Patch few, many;
  few.Build(s, Mat3{}, {});
  many.Build(plain, Mat3{}, {});
  EXPECT_LE(few.blocks.size(), 34u);
  EXPECT_GE(many.blocks.size(), 60u);
  const Wrench a = Total(few), b = Total(many), w = s.wrench_on_A;
  for (const Wrench& found : {a, b}) {
    EXPECT_LT(norm(found.force - w.force), 1e-4 * norm(w.force));
    EXPECT_LT(norm(found.torque - w.torque), 1e-4 * norm(w.force) * 0.02);
  }
  EXPECT_NEAR(few.stiffness / many.stiffness, 1, 1e-9);
  const Stiffness K = OfBlocks(few, s.center_of_pressure), L = OfBlocks(many, s.center_of_pressure);
  for (const int k : {0, 3, 5}) EXPECT_NEAR(K[k] / L[k], 1, 0.02) << k;
  ExpectFinite(few, "flank");
}

TEST(PatchBlocks, BlocksKeepForceAndTorque) {
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

TEST(PatchBlocks, OneBlockKeepsTheForce) {
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

TEST(PatchBlocks, BlocksKeepTheNormalStiffnessOfFlatPatches) {
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

TEST(PatchBlocks, AFlatPatchHasAtMostTheAskedBlocks) {
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

TEST(PatchBlocks, ATiltedBlockInAPadKeepsItsRotationalStiffness) {
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

TEST(PatchBlocks, IsContinuousUnderTilt) {
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

}  // namespace
}  // namespace taxel
