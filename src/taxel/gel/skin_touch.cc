#include "taxel/gel/skin_touch.h"

namespace taxel {

void FindTouch(const std::vector<SkinObject>& objects, SkinTouch* t) {
  t->object = SkinTouch::kFree;
  double nearest = kSkinNear;
  const SkinSeeker seeker{ToTriple(t->x), ToTriple(t->outward), t->normal, t->rim};
  for (std::size_t o = 0; o < objects.size(); ++o)
    MeetObject(objects[o], objects[o].X, objects[o].before, static_cast<int>(o), seeker, &nearest, t);
}

void SkinBonds::Assign(const std::vector<Vec3>& points) {
  home_ = points;
  X_ = before_ = {};
}

void SkinBonds::Move(const KernelPose<double>& X, const KernelPose<double>& before) {
  X_ = X, before_ = before;
}

void SkinBonds::Hold(std::size_t k, SkinTouch* t) const {
  HoldBond(ToTriple(home_[k]), X_, before_, ToTriple(t->x), t);
}

}  // namespace taxel
