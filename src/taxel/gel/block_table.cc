#include "taxel/gel/block_table.h"

#include <utility>

namespace taxel {
namespace {

constexpr std::int32_t kBias = 1 << 20;  // coordinates of blocks fit in 21 bits each
constexpr std::uint64_t kEmpty = ~0ull;

std::uint64_t KeyOf(std::int32_t x, std::int32_t y, std::int32_t z) {
  return (static_cast<std::uint64_t>(x + kBias) << 42) | (static_cast<std::uint64_t>(y + kBias) << 21) |
         static_cast<std::uint64_t>(z + kBias);
}

std::size_t Mix(std::uint64_t k) {
  k ^= k >> 31;
  k *= 0x9e3779b97f4a7c15ull;
  return static_cast<std::size_t>(k ^ (k >> 29));
}

}  // namespace

void BlockTable::Clear(std::size_t entries) {
  std::size_t n = 64;
  while (n < 4 * entries) n *= 2;
  size_ = 0;
  keys_.assign(n, kEmpty);
  numbers_.assign(n, -1);
}

std::size_t BlockTable::Slot(std::uint64_t key) const {
  const std::size_t mask = keys_.size() - 1;
  std::size_t i = Mix(key) & mask;
  while (keys_[i] != kEmpty && keys_[i] != key) i = (i + 1) & mask;
  return i;
}

void BlockTable::Grow() {
  const std::vector<std::uint64_t> keys = std::move(keys_);
  const std::vector<std::int32_t> numbers = std::move(numbers_);
  const std::size_t size = size_;
  Clear(keys.size());
  size_ = size;
  for (std::size_t k = 0; k < keys.size(); ++k) {
    if (keys[k] == kEmpty) continue;
    const std::size_t i = Slot(keys[k]);
    keys_[i] = keys[k], numbers_[i] = numbers[k];
  }
}

std::int32_t BlockTable::FindOrAdd(std::int32_t x, std::int32_t y, std::int32_t z, std::int32_t number) {
  if (4 * size_ >= keys_.size()) keys_.empty() ? Clear(0) : Grow();
  const std::uint64_t key = KeyOf(x, y, z);
  const std::size_t i = Slot(key);
  if (keys_[i] == kEmpty) keys_[i] = key, numbers_[i] = number, ++size_;
  return numbers_[i];
}

std::int32_t BlockTable::Find(std::int32_t x, std::int32_t y, std::int32_t z) const {
  if (keys_.empty()) return -1;
  return numbers_[Slot(KeyOf(x, y, z))];
}

}  // namespace taxel
