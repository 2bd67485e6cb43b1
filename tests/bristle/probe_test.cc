// All probes of a pad against one body. Cases:
//   flat pad on a sphere, a half space and a tilted box: points, penetrations and normals by hand
//   saturated: base inside; half in, half out; penetration is the probe's length, normal against it
//   tree and clusters equal brute force to the last bit: flat and round pads, 1 to 3,000 points, meshes (L,
//   dumbbell, crumpled) and all primitives, tilted poses, near, far and grazing
//   hits by rising point whatever the order of the points
//   moving pad and body together moves the hits with them; pad and body in swapped order of poses
//   a probe that grazes is left out
//   an open sheet pressed from either side
//   a warm call takes no memory
//   poses that are not finite; an empty pad, an empty target
#include "taxel/bristle/probe.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "../count_allocations.h"
#include "../shape/expect_error.h"
#include "pads.h"

namespace taxel {
namespace {

using test::FlatGrid;
using test::RoundPad;
using test::TiltedPose;
using test::Uniform;
using test::UniformDirection;
using test::UniformInBox;

std::vector<ProbeHit> Hits(const BristlePoints& pad, const Pose& X_WP, const ProbeTarget& body,
                           const Pose& X_WT) {
  std::vector<ProbeHit> hits, expected;
  Probe(pad, X_WP, body, X_WT, &hits);
  ProbeByBruteForce(pad, X_WP, body, X_WT, &expected);
  EXPECT_EQ(hits.size(), expected.size());
  for (std::size_t i = 0; i < std::min(hits.size(), expected.size()); ++i) {
    EXPECT_EQ(hits[i].point, expected[i].point);
    EXPECT_EQ(hits[i].p_W, expected[i].p_W);
    EXPECT_EQ(hits[i].n_W, expected[i].n_W);
    EXPECT_EQ(hits[i].penetration, expected[i].penetration);
    EXPECT_EQ(hits[i].saturated, expected[i].saturated);
    if (i > 0) {
      EXPECT_LT(hits[i - 1].point, hits[i].point);
    }
  }
  return hits;
}

Pose RandomPose(int i, double range) {
  return {RotationAbout(UniformDirection(50, i), Uniform(51, i, -3, 3)),
          UniformInBox(52, i, {-range, -range, -range}, {range, range, range})};
}

// The centre R - press above the pad; the point at distance r sees the sphere sqrt(R^2 - r^2) below its
// centre.
TEST(Probe, SphereOnAFlatPad) {
  const double R = 0.025, press = 0.003;
  const BristlePoints pad(FlatGrid(6, 14, 0.0034), 0.012);
  const Pose X_WP = TiltedPose();
  const Vec3 c_P{0.002, -0.001, R - press};
  const auto hits = Hits(pad, X_WP, ProbeTarget(Body(Sphere{R}, {})), X_WP * Pose{{}, c_P});
  int count = 0;
  std::size_t next = 0;
  for (int i = 0; i < pad.count(); ++i) {
    const Vec3 r = Vec3{pad.tip(i).x, pad.tip(i).y, c_P.z} - c_P;
    const double deep = std::sqrt(R * R - norm2(r)) - c_P.z;
    if (!(deep > 0)) continue;
    ++count;
    ASSERT_LT(next, hits.size());
    const ProbeHit& hit = hits[next++];
    EXPECT_EQ(hit.point, i);
    const Vec3 p_P{pad.tip(i).x, pad.tip(i).y, -deep}, n_P = normalized(p_P - c_P);
    EXPECT_LT(norm(hit.p_W - X_WP * p_P), 1e-15);
    EXPECT_LT(norm(hit.n_W - X_WP.R * n_P), 1e-13);
    EXPECT_NEAR(hit.penetration, deep * -n_P.z, 1e-15);  // Eq. 4
    EXPECT_FALSE(hit.saturated);
  }
  EXPECT_EQ(count, static_cast<int>(hits.size()));
  EXPECT_GT(count, 20);
}

TEST(Probe, HalfSpaceTiltedOverThePad) {
  const BristlePoints pad(FlatGrid(5, 9, 0.004), 0.003);
  const Pose X_WP = TiltedPose();
  // The solid is above a plane through (0, 0, 1 mm) that leans by 15 degrees: outward normal into the pad.
  const Mat3 lean = RotationAbout(normalized({0.3, 1, 0}), M_PI - 15 * M_PI / 180);
  const Pose X_PT{lean, {0, 0, 0.001}};
  const Vec3 n_P = lean.col(2);
  const auto hits = Hits(pad, X_WP, ProbeTarget(Body(HalfSpace{}, {})), X_WP * X_PT);
  std::size_t next = 0;
  int saturated = 0;
  for (int i = 0; i < pad.count(); ++i) {
    const double depth = -dot(pad.tip(i) - X_PT.p, n_P);  // of the point below the surface
    if (depth < 0) continue;
    ASSERT_LT(next, hits.size());
    const ProbeHit& hit = hits[next++];
    EXPECT_EQ(hit.point, i);
    const bool in = -dot(pad.base(i) - X_PT.p, n_P) > 0;
    saturated += in;
    EXPECT_EQ(hit.saturated, in);
    EXPECT_NEAR(hit.penetration, in ? 0.003 : depth, 1e-15);
    EXPECT_LT(norm(hit.n_W - X_WP.R * (in ? Vec3{0, 0, -1} : n_P)), 1e-15);
    if (in) {
      EXPECT_LT(norm(hit.p_W - X_WP * pad.base(i)), 1e-16);
    } else {
      EXPECT_NEAR(dot(Inverse(X_WP * X_PT) * hit.p_W, Vec3{0, 0, 1}), 0, 1e-16);
    }
  }
  EXPECT_EQ(next, hits.size());
  EXPECT_GT(static_cast<int>(next), 10);
  EXPECT_GT(saturated, 0);
  EXPECT_LT(saturated, static_cast<int>(next));
}

// Deep enough that the face of the box is below every base: all that it covers are saturated.
TEST(Probe, SaturatedBelowTheBases) {
  const BristlePoints pad(FlatGrid(7, 11, 0.003), 0.004);
  const Pose X_WP = TiltedPose(), X_PT{RotationAbout({0, 0, 1}, 0.4), {0.001, 0.002, 0}};
  const ProbeTarget exact(Body(Box{{0.02, 0.01, 0.03}}, {})),
      mesh(Body(Body(Box{{0.02, 0.01, 0.03}}, {}).Surface(), {}));
  for (const ProbeTarget* body : {&exact, &mesh}) {
    const auto hits = Hits(pad, X_WP, *body, X_WP * X_PT);
    int covered = 0;
    for (int i = 0; i < pad.count(); ++i) {
      const Vec3 p_T = Inverse(X_PT) * pad.tip(i);
      covered += std::fabs(p_T.x) < 0.01 && std::fabs(p_T.y) < 0.005;
    }
    EXPECT_EQ(static_cast<int>(hits.size()), covered);
    EXPECT_GT(covered, 15);
    for (const ProbeHit& hit : hits) {
      EXPECT_TRUE(hit.saturated);
      EXPECT_EQ(hit.penetration, 0.004);
      EXPECT_EQ(hit.p_W, X_WP * pad.base(hit.point));
      EXPECT_EQ(hit.n_W, -(X_WP.R * pad.direction(hit.point)));
    }
  }
}

TEST(Probe, EqualsBruteForceToTheLastBit) {
  const std::vector<BristlePoints> pads = {
      BristlePoints(FlatGrid(6, 14, 0.0034), 0.012), BristlePoints(FlatGrid(1, 1, 1), 0.005),
      BristlePoints(FlatGrid(50, 60, 0.0005), 0.004), BristlePoints(RoundPad(500, 0.02, 60), 0.008)};
  std::vector<ProbeTarget> bodies = {ProbeTarget(Body(test::Data("l_shape.obj"), {})),
                                     ProbeTarget(Body(test::Data("dumbbell.obj"), {})),
                                     ProbeTarget(Body(test::Crumpled(3, 0.02, 0.2, 61), {})),
                                     ProbeTarget(Body(test::Crumpled(3, 1e-4, 0.2, 62), {}))};
  for (const Primitive& shape :
       {Primitive{Sphere{0.01}}, Primitive{Box{{0.02, 0.01, 0.03}}}, Primitive{Cylinder{0.01, 0.03}},
        Primitive{Capsule{0.01, 0.02}}, Primitive{Ellipsoid{{0.01, 0.02, 0.015}}}, Primitive{HalfSpace{}}})
    bodies.emplace_back(Body(shape, {}));
  for (const BristlePoints& pad : pads)
    for (const ProbeTarget& body : bodies) {
      int hits = 0;
      const int rounds = pad.count() > 1000 ? 4 : 25;
      for (int i = 0; i < rounds; ++i) {
        const Pose X_WP = RandomPose(i, 0.3), X_PT = RandomPose(1000 + i, i % 5 == 4 ? 0.2 : 0.015);
        hits += static_cast<int>(Hits(pad, X_WP, body, X_WP * X_PT).size());
        if (testing::Test::HasFailure()) return;
      }
      if (pad.count() > 1 && body.box().size().x > 0.01) {
        EXPECT_GT(hits, 20);
      }
    }
}

TEST(Probe, MovingEverythingMovesTheHits) {
  const BristlePoints pad(RoundPad(400, 0.02, 63), 0.006);
  const ProbeTarget bodies[] = {ProbeTarget(Body(test::Crumpled(3, 0.02, 0.2, 64), {})),
                                ProbeTarget(Body(Capsule{0.01, 0.02}, {})),
                                ProbeTarget(Body(HalfSpace{}, {}))};
  for (const ProbeTarget& body : bodies)
    for (int i = 0; i < 20; ++i) {
      const Pose X_WP = RandomPose(i, 0.2), X_WT = X_WP * RandomPose(100 + i, 0.02),
                 X = RandomPose(200 + i, 1);
      const auto before = Hits(pad, X_WP, body, X_WT), after = Hits(pad, X * X_WP, body, X * X_WT);
      ASSERT_EQ(before.size(), after.size());
      for (std::size_t k = 0; k < before.size(); ++k) {
        EXPECT_EQ(before[k].point, after[k].point);
        EXPECT_EQ(before[k].saturated, after[k].saturated);
        EXPECT_LT(norm(X * before[k].p_W - after[k].p_W), 1e-12);
        EXPECT_LT(norm(X.R * before[k].n_W - after[k].n_W), 1e-12);
        EXPECT_NEAR(before[k].penetration, after[k].penetration, 1e-12);
      }
    }
}

// The same points in another order: the same hits under other numbers, still rising.
TEST(Probe, HitsRiseWhateverTheOrderOfThePoints) {
  const Layout layout = FlatGrid(20, 30, 0.001);
  Layout shuffled = layout;
  const int n = layout.count();
  for (int i = 0; i < n; ++i) shuffled.points[i] = layout.points[i * 7 % n];  // 7 and 600 share no factor
  const ProbeTarget ball(Body(test::Icosphere(3, 0.02), {}));
  const Pose X_WT{{}, {0.001, 0.002, 0.018}};
  const auto a = Hits(BristlePoints(layout, 0.005), {}, ball, X_WT),
             b = Hits(BristlePoints(shuffled, 0.005), {}, ball, X_WT);
  ASSERT_EQ(a.size(), b.size());
  ASSERT_GT(a.size(), 100u);
  for (const ProbeHit& hit : b) {
    const auto same =
        std::find_if(a.begin(), a.end(), [&](const ProbeHit& h) { return h.point == hit.point * 7 % n; });
    ASSERT_NE(same, a.end());
    EXPECT_EQ(same->p_W, hit.p_W);
  }
}

// A face 0.5 degrees off the probe has the cosine 0.0087, one 0.7 degrees off 0.0122.
TEST(Probe, AProbeThatGrazesIsLeftOut) {
  const BristlePoints pad(FlatGrid(1, 1, 1), 0.1);
  for (const auto& [degrees, count] : {std::pair{0.5, 0u}, std::pair{0.7, 1u}}) {
    const double tilt = (90 - degrees) * M_PI / 180;
    const Pose X_WT{RotationAbout({1, 0, 0}, M_PI - tilt), {0, 0, -0.05}};
    const auto hits = Hits(pad, {}, ProbeTarget(Body(HalfSpace{}, {})), X_WT);
    ASSERT_EQ(hits.size(), count);
    if (count) {
      EXPECT_NEAR(hits[0].penetration, 0.05 * std::sin(degrees * M_PI / 180), 1e-15);
    }
  }
}

TEST(Probe, AnOpenSheetPushesBackFromEitherSide) {
  const TriangleMesh square{{{-0.01, -0.01, 0}, {0.01, -0.01, 0}, {0.01, 0.01, 0}, {-0.01, 0.01, 0}},
                            {{0, 1, 2}, {0, 2, 3}}};
  const ProbeTarget sheet(Body(square, {}));
  const BristlePoints pad(FlatGrid(3, 5, 0.003), 0.005);
  for (double turn : {0.0, M_PI}) {
    const auto hits = Hits(pad, {}, sheet, {RotationAbout({1, 0, 0}, turn), {0, 0, -0.002}});
    ASSERT_EQ(hits.size(), 15u);
    for (const ProbeHit& hit : hits) {
      EXPECT_NEAR(hit.penetration, 0.002, 1e-15);
      EXPECT_LT(norm(hit.n_W - Vec3{0, 0, -1}), 1e-15);
    }
  }
}

TEST(Probe, AWarmCallTakesNoMemory) {
  const BristlePoints pads[] = {BristlePoints(FlatGrid(6, 14, 0.0034), 0.012),
                                BristlePoints(RoundPad(3000, 0.02, 65), 0.006)};
  const ProbeTarget bodies[] = {ProbeTarget(Body(test::Crumpled(3, 0.02, 0.2, 66), {})),
                                ProbeTarget(Body(Sphere{0.02}, {})), ProbeTarget(Body(HalfSpace{}, {}))};
  for (const BristlePoints& pad : pads)
    for (const ProbeTarget& body : bodies) {
      std::vector<ProbeHit> hits;
      Probe(pad, {}, body, {RotationAbout({1, 0, 0}, 3), {0, 0, -0.001}}, &hits);
      ASSERT_GT(hits.size(), 10u);
      const long before = allocations;
      Probe(pad, {}, body, {RotationAbout({1, 0, 0}, 3), {0, 0, 1}}, &hits);
      Probe(pad, {}, body, {RotationAbout({1, 0, 0}, 3), {0, 0, -0.001}}, &hits);
      EXPECT_EQ(allocations - before, 0);
    }
}

TEST(Probe, WrongAndEmptyInput) {
  const BristlePoints pad(FlatGrid(2, 2, 0.01), 0.01);
  const ProbeTarget ball(Body(Sphere{0.05}, {}));
  Pose bad;
  bad.p.y = std::nan("");
  std::vector<ProbeHit> hits(3);
  ExpectError([&] { Probe(pad, bad, ball, {}, &hits); }, {"pose of the pad", "not finite"});
  bad = {};
  bad.R(1, 2) = HUGE_VAL;
  ExpectError([&] { Probe(pad, {}, ball, bad, &hits); }, {"pose of the body", "not finite"});
  EXPECT_TRUE(Hits(BristlePoints(), {}, ball, {}).empty());
  EXPECT_TRUE(Hits(pad, {}, ProbeTarget(), {}).empty());
}

}  // namespace
}  // namespace taxel
