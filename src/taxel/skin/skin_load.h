// What presses on a skin.
#pragma once

#include "taxel/contact/surface.h"
#include "taxel/contact/traction.h"

namespace taxel {

/// A force at a point of the skin, from a model that knows points and no surface (bristles).
struct PointLoad {
  int taxel;        ///< that feels it; -1: none
  Vec3 p_W;         ///< where the body is met
  Vec3 normal_W;    ///< what acts on A without friction, N
  Vec3 elastic_W;   ///< the elastic part of that, N
  Vec3 friction_W;  ///< on A, N
  double load;      ///< size of the normal part, N
  double capacity;  ///< most friction that holds here, N
  double area;      ///< of the skin that the point stands for, m2
  bool saturated;   ///< pressed beyond what it can tell
};

/// One contact with the skin's body.
struct SkinLoad {
  /// Points, instead of all else below but skin_is_A.
  const PointLoad* points = nullptr;
  int num_points = 0;
  const ContactSurface* surface = nullptr;
  bool skin_is_A = true;
  /// What acts in the physics, on A: the normal part (torque about the world origin), and friction. Null: the
  /// elastic pressure, no friction.
  const Wrench* normal = nullptr;
  /// The walls of what is pressed in (contact/edge_on.h) are part of what acts. They are not where a solver
  /// acts on a patch, which fades them.
  bool walls_act = false;
  const Vec3* friction = nullptr;
  /// Where it acts, in the world, when the surface is empty: an engine may push where ours do not overlap.
  const Vec3* at = nullptr;
  /// How friction is spread. Null: in proportion to the pressure.
  const TractionField* traction = nullptr;
};

}  // namespace taxel
