// Readings of a skin by rays:
//   - 20 samples a side: within 1 % of the exact force; more samples, less error
//   - a uniform pressure reads p through every window; (r - d)^2 sums have the closed form; max, sum and
//   force
//   - fields that overlap: a sample serves several taxels
//   - curved skins: rays of a list; on the same plane skin they read what the lattice reads
//   - first face from outside, faces from behind hide nothing, reach; a thin shell is felt on its own side
//   - functions of the user's; several contacts at once
#include <gtest/gtest.h>

#include "skin_scenes.h"

namespace taxel {
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
Description Rays(Description::Entries more) {
  more.push_back({"readout", "rays"});
  return Describe(std::move(more));
}
// Covers the pad: E d / T everywhere.
Press Flat() { return Press(Pad(), Body(Box{{0.1, 0.1, 0.02}}, {}), At({0, 0, 0.019}), test::TiltedPose()); }
constexpr double kFlat = 5e4 * 0.001 / 0.02;

TEST(SkinRays, TwentySamplesAreWithinOnePercent) {
  const Skin skin = MakeSkin(Rays({{"shape", "6 8"}}), Pad());
  const Body objects[] = {Body(Sphere{0.015}, {}), Body(Cylinder{0.008, 0.02}, {}),
                          Body(Box{{0.013, 0.011, 0.02}}, {}), Body(Ellipsoid{{0.009, 0.012, 0.02}}, {})};
  double worst = 0;
  for (int i = 0; i < 40; ++i) {
    const Body& object = objects[i % 4];
    const Mat3 R =
        RotationAbout({0, 0, 1}, 0.37 * i) * RotationAbout({1, 0, 0}, 0.06 * test::Uniform(3, i, -1, 1));
    double lowest = 1;
    for (const Vec3& v : object.Surface().vertices) lowest = std::min(lowest, (R * v).z);
    const Vec3 p{test::Uniform(1, i, -0.015, 0.015), test::Uniform(2, i, -0.01, 0.01),
                 0.01 - lowest - 0.0015};
    const Press press(Pad(), object, {R, p}, test::RandomPose(7, i, 0.3), i % 2 == 0);
    const double exact = -press.force_G().z, sampled = -Read(skin, press).force_G.z;
    worst = std::max(worst, std::fabs(sampled / exact - 1));
  }
  EXPECT_LT(worst, 0.01);
  RecordProperty("worst", std::to_string(worst));
}

TEST(SkinRays, MoreSamplesLessError) {
  const Press press(Pad(), Body(Sphere{0.015}, {}), At({0.0043, -0.0061, 0.0235}), test::TiltedPose());
  const Skin exact = MakeSkin(Describe({{"shape", "6 8"}}), Pad());
  const SkinReading truth = Read(exact, press);
  const auto error = [&](int samples) {
    const Skin skin = MakeSkin(Rays({{"shape", "6 8"}, {"samples", std::to_string(samples)}}), Pad());
    const SkinReading r = Read(skin, press);
    double worst = 0;
    for (int i = 0; i < skin.count(); ++i) worst = std::max(worst, std::fabs(r.values[i] - truth.values[i]));
    return worst / press.surface.max_pressure;
  };
  // Within a cell the midpoint rule: an order of two but for the rim.
  const double e5 = error(5), e20 = error(20), e80 = error(80);
  EXPECT_LT(e5, 0.03);
  EXPECT_LT(e20, 0.3 * e5);
  EXPECT_LT(e80, 0.3 * e20);
  EXPECT_LT(e80, 1e-4);
}

TEST(SkinRays, EveryWindowReadsAUniformPressure) {
  for (const char* window : {"none", "gauss", "tukey", "square", "quadratic"})
    for (const char* radius : {"", "0.002", "0.012"}) {
      Description::Entries keys = {{"shape", "4 6"}, {"pitch", "0.005"}, {"window", window}};
      keys.push_back({"radius", radius});
      const Skin skin = MakeSkin(Rays(keys), Pad());
      for (double v : Read(skin, Flat()).values) EXPECT_NEAR(v, kFlat, 1e-9 * kFlat) << window << radius;
    }
}

TEST(SkinRays, SumsAsThePapersWriteThem) {
  // Sum of (r - d)^2 p over the samples: density x p x pi r^4 / 6.
  const double r = 0.004;
  const Skin skin = MakeSkin(Rays({{"shape", "4 6"},
                                   {"pitch", "0.005"},
                                   {"samples", "40"},
                                   {"radius", "0.004"},
                                   {"window", "quadratic"},
                                   {"aggregate", "sum"}}),
                             Pad());
  const double density = 1 / (0.000125 * 0.000125), expected = density * kFlat * kPi * std::pow(r, 4) / 6;
  for (double v : Read(skin, Flat()).values) EXPECT_NEAR(v, expected, 1e-3 * expected);
  // Without a window: the number of samples times p.
  const Skin plain = MakeSkin(Rays({{"shape", "4 6"}, {"samples", "7"}, {"aggregate", "sum"}}), Pad());
  for (double v : Read(plain, Flat()).values) EXPECT_NEAR(v, 49 * kFlat, 1e-9 * 49 * kFlat);
  const Skin force = MakeSkin(Rays({{"shape", "4 6"}, {"samples", "7"}, {"aggregate", "force"}}), Pad());
  for (double v : Read(force, Flat()).values) EXPECT_NEAR(v, kFlat * 0.08 * 0.06 / 24, 1e-9 * kFlat);
}

TEST(SkinRays, TheGreatestSample) {
  const Press press(Pad(), Body(Sphere{0.015}, {}), At({0.0043, -0.0061, 0.0235}), test::TiltedPose());
  const auto read = [&](const char* readout) {
    return Read(MakeSkin(Describe({{"shape", "6 8"}, {"aggregate", "max"}, {"readout", readout}}), Pad()),
                press);
  };
  const SkinReading exact = read("exact"), rays = read("rays");
  for (int i = 0; i < 48; ++i) {
    EXPECT_LE(rays.values[i], exact.values[i] * (1 + 1e-12) + 1e-9);
    // The nearest sample may be 0.35 mm from where the pressure is greatest: the corner of a cell.
    EXPECT_NEAR(rays.values[i], exact.values[i], 0.15 * press.surface.max_pressure);
  }
}

TEST(SkinRays, OverlappingFieldsShareSamples) {
  // A post between two taxels: both feel it, by how near it is.
  const Skin skin = MakeSkin(Rays({{"shape", "1 2"},
                                   {"pitch", "0.01"},
                                   {"samples", "50"},
                                   {"radius", "0.012"},
                                   {"window", "square"}}),
                             Pad());
  // 3 mm from the left taxel, 7 mm from the right one.
  const Press press(Pad(), Body(Box{{0.001, 0.001, 0.02}}, {}), At({-0.002, 0, 0.0195}));
  const SkinReading r = Read(skin, press);
  const auto weight = [](double d) { return (1 - d / 0.012) * (1 - d / 0.012); };
  ASSERT_GT(r.values[1], 0);
  EXPECT_NEAR(r.values[0] / r.values[1], weight(0.003) / weight(0.007), 0.05);
  // Beyond the rim, too: 8 mm outside of the outer taxel.
  const Press outside(Pad(), Body(Box{{0.001, 0.001, 0.02}}, {}), At({0.013, 0, 0.0195}));
  EXPECT_EQ(Read(skin, outside).values[0], 0);
  EXPECT_NEAR(Read(skin, outside).values[1] / r.values[0], weight(0.008) / weight(0.003), 0.05);
}

TEST(SkinRays, AListReadsWhatTheLatticeReads) {
  // The same 9 x 12 cells of a plane with 10 x 10 samples, as a lattice and as a list.
  const Body pad = Pad();
  ReadoutOptions o;
  o.method = Readout::kRays;
  o.samples = 10;
  const Layout layout = BoxFaceGrid(kSize, "+z", 9, 12), fine = BoxFaceGrid(kSize, "+z", 90, 120);
  Layout listed = layout;
  listed.plane = false;
  Press presses[] = {
      Press(pad, Body(Sphere{0.015}, {}), At({0.0043, -0.0061, 0.0235}), test::TiltedPose()),
      Press(pad, Body(test::LPrism(0.007, 0.01), {}),
            {RotationAbout(normalized({1, 2, 4}), 0.3), {0.003, 0, 0.008}}, test::TiltedPose(), false),
      // A ball that comes up through the pad: its upper half looks the other way.
      Press(pad, Body(Sphere{0.004}, {}), At({0.00123, 0.00217, 0.0071}), test::TiltedPose())};
  for (const Window window : {Window::kNone, Window::kTukey})
    for (const Press& press : presses) {
      o.window = window;
      const Skin a(layout, o, pad), b(listed, o, pad, &fine);
      ASSERT_TRUE(a.samples().is_lattice);
      ASSERT_FALSE(b.samples().is_lattice);
      const SkinReading ra = Read(a, press), rb = Read(b, press);
      EXPECT_GT(test::Sum(ra.values), 0);
      for (int i = 0; i < a.count(); ++i) {
        EXPECT_NEAR(ra.values[i], rb.values[i], 1e-9 * press.surface.max_pressure);
        EXPECT_LT(norm(ra.forces[i] - rb.forces[i]), 1e-12);
      }
    }
}

TEST(SkinRays, CurvedSkinsFeelTheContact) {
  const struct {
    Body body;
    Description::Entries keys;
    Vec3 at;
  } skins[] = {{Body(Cylinder{0.015, 0.06}, Soft(5e4)), {{"shape", "10 16"}}, {0.01518, 0.01648, 0.003}},
               {Body(Sphere{0.02}, Soft(5e4)), {{"shape", "10 16"}}, {0.0173, 0.0184, 0.0108}},
               {Body(Capsule{0.015, 0.04}, Soft(5e4)),
                {{"shape", "12 16"}, {"along", "-0.04 0.04"}},
                {0.001, 0.0158, 0.0357}},
               {Body(test::Icosphere(3, 0.02),
                     [] {
                       BodyOptions o = Soft(5e4);
                       o.resolution = 0.005;
                       return o;
                     }()),
                {{"layout", "poisson"}, {"count", "150"}, {"sample_spacing", "4e-4"}, {"radius", "0.0025"}},
                {0.0173, 0.0184, 0.0108}}};
  for (const auto& [body, keys, at] : skins) {
    const Skin skin = MakeSkin(Rays(keys), body);
    const Press press(body, Body(Sphere{0.008}, {}), At(at), test::TiltedPose());
    ASSERT_GT(press.surface.normal_force, 1e-3) << body.name();
    const SkinReading r = Read(skin, press);
    // A cell is larger than what lies below it, by twice the depth over the radius on a sphere; and the cells
    // of free layouts are no discs.
    const double tolerance = keys.size() > 3 ? 0.3 : 0.08;
    EXPECT_LT(norm(r.force_G - press.force_G()), tolerance * norm(press.force_G())) << body.name();
    // Only where it is pressed.
    for (int i = 0; i < skin.count(); ++i) {
      const bool far = norm(skin.layout().points[i] - at) > 0.016;
      EXPECT_TRUE(!far || r.values[i] == 0) << body.name() << i;
    }
  }
}

TEST(SkinRays, FacesFromBehindHideNothing) {
  // A loop of two sheets over a curved skin: the upper one looks outwards (its back is seen), the lower
  // inwards.
  const Body body(Sphere{0.02}, Soft(5e4));
  const Skin skin = MakeSkin(Rays({{"shape", "4 6"}, {"samples", "5"}}), body);
  ContactSurface s;
  const auto add = [&](double x, double pressure, double sign) {
    const double w = 0.012;
    for (const auto& [y, z] : {std::pair{-w, -w}, {w, -w}, {w, w}, {-w, w}}) {
      s.vertices.push_back({x, y, z});
      s.pressures.push_back(pressure);
    }
    s.face_start.push_back(static_cast<int>(s.vertices.size()));
    s.normals.push_back({sign, 0, 0});
    s.areas.push_back(4 * w * w);
    s.centroids.push_back({x, 0, 0});
    s.face_pressures.push_back(pressure);
    s.gradients_A.push_back(1);
    s.gradients_B.push_back(1);
    s.area += 4 * w * w;
    s.normal_force += pressure * 4 * w * w;
    s.wrench_on_A.force += Vec3{sign * pressure * 4 * w * w, 0, 0};
  };
  add(0.012, 1000, -1);  // into the skin
  const auto read = [&] {
    SkinLoad load;
    load.surface = &s;
    return Read(skin, {load}, {});
  };
  const SkinReading alone = read();
  ASSERT_GT(test::Sum(alone.values), 0);
  add(0.0165, 300, 1);
  // Those on this side of the body (the others would look through it at the front of the second sheet).
  const SkinReading both = read();
  for (int i = 0; i < skin.count(); ++i)
    EXPECT_TRUE(skin.layout().normals[i].x < 0 || std::fabs(both.values[i] - alone.values[i]) < 1e-9) << i;
}

TEST(SkinRays, ReachEndsARay) {
  const Body round(Sphere{0.02}, Soft(5e4));
  for (const bool curved : {false, true}) {
    const Body body = curved ? round : Pad();
    const Press press(body, Body(Sphere{0.01}, {}),
                      At(curved ? Vec3{0.028, 0, 0} : Vec3{0.001, 0.002, 0.01 + 0.008}), test::TiltedPose());
    double last = 0;
    for (const char* reach : {"1e-4", "8e-4", "1.6e-3", "2.5e-3", ""}) {
      const SkinReading r = Read(MakeSkin(Rays({{"shape", "6 8"}, {"reach", reach}}), body), press);
      const double now = test::Sum(r.values);
      EXPECT_GE(now, last) << reach;
      EXPECT_TRUE(last > 0 || now < 0.2 * press.surface.max_pressure);
      last = now;
    }
    const double deep =
        test::Sum(Read(MakeSkin(Rays({{"shape", "6 8"}, {"reach", "0.01"}}), body), press).values);
    EXPECT_NEAR(deep, last, 1e-9 * last);
  }
}

TEST(SkinRays, AThinShellIsFeltOnItsOwnSide) {
  const Vec3 size{0.08, 0.06, 0.003};
  const Body plate(Box{size}, Soft(5e4));
  const Press below(plate, Body(Sphere{0.01}, {}), At({0.003, 0.004, -0.0015 - 0.01 + 0.0005}),
                    test::TiltedPose());
  EXPECT_EQ(test::Sum(Read(MakeSkin(Rays({{"shape", "6 8"}, {"face", "+z"}}), plate), below).values), 0);
  EXPECT_GT(test::Sum(Read(MakeSkin(Rays({{"shape", "6 8"}, {"face", "-z"}}), plate), below).values), 0);
  // A thin finger, pressed on one side: the taxels opposite look through it at the back of the contact.
  const Cylinder shape{0.004, 0.06};
  const Body finger(shape, Soft(5e4));
  const Press press(finger, Body(Sphere{0.01}, {}), At({0.0132, 0, 0.002}), test::TiltedPose());
  const Skin skin = MakeSkin(Rays({{"shape", "12 8"}}), finger);
  const SkinReading r = Read(skin, press);
  EXPECT_GT(test::Sum(r.values), 0);
  for (int i = 0; i < skin.count(); ++i) {
    EXPECT_GE(r.values[i], 0);
    EXPECT_TRUE(skin.layout().normals[i].x > 0 || r.values[i] == 0);
  }
}

TEST(SkinRays, FunctionsOfTheUser) {
  const Press press(Pad(), Body(Sphere{0.015}, {}), At({0.0043, -0.0061, 0.0235}), test::TiltedPose());
  const Description d = Rays({{"shape", "6 8"}, {"samples", "9"}});
  ReadoutOptions o = ReadReadout(d);
  const SkinReading mean = Read(MakeSkin(d, Pad()), press);
  // The mean by hand, in place of an aggregate.
  o.aggregate = Aggregate::kUser;
  int calls = 0;
  o.combine = [&](const double* p, const double* w, int n) {
    ++calls;
    EXPECT_EQ(n, 81);
    double sum = 0, weights = 0;
    for (int i = 0; i < n; ++i) sum += p[i] * w[i], weights += w[i];
    EXPECT_NEAR(weights, 1, 1e-12);
    return sum;
  };
  const SkinReading user = Read(MakeSkin(d, Pad(), o, MakeLayout(d, Pad())), press);
  EXPECT_EQ(calls, 48);
  for (int i = 0; i < 48; ++i) EXPECT_NEAR(user.values[i], mean.values[i], 1e-9);
  // On a curved skin, with weights by angle and two contacts that add up sample by sample.
  const Body round(Sphere{0.02}, Soft(5e4));
  const Description curved = Rays({{"shape", "4 6"}, {"samples", "4"}});
  ReadoutOptions oc = ReadReadout(curved);
  oc.weight = [](double, double angle) { return std::cos(angle); };
  oc.aggregate = Aggregate::kUser;
  oc.combine = [](const double* p, const double*, int n) { return n ? *std::max_element(p, p + n) : 0.0; };
  const Skin skin = MakeSkin(curved, round, oc, MakeLayout(curved, round));
  const Press a(round, Body(Sphere{0.01}, {}), At({0.0285, 0.004, 0})),
      b(round, Body(Sphere{0.01}, {}), At({0.0285, 0, 0.004}));
  const SkinReading ra = Read(skin, a), rb = Read(skin, b), both = Read(skin, {a.load(), b.load()}, {});
  for (int i = 0; i < skin.count(); ++i) {
    EXPECT_GE(both.values[i], std::max(ra.values[i], rb.values[i]) - 1e-9);
    EXPECT_LE(both.values[i], ra.values[i] + rb.values[i] + 1e-9);
  }
}

TEST(SkinRays, SeveralContactsAddUp) {
  const Skin skin = MakeSkin(Rays({{"shape", "6 8"}, {"radius", "0.009"}, {"window", "gauss"}}), Pad());
  const Press a(Pad(), Body(Sphere{0.015}, {}), At({-0.01, 0.01, 0.0235}), test::TiltedPose(), true),
      b(Pad(), Body(Box{{0.01, 0.01, 0.02}}, {}), At({0.012, -0.005, 0.0195}), test::TiltedPose(), false);
  const SkinReading ra = Read(skin, a), rb = Read(skin, b), all = Read(skin, {a.load(), b.load()}, a.X_WG);
  for (int i = 0; i < skin.count(); ++i) {
    EXPECT_NEAR(all.values[i], ra.values[i] + rb.values[i], 1e-9);
    EXPECT_LT(norm(all.forces[i] - ra.forces[i] - rb.forces[i]), 1e-14);
  }
}

}  // namespace
}  // namespace taxel
