// What acts on a point of a gel's skin in one step: the nearest object, or the hand that it is glued to.
#pragma once

#include <vector>

#include "taxel/gel/skin_meet.h"
#include "taxel/gel/skin_ride.h"

namespace taxel {

struct SkinTouch : SkinMeeting {
  float row_sum = 0;
  Vec3 x;
  Vec3 outward;           ///< as that of SkinSeeker
  Triple<double> normal;  ///< as that of SkinSeeker
  bool rim = false;
  SkinNodes nodes;     ///< where it is not free
  bool hangs = false;  ///< `nodes` are set; on a grid at rest they stay
};

/// The object nearest to touch->x, within half a cell: gap, normal and velocity there; kFree where none is.
///
/// The grid cannot follow an edge, so points of the skin come to lie before a wall that in truth passes over
/// them: pushed by the wall they would hold an object back that slides without friction. Where `outward` is
/// known, a wall across the skin therefore does not touch within 1.5 cells of a face below it: that face
/// bends back over the width of a cell, and pushes along the normal of the skin there. So the points go under
/// the edge without a jump, across the push, and a slide costs no energy (docs/guide/gel.md).
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
  std::vector<Vec3> home_;
  KernelPose<double> X_, before_;
};

}  // namespace taxel
