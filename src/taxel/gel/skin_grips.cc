#include "taxel/gel/skin_grips.h"

namespace taxel {

void SkinGrips::SetDrift(std::size_t point, const std::vector<SkinObject>& objects, SkinTouch* t) const {
  const SkinObject& ob = objects[static_cast<std::size_t>(t->object)];
  t->drift = DriftOf(grips_[point], t->object, ob.before, ToTriple(t->x));
}

SkinGrip<float> SkinGrips::Of(std::size_t point, const SkinTouch& t,
                              const std::vector<SkinObject>& objects) const {
  return GripOf(grips_[point], t, objects[static_cast<std::size_t>(t.object)].friction);
}

void SkinGrips::Remember(std::size_t point, const SkinTouch& t, const Triple<float>& impulse,
                         const std::vector<SkinObject>& objects) {
  if (t.object == SkinTouch::kFree) {
    grips_[point] = {};
    return;
  }
  const SkinObject& ob = objects[static_cast<std::size_t>(t.object)];
  taxel::Remember(t, ob.friction, ob.before, ToTriple(t.x), impulse, &grips_[point]);
}

void SkinGrips::Forget(int object) {
  for (SkinMemory& grip : grips_)
    if (grip.object == object) grip = {};
}

void SkinGrips::Scale(float factor) {
  for (SkinMemory& grip : grips_) grip.pressed *= factor;
}

}  // namespace taxel
