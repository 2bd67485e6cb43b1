// Weights of the quadratic B-spline between particles and nodes, for one number (host and device) or eight at
// once.
#pragma once

#include "taxel/math/vec3.h"

namespace taxel::internal {

/// Of three nodes along an axis; f: from the first of them to the particle, in [0.5, 1.5). With base =
/// floor(x - 0.5) the first node, f = x - base.
template <typename T>
TAXEL_HD inline void SplineWeights(const T& f, T* w) {
  const T l = 1.5f - f, m = f - 1.0f, r = f - 0.5f;
  w[0] = 0.5f * l * l;
  w[1] = 0.75f - m * m;
  w[2] = 0.5f * r * r;
}

}  // namespace taxel::internal
