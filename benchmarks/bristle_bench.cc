// Probes of a pad against one body: the tree beside brute force in the same run, the curve over the number of
// points, and what a body costs that is not near; and a whole step, with forces and friction. One thread.
#include <benchmark/benchmark.h>

#include <cmath>
#include <vector>

#include "../tests/shape/test_meshes.h"
#include "taxel/bristle/bristle_contact.h"
#include "taxel/bristle/bristle_pad.h"
#include "taxel/bristle/probe.h"

namespace taxel {
using namespace internal;
namespace {

// 20 * 4^level triangles on a sphere with bumps of 2 % of its radius: closed, not convex.
TriangleMesh BumpySphere(int level, double radius) {
  TriangleMesh m = test::Icosphere(level, 1);
  for (Vec3& v : m.vertices) {
    const Vec3 n = normalized(v);
    v = radius * (1 + 0.02 * std::sin(7 * n.x) * std::sin(9 * n.y + 1) * std::sin(8 * n.z + 2)) * n;
  }
  return m;
}

// rows x cols points in the plane z = 0, probes along +z.
BristlePoints Pad(int rows, int cols, double pitch) {
  Layout layout;
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < cols; ++c) {
      layout.points.push_back({(c - 0.5 * (cols - 1)) * pitch, (r - 0.5 * (rows - 1)) * pitch, 0});
      layout.normals.push_back({0, 0, 1});
      layout.axes.push_back({1, 0, 0});
      layout.areas.push_back(pitch * pitch);
    }
  layout.rows = rows, layout.cols = cols;
  return BristlePoints(std::move(layout), 0.012);
}

const Pose X_WP{RotationAbout(normalized({0.3, -0.7, 0.5}), 1.1), {0.13, -0.21, 0.34}};

// A body pressed `press` deep into the pad, turned so that nothing is parallel.
Pose Pressed(double radius, double press) {
  return X_WP * Pose{RotationAbout(normalized({0.5, 0.2, -0.8}), 0.7), {0.0004, -0.0003, radius - press}};
}

void Time(benchmark::State& state, const BristlePoints& pad, const ProbeTarget& body, const Pose& X_WT,
          bool tree) {
  std::vector<ProbeHit> hits;
  for (auto _ : state) {
    (tree ? Probe : ProbeByBruteForce)(pad, X_WP, body, X_WT, &hits);
    benchmark::DoNotOptimize(hits.data());
  }
  int saturated = 0;
  for (const ProbeHit& hit : hits) saturated += hit.saturated;
  state.counters["hits"] = static_cast<double>(hits.size());
  state.counters["saturated"] = saturated;
  state.counters["per_probe"] = benchmark::Counter(
      pad.count(), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

constexpr double kRadius = 0.025;

const ProbeTarget& Bumpy() {
  static const ProbeTarget body(Body(BumpySphere(4, kRadius), {}));  // 5,120 triangles
  return body;
}

// 14 x 6 points, pitch 3.4 mm, against 5,120 triangles 2 mm deep.
void Mesh(benchmark::State& state) {
  Time(state, Pad(6, 14, 0.0034), Bumpy(), Pressed(kRadius, 0.002), state.range(0) != 0);
}
BENCHMARK(Mesh)->ArgName("tree")->Arg(1)->Arg(0);

// The same beyond the length of the probes: some bases are inside.
void MeshSaturated(benchmark::State& state) {
  Time(state, Pad(6, 14, 0.0034), Bumpy(), Pressed(kRadius, 0.016), state.range(0) != 0);
}
BENCHMARK(MeshSaturated)->ArgName("tree")->Arg(1)->Arg(0);

// 20, 320, ... triangles.
void Triangles(benchmark::State& state) {
  const ProbeTarget body(Body(BumpySphere(static_cast<int>(state.range(0)), kRadius), {}));
  Time(state, Pad(6, 14, 0.0034), body, Pressed(kRadius, 0.002), true);
  state.counters["triangles"] = 20 * std::pow(4, state.range(0));
}
BENCHMARK(Triangles)->ArgName("level")->DenseRange(2, 7);

void PrimitiveShape(benchmark::State& state) {
  const Primitive shapes[] = {Sphere{kRadius},      Box{{0.05, 0.03, 0.04}},        Cylinder{0.025, 0.03},
                              Capsule{0.015, 0.02}, Ellipsoid{{0.02, 0.03, 0.025}}, HalfSpace{}};
  const Primitive& shape = shapes[state.range(0)];
  state.SetLabel(PrimitiveName(shape));
  const bool flat = std::holds_alternative<HalfSpace>(shape);
  const Pose X_WT = flat ? X_WP * Pose{RotationAbout({1, 0, 0}, 3.0), {0, 0, -0.001}} : Pressed(0.02, 0.002);
  Time(state, Pad(6, 14, 0.0034), ProbeTarget(Body(shape, {})), X_WT, true);
}
BENCHMARK(PrimitiveShape)->ArgName("shape")->DenseRange(0, 5);

// A pad of always the same size, 48 x 20 mm.
BristlePoints PadOf(int count) {
  const double pitch = std::sqrt(0.048 * 0.0204 / count);
  const int cols = static_cast<int>(std::lround(0.048 / pitch)), rows = (count + cols - 1) / cols;
  return Pad(rows, cols, pitch);
}

// The body covers about a third of the pad.
void Points(benchmark::State& state) {
  const BristlePoints pad = PadOf(static_cast<int>(state.range(0)));
  Time(state, pad, Bumpy(), Pressed(kRadius, 0.0025), true);
  state.counters["points"] = pad.count();
}
BENCHMARK(Points)->ArgName("points")->Arg(84)->Arg(300)->Arg(1000)->Arg(3000)->Arg(10000);

// A small body over one corner of a large pad: what the clusters save.
void Corner(benchmark::State& state) {
  const ProbeTarget body(Body(BumpySphere(4, 0.002), {}));
  Pose X_PT;
  X_PT.p = {0.02, 0.008, 0.002 - 0.0005};
  Time(state, Pad(65, 154, 0.00031), body, X_WP * X_PT, true);
}
BENCHMARK(Corner);

BristleOptions Foam() {
  return ReadBristles(Description(
      "foam", {{"stiffness", "58.5"}, {"depth", "0.012"}, {"friction", "0.435 0.23"}, {"shape", "14 6"}}));
}

// A whole step by explicit forces: probes, springs, LuGre, memory.
void ExplicitStep(benchmark::State& state) {
  BristlePad pad(PadOf(static_cast<int>(state.range(0))), Foam());
  PadReading reading;
  for (auto _ : state) {
    pad.Press(Bumpy(), X_WP, Pressed(kRadius, 0.0025), {{0.01, 0.02, 0.005}, {}, {}}, 1e-3, &reading);
    benchmark::DoNotOptimize(reading.normal.data());
  }
  state.counters["points"] = pad.points().count();
}
BENCHMARK(ExplicitStep)->ArgName("points")->Arg(84)->Arg(300)->Arg(1000)->Arg(3000)->Arg(10000);

// What the plugin does in a step besides MuJoCo's solver: probes, patch of 16 blocks, friction of the blocks,
// what they got shared among the bristles, memory.
void RowsStep(benchmark::State& state) {
  const BristlePoints pad = PadOf(static_cast<int>(state.range(0)));
  const BristleOptions options = Foam();
  std::vector<AnchorState> memory(pad.count());
  BristleContact contact;
  ContactSurface surface;
  Patch patch;
  std::vector<double> normal;
  std::vector<Vec3> friction;
  const RelativeMotion v{{0.01, 0.02, 0.005}, {}, {}};
  for (auto _ : state) {
    contact.Find(pad, options, X_WP, Bumpy(), Pressed(kRadius, 0.0025), false);
    contact.FillSurface(&surface);
    contact.BuildPatch(surface, {}, &patch);
    contact.Gather(patch, memory.data(), 1, options.friction, v, 1e-3, PatchFriction::Bound::kLagged);
    normal.clear(), friction.clear();
    for (std::size_t b = 0; b < patch.blocks.size(); ++b) {
      normal.push_back(patch.blocks[b].force);
      friction.push_back(-contact.blocks()[b].damping * v(patch.blocks[b].p_W));
    }
    contact.Share(patch, options.friction, normal.data(), friction.data());
    contact.Advance(memory.data(), 1, options.friction, v, 1e-3,
                    [&](int point, const AnchorState& s) { memory[point] = s; });
    benchmark::DoNotOptimize(memory.data());
  }
  state.counters["points"] = pad.count();
}
BENCHMARK(RowsStep)->ArgName("points")->Arg(84)->Arg(300)->Arg(1000)->Arg(3000)->Arg(10000);

void Far(benchmark::State& state) {
  const int cols = static_cast<int>(state.range(0));
  Time(state, Pad(6 * cols / 14, cols, 0.0476 / cols), Bumpy(), Pressed(kRadius, -0.05), true);
}
BENCHMARK(Far)->ArgName("cols")->Arg(14)->Arg(140);

}  // namespace
}  // namespace taxel

BENCHMARK_MAIN();
