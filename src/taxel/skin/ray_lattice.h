// Parallel rays on a lattice, cast all at once.
#pragma once

#include <vector>

#include "taxel/skin/layout.h"
#include "taxel/skin/pressed_faces.h"

namespace taxel {

/// One ray a lattice point, from outside along -z of the lattice's frame; the first face met from its outer
/// side counts. Instead of asking a tree for each ray, the faces are drawn into a depth buffer row by row:
/// the same hits (a point on an edge that two faces share is hit), at about a nanosecond each.
class RayLattice {
 public:
  /// Values at the lattice points within `window`; 0 and face -1 where a ray misses.
  void Cast(const PlaneGrid& lattice, const PressedFaces& faces, double reach);

  /// The part of the lattice that was looked at: rows r0 .. r1-1, columns c0 .. c1-1.
  int r0 = 0, r1 = 0, c0 = 0, c1 = 0;
  int width() const { return c1 - c0; }
  double pressure(int r, int c) const { return pressure_[index(r, c)]; }
  double depth(int r, int c) const { return -height_[index(r, c)]; }
  int face(int r, int c) const { return face_[index(r, c)]; }
  /// Row r of the pressures, from column c0.
  const double* row(int r) const { return pressure_.data() + index(r, c0); }
  const int* face_row(int r) const { return face_.data() + index(r, c0); }

 private:
  std::size_t index(int r, int c) const { return static_cast<std::size_t>(r - r0) * (c1 - c0) + (c - c0); }
  std::vector<double> pressure_, height_;
  std::vector<int> face_;
  std::vector<double> lo_, hi_;
};

}  // namespace taxel
