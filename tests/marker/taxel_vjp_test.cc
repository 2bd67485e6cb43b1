// Gradients of taxel's marker model against central differences, to 1e-4. Cases:
//   - all steps of a path, with respect to every entry of every pose and every parameter: stick, slip, entry
//     from above, a dome (trilinear), two objects
//   - force and torque of one step; the stretch before it
//   - the Jacobian: its displacement is the field's, its columns are the reverse gradient's
//   - a start from a state in contact; an empty path; a first step (no step before)
//   - creep and substeps are refused; wrong sizes
#include "taxel/marker/taxel_vjp.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "../shape/expect_error.h"
#include "../shape/test_meshes.h"
#include "marker_scenes.h"

namespace taxel {
namespace {

using test::Grid, test::FlatPad;
using Path = std::vector<std::vector<Pose>>;

struct Scene {
  std::string name;
  TaxelField field;
  Path path;
};

Pose Tilt(const Vec3& about, double angle, const Vec3& p) {
  return {RotationAbout(normalized(about), angle), p};
}

MarkerIndenter Rod() { return SampleIndenter(Body(Cylinder{3e-3, 12e-3}, {}), 0.9e-3, 2); }
MarkerDistance Dome() { return MarkerDistance(Primitive{Ellipsoid{{15e-3, 19e-3, 6e-3}}}); }

std::vector<Scene> Scenes() {
  const MarkerIndenter ball = test::Ball(8e-3, 1e-3), rod = Rod();
  const auto drag = [](double step, double z, bool turn) {
    Path out{{Tilt({1, 2, 3}, 0.2, {0.2e-3, -0.3e-3, z + 0.5e-3})}};
    for (int i = 0; i < 4; ++i)
      out.push_back({Tilt({1, 2, 3}, 0.2 + (turn ? 0.01 * i : 0),
                          {0.2e-3 + step * (i + 1), -0.3e-3 - 0.7 * step * i, z - 0.07e-3 * i})});
    return out;
  };
  TaxelParameters sticky, slippery, dome;
  sticky.friction = 8, slippery.friction = 0.08, dome.friction = 0.3;
  std::vector<Scene> out;
  out.push_back(
      {"stick", TaxelField(GelPad(FlatPad()), Grid(), {ball}, sticky, 1), drag(2e-5, 9.5e-3, true)});
  out.push_back(
      {"slip", TaxelField(GelPad(FlatPad()), Grid(), {ball}, slippery, 1), drag(2e-4, 9.4e-3, true)});
  out.push_back(
      {"entry",
       TaxelField(GelPad(FlatPad()), Grid(), {ball}, {}, 1),
       {{Tilt({0, 1, 1}, 0.3, {0, 0, 10.7e-3})}, {Tilt({0, 1, 1.2}, 0.33, {0.2e-3, -0.1e-3, 9.3e-3})}}});
  out.push_back({"dome",
                 TaxelField(
                     GelPad(Dome(), 0.5e-3),
                     [] {
                       std::vector<Vec3> m = Grid(5, 5);
                       for (Vec3& p : m) p.z = 6e-3 * std::sqrt(1 - p.x * p.x / 225e-6 - p.y * p.y / 361e-6);
                       return m;
                     }(),
                     {ball}, dome, 1),
                 drag(8e-5, 13.4e-3, true)});
  Path pair = drag(6e-5, 9.4e-3, true);
  for (std::size_t t = 0; t < pair.size(); ++t)
    pair[t].push_back(
        Tilt({1, 0.3, 0.1}, 1.3 + 0.01 * static_cast<double>(t),
             {6e-3, -5e-3 + 5e-5 * static_cast<double>(t), 5.6e-3 - 4e-5 * static_cast<double>(t)}));
  out.push_back({"two objects", TaxelField(GelPad(FlatPad()), Grid(), {ball, rod}, {}, 1), pair});
  return out;
}

std::vector<std::vector<Vec3>> Weights(std::size_t steps, std::size_t markers) {
  std::vector<std::vector<Vec3>> out(steps);
  for (std::size_t t = 0; t < steps; ++t)
    for (std::size_t m = 0; m < markers; ++m) out[t].push_back(test::UniformDirection(40 + t, m));
  return out;
}

double Loss(TaxelField field, const Path& path, const std::vector<std::vector<Vec3>>& w) {
  double sum = 0;
  TaxelReading r;
  for (std::size_t t = 0; t < path.size(); ++t) {
    field.Step(path[t], 0, nullptr, &r);
    for (std::size_t m = 0; m < r.displacement.size(); ++m) sum += dot(w[t][m], r.displacement[m]);
  }
  return sum;
}

double* Entry(Pose* X, int j) { return j % 4 == 3 ? &X->p[j / 4] : &X->R.m[3 * (j / 4) + j % 4]; }

double TaxelParameters::*const kMembers[8] = {
    &TaxelParameters::lambda_d,         &TaxelParameters::lambda_s,        &TaxelParameters::friction,
    &TaxelParameters::normal_stiffness, &TaxelParameters::shear_stiffness, &TaxelParameters::squeeze,
    &TaxelParameters::dilate_scale,     &TaxelParameters::shear_scale};

TEST(TaxelVjp, ScenesAreWhatTheyAreCalled) {
  for (Scene& s : Scenes()) {
    TaxelField field = s.field;
    TaxelReading r;
    std::vector<std::size_t> touching;
    for (const auto& X : s.path) {
      field.Step(X, 0, nullptr, &r);
      touching.push_back(r.points_P.size());
    }
    const TaxelParameters& p = field.parameters();
    const double slip = p.friction * p.normal_stiffness / p.shear_stiffness;
    const MarkerState& state = field.state().objects[0];
    std::size_t slipped = 0;
    for (std::size_t i = 0; i < state.index.size(); ++i) {
      const Vec3 n = state.X_PI.R * field.objects()[0].normals_I[static_cast<std::size_t>(state.index[i])];
      const Vec3 t = state.f_P[i] - dot(state.f_P[i], n) * n;
      slipped += norm(t) > slip * -state.phi[i] * (1 - 1e-9);
    }
    EXPECT_LT(touching.front(), touching.back() / 2) << s.name;  // points enter on the way
    EXPECT_GT(state.index.size(), 15u) << s.name;
    const double share = static_cast<double>(slipped) / static_cast<double>(state.index.size());
    EXPECT_LT(share, s.name == "stick" ? 0.35 : 2) << s.name;
    EXPECT_GT(share, s.name == "slip" ? 0.9 : -1) << s.name;
    if (s.name != "stick" && s.name != "slip") {
      EXPECT_GT(share, 0.05) << s.name;
      EXPECT_LT(share, 0.95) << s.name;
    }
  }
}

TEST(TaxelVjp, PosesOfAPath) {
  for (Scene& s : Scenes()) {
    const auto w = Weights(s.path.size(), s.field.markers_P().size());
    TaxelTape tape(s.field);
    for (const auto& X : s.path) tape.Step(X);
    std::vector<std::vector<PoseGradient>> poses;
    TaxelParameterGradient numbers;
    tape.Backward(w, &poses, &numbers);
    ASSERT_EQ(poses.size(), s.path.size());
    double most[2] = {0, 0};  // of rotations, of translations
    for (const auto& row : poses)
      for (const PoseGradient& g : row)
        for (int j = 0; j < 12; ++j) most[j % 4 == 3] = std::fmax(most[j % 4 == 3], std::fabs(g[j]));
    EXPECT_GT(most[0], 1);
    for (std::size_t t = 0; t < s.path.size(); ++t)
      for (std::size_t k = 0; k < s.path[t].size(); ++k)
        for (int j = 0; j < 12; ++j) {
          // Steps of 1 nm at the points: rounding gives 1e-8 of the value, curvature 1e-12. A matrix that is
          // off by 2e-7 still passes for a rotation (1e-6).
          const double h = j % 4 == 3 ? 1e-9 : 1e-7;
          Path up = s.path, low = s.path;
          *Entry(&up[t][k], j) += h, *Entry(&low[t][k], j) -= h;
          const double slope = (Loss(s.field, up, w) - Loss(s.field, low, w)) / (2 * h);
          EXPECT_NEAR(poses[t][k][static_cast<std::size_t>(j)], slope, 1e-4 * most[j % 4 == 3])
              << s.name << ", step " << t << ", object " << k << ", entry " << j;
        }
  }
}

TEST(TaxelVjp, ParametersOfAPath) {
  for (Scene& s : Scenes()) {
    const auto w = Weights(s.path.size(), s.field.markers_P().size());
    TaxelTape tape(s.field);
    for (const auto& X : s.path) tape.Step(X);
    std::vector<std::vector<PoseGradient>> poses;
    TaxelParameterGradient numbers;
    tape.Backward(w, &poses, &numbers);
    for (int j = 0; j < 8; ++j) {
      TaxelParameters p = s.field.parameters();
      const double value = p.*kMembers[j], h = 1e-6 * value;
      TaxelField up = s.field, low = s.field;
      p.*kMembers[j] = value + h;
      up.set_parameters(p);
      p.*kMembers[j] = value - h;
      low.set_parameters(p);
      const double slope = (Loss(up, s.path, w) - Loss(low, s.path, w)) / 2e-6;  // per relative change
      const double size = std::fmax(1.0, std::fabs(slope));                      // of a loss of tens of px
      EXPECT_NEAR(value * numbers[static_cast<std::size_t>(j)], slope, 1e-4 * size) << s.name << ", " << j;
    }
  }
}

TEST(TaxelVjp, ForceTorqueAndStretchOfAStep) {
  for (Scene& s : Scenes()) {
    TaxelField field = s.field;
    TaxelReading r;
    for (std::size_t t = 0; t + 1 < s.path.size(); ++t) field.Step(s.path[t], 0, nullptr, &r);
    const TaxelState before = field.state();
    const std::vector<Pose> last = s.path.back();
    const Vec3 wf{0.3, -0.8, 0.5}, wt{200, 500, -300};
    const auto loss = [&](const TaxelState& from, const std::vector<Pose>& X, const TaxelParameters& p) {
      TaxelField f = s.field;
      f.set_parameters(p);
      f.set_state(from);
      TaxelReading reading;
      f.Step(X, 0, nullptr, &reading);
      return dot(wf, reading.force_P) + dot(wt, reading.torque_P);
    };
    field.Step(last, 0, nullptr, &r);
    TaxelCotangent c;
    c.displacement.assign(field.markers_P().size(), Vec3{});
    c.force_P = wf, c.torque_P = wt;
    TaxelGradient g;
    TaxelVjp(field, before, field.state(), c, &g);
    const TaxelParameters p = field.parameters();
    for (std::size_t k = 0; k < last.size(); ++k) {
      double most[2] = {0, 0};
      for (int j = 0; j < 12; ++j)
        most[j % 4 == 3] =
            std::fmax(most[j % 4 == 3], std::fmax(std::fabs(g.X_PI[k][j]), std::fabs(g.X_PI_before[k][j])));
      for (int j = 0; j < 12; ++j) {
        const double h = j % 4 == 3 ? 1e-9 : 1e-7;
        std::vector<Pose> up = last, low = last;
        *Entry(&up[k], j) += h, *Entry(&low[k], j) -= h;
        EXPECT_NEAR(g.X_PI[k][j], (loss(before, up, p) - loss(before, low, p)) / (2 * h),
                    1e-4 * most[j % 4 == 3])
            << s.name << j;
        TaxelState a = before, b = before;
        *Entry(&a.objects[k].X_PI, j) += h, *Entry(&b.objects[k].X_PI, j) -= h;
        EXPECT_NEAR(g.X_PI_before[k][j], (loss(a, last, p) - loss(b, last, p)) / (2 * h),
                    1e-4 * most[j % 4 == 3])
            << s.name << j;
      }
      ASSERT_EQ(g.stretch_before[k].size(), before.objects[k].index.size());
      double greatest = 0;
      for (const Vec3& v : g.stretch_before[k]) greatest = std::fmax(greatest, norm(v));
      for (std::size_t i = 0; i < before.objects[k].index.size(); i += 7)
        for (int axis = 0; axis < 3; ++axis) {
          TaxelState a = before, b = before;
          a.objects[k].f_P[i][axis] += 1e-9, b.objects[k].f_P[i][axis] -= 1e-9;
          EXPECT_NEAR(g.stretch_before[k][i][axis], (loss(a, last, p) - loss(b, last, p)) / 2e-9,
                      1e-4 * greatest)
              << s.name;
        }
    }
    for (const int j : {2, 3, 4, 5}) {
      TaxelParameters up = p, low = p;
      up.*kMembers[j] *= 1 + 1e-6, low.*kMembers[j] *= 1 - 1e-6;
      const double slope = (loss(before, last, up) - loss(before, last, low)) / 2e-6;
      EXPECT_NEAR(p.*kMembers[j] * g.parameters[static_cast<std::size_t>(j)], slope,
                  1e-4 * std::fmax(0.1, std::fabs(slope)))
          << s.name << j;
    }
  }
}

TEST(TaxelVjp, JacobianEqualsTheReverseGradient) {
  for (Scene& s : Scenes())
    for (const bool in_contact : {false, true}) {
      TaxelField field = s.field;
      Path path = s.path;
      TaxelReading r;
      if (in_contact) {
        for (std::size_t t = 0; t < 2; ++t) field.Step(path[t], 0, nullptr, &r);
        path.erase(path.begin(), path.begin() + 2);
      }
      std::vector<Vec3> u;
      std::array<std::vector<Vec3>, 8> columns;
      TaxelJacobian(field, path, &u, &columns);
      TaxelTape tape(field);
      std::vector<Vec3> follow;
      for (const auto& X : path) follow = tape.Step(X).displacement;
      if (path.empty()) continue;
      for (std::size_t m = 0; m < u.size(); ++m) EXPECT_LT(norm(u[m] - follow[m]), 1e-11);
      auto w = Weights(path.size(), u.size());
      for (std::size_t t = 0; t + 1 < w.size(); ++t) w[t].assign(u.size(), Vec3{});
      std::vector<std::vector<PoseGradient>> poses;
      TaxelParameterGradient numbers;
      tape.Backward(w, &poses, &numbers);
      for (std::size_t j = 0; j < 8; ++j) {
        double sum = 0, size = 0;
        for (std::size_t m = 0; m < u.size(); ++m)
          sum += dot(w.back()[m], columns[j][m]), size += norm(columns[j][m]);
        EXPECT_NEAR(numbers[j], sum, 1e-10 * (size + 1e-300)) << s.name << j;
      }
    }
}

TEST(TaxelVjp, EmptyPathsAndFirstSteps) {
  Scene s = std::move(Scenes()[0]);
  TaxelTape none(s.field);
  std::vector<std::vector<PoseGradient>> poses;
  TaxelParameterGradient numbers{1, 2, 3, 4, 5, 6, 7, 8};
  none.Backward({}, &poses, &numbers);
  EXPECT_TRUE(poses.empty());
  EXPECT_EQ(numbers, TaxelParameterGradient{});
  // A first pose in contact: dilation alone, so friction and squeeze count for nothing.
  TaxelTape first(s.field);
  first.Step(s.path.back());
  first.Backward(Weights(1, 63), &poses, &numbers);
  EXPECT_EQ(numbers[2], 0);
  EXPECT_EQ(numbers[5], 0);
  EXPECT_EQ(numbers[7], 0);
  EXPECT_NE(numbers[6], 0);
}

TEST(TaxelVjp, WhatHasNoGradientIsRefused) {
  Scene s = std::move(Scenes()[0]);
  TaxelParameters p;
  p.creep = 0.1;
  TaxelField creeps = s.field;
  creeps.set_parameters(p);
  ExpectError([&] { TaxelTape{creeps}; }, {"creep"});
  const TaxelField parts(GelPad(FlatPad()), Grid(), {test::Ball(8e-3, 2e-3)}, {}, 2);
  ExpectError([&] { TaxelTape{parts}; }, {"substeps"});
  std::vector<Vec3> u;
  std::array<std::vector<Vec3>, 8> columns;
  ExpectError([&] { TaxelJacobian(parts, s.path, &u, &columns); }, {"substeps"});
  ExpectError([&] { TaxelJacobian(s.field, {{}}, &u, &columns); }, {"0 poses", "1 objects"});
  Path nan = s.path;
  nan[2][0].p.x = std::nan("");
  ExpectError([&] { TaxelJacobian(s.field, nan, &u, &columns); }, {"finite"});
  TaxelTape tape(s.field);
  tape.Step(s.path[0]);
  std::vector<std::vector<PoseGradient>> poses;
  TaxelParameterGradient numbers;
  ExpectError([&] { tape.Backward({}, &poses, &numbers); }, {"0 steps", "path of 1"});
  ExpectError([&] { tape.Backward({{}}, &poses, &numbers); }, {"0 cotangents", "63 markers"});
}

}  // namespace
}  // namespace taxel
