// Cases: what was added is found, on both sides of the origin and at the ends of the range; a second one at
// the same place keeps the first number; it grows; an empty table and one never cleared have nothing.
#include "taxel/gel/block_table.h"

#include <gtest/gtest.h>

namespace taxel {
namespace {

TEST(BlockTable, FindsWhatWasAdded) {
  BlockTable table;
  EXPECT_EQ(table.Find(0, 0, 0), -1);
  table.Clear(4);
  const std::int32_t most = (1 << 20) - 1, least = -(1 << 20);
  EXPECT_EQ(table.FindOrAdd(3, -7, 0, 5), 5);
  EXPECT_EQ(table.FindOrAdd(-7, 3, 0, 6), 6);
  EXPECT_EQ(table.FindOrAdd(most, least, most, 7), 7);
  EXPECT_EQ(table.FindOrAdd(3, -7, 0, 8), 5);
  EXPECT_EQ(table.Find(3, -7, 0), 5);
  EXPECT_EQ(table.Find(-7, 3, 0), 6);
  EXPECT_EQ(table.Find(most, least, most), 7);
  EXPECT_EQ(table.Find(3, -7, 1), -1);
  table.Clear(4);
  EXPECT_EQ(table.Find(3, -7, 0), -1);
}

TEST(BlockTable, Grows) {
  for (const bool cleared : {true, false}) {
    BlockTable table;
    if (cleared) table.Clear(1);
    int number = 0;
    for (int x = -9; x < 9; ++x)
      for (int y = -9; y < 9; ++y)
        for (int z = -3; z < 3; ++z) {
          EXPECT_EQ(table.FindOrAdd(x, y, z, number), number);
          ++number;
        }
    number = 0;
    for (int x = -9; x < 9; ++x)
      for (int y = -9; y < 9; ++y)
        for (int z = -3; z < 3; ++z) EXPECT_EQ(table.Find(x, y, z), number++);
    EXPECT_EQ(table.Find(9, 0, 0), -1);
  }
}

}  // namespace
}  // namespace taxel
