// Friction of a patch as a field over it, from the anchors that carry it.
#pragma once

#include <vector>

#include "taxel/contact/patch_friction.h"
#include "taxel/contact/traction.h"

namespace taxel::internal {

/// The solver knows friction by blocks, the anchors know which part of a patch is stretched how far. Each
/// piece pulls as its stretch says, no more than its bound; what the blocks got instead is shared among their
/// pieces, first by what each could still take. The anchors gather friction and normal force of the pieces
/// round them; the ratio at a point is that of the anchors near it. So a skin reads shear from the same
/// anchors that hold the object.
class PatchTraction : public TractionField {
 public:
  /// After the solver: forces of the blocks, friction on A. `owner` carries the anchors.
  void Set(const Patch& patch, const PatchFriction& friction, const Anchors& anchors, const Pose& X_WO,
           bool owner_is_A, double shear_damping, const double* block_normal_forces,
           const Vec3* block_friction);
  Traction At(const Vec3& p_W, const Vec3& n_W) const override;

 private:
  struct Sum {
    Vec3 friction;
    double normal = 0, bound = 0;
  };
  const PatchFriction* friction_ = nullptr;
  const Anchors* anchors_ = nullptr;
  Pose X_WO_;
  double sign_ = 1;
  std::vector<Sum> sums_;
  Sum whole_;
  std::vector<Vec3> piece_, rest_;
  std::vector<double> elastic_, room_;
};

}  // namespace taxel::internal
