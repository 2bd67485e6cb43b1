// The plan of many pads (pad_scene.h) from particles and points of the skin.
#pragma once

#include <array>
#include <vector>

#include "taxel/batch/pad_scene.h"
#include "taxel/math/vec3.h"

namespace taxel::internal {

/// Points of the skin, cells (GelSolver::SetSkin).
struct PadSkin {
  std::vector<Vec3> contact, held, outward, rim;
};

/// Owns the arrays that its plan points to; laws, hand and gravity are left to the caller.
class PadPlanArrays {
 public:
  /// Positions in cells, finite and within a million cells. Throws Error for a cell with more than kPadTile
  /// particles, a gel whose box has more than 2^27 nodes, and points away from the gel (RideOnNearest).
  PadPlanArrays(const std::vector<Vec3>& positions, const PadSkin& skin);
  PadPlanArrays(const PadPlanArrays&) = delete;
  PadPlan& plan() { return plan_; }
  const PadPlan& plan() const { return plan_; }

 private:
  // The steps of the constructor.
  void SortParticles(const std::vector<Vec3>& positions);
  void PlaceNodes();
  void CutTiles();
  void HangSkin(const std::vector<Vec3>& positions, const PadSkin& skin);
  void ListPoints();
  void Point();

  PadPlan plan_;
  std::vector<std::array<int, 3>> cell_at_;  // coordinates
  std::vector<int> sorted_;                  // place of a particle by its number
  std::vector<float> f_, inverse_mass_, r0_, weight_, node_weight_;
  std::vector<int> cell_of_, number_, cell_first_, cell_node_, tile_first_, node_cell_, ride_, point_node_,
      skin_node_, node_begin_, node_point_;
  std::vector<double> outward_, home_;
};

}  // namespace taxel::internal
