// The surface of a gel that objects touch: how deep a point lies below it, and which way is out.
#pragma once

#include "taxel/math/dual.h"
#include "taxel/math/triple.h"
#include "taxel/shape/distance_lattice.h"

namespace taxel {

/// A flat rectangle, or a distance lattice of a gel of any form; plain data for kernels.
/// Flat: the gel reaches from z = bottom to z = top over |x| <= half_x, |y| <= half_y. Depth is measured from
/// the top alone: not from the sides, and not from the back, which would be nearer than the top for a press
/// deeper than half of the gel.
template <typename T>
struct GelSurface {
  bool flat = true;
  T half_x = 0, half_y = 0, bottom = 0, top = 0;
  DistanceLattice<T> lattice;
};

/// Height of a point that is beside a flat gel or behind it: far, so that a point which comes in
/// from there starts without stretch.
inline constexpr double kBesideGel = 1.0;

/// Height of p above the surface (below 0 inside the gel, metres) and the unit normal out of the gel.
/// S: T, or Dual over T. On a lattice both are those of the trilinear interpolation; the gradient jumps from
/// cell to cell by as much as the surface curves within one.
template <typename T, typename S>
TAXEL_HD inline S HeightAbove(const GelSurface<T>& gel, const Triple<S>& p, Triple<S>* normal) {
  if (gel.flat) {
    const T x = ValueOf(p.x), y = ValueOf(p.y), z = ValueOf(p.z);
    *normal = {S(T(0)), S(T(0)), S(T(1))};
    const bool beside =
        x < -gel.half_x || x > gel.half_x || y < -gel.half_y || y > gel.half_y || z < gel.bottom;
    return beside ? S(T(kBesideGel)) : p.z - S(gel.top);
  }
  const DistanceLattice<T>& g = gel.lattice;
  const S at[3] = {p.x, p.y, p.z};
  const T origin[3] = {g.ox, g.oy, g.oz};
  const int n[3] = {g.nx, g.ny, g.nz};
  const T per = T(1) / g.spacing;
  // Outside the lattice: the value at the nearest point of its box plus the distance to it.
  int cell[3];
  S place[3], out2 = S(T(0));
  bool outside = false;
  for (int k = 0; k < 3; ++k) {
    const T high = origin[k] + g.spacing * T(n[k] - 1), x = ValueOf(at[k]);
    S q = at[k];
    if (x < origin[k] || x > high) {
      q = S(x < origin[k] ? origin[k] : high);
      out2 = out2 + (at[k] - q) * (at[k] - q);
      outside = true;
    }
    const int i = static_cast<int>((ValueOf(q) - origin[k]) * per);
    cell[k] = i < 0 ? 0 : (i > n[k] - 2 ? n[k] - 2 : i);
    place[k] = (q - S(origin[k] + g.spacing * T(cell[k]))) * S(per);
  }
  const S &u = place[0], &v = place[1], &w = place[2];
  const std::size_t dy = static_cast<std::size_t>(g.nx), dz = dy * static_cast<std::size_t>(g.ny);
  const T* c = g.values + static_cast<std::size_t>(cell[2]) * dz + static_cast<std::size_t>(cell[1]) * dy +
               static_cast<std::size_t>(cell[0]);
  // Along x first: four values and their slopes, then y, then z.
  const S a00 = S(c[0]) + u * S(c[1] - c[0]), a10 = S(c[dy]) + u * S(c[dy + 1] - c[dy]),
          a01 = S(c[dz]) + u * S(c[dz + 1] - c[dz]), a11 = S(c[dz + dy]) + u * S(c[dz + dy + 1] - c[dz + dy]);
  const S b0 = a00 + v * (a10 - a00), b1 = a01 + v * (a11 - a01);
  const S x00 = S(c[1] - c[0]), x10 = S(c[dy + 1] - c[dy]), x01 = S(c[dz + 1] - c[dz]),
          x11 = S(c[dz + dy + 1] - c[dz + dy]);
  const S x0 = x00 + v * (x10 - x00), x1 = x01 + v * (x11 - x01);
  const Triple<S> slope{x0 + w * (x1 - x0), (a10 - a00) + w * ((a11 - a01) - (a10 - a00)), b1 - b0};
  const S length = Sqrt(Dot(slope, slope));
  *normal = ValueOf(length) > 0 ? (S(T(1)) / length) * slope : Triple<S>{S(T(0)), S(T(0)), S(T(1))};
  const S height = b0 + w * (b1 - b0);
  return outside ? height + Sqrt(out2) : height;
}

}  // namespace taxel
