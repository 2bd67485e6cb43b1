// Gradients of the elastic layer against central differences of the same path. Steps of 1 nm and 0.1 urad
// keep every branch but the rarest, and rounding then is 5e-9 of the largest derivative; bounds are 1e-7 of
// the largest of the same kind. Cases:
//   - every pose of a path (shift and turn) and every parameter: press, drag, twist, roll, release, markers
//     and wrench together; stick, partial and full slip; ball, tilted ellipsoid, cylinder, capsule, box on
//     its edge, mesh; flat and domed gels; markers below the face; two objects; several increments a step;
//     motions too short to be remembered; a start from a state in contact; a first pose inside
//   - a trilinear object, whose heights are known to 1e-9 m only: 1 %
//   - the steps are those of the field, within its tolerance, and the field stays where it is
//   - the Jacobian is the gradient, number by number
//   - random poses: how often a corner lies within a micrometre
//   - a tape that shares tables gives the same; wrong sizes, friction 0, too many cells
#include "taxel/marker/layer_vjp.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "../shape/expect_error.h"
#include "../shape/test_meshes.h"
#include "marker_scenes.h"
#include "taxel/math/pose_twist.h"

namespace taxel {
namespace {

using internal::Moved, internal::PoseTwist;
using test::FlatPad, test::Grid;
using Path = std::vector<std::vector<Pose>>;

struct Scene {
  std::string name;
  LayerField field;
  Path path;
  double bound = 1e-7, step = 1e-9;
};

Pose Tilt(const Vec3& about, double angle, const Vec3& p) {
  return {RotationAbout(normalized(about), angle), p};
}

// Down, aside, about z, rolled, half out; each in a step.
Path Way(const Pose& start, const Vec3& drag, double twist, double roll, double down = 0.22e-3) {
  Path out{{start}};
  Pose X = start;
  for (const double z : {down, 1.1 * down}) {
    X.p.z -= z;
    X.p.x += 0.03e-3;
    out.push_back({X});
  }
  X.p += drag;
  out.push_back({X});
  X.R = RotationAbout({0, 0, 1}, twist) * X.R;
  out.push_back({X});
  X.R = RotationAbout(normalized({0.3, 1, 0}), roll) * X.R;
  X.p.x += 8e-3 * roll;
  out.push_back({X});
  X.p.z += 0.7 * down;
  out.push_back({X});
  return out;
}

constexpr Vec3 kSomeway{0.11e-3, 0.07e-3, 0};

LayerParameters Material(double friction, double depth = 0) {
  LayerParameters p;
  p.friction = friction;
  p.marker_depth = depth;
  p.poisson = 0.48;
  return p;
}

LayerField Flat(const std::vector<MarkerDistance>& objects, const LayerParameters& p) {
  return LayerField(GelPad(FlatPad()), Grid(5, 4), objects, p, {0.8e-3, 1e-4, 1});
}
LayerField Flat(const Primitive& shape, double friction, double depth = 0) {
  return Flat({MarkerDistance(shape)}, Material(friction, depth));
}

// A cap of 6 mm; at its rim 1.3 mm.
LayerField Domed(const Primitive& shape, double friction, double depth = 0) {
  LayerParameters p = Material(friction, depth);
  p.thickness = 6e-3;
  std::vector<Vec3> markers = Grid(5, 4);
  for (Vec3& m : markers)
    m.z = 6e-3 * std::sqrt(1 - m.x * m.x / (14e-3 * 14e-3) - m.y * m.y / (16e-3 * 16e-3));
  return LayerField(GelPad(MarkerDistance(Primitive{Ellipsoid{{14e-3, 16e-3, 6e-3}}})), markers,
                    {MarkerDistance(shape)}, p, {0.8e-3, 1e-4, 1});
}

std::vector<Scene> Scenes() {
  std::vector<Scene> out;
  const Pose over = Tilt({1, 2, 3}, 0.4, {0.31e-3, -0.43e-3, 9.9e-3});
  const Path way = Way(over, kSomeway, 0.02, 0.01);
  out.push_back({"ball, partial slip", Flat(Sphere{8e-3}, 0.5), way});
  out.push_back({"ball, stick", Flat(Sphere{8e-3}, 5), way});
  out.push_back({"ball, slip", Flat(Sphere{8e-3}, 0.1), way});
  out.push_back({"ball, long steps", Flat(Sphere{8e-3}, 0.4), Way(over, {0.43e-3, -0.29e-3, 0}, 0.2, 0.04)});
  out.push_back({"ball, markers below", Flat(Sphere{8e-3}, 0.5, 0.6e-3), way});
  out.push_back({"ellipsoid", Flat(Ellipsoid{{9e-3, 5e-3, 4e-3}}, 0.5),
                 Way(Tilt({1, 2, 0}, 0.35, {0.2e-3, 0.3e-3, 6.63e-3}), kSomeway, 0.03, 0.02)});
  out.push_back({"cylinder", Flat(Cylinder{4e-3, 9e-3}, 0.5),
                 Way(Tilt({1, 0.1, 0.2}, 1.5, {0.2e-3, 0.3e-3, 6.1e-3}), kSomeway, 0.03, 0.02)});
  out.push_back({"capsule", Flat(Capsule{3e-3, 6e-3}, 0.4),
                 Way(Tilt({1, 0.1, 0.2}, 1.4, {0.2e-3, 0.3e-3, 5.4e-3}), kSomeway, 0.03, 0.02)});
  out.push_back({"box", Flat(Box{{8e-3, 6e-3, 5e-3}}, 0.5),
                 Way(Tilt({1, 0.7, 0.4}, 0.09, {0.27e-3, 0.13e-3, 4.6e-3}), kSomeway, 0.02, 0.01)});
  out.push_back({"mesh", Flat({MarkerDistance(test::Icosphere(2, 8e-3), "ball")}, Material(0.5)),
                 Way(over, kSomeway, 0.02, 0.01)});
  const Pose high = Tilt({1, 2, 3}, 0.4, {0.9e-3, -1.43e-3, 13.8e-3});
  out.push_back({"dome, ball", Domed(Sphere{8e-3}, 0.5), Way(high, kSomeway, 0.02, 0.01)});
  out.push_back(
      {"dome, ball, markers below", Domed(Sphere{8e-3}, 0.3, 0.4e-3), Way(high, kSomeway, 0.02, 0.01)});
  out.push_back({"dome, ellipsoid", Domed(Ellipsoid{{9e-3, 5e-3, 4e-3}}, 0.5),
                 Way(Tilt({1, 2, 0}, 0.35, {2.2e-3, 1.3e-3, 10.4e-3}), kSomeway, 0.03, 0.02)});
  out.push_back({"dome, box", Domed(Box{{8e-3, 6e-3, 5e-3}}, 0.5),
                 Way(Tilt({1, 0.7, 0.4}, 0.09, {0.27e-3, 0.13e-3, 8.4e-3}), kSomeway, 0.02, 0.01)});
  {
    Scene two{"two objects",
              Flat({MarkerDistance(Primitive{Sphere{5e-3}}), MarkerDistance(Primitive{Cylinder{2e-3, 6e-3}})},
                   Material(0.5)),
              {}};
    const Path a = Way(Tilt({1, 2, 3}, 0.4, {-2.6e-3, 0.2e-3, 6.9e-3}), kSomeway, 0.02, 0.01),
               b = Way(Tilt({1, 0.1, 0.2}, 1.5, {3.1e-3, 0.3e-3, 4.2e-3}), {-0.1e-3, 0.02e-3, 0}, -0.03, 0);
    for (std::size_t t = 0; t < a.size(); ++t) two.path.push_back({a[t][0], b[t][0]});
    out.push_back(two);
  }
  {
    Path slow = Way(over, kSomeway, 0, 0);  // below 2 % of the depth a step: one in some is remembered
    slow.resize(4);
    for (int i = 0; i < 5; ++i) {
      Pose X = slow.back()[0];
      X.p.x += 4e-6, X.p.y -= 2e-6;
      slow.push_back({X});
    }
    out.push_back({"slow", Flat(Sphere{8e-3}, 0.5), slow});
  }
  {
    Path inside = Way(over, kSomeway, 0.02, 0.01);
    inside.erase(inside.begin(), inside.begin() + 2);
    out.push_back({"a first pose inside", Flat(Sphere{8e-3}, 0.5), inside});
    LayerField pressed = Flat(Sphere{8e-3}, 0.5);
    LayerReading reading;
    for (const auto& X : way) pressed.Step(X, nullptr, &reading);
    Path on{way[3], way[4]};
    out.push_back({"from a state in contact", pressed, on});
  }
  // An end of the march within 1e-9 m of the surface, on differences of 0.2 um.
  out.push_back({"trilinear",
                 Flat({MarkerDistance(Primitive{Sphere{8e-3}}).Trilinear(1e-3, 2e-3)}, Material(0.5)),
                 Way(over, kSomeway, 0.02, 0.01), 0.01, 2e-7});
  return out;
}

std::vector<LayerCotangent> Seeds(std::size_t steps, std::size_t markers) {
  std::vector<LayerCotangent> out(steps);
  std::uint64_t n = 0;
  const auto draw = [&] { return 2 * internal::RandomUniform(7, n++) - 1; };
  for (LayerCotangent& c : out) {
    for (std::size_t m = 0; m < markers; ++m) c.displacement.push_back({draw(), draw(), draw()});
    c.force_P = {draw(), draw(), draw()};
    c.torque_P = 100 * Vec3{draw(), draw(), draw()};
  }
  return out;
}

double Loss(const LayerField& field, const Path& path, const std::vector<LayerCotangent>& seeds,
            const LayerTape& like) {
  LayerTape tape(field, &like);
  double out = 0;
  for (std::size_t t = 0; t < path.size(); ++t) {
    const LayerReading& r = tape.Step(path[t]);
    for (std::size_t m = 0; m < r.displacement.size(); ++m)
      out += dot(seeds[t].displacement[m], r.displacement[m]);
    out += dot(seeds[t].force_P, r.force_P) + dot(seeds[t].torque_P, r.torque_P);
  }
  return out;
}

PoseTwist Along(int direction, double size) {
  PoseTwist out;
  (direction < 3 ? out.shift : out.turn)[direction % 3] = size;
  return out;
}

// What the entries' derivatives say of a twist.
double Toward(const PoseGradient& g, const Pose& X, int direction) {
  constexpr double kSmall = 1e-6;
  const Pose up = Moved(X, Along(direction, kSmall)), low = Moved(X, Along(direction, -kSmall));
  double out = 0;
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) out += g[static_cast<std::size_t>(4 * r + c)] * (up.R(r, c) - low.R(r, c));
    out += g[static_cast<std::size_t>(4 * r + 3)] * (up.p[r] - low.p[r]);
  }
  return out / (2 * kSmall);
}

TEST(LayerVjp, PosesAgainstDifferences) {
  for (const Scene& s : Scenes()) {
    const auto seeds = Seeds(s.path.size(), s.field.markers_P().size());
    LayerTape tape(s.field);
    for (const auto& X : s.path) tape.Step(X);
    std::vector<std::vector<PoseGradient>> poses;
    LayerParameterGradient numbers;
    tape.Backward(seeds, &poses, &numbers);
    double largest[2] = {}, worst[2] = {};
    for (std::size_t t = 0; t < s.path.size(); ++t)
      for (std::size_t o = 0; o < s.path[t].size(); ++o)
        for (int d = 0; d < 6; ++d) {
          const double step = (d < 3 ? 1 : 100) * s.step;
          Path up = s.path, low = s.path;
          up[t][o] = Moved(s.path[t][o], Along(d, step));
          low[t][o] = Moved(s.path[t][o], Along(d, -step));
          const double slope =
              (Loss(s.field, up, seeds, tape) - Loss(s.field, low, seeds, tape)) / (2 * step);
          const double own = Toward(poses[t][o], s.path[t][o], d);
          largest[d / 3] = std::max(largest[d / 3], std::fabs(slope));
          worst[d / 3] = std::max(worst[d / 3], std::fabs(own - slope));
        }
    EXPECT_GT(largest[0], 1e3) << s.name;
    EXPECT_LT(worst[0], s.bound * largest[0]) << s.name << ", shift";
    EXPECT_LT(worst[1], s.bound * largest[1]) << s.name << ", turn";
  }
}

// Tables are in float (6e-8), so that differences by thickness and Poisson's ratio, over 1e-3 and 1e-2 of
// what they are, are good to some 1e-4 of the largest.
TEST(LayerVjp, ParametersAgainstDifferences) {
  for (const Scene& s : Scenes()) {
    const auto seeds = Seeds(s.path.size(), s.field.markers_P().size());
    LayerTape tape(s.field);
    for (const auto& X : s.path) tape.Step(X);
    std::vector<std::vector<PoseGradient>> poses;
    LayerParameterGradient numbers;
    tape.Backward(seeds, &poses, &numbers);
    LayerParameters p = s.field.parameters();
    p.thickness = s.field.thickness();
    double* all[] = {&p.friction, &p.young, &p.poisson, &p.thickness, &p.pixel, &p.marker_depth};
    const char* names[] = {"friction", "young", "poisson", "thickness", "pixel", "marker_depth"};
    const double steps[] = {1e-6, 1e-3, 2e-5, 3e-5, 1e-4, 1e-3},
                 bounds[] = {1e-5, 1e-6, 5e-3, 5e-3, 1e-6, 5e-3};
    for (std::size_t k = 0; k < 6; ++k) {
      const double value = *all[k], step = steps[k] * value;
      if (value == 0) continue;
      const auto at = [&](double x) {
        *all[k] = x;
        LayerField other = s.field;
        other.set_parameters(p);
        *all[k] = value;
        return Loss(other, s.path, seeds, tape);
      };
      const double slope = (at(value + step) - at(value - step)) / (2 * step);
      const double bound = s.bound > 1e-3 ? 0.05 : bounds[k];
      EXPECT_NEAR(numbers[k] * value, slope * value, bound * std::max(std::fabs(slope * value), 0.5))
          << s.name << ", " << names[k];
    }
  }
}

TEST(LayerVjp, StepsAreThoseOfTheField) {
  for (const Scene& s : Scenes()) {
    const LayerState before = s.field.state();
    LayerField field = s.field;
    LayerTape tape(s.field);
    LayerReading reading;
    double off = 0, size = 0, force = 0, sum = 0;
    for (const auto& X : s.path) {
      field.Step(X, nullptr, &reading);
      const LayerReading& r = tape.Step(X);
      for (std::size_t m = 0; m < r.displacement.size(); ++m)
        off += norm2(r.displacement[m] - reading.displacement[m]), size += norm2(r.displacement[m]);
      force += norm2(r.force_P - reading.force_P), sum += norm2(r.force_P);
    }
    EXPECT_LT(std::sqrt(off / size), 0.01) << s.name;
    EXPECT_LT(std::sqrt(force / sum), 0.005) << s.name;
    EXPECT_EQ(s.field.state(), before);
  }
}

TEST(LayerVjp, TheJacobianIsTheGradient) {
  for (const Scene& s : Scenes()) {
    const std::size_t markers = s.field.markers_P().size(), last = s.path.size() - 1;
    std::vector<LayerCotangent> seeds = Seeds(s.path.size(), markers);
    for (std::size_t t = 0; t < last; ++t) seeds[t] = {std::vector<Vec3>(markers), {}, {}};
    LayerTape tape(s.field);
    for (const auto& X : s.path) tape.Step(X);
    std::vector<std::vector<PoseGradient>> poses;
    LayerParameterGradient numbers;
    tape.Backward(seeds, &poses, &numbers);
    const LayerJacobian J = tape.Jacobian();
    const auto sum = [&](const std::vector<Vec3>& u, const std::array<double, 6>& w) {
      const LayerCotangent& c = seeds[last];
      double out = 0;
      for (std::size_t m = 0; m < markers; ++m) out += dot(c.displacement[m], u[m]);
      for (int k = 0; k < 3; ++k)
        out += c.force_P[k] * w[static_cast<std::size_t>(k)] +
               c.torque_P[k] * w[static_cast<std::size_t>(3 + k)];
      return out;
    };
    for (std::size_t k = 0; k < 6; ++k)
      EXPECT_NEAR(sum(J.displacement_by_parameter[k], J.wrench_by_parameter[k]), numbers[k],
                  1e-9 * std::fabs(numbers[k]))
          << s.name << k;
    for (std::size_t o = 0; o < s.path[last].size(); ++o)
      for (int d = 0; d < 6; ++d)
        EXPECT_NEAR(sum(J.displacement_by_pose[o][static_cast<std::size_t>(d)],
                        J.wrench_by_pose[o][static_cast<std::size_t>(d)]),
                    Toward(poses[last][o], s.path[last][o], d), d < 3 ? 1e-5 : 1e-6)
            << s.name << d;
  }
}

// Poses drawn at random, pressed and dragged: derivatives along a random shift against differences over 1 um.
// Corners (a cell that opens or closes, sticks or slips) lie anywhere; the model is continuous across them.
TEST(LayerVjp, HowOftenACornerIsNear) {
  std::uint64_t n = 0;
  const auto draw = [&] { return 2 * internal::RandomUniform(11, n++) - 1; };
  for (const bool box : {false, true}) {
    const LayerField field =
        box ? Flat(Box{{8e-3, 6e-3, 5e-3}}, 0.5) : Flat(Ellipsoid{{9e-3, 6e-3, 5e-3}}, 0.5);
    int off[2] = {}, count = 0;
    double worst = 0;
    for (int i = 0; i < 60; ++i) {
      const Vec3 about{draw(), draw(), draw()};
      Pose X = Tilt(about, box ? 0.15 * draw() : 0.6 * draw(), {2e-3 * draw(), 2e-3 * draw(), 9e-3});
      LayerField down = field;  // where it touches first
      LayerReading reading;
      for (int k = 0; k < 400 && reading.points_P.empty(); ++k) {
        X.p.z -= 0.02e-3;
        down.Reset();
        down.Step({X}, nullptr, &reading);
      }
      Path path{{X}};
      X.p.z -= 0.3e-3 + 0.1e-3 * draw();
      path.push_back({X});
      X.p += Vec3{0.15e-3 * draw(), 0.15e-3 * draw(), 0};
      X.R = RotationAbout({0, 0, 1}, 0.02 * draw()) * X.R;
      path.push_back({X});
      auto seeds = Seeds(path.size(), field.markers_P().size());
      LayerTape tape(field);
      for (const auto& Y : path) tape.Step(Y);
      std::vector<std::vector<PoseGradient>> poses;
      LayerParameterGradient numbers;
      tape.Backward(seeds, &poses, &numbers);
      const PoseTwist way{1e-6 * normalized({draw(), draw(), draw()}), {}};
      const PoseTwist back{-1.0 * way.shift, {}};
      Path up = path, low = path;
      up[2][0] = Moved(X, way), low[2][0] = Moved(X, back);
      const double slope = (Loss(field, up, seeds, tape) - Loss(field, low, seeds, tape)) / 2e-6;
      const double own =
          1e6 * (poses[2][0][3] * way.shift.x + poses[2][0][7] * way.shift.y + poses[2][0][11] * way.shift.z);
      const double size = std::sqrt(poses[2][0][3] * poses[2][0][3] + poses[2][0][7] * poses[2][0][7] +
                                    poses[2][0][11] * poses[2][0][11]);
      const double rest = std::fabs(own - slope) / size;
      off[0] += rest > 0.01, off[1] += rest > 0.05, ++count;
      worst = std::max(worst, rest);
    }
    RecordProperty(box ? "box" : "ellipsoid", off[1]);
    EXPECT_LE(off[1], count / 10);
  }
}

TEST(LayerVjp, WrongInputIsNamed) {
  const LayerField field = Flat(Sphere{8e-3}, 0.5);
  ExpectError([] { LayerTape tape(Flat(Sphere{8e-3}, 0)); }, {"friction is 0", "1e-3"});
  LayerTape tape(field);
  ExpectError([&] { tape.Step({}); }, {"0 poses for 1 objects"});
  Pose bad;
  bad.R(0, 0) = 2;
  EXPECT_THROW(tape.Step({bad}), Error);
  tape.Step({Pose{{}, {0, 0, 9.8e-3}}});
  std::vector<std::vector<PoseGradient>> poses;
  LayerParameterGradient numbers;
  ExpectError([&] { tape.Backward(std::vector<LayerCotangent>{}, &poses, &numbers); },
              {"0 steps", "path of 1"});
  ExpectError([&] { tape.Backward(std::vector<LayerCotangent>(1), &poses, &numbers); },
              {"0 cotangents for 20 markers"});
  const LayerField fine(GelPad(FlatPad()), Grid(5, 4), {MarkerDistance(Primitive{Box{{0.1, 0.1, 0.01}}})},
                        Material(0.5), {0.4e-3, 1e-4, 1});
  LayerTape wide(fine);
  ExpectError([&] { wide.Step({Pose{{}, {0, 0, 6.99e-3}}}); }, {"cells of the gel", "wider pitch"});
}

}  // namespace
}  // namespace taxel
