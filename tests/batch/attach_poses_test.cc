// Cases: rows and tilted offsets end up where a kernel reads them (3 x 4 row-major); rows that are not there,
// too many of them and another number of offsets are refused.
#include "taxel/batch/attach_poses.h"

#include <gtest/gtest.h>

#include "../shape/expect_error.h"

namespace taxel {
namespace {

TEST(AttachPoses, KeepsRowsAndOffsets) {
  const Pose tilted{RotationAbout(normalized({1, -2, 0.5}), 0.7), {0.1, -0.2, 0.3}};
  const CudaPoses p = AttachPoses(9, {4, 8}, {Pose{}, tilted}, {0}, {tilted});
  EXPECT_EQ(p.count, 9);
  EXPECT_EQ(p.pad_index[0], 4);
  EXPECT_EQ(p.pad_index[1], 8);
  EXPECT_EQ(p.object_index[0], 0);
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) {
      EXPECT_EQ(p.pad_offset[0][4 * r + c], r == c ? 1.0f : 0.0f);
      EXPECT_EQ(p.pad_offset[1][4 * r + c], static_cast<float>(tilted.R(r, c)));
      EXPECT_EQ(p.object_offset[0][4 * r + c], static_cast<float>(tilted.R(r, c)));
    }
    EXPECT_EQ(p.pad_offset[0][4 * r + 3], 0.0f);
    EXPECT_EQ(p.pad_offset[1][4 * r + 3], static_cast<float>(tilted.p[r]));
  }
  EXPECT_EQ(p.X_PI, nullptr);
  EXPECT_EQ(p.position, nullptr);
}

TEST(AttachPoses, RefusesWhatIsNotThere) {
  const std::vector<Pose> one(1), many(kMaxFingers + 1);
  ExpectError([&] { AttachPoses(9, {9}, one, {0}, one); }, {"row 9 of pads; there are 9 rows"});
  ExpectError([&] { AttachPoses(9, {1}, one, {-1}, one); }, {"row -1 of objects"});
  ExpectError([&] { AttachPoses(9, {1}, one, {2}, {}); }, {"0 offsets for 1 objects"});
  ExpectError([&] { AttachPoses(99, std::vector<int>(many.size(), 3), many, {2}, one); },
              {"17 pads; a GPU takes up to 16"});
}

}  // namespace
}  // namespace taxel
