// Bounding volume hierarchy over boxes, in flat arrays.
#pragma once

#include <cstdint>
#include <vector>

#include "taxel/math/box3.h"

namespace taxel {

/// 32 bytes. Bounds are float, rounded outwards, so that they always contain the double-precision boxes.
struct BvhNode {
  float lo[3], hi[3];
  std::int32_t first;  ///< leaf: first entry in Bvh::items; inner: index of the left child (right = left + 1)
  std::int32_t count;  ///< leaf: number of items; inner: 0

  TAXEL_HD bool is_leaf() const { return count > 0; }
  TAXEL_HD Box3 box() const { return {{lo[0], lo[1], lo[2]}, {hi[0], hi[1], hi[2]}}; }
};

/// Built once in the body's own frame by median-of-centres splits under the surface area heuristic; plain
/// arrays, no pointers, so that it can be copied to a device as it is. The root is nodes[0]; an empty tree
/// has no node. Children always come after their parent. Depth stays below kMaxDepth, so a traversal can use
/// a fixed stack.
struct Bvh {
  static constexpr int kMaxDepth = 64;
  std::vector<BvhNode> nodes;
  std::vector<std::int32_t> items;  ///< permutation of 0 .. n-1; leaves own consecutive ranges
};

/// Calls leaf(i) for the places i in bvh.items of all leaves whose nodes, and all nodes above them, pass
/// enter(node, index of the node). Left before right; no memory is taken.
template <class Enter, class Leaf>
void Walk(const Bvh& bvh, Enter&& enter, Leaf&& leaf) {
  if (bvh.nodes.empty()) return;
  std::int32_t stack[Bvh::kMaxDepth + 2];
  int top = 0;
  stack[top++] = 0;
  while (top > 0) {
    const std::int32_t index = stack[--top];
    const BvhNode& node = bvh.nodes[index];
    if (!enter(node, index)) continue;
    if (node.is_leaf()) {
      for (int i = node.first; i < node.first + node.count; ++i) leaf(i);
    } else {
      stack[top++] = node.first + 1;
      stack[top++] = node.first;
    }
  }
}

/// @param boxes     one box an item
/// @param leaf_size greatest number of items in a leaf (>= 1)
Bvh BuildBvh(const std::vector<Box3>& boxes, int leaf_size = 4);

/// The same for trees that live for one query: median splits alone, quicker to build and slower to walk. *bvh
/// keeps its memory, so that nothing is allocated after warm-up.
void RebuildBvh(const std::vector<Box3>& boxes, int leaf_size, Bvh* bvh);

}  // namespace taxel
