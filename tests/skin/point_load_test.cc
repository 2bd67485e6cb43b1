// Loads that are points (bristles), as a skin reads them:
//   - pressure, force and peak of the taxel that feels a point; several points in one taxel add up
//   - shear along the taxel's own axes; the forces turned back add up to what acts; skin as A and as B
//   - source: what acts (friction on a slanting point presses too) or the elastic part
//   - slip: friction over what holds; where nothing presses there is none
//   - saturated is told without load, and only when asked for
//   - points that belong to no taxel count for area, load and centre, as contact beyond a skin does
//   - together with a surface; two loads; a reading that was used before
#include <gtest/gtest.h>

#include <cmath>

#include "skin_scenes.h"

namespace taxel {
namespace {

using test::Describe;
using test::Read;
using test::Sum;
using test::SumOfForces;
using test::Uniform;

const Body& PadBody() {
  static const Body box(Box{{0.04, 0.03, 0.02}}, {});
  return box;
}
Skin Pad(Description::Entries more = {}) {
  more.emplace_back("shape", "3 4");
  return MakeSkin(Describe(std::move(more)), PadBody());
}

// Points in the pad's frame, seen in a world where it is turned; forces on the pad.
struct Presses {
  Pose X_WG = test::TiltedPose();
  bool skin_is_A = true;
  std::vector<PointLoad> points;

  void Add(int taxel, const Vec3& p, const Vec3& normal, const Vec3& friction, double area = 2e-6,
           double capacity = 1, bool saturated = false) {
    const double sign = skin_is_A ? 1 : -1;
    PointLoad load{};
    load.taxel = taxel;
    load.p_W = X_WG * p;
    load.normal_W = sign * (X_WG.R * normal);
    load.elastic_W = 0.75 * load.normal_W;
    load.friction_W = sign * (X_WG.R * friction);
    load.load = norm(normal);
    load.capacity = capacity;
    load.area = area;
    load.saturated = saturated;
    points.push_back(load);
  }
  SkinLoad load() const {
    SkinLoad l;
    l.points = points.data(), l.num_points = static_cast<int>(points.size());
    l.skin_is_A = skin_is_A;
    return l;
  }
};

TEST(PointLoad, PressureForceAndPeakOfATaxel) {
  for (const bool is_A : {true, false}) {
    Presses p;
    p.skin_is_A = is_A;
    p.Add(5, {0.001, 0, 0.01}, {0, 0, -0.4}, {});
    p.Add(5, {0.002, 0, 0.01}, {0, 0, -0.2}, {}, 1e-6);
    p.Add(11, {0.015, 0.01, 0.01}, {0, 0, -0.1}, {});
    const double area = 0.01 * 0.01;
    SkinReading r = Read(Pad(), {p.load()}, p.X_WG);
    EXPECT_NEAR(r.values[5], 0.6 / area, 1e-9);
    EXPECT_NEAR(r.values[11], 0.1 / area, 1e-9);
    EXPECT_NEAR(Sum(r.values), 0.7 / area, 1e-9);
    EXPECT_NEAR(r.area, 5e-6, 1e-18);
    EXPECT_NEAR(r.normal_load, 0.7, 1e-15);
    EXPECT_LT(norm(r.center_G - Vec3{(0.0004 + 0.0004 + 0.0015) / 0.7, 0.001 / 0.7, 0.01}), 1e-15);
    EXPECT_LT(norm(r.force_G - Vec3{0, 0, -0.7}), 1e-15);
    r = Read(Pad({{"aggregate", "force"}}), {p.load()}, p.X_WG);
    EXPECT_NEAR(r.values[5], 0.6, 1e-14);
    EXPECT_NEAR(r.values[11], 0.1, 1e-14);
    r = Read(Pad({{"aggregate", "max"}}), {p.load()}, p.X_WG);
    EXPECT_NEAR(r.values[5], 2e5, 1e-6);  // 0.4 N on 2 mm2, 0.2 N on 1 mm2: alike
    EXPECT_NEAR(r.values[11], 5e4, 1e-6);
  }
}

TEST(PointLoad, ForcesAddUpToWhatActs) {
  for (const bool is_A : {true, false}) {
    const Skin skin = Pad();
    Presses p;
    p.skin_is_A = is_A;
    Vec3 all;
    for (int i = 0; i < 40; ++i) {
      const Vec3 normal{Uniform(1, i, -0.1, 0.1), Uniform(2, i, -0.1, 0.1), -Uniform(3, i, 0.1, 0.5)};
      const Vec3 friction{Uniform(4, i, -0.1, 0.1), Uniform(5, i, -0.1, 0.1), Uniform(6, i, -0.05, 0.05)};
      p.Add(i % 12, skin.layout().points[i % 12], normal, friction);
      all += normal + friction;
    }
    const SkinReading r = Read(skin, {p.load()}, p.X_WG);
    EXPECT_LT(norm(SumOfForces(skin.layout(), r) - all), 1e-13);
    EXPECT_LT(norm(r.force_G - all), 1e-13);
    // Pressure is the part along the taxel's normal, of friction too.
    double pressing = 0;
    for (int t = 0; t < 12; ++t) {
      pressing += r.values[t] * 1e-4;
      EXPECT_NEAR(r.values[t] * 1e-4, r.forces[t].z, 1e-14);
    }
    EXPECT_NEAR(pressing, -all.z, 1e-13);
  }
}

TEST(PointLoad, TheElasticPartWhereAskedFor) {
  Presses p;
  p.Add(2, {0.005, -0.01, 0.01}, {0.01, 0, -0.4}, {0.1, 0, 0.05});
  const SkinReading acts = Read(Pad({{"aggregate", "force"}}), {p.load()}, p.X_WG);
  EXPECT_NEAR(acts.values[2], 0.35, 1e-14);
  const SkinReading elastic = Read(Pad({{"aggregate", "force"}, {"source", "elastic"}}), {p.load()}, p.X_WG);
  EXPECT_NEAR(elastic.values[2], 0.3, 1e-14);
}

TEST(PointLoad, Slip) {
  Presses p;
  p.Add(0, {-0.015, -0.01, 0.01}, {0, 0, -1}, {0.3, 0, 0}, 2e-6, 0.6);
  p.Add(1, {-0.005, -0.01, 0.01}, {0, 0, -1}, {0, 0.59, 0}, 2e-6, 0.6);
  p.Add(2, {0.005, -0.01, 0.01}, {0, 0, -1}, {0.6, 0, 0}, 2e-6, 0.6);
  p.Add(2, {0.006, -0.01, 0.01}, {0, 0, -1}, {-0.3, 0, 0}, 2e-6, 0.6);  // opposed: both are in use
  p.Add(3, {0.015, -0.01, 0.01}, {0, 0, -1}, {0.9, 0, 0}, 2e-6, 0.6);   // beyond: no more than all
  p.Add(4, {-0.015, 0, 0.01}, {0, 0, -1}, {}, 2e-6, 0);                 // nothing holds, nothing slides
  const SkinReading r = Read(Pad(), {p.load()}, p.X_WG);
  EXPECT_NEAR(r.slip[0], 0.5, 1e-15);
  EXPECT_NEAR(r.slip[1], 0.59 / 0.6, 1e-15);
  EXPECT_NEAR(r.slip[2], 0.75, 1e-15);
  EXPECT_EQ(r.slip[3], 1);
  EXPECT_EQ(r.slip[4], 0);
  EXPECT_EQ(r.slip[5], 0);
  EXPECT_NEAR(r.sliding_share, 1.2 / 3.0, 1e-15);  // taxels 1 and 3 of what holds
}

TEST(PointLoad, SaturatedIsToldWithoutLoad) {
  Presses p;
  p.Add(7, {0.015, 0, 0.01}, {}, {}, 2e-6, 0, true);
  p.Add(8, {-0.015, 0.01, 0.01}, {0, 0, -0.3}, {}, 2e-6, 0, true);
  p.Add(-1, {0.5, 0, 0}, {0, 0, -0.3}, {}, 2e-6, 0, true);
  p.Add(9, {-0.005, 0.01, 0.01}, {0, 0, -0.3}, {});
  SkinReading r = Read(Pad(), {p.load()}, p.X_WG, {false, false, true});
  ASSERT_EQ(r.saturated.size(), 12u);
  for (int i = 0; i < 12; ++i) EXPECT_EQ(r.saturated[i], i == 7 || i == 8) << i;
  EXPECT_EQ(r.values[7], 0);
  r = Read(Pad(), {p.load()}, p.X_WG, {true, true, false});
  EXPECT_TRUE(r.saturated.empty());
  // A surface saturates nothing; nor does nothing.
  SkinLoad empty;
  empty.points = p.points.data();
  r = Read(Pad(), {empty}, p.X_WG, {false, false, true});
  EXPECT_EQ(Sum(r.saturated), 0);
}

TEST(PointLoad, PointsOfNobodyCountForTheContact) {
  Presses p;
  p.Add(-1, {0.019, 0.014, 0.01}, {0, 0, -0.3}, {0.1, 0, 0});
  p.Add(3, {0.015, -0.01, 0.01}, {0, 0, -0.1}, {});
  const SkinReading r = Read(Pad(), {p.load()}, p.X_WG);
  EXPECT_NEAR(r.normal_load, 0.4, 1e-15);
  EXPECT_NEAR(r.area, 4e-6, 1e-18);
  EXPECT_LT(norm(r.center_G - 0.25 * Vec3{3 * 0.019 + 0.015, 3 * 0.014 - 0.01, 0.04}), 1e-15);
  EXPECT_LT(norm(r.force_G - Vec3{0, 0, -0.1}), 1e-15);
  EXPECT_NEAR(Sum(r.values), 0.1 / 1e-4, 1e-9);
}

TEST(PointLoad, TogetherWithASurfaceAndInAUsedReading) {
  const Body soft(Box{{0.04, 0.03, 0.02}}, test::Backed(1e5));
  const Skin skin = MakeSkin(Describe({{"shape", "3 4"}}), soft);
  Presses p;
  p.Add(4, {-0.015, 0, 0.01}, {0, 0, -0.5}, {0.1, 0.05, 0});
  const test::Press press(soft, Body(Sphere{0.01}, {}), test::At({0.01, 0.004, 0.0195}), p.X_WG);
  ASSERT_FALSE(press.surface.empty());
  const SkinReading a = Read(skin, {p.load()}, p.X_WG), b = Read(skin, press),
                    both = Read(skin, {p.load(), press.load()}, p.X_WG);
  for (int i = 0; i < 12; ++i) {
    EXPECT_NEAR(both.values[i], a.values[i] + b.values[i], 1e-9);
    EXPECT_LT(norm(both.forces[i] - a.forces[i] - b.forces[i]), 1e-14);
  }
  EXPECT_LT(norm(both.force_G - a.force_G - b.force_G), 1e-14);
  EXPECT_NEAR(both.normal_load, a.normal_load + b.normal_load, 1e-14);
  // The same reading and workspace again, for other loads.
  SkinWorkspace w;
  SkinReading used;
  const SkinLoad one = p.load(), other = press.load();
  skin.Read(&other, 1, p.X_WG, {true, true, true}, &w, &used);
  skin.Read(&one, 1, p.X_WG, {true, true}, &w, &used);
  EXPECT_EQ(used.values, a.values);
  EXPECT_EQ(used.slip, a.slip);
  EXPECT_EQ(used.center_G, a.center_G);
}

}  // namespace
}  // namespace taxel
