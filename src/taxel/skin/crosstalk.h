// Signals that leak between the wires of a skin.
#pragma once

#include <string>
#include <vector>

#include "taxel/skin/layout_data.h"

namespace taxel {

/// y_i = x_i + fraction * sum of x_j over the neighbours j + row_fraction * mean of x_j over all others in
/// the same row and column. A pressed taxel keeps its own signal: a neighbour shows `fraction` of it.
///
/// Neighbours on a grid are the four beside a taxel (three and two at the rim). The first and the last column
/// are neighbours where the layout says that it wraps; and so are the ends of a row or column that are as
/// near as neighbours are (less than 1.5 of the mean step). Without a grid: all within 1.5 of the mean
/// distance between nearest taxels (MeanSpacing), but for those whose normals differ by more than 90 degrees.
class Crosstalk {
 public:
  Crosstalk() = default;  ///< leaves all as it is
  /// @throws Error, opened by `where`, for a row_fraction without a grid.
  Crosstalk(const Layout& layout, double fraction, double row_fraction, const std::string& where);

  bool on() const { return fraction_ > 0 || row_fraction_ > 0; }
  /// @pre arrays of one number a taxel that do not overlap.
  void Apply(const double* in, double* out) const;

  /// The neighbours of a taxel, in rising order; empty when fraction is 0.
  std::vector<int> NeighboursOf(int taxel) const;

 private:
  void AddRows(const double* in, double* out) const;

  double fraction_ = 0, row_fraction_ = 0;
  int count_ = 0, rows_ = 0, cols_ = 0;
  // Neighbours of i: begin_[i] to begin_[i + 1].
  std::vector<int> begin_, neighbour_;
};

}  // namespace taxel
