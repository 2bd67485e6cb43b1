// How the taxels of a skin of columns change with pose, modulus and thickness.
#pragma once

#include <vector>

#include "taxel/contact/contact_gradient.h"
#include "taxel/skin/skin.h"

namespace taxel {

/// Arrays hold one entry a taxel, `by` kContactInputs of them (contact_dual.h), taxel by taxel.
struct SkinGradient {
  std::vector<double> values;  ///< as SkinReading has them, elastic part: Pa, or N for Aggregate::kForce
  std::vector<double> by;
};

/// Taxels and their derivatives from the faces of a contact, which must be those of the skin's own columns.
/// Faces go to the taxel of their column where taxels hold whole columns, else they are cut along the borders
/// of a flat grid. Adds nothing of other contacts: add up what each gives.
/// @throws Error for taxels that are read by rays or by their greatest pressure, and for a free layout that
///         cuts through columns.
void ReadGradient(const Skin& skin, const ColumnFaceGradients& faces, SkinGradient* out);

}  // namespace taxel
