// Many pads in the host's loops against GelSolver, within 1e-4 of the depth. Cases: a ball pressed normally;
// a tilted box pressed off-axis; a ball dragged with friction, stuck and sliding, and lifted; a cylinder
// turned on the gel; a hand that carries the gel; a thick gel without volume averages; two pads with ways of
// their own are two gels; no steps put objects there; a saved state goes on as before; refusals.
#include "taxel/batch/gel_pads.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <limits>

#include "../gel/gel_scenes.h"
#include "../shape/expect_error.h"

namespace taxel {
namespace {

using test::kCell;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// A pad of 10 x 9 x 4 cells with contact, rim and held points as Python makes them.
struct Pad {
  GelOptions options;
  std::vector<Vec3> particles, top, bottom, outward, rim;
  explicit Pad(double poisson = 0.45, double height = 4) {
    const int n[3] = {20, 18, static_cast<int>(2 * height)};
    const auto at = [&](double i, double j, double k) {
      return kCell * Vec3{0.5 * i - 4.97, 0.5 * j - 4.51, 0.5 * k - 0.03};
    };
    for (int i = 0; i < n[0]; ++i)
      for (int j = 0; j < n[1]; ++j) {
        for (int k = 0; k < n[2]; ++k) particles.push_back(at(i + 0.5, j + 0.5, k + 0.5));
        top.push_back(at(i + 0.5, j + 0.5, n[2]));
        bottom.push_back(at(i + 0.5, j + 0.5, 0));
        outward.push_back({0, 0, 1});
      }
    for (int k = 0; k < n[2]; ++k) {
      for (int i = 0; i < n[0]; ++i)
        rim.push_back(at(i + 0.5, 0, k + 0.5)), rim.push_back(at(i + 0.5, n[1], k + 0.5));
      for (int j = 0; j < n[1]; ++j)
        rim.push_back(at(0, j + 0.5, k + 0.5)), rim.push_back(at(n[0], j + 0.5, k + 0.5));
    }
    options.cell = kCell;
    options.material = {1e5, poisson, 1000};
    options.average_volume = poisson > 0.4;
    options.damping = 3.14159 * options.material.shear_speed() / (height * kCell);
  }
  double top_z() const { return top[0].z; }
  GelSolver Solver() const {
    GelSolver s(options, particles, 0.125 * kCell * kCell * kCell);
    s.SetSkin(top, bottom, outward, rim);
    return s;
  }
  GelPads Pads(int pads) const {
    GelPads s(options, particles, 0.125 * kCell * kCell * kCell, pads, false);
    s.SetSkin(top, bottom, outward, rim);
    return s;
  }
};

struct Leg {
  int steps;
  Pose X_WO, X_WH;
};

struct Reading {
  std::vector<float> displacement, position, force;
  explicit Reading(const GelPads& g)
      : displacement(static_cast<std::size_t>(3 * g.pads() * g.contact_points())),
        position(3 * static_cast<std::size_t>(g.pads()) * g.size()),
        force(static_cast<std::size_t>(3 * g.pads() * g.contact_points())) {
    GelPadReading r;
    r.displacement = displacement.data(), r.position = position.data(), r.skin_force = force.data();
    g.Read(r);
  }
  static Vec3 At(const std::vector<float>& a, std::size_t k) {
    return {a[3 * k], a[3 * k + 1], a[3 * k + 2]};
  }
};

/// Walks the legs with both; deviations are measured by the `depth`.
///
/// Where points slide, or turn far, they flicker between stick and slip, and the solver itself is sensitive:
/// a start that is 1e-7 cells aside changes its own answer by more than 1e-4 of the depth. There five times
/// that is allowed.
void ExpectSame(const char* name, const Pad& pad, const MarkerDistance& object, double friction,
                const Pose& start, const std::vector<Leg>& legs, double depth) {
  GelSolver one = pad.Solver(), aside = pad.Solver();
  GelPads many = pad.Pads(1);
  one.SetObjects({{object, start, friction}});
  aside.SetObjects({{object, {start.R, start.p + Vec3{0, 1e-7 * kCell, 0}}, friction}});
  many.AddObject(object, {friction}, {start});
  double far = 0, own = 0, far_force = 0, largest = 0;
  for (const Leg& leg : legs) {
    one.Advance(leg.steps, {leg.X_WO}, leg.X_WH, true);
    aside.Advance(leg.steps, {leg.X_WO}, leg.X_WH, true);
    many.Advance(leg.steps, {leg.X_WO}, {leg.X_WH}, true);
    const Reading r(many);
    for (std::size_t k = 0; k < one.contact_points(); ++k) {
      const Vec3 wanted = Inverse(leg.X_WH) * one.skin_position(k) - pad.top[k];
      far = std::max(far, norm(Reading::At(r.displacement, k) - wanted));
      own = std::max(own, norm(one.skin_position(k) - aside.skin_position(k)));
      largest = std::max(largest, norm(wanted));
    }
    for (std::size_t k = 0; k < one.size(); ++k)
      far = std::max(far, norm(Reading::At(r.position, k) - one.position(k)));
    const GelLoad &load = one.loads()[0], &hand = one.hand_load();
    far_force = std::max(far_force, norm(many.loads()[0].force - load.force) / (norm(load.force) + 1e-9));
    EXPECT_LT(norm(many.hand_loads()[0].force - hand.force), 1e-3 * norm(hand.force) + 1e-6);
    EXPECT_LT(norm(many.loads()[0].torque - load.torque),
              1e-3 * norm(load.torque) + 1e-3 * kCell * norm(load.force) + 1e-9);
  }
  std::printf("%s: of the depth %.2g (the solver's own, 1e-7 cells aside: %.2g); force %.2g of itself\n",
              name, far / depth, own / depth, far_force);
  EXPECT_LT(far, std::max(1e-4 * depth, 5 * own));
  EXPECT_LT(far_force, 1e-3);
  EXPECT_GT(largest, 0.2 * depth);
}

Pose At(double x, double y, double z, const Mat3& R = {}) { return {R, kCell * Vec3{x, y, z}}; }

TEST(GelPads, BallPressesNormally) {
  const Pad pad;
  const double top = pad.top_z() / kCell;
  ExpectSame("ball", pad, MarkerDistance(Primitive{Sphere{5 * kCell}}), 0.5, At(0.2, -0.1, top + 5.1),
             {{400, At(0.2, -0.1, top + 4.3), {}}, {600, At(0.2, -0.1, top + 4.3), {}}}, 0.7 * kCell);
}

TEST(GelPads, TiltedBoxPressesOffTheMiddle) {
  const Pad pad;
  const double top = pad.top_z() / kCell;
  const Mat3 R = RotationAbout(normalized({1, 0.4, 0.3}), 0.2);
  ExpectSame("tilted box", pad, MarkerDistance(Primitive{Box{kCell * Vec3{5, 4, 3}}}), 0.4,
             At(1.3, 0.8, top + 3, R),
             {{500, At(1.3, 0.8, top + 1.7, R), {}}, {500, At(1.3, 0.8, top + 1.7, R), {}}}, 0.8 * kCell);
}

TEST(GelPads, BallIsDraggedWithFriction) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "minutes under a sanitizer; the shorter presses go the same ways";
#endif
  const Pad pad;
  const double top = pad.top_z() / kCell;
  for (const double friction : {0.3, kInfinity})
    ExpectSame("drag", pad, MarkerDistance(Primitive{Sphere{6 * kCell}}), friction, At(-1.5, 0.3, top + 6.1),
               {{400, At(-1.5, 0.3, top + 5.2), {}},
                {300, At(-1.4, 0.3, top + 5.2), {}},
                {600, At(-0.6, 0.6, top + 5.2), {}},
                {300, At(-0.6, 0.6, top + 5.2), {}},
                {300, At(-0.6, 0.6, top + 6.5), {}}},
               0.8 * kCell);
}

TEST(GelPads, CylinderTurnsOnTheGel) {
  const Pad pad(0.3);
  const double top = pad.top_z() / kCell;
  ExpectSame(
      "twist", pad, MarkerDistance(Primitive{Cylinder{2.5 * kCell, 2 * kCell}}), 0.6,
      At(0.4, 0.2, top + 1.05),
      {{300, At(0.4, 0.2, top + 0.6), {}}, {900, At(0.4, 0.2, top + 0.6, RotationAbout({0, 0, 1}, 0.2)), {}}},
      0.4 * kCell);
}

TEST(GelPads, HandCarriesTheGelAgainstAnObject) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "minutes under a sanitizer; the shorter presses go the same ways";
#endif
  const Pad pad(0.3);
  const double top = pad.top_z() / kCell;
  const Pose hand{RotationAbout(normalized({1, 2, 0.5}), 0.1), kCell * Vec3{3, -2, 1.2}};
  ExpectSame("hand", pad, MarkerDistance(Primitive{Sphere{6 * kCell}}), 0.5, At(1.0, 0.3, top + 6.6),
             {{1500, At(4.0, -1.5, top + 6.8), hand}, {300, At(4.0, -1.5, top + 6.8), hand}}, 0.8 * kCell);
}

TEST(GelPads, FlatPressMeetsTheRim) {
  const Pad pad(0.45, 3);
  const double top = pad.top_z() / kCell;
  ExpectSame("plate", pad, MarkerDistance(Primitive{Box{kCell * Vec3{12, 12, 1}}}), 1.0, At(0, 0, top + 1.05),
             {{900, At(0, 0, top + 0.3), {}}}, 0.7 * kCell);
}

TEST(GelPads, PadsWithWaysOfTheirOwnAreSoManyGels) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "minutes under a sanitizer; the shorter presses go the same ways";
#endif
  const Pad pad(0.3);
  const double top = pad.top_z() / kCell;
  const MarkerDistance ball(Primitive{Sphere{5 * kCell}});
  const std::vector<Pose> start{At(-1, 0, top + 5.05), At(1, 1, top + 5.02), At(0, 0, top + 9)},
      down{At(-1, 0.4, top + 4.4), At(1.3, 1, top + 4.6), At(0, 0, top + 8)};
  const std::vector<double> friction{0.2, kInfinity, 0.5};
  GelPads many = pad.Pads(3);
  many.AddObject(ball, friction, start);
  many.Advance(500, down, std::vector<Pose>(3), false);
  const Reading r(many);
  for (std::size_t k = 0; k < 3; ++k) {
    GelPads one = pad.Pads(1);
    one.AddObject(ball, {friction[k]}, {start[k]});
    one.Advance(500, {down[k]}, {Pose{}}, false);
    const Reading single(one);
    for (std::size_t i = 0; i < single.displacement.size(); ++i)
      ASSERT_EQ(single.displacement[i], r.displacement[k * single.displacement.size() + i]);
    EXPECT_EQ(one.loads()[0].force, many.loads()[k].force);
    EXPECT_EQ(one.mach()[0], many.mach()[k]);
  }
  EXPECT_EQ(many.loads()[2].force, Vec3{});
  EXPECT_GT(many.loads()[0].force.z, 1e-3);
}

TEST(GelPads, StateGoesOnAsBefore) {
  const Pad pad(0.3);
  const double top = pad.top_z() / kCell;
  GelPads g = pad.Pads(2);
  g.AddObject(MarkerDistance(Primitive{Sphere{5 * kCell}}), {0.5, 0.5},
              {At(0, 0, top + 5), At(0, 0, top + 5)});
  const std::vector<Pose> down{At(0, 0, top + 4.5), At(0.1, 0, top + 4.7)},
      aside{At(0.4, 0, top + 4.5), At(0.1, 0.3, top + 4.7)}, hands(2);
  g.Advance(300, down, hands, true);
  const GelPadsState state = g.Save();
  g.Advance(300, aside, hands, true);
  const std::vector<float> once = Reading(g).displacement;
  const Vec3 force = g.loads()[1].force;
  g.Restore(state);
  EXPECT_EQ(g.poses()[1], down[1]);
  g.Advance(300, aside, hands, true);
  EXPECT_EQ(Reading(g).displacement, once);
  EXPECT_EQ(g.loads()[1].force, force);
}

TEST(GelPads, BlowUpNamesThePad) {
  const Pad pad(0.3);
  const double top = pad.top_z() / kCell;
  GelPads g = pad.Pads(2);
  g.AddObject(MarkerDistance(Primitive{Sphere{5 * kCell}}), {0.5, 0.5},
              {At(0, 0, top + 5), At(0, 0, top + 5)});
  const GelPadsState state = g.Save();
  const std::vector<Pose> thrown{At(0, 0, top + 5), At(0, 0, top + 1)}, hands(2);
  ExpectError([&] { g.Advance(3, thrown, hands, false); }, {"blow-up in pad 1"});
  ExpectError([&] { g.Advance(1, thrown, hands, false); }, {"restore a state"});
  g.Restore(state);
  g.Advance(3, g.poses(), hands, false);
}

TEST(GelPads, Refusals) {
  const Pad pad(0.3);
  GelOptions space = pad.options;
  space.frame = GelFrame::kSpace;
  ExpectError([&] { GelPads(space, pad.particles, 1e-10, 1, false); }, {"grid 'rest'"});
  ExpectError([&] { GelPads(pad.options, pad.particles, 1e-10, 0, false); }, {"pads is 0"});
  ExpectError([&] { GelPads(pad.options, {}, 1e-10, 1, false); }, {"no particles"});
  GelPads g = pad.Pads(2);
  const MarkerDistance ball(Primitive{Sphere{5 * kCell}});
  ExpectError([&] { g.AddObject(ball, {0.5}, {Pose{}, Pose{}}); }, {"2 pads"});
  ExpectError([&] { g.AddObject(ball, {0.5, -1}, {Pose{}, Pose{}}); }, {"pad 1", ">= 0"});
  ExpectError([&] { g.Advance(1, {Pose{}}, {Pose{}, Pose{}}, false); }, {"2 pads with 0 objects"});
  ExpectError([&] { g.Advance(-1, {}, {Pose{}, Pose{}}, false); }, {"at least 0"});
}

}  // namespace
}  // namespace taxel
