// Where a contact has reached, or is about to reach, what cannot be passed behind a soft layer.
#pragma once

#include <vector>

#include "taxel/contact/body.h"
#include "taxel/contact/patch.h"
#include "taxel/contact/surface.h"

namespace taxel {

/// One point of a contact and how far it may still go.
struct CoreTouch {
  Vec3 p_W;
  Vec3 n_W;    ///< the way out for A: unit, from B into A
  double gap;  ///< how far the bodies may still approach along n_W before one is flat, m; negative: too far
};

/// A soft body ends in a core (field/stiffening.h, CoreDepth). The pressure tells how deep a point of the
/// contact surface is in each body: with p the pressure there, u(p) the depth by the body's law and h the
/// length over which u rises by 1,
///     gap = sum over the soft bodies of  h (u(p_core) - u(p)),   p_core the lesser of the two bodies'
///     pressures
/// at their cores. The way out is that of the pressure's gradient, not the face's normal: the wall of a body
/// that went through a pad has the pad's whole depth on it and looks aside. In a field without a back the
/// gradient may lead out through a side where the other body does not let go (a thin plate that stands on its
/// edge); there it is the normal, of faces that look the way the patch does.
///
/// Fills *out with the nearest point of each of 3 x 3 cells of the patch that comes within `reach` of the
/// core; `patch` gives the axes. Empty, after one comparison, where nothing is near.
void FindCoreTouches(const ContactSurface& surface, const Patch& patch, const Body& A, const Body& B,
                     double reach, std::vector<CoreTouch>* out);

/// What is left of the layers' push where a core was passed: 1 up to the core, falling to kLeastPush over
/// half of what the layers give. Nobody paid for the way beyond the core, and the push would give it back.
double PushBeyondCore(const Body& A, const Body& B, const std::vector<CoreTouch>& touches);
inline constexpr double kLeastPush = 0.02;

/// Keeps, of all touches, the one with the least gap in each of 3 x 3 cells of the plane of the patch.
void KeepNearest(const Patch& patch, std::vector<CoreTouch>* touches);

/// How deep the contact is, m: what both bodies give way where the pressure is highest, by their usual
/// steepness.
double ContactDepth(const ContactSurface& surface, const Body& A, const Body& B);

/// The pressure at which one of the two bodies has reached its core, Pa: the least, where columns have moduli
/// of their own.
double CorePressure(const Body& A, const Body& B);
/// The same on a face of their surface.
double CorePressure(const ContactSurface& surface, int face, const Body& A, const Body& B);
/// It is not the same on all faces.
bool CorePressureVaries(const Body& A, const Body& B);

/// What both layers give until their cores meet, m.
double DepthToCore(const Body& A, const Body& B);

}  // namespace taxel
