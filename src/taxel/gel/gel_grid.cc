#include "taxel/gel/gel_grid.h"

#include <cstring>

#include "taxel/gel/float8.h"

namespace taxel {
using namespace internal;
namespace {

const ReachNodes kNothing{};

/// A node of a block lies in the reach of two blocks along each axis: its own, and that below for nodes 0 to
/// 2, that above for node 3. Which of the three (0, 1, 2), and where the node is there.
struct Place {
  int block, node;
};
constexpr Place Own(int i) { return {1, i + 1}; }
constexpr Place Other(int i) { return i < 3 ? Place{0, i + 5} : Place{2, 0}; }

}  // namespace

void GelGrid::Fit(const std::vector<GridBlock>& blocks) {
  std::size_t with_particles = 0;
  for (const GridBlock& b : blocks) with_particles += b.count > 0;
  reach_.resize(with_particles);  // blocks with particles come first
  nodes_.resize(blocks.size() * 4 * kBlockNodes);
}

void GelGrid::Sum(const std::vector<GridBlock>& blocks, int block, const float* gravity) {
  const GridBlock& b = blocks[static_cast<std::size_t>(block)];
  const float* from[27];
  for (int n = 0; n < 27; ++n) {
    const int k = b.near[n];
    const bool empty = k < 0 || blocks[static_cast<std::size_t>(k)].count == 0;
    from[n] = empty ? kNothing.value : reach_[static_cast<std::size_t>(k)].value;
  }
  alignas(64) float sum[4 * kBlockNodes];
  for (int i = 0; i < kBlockCells; ++i)
    for (int j = 0; j < kBlockCells; ++j) {
      Float8 low{}, high{};  // nodes k = 0, 1 and 2, 3
      for (const Place& x : {Own(i), Other(i)})
        for (const Place& y : {Own(j), Other(j)}) {
          const float* const* column = from + 9 * x.block + 3 * y.block;
          const int row = 4 * (x.node * kReach + y.node) * kReach;
          low += LoadAs<Float8>(column[1] + row + 4) + LoadAs<Float8>(column[0] + row + 20);
          high += LoadAs<Float8>(column[1] + row + 12) +
                  Join(LoadAs<Float4>(column[0] + row + 28), LoadAs<Float4>(column[2] + row));
        }
      float* to = sum + 4 * (i * kBlockCells + j) * kBlockCells;
      StoreAs(low, to);
      StoreAs(high, to + 8);
    }
  float* out = &nodes_[static_cast<std::size_t>(block) * 4 * kBlockNodes];
  const Float4 g = {gravity[0], gravity[1], gravity[2], 0};
  for (int k = 0; k < kBlockNodes; ++k) {
    const float m = sum[4 * k + 3];
    Float4 v{};
    if (m > 0) {
      v = LoadAs<Float4>(sum + 4 * k) * (1 / m) + g;
      v[3] = m;
    }
    StoreAs(v, out + 4 * k);
  }
}

void GelGrid::Load(const std::vector<GridBlock>& blocks, int block, ReachNodes* out) const {
  const GridBlock& b = blocks[static_cast<std::size_t>(block)];
  for (int i = 0; i < kReach; ++i)
    for (int j = 0; j < kReach; ++j) {
      const int x = i - 1, y = j - 1;  // node of the block; block - 1, 0 or 1 is (x >> 2) + 1
      const int side = 9 * ((x >> 2) + 1) + 3 * ((y >> 2) + 1);
      float* to = out->value + 4 * (i * kReach + j) * kReach;
      const auto row = [&](int d) {
        return nodes_.data() +
               4 * (static_cast<std::size_t>(b.near[side + d]) * kBlockNodes +
                    static_cast<std::size_t>(((x & 3) * kBlockCells + (y & 3)) * kBlockCells));
      };
      std::memcpy(to, row(0) + 12, 4 * sizeof(float));
      std::memcpy(to + 4, row(1), 16 * sizeof(float));
      std::memcpy(to + 20, row(2), 12 * sizeof(float));
    }
}

}  // namespace taxel
