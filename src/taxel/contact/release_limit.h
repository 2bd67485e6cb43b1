// What a soft contact may give back: no more than was put into it.
#pragma once

#include "taxel/contact/patch.h"

namespace taxel::internal {

/// A contact of a step in one number each, along its mean normal.
struct ReleaseStep {
  double force;         ///< elastic, N
  double stiffness;     ///< N/m
  double velocity;      ///< of separation, m/s
  double inverse_mass;  ///< 1/kg
  double step;          ///< s
  double slow;          ///< a speed of separation that is always allowed, m/s
  bool implicit;        ///< the force is that of the end of the step
};

/// Elastic energy of a contact, J: of all blocks sum F^2 / 2k, with k the stiffness on the way out along the
/// mean normal (ExitStiffness). Exact for a flat end on a layer; nine tenths of it for a ball, whose force
/// rises with the square of the depth.
double ElasticEnergy(const Patch& patch);

/// What is in the budget when a contact is seen for the first time, J. Bodies that were put into each other
/// may use all of its energy; what they covered in the last step, at `speed`, nobody paid for.
double FirstBudget(double energy, double force, double speed, double step);

/// The factor for force and stiffness with which a step releases no more than the budget T. A step takes the
/// velocity from v to
///     v' = (v + s h F / m) / (1 + s x),   x = h^2 k / m (explicit: 0),
/// and v' may not exceed sqrt(v^2 + 2 T / m), nor need it be below `slow`. 1 wherever the whole force stays
/// below that; never below kLeastRelease.
double ReleaseFactor(double budget, const ReleaseStep& s);
inline constexpr double kLeastRelease = 1e-6;

/// The budget at the end of a step: plus the work that the bodies did on the contact, and never a debt: what
/// a step gave too much (ground that rose under a foot) is not taken from the next ones. A contact that was
/// not held back slowly forgets how it came about (within kBudgetMemory): what a long slide or a rolling body
/// leaves over in thousands of steps is rounding and damping, and not energy.
double NextBudget(double budget, double work_in, double energy, double step, bool held_back);
inline constexpr double kBudgetMemory = 0.2;  ///< s

}  // namespace taxel::internal
