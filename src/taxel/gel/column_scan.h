// Where the upright lines of a lattice go in and out of a closed mesh.
#pragma once

#include <span>
#include <vector>

#include "taxel/shape/triangle_mesh.h"

namespace taxel::internal {

/// Lines x = x0 + i step, y = y0 + j step, for 0 <= i < nx, 0 <= j < ny.
struct ColumnLattice {
  double x0 = 0, y0 = 0, step = 0;
  int nx = 0, ny = 0;

  double x(int i) const { return x0 + i * step; }
  double y(int j) const { return y0 + j * step; }
};

struct Crossing {
  double z = 0;
  int turn = 0;  ///< +1: a line that rises along z enters the solid here; -1: it leaves
};

/// All crossings of the lines with a mesh. The sum of the turns below a point is the winding number of the
/// mesh around it, exactly: the sign of every edge test is exact and a line through an edge or a vertex
/// belongs to one triangle (ray.h, EdgeRule::kOneSide), so no line ever stays inside. Each triangle is drawn
/// into the lattice, so the time is that of the triangles plus that of the crossings.
class ColumnScan {
 public:
  /// @param mesh closed; indices checked
  ColumnScan(const TriangleMesh& mesh, const ColumnLattice& lattice);

  /// By rising z.
  std::span<const Crossing> column(int i, int j) const {
    const std::size_t c = static_cast<std::size_t>(i) * lattice_.ny + j;
    return {crossings_.data() + first_[c], first_[c + 1] - first_[c]};
  }

 private:
  ColumnLattice lattice_;
  std::vector<std::size_t> first_;  // of each column, and the end
  std::vector<Crossing> crossings_;
};

}  // namespace taxel::internal
