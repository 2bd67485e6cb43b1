// Numbers of blocks by their coordinates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace taxel {

/// A hash table with open addressing. Coordinates lie in -2^20 to 2^20 - 1.
class BlockTable {
 public:
  /// Empty, with room for so many before it grows.
  void Clear(std::size_t entries);
  /// The number of the block there; that is `number` where there was none.
  std::int32_t FindOrAdd(std::int32_t x, std::int32_t y, std::int32_t z, std::int32_t number);
  /// -1 where there is none.
  std::int32_t Find(std::int32_t x, std::int32_t y, std::int32_t z) const;

 private:
  std::size_t Slot(std::uint64_t key) const;  // that of the key, or the free one where it belongs
  void Grow();

  std::size_t size_ = 0;
  std::vector<std::uint64_t> keys_;
  std::vector<std::int32_t> numbers_;
};

}  // namespace taxel
