// After a warm-up a skin reads without taking memory: exact on a plane and by nearest taxel, rays on a
// lattice; with forces, slip and friction; several contacts; touching or not. Rays of a list make a tree each
// time.
#include <gtest/gtest.h>

#include "../count_allocations.h"
#include "skin_scenes.h"

namespace taxel {
namespace {

using test::At;
using test::Describe;
using test::Press;

struct Even : TractionField {
  Traction At(const Vec3&, const Vec3&) const override { return {{0.1, 0.2, 0}, 0.5}; }
};

long AllocationsOf(const Skin& skin, const Press& press, bool acts) {
  const Even field;
  const Vec3 rub{0.01, 0.02, 0};
  SkinLoad loads[2] = {press.load(), press.load()};
  if (acts)
    for (SkinLoad& load : loads)
      load.normal = &press.surface.wrench_on_A, load.friction = &rub, load.traction = &field;
  SkinWorkspace workspace;
  SkinReading reading;
  const auto read = [&] {
    skin.Read(loads, 2, press.X_WG, {true, true}, &workspace, &reading);
    skin.Read(loads, 1, press.X_WG, {true, true}, &workspace, &reading);
    skin.Read(loads, 0, press.X_WG, {true, true}, &workspace, &reading);
    skin.Read(loads, 1, press.X_WG, {false, false}, &workspace, &reading);
  };
  read();
  const long before = allocations;
  read();
  return allocations - before;
}

TEST(SkinAllocation, AWarmReadingTakesNone) {
  const Body pad(Box{{0.08, 0.06, 0.02}}, test::Backed(5e4)), round(Sphere{0.02}, test::Soft(5e4)),
      mesh(test::Icosphere(2, 0.02),
           [] {
             BodyOptions o = test::Soft(5e4);
             o.resolution = 0.008;
             return o;
           }()),
      ball(Sphere{0.015}, {});
  const Press flat(pad, ball, At({0.004, -0.006, 0.023}), test::TiltedPose());
  const Press curved(round, ball, At({0.02, 0.02, 0.016}), test::TiltedPose(), false);
  const Press free(mesh, ball, At({0.02, 0.02, 0.016}), test::TiltedPose());
  const struct {
    Skin skin;
    const Press& press;
  } cases[] = {
      {MakeSkin(Describe({{"shape", "9 12"}}), pad), flat},
      {MakeSkin(Describe({{"shape", "9 12"}, {"limit", "0.003"}}), pad), flat},
      {MakeSkin(Describe({{"shape", "9 12"}, {"aggregate", "max"}}), pad), flat},
      {MakeSkin(Describe({{"shape", "9 12"}, {"readout", "rays"}}), pad), flat},
      {MakeSkin(Describe({{"shape", "9 12"}, {"readout", "rays"}, {"radius", "0.01"}, {"window", "gauss"}}),
                pad),
       flat},
      {MakeSkin(Describe({{"shape", "9 12"}}), round), curved},
      {MakeSkin(Describe({{"layout", "vertices"}}), mesh), free}};
  for (const auto& c : cases)
    for (bool acts : {false, true}) {
      ASSERT_GT(c.press.surface.normal_force, 0);
      EXPECT_EQ(AllocationsOf(c.skin, c.press, acts), 0) << &c - cases;
    }
  // Known: a list of rays builds its tree in fresh memory.
  const Skin list = MakeSkin(Describe({{"shape", "4 6"}, {"samples", "4"}, {"readout", "rays"}}), round);
  EXPECT_GT(AllocationsOf(list, curved, false), 0);
}

}  // namespace
}  // namespace taxel
