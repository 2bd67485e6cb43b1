#include "taxel/marker/layer_dense.h"

namespace taxel::internal {
namespace {

// a times the tables of one level plus b times those of the next, if there is one.
LayerDense Combine(const LayerCells& cells, const std::vector<LayerLevel>& levels, std::size_t level,
                   double a, double b, const std::vector<int>& targets, const std::vector<int>& sources) {
  const LayerTables low = LayerLevel::Split(levels[level].tables()),
                    high = LayerLevel::Split(levels[std::min(level + 1, levels.size() - 1)].tables());
  const int wide = 2 * cells.ny - 1;
  return LayerDense::Make(cells, targets, sources, [&](int di, int dj, LayerBlock<double>* out) {
    const int at = (di + cells.nx - 1) * wide + dj + cells.ny - 1;
    const auto mix = [&](const float* LayerTables::*which) {
      return a * static_cast<double>((low.*which)[at]) + b * static_cast<double>((high.*which)[at]);
    };
    *out = {mix(&LayerTables::xx), mix(&LayerTables::xy), mix(&LayerTables::yy),
            mix(&LayerTables::xz), mix(&LayerTables::yz), mix(&LayerTables::zz)};
  });
}

}  // namespace

LayerDense LayerDense::OfLevels(const LayerCells& cells, const std::vector<LayerLevel>& levels,
                                std::size_t level, double share, const std::vector<int>& targets,
                                const std::vector<int>& sources) {
  return Combine(cells, levels, level, 1 - share, share, targets, sources);
}

LayerDense LayerDense::OfShare(const LayerCells& cells, const std::vector<LayerLevel>& levels,
                               std::size_t level, const std::vector<int>& targets,
                               const std::vector<int>& sources) {
  return Combine(cells, levels, level, -1, 1, targets, sources);
}

LayerThree LayerDense::Apply(const LayerThree& t) const {
  return {xx * t.x + xy * t.y + xz * t.z, xy * t.x + yy * t.y + yz * t.z, zz * t.z - xz * t.x - yz * t.y};
}

LayerThree LayerDense::Transposed(const LayerThree& u) const {
  return {xx.transpose() * u.x + xy.transpose() * u.y - xz.transpose() * u.z,
          xy.transpose() * u.x + yy.transpose() * u.y - yz.transpose() * u.z,
          xz.transpose() * u.x + yz.transpose() * u.y + zz.transpose() * u.z};
}

}  // namespace taxel::internal
