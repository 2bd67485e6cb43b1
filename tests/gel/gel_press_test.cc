// Blocks of gel under rigid objects, against what elasticity and statics say; tilted, between the nodes, and
// not square. Cases: uniaxial press of both laws; no force before touch; action and reaction of a ball, with
// moments about the origin; friction: the whole face slides at mu N, or sticks and goes along; a hand that
// turns and shifts the gel; a bar rings at its longitudinal frequency; gravity is weighed.
#include <gtest/gtest.h>

#include <limits>

#include "gel_scenes.h"

namespace taxel {
namespace {

using test::GelBlock, test::kCell;
constexpr double kPi = 3.141592653589793;

TEST(GelPress, UniaxialStressIsYoungsModulus) {
  for (const GelLaw law : {GelLaw::kCorotated, GelLaw::kNeoHookean})
    for (const double nu : {0.25, 0.45}) {
      const GelBlock block({6, 7, 6.5}, test::Tilted(20, 0.37));
      GelOptions o = test::Options(block, nu);
      o.material.law = law;
      GelSolver s(o, block.particles, GelBlock::kVolume);
      std::vector<Vec3> faces = block.top;
      faces.insert(faces.end(), block.bottom.begin(), block.bottom.end());
      s.SetSkin(faces, {});
      s.SetObjects(
          {{test::HalfSpaceDistance(), block.X_WB, 0}, {test::HalfSpaceDistance(), block.Above(0), 0}});
      const int wave = test::Crossing(block, s);
      const double strain = 0.01;
      const std::vector<Pose> pressed{block.X_WB, block.Above(strain * block.cells.z)};
      s.Advance(2 * wave, pressed, {});
      s.Advance(6 * wave, pressed, {});
      s.Advance(wave, pressed, {});
      const double stress = dot(s.loads()[1].force, block.X_WB.R.col(2)) / block.area();
      EXPECT_NEAR(stress / (o.material.young * strain), 1, 0.01) << nu;
      EXPECT_LT(norm(s.loads()[0].force + s.loads()[1].force), 1e-3 * norm(s.loads()[0].force));
      // The sides come out by nu.
      double out = 0;
      for (std::size_t p = 0; p < s.size(); ++p) {
        const GelMatrix<float> F = s.deformation(p);
        Mat3 M;
        for (int k = 0; k < 9; ++k) M.m[k] = F.m[k];
        out += (Transpose(block.X_WB.R) * M * block.X_WB.R)(0, 0) - 1;
      }
      EXPECT_NEAR(out / static_cast<double>(s.size()), nu * strain, 0.03 * nu * strain);
    }
}

TEST(GelPress, NothingIsFeltBeforeTheSurfaceTouches) {
  const GelBlock block({5, 6, 4}, test::Tilted(20, 0.37));
  GelSolver s = test::Held(block, test::Options(block), {{test::HalfSpaceDistance(), block.Above(-1), 0.5}});
  s.Advance(100, {block.Above(-0.001)}, {});
  EXPECT_EQ(s.loads()[0].force, Vec3{});
  EXPECT_LT(norm(s.hand_load().force), 1e-6);  // the rounding of the points' places, pulled back
  for (std::size_t p = 0; p < s.size(); p += 37) EXPECT_LT(norm(s.velocity(p)), 1e-5);
  s.Advance(100, {block.Above(0.1)}, {});
  EXPECT_GT(norm(s.loads()[0].force), 0.01);
}

TEST(GelPress, ActionReactionAndMoments) {
  const GelBlock block({7, 8, 5}, test::Tilted(20, 0.37));
  const MarkerDistance ball(Primitive{Sphere{4 * kCell}});
  const auto at = [&](double depth) {
    return Pose{RotationAbout({0, 1, 0}, 0.4), block.At({0.9, -0.6, 9 - depth})};
  };
  for (const double friction : {0.0, 0.8}) {
    GelSolver s = test::Held(block, test::Options(block), {{ball, at(-0.1), friction}});
    const int wave = test::Crossing(block, s);
    s.Advance(3 * wave, {at(0.7)}, {});
    s.Advance(8 * wave);
    s.Advance(wave);
    const GelLoad &o = s.loads()[0], &h = s.hand_load();
    const double size = norm(o.force);
    EXPECT_GT(dot(o.force, block.X_WB.R.col(2)), 0.02);
    EXPECT_LT(norm(o.force + h.force), 2e-3 * size);
    EXPECT_LT(norm(o.torque + h.torque), 0.02 * size * block.height());
    // Without friction every force goes through the middle of the ball.
    if (friction == 0) {
      EXPECT_LT(norm(o.torque - cross(at(0.7).p, o.force)), 1e-3 * size * 4 * kCell);
    }
    // The sum of the points, about the origin.
    Vec3 force, torque;
    for (std::size_t k = 0; k < s.contact_points(); ++k) {
      force -= s.skin_force(k);
      torque -= cross(s.skin_position(k), s.skin_force(k));
    }
    EXPECT_LT(norm(force - o.force), 5e-3 * size);
    EXPECT_LT(norm(torque - o.torque), 5e-3 * size * block.height());
  }
}

// T / N and how far the points of the top face moved beside the face itself, along x of the block, cells.
std::pair<double, double> Drag(double friction, double along) {
  const GelBlock block({5, 6, 4}, test::Tilted(20, 0.37));
  GelSolver s =
      test::Held(block, test::Options(block), {{test::HalfSpaceDistance(), block.Above(0), friction}});
  const int wave = test::Crossing(block, s);
  s.Advance(2 * wave, {block.Above(0.1)}, {});
  s.Advance(3 * wave);
  std::vector<Vec3> before;
  for (std::size_t k = 0; k < s.contact_points(); ++k) before.push_back(s.skin_position(k));
  s.Advance(8 * wave, {block.Above(0.1, along)}, {});
  s.Advance(wave, {block.Above(0.1, along + along / 8)}, {});
  const Vec3 F = TransposeMul(block.X_WB.R, s.loads()[0].force);
  double behind = 0;
  for (std::size_t k = 0; k < before.size(); ++k)
    behind = std::max(
        behind, std::fabs(along * 9 / 8 - dot(s.skin_position(k) - before[k], block.X_WB.R.col(0)) / kCell));
  return {-F.x / F.z, behind};
}

TEST(GelPress, AFaceThatSlidesCarriesMuN) {
  for (const double mu : {0.1, 0.25}) {
    const auto [ratio, behind] = Drag(mu, 0.5);
    EXPECT_NEAR(ratio, mu, 0.01 * mu);
    EXPECT_GT(behind, 0.1);
  }
  EXPECT_NEAR(Drag(0, 0.3).first, 0, 1e-4);
}

TEST(GelPress, AFaceThatSticksGoesAlong) {
  const auto [ratio, behind] = Drag(std::numeric_limits<double>::infinity(), 0.2);
  EXPECT_GT(ratio, 0.5);  // more than any mu above
  EXPECT_LT(behind, 0.03);
  // Far inside the cone Coulomb's law is the same.
  EXPECT_NEAR(Drag(20, 0.2).first, ratio, 3e-3 * ratio);  // points without pressure slip a little at the rim
}

// A load that stays does not walk.
TEST(GelPress, AFaceThatSticksDoesNotCreep) {
  const GelBlock block({5, 6, 4}, test::Tilted(20, 0.37));
  GelSolver s =
      test::Held(block, test::Options(block), {{test::HalfSpaceDistance(), block.Above(0), HUGE_VAL}});
  const int wave = test::Crossing(block, s);
  s.Advance(2 * wave, {block.Above(0.1)}, {});
  s.Advance(2 * wave, {block.Above(0.1, 0.2)}, {});
  s.Advance(6 * wave);
  std::vector<Vec3> before;
  for (std::size_t k = 0; k < s.contact_points(); ++k) before.push_back(s.skin_position(k));
  s.Advance(12 * wave);
  Vec3 mean;
  for (std::size_t k = 0; k < before.size(); ++k) {
    EXPECT_LT(norm(s.skin_position(k) - before[k]), 1e-2 * kCell);  // at the edges, where pressure flickers
    mean += (s.skin_position(k) - before[k]) / static_cast<double>(before.size());
  }
  EXPECT_LT(norm(mean), 1e-3 * kCell);
}

// Coulomb friction far from slip, held for twenty times as long as the press took: the force stays.
TEST(GelPress, HeldFrictionStays) {
  const GelBlock block({9, 8, 5}, test::Tilted(20, 0.37));
  GelSolver s = test::Held(block, test::Options(block), {{test::HalfSpaceDistance(), block.Above(0), 0.5}});
  const int wave = test::Crossing(block, s);
  s.Advance(2 * wave, {block.Above(0.05)}, {});
  s.Advance(2 * wave, {block.Above(0.05, 0.03)}, {});
  s.Advance(8 * wave);
  const Vec3 before = s.loads()[0].force;
  s.Advance(40 * wave);
  s.Advance(2 * wave);
  EXPECT_LT(norm(s.loads()[0].force - before), 0.02 * norm(before));
}

TEST(GelPress, TheHandTakesTheGelAlong) {
  const GelBlock block({5, 4, 3}, test::Tilted(20, 0.37));
  GelSolver s = test::Held(block, test::Options(block), {});
  const Pose X_WH{RotationAbout(normalized({1, -1, 2}), 0.15), {1.1 * kCell, -0.6 * kCell, 0.4 * kCell}};
  std::vector<Vec3> before;
  for (std::size_t p = 0; p < s.size(); ++p) before.push_back(s.position(p));
  s.Advance(600, {}, X_WH);
  const int wave = test::Crossing(block, s);
  s.Advance(15 * wave, {}, X_WH);
  s.Advance(wave, {}, X_WH);  // the load is that of a call: not that of the stop
  for (std::size_t p = 0; p < s.size(); p += 11)
    EXPECT_LT(norm(s.position(p) - X_WH * before[p]), 0.02 * kCell) << p;
  EXPECT_LT(norm(s.hand_load().force), 1e-4);
  EXPECT_EQ(s.hand(), X_WH);
}

TEST(GelPress, TheHandWeighsTheGel) {
  const GelBlock block({4, 5, 3}, test::Tilted(20, 0.37));
  GelOptions o = test::Options(block);
  o.gravity = {3, -5, -8};
  GelSolver s = test::Held(block, o, {});
  const int wave = test::Crossing(block, s);
  s.Advance(12 * wave);
  s.Advance(wave);
  const Vec3 weight = 1000 * GelBlock::kVolume * static_cast<double>(s.size()) * o.gravity;
  EXPECT_LT(norm(s.hand_load().force - weight), 0.005 * norm(weight));
  const Vec3 middle = block.At({0, 0, 1.5});
  EXPECT_LT(norm(s.hand_load().torque - cross(middle, weight)), 0.01 * norm(weight) * block.height());
}

TEST(GelPress, ABarRingsAtItsLongitudinalFrequency) {
  for (const double nu : {0.0, 0.3}) {
    const Vec3 size{28, 3, 3.5};
    const GelBlock bar(size, {{}, kCell * Vec3{0.2, 0.37, 0.1}});  // x along the bar
    GelOptions o = test::Options(bar, nu);
    o.damping = 0;
    GelSolver s(o, bar.particles, GelBlock::kVolume);
    const double length = size.x * kCell;
    std::vector<double> mode;
    std::vector<Vec3> start;
    for (const Vec3& p : bar.particles) {
      mode.push_back(std::sin(kPi * (p.x - bar.X_WB.p.x) / length));
      start.push_back({0.02 * mode.back(), 0, 0});
    }
    s.SetVelocities(start);
    const auto amplitude = [&] {
      double sum = 0;
      for (std::size_t p = 0; p < s.size(); ++p) sum += mode[p] * s.velocity(p).x;
      return sum;
    };
    // Zeros of a cosine: T/4, 3T/4, 5T/4.
    double last = amplitude(), zero = 0;
    for (int found = 0; found < 3;) {
      s.Advance(1);
      const double now = amplitude();
      if (now * last < 0) zero = s.time() - s.dt() * now / (now - last), ++found;
      last = now;
      ASSERT_LT(s.time(), 1);
    }
    const double frequency = 1.25 / zero,
                 wanted = std::sqrt(o.material.young / o.material.density) / (2 * length);
    EXPECT_NEAR(frequency / wanted, 1, 0.02) << nu;
  }
}

}  // namespace
}  // namespace taxel
