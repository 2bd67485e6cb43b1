// Chamfer distance of a deformed layer to its start (Eq. 12): the paper's measure of how far a press has
// gone.
#pragma once

#include <vector>

#include "taxel/math/vec3.h"

namespace taxel {

enum class ChamferForm {
  kMean,  ///< means of the squared distances, as the authors' code has it
  kSum,   ///< sums, as Eq. 12 is printed
};

/// Nearest points of a fixed cloud, by a uniform grid; exact.
class NearestPoints {
 public:
  void Assign(const std::vector<Vec3>& points);
  /// `nearest`, where given, is the number of that point.
  double SquaredDistance(const Vec3& p, int* nearest = nullptr) const;

 private:
  std::vector<Vec3> points_;  // by cell
  std::vector<int> begin_, number_;
  Vec3 low_;
  double cell_ = 1;
  int n_[3] = {1, 1, 1};
};

/// Distance of a layer, centred, to its start, centred.
class LayerChamfer {
 public:
  /// Throws Error for no points.
  explicit LayerChamfer(const std::vector<Vec3>& start);
  double Distance(const std::vector<Vec3>& now, ChamferForm form);

 private:
  std::vector<Vec3> start_;
  NearestPoints to_start_, to_now_;
};

}  // namespace taxel
