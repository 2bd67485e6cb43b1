#include "taxel/gel/skin_touch.h"

#include <cmath>

namespace taxel {
namespace {

/// Points nearer than this (cells) take part in the step.
constexpr double kNear = 0.5;

/// A wall or edge passes over the skin where a flat face below it leans on the skin with so much more
/// (cosine). On a lattice edges are blunt: there the face is looked for farther inside, and less is enough.
constexpr double kFlatter = 0.2, kFlatterOnLattice = 0.03;
/// Cells: how far inside of the wall that face is looked for, at two places with the same normal (cosine),
/// and how far down.
constexpr double kInside = 0.3, kInsideOnLattice = 0.6, kFarther = 0.5, kSame = 0.02, kUnder = 1.5;
/// What leans on the skin with less than this (cosine) does not touch its rim.
constexpr double kRim = 0.7;
/// Cells: points farther away than this do not touch, even in a fast step.
constexpr double kClose = 0.1;
/// Cells: a point behind a wall has at most so far to go for the pull of a step, so that it is not thrown.
constexpr double kGoDown = 0.02;

Triple<double> RotateInverse(const KernelPose<double>& X, const Triple<double>& v) {
  return {X.r[0] * v.x + X.r[3] * v.y + X.r[6] * v.z, X.r[1] * v.x + X.r[4] * v.y + X.r[7] * v.z,
          X.r[2] * v.x + X.r[5] * v.y + X.r[8] * v.z};
}

bool HasEdges(KernelShapeKind kind) {
  return kind == KernelShapeKind::kBox || kind == KernelShapeKind::kCylinder ||
         kind == KernelShapeKind::kTrilinear;
}

/// From `start` inside the object into the gel: where the object ends, its distance there (cells) and normal.
struct Exit {
  Triple<double> at, n;
  double d = 0, lean = -1;  // lean: of the face on the skin, cosine; -1: none in reach
};

Exit GoDown(const SkinObject& ob, const Triple<double>& start, const Triple<double>& outward) {
  for (double s = 0; s < kUnder;) {
    const Triple<double> at = start - (s / ob.unit) * outward;
    const double d = ShapeDistance(ob.shape, at) * ob.unit;
    if (d > -1e-3) {
      if (s == 0 && d > 0) return {};  // not inside
      const Triple<double> n = ShapeGradient(ob.shape, at);
      return {at, n, d, -Dot(n, outward)};
    }
    s += -d > 0.05 ? -d : 0.05;
  }
  return {};
}

/// The flat face below a point q near a wall or an edge with the normal *n, which is *gap away. Then *n is
/// that of the face, and *gap the distance of q from its plane. False where there is none in reach: the wall
/// holds.
bool FaceBelow(const SkinObject& ob, const Triple<double>& q, const Triple<double>& outward, double* gap,
               Triple<double>* n) {
  const bool lattice = ob.shape.kind == KernelShapeKind::kTrilinear;
  const double inside = (*gap > 0 ? *gap : 0) + (lattice ? kInsideOnLattice : kInside);
  const double least = -Dot(*n, outward) + (lattice ? kFlatterOnLattice : kFlatter);
  if (least > 1) return false;
  const Exit face = GoDown(ob, q - (inside / ob.unit) * *n, outward);
  if (!(face.lean > least)) return false;
  const Exit farther = GoDown(ob, q - ((inside + kFarther) / ob.unit) * *n, outward);
  if (!(std::fabs(farther.lean - face.lean) < kSame)) return false;
  *gap = face.d + ob.unit * Dot(face.n, q - face.at);
  *n = face.n;
  return true;
}

}  // namespace

void FindTouch(const std::vector<SkinObject>& objects, SkinTouch* t) {
  t->object = SkinTouch::kFree;
  double nearest = kNear;
  const bool known = dot(t->outward, t->outward) > 0;
  for (std::size_t o = 0; o < objects.size(); ++o) {
    const SkinObject& ob = objects[o];
    if (ob.floor && !t->rim) continue;
    const Triple<double> q = (1 / ob.unit) * ApplyInverse(ob.X, ToTriple(t->x));
    const double reach = ob.radius + kNear / ob.unit;
    const Triple<double> d = q - ToTriple(ob.center);
    if (Dot(d, d) > reach * reach) continue;
    double gap = ShapeDistance(ob.shape, q) * ob.unit;
    if (gap >= nearest) continue;
    Triple<double> n = ShapeGradient(ob.shape, q);
    if (t->rim) {
      if (!ob.floor && Dot(Rotate(ob.X, n), ToTriple(t->outward)) > -kRim) continue;
    } else if (known && gap < kClose && HasEdges(ob.shape.kind)) {
      double below = gap;
      Triple<double> face = n;
      const Triple<double> outward = RotateInverse(ob.X, ToTriple(t->outward));
      if (FaceBelow(ob, q, outward, &below, &face)) {
        // Beside the wall, or under a face whose edge the lattice has blunted.
        const bool blunt = ob.shape.kind == KernelShapeKind::kTrilinear && Dot(n, outward) < -0.5;
        if (gap >= 0 && !(blunt && below < 0)) continue;
        n = face;
        gap = below > -kGoDown ? below : -kGoDown;
      }
    }
    nearest = gap;
    t->object = static_cast<int>(o);
    t->n = ToFloat(Rotate(ob.X, n));
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
