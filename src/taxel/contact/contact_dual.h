// What a contact is differentiated by.
#pragma once

#include "taxel/math/dual.h"

namespace taxel {

/// Inputs of a query, in this order.
enum ContactInput {
  kShiftB = 0,      ///< three: B along the axes of the world, m
  kTurnB = 3,       ///< three: B about the axes of the world through its own origin, rad
  kModulusA = 6,    ///< Pa
  kThicknessA = 7,  ///< of a layer, whose skin stays where it is, m
  kModulusB = 8,
  kThicknessB = 9,
  kContactInputs = 10,
};

namespace internal {
using ContactDual = Dual<double, kContactInputs>;
}  // namespace internal

}  // namespace taxel
