#include "taxel/gel/block_bins.h"

#include <algorithm>
#include <numeric>

namespace taxel {

void BlockBins::Clear(std::size_t slots, std::size_t blocks) {
  table_.Clear(std::max<std::size_t>(64, 2 * blocks));
  found_.clear();
  found_of_slot_.assign(slots, -1);
  cell_of_slot_.resize(slots);
  last_ = -1;
}

void BlockBins::Find(const std::int32_t block[3]) {
  const auto next = static_cast<std::int32_t>(found_.size());
  last_ = table_.FindOrAdd(block[0], block[1], block[2], next);
  if (last_ == next) found_.push_back({{block[0], block[1], block[2]}, {}});
  std::copy(block, block + 3, last_at_);
}

void BlockBins::Number() {
  order_.resize(found_.size());
  std::iota(order_.begin(), order_.end(), 0);
  std::sort(order_.begin(), order_.end(), [&](std::int32_t a, std::int32_t b) {
    const auto &p = found_[static_cast<std::size_t>(a)].at, &q = found_[static_cast<std::size_t>(b)].at;
    return std::lexicographical_compare(p, p + 3, q, q + 3);
  });
  bins_.resize(found_.size());
  groups_ = 0;
  for (std::size_t k = 0; k < found_.size(); ++k) {
    Found& f = found_[static_cast<std::size_t>(order_[k])];
    std::int32_t next = 8 * groups_;
    for (std::int32_t& cell : f.cells) {
      const std::int32_t count = cell;
      cell = next;
      next += count;
    }
    const std::int32_t count = next - 8 * groups_;
    bins_[k] = {{f.at[0], f.at[1], f.at[2]}, groups_, count};
    groups_ += (count + 7) / 8;
  }
}

}  // namespace taxel
