// One step of a marker field beside the same step over all points, one term at a time (the plain C++ of the
// equations). P points, 63 markers, one thread; the label says how many points are in contact.
// Mode layer: a step of a drag, the same step solved to the end with its record, and the way back of ten; a
// ball of the given radius (mm), 0.68 mm deep.
#include <benchmark/benchmark.h>

#include <numbers>
#include <string>
#include <vector>

#include "taxel/marker/layer_vjp.h"
#include "taxel/marker/marker_field.h"
#include "taxel/marker/taxel_field.h"

namespace taxel {
namespace {

constexpr double kRadius = 12e-3;

std::vector<Vec3> Grid() {
  std::vector<Vec3> out;
  for (int r = 0; r < 9; ++r)
    for (int c = 0; c < 7; ++c) out.push_back({1.84375e-3 * (c - 3), 1.84375e-3 * (r - 4), 2e-3});
  return out;
}

// A ball whose points, evenly spread, are about 5 % in the gel when it is pressed in by 1.2 mm.
MarkerIndenter Ball(int count) {
  MarkerIndenter out{MarkerDistance(Primitive{Sphere{kRadius}}), {}, {}, {}};
  for (int i = 0; i < count; ++i) {
    const double z = 1 - (2 * i + 1.0) / count, s = std::sqrt(1 - z * z), a = 2.399963229728653 * i;
    out.normals_I.push_back({s * std::cos(a), s * std::sin(a), z});
    out.points_I.push_back(kRadius * out.normals_I.back());
    out.areas.push_back(4 * std::numbers::pi * kRadius * kRadius / count);
  }
  return out;
}

Pose Pressed(int i) { return {{}, {1e-5 * (i % 20), 5e-6 * (i % 7), 2e-3 + kRadius - 1.2e-3}}; }

MarkerField Make(int count, MarkerMode mode, const MarkerDistance& pad) {
  MarkerParameters p;
  p.mode = mode;
  return MarkerField(pad, Grid(), Ball(count), p);
}

const MarkerDistance& FlatPad() {
  static const MarkerDistance pad(Primitive{Box{{20.75e-3, 25.25e-3, 4e-3}}});
  return pad;
}

void Run(benchmark::State& state, const MarkerDistance& pad, const Pose* shift) {
  MarkerField field = Make(static_cast<int>(state.range(0)), static_cast<MarkerMode>(state.range(1)), pad);
  MarkerReading reading;
  field.Step({{}, {0, 0, 0.05}}, &reading);
  int i = 0;
  for (auto _ : state) {
    field.Step(Pressed(i++), &reading, shift);
    benchmark::DoNotOptimize(reading.displacement.data());
  }
  state.SetLabel(std::to_string(field.state().index.size()) + " in contact");
}

void BM_Step(benchmark::State& state) { Run(state, FlatPad(), nullptr); }
void BM_StepWithGravity(benchmark::State& state) {
  const Pose shift{{}, {0, -2.5e-4, 0}};
  Run(state, FlatPad(), &shift);
}
void BM_StepOnAGrid(benchmark::State& state) {
  static const MarkerDistance grid = FlatPad().Trilinear(0.25e-3, 2e-3);
  Run(state, grid, nullptr);
}

// Mode taxel; range(1): what else is asked for.
enum Extra { kPlain, kGravity, kForces, kDome };
void BM_Taxel(benchmark::State& state) {
  const auto extra = static_cast<Extra>(state.range(1));
  // A ball of gel for the dome: what matters is that it is a lattice.
  static const MarkerDistance dome = MarkerDistance(Primitive{Ellipsoid{{14e-3, 16e-3, 2e-3}}});
  TaxelField field(GelPad(extra == kDome ? dome : FlatPad()), Grid(),
                   {Ball(static_cast<int>(state.range(0)))}, {}, 1);
  field.set_marker_forces(extra == kForces);
  TaxelReading reading;
  const Pose shift{{}, {0, -2.5e-4, 0}};
  field.Step({{{}, {0, 0, 0.05}}}, 0, nullptr, &reading);
  int i = 0;
  for (auto _ : state) {
    field.Step({Pressed(i++)}, 0, extra == kGravity ? &shift : nullptr, &reading);
    benchmark::DoNotOptimize(reading.displacement.data());
  }
  state.SetLabel(std::to_string(field.state().objects[0].index.size()) + " in contact");
}

void BM_AllPoints(benchmark::State& state) {
  const auto mode = static_cast<MarkerMode>(state.range(1));
  const MarkerIndenter ball = Ball(static_cast<int>(state.range(0)));
  const std::vector<Vec3> markers = Grid();
  const MarkerParameters p;
  using V = Triple<double>;
  const auto to = [](const Vec3& v) { return V{v.x, v.y, v.z}; };
  std::vector<V> f(ball.points_I.size()), out(markers.size());
  Pose before = Pressed(0);
  int i = 0, inside = 0;
  for (auto _ : state) {
    const Pose X = Pressed(i++), X_IP = Inverse(X);
    for (V& v : out) v = {};
    for (const Vec3& q : markers) {
      const double phi = ball.distance.Value(X_IP * q);
      for (std::size_t k = 0; k < markers.size(); ++k)
        out[k] = out[k] + DilationTerm(mode, p.lambda_d, to(markers[k]), to(q), phi < 0 ? -phi : 0.0);
    }
    inside = 0;
    for (std::size_t k = 0; k < f.size(); ++k) {
      const Vec3 o = X * ball.points_I[k], o_before = before * ball.points_I[k];
      const double phi = FlatPad().Value(o);
      f[k] = Track(mode, f[k], to(o), phi, to(o_before), FlatPad().Value(o_before),
                   to(-(X.R * ball.normals_I[k])), p.friction);
      inside += phi < 0;
      const V pull = ShearPull(mode, f[k], phi, 1.0), c = to(o) + f[k];
      for (std::size_t m = 0; m < markers.size(); ++m)
        out[m] = out[m] + ShearTerm(mode, p.lambda_s, to(markers[m]), c, pull);
    }
    before = X;
    benchmark::DoNotOptimize(out.data());
  }
  state.SetLabel(std::to_string(inside) + " in contact");
}

// Pressed in five steps, then dragged by 0.05 mm a step.
Pose Dragged(double radius, int i) {
  const double deep = 0.68e-3 * std::min(i, 5) / 5;
  return {{}, {5e-5 * std::max(0, i - 5), 0, 2e-3 + radius - deep}};
}
LayerField PressedLayer(double radius) {
  LayerField field(GelPad(FlatPad()), Grid(), {MarkerDistance(Primitive{Sphere{radius}})}, {}, {});
  LayerReading reading;
  for (int i = 0; i <= 5; ++i) field.Step({Dragged(radius, i)}, nullptr, &reading);
  return field;
}
void Label(benchmark::State& state, const LayerField& field) {
  state.SetLabel(std::to_string(field.state().index.size()) + " cells in contact");
}

void BM_Layer(benchmark::State& state) {
  const double radius = 1e-3 * static_cast<double>(state.range(0));
  const LayerField start = PressedLayer(radius);
  LayerField field = start;
  LayerReading reading;
  for (auto _ : state) {
    field.set_state(start.state());
    field.Step({Dragged(radius, 6)}, nullptr, &reading);
    benchmark::DoNotOptimize(reading.displacement.data());
  }
  Label(state, field);
}

void BM_LayerTape(benchmark::State& state) {
  const double radius = 1e-3 * static_cast<double>(state.range(0));
  const LayerField field = PressedLayer(radius);
  for (auto _ : state) {
    LayerTape tape(field);
    benchmark::DoNotOptimize(tape.Step({Dragged(radius, 6)}).displacement.data());
  }
  Label(state, field);
}

void BM_LayerBack(benchmark::State& state) {
  const double radius = 1e-3 * static_cast<double>(state.range(0));
  const LayerField field = PressedLayer(radius);
  LayerTape tape(field);
  for (int i = 6; i < 16; ++i) tape.Step({Dragged(radius, i)});
  const std::vector<std::vector<Vec3>> seeds(10, std::vector<Vec3>(63, Vec3{1, 1, 0}));
  std::vector<std::vector<PoseGradient>> poses;
  LayerParameterGradient numbers;
  for (auto _ : state) {
    tape.Backward(seeds, &poses, &numbers);
    benchmark::DoNotOptimize(numbers.data());
  }
  Label(state, field);
}

void BM_LayerJacobian(benchmark::State& state) {
  const double radius = 1e-3 * static_cast<double>(state.range(0));
  const LayerField field = PressedLayer(radius);
  LayerTape tape(field);
  tape.Step({Dragged(radius, 6)});
  for (auto _ : state) benchmark::DoNotOptimize(tape.Jacobian().wrench_by_pose.data());
  Label(state, field);
}

constexpr int kPaper = static_cast<int>(MarkerMode::kPaper),
              kRelease = static_cast<int>(MarkerMode::kRelease);
BENCHMARK(BM_Step)->ArgsProduct({{2048, 4096, 20480}, {kPaper, kRelease}})->Unit(benchmark::kMicrosecond);
BENCHMARK(BM_Taxel)
    ->ArgsProduct({{2048}, {kPlain, kGravity, kForces, kDome}})
    ->Args({4096, kPlain})
    ->Args({20480, kPlain})
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(BM_Layer)->Arg(4)->Arg(17)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_LayerTape)->Arg(4)->Arg(17)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_LayerBack)->Arg(4)->Arg(17)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_LayerJacobian)->Arg(4)->Arg(17)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_StepWithGravity)->ArgsProduct({{2048}, {kPaper, kRelease}})->Unit(benchmark::kMicrosecond);
BENCHMARK(BM_StepOnAGrid)->ArgsProduct({{2048}, {kPaper, kRelease}})->Unit(benchmark::kMicrosecond);
BENCHMARK(BM_AllPoints)->ArgsProduct({{2048}, {kPaper, kRelease}})->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace taxel

BENCHMARK_MAIN();
