// Points of an indenter, laid out for a quick look at which of them are near the gel.
#pragma once

#include <vector>

#include "taxel/math/box3.h"
#include "taxel/math/pose.h"

namespace taxel {

class PointCloud {
 public:
  explicit PointCloud(const std::vector<Vec3>& points);
  int size() const { return size_; }
  /// Indices, ascending, of the points p with X p in the box, its faces included. Rounds as Pose * Vec3 does.
  /// Allocates nothing once `found` has room for size() + 3.
  void FindInBox(const Pose& X, const Box3& box, std::vector<int>* found) const;

 private:
  int size_;
  std::vector<double> x_, y_, z_;  // padded to whole groups of four with copies of the last point
};

}  // namespace taxel
