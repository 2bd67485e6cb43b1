// One increment of a LayerField, solved to the end, with all that its derivatives need.
#pragma once

#include <Eigen/Dense>
#include <vector>

#include "taxel/marker/layer_dense.h"
#include "taxel/marker/object_height.h"

namespace taxel::internal {

/// What an increment is solved on; nothing of it changes along a path.
struct LayerStage {
  const LayerCells* cells;
  const std::vector<LayerLevel>* levels;
  std::vector<const ObjectHeight*> objects;
  double thickness, friction;
};

/// Height of an object over a cell, and where it is met.
struct LayerTouch {
  double height = 0;
  Vec3 place, normal;    ///< in the pad's frame
  bool deepest = false;  ///< held at 0.9 of the thickness: its pose does not matter
  bool met = false;
};
LayerTouch TouchCell(const LayerStage& stage, int object, const Pose& X_PI, int cell);

/// The tractions before and after an increment and the poses they belong to. The equations are those of
/// LayerField::Increment, in its order, each solved to the last digit instead of to 0.1 % of the depth:
///
///     u0 = A T0;  targets: the way of the objects' points;  c: part of the increment a cell is closed
///     p1: pressures to the tangential tractions before
///     free: friction without the cells that close only now, with bounds mu p1; where the gel goes then
///     t1: friction of all cells, bounds mu p1
///     p2: pressures to t1
///     t2: friction, bounds mu p2;  T = (t2, -p2)
struct LayerRecord {
  std::vector<Pose> from, to;
  std::vector<int> held;  ///< cells that carry T0
  LayerThree T0;

  std::vector<int> cell, owner;  ///< within reach
  std::vector<int> before;       ///< where each is in `held`; -1: it was open
  std::vector<LayerTouch> touch, touch_before;
  std::size_t level = 0;
  double share = 0;
  Eigen::VectorXd height, u0x, u0y, u0z, target_x, target_y, closed;
  std::vector<unsigned char> anchored;  ///< closes only now, and sticks from where the gel was then
  Eigen::VectorXd p1, p2, free_x, free_y, t1x, t1y, t2x, t2y;
  /// What friction pulls to: where the cells were, and how far they are carried.
  Eigen::VectorXd anchor_x, anchor_y;

  std::size_t count() const { return cell.size(); }
  Eigen::Index size() const { return static_cast<Eigen::Index>(cell.size()); }
  bool open(std::size_t i) const { return before[i] < 0; }
};

/// reach: cells within reach of the objects at `to`, ascending, with the object that is nearest each.
/// guess: tangential tractions and pressures there, to start from. held_object: that touches each held cell.
LayerRecord SolveRecord(const LayerStage& stage, const std::vector<Pose>& from, const std::vector<Pose>& to,
                        const std::vector<int>& held, const std::vector<int>& held_object,
                        const LayerThree& T0, const std::vector<int>& reach, const std::vector<int>& owner,
                        const LayerThree& guess);

/// Coulomb's bounds to the pressures p, of cells that close only now as well, or 0 there.
Eigen::VectorXd BoundOf(const LayerRecord& r, double friction, const Eigen::VectorXd& p, bool fresh_too);

}  // namespace taxel::internal
