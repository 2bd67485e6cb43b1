// What the adapter reads of a running simulation.
#pragma once

#include <mujoco/mujoco.h>

#include <optional>

#include "taxel/contact/patch_friction.h"
#include "taxel/math/pose.h"

namespace taxel::mujoco {

Pose GeomPose(const mjData* d, int geom);
/// It is finite and a rotation: a simulation that blew up has poses that are not.
bool PoseIsRigid(const mjData* d, int geom);
/// False before the first mj_forward: geoms have no orientation yet.
bool PosesKnown(const mjModel* m, const mjData* d);
/// @throws Error where PosesKnown is false, or that names a geom whose pose is not finite or no rotation.
void CheckPoses(const mjModel* m, const mjData* d);

/// Velocity of the body as a rigid field, from qvel and this step's kinematics (not d->cvel: at the end of a
/// step qvel is new while positions are old).
RelativeMotion BodyMotion(const mjModel* m, const mjData* d, int body);
/// Of body 2 relative to body 1.
RelativeMotion RelativeBodyMotion(const mjModel* m, const mjData* d, int body1, int body2);

/// integrator="discrete" solves in the metric M + S, and scales a row's diagonal by
///     rho = (sum J_i^2 / (M_ii + S_i)) / (sum J_i^2 / M_ii).
/// S is kept from the last step; before the first it is made from joint damping, stiffness and servo gains.
double DiscreteDiagonalRatio(const mjModel* m, const mjData* d, const double* S, int body1, int body2,
                             const Vec3& p_W, const Vec3& n_W);
void GuessDiscreteMetric(const mjModel* m, double* S);
/// How easily the bodies move against each other at p along n: sum J_i^2 / M_ii, 1/kg.
double InverseMassAlong(const mjModel* m, const mjData* d, int body1, int body2, const Vec3& p_W,
                        const Vec3& n_W);

/// A position or velocity servo on a hinge or slide joint, as seen by the joint.
struct JointServo {
  int dof;
  double kp, kv;  ///< gains times gear^2; negative ones are kept
};
/// Of actuator `i`; nothing when it is something else.
std::optional<JointServo> JointServoOf(const mjModel* m, int i);

/// "" or why soft contact cannot run under these options, with the cure.
const char* UnsupportedOption(const mjModel* m, bool sleeps = false);

}  // namespace taxel::mujoco
