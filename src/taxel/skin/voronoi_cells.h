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
/// the taxels that look its way (FacesTaxel), so that a thin shell does not feel through itself.
///
/// A grid ends halfway between its outermost taxels and the places of the next ones beyond its rim, the
/// ghosts: on a cylinder at a plane through the axis. A ghost bounds its own taxel only, so that an array
/// that nearly closes round a body, or reaches a pole, takes nothing from itself. Free layouts (and grids)
/// may end earlier: (limit > 0) where a point is more than `limit` from its taxel along either of its axes.
class VoronoiCells {
 public:
  VoronoiCells() = default;
  VoronoiCells(const Layout& layout, double limit);

  struct Workspace {
    std::vector<unsigned> stamp;
    std::vector<int> queue;
    unsigned round = 0;
  };
  /// `loads` must have been cleared and be as large as the layout.
  void Integrate(const PressedFaces& faces, Workspace* workspace, CellLoads* loads) const;

 private:
  struct Rim {
    Vec3 normal;
    double offset;
  };
  int Nearest(const Vec3& p, const Vec3& inward, int hint) const;

  double limit_ = 0;
  std::vector<Vec3> points_, normals_, axes_;
  std::vector<double> norm2_;
  std::vector<int> neighbor_;  // kNeighbors each, nearest first
  std::vector<double> neighbor_distance_;
  int neighbors_ = 0;
  std::vector<Rim> rims_;  // taxel i keeps dot(normal, x) <= offset for those from rim_start_[i] on
  std::vector<int> rim_start_;
  Bvh bvh_;
};

}  // namespace taxel
