// A layer whose stiffness follows the size of each contact.
#pragma once

#include "taxel/contact/body_data.h"
#include "taxel/contact/surface.h"

namespace taxel::internal {

/// Radius of a contact by its size, m: of the ellipse with the second moments of the contact, seen along the
/// force. Of half axes a and b: a b / sqrt((a^2 + b^2) / 2), twice the area over the perimeter; of a disc its
/// radius, of a long strip its width. 0 without a contact. Several patches of one pair count as one.
double ContactRadius(const ContactSurface& surface);

/// Where A or B is a layer with a Poisson's ratio (FieldOptions::poisson), multiplies all pressures by what
/// such a layer is stiffer to a contact of this size than where it is softest, which is what its modulus
/// says:
///     f = m(a / H) / m_softest >= 1      (field/layer_modulus.h)
/// and with a second soft body the series of both, k = modulus / length each:
///     f = (1 / k_A + 1 / k_B) / (1 / (f_A k_A) + 1 / (f_B k_B)).
/// The surface stays where it is. Where surface.size_factor is not 1, depths follow from pressures over it.
void FollowSize(const BodyData& A, const BodyData& B, ContactSurface* surface);

}  // namespace taxel::internal
