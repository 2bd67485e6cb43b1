// The force that acts in the physics, shared over the cells of a skin.
#pragma once

#include "taxel/skin/cell_loads.h"
#include "taxel/skin/skin_load.h"

namespace taxel::internal {

/// One contact in the skin's frame: what its surface gives by elasticity (without the walls, where something
/// acts and they have no part in it), and what acts.
struct ContactTotals {
  Vec3 elastic, elastic_torque,
      center;                 ///< force on the skin, torque about the frame's origin, centre of pressure
  double load = 0, area = 0;  ///< integral of p dA, m2
  bool acts = false;          ///< the next three are given
  Vec3 force, torque;         ///< normal part of what acts on the skin, torque about the frame's origin
  Vec3 friction;
};
/// `faces` are those of the load, set.
ContactTotals TotalsOf(const SkinLoad& load, const PressedFaces& faces, const Pose& X_WG, bool acts);

/// Scales the loads of the cells (which came from the elastic pressure) so that they carry what acts: by a
/// factor that varies linearly over the contact and gives the normal force and the two tilting torques; what
/// is left, along the surface, is shared in proportion to the load. What the cells do not cover counts as one
/// more cell, so that a contact half off the skin is scaled alike.
void BalanceCells(const ContactTotals& totals, CellLoads* cells);

/// The factor alone, for sampled cells, whose sums are not exact: normal force that acts over the elastic
/// one.
double LoadFactor(const ContactTotals& totals);

/// For sampled cells, whose loads were scaled by LoadFactor: what acts along the surface beyond that, in
/// proportion to the load.
void ShareRest(const ContactTotals& totals, CellLoads* cells);

/// Adds friction to the cells. `friction[cell]` gets the force on the skin, `capacity[cell]` the most it
/// could be.
void AddFriction(const SkinLoad& load, const ContactTotals& totals, const Pose& X_WG, const CellLoads& cells,
                 Vec3* friction, double* capacity);

}  // namespace taxel::internal
