// A gel as taxel's own marker model sees it.
#pragma once

#include <memory>
#include <vector>

#include "taxel/marker/gel_surface.h"
#include "taxel/shape/marker_distance.h"

namespace taxel {

/// Owns what a GelSurface points to. Immutable, cheap to copy.
class GelPad {
 public:
  static constexpr double kSpacing = 0.25e-3;

  /// A box is flat (its top is +z), a half space too, without end. Any other shape is sampled on a lattice of
  /// `spacing` that reaches 1 mm beyond it; a distance that is already trilinear is taken as it is. Throws
  /// Error for a nearest-voxel distance, which has no gradient.
  /// Depth in a lattice is to the nearest face, so a thin gel needs a thick mesh: give it its backing.
  explicit GelPad(const MarkerDistance& distance, double spacing = kSpacing);

  const GelSurface<double>& surface() const { return surface_; }
  /// Outside this box no point is inside the gel.
  const Box3& box() const { return box_; }
  /// Out of the gel, at the place of the surface nearest to p. z where p is far away.
  Vec3 Normal(const Vec3& p) const;

 private:
  GelSurface<double> surface_;
  Box3 box_;
  MarkerDistance kept_;  // owns the lattice
};

}  // namespace taxel
