// From derivatives with respect to the tractions after an increment to those with respect to what went in.
#pragma once

#include <Eigen/Dense>
#include <vector>

#include "taxel/marker/layer_record.h"
#include "taxel/marker/layer_slopes.h"

namespace taxel::internal {

/// Derivatives of several numbers at once, a column each.
struct LayerBackward {
  /// Rows: shift and turn of a PoseTwist; one matrix an object.
  std::vector<Eigen::MatrixXd> from, to;
  LayerThree T0;                                 ///< by the tractions before
  Eigen::MatrixXd friction, poisson, thickness;  ///< one row each
};

/// by_T: over the cells of the record; by_share, by_height: what the numbers have of the blend of the tables
/// and of the heights besides (a reading has), one row and a row a cell. Cells stay open or closed, stuck or
/// slipping, as they are.
LayerBackward RecordAdjoint(const LayerStage& stage, const LayerRecord& record, LayerSlopes* slopes,
                            const LayerThree& by_T, const Eigen::MatrixXd& by_share,
                            const Eigen::MatrixXd& by_height);

}  // namespace taxel::internal
