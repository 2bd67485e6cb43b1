// Exact integration over cells of any layout: every point of the contact belongs to the nearest taxel.
#pragma once

#include <vector>

#include "taxel/shape/bvh.h"
#include "taxel/skin/cell_loads.h"
#include "taxel/skin/layout.h"

namespace taxel {

/// Space is shared out by nearest taxel (on a cylinder: sectors through the axis; on a sphere: cones from the
/// centre; in a plane: the rectangles of a grid), and each face is cut along the planes halfway between
/// taxels. The cells are a partition, so they sum to the contact force to rounding. A face is shared among
/// the taxels that look its way (within 100 degrees), so that a thin shell does not feel through itself.
///
/// A grid ends where a ghost, the point at which the next taxel beyond its rim would be, is nearer than every
/// taxel. Free layouts (and grids) may end earlier: (limit > 0) where a point is more than `limit` from its
/// taxel along either of its axes.
class VoronoiCells {
 public:
  VoronoiCells() = default;
  VoronoiCells(const Layout& layout, double limit);

  struct Workspace {
    std::vector<int> stamp, queue;
    int round = 0;
  };
  /// `loads` must have been cleared and be as large as the layout.
  void Integrate(const PressedFaces& faces, Workspace* workspace, CellLoads* loads) const;

 private:
  void AddGhosts(const Layout& layout);
  int Nearest(const Vec3& p, const Vec3& inward) const;
  bool Faces(int i, const Vec3& inward) const;

  int taxels_ = 0;  // ghosts come after them
  double limit_ = 0;
  std::vector<Vec3> points_, normals_, axes_;
  std::vector<double> norm2_;
  std::vector<int> neighbor_;  // kNeighbors each, nearest first
  int neighbors_ = 0;
  Bvh bvh_;
};

}  // namespace taxel
