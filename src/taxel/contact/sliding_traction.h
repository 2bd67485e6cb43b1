// Friction without memory as a field: opposite to the slip at each point.
#pragma once

#include "taxel/contact/bristle_law.h"
#include "taxel/contact/friction_law.h"
#include "taxel/contact/patch_friction.h"
#include "taxel/contact/traction.h"

namespace taxel::internal {

/// For surfaces that are only looked at (sensing without the plugin's physics).
class SlidingTraction : public TractionField {
 public:
  SlidingTraction() = default;
  SlidingTraction(const FrictionParameters& friction, const RelativeMotion& v_AB, double stiction_speed)
      : friction_(friction), v_(v_AB), stiction_(stiction_speed) {}

  Traction At(const Vec3& p_W, const Vec3& n_W) const override {
    const Vec3 v = v_(p_W), slip = v - dot(v, n_W) * n_W;
    const double mu =
        StribeckCoefficient(norm(slip), friction_.static_friction, friction_.dynamic_friction, Speed());
    return {FrictionTraction(slip, 1, RegularizedCoulomb(norm(slip), mu, stiction_)), mu};
  }

 private:
  double Speed() const {
    return friction_.stribeck_speed > 10 * stiction_ ? friction_.stribeck_speed : 10 * stiction_;
  }
  FrictionParameters friction_;
  RelativeMotion v_;
  double stiction_ = 1e-4;
};

}  // namespace taxel::internal
