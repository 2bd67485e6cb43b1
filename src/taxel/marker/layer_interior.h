// What a loaded square of the surface of a bonded layer does below the surface.
#pragma once

#include <array>
#include <memory>

#include "taxel/marker/layer_influence.h"

namespace taxel::internal {

/// Displacement at a depth per traction on the surface, times the shear modulus; z out of the layer:
///     u_x = xx t_x + xy t_y + xz t_z     u_y = xy t_x + yy t_y + yz t_z     u_z = zx t_x + zy t_y + zz t_z
/// At the surface zx = -xz and zy = -yz; below it they are functions of their own.
struct InteriorBlock {
  double xx = 0, xy = 0, yy = 0, xz = 0, yz = 0, zz = 0, zx = 0, zy = 0;
};

/// Of a half space with a square of side 2 half, loaded evenly about the origin, at (x, y) and a depth of 0
/// or more below its surface: the point loads of Boussinesq and Cerruti (Johnson 1985, 3.19 and 3.75),
/// integrated. With R the distance to a corner, F = depth ln(R + depth) - R and S the solid angle, all terms
/// are corner sums of X ln(Y + R), ln(R + depth), F and S; none is singular at a depth above 0.
InteriorBlock HalfSpaceInterior(double x, double y, double depth, double half, double poisson);

/// Thickness and depth (m), Poisson's ratio; the shear modulus is 1. Immutable, cheap to copy.
///
/// As LayerInfluence: the half space's part in closed form, however near the surface; what the base adds is
/// smooth on the scale of the thickness at every depth and comes from tables by radius.
class LayerInterior {
 public:
  /// Throws Error for values that LayerInfluence refuses and a depth that is not from 0 to below the
  /// thickness.
  LayerInterior(double thickness, double poisson, double depth);

  double depth() const { return depth_; }
  /// At (x, y) from the middle of a square of this side, evenly loaded; m per traction over shear modulus.
  /// @pre side <= 2 thickness
  InteriorBlock Square(double x, double y, double side) const;

 private:
  double thickness_, poisson_, depth_;
  // The second holds u_z of a tangential load as its second function, and nothing else.
  std::shared_ptr<const std::array<double, 4 * kLayerRadii>> table_, down_;
};

}  // namespace taxel::internal
