// The grid of the gel: nodes of the blocks that particles reach, summed without atomics.
#pragma once

#include <vector>

#include "taxel/gel/gel_transfer.h"

namespace taxel {

/// Velocity (cells a step) and mass (particles) of the nodes, 64 a block, 4 floats a node, k fastest.
class GelGrid {
 public:
  /// Room for the blocks; after every Sort.
  void Fit(const std::vector<GridBlock>& blocks);
  /// Where a block's particles scatter to.
  ReachNodes* reach(int block) { return &reach_[static_cast<std::size_t>(block)]; }
  /// Momentum and mass of a block's own nodes from all that reach them, in a fixed order, and then
  ///     v = p / m + gravity,      0 where there is no mass.
  void Sum(const std::vector<GridBlock>& blocks, int block, const float* gravity);
  /// Velocities of the nodes a block reaches.
  void Load(const std::vector<GridBlock>& blocks, int block, ReachNodes* out) const;
  float* node(int block, int i, int j, int k) {
    return &nodes_[4 *
                   static_cast<std::size_t>(((block * kBlockCells + i) * kBlockCells + j) * kBlockCells + k)];
  }
  const std::vector<float>& nodes() const { return nodes_; }
  std::vector<float>& nodes() { return nodes_; }

 private:
  std::vector<ReachNodes> reach_;
  std::vector<float> nodes_;
};

}  // namespace taxel
