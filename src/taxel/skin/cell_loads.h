// The cells that one contact presses on.
#pragma once

#include <vector>

#include "taxel/skin/pressed_faces.h"

namespace taxel {

/// A face counts for a taxel that looks its way, within 113 degrees (a hair more than the contact surface
/// keeps of what slants away: ContactOptions::cull_angle). So the walls of what is pressed in count, and the
/// far side of a thin plate does not.
inline bool FacesTaxel(const Vec3& inward, const Vec3& normal) { return dot(normal, inward) < 0.39; }

/// What stands exactly on the rim of a grid, in parts of a cell, is on it: the walls of a box whose face the
/// grid fills must not be in or out by rounding.
inline constexpr double kOnTheRim = 1e-10;

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
