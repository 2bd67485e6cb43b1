// How a block of a patch becomes contacts of MuJoCo: the row mapping.
//
// MuJoCo's solver gives row i the force  f = D (aref - a),  aref = -B v - K imp r,  with  D = imp / ((1 -
// imp) Adiag) for an active row. Whatever stiffness and damping one wants can be had by choosing solimp and
// solref; the formulas below do that, for the continuous-time integrators and for `discrete`. They lean on
// internals of MuJoCo that tests/mujoco/engine_pins_test.cc holds in place.
#pragma once

#include <mujoco/mujoco.h>

#include "taxel/math/vec3.h"

namespace taxel::mujoco {

/// What the mapping needs to know of the engine.
struct RowContext {
  double step;            ///< h
  double inverse_mass;    ///< sum of body_invweight0 of the two bodies, 1/kg
  double impratio;        ///< opt.impratio
  bool discrete = false;  ///< integrator="discrete"
};

/// Normal row: one frictionless contact, f = max(0, k depth - b v+), with the velocity at the end of the
/// step.
struct NormalRow {
  Vec3 p_W, n_W;            ///< from geom 1 to geom 2
  double force;             ///< elastic force now, N
  double stiffness;         ///< k, N/m
  double damping;           ///< c of the material, N s/m
  double implicitness = 1;  ///< theta: b = max(c, theta h k)
  double rho = 1;           ///< discrete: Adiag / inverse_mass
  /// Rate at which the force grows because the bodies slide within the row's plane, N/s. The row by itself
  /// expects the force to change with the velocity along its normal alone; on the flank of a sliding ball
  /// that is wrong (the ball moves along the pad, not into it) and would brake it.
  double sliding_rate = 0;
  double normal_velocity = 0;  ///< now, m/s; positive: parting
};
mjContact MakeNormalContact(const NormalRow& row, const RowContext& c);

/// Friction: a contact without normal direction (the first axis of its frame is zero), whose "normal" row
/// therefore carries a constant force of our choice: friction is bounded by `bound`, whatever the true normal
/// force does.
struct TangentRow {
  Vec3 p_W, t1, t2;
  double stiffness, damping;  ///< k_t, c_t
  double bound;               ///< L, N
  double stretch[2];          ///< along t1, t2, of geom 2 relative to geom 1, m
  double velocity[2];         ///< now, m/s
};
/// At the present velocity the friction reaches its bound.
bool PredictsSlip(const TangentRow& row, const RowContext& c);
mjContact MakeTangentContact(const TangentRow& row, const RowContext& c);

/// Friction about the present velocity v: f_i + slope_i (v+_i - v_i) on geom 1 (resisting geom 2), with its
/// own slope along t1, the way of sliding, and across it: slope[0] <= slope[1]. |f| < bound.
struct AffineRow {
  Vec3 p_W, t1, t2;
  double force[2];     ///< now, N
  double velocity[2];  ///< now, m/s
  double slope[2];     ///< N s/m
  double bound;        ///< N; across t1 it is wider, by the root of the ratio of the slopes
};
mjContact MakeAffineContact(const AffineRow& row, const RowContext& c);

/// What cannot be passed: along n_W the bodies may approach by `gap` and no farther. A constraint, not a
/// spring: too deep a body is brought back over kCoreRecovery steps, and over kCoreRecoveryTime seconds at
/// least, so that the row gives back a 400th of the energy that can have brought it there.
struct CoreRow {
  Vec3 p_W, n_W;  ///< from geom 1 to geom 2
  double gap;     ///< m; negative: too far in
};
inline constexpr double kCoreRecovery = 20, kCoreRecoveryTime = 0.1;
mjContact MakeCoreContact(const CoreRow& row, const RowContext& c);

/// theta for a patch of stiffness k: 1/2 (no numerical damping) where the time step resolves the contact's
/// oscillation, 1 where it does not. x = h^2 k / m.
double Implicitness(double step, double stiffness, double inverse_mass);

}  // namespace taxel::mujoco
