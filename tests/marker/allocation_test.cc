// A step of a warm marker field takes no memory. Cases:
//   - both published modes, with and without the gravity pass
//   - taxel's own, flat and lattice, with sub-steps, creep, gravity pass and shared forces
#include <gtest/gtest.h>

#include "../count_allocations.h"
#include "marker_scenes.h"
#include "taxel/marker/taxel_field.h"

namespace taxel {
using namespace internal;
namespace {

using test::Ball, test::FlatPad, test::Grid, test::RandomPath;

MarkerField Published(MarkerMode mode) {
  MarkerParameters p;
  p.mode = mode;
  return MarkerField(FlatPad(), Grid(), Ball(), p);
}

MarkerDistance Dome() { return MarkerDistance(Primitive{Ellipsoid{{14e-3, 17e-3, 2e-3}}}); }

TEST(MarkerAllocation, PublishedModesTakeNoneWhenWarm) {
  const Pose shift{{}, {0, 0, -2e-4}};
  for (const MarkerMode mode : {MarkerMode::kPaper, MarkerMode::kRelease}) {
    MarkerField field = Published(mode);
    MarkerReading reading;
    const std::vector<Pose> path = RandomPath(4);
    field.Step(path[0], &reading, &shift);
    const long before = allocations;
    for (const Pose& X : path) field.Step(X, &reading), field.Step(X, &reading, &shift);
    field.ZeroTangential();
    field.Reset();
    EXPECT_EQ(allocations - before, 0);
  }
}

TEST(MarkerAllocation, TaxelTakesNoneWhenWarm) {
  TaxelParameters p;
  p.creep = 0.2;
  for (const MarkerDistance& pad : {FlatPad(), Dome()}) {
    TaxelField field(GelPad(pad), Grid(), {Ball(8e-3, 1.2e-3)}, p, 3);
    field.set_marker_forces(true);
    const std::vector<std::vector<Pose>> path = [] {
      std::vector<std::vector<Pose>> out;
      for (const Pose& X : RandomPath(4)) out.push_back({X});
      return out;
    }();
    const Pose shift{{}, {0, 0, -2e-4}};
    TaxelReading r;
    // Results grow with the contact, so a first run through the path warms them.
    for (const auto& X : path) field.Step(X, 0.1, &shift, &r);
    const long before = allocations;
    for (const auto& X : path) field.Step(X, 0.1, nullptr, &r), field.Step(X, 0.1, &shift, &r);
    field.ZeroTangential();
    field.Reset();
    EXPECT_EQ(allocations - before, 0);
  }
}

}  // namespace
}  // namespace taxel
