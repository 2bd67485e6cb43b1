// The cells that one contact presses on.
#pragma once

#include <vector>

#include "taxel/skin/pressed_faces.h"

namespace taxel {

/// Loads of the cells in use; clearing costs only those.
class CellLoads {
 public:
  void Resize(int cells) {
    Clear();
    loads_.resize(cells);
    used_.resize(cells, 0);
  }
  void Clear() {
    for (int i : active_) loads_[i] = {}, used_[i] = 0;
    active_.clear();
  }
  CellLoad& Use(int cell) {
    if (!used_[cell]) used_[cell] = 1, active_.push_back(cell);
    return loads_[cell];
  }
  const CellLoad& operator[](int cell) const { return loads_[cell]; }
  CellLoad& operator[](int cell) { return loads_[cell]; }
  const std::vector<int>& active() const { return active_; }

 private:
  std::vector<CellLoad> loads_;
  std::vector<char> used_;
  std::vector<int> active_;
};

}  // namespace taxel
