// Influence functions of a bonded elastic layer, tabulated once for a material.
#pragma once

#include <array>
#include <memory>

#include "taxel/marker/layer_law.h"

namespace taxel {

/// Thickness (m) and Poisson's ratio; the shear modulus is 1. Immutable, cheap to copy.
///
/// The compliance of the layer is known in closed form for every wave vector (docs/theory/marker-layer.md).
/// The half space's part, which holds the singularity, is integrated over the loaded square in closed form;
/// what the base adds is smooth and comes from four tables by radius, by Gauss's rule over the square.
class LayerInfluence {
 public:
  /// Throws Error for a thickness that is not finite and > 0 or a ratio outside 0 to 0.49999.
  LayerInfluence(double thickness, double poisson);

  /// Throws what the constructor does.
  static void Check(double thickness, double poisson);

  double thickness() const { return thickness_; }
  double poisson() const { return poisson_; }
  /// At (x, y) from the middle of a square of this side, evenly loaded; m per traction over shear modulus.
  /// @pre side <= 2 thickness
  LayerBlock<double> Square(double x, double y, double side) const;
  /// Beyond this distance (m) nothing moves.
  double reach() const { return (kLayerRadii - 3) * kLayerSpacing * thickness_; }

 private:
  double thickness_, poisson_;
  std::shared_ptr<const std::array<double, 4 * kLayerRadii>> table_;
};

/// From a traction on the surface to the displacement at a depth (in units of the thickness, 0 to 1), for a
/// wave number k in units of 1/thickness, over thickness / shear modulus; as in
/// taxel.reference.ElasticLayer.scalars. At the surface zr = rz.
struct LayerCompliances {
  double rr, rz, zr, zz, tt;
};
LayerCompliances LayerComplianceAt(double depth, double k, double poisson);

/// The same at the surface: rr, rz, zz, tt.
std::array<double, 4> LayerCompliance(double k, double poisson);

}  // namespace taxel
