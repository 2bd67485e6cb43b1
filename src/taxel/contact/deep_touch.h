// Bodies that overlap deeper than their contact surface tells.
#pragma once

#include <vector>

#include "taxel/contact/body.h"
#include "taxel/contact/core_touch.h"
#include "taxel/contact/surface.h"

namespace taxel::internal {

/// The middle of a body (BodyData::middle) is in the other: it may come as near to the core of the other as
/// the ball of the body's own core about it allows, whatever the surface says. It says nothing of what leapt
/// past it in one step, of what is soft in something soft at a pressure that it does not have, and little of
/// what turns out of its way. Of a pad it is the back instead, on a plane: a mesh has no field on its sides.
/// Appends to *out what is within `reach`; meshes too.
void FindMiddleTouches(const Body& A, const Pose& X_WA, const Body& B, const Pose& X_WB, double reach,
                       std::vector<CoreTouch>* out);

/// For two primitives whose surface tells nothing: what jumped past the middle of a field in one step, or
/// lies against the side of a pad, which has a field in front only. The bodies overlap by `depth` along the
/// direction of least overlap, and may do so by what their layers give in that direction; the sides and the
/// back of a backed box give kSideShare of its thickness, or of its size that way. Appends to *out; nothing
/// where one is a mesh, they are apart, or the surface is there and nowhere at a core. True where the pad's
/// side holds.
bool FindDeepTouch(const ContactSurface& surface, const Body& A, const Pose& X_WA, const Body& B,
                   const Pose& X_WB, double reach, std::vector<CoreTouch>* out);
inline constexpr double kSideShare = 0.1;

/// The way out of a body for a point in it, in its frame.
struct WayOut {
  double depth = 0;  ///< along `out`, m; 0 where the point is not in the body
  Vec3 out;          ///< unit
  double layer = 0;  ///< from the surface to the core on that way, where columns tell, m; else 0
};
/// Of a layer on a back: to its face, by its field; what is in a pad came in by its face. Else the shortest.
WayOut FindWayOut(const Body& body, const Vec3& p_B);

}  // namespace taxel::internal
