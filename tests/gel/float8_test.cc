// Cases: floor of whole and broken numbers on both sides of zero; absolute values; halves; the transposition
// and its inverse, entry by entry.
#include "taxel/gel/float8.h"

#include <gtest/gtest.h>

#include <cmath>

namespace taxel {
using namespace internal;
namespace {

TEST(Float8, FloorIsThatOfTheLibrary) {
  const float values[3][8] = {
      {-2, -1.5f, -1, -0.25f, 0, 0.25f, 1, 1.75f},
      {-1e-20f, 1e-20f, -0.99999994f, 0.99999994f, -8388607.5f, 8388607.5f, -2e9f, 2e9f},
      {-1.0000001f, 3.4999998f, -3.5f, 5, -7, 1e6f, -1e6f - 0.5f, -0.0f}};
  for (const auto& row : values) {
    const Int8 got = Floor(LoadAs<Float8>(row));
    for (int k = 0; k < 8; ++k) EXPECT_EQ(got[k], static_cast<int>(std::floor(row[k]))) << row[k];
  }
}

TEST(Float8, AbsKeepsNanAndHalvesJoin) {
  const float in[8] = {-1, 2, -0.0f, 4, -INFINITY, 6, std::nanf(""), -8};
  const Float8 v = LoadAs<Float8>(in), a = Abs(v);
  for (int k = 0; k < 8; ++k) {
    if (k == 6)
      EXPECT_TRUE(std::isnan(a[k]));
    else
      EXPECT_EQ(a[k], std::fabs(in[k]));
  }
  const Float8 turned = Join(High(v), Low(v));
  for (int k = 0; k < 8; ++k)
    if ((k + 4) % 8 != 6) {
      EXPECT_EQ(turned[k], in[(k + 4) % 8]);
    }
  for (int k = 0; k < 8; ++k) EXPECT_EQ(All8(2.5f)[k], 2.5f);
}

TEST(Float8, TransposeAndBack) {
  Float8 rows[4];
  for (int r = 0; r < 4; ++r)
    for (int k = 0; k < 8; ++k) rows[r][k] = static_cast<float>(10 * r + k);
  float out[33];
  out[32] = -1;
  Transpose(rows[0], rows[1], rows[2], rows[3], out);
  for (int k = 0; k < 8; ++k)
    for (int r = 0; r < 4; ++r) EXPECT_EQ(out[4 * k + r], static_cast<float>(10 * r + k));
  EXPECT_EQ(out[32], -1);  // nothing behind the end
  Float8 back[3];
  TransposeBack(out, &back[0], &back[1], &back[2]);
  for (int r = 0; r < 3; ++r)
    for (int k = 0; k < 8; ++k) EXPECT_EQ(back[r][k], rows[r][k]);
}

}  // namespace
}  // namespace taxel
