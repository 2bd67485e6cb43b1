// The two sums over Gaussians of a marker field, four markers at a time.
#pragma once

#include <vector>

#include "taxel/marker/hydroshear_law.h"

namespace taxel {

/// What a point of the indenter does to the markers: pull exp(-lambda |p - centre|^2).
struct ShearSource {
  Vec3 centre, pull;
};

/// A marker in contact and how deep, m.
struct PressedMarker {
  int index = 0;
  double depth = 0;
};

/// Sums of DilationTerm and ShearTerm (hydroshear_law.h) over all sources, in their order; the exponential is
/// exact to 1e-15 of itself. Allocates nothing.
class MarkerKernel {
 public:
  /// Up to this many markers the Gaussians between them are kept (2 MiB).
  static constexpr int kTableMarkers = 512;

  /// @pre markers finite, lambdas finite and > 0.
  MarkerKernel(MarkerMode mode, const std::vector<Vec3>& markers, double lambda_dilation,
               double lambda_shear);

  int size() const { return n_; }
  /// out[i] = scale sum_j depth_j (p_i - p_j) exp(-lambda_d |p_i - p_j|^2). @pre out has size().
  void Dilation(const std::vector<PressedMarker>& pressed, double scale, Vec3* out) const;
  /// out[i] = scale sum_k pull_k exp(-lambda_s |p_i - c_k|^2).
  void Shear(const std::vector<ShearSource>& sources, double scale, Vec3* out) const;

 private:
  bool planar_;
  int n_;
  double lambda_d_, lambda_s_;
  std::vector<double> x_, y_, z_;  // padded to whole groups of four with copies of the last marker
  std::vector<double> table_;      // row j: the Gaussians of the dilation from marker j
};

}  // namespace taxel
