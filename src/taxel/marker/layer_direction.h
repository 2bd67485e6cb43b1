// Where the two programs of contact look for their solutions next: conjugate gradients, for host and device.
//
// Both go from what is there along a direction d that is conjugate to their last step s (of which A s is
// known),
//
//     d = -M g + beta s,    beta = (M g . A s) / (s . A s),
//
// g being the part of the gradient that bounds do not forbid. M makes up for what neighbours do to each other
// (pressures) or for rims of Coulomb's disc that are narrow (tractions); it costs next to nothing beside A.
#pragma once

#include "taxel/marker/layer_law.h"

namespace taxel::internal {

/// M of the pressures: a cell less this much of its four nearest neighbours and of the four at its corners.
/// It halves the rounds on contacts of 70 to 300 cells, for any Poisson's ratio; shares a fifth larger or
/// smaller do it, too. (Of tractions it does not: what ends them there are the bounds.)
inline constexpr float kLayerNear = 0.15f, kLayerCorner = 0.05f;

/// How much further than the last step went the next one looks, and its least and most, over what one cell
/// does to itself.
inline constexpr float kLayerBeyond = 1.5f, kLayerShortest = 0.3f, kLayerLongest = 30.0f, kLayerWorth = 0.2f;

/// Whether a step of which this part was gone is worth being conjugate to: where bounds cut most of a
/// direction off, what is left of it may lead nowhere.
TAXEL_HD inline bool GoesOn(float part) { return part > kLayerWorth; }

/// The way of the next step along its direction, from the last one and the part of it that was gone.
TAXEL_HD inline float NextWay(float way, float part, float self) {
  const float next = kLayerBeyond * way * (part > 0.1f ? part : 0.1f), least = kLayerShortest / self,
              most = kLayerLongest / self;
  return next < least ? least : (next > most ? most : next);
}

/// A traction t on the rim of its disc that its slope s pulls outwards: it can but turn. The rim bends, so
/// the more it is pulled (s = -pull t), the less it turns.
struct LayerRim {
  float x = 0, y = 0;  ///< t over its square: 0 where it is not so
  float tx = 0, ty = 0;
  float ease = 1;  ///< M

  /// bound: > 0, of the disc; self: what a cell does to itself.
  TAXEL_HD LayerRim(float bound, float t_x, float t_y, float slope_x, float slope_y, float self) {
    const float square = t_x * t_x + t_y * t_y, out = -(slope_x * t_x + slope_y * t_y);
    if (!(square >= 0.999f * bound * bound) || !(out > 0)) return;
    tx = t_x, ty = t_y;
    x = t_x / square, y = t_y / square;
    ease = self / (self + out / square);
  }
  /// What of a vector is along it.
  TAXEL_HD void Along(float* a, float* b) const {
    const float out = *a * x + *b * y;
    *a -= out * tx;
    *b -= out * ty;
  }
};

/// How far a traction is from its end: what its slope moves it by, over what a cell does to itself.
TAXEL_HD inline float Unrest(float bound, float t_x, float t_y, float slope_x, float slope_y, float self) {
  float u = t_x - slope_x / self, v = t_y - slope_y / self;
  CutToDisc(bound, &u, &v);
  u = std::fabs(u - t_x), v = std::fabs(v - t_y);
  return self * (u > v ? u : v);
}

}  // namespace taxel::internal
