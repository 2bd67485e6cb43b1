// Lines between the columns of a flat skin, along one of its axes.
#pragma once

#include <algorithm>
#include <cmath>

#include "taxel/field/field_options.h"

namespace taxel::internal {

/// Cell k lies between `start + k step` and the next line, as far as that is within lo .. hi.
struct ColumnLines {
  double lo, hi;
  double start, step;
  int count;

  double from(int k) const { return k == 0 ? lo : start + k * step; }
  double to(int k) const { return k + 1 == count ? hi : start + (k + 1) * step; }
};

/// Equal cells of about `spacing` that fill lo .. hi.
inline ColumnLines FillWithLines(double lo, double hi, double spacing) {
  const int count = std::max(1, static_cast<int>(std::lround((hi - lo) / spacing)));
  return {lo, hi, lo, (hi - lo) / count, count};
}

/// Lines at `at` and every `step` from there; a cell at either end may be a part of one. What is less than a
/// thousandth of a cell goes to its neighbour.
inline ColumnLines LinesThrough(double lo, double hi, double at, double step) {
  constexpr double kSliver = 1e-3;
  const double start = at + std::floor((lo - at) / step + kSliver) * step;
  const int count = std::max(1, static_cast<int>(std::ceil((hi - start) / step - kSliver)));
  return {lo, hi, start, step, count};
}

/// Of a cell that is given: its step along the axis and where one of its lines is. False: none of its sides
/// lies along the axis.
inline bool LineAlong(const ColumnCell& cell, const Vec3& axis, double* at, double* step) {
  for (const Vec3& side : {cell.across_u, cell.across_v}) {
    const double along = std::fabs(dot(side, axis));
    if (norm2(side) - along * along > 1e-6 * norm2(side)) continue;
    *at = dot(cell.corner, axis), *step = along;
    return true;
  }
  return false;
}

}  // namespace taxel::internal
