#include "taxel/marker/layer_vjp.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>

#include "../shape/expect_error.h"
#include "marker_scenes.h"
#include "taxel/math/pose_twist.h"

namespace taxel {
namespace {

using test::FlatPad, test::Grid;
using Path = std::vector<std::vector<Pose>>;

Pose Tilt(const Vec3& about, double angle, const Vec3& p) {
  return {RotationAbout(normalized(about), angle), p};
}

[[maybe_unused]] MarkerDistance Dome() { return MarkerDistance(Primitive{Ellipsoid{{40e-3, 50e-3, 6e-3}}}); }

struct Scene {
  std::string name;
  LayerField field;
  Path path;
};

// Down to `depth` below `top`, then aside by `drag` and about z by `twist`, then rolled, then half out.
Path Way(const Pose& start, const Vec3& drag, double twist, double roll) {
  Path out{{start}};
  Pose X = start;
  for (const double down : {0.2e-3, 0.25e-3}) {
    X.p.z -= down;
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
  X.p.z += 0.15e-3;
  out.push_back({X});
  return out;
}

LayerField Field(const MarkerDistance& pad, const Primitive& shape, double friction, double depth = 0,
                 double pitch = 0.8e-3) {
  LayerParameters p;
  p.friction = friction;
  p.marker_depth = depth;
  p.poisson = 0.48;
  p.thickness = 4e-3;
  std::vector<Vec3> markers = Grid(5, 4);
  if (!pad.primitive() || pad.primitive()->index() != 1)
    for (Vec3& m : markers) m.z = 6e-3 * std::sqrt(1 - m.x * m.x / 1.6e-3 - m.y * m.y / 2.5e-3);
  return LayerField(GelPad(pad), markers, {MarkerDistance(shape)}, p, {pitch, 1e-4, 1});
}

double Loss(const LayerField& field, const Path& path, const std::vector<LayerCotangent>& seeds) {
  LayerTape tape(field);
  double out = 0;
  for (std::size_t t = 0; t < path.size(); ++t) {
    const LayerReading& r = tape.Step(path[t]);
    for (std::size_t m = 0; m < r.displacement.size(); ++m)
      out += dot(seeds[t].displacement[m], r.displacement[m]);
    out += dot(seeds[t].force_P, r.force_P) + dot(seeds[t].torque_P, r.torque_P);
  }
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

TEST(LayerVjp, Explore) {
  const Pose ball = Tilt({1, 2, 3}, 0.4, {0.31e-3, -0.43e-3, 2e-3 + 7.9e-3});
  const Path way = Way(ball, {0.11e-3, 0.07e-3, 0}, 0.02, 0.01);
  for (const double mu : {5.0, 0.5, 0.1}) {
    const LayerField field = Field(FlatPad(), Sphere{8e-3}, mu);
    const auto seeds = Seeds(way.size(), field.markers_P().size());
    LayerTape tape(field);
    LayerField same = field;
    LayerReading reading;
    double off = 0, size = 0;
    for (const auto& X : way) {
      const LayerReading& r = tape.Step(X);
      same.Step(X, nullptr, &reading);
      for (std::size_t m = 0; m < r.displacement.size(); ++m)
        off += norm2(r.displacement[m] - reading.displacement[m]), size += norm2(r.displacement[m]);
    }
    std::printf("mu %g: against the field %.2e\n", mu, std::sqrt(off / size));
    std::vector<std::vector<PoseGradient>> poses;
    LayerParameterGradient numbers;
    tape.Backward(seeds, &poses, &numbers);
    for (std::size_t t = 0; t < way.size(); ++t)
      for (int d = 0; d < 6; ++d) {
        PoseTwist change;
        const double step = d < 3 ? 1e-9 : 1e-7;
        (d < 3 ? change.shift : change.turn)[d % 3] = step;
        Path up = way, low = way;
        up[t][0] = Moved(way[t][0], change);
        change.shift = -1.0 * change.shift, change.turn = -1.0 * change.turn;
        low[t][0] = Moved(way[t][0], change);
        const double slope = (Loss(field, up, seeds) - Loss(field, low, seeds)) / (2 * step);
        double own = 0;
        for (int r = 0; r < 3; ++r)
          for (int c = 0; c < 4; ++c) {
            const double e = c < 3 ? up[t][0].R(r, c) - low[t][0].R(r, c) : up[t][0].p[r] - low[t][0].p[r];
            own += poses[t][0][static_cast<std::size_t>(4 * r + c)] * e / (2 * step);
          }
        std::printf("t %zu d %d: %12.5g %12.5g  %.1e\n", t, d, own, slope, std::fabs(own / slope - 1));
      }
    LayerParameters p = field.parameters();
    double* all[] = {&p.friction, &p.young, &p.poisson, &p.thickness, &p.pixel, &p.marker_depth};
    for (std::size_t k = 0; k < 6; ++k) {
      const double value = *all[k], step = k == 5 ? 1e-5 : (k == 2 ? 1e-4 : 1e-4 * value);
      const auto at = [&](double x) {
        *all[k] = x;
        LayerField other = field;
        other.set_parameters(p);
        *all[k] = value;
        return Loss(other, way, seeds);
      };
      const double slope = k == 5 ? (at(step) - at(0)) / step : (at(value + step) - at(value - step)) / (2 * step);
      std::printf("k %zu: %12.5g %12.5g  %.1e\n", k, numbers[k], slope, std::fabs(numbers[k] / slope - 1));
    }
  }
}

}  // namespace
}  // namespace taxel
