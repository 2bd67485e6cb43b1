// The signed distance of a body.
#pragma once

#include "taxel/contact/body.h"
#include "taxel/shape/marker_distance.h"

namespace taxel::internal {

/// Of its primitive, or of its surface. Throws Error for triangles that are not closed.
MarkerDistance DistanceOf(const Body& body);

}  // namespace taxel::internal
