// taxel's own field of markers on the CPU (its numbers are compared with a slow reference in
// tests/python/marker/test_marker_taxel_reference.py). Cases:
//   - culling changes no bit: the state against the law of every single point, flat and lattice
//   - copies and set_state go on alike; Reset is a new field
//   - substeps are poses in between, bit for bit; InterpolatePose: ends, middle, half turn
//   - shear stays at rest and goes with the contact; a first pose in contact has dilation alone
//   - forces: sums, torques, shares of the markers; two objects far apart add up
//   - gravity pass: no trace in the state; the stretches of moving on, the depths of before
//   - creep: the closed form for uneven dt
//   - wrong input: shapes, numbers, states; nothing has changed
#include "taxel/marker/taxel_field.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "../shape/expect_error.h"
#include "marker_scenes.h"

namespace taxel {
using namespace internal;
namespace {

using test::Ball, test::FlatPad, test::Grid, test::RandomPath;

const double kNan = std::numeric_limits<double>::quiet_NaN();

MarkerDistance Dome() { return MarkerDistance(Primitive{Ellipsoid{{14e-3, 17e-3, 2e-3}}}); }

TaxelField Make(const MarkerDistance& pad = FlatPad(), TaxelParameters p = {}, int substeps = 1) {
  return TaxelField(GelPad(pad), Grid(), {Ball(8e-3, 1.2e-3)}, p, substeps);
}

double Greatest(const std::vector<Vec3>& values) {
  double out = 0;
  for (const Vec3& v : values) out = std::fmax(out, norm(v));
  return out;
}

double Apart(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
  double out = 0;
  for (std::size_t i = 0; i < a.size(); ++i) out = std::fmax(out, norm(a[i] - b[i]));
  return out;
}

TEST(TaxelField, CullingChangesNoBit) {
  for (const MarkerDistance& pad : {FlatPad(), Dome()}) {
    TaxelField field = Make(pad);
    const MarkerIndenter& ball = field.objects()[0];
    const TaxelParameters& p = field.parameters();
    const PointMaterial<double> m{p.friction * p.normal_stiffness / p.shear_stiffness, p.squeeze};
    std::vector<Triple<double>> stretch(ball.points_I.size());
    Pose before;
    bool started = false;
    TaxelReading r;
    std::size_t most = 0;
    for (const Pose& X : RandomPath(3, 40)) {
      field.Step({X}, 0, nullptr, &r);
      const MarkerState& s = field.state().objects[0];
      std::size_t held = 0;
      for (std::size_t k = 0; k < stretch.size(); ++k) {
        const auto at = [](const Vec3& v) { return Triple<double>{v.x, v.y, v.z}; };
        PointTouch<double> touch;
        const bool inside = MovePoint(field.pad().surface(), m, started, at(before * ball.points_I[k]),
                                      at(-(before.R * ball.normals_I[k])), stretch[k],
                                      at(X * ball.points_I[k]), at(-(X.R * ball.normals_I[k])), &touch);
        stretch[k] = inside ? touch.stretch : Triple<double>{};
        if (!inside) continue;
        ASSERT_LT(held, s.index.size());
        ASSERT_EQ(s.index[held], static_cast<int>(k));
        ASSERT_EQ(s.phi[held], -touch.depth);
        ASSERT_EQ(s.f_P[held], (Vec3{stretch[k].x, stretch[k].y, stretch[k].z}));
        ++held;
      }
      ASSERT_EQ(held, s.index.size());
      most = std::max(most, held);
      before = X, started = true;
    }
    EXPECT_GT(most, 20u);
  }
}

TEST(TaxelField, CopiesGoOnAlikeAndResetIsNew) {
  TaxelParameters p;
  p.creep = 0.3;
  TaxelField field = Make(FlatPad(), p), other = Make(FlatPad(), p), fresh = Make(FlatPad(), p);
  TaxelReading a, b, c;
  const std::vector<Pose> path = RandomPath(5);
  for (int i = 0; i < 20; ++i) field.Step({path[i]}, 0.05, nullptr, &a);
  ASSERT_FALSE(field.state().objects[0].index.empty());
  TaxelField copy = field;
  other.set_state(field.state());
  for (int i = 20; i < 40; ++i) {
    field.Step({path[i]}, 0.05, nullptr, &a);
    copy.Step({path[i]}, 0.05, nullptr, &b);
    other.Step({path[i]}, 0.05, nullptr, &c);
    ASSERT_EQ(a.displacement, b.displacement);
    ASSERT_EQ(a.displacement, c.displacement);
  }
  field.Reset();
  std::vector<Vec3> none;
  field.Dilation(&none);
  EXPECT_EQ(Greatest(none), 0);
  for (int i = 10; i < 20; ++i) {
    field.Step({path[i]}, 0.05, nullptr, &a);
    fresh.Step({path[i]}, 0.05, nullptr, &b);
    ASSERT_EQ(a.displacement, b.displacement);
  }
}

TEST(TaxelField, SubstepsArePosesInBetween) {
  TaxelField parts = Make(FlatPad(), {}, 3), whole = Make();
  TaxelReading a, b;
  const std::vector<Pose> path = RandomPath(6, 30);
  parts.Step({path[0]}, 0, nullptr, &a);
  whole.Step({path[0]}, 0, nullptr, &b);
  for (std::size_t i = 1; i < path.size(); ++i) {
    parts.Step({path[i]}, 0, nullptr, &a);
    for (int k = 1; k <= 3; ++k)
      whole.Step({k == 3 ? path[i] : InterpolatePose(path[i - 1], path[i], k / 3.0)}, 0, nullptr, &b);
    ASSERT_EQ(a.displacement, b.displacement) << i;
    ASSERT_EQ(parts.state(), whole.state()) << i;
  }
}

TEST(TaxelField, InterpolatedPoses) {
  const Vec3 axis = normalized({0.3, -0.5, 0.8});
  const Pose from{RotationAbout(normalized({1, 2, -1}), 0.7), {1e-3, 2e-3, 3e-3}};
  const Pose to{RotationAbout(axis, 1.1) * from.R, {2e-3, 0, 7e-3}};
  EXPECT_EQ(InterpolatePose(from, to, 1), to);
  const Pose none = InterpolatePose(from, to, 0), third = InterpolatePose(from, to, 1.0 / 3);
  const Mat3 want = RotationAbout(axis, 1.1 / 3) * from.R;
  for (int k = 0; k < 9; ++k) {
    EXPECT_NEAR(none.R.m[k], from.R.m[k], 1e-15);
    EXPECT_NEAR(third.R.m[k], want.m[k], 1e-15);
  }
  EXPECT_NEAR(third.p.z, 3e-3 + 4e-3 / 3, 1e-18);
  // A tiny turn is not lost, and a half turn has no NaN.
  const Pose tiny{RotationAbout(axis, 1e-6) * from.R, from.p},
      half{RotationAbout(axis, M_PI) * from.R, from.p};
  const Mat3 small = RotationAbout(axis, 0.5e-6) * from.R;
  for (int k = 0; k < 9; ++k) EXPECT_NEAR(InterpolatePose(from, tiny, 0.5).R.m[k], small.m[k], 1e-15);
  EXPECT_LT(RotationDefect(InterpolatePose(from, half, 0.5).R), 1e-12);
}

TEST(TaxelField, RemembersThePathUntilTheContactEnds) {
  for (const MarkerDistance& pad : {FlatPad(), Dome()}) {
    TaxelField field = Make(pad);
    TaxelReading r;
    std::vector<Vec3> dilation;
    field.Step({{{}, {1e-3, 0, 9.2e-3}}}, 0, nullptr, &r);
    field.Dilation(&dilation);
    EXPECT_GT(Greatest(r.displacement), 0.1);
    EXPECT_LT(Apart(r.displacement, dilation), 1e-12);  // a first pose in contact: no shear
    field.Step({{{}, {1.3e-3, -0.1e-3, 9.2e-3}}}, 0, nullptr, &r);
    field.Dilation(&dilation);
    const std::vector<Vec3> dragged = r.displacement;
    EXPECT_GT(Apart(dragged, dilation), 0.1);
    for (int i = 0; i < 5; ++i) field.Step({{{}, {1.3e-3, -0.1e-3, 9.2e-3}}}, 0, nullptr, &r);
    EXPECT_LT(Apart(dragged, r.displacement), 1e-12);
    field.ZeroTangential();
    field.Step({{{}, {1.3e-3, -0.1e-3, 9.2e-3}}}, 0, nullptr, &r);
    field.Dilation(&dilation);
    EXPECT_LT(Apart(r.displacement, dilation), 1e-12);
    field.Step({{{}, {1.3e-3, -0.1e-3, 12e-3}}}, 0, nullptr, &r);
    EXPECT_EQ(Greatest(r.displacement), 0);
    EXPECT_EQ(norm(r.force_P), 0);
    EXPECT_TRUE(field.state().objects[0].index.empty());
  }
}

TEST(TaxelField, ForcesAddUp) {
  for (const MarkerDistance& pad : {FlatPad(), Dome()}) {
    TaxelField field = Make(pad);
    field.set_marker_forces(true);
    TaxelReading r;
    for (const Pose& X : RandomPath(8, 30)) {
      field.Step({X}, 0, nullptr, &r);
      Vec3 force, torque, shared;
      for (std::size_t i = 0; i < r.points_P.size(); ++i) {
        force += r.point_forces_P[i];
        torque += cross(r.points_P[i], r.point_forces_P[i]);
      }
      for (const Vec3& f : r.marker_forces_P) shared += f;
      EXPECT_LT(norm(force - r.force_P), 1e-12);
      EXPECT_LT(norm(torque - r.torque_P), 1e-14);
      EXPECT_LT(norm(shared - r.force_P), 1e-12);
      if (!r.points_P.empty()) {
        EXPECT_LT(r.force_P.z, 0);
      }
    }
  }
  EXPECT_NEAR(ForceLambda(Grid()), 1 / (1.84375e-3 * 1.84375e-3), 1e-3);
}

TEST(TaxelField, FarObjectsAddUp) {
  const MarkerIndenter small = Ball(3e-3, 0.5e-3);
  const std::vector<Pose> path = RandomPath(9, 30);
  TaxelField both(GelPad(FlatPad()), Grid(), {small, small}, {}, 1),
      one(GelPad(FlatPad()), Grid(), {small}, {}, 1), two = one;
  TaxelReading r, a, b;
  for (std::size_t i = 0; i < path.size(); ++i) {
    Pose X = path[i], Y = path[path.size() - 1 - i];
    X.p += Vec3{-5e-3, 4e-3, -5e-3}, Y.p += Vec3{5e-3, -6e-3, -5e-3};
    both.Step({X, Y}, 0, nullptr, &r);
    one.Step({X}, 0, nullptr, &a);
    two.Step({Y}, 0, nullptr, &b);
    for (std::size_t m = 0; m < r.displacement.size(); ++m)
      EXPECT_LT(norm(r.displacement[m] - a.displacement[m] - b.displacement[m]), 1e-12);
    EXPECT_LT(norm(r.force_P - a.force_P - b.force_P), 1e-12);
    EXPECT_LT(norm(r.torque_P - a.torque_P - b.torque_P), 1e-14);
  }
}

TEST(TaxelField, GravityPassLeavesNoTrace) {
  const Pose shift{{}, {1e-4, -2e-4, 0}};
  TaxelField with = Make(), without = Make();
  TaxelReading a, b;
  for (const Pose& X : RandomPath(10, 30)) {
    with.Step({X}, 0, &shift, &a);
    without.Step({X}, 0, nullptr, &b);
    ASSERT_EQ(with.state(), without.state());
    // A shift along a flat gel keeps depths: the forces are those of moving on, all at once.
    TaxelField on = without;
    TaxelReading c;
    on.Step({shift * X}, 0, nullptr, &c);
    if (c.points_P.size() == a.points_P.size()) {
      EXPECT_LT(norm(a.force_P - c.force_P), 1e-12);
    }
    const Pose none;
    TaxelField again = with;
    again.Step({X}, 0, &none, &c);  // resting changes nothing but roundings
    EXPECT_LT(Apart(b.displacement, c.displacement), 1e-12);
  }
}

TEST(TaxelField, CreepInClosedForm) {
  TaxelParameters p, still;
  p.creep = 0.35, p.creep_time = 0.4;
  TaxelField field = Make(FlatPad(), p), quick = Make(FlatPad(), still);
  TaxelReading a, b;
  const Pose up{{}, {0, 0, 11e-3}}, down{{}, {0.3e-3, 0, 9.3e-3}};
  for (TaxelField* f : {&field, &quick}) f->Step({up}, 0.1, nullptr, &a);
  quick.Step({down}, 0, nullptr, &b);
  double time = 0;
  field.Step({down}, 0, nullptr, &a);
  for (const double dt : {0.0, 0.01, 0.3, 0.001, 1.7}) {
    time += dt;
    field.Step({down}, dt, nullptr, &a);
    // A step at 0: the part that is not late at once, the rest exponentially.
    const double part = 1 - 0.35 * std::exp(-time / 0.4);
    for (std::size_t i = 0; i < a.displacement.size(); ++i)
      EXPECT_LT(norm(a.displacement[i] - part * b.displacement[i]), 1e-12);
    EXPECT_LT(norm(a.force_P - b.force_P), 1e-12);
  }
}

TEST(TaxelField, WrongInput) {
  const GelPad pad(FlatPad());
  const auto make = [&](std::vector<MarkerIndenter> objects, TaxelParameters p = {}, int substeps = 1) {
    return TaxelField(pad, Grid(), std::move(objects), p, substeps);
  };
  const MarkerIndenter good = Ball(8e-3, 2e-3);
  MarkerIndenter bad = good;
  bad.normals_I.clear();
  ExpectError([&] { make({good, bad}); }, {"object 1", "normal"});
  bad = good, bad.areas.pop_back();
  ExpectError([&] { make({bad}); }, {"object 0", "areas"});
  bad = good, bad.areas[3] = -1e-9;
  ExpectError([&] { make({bad}); }, {"area 3", "0 or more"});
  bad = good, bad.areas.assign(bad.areas.size(), 0);
  ExpectError([&] { make({bad}); }, {"sum to 0"});
  bad = good, bad.normals_I[2] = {0, 0, 1.1};
  ExpectError([&] { make({bad}); }, {"normal 2", "unit"});
  bad = good, bad.points_I[4].y = kNan;
  ExpectError([&] { make({bad}); }, {"point 4", "finite"});
  ExpectError([&] { make({}); }, {"no object"});
  ExpectError([&] { make({good}, {}, 0); }, {"substeps", "1 to 64"});
  ExpectError([&] { make({good}, {}, 65); }, {"substeps"});
  ExpectError([&] { TaxelField(pad, {}, {good}, {}, 1); }, {"no marker"});
  ExpectError([&] { TaxelField(pad, {{0, kNan, 0}}, {good}, {}, 1); }, {"marker 0", "finite"});
  double TaxelParameters::*const above[] = {&TaxelParameters::lambda_d, &TaxelParameters::lambda_s,
                                            &TaxelParameters::normal_stiffness,
                                            &TaxelParameters::shear_stiffness, &TaxelParameters::creep_time};
  for (auto member : above)
    for (const double value : {0.0, -1.0, kNan, 1 / 0.0}) {
      TaxelParameters p;
      p.*member = value;
      ExpectError([&] { make({good}, p); }, {"above 0"});
    }
  TaxelParameters p;
  p.creep = 1.01;
  ExpectError([&] { make({good}, p); }, {"creep", "0 to 1"});
  TaxelField two = make({good, good});
  TaxelReading r;
  two.Step({Pose{}, Pose{}}, 0, nullptr, &r);
  const TaxelState before = two.state();
  const Pose down{{}, {1e-3, 0, 9e-3}}, nan{{}, {0, 0, kNan}};
  ExpectError([&] { two.Step({down}, 0, nullptr, &r); }, {"1 poses", "2 objects"});
  ExpectError([&] { two.Step({down, nan}, 0, nullptr, &r); }, {"X_PI", "finite"});
  ExpectError([&] { two.Step({down, down}, 0, &nan, &r); }, {"shift"});
  ExpectError([&] { two.Step({down, down}, -1, nullptr, &r); }, {"dt"});
  ExpectError([&] { two.set_state(make({good}).state()); }, {"not one of this field"});
  TaxelState wrong = before;
  ASSERT_GT(wrong.objects[1].index.size(), 1u);
  std::swap(wrong.objects[1].index[0], wrong.objects[1].index[1]);
  ExpectError([&] { two.set_state(wrong); }, {"not one of this field"});
  wrong = before, wrong.objects[0].phi[0] = 1e-3;
  ExpectError([&] { two.set_state(wrong); }, {"not one of this field"});
  wrong = before, wrong.late.pop_back();
  ExpectError([&] { two.set_state(wrong); }, {"not one of this field"});
  EXPECT_EQ(two.state(), before);
}

}  // namespace
}  // namespace taxel
