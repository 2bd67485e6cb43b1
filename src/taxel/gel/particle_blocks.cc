#include "taxel/gel/particle_blocks.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

namespace taxel {
namespace {

constexpr std::int32_t kBias = 1 << 20;  // coordinates of blocks fit in 21 bits each

std::uint64_t KeyOf(std::int32_t x, std::int32_t y, std::int32_t z) {
  return (static_cast<std::uint64_t>(x + kBias) << 42) | (static_cast<std::uint64_t>(y + kBias) << 21) |
         static_cast<std::uint64_t>(z + kBias);
}

constexpr std::uint64_t kEmpty = ~0ull;

std::size_t Mix(std::uint64_t k) {
  k ^= k >> 31;
  k *= 0x9e3779b97f4a7c15ull;
  return static_cast<std::size_t>(k ^ (k >> 29));
}

int FloorDiv4(int a) { return a >> 2; }

/// Lanes without a particle: at rest in the middle of their block.
ParticleGroup EmptyGroup() {
  ParticleGroup g{};
  for (int lane = 0; lane < 8; ++lane) {
    for (int k = 0; k < 3; ++k) g.x[k][lane] = 1, g.F[4 * k][lane] = 1;
    g.J[lane] = 1;
  }
  return g;
}

}  // namespace

void ParticleBlocks::Table::Clear(std::size_t entries) {
  std::size_t n = 64;
  while (n < 4 * entries) n *= 2;
  keys.assign(n, kEmpty);
  values.assign(n, -1);
}

std::int32_t* ParticleBlocks::Table::Insert(std::uint64_t key, bool* is_new) {
  const std::size_t mask = keys.size() - 1;
  std::size_t i = Mix(key) & mask;
  while (keys[i] != kEmpty && keys[i] != key) i = (i + 1) & mask;
  *is_new = keys[i] == kEmpty;
  keys[i] = key;
  return &values[i];
}

std::int32_t ParticleBlocks::Table::Find(std::uint64_t key) const {
  const std::size_t mask = keys.size() - 1;
  for (std::size_t i = Mix(key) & mask; keys[i] != kEmpty; i = (i + 1) & mask)
    if (keys[i] == key) return values[i];
  return -1;
}

std::int32_t ParticleBlocks::Find(std::int32_t x, std::int32_t y, std::int32_t z) const {
  return table_.keys.empty() ? -1 : table_.Find(KeyOf(x, y, z));
}

void ParticleBlocks::Assign(const std::vector<Vec3>& x_cells) {
  const std::size_t n = x_cells.size();
  std::vector<std::uint64_t> keys(n);
  const auto block = [&](std::size_t p, int k) {
    return static_cast<std::int32_t>(std::floor((x_cells[p][k] - 0.5) / kBlockCells));
  };
  for (std::size_t p = 0; p < n; ++p) keys[p] = KeyOf(block(p, 0), block(p, 1), block(p, 2));
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
  groups_.clear(), ids_.clear(), block_of_.clear(), blocks_.clear();
  slot_.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t p = order[i];
    if (i == 0 || keys[p] != keys[order[i - 1]]) {
      blocks_.push_back(
          {{block(p, 0), block(p, 1), block(p, 2)}, static_cast<std::int32_t>(groups_.size()), 0, {}});
    }
    GridBlock& b = blocks_.back();
    if (b.count % 8 == 0) {
      groups_.push_back(EmptyGroup());
      ids_.resize(8 * groups_.size(), -1);
      block_of_.push_back(static_cast<std::int32_t>(blocks_.size()) - 1);
    }
    const int lane = b.count++ % 8;
    for (int k = 0; k < 3; ++k)
      groups_.back().x[k][lane] = static_cast<float>(x_cells[p][k] - double(kBlockCells) * b.at[k]);
    slot_[p] = static_cast<std::int32_t>(8 * (groups_.size() - 1)) + lane;
    ids_[static_cast<std::size_t>(slot_[p])] = static_cast<std::int32_t>(p);
  }
}

GelParticle ParticleBlocks::Get(std::size_t particle) const {
  const std::int32_t s = slot_[particle], g = s >> 3, lane = s & 7;
  const ParticleGroup& group = groups_[g];
  const GridBlock& b = BlockOf(g);
  GelParticle p;
  for (int k = 0; k < 3; ++k) p.x[k] = double(group.x[k][lane]) + double(kBlockCells) * b.at[k];
  for (int k = 0; k < 3; ++k) p.v[k] = group.v[k][lane];
  for (int k = 0; k < 9; ++k) p.C[k] = group.C[k][lane], p.F[k] = group.F[k][lane];
  return p;
}

void ParticleBlocks::Set(std::size_t particle, const GelParticle& p) {
  const std::int32_t s = slot_[particle], g = s >> 3, lane = s & 7;
  ParticleGroup& group = groups_[g];
  const GridBlock& b = BlockOf(g);
  for (int k = 0; k < 3; ++k) group.x[k][lane] = static_cast<float>(p.x[k] - double(kBlockCells) * b.at[k]);
  for (int k = 0; k < 3; ++k) group.v[k][lane] = p.v[k];
  for (int k = 0; k < 9; ++k) group.C[k][lane] = p.C[k], group.F[k][lane] = p.F[k];
  const float* F = p.F;
  group.J[lane] = F[0] * (F[4] * F[8] - F[5] * F[7]) + F[1] * (F[5] * F[6] - F[3] * F[8]) +
                  F[2] * (F[3] * F[7] - F[4] * F[6]);
}

void ParticleBlocks::Sort(ThreadCrew* crew) {
  const std::int32_t slots = static_cast<std::int32_t>(8 * groups_.size());
  key_block_.assign(static_cast<std::size_t>(slots), -1);
  key_cell_.resize(static_cast<std::size_t>(slots));
  // Blocks with particles, numbered as they are met.
  struct Found {
    std::int32_t at[3];
    std::int32_t count;
    std::int32_t cells[kBlockNodes];
  };
  std::vector<Found> found;
  table_.Clear(std::max<std::size_t>(64, 2 * blocks_.size()));
  std::uint64_t last_key = kEmpty;
  std::int32_t last = -1;
  for (std::int32_t s = 0; s < slots; ++s) {
    if (ids_[s] < 0) continue;
    const ParticleGroup& g = groups_[s >> 3];
    const GridBlock& home = BlockOf(s >> 3);
    const int lane = s & 7;
    int at[3], cell[3];
    for (int k = 0; k < 3; ++k) {
      const int base = static_cast<int>(std::floor(g.x[k][lane] - 0.5f));
      at[k] = home.at[k] + FloorDiv4(base);
      cell[k] = base & 3;
    }
    const std::uint64_t key = KeyOf(at[0], at[1], at[2]);
    if (key != last_key) {
      if (4 * found.size() >= table_.keys.size()) {  // grow
        table_.Clear(table_.keys.size());
        for (std::size_t k = 0; k < found.size(); ++k) {
          bool is_new;
          *table_.Insert(KeyOf(found[k].at[0], found[k].at[1], found[k].at[2]), &is_new) =
              static_cast<int>(k);
        }
      }
      bool is_new;
      std::int32_t* place = table_.Insert(key, &is_new);
      if (is_new) {
        *place = static_cast<std::int32_t>(found.size());
        found.push_back({{at[0], at[1], at[2]}, 0, {}});
      }
      last_key = key, last = *place;
    }
    Found& f = found[static_cast<std::size_t>(last)];
    const int c = (cell[0] * kBlockCells + cell[1]) * kBlockCells + cell[2];
    key_block_[s] = last;
    key_cell_[s] = static_cast<std::uint8_t>(c);
    ++f.count;
    ++f.cells[c];
  }
  // In the order of their coordinates, so that neighbours lie near each other in memory.
  order_.resize(found.size());
  std::iota(order_.begin(), order_.end(), 0);
  std::sort(order_.begin(), order_.end(), [&](int a, int b) {
    const auto &p = found[static_cast<std::size_t>(a)].at, &q = found[static_cast<std::size_t>(b)].at;
    return std::lexicographical_compare(p, p + 3, q, q + 3);
  });
  std::vector<GridBlock> blocks(found.size());
  std::vector<std::int32_t> new_index(found.size());
  std::int32_t group = 0;
  for (std::size_t k = 0; k < found.size(); ++k) {
    Found& f = found[static_cast<std::size_t>(order_[k])];
    new_index[static_cast<std::size_t>(order_[k])] = static_cast<std::int32_t>(k);
    GridBlock& b = blocks[k];
    std::copy(f.at, f.at + 3, b.at);
    b.group = group;
    b.count = f.count;
    group += (f.count + 7) / 8;
    std::int32_t begin = 8 * b.group;  // counts become the first slot of each cell
    for (std::int32_t& c : f.cells) {
      const std::int32_t n = c;
      c = begin;
      begin += n;
    }
  }
  // Where every particle goes.
  next_ids_.assign(8 * static_cast<std::size_t>(group), -1);
  for (std::int32_t s = 0; s < slots; ++s) {
    if (key_block_[s] < 0) continue;
    const std::int32_t to = found[static_cast<std::size_t>(key_block_[s])].cells[key_cell_[s]]++;
    next_ids_[static_cast<std::size_t>(to)] = s;  // the old slot, for now
  }
  next_.resize(static_cast<std::size_t>(group));
  const auto copy = [&](int k, int) {
    const GridBlock& b = blocks[static_cast<std::size_t>(k)];
    for (std::int32_t g = b.group; g < b.group + (b.count + 7) / 8; ++g) {
      ParticleGroup& to = next_[static_cast<std::size_t>(g)];
      if (b.count - 8 * (g - b.group) < 8) to = EmptyGroup();
      for (int lane = 0; lane < 8; ++lane) {
        const std::int32_t s = next_ids_[static_cast<std::size_t>(8 * g + lane)];
        if (s < 0) continue;
        float* out = &to.x[0][0] + lane;
        const float* in = &groups_[static_cast<std::size_t>(s >> 3)].x[0][0] + (s & 7);
        const GridBlock& home = BlockOf(s >> 3);
        for (int row = 0; row < kGroupRows; ++row) out[8 * row] = in[8 * row];
        for (int j = 0; j < 3; ++j) out[8 * j] += static_cast<float>(kBlockCells * (home.at[j] - b.at[j]));
      }
    }
  };
  const int n = static_cast<int>(blocks.size());
  crew->For(n, 16, copy);
  for (std::size_t k = 0; k < next_ids_.size(); ++k) {
    if (next_ids_[k] < 0) continue;
    const std::int32_t id = ids_[static_cast<std::size_t>(next_ids_[k])];
    next_ids_[k] = id;
    slot_[static_cast<std::size_t>(id)] = static_cast<std::int32_t>(k);
  }
  std::swap(groups_, next_);
  std::swap(ids_, next_ids_);
  block_of_.resize(static_cast<std::size_t>(group));
  for (int k = 0; k < n; ++k) {
    const GridBlock& b = blocks[static_cast<std::size_t>(k)];
    std::fill_n(block_of_.begin() + b.group, (b.count + 7) / 8, k);
  }
  // The blocks around them take part in the grid.
  table_.Clear(27 * blocks.size());
  for (int k = 0; k < n; ++k) {
    const GridBlock& b = blocks[static_cast<std::size_t>(k)];
    bool is_new;
    *table_.Insert(KeyOf(b.at[0], b.at[1], b.at[2]), &is_new) = k;
  }
  for (int k = 0; k < n; ++k)
    for (int d = 0; d < 27; ++d) {
      const GridBlock b = blocks[static_cast<std::size_t>(k)];
      GridBlock around{};
      const int at[3] = {b.at[0] + d / 9 - 1, b.at[1] + d / 3 % 3 - 1, b.at[2] + d % 3 - 1};
      std::copy(at, at + 3, around.at);
      bool is_new;
      std::int32_t* place = table_.Insert(KeyOf(at[0], at[1], at[2]), &is_new);
      if (!is_new) continue;
      *place = static_cast<std::int32_t>(blocks.size());
      around.group = group;
      blocks.push_back(around);
    }
  for (GridBlock& b : blocks)
    for (int d = 0; d < 27; ++d)
      b.near[d] = table_.Find(KeyOf(b.at[0] + d / 9 - 1, b.at[1] + d / 3 % 3 - 1, b.at[2] + d % 3 - 1));
  std::swap(blocks_, blocks);
}

}  // namespace taxel
