// Points with bristles. Cases:
//   clusters: every point once, by rising index within a cluster, 17 to 32 points, whole probes inside the
//   box, neighbours together; 1 to 5,000 points, flat and round, and all points at one place base and tip of
//   a tilted probe wrong input: no points, too many, depth 0, negative, infinite, NaN; normals missing, long,
//   NaN; a point that is not finite
#include "taxel/bristle/bristle_points.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "../shape/expect_error.h"
#include "pads.h"

namespace taxel {
namespace {

using test::FlatGrid;
using test::RoundPad;

bool Contains(const Box3& box, const Vec3& p) { return box.Distance2(p) == 0; }

void CheckClusters(const BristlePoints& pad) {
  std::vector<int> seen(pad.count(), 0);
  int next = 0;
  for (const auto& cluster : pad.clusters()) {
    EXPECT_EQ(cluster.first, next);
    next += cluster.count;
    EXPECT_LE(cluster.count, 32);
    EXPECT_GE(cluster.count, std::min(pad.count(), 16));
    EXPECT_TRUE(std::is_sorted(pad.members().begin() + cluster.first, pad.members().begin() + next));
    for (int m = cluster.first; m < next; ++m) {
      const int i = pad.members()[m];
      ++seen[i];
      EXPECT_TRUE(Contains(cluster.box, pad.tip(i)) && Contains(cluster.box, pad.base(i)));
    }
    EXPECT_TRUE(Contains(pad.box(), cluster.box.lo) && Contains(pad.box(), cluster.box.hi));
  }
  EXPECT_EQ(next, pad.count());
  for (int n : seen) EXPECT_EQ(n, 1);
}

TEST(BristlePoints, ClustersHoldEveryPointOnce) {
  for (int count : {1, 2, 16, 31, 32, 33, 84, 1000, 5000}) {
    SCOPED_TRACE(count);
    CheckClusters(BristlePoints(RoundPad(count, 0.01, 5), 0.004));
  }
  for (int cols : {1, 14, 77}) CheckClusters(BristlePoints(FlatGrid(6, cols, 0.0034), 0.012));
}

TEST(BristlePoints, PointsAtOnePlaceAreHalvedByTheirIndex) {
  Layout layout;
  for (int i = 0; i < 100; ++i) test::AddPoint({0.1, 0.2, 0.3}, {0, 0, 1}, &layout);
  CheckClusters(BristlePoints(layout, 0.01));
}

// 14 x 6 points, 3.4 mm apart: halves of the long side, then of what is longer of 7 and 6 columns.
TEST(BristlePoints, ClustersAreCompact) {
  const BristlePoints pad(FlatGrid(6, 14, 0.0034), 0.012);
  ASSERT_EQ(pad.clusters().size(), 4u);
  for (const auto& cluster : pad.clusters()) {
    EXPECT_EQ(cluster.count, 21);
    EXPECT_LE(cluster.box.size().x, 6 * 0.0034 + 1e-12);
    EXPECT_LE(cluster.box.size().y, 5 * 0.0034 + 1e-12);
    EXPECT_NEAR(cluster.box.size().z, 0.012, 1e-15);
  }
  // A long line falls into pieces that do not overlap.
  const BristlePoints line(FlatGrid(1, 640, 0.001), 0.002);
  for (std::size_t i = 1; i < line.clusters().size(); ++i)
    EXPECT_GT(line.clusters()[i].box.lo.x, line.clusters()[i - 1].box.hi.x);
}

TEST(BristlePoints, AProbeRunsFromBelowThePointToThePoint) {
  Layout layout;
  const Vec3 n = normalized({0.3, -0.7, 0.5}), p{0.013, -0.021, 0.034};
  test::AddPoint(p, n, &layout);
  const BristlePoints pad(layout, 0.007);
  EXPECT_EQ(pad.tip(0), p);
  EXPECT_EQ(pad.direction(0), n);
  EXPECT_NEAR(norm(pad.tip(0) - pad.base(0)), 0.007, 1e-16);
  EXPECT_LT(norm(pad.base(0) + 0.007 * n - p), 1e-16);
  EXPECT_EQ(pad.depth(), 0.007);
}

TEST(BristlePoints, WrongInputIsNamed) {
  const Layout good = FlatGrid(2, 3, 0.01);
  ExpectError([] { BristlePoints(Layout{}, 0.01); }, {"no points", "at least one"});
  for (double depth : {0.0, -0.01, std::numeric_limits<double>::infinity(), std::nan("")})
    ExpectError([&] { BristlePoints(good, depth); },
                {"depth is " + ToText(depth), "greater than 0 (metres)"});
  Layout layout = good;
  layout.normals.pop_back();
  ExpectError([&] { BristlePoints(layout, 0.01); }, {"6 points but 5 normals", "one normal a point"});
  layout = good;
  layout.normals[4] = {0, 0, 2};
  ExpectError([&] { BristlePoints(layout, 0.01); }, {"point 4", "0 0 2", "length 2", "divide it"});
  layout.normals[4] = {0, std::nan(""), 0};
  ExpectError([&] { BristlePoints(layout, 0.01); }, {"point 4", "nan"});
  layout = good;
  layout.points[5].y = HUGE_VAL;
  ExpectError([&] { BristlePoints(layout, 0.01); }, {"point 5", "inf", "must be finite"});
  layout = good;
  layout.points.resize(kMaxTaxels + 1);
  ExpectError([&] { BristlePoints(layout, 0.01); }, {"65537 points", "65536", "coarser"});
}

}  // namespace
}  // namespace taxel
