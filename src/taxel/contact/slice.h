// Cutting a convex polygon along parallel lines.
#pragma once

#include "taxel/math/vec3.h"

namespace taxel::internal {

/// Most corners of a polygon that is being cut; a face of 32 vertices cut by four lines stays well below.
inline constexpr int kMaxSliceCorners = 64;

/// Room for the corners of a polygon. Not initialised: only those that are written count, and a patch cuts
/// hundreds of faces.
template <class Corner>
struct SliceCorners {
  union {
    Corner at[kMaxSliceCorners];
  };
  SliceCorners() {}
};

/// The part of a polygon with value (u or v) >= line (keep_above) or <= line. A Corner has p, pressure, u, v,
/// all linear along its edges. Returns the number of corners.
template <class Corner>
int CutByLine(const Corner* in, int n, double Corner::*value, double line, bool keep_above, Corner* out) {
  int m = 0;
  const double sign = keep_above ? 1 : -1;
  for (int i = 0; i < n; ++i) {
    const Corner &a = in[i], &b = in[i + 1 == n ? 0 : i + 1];
    const double sa = sign * (a.*value - line), sb = sign * (b.*value - line);
    if (sa >= 0) out[m++] = a;
    if ((sa > 0 && sb < 0) || (sa < 0 && sb > 0)) {
      const double t = sa / (sa - sb);
      Corner c = a;
      c.p = a.p + t * (b.p - a.p);
      c.pressure = a.pressure + t * (b.pressure - a.pressure);
      c.u = a.u + t * (b.u - a.u);
      c.v = a.v + t * (b.v - a.v);
      c.*value = line;
      out[m++] = c;
    }
  }
  return m;
}

/// Cuts a polygon that reaches from cell c0 to cell c1 along the lines lo + c width between them, in order;
/// calls use(cell, corners, count) for the part in each. The first and last part are not cut on their outer
/// side.
template <class Corner, class Use>
void SliceCells(const Corner* polygon, int n, double Corner::*value, double lo, double width, int c0, int c1,
                Use&& use) {
  SliceCorners<Corner> part, rest[2];
  const Corner* remaining = polygon;
  for (int c = c0; c < c1; ++c) {
    const double line = lo + (c + 1) * width;
    const int part_n = CutByLine(remaining, n, value, line, false, part.at);
    Corner* into = rest[remaining == rest[0].at].at;
    n = CutByLine(remaining, n, value, line, true, into);
    remaining = into;
    if (part_n >= 3) use(c, part.at, part_n);
  }
  if (n >= 3) use(c1, remaining, n);
}

}  // namespace taxel::internal
