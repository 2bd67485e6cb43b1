// Where a point of a gel's skin meets a rigid object or its bond: for host and device.
#pragma once

#include <cmath>

#include "taxel/math/kernel_pose.h"
#include "taxel/shape/kernel_shape.h"

namespace taxel {

/// A rigid object, in the frame and the units of the grid (cells).
struct SkinObject {
  KernelShape<double> shape;  ///< in the object's own units
  double unit = 1;            ///< cells for one unit of the shape's lengths
  Vec3 center;                ///< of a ball around the shape, own units
  double radius = 0;          ///< of that ball; infinite: everywhere
  double friction = 0;        ///< Coulomb; < 0: sticks
  KernelPose<double> X;       ///< of the shape's frame in the grid, cells, at the end of the step
  KernelPose<double> before;  ///< at its start
  bool floor = false;         ///< the plane of the hand behind a flat back: only the rim meets it
};

TAXEL_HD inline Triple<double> ToTriple(const Vec3& v) { return {v.x, v.y, v.z}; }
TAXEL_HD inline Triple<float> ToFloat(const Triple<double>& v) {
  return {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
}

/// What a point meets in a step.
struct SkinMeeting {
  static constexpr int kFree = -1, kBond = -2;
  int object = kFree;  ///< its number, or one of these
  float gap = 0;
  Triple<float> n;      ///< normal of the object
  Triple<float> v;      ///< velocity of the object at the point, or of the hand
  Triple<float> drift;  ///< from where the hand wants it, or from where it was gripped
};

/// A point that may meet objects, cells.
struct SkinSeeker {
  Triple<double> x;
  Triple<double> outward;  ///< of the undeformed skin, carried by the hand; 0: not known
  Triple<double> normal;   ///< of the skin as it is (SkinNormal); 0: not known
  bool rim = false;        ///< of the sides: only what lies flat on the skin touches it
};

/// Points nearer than this (cells) take part in the step.
inline constexpr double kSkinNear = 0.5;

/// A wall or edge passes over the skin where a flat face below it leans on the skin with so much more
/// (cosine).
inline constexpr double kSkinFlatter = 0.03;
/// Cells: how far inside of the wall that face is looked for (on a lattice edges are blunt: farther), at two
/// places with the same normal (cosine), and how far down.
inline constexpr double kSkinInside = 0.3, kSkinInsideOnLattice = 0.6, kSkinFarther = 0.5, kSkinSame = 0.02,
                        kSkinUnder = 1.5;
/// What leans on the skin with more than this (cosine) is a face that may bend back near its edge.
inline constexpr double kSkinFace = 0.6;
/// Cells: from 0.3 before the edge on a face bends back as a parabola of that radius up to that slope, and
/// goes on straight. The grid cannot follow a sharper edge; so much of the bend lies beyond the edge that
/// punches 4 cells wide have the force of the elastic layer to some per cent.
inline constexpr double kSkinBend = -0.3, kSkinBendRadius = 0.4, kSkinBendSlope = 2.5, kSkinBendEnd = 0.75;
/// Cells: how deep inside of the face its wall is looked for; from there to the other depth the push turns
/// from the normal of the skin to that of the face.
inline constexpr double kSkinBeside = 0.6, kSkinFlat = 1.5;
/// Cosine: what meets the face at less than this is a wall, and not its back.
inline constexpr double kSkinAcross = 0.9;
/// The skin's normal counts where it is nearer to the face's than this (cosine).
inline constexpr double kSkinAgree = 0.3;
/// The push leans fully with the skin where the face is tilted against it by this (sine, 2 degrees), and to
/// that share where it is not: there the edges cancel each other, and lean in time with the grid.
inline constexpr double kSkinTilt = 0.035, kSkinUpright = 0.25;
/// What leans on the skin with less than this (cosine) does not touch its rim.
inline constexpr double kSkinRim = 0.7;
/// Cells: points farther below a face than this do not touch, even in a fast step.
inline constexpr double kSkinClose = 0.1;
/// Cells: a point behind a wall has at most so far to go for the pull of a step, so that it is not thrown
/// (and as much more as it lies farther inside than the bend).
inline constexpr double kSkinGoDown = 0.02;

TAXEL_HD inline Triple<double> RotateInverse(const KernelPose<double>& X, const Triple<double>& v) {
  return {X.r[0] * v.x + X.r[3] * v.y + X.r[6] * v.z, X.r[1] * v.x + X.r[4] * v.y + X.r[7] * v.z,
          X.r[2] * v.x + X.r[5] * v.y + X.r[8] * v.z};
}

TAXEL_HD inline bool HasEdges(KernelShapeKind kind) {
  return kind == KernelShapeKind::kBox || kind == KernelShapeKind::kCylinder ||
         kind == KernelShapeKind::kTrilinear;
}

/// From `start` inside the object into the gel: where the object ends, its distance there (cells) and normal.
struct SkinExit {
  Triple<double> at, n;
  double d = 0, lean = -1;  // lean: of the face on the skin, cosine; -1: none in reach
};

TAXEL_HD inline SkinExit GoDown(const SkinObject& ob, const Triple<double>& start,
                                const Triple<double>& outward) {
  for (double s = 0; s < kSkinUnder;) {
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
TAXEL_HD inline bool FaceBelow(const SkinObject& ob, const Triple<double>& q, const Triple<double>& outward,
                               double* gap, Triple<double>* n) {
  const bool lattice = ob.shape.kind == KernelShapeKind::kTrilinear;
  const double inside = (*gap > 0 ? *gap : 0) + (lattice ? kSkinInsideOnLattice : kSkinInside);
  // On a box nothing is round: what leans more is another face, also where differences mix the two.
  const double least = -Dot(*n, outward) + (ob.shape.kind == KernelShapeKind::kBox ? 1e-5 : kSkinFlatter);
  if (least > 1) return false;
  const SkinExit face = GoDown(ob, q - (inside / ob.unit) * *n, outward);
  if (!(face.lean > least)) return false;
  const SkinExit farther = GoDown(ob, q - ((inside + kSkinFarther) / ob.unit) * *n, outward);
  if (!(std::fabs(farther.lean - face.lean) < kSkinSame)) return false;
  *gap = face.d + ob.unit * Dot(face.n, q - face.at);
  *n = face.n;
  return true;
}

TAXEL_HD inline Triple<double> Cross(const Triple<double>& a, const Triple<double>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/// Outward normal of the skin as it is, of a point on a particle with the deformation F (less the identity if
/// `at_rest`) whose normal was n at rest; 0 where F has lost it.
TAXEL_HD inline Triple<double> SkinNormal(const float F[9], bool at_rest, const Triple<double>& n) {
  const double one = at_rest ? 1 : 0;
  const Triple<double> x{F[0] + one, F[3], F[6]}, y{F[1], F[4] + one, F[7]}, z{F[2], F[5], F[8] + one};
  const Triple<double> m = n.x * Cross(y, z) + n.y * Cross(z, x) + n.z * Cross(x, y);
  const double length = std::sqrt(Dot(m, m));
  return length > 1e-6 ? (1 / length) * m : Triple<double>{};
}

/// A point q, *gap away from the plane of a face with the normal *n: near its edge the face bends back, and
/// the push leans as the skin does. *gap is then from the bent face. `outward`, `skin`: the point's normals
/// (SkinSeeker) in the object's frame. False beyond the bend.
TAXEL_HD inline bool BendFace(const SkinObject& ob, const Triple<double>& q, const Triple<double>& outward,
                              const Triple<double>& skin, double* gap, Triple<double>* n) {
  const Triple<double> face = *n, on = q - (*gap / ob.unit) * face;
  const Triple<double> inside = on - (kSkinBeside / ob.unit) * face;
  const double aside = ShapeDistance(ob.shape, inside) * ob.unit;  // from the wall, negative under the face
  Triple<double> push = face;
  if (aside > kSkinBend) {
    const Triple<double> wall = ShapeGradient(ob.shape, inside);
    const double across = Dot(wall, face);
    if (std::fabs(across) < kSkinAcross) {
      if (aside > kSkinBendEnd) return false;
      const double way = aside - kSkinBend, steepest = kSkinBendSlope * kSkinBendRadius;
      const double slope = (way < steepest ? way : steepest) / kSkinBendRadius;
      const double height = slope * (way - 0.5 * slope * kSkinBendRadius);
      const double scale = 1 / std::sqrt(1 + slope * slope);
      push = scale * (face + (slope / std::sqrt(1 - across * across)) * (wall - across * face));
      *gap = scale * (*gap + height);
    }
  }
  // Behind a wall and under the face alike, without a jump between them.
  if (aside > -kSkinBeside + 0.01) {
    const double most = kSkinGoDown + (aside < kSkinBend ? kSkinBend - aside : 0);
    if (*gap < -most) *gap = -most;
  }
  const double lean = -Dot(face, outward), tilt = std::sqrt(lean * lean < 1 ? 1 - lean * lean : 0);
  const double weight = tilt < kSkinTilt ? kSkinUpright + (1 - kSkinUpright) * tilt / kSkinTilt : 1;
  if (-Dot(skin, face) > kSkinAgree) {
    const Triple<double> under = on - (kSkinFlat / ob.unit) * face;
    const double share = (ShapeDistance(ob.shape, under) * ob.unit + kSkinFlat) / (kSkinFlat - kSkinBeside);
    if (share > 0 && Dot(ShapeGradient(ob.shape, under), face) > -kSkinAcross)
      push = push - (share < 1 ? share : 1) * (skin + push);
  }
  push = face + weight * (push - face);
  *n = (1 / std::sqrt(Dot(push, push))) * push;
  return true;
}

/// Makes `object` the one that is met if it is nearer than *nearest, which begins at kSkinNear. X: of the
/// object at the end of the step, before: at its start.
TAXEL_HD inline void MeetObject(const SkinObject& ob, const KernelPose<double>& X,
                                const KernelPose<double>& before, int object, const SkinSeeker& t,
                                double* nearest, SkinMeeting* met) {
  if (ob.floor && !t.rim) return;
  const bool known = Dot(t.outward, t.outward) > 0;
  const Triple<double> q = (1 / ob.unit) * ApplyInverse(X, t.x);
  const bool edges = known && !t.rim && HasEdges(ob.shape.kind);
  const double reach = ob.radius + (edges ? kSkinBendEnd : kSkinNear) / ob.unit;
  const Triple<double> d = q - ToTriple(ob.center);
  if (Dot(d, d) > reach * reach) return;
  double gap = ShapeDistance(ob.shape, q) * ob.unit;
  if (!(gap < (edges && *nearest < kSkinBendEnd ? kSkinBendEnd : *nearest))) return;
  Triple<double> n = ShapeGradient(ob.shape, q);
  if (t.rim) {
    if (!ob.floor && Dot(Rotate(X, n), t.outward) > -kSkinRim) return;
  } else if (edges && (gap < kSkinClose || -Dot(n, RotateInverse(X, t.outward)) < kSkinFace)) {
    const Triple<double> outward = RotateInverse(X, t.outward);
    const bool wall = FaceBelow(ob, q, outward, &gap, &n);
    if ((wall || -Dot(n, outward) > kSkinFace) &&
        !BendFace(ob, q, outward, RotateInverse(X, t.normal), &gap, &n))
      return;
    if (!(gap < *nearest)) return;
  }
  *nearest = gap;
  met->object = object;
  met->n = ToFloat(Rotate(X, n));
  // The object has moved already: its motion is taken out of the gap again.
  met->v = ToFloat(t.x - Apply(before, ob.unit * q));
  met->gap = static_cast<float>(gap) + Dot(met->v, met->n);
}

/// A point at x that is glued to the hand, whose pose takes `home` to where it belongs.
TAXEL_HD inline void HoldBond(const Triple<double>& home, const KernelPose<double>& X,
                              const KernelPose<double>& before, const Triple<double>& x, SkinMeeting* met) {
  const Triple<double> target = Apply(X, home), velocity = target - Apply(before, home);
  met->object = SkinMeeting::kBond;
  met->v = ToFloat(velocity);
  met->drift = ToFloat(x - (target - velocity));
}

}  // namespace taxel
