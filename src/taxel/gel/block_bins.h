// A sort by counting: which blocks hold particles, how many lie in each cell, and where each of them goes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "taxel/gel/block_table.h"

namespace taxel {

/// Cells of a block along an axis.
inline constexpr int kBlockCells = 4;
inline constexpr int kBlockNodes = kBlockCells * kBlockCells * kBlockCells;

/// What a block holds: its particles begin a group of eight of their own.
struct BlockBin {
  std::int32_t at[3];  ///< coordinates, in blocks
  std::int32_t group;  ///< first group of its particles
  std::int32_t count;  ///< particles
};

///     bins.Clear(blocks);
///     for (slot : old slots with a particle) bins.Add(slot, block, cell);
///     bins.Number();
///     for (slot : the same, in the same order) bins.Place(slot);   // its new slot
class BlockBins {
 public:
  /// slots: of all particles before the sort. blocks: about how many there will be.
  void Clear(std::size_t slots, std::size_t blocks);
  void Add(std::int32_t slot, const std::int32_t block[3], int cell) {
    if (last_ < 0 || block[0] != last_at_[0] || block[1] != last_at_[1] || block[2] != last_at_[2])
      Find(block);
    found_of_slot_[static_cast<std::size_t>(slot)] = last_;
    cell_of_slot_[static_cast<std::size_t>(slot)] = static_cast<std::uint8_t>(cell);
    ++found_[static_cast<std::size_t>(last_)].cells[cell];
  }
  /// Blocks in the order of their coordinates, so that neighbours lie near each other in memory; cells in
  /// ascending order, and particles of a cell in that of their slots.
  void Number();

  const std::vector<BlockBin>& bins() const { return bins_; }
  std::int32_t groups() const { return groups_; }
  /// Once a slot, ascending; -1 for one without a particle.
  std::int32_t Place(std::int32_t slot) {
    const std::int32_t found = found_of_slot_[static_cast<std::size_t>(slot)];
    if (found < 0) return -1;
    return found_[static_cast<std::size_t>(found)].cells[cell_of_slot_[static_cast<std::size_t>(slot)]]++;
  }

 private:
  struct Found {
    std::int32_t at[3];
    std::int32_t cells[kBlockNodes];  // particles of each; after Number: where the next one of it goes
  };
  void Find(const std::int32_t block[3]);  // sets last_

  BlockTable table_;
  std::vector<Found> found_;  // as they are met
  std::vector<std::int32_t> found_of_slot_;
  std::vector<std::uint8_t> cell_of_slot_;
  std::vector<std::int32_t> order_;
  std::vector<BlockBin> bins_;
  std::int32_t last_ = -1, last_at_[3] = {};  // most particles lie where the one before lies
  std::int32_t groups_ = 0;
};

}  // namespace taxel
