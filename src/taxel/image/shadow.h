// Shadows that the pressed gel casts on itself under low lights.
#pragma once

#include "taxel/image/height_map.h"

namespace taxel {

/// A light far to the side of the gel. A point is in its shadow when the gel rises above the ray towards it.
struct ShadowLight {
  double azimuth = 0;      ///< direction to the light in the image, from x (right) towards y (down) [rad]
  double slope = 0.3;      ///< tangent of its elevation above the gel
  double softness = 1e-4;  ///< depth under the shadow's edge at which half of it is felt [m]
  float strength[3] = {0, 0, 0};  ///< what a deep shadow takes from red, green, blue [grey levels]
};

/// Error unless slope and softness are positive and all numbers finite.
void CheckLight(const ShadowLight& light);

/// How far each pixel lies under the edge of the shadow [m], 0 in the light:
///   depth(p) = max over t > 0 of (h(p + t d) - t slope) - h(p), d towards the light,
/// in one sweep over the image away from the light, linear between neighbours (so a shadow softens a little
/// as it runs). `depth` (rows x cols) must not be `height`.
void ShadowDepth(const PixelGrid& grid, const float* height, const ShadowLight& light, float* depth);

/// Share of the shadow felt at a depth under its edge, from 0 to 1.
TAXEL_HD inline float ShadowShare(float depth, float softness) { return depth / (depth + softness); }

}  // namespace taxel
