// Cases: presses of several objects equal single ones bit for bit, on 1 and 3 threads; none at all; lists
// that do not fit, objects that do not exist, a press that fails.
#include "taxel/batch/eip_batch.h"

#include <gtest/gtest.h>

#include "../shape/expect_error.h"

namespace taxel {
namespace {

EipOptions Quick() {
  EipOptions o;
  o.grid = 64;
  o.dt = 4e-3;
  o.gap = 0.165;
  o.chamfer = 0;
  o.steps = 5;
  return o;
}
std::vector<MarkerDistance> Objects() {
  return {MarkerDistance(Primitive{Sphere{0.08}}), MarkerDistance(Primitive{Box{{0.05, 0.15, 0.1}}})};
}

TEST(EipBatch, EqualsSinglePressesBitForBit) {
  const std::vector<MarkerDistance> objects = Objects();
  const std::vector<int> which{1, 0, 1};
  const std::vector<Pose> poses{{RotationAbout(normalized({1, 2, 0.3}), 0.2), {0.52, 0.5, 0.49}},
                                {{}, {0.46, 0.51, 0.5}},
                                {RotationAbout({0, 1, 0}, 0.8), {0.5, 0.49, 0.53}}};
  EipOptions o = Quick();
  std::vector<EipResult> single;
  for (std::size_t k = 0; k < which.size(); ++k)
    single.push_back(RunEipPress(o, objects[static_cast<std::size_t>(which[k])], poses[k]));
  EXPECT_NE(single[0].pads[0].image, single[2].pads[0].image);
  for (const int threads : {1, 3}) {
    o.threads = threads;
    const std::vector<EipResult> all = RunEipPresses(o, objects, which, poses);
    ASSERT_EQ(all.size(), 3u);
    for (std::size_t k = 0; k < all.size(); ++k) {
      EXPECT_EQ(all[k].steps, 5);
      for (const int pad : {0, 1}) {
        EXPECT_EQ(all[k].pads[pad].image, single[k].pads[pad].image) << threads << ", " << k;
        EXPECT_EQ(all[k].pads[pad].X_DP, single[k].pads[pad].X_DP);
        EXPECT_EQ(all[k].pads[pad].chamfer, single[k].pads[pad].chamfer);
      }
    }
  }
}

TEST(EipBatch, NothingToDo) { EXPECT_TRUE(RunEipPresses(Quick(), Objects(), {}, {}).empty()); }

TEST(EipBatch, Refusals) {
  const Pose middle{{}, {0.5, 0.5, 0.5}};
  ExpectError(
      [&] {
        RunEipPresses(Quick(), Objects(), {0, 1}, {middle});
      },
      {"2 objects chosen and 1 poses", "one of each"});
  for (const int bad : {2, -1})
    ExpectError(
        [&] {
          RunEipPresses(Quick(), Objects(), {0, bad}, {middle, middle});
        },
        {"press 1", "object " + std::to_string(bad), "there are 2"});
  EipOptions o = Quick();
  o.steps = 0;
  ExpectError([&] { RunEipPresses(o, Objects(), {}, {}); }, {"steps is 0"});
  o = Quick();
  o.threads = 2;
  const Pose away{{}, {0.5, 9, 0.5}};
  ExpectError(
      [&] {
        RunEipPresses(o, Objects(), {0, 0, 1}, {middle, away, away});
      },
      {"press 1", "does not lie between the pads"});
}

}  // namespace
}  // namespace taxel
