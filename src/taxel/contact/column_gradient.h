// Derivatives of the contact of a skin of columns.
#pragma once

#include "taxel/contact/contact_gradient.h"

namespace taxel::internal {

/// Fills `faces` and `by`; columns_of_A says which of the two goes first (as ComputeContact decided).
void ColumnGradient(const Body& A, const Pose& X_WA, const Body& B, const Pose& X_WB, ContactGradient* out);

}  // namespace taxel::internal
