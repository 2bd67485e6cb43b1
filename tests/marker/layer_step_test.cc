// The code that kernels of mode layer run, with one lane, against LayerField along paths: press, drag, twist,
// roll, release, press again, in steps of any length. Flat and domed pads, square or not; every primitive,
// a trilinear distance, two objects; resets, a gravity pass, a pose that is not finite; chunks that do not
// fit; loops in another order.
//
// Both solve the same problems by the same iteration and differ in the order of sums in single precision
// alone, so markers agree to 1e-3 of the motion, forces to 1e-3 of the largest so far.
#include "taxel/marker/layer_step.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "layer_copy.h"
#include "marker_scenes.h"
#include "taxel/math/error.h"

namespace taxel {
namespace {

using internal::LayerOutcome;
using internal::SerialTeam;
using test::LayerCopy;
using test::ScrambledTeam;

// As the kernel has it on a GPU.
constexpr int kSmall = 192;

GelPad Flat(double x, double y, double z) { return GelPad(MarkerDistance(Primitive{Box{{x, y, z}}})); }
GelPad Mini() { return Flat(20.75e-3, 25.25e-3, 4e-3); }
// 4.4 mm higher in the middle than at the rim.
GelPad Dome() {
  return GelPad(MarkerDistance(Primitive{Ellipsoid{{12e-3, 14e-3, 6e-3}}}).Trilinear(0.5e-3, 1e-3));
}

// Down, along, round its normal, over on its side, up, and down elsewhere. lowest: z of the object where it
// touches.
std::vector<Pose> Way(double lowest, const Mat3& R = {}) {
  std::vector<Pose> out;
  const auto add = [&](double x, double y, double depth, double twist, double roll) {
    out.push_back(
        {RotationAbout({0, 1, 0}, roll) * RotationAbout({0, 0, 1}, twist) * R, {x, y, lowest - depth}});
  };
  for (const double d : {-1e-3, 0.1e-3, 0.35e-3, 0.5e-3, 0.52e-3, 0.6e-3}) add(0.2e-3, -0.3e-3, d, 0, 0);
  for (int i = 1; i <= 8; ++i) add(0.2e-3 + 6e-5 * i, -0.3e-3 + 2e-5 * i, 0.6e-3, 0, 0);
  for (int i = 1; i <= 5; ++i) add(0.68e-3 + 3e-6 * i, -0.14e-3, 0.6e-3, 0, 0);  // shorter than is remembered
  add(1.4e-3, -0.1e-3, 0.7e-3, 0, 0);                                            // several increments
  for (int i = 1; i <= 5; ++i) add(1.4e-3, -0.1e-3, 0.7e-3, 0.02 * i, 0);
  for (int i = 1; i <= 4; ++i) add(1.4e-3, -0.1e-3, 0.7e-3, 0.1, 0.01 * i);
  for (const double d : {0.5e-3, 0.2e-3, 0.05e-3, -0.5e-3}) add(1.4e-3, -0.1e-3, d, 0.1, 0.04);
  for (const double d : {0.4e-3, 0.45e-3}) add(-1e-3, 1e-3, d, 0, 0);  // down in one leap
  return out;
}

struct Worst {
  double markers = 0, force = 0, marker_forces = 0, most = 0;
  int contact = 0;
};

// Steps both along a path and compares after every step. many: one pose an object.
template <typename Team = SerialTeam>
Worst Compare(LayerField field, const std::vector<std::vector<Pose>>& path, bool shifts = false,
              int small = kSmall) {
  LayerCopy<Team> copy(field, small);
  field.set_marker_forces(true);
  LayerReading reading;
  Worst out;
  double motion = 0, force = 0;
  for (std::size_t t = 0; t < path.size(); ++t) {
    const Pose moved{RotationAbout({0.6, 0.8, 0}, 0.01), {1e-4, -5e-5, -2e-5}};
    field.Step(path[t], shifts ? &moved : nullptr, &reading);
    EXPECT_EQ(copy.Step(path[t], shifts ? &moved : nullptr), LayerOutcome::kGood);
    force = std::max(force, norm(reading.force_P));
    for (const Vec3& u : reading.displacement) motion = std::max(motion, norm(u));
    for (std::size_t i = 0; i < reading.displacement.size(); ++i)
      for (int k = 0; k < 3; ++k) {
        const std::size_t at = 3 * i + static_cast<std::size_t>(k);
        out.markers = std::max(out.markers, std::fabs(reading.displacement[i][k] - copy.displacement[at]));
        out.marker_forces =
            std::max(out.marker_forces, std::fabs(reading.marker_forces_P[i][k] - copy.marker_forces[at]));
      }
    for (int k = 0; k < 3; ++k) {
      const auto at = static_cast<std::size_t>(k);
      out.force = std::max(out.force, std::fabs(reading.force_P[k] - copy.wrench[at]));
      out.force = std::max(out.force, std::fabs(reading.torque_P[k] - copy.wrench[3 + at]) / 1e-2);
    }
    if (norm(reading.force_P) == 0) {  // no contact is none on both
      for (const float u : copy.displacement) EXPECT_EQ(u, 0);
    }
    out.contact = std::max(out.contact, static_cast<int>(reading.points_P.size()));
  }
  EXPECT_GT(force, 0.01);
  out.markers /= motion, out.force /= force, out.marker_forces /= force, out.most = motion;
  std::printf("  markers %.1e of %.1f px, force %.1e of %.2f N, %d cells; rounds a step %.1f + %.1f\n",
              out.markers, motion, out.force, force, out.contact,
              1.0 * copy.rounds[0] / static_cast<double>(path.size()),
              1.0 * copy.rounds[1] / static_cast<double>(path.size()));
  return out;
}

void ExpectEqual(const Worst& w) {
  EXPECT_LT(w.markers, 1e-3);
  EXPECT_LT(w.force, 1e-3);
  EXPECT_LT(w.marker_forces, 1e-3);
}

std::vector<std::vector<Pose>> One(const std::vector<Pose>& path) {
  std::vector<std::vector<Pose>> out;
  for (const Pose& X : path) out.push_back({X});
  return out;
}

struct Case {
  const char* name;
  GelPad pad;
  MarkerDistance object;
  double lowest;  // z of the object where it just touches
  Mat3 R;
};

std::vector<Case> Cases() {
  const Mat3 tilt = RotationAbout(normalized({1, 0.4, 0}), 0.5), over = RotationAbout({1, 0, 0}, 1.5707963),
             edge = RotationAbout({1, 0, 0}, 0.7853982);
  const auto shape = [](const Primitive& p) { return MarkerDistance(p); };
  return {
      {"sphere", Mini(), shape(Sphere{17.5e-3}), 19.5e-3, {}},
      {"small sphere", Mini(), shape(Sphere{3e-3}), 5e-3, {}},
      {"ellipsoid, tilted", Mini(), shape(Ellipsoid{{6e-3, 9e-3, 4e-3}}), 6.86e-3, tilt},
      {"cylinder on its side", Mini(), shape(Cylinder{5e-3, 12e-3}), 7e-3, over},
      {"capsule on its side", Mini(), shape(Capsule{4e-3, 6e-3}), 6e-3, over},
      {"box, on an edge", Mini(), shape(Box{{8e-3, 6e-3, 6e-3}}), 2e-3 + 3e-3 * std::sqrt(2.0), edge},
      {"box, flat", Mini(), shape(Box{{7e-3, 5e-3, 6e-3}}), 5e-3, {}},
      {"trilinear sphere", Mini(), shape(Sphere{6e-3}).Trilinear(0.3e-3, 1e-3), 8e-3, {}},
      {"long pad", Flat(8e-3, 21e-3, 3e-3), shape(Sphere{8e-3}), 9.5e-3, {}},
      {"narrow pad", Flat(25e-3, 4.1e-3, 3e-3), shape(Sphere{8e-3}), 9.5e-3, {}},
      {"dome", Dome(), shape(Sphere{8e-3}), 14e-3, {}},
      {"dome and box", Dome(), shape(Box{{8e-3, 6e-3, 6e-3}}), 9e-3, {}},
  };
}

TEST(LayerStep, IsTheFieldAlongPaths) {
  for (const Case& c : Cases()) {
    std::printf("%s\n", c.name);
    SCOPED_TRACE(c.name);
    std::vector<Vec3> markers = test::Grid();
    if (!c.pad.surface().flat)
      for (Vec3& m : markers) m = 0.7 * m, m.z = 5.5e-3;
    if (c.pad.surface().flat)
      for (Vec3& m : markers) m = {std::clamp(m.x, -4e-3, 4e-3), std::clamp(m.y, -4e-3, 4e-3), m.z};
    LayerParameters p;
    if (!c.pad.surface().flat) p.thickness = 5.5e-3;
    const LayerField field(c.pad, markers, {c.object}, p, {});
    ExpectEqual(Compare(field, One(Way(c.lowest, c.R))));
  }
}

LayerField BallField(double friction = 0.5, double radius = 8e-3) {
  LayerParameters p;
  p.friction = friction;
  return LayerField(Mini(), test::Grid(), {MarkerDistance(Primitive{Sphere{radius}})}, p, {});
}

TEST(LayerStep, OtherWays) {
  // In steps of any length and turns about any axis.
  for (const std::uint64_t seed : {1, 2, 3}) ExpectEqual(Compare(BallField(), One(test::RandomPath(seed))));
  ExpectEqual(Compare(BallField(0), One(test::RandomPath(4))));
  ExpectEqual(Compare(BallField(2), One(test::RandomPath(5))));
  // With a gravity pass.
  ExpectEqual(Compare(BallField(), One(test::RandomPath(6)), true));
  // In slow memory, which many cells need.
  ExpectEqual(Compare(BallField(), One(test::RandomPath(7)), false, 1));
  // A plate over all of the pad: more chunks than fit in fast memory, more than there are lanes.
  const LayerField plate(Mini(), test::Grid(), {MarkerDistance(Primitive{Box{{0.1, 0.1, 0.01}}})}, {}, {});
  std::vector<Pose> few = Way(7e-3);
  few.resize(8);
  const Worst w = Compare(plate, One(few));
  EXPECT_GT(w.contact, 1300);
  ExpectEqual(w);
  // Increments by their least number.
  LayerOptions many;
  many.substeps = 3;
  ExpectEqual(Compare(LayerField(Mini(), test::Grid(), {MarkerDistance(Primitive{Sphere{8e-3}})}, {}, many),
                      One(test::RandomPath(8, 20))));
}

TEST(LayerStep, TwoObjects) {
  const LayerField field(
      Mini(), test::Grid(),
      {MarkerDistance(Primitive{Sphere{5e-3}}), MarkerDistance(Primitive{Box{{6e-3, 6e-3, 6e-3}}})}, {}, {});
  std::vector<std::vector<Pose>> path;
  const std::vector<Pose> one = Way(7e-3), two = Way(5e-3);
  for (std::size_t t = 0; t < one.size(); ++t) {
    path.push_back({one[t], two[two.size() - 1 - t]});
    // Comes nearer until they share cells; its edges never lie just over the middles of cells, where rounding
    // would say whether it touches a row of them.
    path.back()[1].p.y += 6.013e-3 - 1.97e-4 * static_cast<double>(t);
  }
  ExpectEqual(Compare(field, path));
}

TEST(LayerStep, TheOrderWithinALoopDoesNotMatter) {
  for (const Case& c : {Cases()[0], Cases()[2]}) {
    const LayerField field(c.pad, test::Grid(), {c.object}, {}, {});
    LayerCopy<SerialTeam> one(field, kSmall);
    LayerCopy<ScrambledTeam> two(field, kSmall);
    for (const Pose& X : Way(c.lowest, c.R)) {
      const Pose shift{{}, {1e-4, 0, 0}};
      one.Step({X}, &shift);
      two.Step({X}, &shift);
      EXPECT_EQ(one.displacement, two.displacement);
      EXPECT_EQ(one.wrench, two.wrench);
      EXPECT_EQ(one.marker_forces, two.marker_forces);
    }
  }
}

TEST(LayerStep, ManyLanesAreOne) {
  const LayerField field(Mini(), test::Grid(),
                         {MarkerDistance(Primitive{Sphere{4e-3}}), MarkerDistance(Primitive{Sphere{5e-3}})},
                         {}, {});
  LayerCopy<SerialTeam> one(field, kSmall), many(field, 20);
  const std::vector<Pose> a = Way(6e-3), b = Way(7e-3);
  float most = 0;
  for (std::size_t t = 0; t < a.size(); ++t) {
    std::vector<Pose> X{a[t], b[b.size() - 1 - t]};
    X[1].p.y += 3e-3;
    const Pose shift{{}, {1e-4, 0, 0}};
    EXPECT_EQ(one.Step(X, t % 3 ? nullptr : &shift), LayerOutcome::kGood);
    EXPECT_EQ(many.StepOnThreads(5, X, t % 3 ? nullptr : &shift), LayerOutcome::kGood);
    for (std::size_t i = 0; i < one.displacement.size(); ++i) {
      most = std::max(most, std::fabs(one.displacement[i]));
      EXPECT_NEAR(one.displacement[i], many.displacement[i], 1e-3 * most);
    }
  }
}

// Steps a field and its copy; compares.
struct Both {
  LayerField field = BallField();
  LayerCopy<SerialTeam> copy{field, kSmall};
  LayerReading reading;
  void Step(const Pose& X) {
    field.Step({X}, nullptr, &reading);
    ASSERT_EQ(copy.Step({X}), LayerOutcome::kGood);
    double motion = 1;
    for (const Vec3& u : reading.displacement) motion = std::max(motion, norm(u));
    for (std::size_t i = 0; i < reading.displacement.size(); ++i)
      for (std::size_t k = 0; k < 3; ++k)
        ASSERT_NEAR(reading.displacement[i][static_cast<int>(k)], copy.displacement[3 * i + k],
                    1e-3 * motion);
    for (std::size_t k = 0; k < 3; ++k)
      ASSERT_NEAR(reading.force_P[static_cast<int>(k)], copy.wrench[k], 1e-3 * norm(reading.force_P));
  }
};

TEST(LayerStep, ForgetsAndGoesOn) {
  Both b;
  const std::vector<Pose> way = Way(10e-3);
  const auto steps = [&](std::size_t from, std::size_t to) {
    for (std::size_t t = from; t < to; ++t) b.Step(way[t]);
  };
  steps(0, 12);
  b.field.ZeroTangential(), b.copy.Reset(true);
  steps(12, 16);
  b.field.Reset(), b.copy.Reset(false);
  steps(16, 22);
  LayerParameters p = b.field.parameters();
  p.friction = 0.9, p.young = 4e5, p.pixel = 1e-4;
  b.field.set_parameters(p), b.copy.set_parameters(p);
  steps(22, way.size());
}

TEST(LayerStep, APoseThatIsNotFiniteGivesNanAndLeavesTheMemory) {
  const std::vector<Pose> way = Way(10e-3);
  const LayerField field = BallField();
  LayerCopy<SerialTeam> one(field, kSmall), two(field, kSmall);
  for (std::size_t t = 0; t < 20; ++t) {
    one.Step({way[t]});
    two.Step({way[t]});
    if (t != 10) continue;
    Pose lost = way[t];
    lost.p.x = std::nan("");
    EXPECT_EQ(one.Step({lost}), LayerOutcome::kNotFinite);
    for (const float u : one.displacement) EXPECT_TRUE(std::isnan(u));
    for (const float u : one.wrench) EXPECT_TRUE(std::isnan(u));
    for (const float u : one.marker_forces) EXPECT_TRUE(std::isnan(u));
    lost = way[t];
    lost.R.m[3] = std::numeric_limits<double>::infinity();
    EXPECT_EQ(one.Step({lost}), LayerOutcome::kNotFinite);
  }
  EXPECT_EQ(one.displacement, two.displacement);
  EXPECT_EQ(one.wrench, two.wrench);
}

TEST(LayerStep, TooManyCellsGiveNanAndLeaveTheMemory) {
  const LayerField field = BallField();
  const auto at = [](double x, double depth) { return std::vector<Pose>{{{}, {x, 0, 10e-3 - depth}}}; };
  LayerCopy<SerialTeam> few(field, 8, {}, 40), all(field, kSmall);
  for (LayerCopy<SerialTeam>* copy : {&few, &all}) {
    copy->Step(at(0, -1e-4));
    EXPECT_EQ(copy->Step(at(0, 0.3e-3)), LayerOutcome::kGood);
  }
  EXPECT_EQ(few.displacement, all.displacement);
  EXPECT_EQ(few.Step(at(0, 1.5e-3)), LayerOutcome::kOverflow);
  for (const float u : few.displacement) EXPECT_TRUE(std::isnan(u));
  for (LayerCopy<SerialTeam>* copy : {&few, &all})
    EXPECT_EQ(copy->Step(at(2e-5, 0.3e-3)), LayerOutcome::kGood);
  EXPECT_EQ(few.displacement, all.displacement);
}

TEST(LayerArrays, RefusesWhatNoKernelMeets) {
  const TriangleMesh mesh{{{0, 0, 0}, {5e-3, 0, 0}, {0, 5e-3, 0}, {0, 0, 5e-3}},
                          {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}};
  const LayerField field(Mini(), test::Grid(),
                         {MarkerDistance(Primitive{Sphere{5e-3}}), MarkerDistance(mesh, "peg")}, {}, {});
  try {
    internal::LayerArrays arrays(field, "marker batch");
    FAIL();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("marker batch: object 1 is a mesh"), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find("MarkerDistance(mesh, 'trilinear'"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace taxel
