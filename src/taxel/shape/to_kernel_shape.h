// From distances of the library to the plain data of kernels.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "taxel/shape/kernel_shape.h"
#include "taxel/shape/marker_distance.h"

namespace taxel::internal {

/// A lattice in float, and the memory it points to.
class FloatLattice {
 public:
  explicit FloatLattice(const DistanceLattice<double>& g);
  FloatLattice(const FloatLattice&) = delete;
  const DistanceLattice<float>& lattice() const { return lattice_; }

 private:
  std::vector<float> values_;
  DistanceLattice<float> lattice_;
};

/// Lattices that shapes point to.
using FloatLattices = std::vector<std::unique_ptr<FloatLattice>>;

/// Throws Error, opening with `what`, for an exact distance that has no kernel: a mesh or an ellipsoid. A
/// lattice of the result lies in `keep`.
KernelShape<float> ToKernelShape(const MarkerDistance& d, const std::string& what, FloatLattices* keep);
/// In double; a lattice of the result lies in `d`.
KernelShape<double> ToKernelShape(const MarkerDistance& d, const std::string& what);

/// x y z of each.
std::vector<float> FlattenToFloat(const std::vector<Vec3>& points);

}  // namespace taxel::internal
