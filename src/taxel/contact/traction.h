// Friction of a contact as a field: what a skin asks of whoever computed it.
#pragma once

#include "taxel/math/vec3.h"

namespace taxel {

/// Friction at a place of a contact.
struct Traction {
  Vec3 ratio_W;  ///< friction force on A per unit of normal force
  double capacity =
      0;  ///< friction coefficient that holds there: |ratio| reaches it where the contact slides
};

class TractionField {
 public:
  virtual ~TractionField() = default;
  /// At a point of the contact surface with normal n_W (out of B into A).
  virtual Traction At(const Vec3& p_W, const Vec3& n_W) const = 0;
};

}  // namespace taxel
