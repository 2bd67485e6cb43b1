// What presses on a skin.
#pragma once

#include "taxel/contact/surface.h"
#include "taxel/contact/traction.h"

namespace taxel {

/// One contact with the skin's body.
struct SkinLoad {
  const ContactSurface* surface = nullptr;
  bool skin_is_A = true;
  /// What acts in the physics, on A: the normal part (torque about the world origin), and friction. Null: the
  /// elastic pressure, no friction.
  const Wrench* normal = nullptr;
  /// The walls of what is pressed in (contact/edge_on.h) are part of what acts. They are not where a solver
  /// acts on a patch, which fades them.
  bool walls_act = false;
  const Vec3* friction = nullptr;
  /// How friction is spread. Null: in proportion to the pressure.
  const TractionField* traction = nullptr;
};

}  // namespace taxel
