// The contact query in C++: the cases of `taxel bench contact`, our side.
#include <benchmark/benchmark.h>

#include <cmath>
#include <string>

#include "taxel/contact/contact.h"
#include "taxel/shape/read_mesh.h"

namespace taxel {
namespace {

BodyOptions Soft(double modulus, FieldKind kind = FieldKind::kDistance) {
  BodyOptions options;
  options.modulus = modulus;
  options.field.kind = kind;
  return options;
}

Pose At(double x, double y, double z, const Mat3& R = {}) { return {R, {x, y, z}}; }

// Memory is handed back between queries, as in a simulation loop.
void Time(benchmark::State& state, const Body& A, const Pose& X_WA, const Body& B, const Pose& X_WB) {
  ContactWorkspace workspace;
  ContactSurface surface;
  const ContactOptions options;
  for (auto _ : state) {
    ComputeContact(A, X_WA, B, X_WB, options, &workspace, &surface);
    benchmark::DoNotOptimize(surface.normal_force);
  }
  state.counters["faces"] = surface.num_faces();
  state.counters["force_N"] = norm(surface.wrench_on_A.force);
  if (!surface.empty())
    state.counters["per_face"] = benchmark::Counter(
        surface.num_faces(), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

const Mat3 kLying = RotationAbout({0, 1, 0}, M_PI / 2);

void PadCylinder(benchmark::State& state) {
  const auto kind = state.range(0) ? FieldKind::kBacked : FieldKind::kDistance;
  Time(state, Body(Box{{0.08, 0.08, 0.018}}, Soft(3e4, kind)), Pose{}, Body(Cylinder{0.0225, 0.15}, {}),
       At(0, 0, 0.009 + 0.0225 - 0.003, kLying));
}
BENCHMARK(PadCylinder)->ArgName("backed")->Arg(0)->Arg(1);

void SoftSpheres(benchmark::State& state) {
  Time(state, Body(Sphere{0.05}, Soft(1e5)), Pose{}, Body(Sphere{0.05}, Soft(3e5)), At(0, 0, 0.095));
}
BENCHMARK(SoftSpheres);

TetMesh LShape(int tenths_of_mm) {
  const std::string size = tenths_of_mm == 25 ? "2.5" : std::to_string(tenths_of_mm / 10);
  return ReadTetMesh(std::string(TAXEL_TEST_DATA) + "/l_shape_h" + size + ".vtk");
}

void SoftLSoftL(benchmark::State& state) {
  const Body L(LShape(state.range(0)), Soft(1e5));
  Time(state, L, Pose{}, L, At(0.003, 0.002, 0.019, RotationAbout({0, 0, 1}, 170 * M_PI / 180)));
}
BENCHMARK(SoftLSoftL)->ArgName("tenths_mm")->Arg(100)->Arg(50)->Arg(25);

void SoftLRigidDumbbell(benchmark::State& state) {
  const Body L(LShape(state.range(0)), Soft(1e5));
  const Body dumbbell(ReadTriangleMesh(std::string(TAXEL_TEST_DATA) + "/dumbbell.obj"), {});
  Time(state, L, Pose{}, dumbbell, At(0, 0, 0.01 + 0.02 - 0.002, RotationAbout({0, 0, 1}, M_PI / 6)));
}
BENCHMARK(SoftLRigidDumbbell)->ArgName("tenths_mm")->Arg(100)->Arg(50)->Arg(25);

void NoContact(benchmark::State& state) {
  Time(state, Body(Box{{0.08, 0.08, 0.018}}, Soft(3e4)), Pose{}, Body(Sphere{0.02}, {}), At(0, 0, 0.2));
}
BENCHMARK(NoContact);

}  // namespace
}  // namespace taxel

BENCHMARK_MAIN();
