// How a soft cover spreads the load over the taxels under it.
#pragma once

#include <string>
#include <vector>

#include "taxel/skin/layout_data.h"

namespace taxel {

/// Gaussian point spread, a sparse matrix:
///
///     p'_i = sum_j d_i g_ij d_j a_j p_j,   g_ij = exp(-|p_i - p_j|^2 / (2 sigma^2))
///
/// with a the areas of the cells, straight distances between taxels (along the skin where it is flat over a
/// few sigma), cut at 4 sigma; taxels whose normals differ by more than 90 degrees do not mix. The factors d
/// are such that every row sums to 1 (symmetric scaling of Sinkhorn and Knopp; it exists as the diagonal is
/// positive). Then
///
///     sum_i a_i p'_i = sum_j a_j p_j   the load is kept, and
///     p = const  =>  p' = const        a uniform pressure stays uniform, at the rim too:
///
/// load that would leave at the rim stays in the cells there. Plain division by the column sums keeps the
/// load too, but lets a uniform pressure sag by a quarter at the rim. Cells without area have no load to
/// share and keep theirs.
///
/// One sigma should be half the distance between taxels or more; far below that nothing is spread.
class PointSpread {
 public:
  PointSpread() = default;  ///< leaves all as it is
  /// sigma in m, 0: leaves all as it is. @throws Error, opened by `where`, when more than kMaxEntries pairs
  /// of taxels are within 4 sigma.
  PointSpread(const Layout& layout, double sigma, const std::string& where);

  bool on() const { return !begin_.empty(); }
  /// @pre on(); arrays of one number a taxel that do not overlap.
  void Apply(const double* pressure, double* spread) const;

  /// Row i of the matrix: entries begin()[i] to begin()[i + 1] of from() and weight(); all empty when off.
  const std::vector<std::size_t>& begin() const { return begin_; }
  const std::vector<int>& from() const { return from_; }
  const std::vector<double>& weight() const { return weight_; }

  static constexpr std::size_t kMaxEntries = 20'000'000;

 private:
  void Balance(const std::vector<double>& areas);

  // Row i: entries begin_[i] to begin_[i + 1].
  std::vector<std::size_t> begin_;
  std::vector<int> from_;
  std::vector<double> weight_;
};

}  // namespace taxel
