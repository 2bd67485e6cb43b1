// An order of points in compact groups. Cases:
//   - every index once, for sizes around multiples of the group
//   - groups are compact: far smaller boxes than those of the order given, on a long tilted cloud
//   - same points, same order; ascending within a group; equal points (no extent at all) work
#include "taxel/batch/point_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "../shape/test_meshes.h"
#include "taxel/math/box3.h"

namespace taxel {
using namespace internal;
namespace {

std::vector<Vec3> Cloud(int n) {
  const Pose X = test::TiltedPose();
  std::vector<Vec3> out;
  for (int i = 0; i < n; ++i)
    out.push_back(
        X * test::UniformInBox(4, static_cast<std::uint64_t>(i), {-0.03, -0.004, 0}, {0.05, 0.01, 0.002}));
  return out;
}

// Sum of the longest sides of the groups' boxes.
double Extent(const std::vector<Vec3>& points, const std::vector<int>& order, int group) {
  double sum = 0;
  for (std::size_t i = 0; i < order.size(); i += static_cast<std::size_t>(group)) {
    Vec3 lo = points[static_cast<std::size_t>(order[i])], hi = lo;
    for (std::size_t j = i; j < std::min(order.size(), i + static_cast<std::size_t>(group)); ++j) {
      lo = cwise_min(lo, points[static_cast<std::size_t>(order[j])]);
      hi = cwise_max(hi, points[static_cast<std::size_t>(order[j])]);
    }
    sum += std::max({hi.x - lo.x, hi.y - lo.y, hi.z - lo.z});
  }
  return sum;
}

TEST(PointOrder, HasEveryIndexOnce) {
  for (const int n : {0, 1, 2, 31, 32, 33, 63, 64, 65, 97, 1000}) {
    std::vector<int> order = GroupOrder(Cloud(n), 32);
    std::sort(order.begin(), order.end());
    std::vector<int> all(static_cast<std::size_t>(n));
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(order, all) << n;
  }
}

TEST(PointOrder, GroupsAreCompact) {
  const std::vector<Vec3> points = Cloud(3001);
  std::vector<int> as_given(points.size());
  std::iota(as_given.begin(), as_given.end(), 0);
  // 94 groups share 0.08 x 0.014 m^2: squares of 3.5 mm, where random groups span the 80 mm.
  const double given = Extent(points, as_given, 32), ordered = Extent(points, GroupOrder(points, 32), 32);
  EXPECT_LT(ordered, 0.15 * given);
  EXPECT_LT(ordered / 94, 2.2 * 3.5e-3);
}

TEST(PointOrder, SamePointsSameOrder) {
  const std::vector<Vec3> points = Cloud(500);
  const std::vector<int> order = GroupOrder(points, 32);
  EXPECT_EQ(order, GroupOrder(points, 32));
  for (std::size_t i = 1; i < order.size(); ++i)
    if (i % 32 != 0) {
      EXPECT_LT(order[i - 1], order[i]);
    }
}

TEST(PointOrder, EqualPointsStayInOrder) {
  const std::vector<int> order = GroupOrder(std::vector<Vec3>(100, Vec3{1, 2, 3}), 8);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(order[static_cast<std::size_t>(i)], i);
}

}  // namespace
}  // namespace taxel
