// Derivatives of a contact from its surface alone.
#pragma once

#include "taxel/contact/contact_gradient.h"

namespace taxel::internal {

/// Fills `by` and `complete` from the faces of a surface that has no columns (contact_gradient.h has the
/// formula).
void SurfaceGradient(const Body& A, const Pose& X_WA, const Body& B, const Pose& X_WB,
                     const ContactSurface& surface, ContactGradient* out);

}  // namespace taxel::internal
