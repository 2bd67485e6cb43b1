// What a layout of taxels is: plain data that every read-out walks over.
#pragma once

#include <vector>

#include "taxel/math/pose.h"

namespace taxel {

/// A regular grid of rectangular cells in a plane: column c spans u0 + c du .. u0 + (c+1) du along x of the
/// frame F, row r spans v0 + r dv .. along y of F; z of F is the outward normal of the skin.
struct PlaneGrid {
  Pose X_GF;
  double u0 = 0, v0 = 0, du = 0, dv = 0;
  int rows = 0, cols = 0;
};

/// Taxels in the frame G of the body that carries them. Taxel i of a grid with `cols` columns is in row
/// i / cols, column i % cols; columns run along axes[i], rows along cross(normals[i], axes[i]), so that seen
/// from outside with the first axis to the right the rows count upwards (images: origin="lower").
struct Layout {
  std::vector<Vec3> points;   ///< p_GT, m, on (or close to) the surface
  std::vector<Vec3> normals;  ///< unit, out of the body
  std::vector<Vec3> axes;     ///< unit, tangential: the first of the two directions in which shear is told
  std::vector<double> areas;  ///< of the cells, m2
  int rows = 0, cols = 0;     ///< 0, 0: no grid
  bool wraps = false;         ///< a grid all around: its last column and column 0 are neighbours
  bool plane = false;         ///< a regular grid in a plane, described by `grid`
  PlaneGrid grid;
  /// Of a grid: where the next taxel would be beyond each one at its rim. The array ends halfway.
  struct Ghost {
    int taxel;
    Vec3 point;
  };
  std::vector<Ghost> ghosts;

  int count() const { return static_cast<int>(points.size()); }
  Vec3 second_axis(int i) const { return cross(normals[i], axes[i]); }
};

/// Points that somebody lists, with normals for all of them or none.
struct LayoutSites {
  std::vector<Vec3> points, normals;
};

/// Greatest number of taxels of one sensor.
inline constexpr int kMaxTaxels = 65536;
/// Greatest number of samples on a wrapped grid.
inline constexpr int kMaxGridSamples = 4'000'000;

}  // namespace taxel
