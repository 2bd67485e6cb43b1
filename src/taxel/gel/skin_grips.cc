#include "taxel/gel/skin_grips.h"

namespace taxel {

void SkinGrips::SetDrift(std::size_t point, const std::vector<SkinObject>& objects, SkinTouch* t) const {
  const Grip& grip = grips_[point];
  const SkinObject& ob = objects[static_cast<std::size_t>(t->object)];
  t->drift = grip.object == t->object ? ToFloat(ToTriple(t->x) - Apply(ob.before, grip.at)) : Triple<float>{};
}

SkinGrip<float> SkinGrips::Of(std::size_t point, const SkinTouch& t,
                              const std::vector<SkinObject>& objects) const {
  const Grip& grip = grips_[point];
  return {static_cast<float>(objects[static_cast<std::size_t>(t.object)].friction),
          grip.object == t.object ? grip.pressed : 0.0f, t.drift};
}

void SkinGrips::Remember(std::size_t point, const SkinTouch& t, const Triple<float>& impulse,
                         const std::vector<SkinObject>& objects) {
  Grip& grip = grips_[point];
  if (t.object == SkinTouch::kFree) {
    grip = {};
    return;
  }
  const SkinObject& ob = objects[static_cast<std::size_t>(t.object)];
  const float normal = Dot(impulse, t.n);
  const Triple<float> tangential = impulse - normal * t.n;
  const SkinGrip<float> law = Of(point, t, objects);
  const bool known = law.pressed > 0;
  const float most = 0.999f * FrictionBound(law, normal);
  const bool slid = ob.friction >= 0 && Dot(tangential, tangential) >= most * most;
  // Gripped where it was in this step. One that slides could be gripped so that its friction stays what it
  // is; but then every point that flickers to its bound stays there, and a gel held still works its way to
  // full slip.
  if (!known || slid) grip.at = ApplyInverse(ob.before, ToTriple(t.x));
  grip.pressed = known ? grip.pressed + kSkinFollow * (normal - grip.pressed) : normal;
  if (grip.pressed < 1e-12f) grip.pressed = 0;
  grip.object = t.object;
}

void SkinGrips::Forget(int object) {
  for (Grip& grip : grips_)
    if (grip.object == object) grip = {};
}

void SkinGrips::Scale(float factor) {
  for (Grip& grip : grips_) grip.pressed *= factor;
}

}  // namespace taxel
