// PointCloud:
//   - finds what a plain loop finds, in order, for tilted poses and counts that are no multiple of four
//   - faces of the box count; nothing is found outside; an empty cloud
#include "taxel/marker/point_cloud.h"

#include <gtest/gtest.h>

#include "../shape/test_meshes.h"

namespace taxel {
namespace {

std::vector<Vec3> Scattered(int count) {
  std::vector<Vec3> out;
  for (int i = 0; i < count; ++i)
    out.push_back({test::Uniform(1, i, -0.02, 0.02), test::Uniform(2, i, -0.02, 0.02),
                   test::Uniform(3, i, -0.02, 0.02)});
  return out;
}

TEST(PointCloud, FindsWhatALoopFinds) {
  const Pose X{RotationAbout(normalized(Vec3{0.3, -0.8, 0.5}), 0.9), {2e-3, -1e-3, 4e-3}};
  const Box3 box{{-0.012, -0.009, -0.006}, {0.01, 0.011, 0.004}};
  for (const int count : {1, 2, 3, 5, 64, 1001}) {
    const std::vector<Vec3> points = Scattered(count);
    std::vector<int> wanted, found{7, 7};
    for (int i = 0; i < count; ++i) {
      const Vec3 p = X * points[static_cast<std::size_t>(i)];
      if (p.x >= box.lo.x && p.x <= box.hi.x && p.y >= box.lo.y && p.y <= box.hi.y && p.z >= box.lo.z &&
          p.z <= box.hi.z)
        wanted.push_back(i);
    }
    PointCloud(points).FindInBox(X, box, &found);
    EXPECT_EQ(found, wanted) << count;
  }
}

TEST(PointCloud, FacesCount) {
  const PointCloud cloud({{1, 0, 0}, {0, 2, 0}, {0, 0, -3}, {1.0000001, 0, 0}, {0, 0, 0}});
  std::vector<int> found;
  cloud.FindInBox({}, {{-1, -2, -3}, {1, 2, 3}}, &found);
  EXPECT_EQ(found, (std::vector<int>{0, 1, 2, 4}));
  cloud.FindInBox({{}, {0, 0, 10}}, {{-1, -2, -3}, {1, 2, 3}}, &found);
  EXPECT_TRUE(found.empty());
}

TEST(PointCloud, Empty) {
  std::vector<int> found{1};
  const PointCloud none{std::vector<Vec3>{}};
  none.FindInBox({}, {{-1, -1, -1}, {1, 1, 1}}, &found);
  EXPECT_TRUE(found.empty());
  EXPECT_EQ(none.size(), 0);
}

}  // namespace
}  // namespace taxel
