// Where a skin is sampled, and which samples serve which taxel.
#pragma once

#include <vector>

#include "taxel/contact/body.h"
#include "taxel/skin/layout.h"
#include "taxel/skin/readout_options.h"

namespace taxel {

/// Sample points of a skin in its frame G. One sample may serve several taxels.
///
/// On a plane grid they form a lattice, with a sample in the middle of each of its cells, and all taxels have
/// the same field: `stencil` holds its weights, stencil_rows x stencil_cols, and the field of the taxel in
/// row r, column c begins at lattice row r * step_v, column c * step_u.
///
/// Elsewhere they are a list, and the field of taxel i is the entries start[i] .. start[i+1]-1.
struct Samples {
  bool is_lattice = false;
  PlaneGrid lattice;
  int stencil_rows = 0, stencil_cols = 0, step_u = 0, step_v = 0;
  std::vector<double> stencil;  ///< sums to 1

  std::vector<Vec3> points, normals;
  std::vector<int> start, sample;
  std::vector<double> weight;  ///< sums to 1 over a field

  std::vector<double> scale;  ///< a taxel: sum of its weights before they were normalised

  /// The sample points, lattice or not.
  std::vector<Vec3> Places() const;
  int count() const { return is_lattice ? lattice.rows * lattice.cols : static_cast<int>(points.size()); }
};

/// @param fine  on a grid: the same grid with `samples` times as many rows and columns; else null
/// @throws Error when a taxel would have no sample.
Samples MakeSamples(const Layout& layout, const Layout* fine, const Body& body,
                    const ReadoutOptions& options);

}  // namespace taxel
