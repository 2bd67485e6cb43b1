// Bounding volume hierarchy. Cases:
//   random boxes of very different sizes: every item once, every box within its nodes, children after
//   parents, leaf size bounds survive the rounding to float; depth stays below kMaxDepth for nested and for
//   identical boxes none, one; same input, same tree
#include "taxel/shape/bvh.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "test_meshes.h"

namespace taxel {
namespace {

std::vector<Box3> RandomBoxes(int n) {
  std::vector<Box3> boxes(n);
  for (int i = 0; i < n; ++i) {
    const Vec3 c = test::UniformInBox(61, i, {-1, 3, 0.1}, {2, 3.5, 0.2});
    const double half = std::pow(10.0, test::Uniform(62, i, -12, -1));
    boxes[i] = {c - Vec3{half, 2 * half, 0.1 * half}, c + Vec3{half, half, half}};
  }
  return boxes;
}

// Checks the subtree and marks its items; returns its depth.
int CheckNode(const Bvh& bvh, const std::vector<Box3>& boxes, int i, int leaf_size, std::vector<int>* seen) {
  const BvhNode& node = bvh.nodes[i];
  const Box3 box = node.box();
  auto holds = [&](const Box3& b) {
    return box.lo.x <= b.lo.x && box.lo.y <= b.lo.y && box.lo.z <= b.lo.z && box.hi.x >= b.hi.x &&
           box.hi.y >= b.hi.y && box.hi.z >= b.hi.z;
  };
  if (node.is_leaf()) {
    EXPECT_LE(node.count, leaf_size);
    for (int k = node.first; k < node.first + node.count; ++k) {
      ++(*seen)[bvh.items[k]];
      EXPECT_TRUE(holds(boxes[bvh.items[k]]));
    }
    return 1;
  }
  EXPECT_GT(node.first, i);
  int depth = 0;
  for (int child : {node.first, node.first + 1}) {
    EXPECT_TRUE(holds(bvh.nodes[child].box()));
    depth = std::max(depth, CheckNode(bvh, boxes, child, leaf_size, seen));
  }
  return depth + 1;
}

void CheckTree(const std::vector<Box3>& boxes, int leaf_size) {
  const Bvh bvh = BuildBvh(boxes, leaf_size);
  std::vector<int> seen(boxes.size(), 0);
  EXPECT_LT(CheckNode(bvh, boxes, 0, leaf_size, &seen), Bvh::kMaxDepth);
  EXPECT_TRUE(std::all_of(seen.begin(), seen.end(), [](int n) { return n == 1; }));
}

TEST(Bvh, HoldsEveryItemOnce) {
  for (int n : {1, 2, 3, 5, 100, 5000})
    for (int leaf_size : {1, 4, 7}) CheckTree(RandomBoxes(n), leaf_size);
}

TEST(Bvh, StaysShallow) {
  CheckTree(std::vector<Box3>(10000, Box3{{0.1, 0.2, 0.3}, {0.4, 0.5, 0.6}}), 1);
  std::vector<Box3> nested;  // each centre twice as far as the last: the worst for cuts by place
  for (int i = 0; i < 2000; ++i) {
    const double s = std::pow(2.0, -i % 60);
    nested.push_back({{0, 0, 0}, {s, s, 1e-3 * s}});
  }
  CheckTree(nested, 1);
}

TEST(Bvh, EmptyAndOne) {
  EXPECT_TRUE(BuildBvh({}).nodes.empty());
  const Bvh one = BuildBvh({Box3{{0.1, 0.2, 0.3}, {0.4, 0.5, 0.6}}});
  ASSERT_EQ(one.nodes.size(), 1u);
  EXPECT_TRUE(one.nodes[0].is_leaf());
}

TEST(Bvh, SameInputSameTree) {
  const auto boxes = RandomBoxes(3000);
  const Bvh a = BuildBvh(boxes), b = BuildBvh(boxes);
  ASSERT_EQ(a.nodes.size(), b.nodes.size());
  EXPECT_EQ(a.items, b.items);
  EXPECT_EQ(std::memcmp(a.nodes.data(), b.nodes.data(), a.nodes.size() * sizeof(BvhNode)), 0);
}

}  // namespace
}  // namespace taxel
