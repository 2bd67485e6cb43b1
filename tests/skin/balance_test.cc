// What acts, shared over the cells:
//   - totals of a contact in the skin's frame, the skin being A or B
//   - an acting wrench: the cells carry its force exactly and its two tilting torques; a multiple of the
//   elastic
//     one scales them all alike; along the surface by load
//   - no factor is ever negative: too great a torque, a pull; a cell with nothing but a wall has no say in it
//   - a contact half off the array gets its share; one whose forces cancel (a ring round a finger) is left
//   alone
//   - sampled cells: the mean factor and the rest
//   - friction: sums to what is given, follows the field, with its bound; partly covered
#include "taxel/skin/balance.h"

#include <gtest/gtest.h>

#include "skin_scenes.h"
#include "taxel/skin/plane_cells.h"

namespace taxel {
using namespace internal;
namespace {

using test::At;
using test::Press;

const Vec3 kSize{0.08, 0.06, 0.02};
const Body& Pad() {
  static const Body pad(Box{kSize}, test::Backed(5e4));
  return pad;
}
const Body& Ball() {
  static const Body ball(Sphere{0.015}, {});
  return ball;
}
const Pose kBallPose = At({0.004, -0.006, 0.01 + 0.015 - 0.002});

CellLoads Cells(const PlaneGrid& grid, const PressedFaces& faces) {
  CellLoads cells;
  cells.Resize(grid.rows * grid.cols);
  IntegratePlaneCells(grid, faces, &cells);
  return cells;
}

Vec3 SumOfForce(const CellLoads& cells) { return test::SumOfCells(cells).force; }
Vec3 SumOfTorque(const CellLoads& cells) {
  Vec3 sum;
  for (int i : cells.active()) sum += cross(cells[i].center(), cells[i].force);
  return sum;
}

// Twelve cells of a tilted plane, each pressed at one point: force and torque are those of the points.
struct Points {
  CellLoads cells;
  ContactTotals totals;
  Vec3 normal = test::TiltedPose().R * Vec3{0, 0, -1};
  Points() {
    cells.Resize(12);
    for (int i = 0; i < 12; ++i) {
      CellLoad& c = cells.Use(i);
      c.load = c.grip = 0.1 + 0.05 * RandomUniform(77, i);
      c.force = c.held = c.load * normal;
      c.area = 1e-5;
      c.peak = 2e4;
      c.moment = c.load * (test::TiltedPose() * Vec3{0.004 * (i % 4), 0.003 * (i / 4), 0});
      totals.load += c.load;
      totals.area += c.area;
      totals.elastic += c.force;
      totals.center += c.moment;
      c.torque = cross(c.center(), c.force);
      totals.elastic_torque += c.torque;
    }
    totals.center = totals.center / totals.load;
    totals.acts = true;
    totals.force = totals.elastic;
    totals.torque = totals.elastic_torque;
  }
};

TEST(Totals, InTheFrameOfTheSkin) {
  for (bool is_A : {true, false}) {
    const Press press(Pad(), Ball(), kBallPose, test::TiltedPose(), is_A);
    const ContactSurface& s = press.surface;
    const Wrench acting{1.5 * s.wrench_on_A.force, 1.5 * s.wrench_on_A.torque};
    const Vec3 rub{0.1, -0.2, 0.3};
    SkinLoad load = press.load();
    ContactTotals t = TotalsOf(load, press.faces(), press.X_WG, true);
    EXPECT_FALSE(t.acts);
    EXPECT_EQ(norm(t.friction), 0);
    EXPECT_LT(norm(t.elastic - press.force_G()), 1e-14);
    EXPECT_LT(t.elastic.z, 0);
    EXPECT_EQ(t.load, s.normal_force);
    EXPECT_EQ(t.area, s.area);
    EXPECT_EQ(LoadFactor(t), 1);
    load.normal = &acting;
    load.friction = &rub;
    EXPECT_FALSE(TotalsOf(load, press.faces(), press.X_WG, false).acts);  // nobody asks for what acts
    t = TotalsOf(load, press.faces(), press.X_WG, true);
    EXPECT_TRUE(t.acts);
    EXPECT_LT(norm(t.force - 1.5 * press.force_G()), 1e-14);
    EXPECT_LT(norm(t.torque - 1.5 * t.elastic_torque), 1e-14);
    EXPECT_LT(norm(t.friction - (is_A ? 1 : -1) * TransposeMul(press.X_WG.R, rub)), 1e-15);
    EXPECT_NEAR(LoadFactor(t), 1.5, 1e-14);
    // A ball presses through the point below its middle: the torque about the centre of pressure vanishes
    // but for the curvature of the surface.
    EXPECT_LT(norm(t.elastic_torque - cross(t.center, t.elastic)), 1e-5 * norm(t.elastic));
  }
}

TEST(Balance, ForceAndTiltingTorquesAreThoseThatAct) {
  const Points plain;
  Vec3 e1, e2;
  MakeFrame(plain.normal, &e1, &e2);
  for (int trial = 0; trial < 50; ++trial) {
    Points p;
    // A few percent of tilt, some force along the surface, and half as much again along the normal.
    const Vec3 along = 0.1 * (test::UniformDirection(1, trial)),
               turn = 4e-4 * test::UniformDirection(2, trial);
    p.totals.force = test::Uniform(3, trial, 0.5, 1.8) * p.totals.elastic + along;
    p.totals.torque = cross(p.totals.center, p.totals.force) + turn;
    BalanceCells(p.totals, &p.cells);
    EXPECT_LT(norm(SumOfForce(p.cells) - p.totals.force), 1e-14);
    // Forces along the surface turn about the normal only.
    const Vec3 torque = SumOfTorque(p.cells) - cross(p.totals.center, p.totals.force);
    EXPECT_NEAR(dot(torque, e1), dot(turn, e1), 1e-15);
    EXPECT_NEAR(dot(torque, e2), dot(turn, e2), 1e-15);
    for (int i : p.cells.active()) {
      const double factor = p.cells[i].load / plain.cells[i].load;
      EXPECT_GT(factor, 0);
      EXPECT_NEAR(p.cells[i].peak, factor * plain.cells[i].peak, 1e-9);
      EXPECT_NEAR(p.cells[i].grip, factor * plain.cells[i].grip, 1e-15);
      EXPECT_LT(norm(p.cells[i].center() - plain.cells[i].center()), 1e-16);
    }
  }
}

TEST(Balance, ARealContactThatIsScaledAlike) {
  // Twice the elastic wrench: twice the cells, each of them. Curved faces and coarse cells: the torque within
  // a cell must not pass for a tilt.
  const PlaneGrid grid = BoxFaceGrid(kSize, "+z", 4, 6).grid;
  for (const Body& object : {Ball(), Body(test::LPrism(0.01, 0.01), {})}) {
    const Press press(Pad(), object, {RotationAbout(normalized({1, 2, 0.3}), 0.3), {0.003, -0.004, 0.012}},
                      test::TiltedPose());
    ASSERT_GT(press.surface.normal_force, 0);
    const CellLoads before = Cells(grid, press.faces());
    CellLoads cells = Cells(grid, press.faces());
    const Wrench twice{2 * press.surface.wrench_on_A.force, 2 * press.surface.wrench_on_A.torque};
    SkinLoad load = press.load();
    load.normal = &twice;
    BalanceCells(TotalsOf(load, press.faces(), press.X_WG, true), &cells);
    for (int i : cells.active())
      EXPECT_LT(norm(cells[i].force - 2 * before[i].force), 1e-12 * press.surface.normal_force);
  }
}

TEST(Balance, ACellWithOnlyAWallHasNoSay) {
  // It has load and no grip, so its centre is not known: it must not bend the factor of the others.
  for (const double turn : {1e-3, -1e-3}) {
    Points p;
    CellLoads cells;
    cells.Resize(13);
    const Vec3 away{0.3, -0.2, 0.4};  // the frame's origin is far from the contact
    for (int i = 0; i < 12; ++i) {
      cells.Use(i) = p.cells[i];
      cells[i].moment += cells[i].load * away;
      cells[i].torque += cross(away, cells[i].force);
    }
    CellLoad& wall = cells.Use(12);
    wall.load = 0.01, wall.force = {0.01, 0, 0}, wall.peak = 500;
    Vec3 e1, e2;
    MakeFrame(p.normal, &e1, &e2);
    p.totals.center += away;
    p.totals.elastic_torque += cross(away, p.totals.elastic);
    p.totals.torque = p.totals.elastic_torque + turn * e1;
    BalanceCells(p.totals, &cells);
    EXPECT_LT(norm(SumOfForce(cells) - p.totals.force), 1e-13);
    EXPECT_NEAR(dot(SumOfTorque(cells) - p.totals.elastic_torque, e1), turn, 1e-12);
    EXPECT_EQ(norm(cells[12].force), 0);
    EXPECT_NEAR(cells[12].peak, 500, 1e-9);
  }
}

TEST(Balance, FactorsAreNeverNegative) {
  const Points plain;
  for (const double size : {0.005, 0.02, 1.0, 1e3}) {
    Points p;
    p.totals.torque = p.totals.elastic_torque + size * test::UniformDirection(1, 3);
    BalanceCells(p.totals, &p.cells);
    for (int i : p.cells.active()) EXPECT_GE(p.cells[i].load, 0);
    EXPECT_LT(norm(SumOfForce(p.cells) - p.totals.force), 1e-12);
  }
  // Pulled: nothing presses.
  Points pull;
  pull.totals.force = -1.0 * pull.totals.elastic;
  pull.totals.torque = -1.0 * pull.totals.elastic_torque;
  EXPECT_EQ(LoadFactor(pull.totals), 0);
  BalanceCells(pull.totals, &pull.cells);
  for (int i : pull.cells.active()) {
    EXPECT_EQ(pull.cells[i].load, 0);
    EXPECT_GE(dot(pull.cells[i].force, pull.normal), 0);
  }
}

TEST(Balance, WithoutAnActingForceNothingChanges) {
  Points p;
  const Points plain;
  p.totals.acts = false;
  p.totals.force = 3 * p.totals.force;
  BalanceCells(p.totals, &p.cells);
  ShareRest(p.totals, &p.cells);
  for (int i = 0; i < 12; ++i) EXPECT_EQ(p.cells[i].force, plain.cells[i].force);
}

TEST(Balance, HalfOffTheArray) {
  // A block over the rim: the array has the part over it, and of what acts the same part.
  const PlaneGrid grid = BoxFaceGrid(kSize, "+z", 5, 6, 0.005, 0.005, 0.01, 0).grid;
  const Press press(Pad(), Body(Box{{0.03, 0.02, 0.02}}, {}), At({-0.002, 0.0, 0.0192}), test::TiltedPose());
  const CellLoads before = Cells(grid, press.faces());
  const Vec3 over = SumOfForce(before);
  ASSERT_LT(norm(over), 0.9 * press.surface.normal_force);
  const ContactSurface& s = press.surface;
  // 30 % more, and a push along the surface.
  const Vec3 push = press.X_WG.R * Vec3{0.1, 0.05, 0};
  const Vec3 at = s.center_of_pressure;
  const Wrench acting{1.3 * s.wrench_on_A.force + push, 1.3 * s.wrench_on_A.torque + cross(at, push)};
  SkinLoad load = press.load();
  load.normal = &acting;
  CellLoads cells = Cells(grid, press.faces());
  BalanceCells(TotalsOf(load, press.faces(), press.X_WG, true), &cells);
  const double share = test::SumOfCells(before).load / s.normal_force;
  EXPECT_LT(norm(SumOfForce(cells) - (1.3 * over + share * Vec3{0.1, 0.05, 0})), 1e-10);
}

// Two opposite faces: a plate between two fingers that are one object.
struct Pinch {
  CellLoads cells;
  ContactTotals totals;
  Pinch() {
    cells.Resize(2);
    for (int i = 0; i < 2; ++i) {
      CellLoad& c = cells.Use(i);
      c.load = c.grip = 5;
      c.force = c.held = {0, 0, i ? 5 : -5 * (1 + 1e-15)};
      c.moment = 5 * Vec3{0.001, 0.002, i ? -0.01 : 0.01};
      c.torque = cross(c.center(), c.force);
      totals.elastic += c.force;
    }
    totals.load = 10;
    totals.area = 1e-4;
    totals.center = {0.001, 0.002, 0};
    totals.acts = true;
    totals.force = totals.elastic + Vec3{0.02, 0, 0.01};
  }
};

TEST(Balance, ForcesThatCancelAreLeftAlone) {
  Pinch p;
  EXPECT_EQ(LoadFactor(p.totals), 1);
  BalanceCells(p.totals, &p.cells);
  EXPECT_NEAR(p.cells[0].load, 5, 1e-12);
  EXPECT_NEAR(p.cells[1].load, 5, 1e-12);
  EXPECT_LT(norm(SumOfForce(p.cells) - p.totals.force), 1e-12);
  // Friction along the plate reaches both.
  p.totals.friction = {0.4, 0, 0};
  Vec3 friction[2];
  double capacity[2] = {0, 0};
  const Vec3 rub = p.totals.friction;
  SkinLoad load;
  load.friction = &rub;
  AddFriction(load, p.totals, {}, p.cells, friction, capacity);
  EXPECT_NEAR(friction[0].x, 0.2, 1e-12);
  EXPECT_NEAR(friction[1].x, 0.2, 1e-12);
}

TEST(ShareRest, WhatIsAlongTheSurfaceByLoad) {
  Points p;
  const Points plain;
  const Vec3 along = cross(p.normal, Vec3{0.1, 0.3, 0.2});
  p.totals.force = 1.4 * p.totals.elastic + along;
  // As rays leave them: scaled by the factor.
  for (int i = 0; i < 12; ++i) p.cells[i].load *= 1.4, p.cells[i].force *= 1.4;
  EXPECT_NEAR(LoadFactor(p.totals), 1.4, 1e-14);
  ShareRest(p.totals, &p.cells);
  EXPECT_LT(norm(SumOfForce(p.cells) - p.totals.force), 1e-13);
  for (int i = 0; i < 12; ++i)
    EXPECT_LT(norm(p.cells[i].force - 1.4 * plain.cells[i].force -
                   (plain.cells[i].load / plain.totals.load) * along),
              1e-14);
}

struct Field : TractionField {
  Traction At(const Vec3& p_W, const Vec3& n_W) const override {
    const Vec3 t = Vec3{0.1, 0.2, 0.05} + cross(Vec3{3, -4, 5}, p_W);
    return {t - dot(t, n_W) * n_W, 0.7 + p_W.x};
  }
};

TEST(AddFriction, FollowsTheFieldAndSumsToWhatIsGiven) {
  const Field field;
  for (bool is_A : {true, false}) {
    Points p;
    const Pose X_WG = test::RandomPose(5, 1, 0.02);
    SkinLoad load;
    load.skin_is_A = is_A;
    load.traction = &field;
    // First a friction that is just the field's: nothing is left to share.
    const double sign = is_A ? 1 : -1;
    Vec3 whole;
    std::vector<Vec3> expected;
    for (int i = 0; i < 12; ++i) {
      const CellLoad& c = p.cells[i];
      expected.push_back(sign * c.load *
                         TransposeMul(X_WG.R, field.At(X_WG * c.center(), X_WG.R * p.normal).ratio_W));
      whole += expected.back();
    }
    for (const Vec3& extra : {Vec3{}, Vec3{0.03, -0.01, 0.02}}) {
      p.totals.friction = whole + extra;
      std::vector<Vec3> friction(12);
      std::vector<double> capacity(12, 0.0);
      AddFriction(load, p.totals, X_WG, p.cells, friction.data(), capacity.data());
      Vec3 sum;
      for (int i = 0; i < 12; ++i) {
        sum += friction[i];
        EXPECT_LT(norm(friction[i] - expected[i] - (p.cells[i].load / p.totals.load) * extra), 1e-14);
        EXPECT_NEAR(capacity[i], p.cells[i].load * (0.7 + (X_WG * p.cells[i].center()).x), 1e-14);
      }
      EXPECT_LT(norm(sum - p.totals.friction), 1e-14);
    }
  }
}

TEST(AddFriction, WhatIsNotCoveredTakesItsShare) {
  // Eight of the twelve cells are there; with and without a field the array gets its part of the friction.
  struct Even : TractionField {
    Traction At(const Vec3&, const Vec3&) const override { return {{0.3, 0, 0}, 0.5}; }
  } even;
  for (const TractionField* field :
       {static_cast<const TractionField*>(nullptr), static_cast<const TractionField*>(&even)}) {
    Points p;
    CellLoads eight;
    eight.Resize(12);
    double covered = 0;
    for (int i = 0; i < 8; ++i) eight.Use(i) = p.cells[i], covered += p.cells[i].load;
    p.totals.friction = {0.3 * p.totals.load, 0, 0};
    SkinLoad load;
    load.traction = field;
    std::vector<Vec3> friction(12);
    std::vector<double> capacity(12, 0.0);
    AddFriction(load, p.totals, {}, eight, friction.data(), capacity.data());
    Vec3 sum;
    for (const Vec3& f : friction) sum += f;
    EXPECT_LT(norm(sum - Vec3{0.3 * covered, 0, 0}), 1e-12);
    EXPECT_EQ(norm(friction[9]), 0);
  }
}

}  // namespace
}  // namespace taxel
