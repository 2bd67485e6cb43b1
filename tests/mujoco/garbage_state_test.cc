// Whatever stands in plugin_state: nothing is read or written beyond it, one warning says what was found, and
// the simulation is what it would be with nothing remembered.
//   - not a number, infinite, negative, huge, fractions, random bytes, everywhere and in single places
//   - friction (rows, discrete, explicit, bristles), signal chains with a delay, marker sensors with a rate
//   - what lies behind a broken count is cleared, so that equal histories give equal states again
//   - a compile that is interrupted fails with that word, and the next one works
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "bristle_model.h"
#include "marker_model.h"
#include "taxel/math/interrupt.h"
#include "taxel/math/random.h"

namespace taxel::mujoco {
using namespace internal;
namespace {

using test::Bench;
using test::Data;
using test::MakeData;
using test::Model;
using test::MustCompile;
using test::Warnings;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kBad[] = {kNaN, kInf, -kInf, 1e300, -1e300, 2147483648.0, -1, 0.5, 1e9};

double RandomBytes(std::uint64_t i) {
  const std::uint64_t bits = RandomBits(77, i);
  double out;
  std::memcpy(&out, &bits, sizeof(out));
  return out;
}

// What a model is filled with: everything, or one place.
void Fill(const Model& m, const Data& d, int how) {
  const int n = m->npluginstate, bad = static_cast<int>(std::size(kBad));
  for (int i = 0; i < n; ++i)
    if (how < bad)
      d->plugin_state[i] = kBad[how];
    else if (how == bad)
      d->plugin_state[i] = RandomBytes(static_cast<std::uint64_t>(i));
    else if (i == (how - bad) * 13 % n)
      d->plugin_state[i] = kBad[how % bad];
}
constexpr int kWays = static_cast<int>(std::size(kBad)) + 7;

// Steps on; the state is one of ours again, and all numbers are.
void ExpectMended(const std::string& xml, const std::string& what) {
  const Model m = MustCompile(xml);
  ASSERT_TRUE(m);
  ASSERT_GT(m->npluginstate, 0);
  for (int how = 0; how < kWays; ++how) {
    const Data d = MakeData(m);
    test::Step(m, d, 4);
    const Warnings warnings;
    Fill(m, d, how);
    mj_forward(m.get(), d.get());
    test::Step(m, d, 4);
    EXPECT_LE(Warnings::Count("plugin_state"), 3) << what << ", " << how << "\n" << Warnings::Text();
    if (how < 3) {
      EXPECT_GE(Warnings::Count("plugin_state"), 1) << what << ", " << how;
    }
    // One strange number where nothing is in use may stay; one that is in use may not.
    for (int i = 0; i < m->npluginstate && how < static_cast<int>(std::size(kBad)); ++i)
      ASSERT_TRUE(std::isfinite(d->plugin_state[i])) << what << ", " << how << ", place " << i;
    for (int i = 0; i < m->nsensordata; ++i)
      ASSERT_TRUE(std::isfinite(d->sensordata[i])) << what << ", " << how << ", sensor " << i;
  }
}

TEST(GarbageState, Friction) {
  for (const char* integrator : {"implicitfast", "discrete"}) {
    Bench bench;
    bench.modulus = 2e5;
    bench.option =
        std::string("timestep=\"0.002\" gravity=\"1 -0.5 -9.5\" integrator=\"") + integrator + "\"";
    ExpectMended(bench.xml(), integrator);
  }
  Bench bench;
  bench.modulus = 2e5, bench.option = "timestep=\"0.0002\" gravity=\"1 -0.5 -9.5\"";
  bench.material = test::Configs({{"coupling", "explicit"}, {"dissipation", "5"}});
  ExpectMended(bench.xml(), "explicit");
}

TEST(GarbageState, Bristles) {
  test::BristleBench bench;
  bench.objects =
      test::BodyXml("ball", {0.003, -0.002, 0.0115}, test::Free(), "type=\"sphere\" size=\"0.012\"", 0.05);
  ExpectMended(bench.xml(), "bristles");
}

TEST(GarbageState, SignalChains) {
  ExpectMended(test::SkinBench({{"shape", "3 5"},
                                {"output", "pressure shear"},
                                {"rate", "200"},
                                {"delay", "0.011"},
                                {"jitter", "0.001"},
                                {"hysteresis", "0.1 5000"},
                                {"drift_offset", "3"}})
                   .xml(),
               "chains");
  ExpectMended(test::SkinBench({{"shape", "3 5"}}).xml(), "no chain");
}

TEST(GarbageState, Markers) {
  for (const char* mode : {"paper", "taxel"}) {
    test::MarkerBench bench;
    bench.keys = {{"shape", "5 4"}, {"pitch", "0.003"}, {"mode", mode}, {"rate", "100"}};
    if (std::string(mode) == "taxel") bench.keys.emplace_back("creep", "0.2");
    bench.world =
        "<body name=\"resting\" pos=\"0.1 -0.05 0.2\" quat=\"0.9 0.2 -0.3 0.1\"><geom name=\"tip\" "
        "type=\"sphere\" size=\"0.003\" pos=\"0.001 0.002 0.0045\"/></body>";
    ExpectMended(bench.xml(), mode);
  }
}

// With nothing but friction in the state: as after a state that remembers nothing.
TEST(GarbageState, IsAsIfNothingWereRemembered) {
  Bench bench;
  bench.modulus = 2e5,
  bench.option = "timestep=\"0.002\" gravity=\"2 -0.5 -9.5\" integrator=\"implicitfast\"";
  const Model m = MustCompile(bench.xml());
  ASSERT_TRUE(m);
  const Data forgets = MakeData(m), garbage = MakeData(m);
  for (const Data* d : {&forgets, &garbage}) test::Step(m, *d, 30);
  for (int i = 1; i < m->npluginstate; ++i) forgets->plugin_state[i] = 0, garbage->plugin_state[i] = kNaN;
  const Warnings warnings;
  for (const Data* d : {&forgets, &garbage}) test::Step(m, *d, 30);
  EXPECT_EQ(Warnings::Count("holds a number of anchors"), 1) << Warnings::Text();
  for (int i = 0; i < m->nq; ++i) EXPECT_EQ(forgets->qpos[i], garbage->qpos[i]) << i;
  const int metric = static_cast<int>(m->nv);  // only the discrete integrator writes it
  for (int i = 0; i < m->npluginstate; i = i == 1 ? 2 + metric : i + 1)
    EXPECT_EQ(forgets->plugin_state[i], garbage->plugin_state[i]) << i;
}

bool Yes() { return true; }

TEST(InterruptedCompile, FailsWithThatWordAndTheNextOneWorks) {
  Bench bench;
  // A tetrahedron, soft: it is meshed while the model is compiled.
  bench.world = "<geom name=\"gem\" type=\"mesh\" mesh=\"gem\" pos=\"0.2 0 0\"/>";
  bench.instances = "<instance name=\"gem\"><config key=\"modulus\" value=\"1e5\"/></instance>";
  bench.custom = "<tuple name=\"gem\"><element objtype=\"geom\" objname=\"gem\"/></tuple>";
  bench.rest = "<asset><mesh name=\"gem\" vertex=\"0 0 0 0.031 0 0 0 0.027 0 0.003 0.004 0.029\"/></asset>";
  std::string error;
  {
    const Warnings warnings;
    const InterruptCheck before = SetInterruptCheck(&Yes);
    const Model m = test::Compile(bench.xml(), &error);
    SetInterruptCheck(before);
    EXPECT_FALSE(m);
    EXPECT_NE((error + Warnings::Text()).find("interrupted"), std::string::npos) << error << Warnings::Text();
  }
  const Model m = MustCompile(bench.xml());
  ASSERT_TRUE(m);
  const Data d = MakeData(m);
  // A step is never stopped, whoever asks.
  const InterruptCheck before = SetInterruptCheck(&Yes);
  test::Step(m, d, 5);
  SetInterruptCheck(before);
  EXPECT_GT(test::OnlyWrench(m, d).force.z, 1);
}

}  // namespace
}  // namespace taxel::mujoco
