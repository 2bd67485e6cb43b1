// How the points of an indenter move the markers in taxel's own model: two sums of Gaussians.
#pragma once

#include <vector>

#include "taxel/marker/taxel_law.h"

namespace taxel {

/// Widths and sizes of the two sums; lambdas in 1/m^2.
struct SpreadScales {
  double lambda_d = 0, lambda_s = 0;
  double dilate = 0;  ///< px per m^2
  double shear = 0;   ///< px per m
};

/// Markers at rest on a gel. With the Gaussian g(lambda, r) = lambda / pi exp(-lambda |r|^2), of unit
/// integral over a plane,
///     u(i) = sum over sources  dilate push (p_i - centre) g(lambda_d, p_i - centre)
///                            + shear pull g(lambda_s, p_i - anchor)
/// without its part along the gel's normal at the marker. Sums over areas: twice as many points of half the
/// area give the same.
class MarkerSpread {
 public:
  /// normals_P: of the gel at the markers, unit. @pre as many as markers, finite.
  MarkerSpread(const std::vector<Vec3>& markers_P, const std::vector<Vec3>& normals_P);

  int size() const { return static_cast<int>(markers_.size()); }
  const std::vector<Vec3>& markers() const { return markers_; }
  const std::vector<Vec3>& normals() const { return normals_; }
  /// Markers are the crossings of rows and columns on a flat gel: exponentials of x and y are shared.
  bool is_grid() const { return rows_ > 0; }

  /// In order of the sources. Allocates nothing after the first call.
  void Sum(const std::vector<PointSource<double>>& sources, const SpreadScales& scales,
           std::vector<Vec3>* out);

 private:
  void FindGrid();
  void SumGrid(const std::vector<PointSource<double>>& sources, const SpreadScales& scales, Vec3* out);
  void SumAny(const std::vector<PointSource<double>>& sources, const SpreadScales& scales, Vec3* out);

  std::vector<Vec3> markers_, normals_;
  int rows_ = 0, padded_cols_ = 0;
  std::vector<double> grid_x_, grid_y_;  // padded to whole groups of four with copies of the last
  std::vector<int> slot_;                // of a marker in the grid's sums
  std::vector<double> x_, y_, z_;        // padded markers
  std::vector<double> scratch_;
};

}  // namespace taxel
