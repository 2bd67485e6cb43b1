// Readings of a skin by exact integration:
//   - the forces of the taxels, turned back and added up, are the contact force: flat, cylinder, capsule,
//   sphere,
//     ellipsoid and mesh, tilted in the world, the skin being A or B
//   - mirrored and turned presses give mirrored and turned images, a quarter turn of a grid that is not
//   square too
//   - aggregates, area, centre and load; several contacts at once add up; source elastic leaves physics aside
//   - friction: shared by load without a field, by the field with one; slip and its share
//   - what lies beyond a layout is missed, and told; poses that are none are refused
//   - nothing touches; memory of other skins leaves no trace; a plane grid with a limit
#include "taxel/skin/skin.h"

#include <gtest/gtest.h>

#include <limits>

#include "../shape/expect_error.h"
#include "skin_scenes.h"

namespace taxel {
using namespace internal;
namespace {

using test::At;
using test::Backed;
using test::Describe;
using test::kPi;
using test::Press;
using test::Read;
using test::Soft;
using test::SumOfForces;

const Vec3 kSize{0.08, 0.06, 0.02};
Body Pad() { return Body(Box{kSize}, Backed(5e4)); }
Body Ball(double radius = 0.015) { return Body(Sphere{radius}, {}); }
Pose BallPose(double x = 0.004, double y = -0.006) { return At({x, y, 0.01 + 0.015 - 0.002}); }

TEST(Skin, TheTaxelsCarryTheContactForce) {
  BodyOptions ell_options = Soft(5e4);
  ell_options.resolution = 0.006;
  const struct {
    const char* name;
    Body body;
    Description::Entries entries;
    Vec3 out;        // a point of the surface
    double reached;  // of its normal
  } skins[] = {
      {"flat", Pad(), {{"shape", "5 8"}}, {0.011, 0.007, 0.01}, 0},
      {"cylinder", Body(Cylinder{0.015, 0.06}, Soft(5e4)), {{"shape", "7 12"}}, {0.009, -0.012, 0.004}, 0},
      {"capsule",
       Body(Capsule{0.015, 0.04}, Soft(5e4)),
       {{"shape", "9 12"}, {"along", "-0.04356 0.04356"}},
       {0, 0.012, 0.029},
       0},
      {"sphere",
       Body(Sphere{0.02}, Soft(5e4)),
       {{"shape", "6 9"}, {"along", "-90 90"}},
       {0.012, 0, 0.016},
       0},
      {"ellipsoid",
       Body(Ellipsoid{{0.02, 0.015, 0.025}}, Soft(5e4)),
       {{"shape", "7 10"}, {"along", "-90 90"}},
       {0.0, 0.009, 0.02},
       0},
      {"mesh",
       Body(test::LPrism(0.02, 0.02), ell_options),
       {{"layout", "poisson"}, {"count", "120"}},
       {0.015, 0.01, 0.02},
       0},
      {"vertices",
       Body(test::Icosphere(3, 0.02), ell_options),
       {{"layout", "vertices"}},
       {0.012, 0.016, 0},
       0}};
  for (const auto& s : skins) {
    const Skin skin = MakeSkin(Describe(s.entries), s.body);
    const Vec3 outward = normalized(std::string(s.name) == "cylinder" ? Vec3{s.out.x, s.out.y, 0} : s.out);
    for (int i = 0; i < 6; ++i) {
      const Vec3 at = s.out + 0.003 * outward + 0.002 * test::UniformDirection(3, i);
      const Press press(s.body, i % 3 ? Ball(0.006) : Body(Box{{0.008, 0.006, 0.01}}, {}),
                        {test::RandomRotation(4, i), at}, test::RandomPose(5, i, 0.5), i % 2 == 0);
      ASSERT_GT(press.surface.normal_force, 0) << s.name << i;
      const SkinReading r = Read(skin, press);
      const double size = press.surface.normal_force;
      EXPECT_LT(norm(r.force_G - press.force_G()), 1e-12 * size) << s.name << i;
      EXPECT_LT(norm(SumOfForces(skin.layout(), r) - press.force_G()), 1e-12 * size) << s.name << i;
      EXPECT_NEAR(r.area, press.surface.area, 1e-15);
      EXPECT_NEAR(r.normal_load, size, 1e-15);
      EXPECT_LT(norm(press.X_WG * r.center_G - press.surface.center_of_pressure), 1e-15);
      for (int k = 0; k < skin.count(); ++k)
        EXPECT_NEAR(r.values[k] * skin.layout().areas[k], r.forces[k].z, 1e-13 * size);
    }
  }
}

TEST(Skin, SwappingTheBodiesChangesNothing) {
  for (const Description& d :
       {Describe({{"shape", "5 8"}}), Describe({{"shape", "5 8"}, {"readout", "rays"}})}) {
    const Skin skin = MakeSkin(d, Pad());
    const Press a(Pad(), Ball(), BallPose(), test::TiltedPose(), true),
        b(Pad(), Ball(), BallPose(), test::TiltedPose(), false);
    // What acts is given on A: once the skin, once the ball.
    const Wrench on_skin{1.2 * a.surface.wrench_on_A.force, 1.2 * a.surface.wrench_on_A.torque};
    const Wrench on_ball{-on_skin.force, -on_skin.torque};
    const Vec3 rub{0.01, 0.02, -0.01}, other = -rub;
    SkinLoad la = a.load(), lb = b.load();
    la.normal = &on_skin, lb.normal = &on_ball;
    la.friction = &rub, lb.friction = &other;
    const SkinReading ra = Read(skin, {la}, a.X_WG), rb = Read(skin, {lb}, b.X_WG);
    for (int i = 0; i < skin.count(); ++i) {
      EXPECT_NEAR(ra.values[i], rb.values[i], 1e-9);
      EXPECT_LT(norm(ra.forces[i] - rb.forces[i]), 1e-13);
    }
    EXPECT_LT(norm(ra.center_G - rb.center_G), 1e-15);
  }
}

// A lopsided thing of triangles: no symmetry of its own.
TriangleMesh Lopsided() { return test::Transformed(test::TiltedPose(), test::LPrism(0.006, 0.005)); }
TriangleMesh MirroredX(TriangleMesh m) {
  for (Vec3& v : m.vertices) v.x = -v.x;
  for (auto& t : m.triangles) std::swap(t[1], t[2]);
  return m;
}
double Lowest(const TriangleMesh& m) {
  double z = 1;
  for (const Vec3& v : m.vertices) z = std::min(z, v.z);
  return z;
}

TEST(Skin, MirroredAndTurnedImages) {
  const Body pad = Pad(), turned_pad(Box{{kSize.y, kSize.x, kSize.z}}, Backed(5e4));
  const TriangleMesh shape = Lopsided();
  const Vec3 p{0.004, -0.011, 0.01 - Lowest(shape) - 0.003};
  const Mat3 half = RotationAbout({0, 0, 1}, kPi), quarter = RotationAbout({0, 0, 1}, kPi / 2);
  for (const char* readout : {"exact", "rays"}) {
    const Skin skin = MakeSkin(Describe({{"shape", "9 12"}, {"readout", readout}}), pad),
               turned = MakeSkin(Describe({{"shape", "12 9"}, {"readout", readout}}), turned_pad);
    const SkinReading r = Read(skin, Press(pad, Body(shape, {}), At(p)));
    const SkinReading mirrored = Read(skin, Press(pad, Body(MirroredX(shape), {}), At({-p.x, p.y, p.z})));
    const SkinReading round = Read(skin, Press(pad, Body(shape, {}), {half, half * p}));
    const SkinReading side = Read(turned, Press(turned_pad, Body(shape, {}), {quarter, quarter * p}));
    double highest = 0;
    for (double v : r.values) highest = std::max(highest, v);
    ASSERT_GT(highest, 1e3);
    for (int row = 0; row < 9; ++row)
      for (int col = 0; col < 12; ++col) {
        const int i = row * 12 + col, m = row * 12 + 11 - col, h = (8 - row) * 12 + 11 - col,
                  q = col * 9 + 8 - row;
        EXPECT_NEAR(r.values[i], mirrored.values[m], 1e-9 * highest) << readout;
        EXPECT_NEAR(r.values[i], round.values[h], 1e-9 * highest) << readout;
        EXPECT_NEAR(r.values[i], side.values[q], 1e-9 * highest) << readout;
        // Shear turns with it: x is mirrored, the half turn has axes of its own, as has the quarter turn.
        const Vec3 &f = r.forces[i], &fm = mirrored.forces[m], &fh = round.forces[h], &fq = side.forces[q];
        EXPECT_LT(norm(f - Vec3{-fm.x, fm.y, fm.z}), 1e-12);
        EXPECT_LT(norm(f - Vec3{-fh.x, -fh.y, fh.z}), 1e-12);
        EXPECT_LT(norm(f - Vec3{fq.y, -fq.x, fq.z}), 1e-12);
      }
  }
}

TEST(Skin, TurnedRoundACylinder) {
  // By one column of twelve: the image moves by one column, across the seam too. The ball is the same soft
  // sphere turned with it, so that its facets are.
  const Cylinder shape{0.015, 0.06};
  const Body body(shape, Soft(5e4));
  const Skin skin = MakeSkin(Describe({{"shape", "5 12"}}), body);
  const Body mesh(Lopsided(), {});
  const Mat3 tilt = RotationAbout({0, 1, 0}, -1.2);
  double nearest = 1;
  for (const Vec3& v : Lopsided().vertices) nearest = std::min(nearest, (tilt * v).x);
  const Pose X_GO{tilt, {0.015 - nearest - 0.004, 0.002, 0.001}};
  const SkinReading first = Read(skin, Press(body, mesh, X_GO));
  ASSERT_GT(first.normal_load, 0.01);
  for (int k = 1; k < 12; ++k) {
    const Mat3 R = RotationAbout({0, 0, 1}, k * kPi / 6);
    const SkinReading r = Read(skin, Press(body, mesh, {R * X_GO.R, R * X_GO.p}));
    // The field of a cylinder is cut into facets that do not turn with the object: 1e-3 of the force.
    EXPECT_NEAR(r.normal_load, first.normal_load, 2e-3 * first.normal_load);
    for (int i = 0; i < skin.count(); ++i)
      EXPECT_NEAR(r.values[i / 12 * 12 + (i % 12 + k) % 12], first.values[i], 5e-3 * 5e4);
  }
}

TEST(Skin, Aggregates) {
  const Press press(Pad(), Ball(), BallPose(), test::TiltedPose());
  const auto read = [&](const char* aggregate) {
    return Read(MakeSkin(Describe({{"shape", "5 8"}, {"aggregate", aggregate}}), Pad()), press);
  };
  const SkinReading mean = read("mean"), force = read("force"), max = read("max");
  const Layout layout = BoxFaceGrid(kSize, "+z", 5, 8);
  double highest = 0;
  for (int i = 0; i < 40; ++i) {
    EXPECT_NEAR(force.values[i], mean.values[i] * layout.areas[i], 1e-15);
    EXPECT_GE(max.values[i], mean.values[i] * (1 - 1e-12));
    highest = std::max(highest, max.values[i]);
  }
  EXPECT_NEAR(highest, press.surface.max_pressure, 1e-12 * highest);
  EXPECT_NEAR(test::Sum(force.values), -press.force_G().z, 1e-13);
}

TEST(Skin, WhatLiesBeyondTheLayoutIsMissed) {
  const Press press(Pad(), Ball(), BallPose(0.004, -0.006), test::TiltedPose());
  const Skin whole = MakeSkin(Describe({{"shape", "5 8"}}), Pad());
  // Two arrays that meet at x = 0.004 share the press between them; one that is elsewhere misses it.
  const Skin left = MakeSkin(Describe({{"shape", "6 4"}, {"pitch", "0.01"}, {"center", "-0.016 0"}}), Pad()),
             right = MakeSkin(Describe({{"shape", "6 3"}, {"pitch", "0.01"}, {"center", "0.019 0"}}), Pad()),
             away =
                 MakeSkin(Describe({{"shape", "2 2"}, {"pitch", "0.002"}, {"center", "0.03 0.02"}}), Pad());
  EXPECT_EQ(Read(whole, press).missed, 0);
  const SkinReading l = Read(left, press), r = Read(right, press);
  EXPECT_NEAR(l.missed, 0.5 * press.surface.normal_force, 1e-3 * press.surface.normal_force);
  EXPECT_NEAR(l.missed + r.missed, press.surface.normal_force, 1e-9 * press.surface.normal_force);
  EXPECT_NEAR(Read(away, press).missed, press.surface.normal_force, 1e-12);
  // By points, and by an engine that pushes without a surface.
  PointLoad point{};
  point.taxel = -1;
  point.load = 0.3;
  SkinLoad points;
  points.points = &point, points.num_points = 1;
  const ContactSurface none;
  const Wrench push{{0, 0, -0.7}, {}};
  const Vec3 at{0.1, 0.2, 0.3};
  SkinLoad pushed;
  pushed.surface = &none, pushed.normal = &push, pushed.at = &at;
  const SkinReading both = Read(whole, {points, pushed}, {});
  EXPECT_NEAR(both.missed, 1.0, 1e-15);
  EXPECT_NEAR(both.normal_load, 1.0, 1e-15);
  EXPECT_LT(norm(both.center_G - 0.7 * at), 1e-15);
  EXPECT_EQ(test::Sum(both.values), 0);
}

TEST(Skin, RefusesPosesThatAreNone) {
  const Skin skin = MakeSkin(Describe({{"shape", "5 8"}}), Pad());
  const Press press(Pad(), Ball(), BallPose(), test::TiltedPose());
  SkinWorkspace workspace;
  SkinReading reading;
  const SkinLoad load = press.load();
  skin.Read(&load, 1, press.X_WG, {}, &workspace, &reading);
  const std::vector<double> before = reading.values;
  Pose scaled = press.X_WG, lost = press.X_WG;
  for (double& m : scaled.R.m) m *= 2;
  lost.p.x = std::numeric_limits<double>::quiet_NaN();
  ExpectError([&] { skin.Read(&load, 1, scaled, {}, &workspace, &reading); }, {"X_WG", "not a rotation"});
  ExpectError([&] { skin.Read(&load, 1, lost, {}, &workspace, &reading); }, {"X_WG", "not finite"});
  EXPECT_EQ(reading.values, before);
}

TEST(Skin, SeveralContactsAddUp) {
  const Skin skin = MakeSkin(Describe({{"shape", "5 8"}}), Pad());
  const Press a(Pad(), Ball(), BallPose(-0.015, 0.01), test::TiltedPose(), true),
      b(Pad(), Ball(0.015), BallPose(0.012, -0.008), test::TiltedPose(), false),
      c(Pad(), Body(Box{{0.01, 0.02, 0.01}}, {}), At({0.0, 0.003, 0.0142}), test::TiltedPose(), true);
  const SkinReading ra = Read(skin, a), rb = Read(skin, b), rc = Read(skin, c);
  const SkinReading all = Read(skin, {a.load(), b.load(), c.load()}, a.X_WG);
  for (int i = 0; i < skin.count(); ++i) {
    EXPECT_NEAR(all.values[i], ra.values[i] + rb.values[i] + rc.values[i], 1e-9);
    EXPECT_LT(norm(all.forces[i] - ra.forces[i] - rb.forces[i] - rc.forces[i]), 1e-14);
  }
  EXPECT_NEAR(all.area, ra.area + rb.area + rc.area, 1e-16);
  EXPECT_NEAR(all.normal_load, ra.normal_load + rb.normal_load + rc.normal_load, 1e-13);
  const Vec3 center =
      (ra.normal_load * ra.center_G + rb.normal_load * rb.center_G + rc.normal_load * rc.center_G) /
      all.normal_load;
  EXPECT_LT(norm(all.center_G - center), 1e-15);
  EXPECT_LT(norm(all.force_G - a.force_G() - b.force_G() - c.force_G()), 1e-12);
  // The greatest of them, where they meet.
  const Skin greatest = MakeSkin(Describe({{"shape", "5 8"}, {"aggregate", "max"}}), Pad());
  const SkinReading both = Read(greatest, {a.load(), c.load()}, a.X_WG);
  for (int i = 0; i < skin.count(); ++i)
    EXPECT_EQ(both.values[i], std::max(Read(greatest, a).values[i], Read(greatest, c).values[i]));
}

TEST(Skin, WhatActsIsReadUnlessElasticIsAsked) {
  const Press press(Pad(), Ball(), BallPose(), test::TiltedPose(), false);
  const ContactSurface& s = press.surface;
  const Wrench acting{1.37 * s.wrench_on_A.force, 1.37 * s.wrench_on_A.torque};
  SkinLoad load = press.load();
  load.normal = &acting;
  const auto read = [&](const char* source, const char* readout) {
    const Skin skin = MakeSkin(Describe({{"shape", "5 8"}, {"source", source}, {"readout", readout}}), Pad());
    return std::pair{Read(skin, {load}, press.X_WG), Read(skin, press)};
  };
  for (const char* readout : {"exact", "rays"}) {
    const auto [contact, plain] = read("contact", readout);
    const auto [elastic, same] = read("elastic", readout);
    for (int i = 0; i < 40; ++i) {
      EXPECT_NEAR(contact.values[i], 1.37 * plain.values[i], 1e-9);
      EXPECT_EQ(elastic.values[i], plain.values[i]);
      EXPECT_EQ(same.values[i], plain.values[i]);
    }
    EXPECT_NEAR(contact.normal_load, 1.37 * s.normal_force, 1e-12);
    EXPECT_NEAR(elastic.normal_load, s.normal_force, 1e-12);
  }
}

// Friction of a block that is dragged along x of the world; slides where x < edge.
struct Drag : TractionField {
  double edge = 0;
  Traction At(const Vec3& p_W, const Vec3&) const override {
    return {{p_W.x < edge ? -0.5 : -0.2, 0, 0}, 0.5};
  }
};

TEST(Skin, FrictionBySharesAndByField) {
  const Body pad = Pad();
  const Skin skin = MakeSkin(Describe({{"shape", "6 8"}}), pad);
  const Press press(pad, Body(Box{{0.038, 0.027, 0.02}}, {}), At({0, 0, 0.0192}), {}, false);
  const double load = press.surface.wrench_on_A.force.z;
  const Vec3 rub{-0.35 * load, 0, 0};  // on the block, A
  SkinLoad by_load = press.load();
  by_load.normal = &press.surface.wrench_on_A;
  by_load.friction = &rub;
  const SkinReading r = Read(skin, {by_load}, press.X_WG);
  EXPECT_LT(norm(r.force_G - (press.force_G() - rub)), 1e-12);
  EXPECT_LT(norm(SumOfForces(skin.layout(), r) - r.force_G), 1e-13);
  for (double s : r.slip) EXPECT_EQ(s, 0);  // no bound is known
  EXPECT_EQ(r.sliding_share, 0);

  Drag field;
  SkinLoad by_field = by_load;
  by_field.traction = &field;
  const SkinReading f = Read(skin, {by_field}, press.X_WG);
  EXPECT_LT(norm(f.force_G - (press.force_G() - rub)), 1e-12);
  for (int i = 0; i < skin.count(); ++i) {
    if (r.values[i] == 0) {
      EXPECT_EQ(f.slip[i], 0);
      continue;
    }
    const bool slides = skin.layout().points[i].x < 0;
    // The walls of the block have load and no hold: cells at its rim have a little less than the rest.
    EXPECT_NEAR(f.slip[i], slides ? 1 : 0.4, 0.02) << i;
    EXPECT_NEAR(f.forces[i].x / f.forces[i].z, slides ? 0.5 : 0.2, 0.05) << i;
    EXPECT_NEAR(f.forces[i].y, r.forces[i].y, 1e-9);
  }
  EXPECT_NEAR(f.sliding_share, 0.5, 0.005);
}

TEST(Skin, NothingTouchesAndMemoryLeavesNoTrace) {
  const Skin flat = MakeSkin(Describe({{"shape", "5 8"}}), Pad()),
             rays = MakeSkin(Describe({{"shape", "3 4"}, {"readout", "rays"}}), Pad());
  const Body round(Sphere{0.02}, Soft(5e4));
  const Skin sphere = MakeSkin(Describe({{"shape", "8 12"}}), round);
  const Press press(Pad(), Ball(), BallPose(), test::TiltedPose());
  const Press on_sphere(round, Ball(), At({0.033, 0, 0.001}), test::TiltedPose());
  SkinWorkspace w;
  SkinReading r;
  const auto read = [&](const Skin& skin, const Press& p, bool touches) {
    const SkinLoad load = p.load();
    skin.Read(&load, touches ? 1 : 0, p.X_WG, {true, true}, &w, &r);
  };
  for (int k = 0; k < 3; ++k)
    for (const auto& [skin, p] : {std::pair{&flat, &press}, {&sphere, &on_sphere}, {&rays, &press}}) {
      read(*skin, *p, true);
      const SkinReading fresh = Read(*skin, *p);
      EXPECT_EQ(r.values, fresh.values);
      EXPECT_EQ(r.forces, fresh.forces);
      EXPECT_EQ(r.slip, fresh.slip);
      EXPECT_EQ(r.center_G, fresh.center_G);
      read(*skin, *p, false);
      EXPECT_EQ(r.values, std::vector<double>(skin->count(), 0.0));
      EXPECT_EQ(r.forces, std::vector<Vec3>(skin->count()));
      EXPECT_EQ(r.area + r.normal_load + r.sliding_share + norm(r.force_G) + norm(r.center_G), 0);
    }
  // What is not wanted is not there.
  const SkinReading few = Read(flat, press, {false, false});
  EXPECT_TRUE(few.forces.empty());
  EXPECT_TRUE(few.slip.empty());
  // An empty surface is no contact.
  const ContactSurface none;
  SkinLoad nothing;
  nothing.surface = &none;
  EXPECT_EQ(test::Sum(Read(flat, {nothing}, {}).values), 0);
}

TEST(Skin, APlaneGridWithALimit) {
  // Square cells of 10 mm, felt within 3 mm of their middle.
  const Skin skin = MakeSkin(Describe({{"shape", "6 8"}, {"limit", "0.003"}}), Pad());
  const Press press(Pad(), Body(Box{{0.1, 0.1, 0.02}}, {}), At({0, 0, 0.019}));
  const double p = 5e4 * 0.001 / 0.02;
  for (double v : Read(skin, press).values) EXPECT_NEAR(v, p * 0.36, 1e-9 * p);
}

TEST(Skin, RefusesWhatCannotBe) {
  ExpectError([] { Skin(Layout{}, {}, Pad()); }, {"no taxel"});
  ReadoutOptions o;
  o.aggregate = Aggregate::kSum;
  ExpectError([&] { Skin(BoxFaceGrid(kSize, "+z", 2, 2), o, Pad()); }, {"sum"});
  ExpectError(
      [] {
        MakeSkin(Describe({{"shape", "5 8"}, {"readout", "rays"}, {"limit", "1"}}), Pad());
      },
      {"limit"});
}

}  // namespace
}  // namespace taxel
