// How the influences of an elastic layer change with its material.
#pragma once

#include <Eigen/Dense>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "taxel/marker/layer_dense.h"

namespace taxel::internal {

enum class LayerBy { kPoisson, kThickness, kDepth };

/// Derivatives of a field's influences, by differences of the influences themselves in double: between cells
/// by Poisson's ratio and by the thickness (of all levels at once), from cells to markers by the depth of the
/// markers as well. Steps: 1e-3 of what Poisson's ratio is below 1/2, 1e-4 of the thickness for the other
/// two; central, but for one side where a range ends. Off by 1e-6 or so of the derivative, as
/// layer_slopes_test.cc says; at the depth 0 by 1e-3.
///
/// Made when asked for, kept, and shared by threads.
class LayerSlopes {
 public:
  LayerSlopes(const LayerCells& cells, const std::vector<LayerLevel>& levels, double poisson, double depth);

  /// Between cells, of one level and `share` of the next. By the depth there is none.
  LayerDense Cells(LayerBy by, std::size_t level, double share, const std::vector<int>& targets,
                   const std::vector<int>& sources);

  /// From a cell to all markers: xx, xy, yy, xz, yz in columns.
  const Eigen::MatrixXd& Markers(LayerBy by, std::size_t level, int cell);

 private:
  struct Level;
  Level& At(std::size_t level);
  const std::vector<LayerBlock<double>>& Quadrant(LayerBy by, std::size_t level);

  LayerCells cells_;
  std::vector<double> thickness_;
  double poisson_, depth_, least_;
  std::mutex mutex_;
  std::map<std::size_t, std::shared_ptr<Level>> made_;
};

}  // namespace taxel::internal
