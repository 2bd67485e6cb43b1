// What friction remembers of one point of a gel's skin: for host and device.
#pragma once

#include "taxel/gel/skin_law.h"
#include "taxel/gel/skin_meet.h"

namespace taxel {

/// Which object a point touches, where it was gripped (in that object's frame, cells), and the smoothed
/// pressure.
struct SkinMemory {
  int object = SkinMeeting::kFree;
  Triple<double> at;
  float pressed = 0;
};

/// From where the point was gripped by the object that it meets; 0 where it was not. `before`: the pose of
/// the object at the start of the step.
TAXEL_HD inline Triple<float> DriftOf(const SkinMemory& memory, int object, const KernelPose<double>& before,
                                      const Triple<double>& x) {
  return memory.object == object ? ToFloat(x - Apply(before, memory.at)) : Triple<float>{};
}

/// For the law.
TAXEL_HD inline SkinGrip<float> GripOf(const SkinMemory& memory, const SkinMeeting& met, double friction) {
  return {static_cast<float>(friction), memory.object == met.object ? memory.pressed : 0.0f, met.drift};
}

/// After a step with this impulse on a point at x that meets an object.
TAXEL_HD inline void Remember(const SkinMeeting& met, double friction, const KernelPose<double>& before,
                              const Triple<double>& x, const Triple<float>& impulse, SkinMemory* memory) {
  const float normal = Dot(impulse, met.n);
  const Triple<float> tangential = impulse - normal * met.n;
  const SkinGrip<float> law = GripOf(*memory, met, friction);
  const bool known = law.pressed > 0;
  const float most = 0.999f * FrictionBound(law, normal);
  const bool slid = friction >= 0 && Dot(tangential, tangential) >= most * most;
  // Gripped where it was in this step. One that slides could be gripped so that its friction stays what it
  // is; but then every point that flickers to its bound stays there, and a gel held still works its way to
  // full slip.
  if (!known || slid) memory->at = ApplyInverse(before, x);
  memory->pressed = known ? memory->pressed + kSkinFollow * (normal - memory->pressed) : normal;
  if (memory->pressed < 1e-12f) memory->pressed = 0;
  memory->object = met.object;
}

}  // namespace taxel
