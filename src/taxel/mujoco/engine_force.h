// What MuJoCo's own contacts do to a pair of geoms.
#pragma once

#include <mujoco/mujoco.h>

#include <vector>

#include "taxel/contact/surface.h"

namespace taxel::mujoco {

/// Sum of the contacts of two geoms, on the one with the higher number of the two as listed.
struct PairForce {
  int geom1, geom2;  ///< as MuJoCo orders them; forces are those on geom2
  Wrench wrench;     ///< all of it, about the world origin
  Vec3 normal;       ///< along the contacts' normals, N
  Vec3 friction;     ///< across them, N
  Vec3 center;       ///< of the normal forces, world, m
};

/// Reads mjData.contact and efc_force. Keeps its memory.
class EngineForces {
 public:
  /// All pairs whose contacts are in the constraint solver. None where the solver has not run on these
  /// contacts (qfrc_constraint is not what efc_force makes of them).
  void Read(const mjModel* m, const mjData* d);
  void Clear() { pairs_.clear(); }
  /// Of a pair in MuJoCo's order; null: unknown.
  const PairForce* Find(int geom1, int geom2) const;
  const std::vector<PairForce>& pairs() const { return pairs_; }

 private:
  bool Solved(const mjModel* m, const mjData* d);

  std::vector<PairForce> pairs_;
  std::vector<double> load_;     // of each pair: sum of normal forces, for the centre
  std::vector<mjtNum> product_;  // J^T f
};

}  // namespace taxel::mujoco
