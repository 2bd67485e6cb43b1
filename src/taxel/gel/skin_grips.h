// What friction remembers of the points of a gel's skin.
#pragma once

#include <cstddef>
#include <vector>

#include "taxel/gel/skin_memory.h"
#include "taxel/gel/skin_touch.h"

namespace taxel {

/// A SkinMemory of each contact point.
class SkinGrips {
 public:
  void Assign(std::size_t points) { grips_.assign(points, {}); }
  /// Sets the drift of a touch from where the point was gripped by that object; 0 where it was not.
  void SetDrift(std::size_t point, const std::vector<SkinObject>& objects, SkinTouch* touch) const;
  /// For the law. The point touches an object.
  SkinGrip<float> Of(std::size_t point, const SkinTouch& touch, const std::vector<SkinObject>& objects) const;
  /// After a step with this impulse. Points that slid are gripped anew, free ones let go.
  void Remember(std::size_t point, const SkinTouch& touch, const Triple<float>& impulse,
                const std::vector<SkinObject>& objects);
  void Forget(int object);
  /// Pressures are impulses of a step.
  void Scale(float factor);

 private:
  std::vector<SkinMemory> grips_;
};

}  // namespace taxel
