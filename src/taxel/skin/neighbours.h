// Points near each other.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "taxel/math/vec3.h"

namespace taxel::internal {

/// Points in cells at least as wide as a radius: the 27 cells round a point hold all that are within it.
class NearPoints {
 public:
  /// @pre radius > 0, points finite; `points` must outlive this.
  NearPoints(const std::vector<Vec3>& points, double radius);

  /// Calls found(j, distance) for every j != i with |p_j - p_i| <= radius, in an order that depends on the
  /// points alone.
  template <class Found>
  void ForEach(int i, Found&& found) const {
    const Cell c = CellOf((*points_)[i]);
    for (std::int64_t z = c.z - 1; z <= c.z + 1; ++z)
      for (std::int64_t y = c.y - 1; y <= c.y + 1; ++y) {
        // Cells along x follow each other.
        const std::uint64_t first = Key({c.x - 1, y, z}), last = Key({c.x + 1, y, z});
        for (auto e = std::lower_bound(entries_.begin(), entries_.end(), std::pair{first, 0});
             e != entries_.end() && e->first <= last; ++e) {
          const double distance = norm((*points_)[e->second] - (*points_)[i]);
          if (e->second != i && distance <= radius_) found(e->second, distance);
        }
      }
  }

 private:
  struct Cell {
    std::int64_t x, y, z;
  };
  Cell CellOf(const Vec3& p) const;
  static std::uint64_t Key(const Cell& c);

  const std::vector<Vec3>* points_;
  double radius_, width_;
  Vec3 corner_;
  std::vector<std::pair<std::uint64_t, int>> entries_;  // cell and point, sorted
};

/// Mean distance of a point to the one nearest to it, m; 0 for fewer than two points.
double MeanSpacing(const std::vector<Vec3>& points);

}  // namespace taxel::internal
