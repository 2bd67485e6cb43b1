// What a body is made of.
#pragma once

#include <string>

#include "taxel/field/field_options.h"

namespace taxel {

struct BodyOptions {
  std::string name;  ///< used in messages; defaults to the shape's name

  /// Hydroelastic modulus, Pa: the pressure at the medial axis (kDistance), or at full nominal compression
  /// (kBacked). 0 means rigid. At least one body of a pair must be soft.
  double modulus = 0;
  FieldOptions field;

  /// Edge length of the facets that stand for a curved surface, and of the tetrahedra of a body that is
  /// meshed, m. 0: automatic. Curved primitives are then refined per query where they touch, to about 0.1 %
  /// of the force.
  double resolution = 0;

  double dissipation = 0;      ///< Hunt-Crossley, s/m
  double static_friction = 0;  ///< >= dynamic_friction
  double dynamic_friction = 0;
};

}  // namespace taxel
