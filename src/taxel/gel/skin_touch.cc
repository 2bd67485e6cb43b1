#include "taxel/gel/skin_touch.h"

namespace taxel {
namespace {

/// Points nearer than this (cells) take part in the step.
constexpr double kNear = 0.5;

}  // namespace

void FindTouch(const std::vector<SkinObject>& objects, SkinTouch* t) {
  t->object = SkinTouch::kFree;
  double nearest = kNear;
  for (std::size_t o = 0; o < objects.size(); ++o) {
    const SkinObject& ob = objects[o];
    const Triple<double> q = (1 / ob.unit) * ApplyInverse(ob.X, ToTriple(t->x));
    const double reach = ob.radius + kNear / ob.unit;
    const Triple<double> d = q - ToTriple(ob.center);
    if (Dot(d, d) > reach * reach) continue;
    const double gap = ShapeDistance(ob.shape, q) * ob.unit;
    if (gap >= nearest) continue;
    nearest = gap;
    t->object = static_cast<int>(o);
    t->n = ToFloat(Rotate(ob.X, ShapeGradient(ob.shape, q)));
    // The object has moved already: its motion is taken out of the gap again.
    t->v = ToFloat(ToTriple(t->x) - Apply(ob.before, ob.unit * q));
    t->gap = static_cast<float>(gap) + Dot(t->v, t->n);
  }
}

void SkinBonds::Assign(const std::vector<Vec3>& points) {
  home_ = points;
  target_ = points;
  velocity_.assign(points.size(), Vec3{});
}

void SkinBonds::Move(const KernelPose<double>& X, const KernelPose<double>& before) {
  for (std::size_t k = 0; k < home_.size(); ++k) {
    const Triple<double> now = Apply(X, ToTriple(home_[k])), then = Apply(before, ToTriple(home_[k]));
    target_[k] = {now.x, now.y, now.z};
    velocity_[k] = {now.x - then.x, now.y - then.y, now.z - then.z};
  }
}

void SkinBonds::Hold(std::size_t k, SkinTouch* t) const {
  t->object = SkinTouch::kBond;
  t->v = ToFloat(ToTriple(velocity_[k]));
  t->drift = ToFloat(ToTriple(t->x - (target_[k] - velocity_[k])));
}

}  // namespace taxel
