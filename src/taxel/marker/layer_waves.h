// From wave numbers to radii, and from radii to a loaded square: the tables of a layer.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "taxel/marker/layer_law.h"

namespace taxel::internal {

/// Wave numbers in units of 1/thickness with the weights of Gauss's rule; beyond the last a layer is a half
/// space to 1e-14 at its surface, to 1e-6 at its base. With Bessel's functions at all radii of a table.
struct LayerWaves {
  static constexpr int kPanels = 40, kNodes = 10, kCount = kPanels * kNodes;
  static constexpr double kEnd = 20;
  std::vector<double> k, weight;
  std::vector<double> j0, j1, j2;  ///< kLayerRadii x kCount
};
/// The same for every material.
const LayerWaves& Waves();

/// Four functions side by side, as BaseOfLayer reads them: sums over all wave numbers of zz J0, rz J1,
/// round J0 and two J2.
using LayerTable = std::array<double, 4 * kLayerRadii>;
std::shared_ptr<const LayerTable> Tabulate(const std::vector<double>& zz, const std::vector<double>& rz,
                                           const std::vector<double>& round, const std::vector<double>& two);

/// Adds what a table says of a square of this side, evenly loaded, at (x, y) from its middle (m), by Gauss's
/// rule.
void AddOverSquare(const LayerTable& table, double x, double y, double side, double thickness,
                   LayerBlock<double>* out);

}  // namespace taxel::internal
