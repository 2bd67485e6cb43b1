// Influences between cells of an elastic layer as dense matrices in double, for derivatives.
#pragma once

#include <Eigen/Dense>
#include <vector>

#include "taxel/marker/layer_lattice.h"

namespace taxel::internal {

/// Along e1, e2 and g of each cell; a column for each case at hand.
struct LayerThree {
  Eigen::MatrixXd x, y, z;
  static LayerThree Zero(Eigen::Index cells, Eigen::Index cases) {
    const Eigen::MatrixXd none = Eigen::MatrixXd::Zero(cells, cases);
    return {none, none, none};
  }
};

/// From sources (columns) to targets (rows); components as of LayerBlock.
struct LayerDense {
  Eigen::MatrixXd xx, xy, yy, xz, yz, zz;

  /// entry(di, dj, &block): the influence of a cell on the one (di, dj) cells further.
  template <typename Entry>
  static LayerDense Make(const LayerCells& cells, const std::vector<int>& targets,
                         const std::vector<int>& sources, const Entry& entry) {
    LayerDense out;
    for (Eigen::MatrixXd* m : {&out.xx, &out.xy, &out.yy, &out.xz, &out.yz, &out.zz})
      m->resize(static_cast<Eigen::Index>(targets.size()), static_cast<Eigen::Index>(sources.size()));
    for (Eigen::Index s = 0; s < out.xx.cols(); ++s) {
      const int from = sources[static_cast<std::size_t>(s)], i = from / cells.ny, j = from % cells.ny;
      for (Eigen::Index t = 0; t < out.xx.rows(); ++t) {
        const int to = targets[static_cast<std::size_t>(t)];
        LayerBlock<double> b;
        entry(to / cells.ny - i, to % cells.ny - j, &b);
        out.xx(t, s) = b.xx, out.xy(t, s) = b.xy, out.yy(t, s) = b.yy;
        out.xz(t, s) = b.xz, out.yz(t, s) = b.yz, out.zz(t, s) = b.zz;
      }
    }
    return out;
  }

  /// Of one level and, times `share`, the next: the tables that LayerField blends.
  static LayerDense OfLevels(const LayerCells& cells, const std::vector<LayerLevel>& levels,
                             std::size_t level, double share, const std::vector<int>& targets,
                             const std::vector<int>& sources);
  /// What a share more changes.
  static LayerDense OfShare(const LayerCells& cells, const std::vector<LayerLevel>& levels, std::size_t level,
                            const std::vector<int>& targets, const std::vector<int>& sources);

  /// All of u from all of t, and back.
  LayerThree Apply(const LayerThree& t) const;
  LayerThree Transposed(const LayerThree& u) const;

  /// Along the surface by tangential tractions.
  void Tangential(const Eigen::MatrixXd& tx, const Eigen::MatrixXd& ty, Eigen::MatrixXd* ux,
                  Eigen::MatrixXd* uy) const {
    *ux = xx * tx + xy * ty;
    *uy = xy * tx + yy * ty;
  }
  /// Along the surface by a pressure. Between the same cells its transpose is minus Lift.
  void Spread(const Eigen::MatrixXd& p, Eigen::MatrixXd* ux, Eigen::MatrixXd* uy) const {
    *ux = -(xz * p);
    *uy = -(yz * p);
  }
  /// Along the normal by tangential tractions. Between the same cells its transpose is minus Spread.
  Eigen::MatrixXd Lift(const Eigen::MatrixXd& tx, const Eigen::MatrixXd& ty) const {
    return -(xz * tx) - yz * ty;
  }
};

}  // namespace taxel::internal
