// The solver as a machine; what it computes is in gel_press_test.cc. Cases: the same bits on 1, 2 and 3
// threads, from a saved state, in another solver and after a move; W's origin does not matter; numbers that
// it reports (step, CFL, speed, energy, momentum); velocities and deformations that are given; blow-ups;
// everything that is refused; an interrupt.
#include "taxel/gel/gel_solver.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <thread>

#include "../shape/expect_error.h"
#include "gel_scenes.h"
#include "taxel/math/interrupt.h"

namespace taxel {
namespace {

using test::GelBlock, test::kCell;

const GelBlock& Block() {
  static const GelBlock block({9, 7, 4}, test::Tilted(20, 0.37));
  return block;
}
/// A tilted box that comes down on an edge while it slides.
Pose Punch(double way) {
  const Mat3 R = Block().X_WB.R * RotationAbout(normalized({1, 0.6, 0}), 0.3);
  return {R, Block().At({0.5 + way, -0.4, 6.6 - 0.7 * way})};
}
GelSolver Pressed(int threads) {
  GelOptions o = test::Options(Block(), 0.45);
  o.threads = threads;
  o.gravity = {1, -2, -9};
  return test::Held(Block(), o,
                    {{MarkerDistance(Primitive{Box{{5 * kCell, 4 * kCell, 4 * kCell}}}), Punch(0), 0.4},
                     {test::HalfSpaceDistance(), Block().Above(-0.2), 0.2}});
}
void Press(GelSolver* s, int from, int to) {
  for (int k = from; k < to; k += 20)
    s->Advance(20, {Punch(0.01 * (k + 20)), Block().Above(-0.2)}, {{}, {0, 0, 1e-6 * k}});
}
/// All that is seen from outside, for comparison by bits.
std::vector<double> Everything(const GelSolver& s) {
  std::vector<double> out{s.time(), s.speed()};
  const auto add = [&](const Vec3& v) { out.insert(out.end(), {v.x, v.y, v.z}); };
  for (std::size_t p = 0; p < s.size(); ++p) {
    add(s.position(p)), add(s.velocity(p));
    for (const float f : s.deformation(p).m) out.push_back(f);
  }
  for (std::size_t k = 0; k < s.skin_points(); ++k) add(s.skin_position(k)), add(s.skin_force(k));
  for (const GelLoad& l : s.loads()) add(l.force), add(l.torque);
  add(s.hand_load().force), add(s.hand_load().torque);
  return out;
}

TEST(GelSolver, TheSameBitsOnAnyNumberOfThreads) {
  std::vector<double> wanted;
  for (const int threads : {1, 2, 3}) {
    GelSolver s = Pressed(threads);
    Press(&s, 0, 200);
    EXPECT_GT(norm(s.loads()[0].force), 0.05);
    EXPECT_GT(norm(s.loads()[1].force), 1e-4);
    if (wanted.empty()) wanted = Everything(s);
    EXPECT_EQ(Everything(s), wanted) << threads;
  }
}

TEST(GelSolver, ASavedStateGoesOnWithTheSameBits) {
  GelSolver s = Pressed(1);
  Press(&s, 0, 100);
  const GelState state = s.Save();
  const std::vector<double> then = Everything(s);
  Press(&s, 100, 200);
  const std::vector<double> wanted = Everything(s);
  s.Restore(state);
  EXPECT_EQ(Everything(s), then);
  EXPECT_EQ(s.poses()[0], Punch(1));
  Press(&s, 100, 200);
  EXPECT_EQ(Everything(s), wanted);
  GelSolver other = Pressed(2);
  Press(&other, 0, 40);
  other.Restore(state);
  GelSolver moved = std::move(other);
  Press(&moved, 100, 200);
  EXPECT_EQ(Everything(moved), wanted);
}

int steps_left = 0;
bool AfterSomeSteps() { return --steps_left < 0; }

// It stands after a whole step, where that step brought the objects and the hand: what comes after is what
// comes after the same way in one piece.
TEST(GelSolver, AnInterruptLeavesAWholeStep) {
  const Pose X_WH{RotationAbout(normalized({1, 2, -1}), 0.01), kCell * Vec3{0.02, -0.03, 0.01}};
  GelSolver s = Pressed(2), other = Pressed(1);
  steps_left = 3;
  std::this_thread::sleep_for(std::chrono::milliseconds(60));
  const InterruptCheck before = SetInterruptCheck(&AfterSomeSteps);
  EXPECT_THROW(s.Advance(100000, {Punch(2), Block().Above(-0.1)}, X_WH), Interrupted);
  SetInterruptCheck(before);
  const double done = s.time() / s.dt();
  const int steps = static_cast<int>(std::lround(done));
  ASSERT_GT(steps, 0);
  ASSERT_LT(steps, 100000);
  EXPECT_NEAR(done, steps, 1e-6);
  other.Advance(steps, s.poses(), s.hand());
  for (std::size_t p = 0; p < s.size(); p += 5)
    EXPECT_LT(norm(s.position(p) - other.position(p)), 1e-3 * kCell) << p;
  EXPECT_LT(norm(s.loads()[1].force - other.loads()[1].force), 0.02 * norm(other.loads()[1].force) + 1e-6);
  EXPECT_NEAR(norm(s.poses()[0].p - Punch(0).p), 1e-5 * steps * norm(Punch(2).p - Punch(0).p), 1e-12);
  s.Advance(40, {Punch(0.01), Block().Above(-0.1)}, X_WH);  // and it goes on
  EXPECT_NEAR(s.time() / s.dt(), steps + 40, 1e-6);
}

// Whole cells: the same phase of the grid, so the same motion to rounding.
TEST(GelSolver, WhereTheSceneIsDoesNotMatter) {
  const Vec3 away = kCell * Vec3{-4000, 128, 7};
  std::vector<GelSolver> both;
  for (const Vec3& shift : {Vec3{}, away}) {
    const GelBlock block({5, 4, 3}, {test::Tilted(20, 0.37).R, test::Tilted(20, 0.37).p + shift});
    both.push_back(
        test::Held(block, test::Options(block), {{test::HalfSpaceDistance(), block.Above(0), 0.5}}));
    both.back().Advance(60, {block.Above(0.3)}, {});
  }
  for (std::size_t p = 0; p < both[0].size(); p += 7)
    EXPECT_LT(norm(both[1].position(p) - both[0].position(p) - away), 1e-4 * kCell);
  const GelLoad &a = both[0].loads()[0], &b = both[1].loads()[0];
  EXPECT_LT(norm(a.force - b.force), 1e-3 * norm(a.force));
  EXPECT_LT(norm(b.torque - a.torque - cross(away, a.force)), 1e-3 * norm(cross(away, a.force)));
}

// From rest to rest: at the end the held points are where they belong, and at rest.
TEST(GelSolver, ASmoothWayEndsWhereTheStraightOneDoes) {
  const GelBlock block({4, 4, 3}, test::Tilted(20, 0.37));
  const Pose X_WH{RotationAbout(normalized({1, 2, -1}), 0.05), kCell * Vec3{0.2, -0.3, 0.1}};
  double fastest[2] = {0, 0};
  std::vector<Vec3> held[2];
  for (const bool smooth : {false, true}) {
    GelSolver s = test::Held(block, test::Options(block), {{test::HalfSpaceDistance(), block.Above(-3), 0}});
    s.Advance(400, {block.Above(-2)}, X_WH, smooth);
    EXPECT_EQ(s.hand(), X_WH);
    EXPECT_EQ(s.poses()[0], block.Above(-2));
    fastest[smooth] = s.speed();
    for (std::size_t k = s.contact_points(); k < s.skin_points(); ++k)
      held[smooth].push_back(s.skin_position(k));
  }
  EXPECT_LT(fastest[1], 0.2 * fastest[0]);  // at the end it is at rest, the other is not
  for (std::size_t k = 0; k < held[0].size(); ++k) {
    EXPECT_LT(norm(held[1][k] - X_WH * block.bottom[k]), 2e-3 * kCell);
    EXPECT_LT(norm(held[0][k] - X_WH * block.bottom[k]), 2e-2 * kCell);
  }
}

// No steps: objects are put there, and have no speed in the next.
TEST(GelSolver, NoStepsPutAnObjectInItsPlace) {
  const GelBlock block({4, 4, 3}, test::Tilted(20, 0.37));
  GelSolver put =
      test::Held(block, test::Options(block), {{test::HalfSpaceDistance(), block.Above(-5), 0.5}});
  put.Advance(0, {block.Above(0.05)}, {});
  EXPECT_EQ(put.poses()[0], block.Above(0.05));
  EXPECT_EQ(put.time(), 0);
  GelSolver made =
      test::Held(block, test::Options(block), {{test::HalfSpaceDistance(), block.Above(0.05), 0.5}});
  put.Advance(30), made.Advance(30);
  EXPECT_EQ(Everything(put), Everything(made));
}

/// A sticking half space that presses by 0.3 cells.
GelSolver Stuck(const GelBlock& block) {
  GelSolver s =
      test::Held(block, test::Options(block), {{test::HalfSpaceDistance(), block.Above(0), HUGE_VAL}});
  s.Advance(100, {block.Above(0.3)}, {});
  return s;
}

// Put two cells along itself, or replaced by one that stands there, a half space presses as before: what it
// gripped does not come along.
TEST(GelSolver, FrictionLetsGoOfAnObjectThatIsPutElsewhere) {
  const GelBlock block({4, 5, 3}, test::Tilted(20, 0.37));
  GelSolver stays = Stuck(block), put = Stuck(block), other = Stuck(block);
  put.Advance(0, {block.Above(0.3, 2)}, {});
  other.SetObjects({{test::HalfSpaceDistance(), block.Above(0.3, 2), HUGE_VAL}});
  for (GelSolver* s : {&stays, &put, &other}) s->Advance(40);
  const Vec3 f = stays.loads()[0].force;
  EXPECT_GT(norm(f), 0.1);
  EXPECT_LT(norm(put.loads()[0].force - f), 0.05 * norm(f));
  EXPECT_EQ(Everything(other), Everything(put));
}

TEST(GelSolver, FrictionKeepsItsGripWhenAnObjectIsAdded) {
  const GelBlock block({4, 5, 3}, test::Tilted(20, 0.37));
  GelSolver alone = Stuck(block), two = Stuck(block);
  two.SetObjects({{test::HalfSpaceDistance(), block.Above(0.3), HUGE_VAL},
                  {test::HalfSpaceDistance(), block.Above(-9), 0.5}});
  alone.Advance(20, {block.Above(0.3, 0.2)}, {});
  two.Advance(20, {block.Above(0.3, 0.2), block.Above(-9)}, {});
  EXPECT_EQ(two.loads()[0].force, alone.loads()[0].force);
  for (std::size_t p = 0; p < alone.size(); p += 7) EXPECT_EQ(two.position(p), alone.position(p));
}

TEST(GelSolver, ReportsItsNumbers) {
  GelOptions o = test::Options(Block());
  const GelSolver automatic(o, Block().particles, GelBlock::kVolume);
  EXPECT_NEAR(automatic.cfl(), o.cfl, 1e-12);
  o.dt = 1.5e-5;
  GelSolver s(o, Block().particles, GelBlock::kVolume);
  EXPECT_EQ(s.dt(), 1.5e-5);
  EXPECT_NEAR(s.cfl(), o.material.wave_speed() * 1.5e-5 / kCell, 1e-12);
  EXPECT_EQ(s.size(), Block().particles.size());
  EXPECT_EQ(s.skin_points(), 0u);
  for (std::size_t p = 0; p < s.size(); p += 13)
    EXPECT_LT(norm(s.position(p) - Block().particles[p]), 5e-7 * kCell);
  const double mass = 1000 * GelBlock::kVolume * static_cast<double>(s.size());
  s.SetVelocities(std::vector<Vec3>(s.size(), {0.3, -0.1, 0.2}));
  EXPECT_LT(norm(s.momentum() - mass * Vec3{0.3, -0.1, 0.2}), 1e-6 * mass);
  EXPECT_NEAR(s.energy().kinetic, 0.5 * mass * 0.14, 1e-6 * mass);
  EXPECT_NEAR(s.energy().elastic, 0, 1e-12);
  std::vector<double> F;
  for (std::size_t p = 0; p < s.size(); ++p) F.insert(F.end(), {1.1, 0, 0, 0, 1, 0, 0, 0, 1});
  s.SetDeformations(F.data(), s.size());
  const double density = o.material.mu() * 0.01 + 0.5 * o.material.lambda() * 0.01;
  EXPECT_NEAR(s.energy().elastic / (density * GelBlock::kVolume * static_cast<double>(s.size())), 1, 1e-4);
  EXPECT_EQ(s.deformation(5).m[0], 1.1f);
  GelSolver still(o, Block().particles, GelBlock::kVolume);
  still.SetVelocities(std::vector<Vec3>(still.size(), {0.3, -0.1, 0.2}));
  o.damping = 0;
  GelSolver free(o, Block().particles, GelBlock::kVolume);
  free.SetVelocities(std::vector<Vec3>(free.size(), {0.3, -0.1, 0.2}));
  still.Advance(100), free.Advance(100);
  EXPECT_NEAR(free.time(), 1.5e-3, 1e-12);
  EXPECT_NEAR(free.speed(), 0.3, 1e-5);
  EXPECT_NEAR(free.mach(), 0.3 / o.material.wave_speed(), 1e-6);
  EXPECT_NEAR(norm(still.momentum()) / norm(free.momentum()), std::exp(-still.options().damping * 1.5e-3),
              1e-4);
}

// Without damping what the velocities lose the deformation gains, and all of it comes back.
TEST(GelSolver, AFreeBlockKeepsItsEnergy) {
  GelOptions o = test::Options(Block());
  o.damping = 0, o.average_volume = false, o.cfl = 0.1;
  GelSolver s(o, Block().particles, GelBlock::kVolume);
  std::vector<Vec3> v;
  for (const Vec3& p : Block().particles) v.push_back(8 * Vec3{p.x + 2 * p.y, -p.y, 0.5 * p.z - p.x});
  s.SetVelocities(v);
  s.Advance(1);  // the first step fills the affine velocities
  const GelEnergy start = s.energy();
  double most = 0;
  for (int k = 0; k < 25; ++k) {
    s.Advance(10);
    const GelEnergy e = s.energy();
    most = std::max(most, e.elastic);
    EXPECT_LT(e.kinetic + e.elastic, 1.02 * (start.kinetic + start.elastic));
    EXPECT_GT(e.kinetic + e.elastic, 0.85 * (start.kinetic + start.elastic));
  }
  EXPECT_GT(most, 0.2 * start.kinetic);
}

TEST(GelSolver, ABlowUpNamesTheCure) {
  GelOptions o = test::Options(Block());
  o.dt = 2.5 * kCell / o.material.wave_speed();
  ExpectError([&] { GelSolver(o, Block().particles, GelBlock::kVolume); }, {"dt is", "automatic", "denser"});
  o.dt = 0.9 * kCell / o.material.wave_speed();
  o.damping = 0;
  GelSolver s(o, Block().particles, GelBlock::kVolume);
  s.SetVelocities(std::vector<Vec3>(s.size(), {0, 0.6 * kCell / o.dt, 0}));
  ExpectError([&] { s.Advance(400); }, {"blow-up in step", "particle", "in one step (at most 0.5)",
                                        "CFL number is 0.9", "smaller cfl or dt", "more slowly"});
  ExpectError([&] { s.Advance(1); }, {"blew up", "restore"});

  GelSolver held =
      test::Held(Block(), test::Options(Block()), {{test::HalfSpaceDistance(), Block().Above(0), 0}});
  const GelState good = held.Save();
  ExpectError([&] { held.Advance(1, {Block().Above(2)}, {}); },
              {"blow-up in step 0", "CFL number is 0.6", "more slowly"});
  held.Restore(good);
  held.Advance(100, {Block().Above(0.2)}, {});
  EXPECT_GT(norm(held.loads()[0].force), 0.1);
}

TEST(GelSolver, WrongOptionsAreRefused) {
  const auto with = [](const std::function<void(GelOptions*)>& change) {
    return [change] {
      GelOptions o = test::Options(Block());
      change(&o);
      GelSolver(o, Block().particles, GelBlock::kVolume);
    };
  };
  for (const double bad : {0.0, -2.0, std::nan(""), HUGE_VAL}) {
    ExpectError(with([&](GelOptions* o) { o->material.young = bad; }), {"gel", "young is", "> 0"});
    ExpectError(with([&](GelOptions* o) { o->cell = bad; }), {"gel", "cell is", "> 0", "thickness"});
    ExpectError([&] { GelSolver(test::Options(Block()), Block().particles, bad); },
                {"volume of a particle is", "> 0"});
  }
  ExpectError(with([](GelOptions* o) { o->material.poisson = 0.5; }), {"poisson is 0.5", "0.4999"});
  ExpectError(with([](GelOptions* o) { o->material.density = 0; }), {"density is 0"});
  for (const double bad : {0.0, -0.3, 1.01, std::nan("")})
    ExpectError(with([&](GelOptions* o) { o->cfl = bad; }), {"cfl is", "0 to 1"});
  for (const double bad : {-1e-6, std::nan(""), HUGE_VAL}) {
    ExpectError(with([&](GelOptions* o) { o->dt = bad; }), {"dt is", "automatic"});
    ExpectError(with([&](GelOptions* o) { o->damping = bad; }), {"damping is", ">= 0"});
  }
  ExpectError(with([](GelOptions* o) { o->gravity.y = std::nan(""); }), {"gravity is (0, nan, 0)"});
  ExpectError(with([](GelOptions* o) { o->rounds = 0; }), {"rounds is 0", "at least 1"});
  ExpectError(with([](GelOptions* o) { o->threads = -2; }), {"threads is -2", "0 for all"});
}

TEST(GelSolver, WrongParticlesAreRefused) {
  const GelOptions o = test::Options(Block());
  ExpectError([&] { GelSolver(o, {}, GelBlock::kVolume); }, {"no particles", "FillLattice"});
  std::vector<Vec3> x = Block().particles;
  x[12].y = std::nan("");
  ExpectError([&] { GelSolver(o, x, GelBlock::kVolume); }, {"particle 12", "nan"});
  x[12] = {2000, 0, 0};
  ExpectError([&] { GelSolver(o, x, GelBlock::kVolume); }, {"span", "a million cells", "larger cell"});
}

TEST(GelSolver, WrongListsAreRefused) {
  GelSolver s = Pressed(1);
  ExpectError([&] { s.Advance(1, {Pose{}}, {}); }, {"1 poses for 2 objects"});
  ExpectError([&] { s.Advance(-1); }, {"steps is -1", "at least 0"});
  const Pose lost{{}, {0, std::nan(""), 0}};
  ExpectError([&] { s.Advance(1, {Punch(0), lost}, {}); }, {"pose of object 1", "not finite"});
  ExpectError([&] { s.Advance(1, {Punch(0), Punch(0)}, lost); }, {"pose of the hand", "not finite"});
  for (const double bad : {-0.1, std::nan(""), -HUGE_VAL})
    ExpectError(
        [&] {
          s.SetObjects({{test::HalfSpaceDistance(), {}, 0}, {test::HalfSpaceDistance(), {}, bad}});
        },
        {"friction of object 1", ">= 0", "sticks"});
  ExpectError(
      [&] {
        s.SetObjects({{test::HalfSpaceDistance(), lost, 0}});
      },
      {"pose of object 0", "not finite"});
  const MarkerDistance no_kernel(Primitive{Ellipsoid{{2 * kCell, kCell, kCell}}});
  ExpectError(
      [&] {
        s.SetObjects(
            {{test::HalfSpaceDistance(), {}, 0}, {test::HalfSpaceDistance(), {}, 0}, {no_kernel, {}, 0}});
      },
      {"object 2", "trilinear"});
  EXPECT_EQ(s.poses().size(), 2u);  // as before
  EXPECT_EQ(s.poses()[0], Punch(0));
  s.Advance(1);
  GelSolver before = Pressed(1);
  before.Advance(1);
  ExpectError([&] { s.SetVelocities({Vec3{}}); }, {"1 velocities for", "particles"});
  std::vector<Vec3> v(s.size());
  v[2] = {0.1, 0, 0}, v[3].z = HUGE_VAL;
  ExpectError([&] { s.SetVelocities(v); }, {"velocity of particle 3", "inf"});
  std::vector<double> F(9 * s.size(), 0.0);
  ExpectError([&] { s.SetDeformations(F.data(), 4); }, {"4 deformation gradients for", "particles"});
  F[9 * 6 + 2] = std::nan("");
  ExpectError([&] { s.SetDeformations(F.data(), s.size()); },
              {"deformation gradient of particle 6", "not finite"});
  for (const std::size_t p : {2u, 5u}) {  // as before
    EXPECT_EQ(s.velocity(p), before.velocity(p));
    EXPECT_EQ(s.deformation(p).m[0], before.deformation(p).m[0]);
  }
  const GelBlock small({4, 4, 4}, {});
  const GelSolver other = test::Held(small, test::Options(small), {});
  ExpectError([&] { s.Restore(other.Save()); }, {"particles", "objects", "state of this gel"});
  GelSolver turned = Pressed(1);
  turned.SetSkin(Block().bottom, {});
  GelSolver held = Pressed(1);
  held.SetSkin({}, Block().bottom);
  ExpectError([&] { turned.Restore(held.Save()); }, {"0 contact points and 252 held", "252 contact points"});
}

}  // namespace
}  // namespace taxel
