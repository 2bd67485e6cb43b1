#include "taxel/gel/gel_grid.h"

#include <cstring>

#include "taxel/gel/float8.h"

namespace taxel {
namespace {

/// Own nodes [from, to) of a block along an axis that lie in the reach of its neighbour at `d` (-1, 0, 1),
/// and where they begin there.
struct Span {
  int from, to, there;
};
constexpr Span kSpans[3] = {{0, 3, 5}, {0, 4, 1}, {3, 4, 0}};

}  // namespace

void GelGrid::Fit(const std::vector<GridBlock>& blocks) {
  std::size_t with_particles = 0;
  for (const GridBlock& b : blocks) with_particles += b.count > 0;
  reach_.resize(with_particles);  // blocks with particles come first
  nodes_.resize(blocks.size() * 4 * kBlockNodes);
}

void GelGrid::Sum(const std::vector<GridBlock>& blocks, int block, const float* gravity) {
  const GridBlock& b = blocks[static_cast<std::size_t>(block)];
  alignas(64) float sum[4 * kBlockNodes] = {};
  for (int n = 0; n < 27; ++n) {
    const int from = b.near[n];
    if (from < 0 || blocks[static_cast<std::size_t>(from)].count == 0) continue;
    const Span x = kSpans[n / 9], y = kSpans[n / 3 % 3], z = kSpans[n % 3];
    const float* there = reach_[static_cast<std::size_t>(from)].value;
    for (int i = x.from; i < x.to; ++i)
      for (int j = y.from; j < y.to; ++j) {
        const float* row =
            there + 4 * (((i - x.from + x.there) * kReach + (j - y.from + y.there)) * kReach + z.there);
        float* to = sum + 4 * ((i * kBlockCells + j) * kBlockCells + z.from);
        for (int k = 0; k < 4 * (z.to - z.from); ++k) to[k] += row[k];
      }
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
