// A probe against the analytic shapes, in closed form.
#pragma once

#include "taxel/bristle/probe_meeting.h"
#include "taxel/shape/primitives.h"

namespace taxel::internal {

/// The nearest entry of the probe from `base` to `tip` into the shape, in the shape's frame, or that its base
/// is inside. The shapes are convex, so there is at most one entry. A probe that only touches the surface
/// (along a face, at a rim, with its tip) enters there; a base exactly on the surface enters at t = 0 when
/// the probe goes inwards, and meets nothing otherwise. Where two faces are entered at once (an edge) one of
/// them gives the normal: z before the side of a cylinder; x, y, z of a box. A probe without length can only
/// be inside.
ProbeMeeting MeetPrimitive(const Primitive& shape, const Vec3& base, const Vec3& tip);

}  // namespace taxel::internal
