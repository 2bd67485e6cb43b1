#include "taxel/gel/particle_blocks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace taxel {
namespace {

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

void ParticleBlocks::Assign(const std::vector<Vec3>& x_cells) {
  const std::size_t n = x_cells.size();
  const auto block = [&](std::size_t p, int k) {
    return static_cast<std::int32_t>(std::floor((x_cells[p][k] - 0.5) / kBlockCells));
  };
  std::vector<std::array<std::int32_t, 3>> at(n);
  for (std::size_t p = 0; p < n; ++p) at[p] = {block(p, 0), block(p, 1), block(p, 2)};
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return at[a] < at[b]; });
  groups_.clear(), ids_.clear(), block_of_.clear(), blocks_.clear();
  slot_.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t p = order[i];
    if (i == 0 || at[p] != at[order[i - 1]])
      blocks_.push_back({{at[p][0], at[p][1], at[p][2]}, static_cast<std::int32_t>(groups_.size()), 0, {}});
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
  const Vec3 moved = MovedBy(s);
  for (int k = 0; k < 3; ++k) p.x[k] = double(group.x[k][lane]) + double(kBlockCells) * b.at[k] + moved[k];
  for (int k = 0; k < 3; ++k) p.v[k] = group.v[k][lane];
  for (int k = 0; k < 9; ++k) p.C[k] = group.C[k][lane], p.F[k] = group.F[k][lane];
  for (int k = 0; at_rest() && k < 9; k += 4) p.F[k] += 1;
  return p;
}

void ParticleBlocks::Set(std::size_t particle, const GelParticle& p) {
  const std::int32_t s = slot_[particle], g = s >> 3, lane = s & 7;
  ParticleGroup& group = groups_[g];
  const GridBlock& b = BlockOf(g);
  if (at_rest()) {
    MovedGroup& m = moved_[static_cast<std::size_t>(g)];
    const Vec3& shift = shift_[static_cast<std::size_t>(block_of_[static_cast<std::size_t>(g)])];
    for (int k = 0; k < 3; ++k)
      m.u[k][lane] =
          static_cast<float>(p.x[k] - double(kBlockCells) * b.at[k] - double(group.x[k][lane]) - shift[k]);
  } else {
    for (int k = 0; k < 3; ++k) group.x[k][lane] = static_cast<float>(p.x[k] - double(kBlockCells) * b.at[k]);
  }
  for (int k = 0; k < 3; ++k) group.v[k][lane] = p.v[k];
  for (int k = 0; k < 9; ++k) group.C[k][lane] = p.C[k], group.F[k][lane] = p.F[k];
  for (int k = 0; at_rest() && k < 9; k += 4) group.F[k][lane] -= 1;
  const float* F = p.F;
  group.J[lane] = F[0] * (F[4] * F[8] - F[5] * F[7]) + F[1] * (F[5] * F[6] - F[3] * F[8]) +
                  F[2] * (F[3] * F[7] - F[4] * F[6]);
}

void ParticleBlocks::CountParticles() {
  const std::int32_t slots = static_cast<std::int32_t>(8 * groups_.size());
  bins_.Clear(static_cast<std::size_t>(slots), blocks_.size());
  for (std::int32_t s = 0; s < slots; ++s) {
    if (ids_[s] < 0) continue;
    const ParticleGroup& g = groups_[s >> 3];
    const GridBlock& home = BlockOf(s >> 3);
    const int lane = s & 7;
    std::int32_t at[3];
    int cell = 0;
    for (int k = 0; k < 3; ++k) {
      const int base = static_cast<int>(std::floor(g.x[k][lane] - 0.5f));
      at[k] = home.at[k] + (base >> 2);  // rounded down
      cell = kBlockCells * cell + (base & 3);
    }
    bins_.Add(s, at, cell);
  }
  bins_.Number();
  from_.assign(8 * static_cast<std::size_t>(bins_.groups()), -1);
  for (std::int32_t s = 0; s < slots; ++s)
    if (const std::int32_t to = bins_.Place(s); to >= 0) from_[static_cast<std::size_t>(to)] = s;
}

void ParticleBlocks::MoveParticles(const std::vector<GridBlock>& blocks, ThreadCrew* crew) {
  next_.resize(from_.size() / 8);
  crew->For(static_cast<int>(blocks.size()), 16, [&](int k, int) {
    const GridBlock& b = blocks[static_cast<std::size_t>(k)];
    for (std::int32_t g = b.group; g < b.group + (b.count + 7) / 8; ++g) {
      ParticleGroup& to = next_[static_cast<std::size_t>(g)];
      if (b.count - 8 * (g - b.group) < 8) to = EmptyGroup();
      for (int lane = 0; lane < 8; ++lane) {
        const std::int32_t s = from_[static_cast<std::size_t>(8 * g + lane)];
        if (s < 0) continue;
        float* out = &to.x[0][0] + lane;
        const float* in = &groups_[static_cast<std::size_t>(s >> 3)].x[0][0] + (s & 7);
        const GridBlock& home = BlockOf(s >> 3);
        for (int row = 0; row < kGroupRows; ++row) out[8 * row] = in[8 * row];
        for (int j = 0; j < 3; ++j) out[8 * j] += static_cast<float>(kBlockCells * (home.at[j] - b.at[j]));
      }
    }
  });
  std::swap(groups_, next_);
  next_ids_.assign(from_.size(), -1);
  for (std::size_t k = 0; k < from_.size(); ++k) {
    if (from_[k] < 0) continue;
    next_ids_[k] = ids_[static_cast<std::size_t>(from_[k])];
    slot_[static_cast<std::size_t>(next_ids_[k])] = static_cast<std::int32_t>(k);
  }
  std::swap(ids_, next_ids_);
  block_of_.resize(groups_.size());
  for (std::size_t k = 0; k < blocks.size(); ++k)
    std::fill_n(block_of_.begin() + blocks[k].group, (blocks[k].count + 7) / 8, static_cast<std::int32_t>(k));
}

void ParticleBlocks::AddNeighbours(std::vector<GridBlock>* blocks) {
  const std::size_t filled = blocks->size();
  const auto group = static_cast<std::int32_t>(groups_.size());
  table_.Clear(27 * filled);
  for (std::size_t k = 0; k < filled; ++k) {
    const GridBlock& b = (*blocks)[k];
    table_.FindOrAdd(b.at[0], b.at[1], b.at[2], static_cast<std::int32_t>(k));
  }
  for (std::size_t k = 0; k < filled; ++k)
    for (int d = 0; d < 27; ++d) {
      const GridBlock& b = (*blocks)[k];
      const std::int32_t x = b.at[0] + d / 9 - 1, y = b.at[1] + d / 3 % 3 - 1, z = b.at[2] + d % 3 - 1;
      const auto next = static_cast<std::int32_t>(blocks->size());
      if (table_.FindOrAdd(x, y, z, next) == next) blocks->push_back({{x, y, z}, group, 0, {}});
    }
  for (GridBlock& b : *blocks)
    for (int d = 0; d < 27; ++d)
      b.near[d] = table_.Find(b.at[0] + d / 9 - 1, b.at[1] + d / 3 % 3 - 1, b.at[2] + d % 3 - 1);
}

void ParticleBlocks::StayAtRest() {
  moved_.assign(groups_.size(), {});
  shift_.assign(blocks_.size(), {});
  for (ParticleGroup& g : groups_)
    for (int k = 0; k < 9; k += 4)
      for (float& f : g.F[k]) f -= 1;
}

void ParticleBlocks::Rebase() {
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    if (blocks_[b].count == 0) continue;
    const auto first = static_cast<std::size_t>(blocks_[b].group);
    const auto end = first + static_cast<std::size_t>((blocks_[b].count + 7) / 8);
    for (int k = 0; k < 3; ++k) {
      const float whole = std::round(moved_[first].u[k][0]);
      if (whole == 0) continue;
      shift_[b][k] += double(whole);
      for (std::size_t g = first; g < end; ++g)
        for (float& u : moved_[g].u[k]) u -= whole;
    }
  }
}

void ParticleBlocks::Sort(ThreadCrew* crew) {
  CountParticles();
  std::vector<GridBlock> blocks;
  for (const BlockBin& b : bins_.bins())
    blocks.push_back({{b.at[0], b.at[1], b.at[2]}, b.group, b.count, {}});
  MoveParticles(blocks, crew);
  AddNeighbours(&blocks);  // the blocks around them take part in the grid
  std::swap(blocks_, blocks);
}

}  // namespace taxel
