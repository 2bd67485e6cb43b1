// Distances on a lattice as plain arrays, for kernels in float or double.
#pragma once

#include <cmath>
#include <cstddef>

#include "taxel/math/vec3.h"

namespace taxel {

/// Distances at the nodes origin + spacing (i, j, k), value (k ny + j) nx + i: plain arrays for kernels.
template <typename T>
struct DistanceLattice {
  const T* values = nullptr;
  int nx = 0, ny = 0, nz = 0;  ///< at least 2 each for TrilinearDistance
  T ox = 0, oy = 0, oz = 0;
  T spacing = 1;
};

/// Value of the node nearest to a point (halves go to the even number). False, and nothing is written, where
/// that node is not on the lattice.
template <typename T>
TAXEL_HD inline bool NearestDistance(const DistanceLattice<T>& g, T x, T y, T z, T* distance) {
  const T i = std::rint((x - g.ox) / g.spacing), j = std::rint((y - g.oy) / g.spacing),
          k = std::rint((z - g.oz) / g.spacing);
  if (!(i >= 0 && j >= 0 && k >= 0 && i < T(g.nx) && j < T(g.ny) && k < T(g.nz))) return false;
  *distance = g.values[(static_cast<std::size_t>(k) * g.ny + static_cast<std::size_t>(j)) * g.nx +
                       static_cast<std::size_t>(i)];
  return true;
}

/// Trilinear interpolation; outside the lattice the value at the nearest point of its box plus the distance
/// to that point (DistanceGrid's rule, and its bits). @pre the point is finite.
template <typename T>
TAXEL_HD inline T TrilinearDistance(const DistanceLattice<T>& g, T x, T y, T z) {
  const T p[3] = {x, y, z}, o[3] = {g.ox, g.oy, g.oz};
  const int n[3] = {g.nx, g.ny, g.nz};
  std::size_t cell[3];
  T at[3], out2 = 0;
  for (int k = 0; k < 3; ++k) {
    const T high = o[k] + g.spacing * T(n[k] - 1);
    const T q = p[k] < o[k] ? o[k] : (p[k] > high ? high : p[k]);
    const T s = (q - o[k]) / g.spacing;
    int i = static_cast<int>(s);
    i = i > n[k] - 2 ? n[k] - 2 : i;
    cell[k] = static_cast<std::size_t>(i);
    at[k] = s - T(i) > 1 ? T(1) : s - T(i);
    out2 += (p[k] - q) * (p[k] - q);
  }
  const std::size_t dy = g.nx, dz = static_cast<std::size_t>(g.nx) * g.ny;
  const T* v = g.values + (cell[2] * g.ny + cell[1]) * g.nx + cell[0];
  const auto mix = [](T a, T b, T s) { return a + s * (b - a); };
  const T low = mix(mix(v[0], v[1], at[0]), mix(v[dy], v[dy + 1], at[0]), at[1]);
  const T up = mix(mix(v[dz], v[dz + 1], at[0]), mix(v[dz + dy], v[dz + dy + 1], at[0]), at[1]);
  return mix(low, up, at[2]) + std::sqrt(out2);
}

}  // namespace taxel
