// What acts on a point of a gel's skin in one step: the nearest object, or the hand that it is glued to.
#pragma once

#include <vector>

#include "taxel/gel/skin_ride.h"
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

struct SkinTouch {
  static constexpr int kFree = -1, kBond = -2;
  int object = kFree;  ///< its number, or one of these
  float gap = 0, row_sum = 0;
  Vec3 x;
  Vec3 outward;         ///< of the undeformed skin, carried by the hand; 0: not known
  Triple<float> n;      ///< normal of the object
  Triple<float> v;      ///< velocity of the object at the point, or of the hand
  Triple<float> drift;  ///< from where the hand wants it, or from where it was gripped
  bool rim = false;     ///< of the sides: only what lies flat on the skin touches it
  SkinNodes nodes;      ///< where it is not free
  bool hangs = false;   ///< `nodes` are set; on a grid at rest they stay
};

inline Triple<double> ToTriple(const Vec3& v) { return {v.x, v.y, v.z}; }
inline Triple<float> ToFloat(const Triple<double>& v) {
  return {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
}

/// The object nearest to touch->x, within half a cell: gap, normal and velocity there; kFree where none is.
///
/// The grid cannot follow an edge, so points of the skin come to lie before a wall that in truth passes over
/// them: pushed by the wall they would hold an object back that slides without friction. Where `outward` is
/// known, a wall across the skin therefore does not touch within 1.5 cells of a face below it, and a point
/// behind it is led under that face.
///
/// Points of the rim, on the sides, meet only what presses on the skin: the sides of a gel that is pressed
/// flat roll onto the object, and must not pass it.
void FindTouch(const std::vector<SkinObject>& objects, SkinTouch* touch);

/// Points glued to the hand.
class SkinBonds {
 public:
  /// Where they belong with the hand at the identity, cells.
  void Assign(const std::vector<Vec3>& points);
  /// They follow the hand, whose motion is their velocity.
  void Move(const KernelPose<double>& X, const KernelPose<double>& before);
  /// The pull on point k, which is at touch->x.
  void Hold(std::size_t k, SkinTouch* touch) const;

 private:
  std::vector<Vec3> home_, target_, velocity_;
};

}  // namespace taxel
