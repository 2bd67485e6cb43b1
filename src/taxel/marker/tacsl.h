// TacSL's force field: a penalty along the normal, viscous shear, no memory.
#pragma once

#include <vector>

#include "taxel/marker/tacsl_law.h"
#include "taxel/math/pose.h"
#include "taxel/shape/marker_distance.h"

namespace taxel {

/// Isaac Lab's names and defaults.
struct TacSlParameters {
  double normal_contact_stiffness = 1;  ///< N/m
  double tangential_stiffness = 0.1;    ///< N s/m: multiplies a velocity
  double friction_coefficient = 2;
  /// Shear of each point as a unit vector, as the policies get it; below kTacSlLeastShear of the hardest
  /// pressed point's normal force it is 0.
  bool unit_shear = false;
};

template <typename T>
TacSlRates<T> ToTacSlRates(const TacSlParameters& p) {
  return {static_cast<T>(p.normal_contact_stiffness), static_cast<T>(p.tangential_stiffness),
          static_cast<T>(p.friction_coefficient)};
}

/// Of a body's origin, in the world frame W.
struct BodyMotion {
  Vec3 v_W, w_W;  ///< m/s, rad/s
};

/// One row a point.
struct TacSlReading {
  std::vector<Vec3> points_W;
  std::vector<double> depth;   ///< relu(-phi), m
  std::vector<double> normal;  ///< on the gel, along -z of the pad: above 0 when pressed, N
  std::vector<double> shear;   ///< on the gel, along x and y of the pad, two a point, N
};

/// Points fixed on a pad, against the distance phi of an object. With n = grad phi (out of the object) and
/// v_t the part across n of (velocity of the point - velocity of the object's nearest point),
///     F = k_n depth n - min(k_t |v_t|, mu k_n depth) v_t / |v_t|.
/// Shear is gone as soon as motion stops. Normal and shear are components of F along the axes of the pad, so
/// a tilted n puts a part of the penalty into the shear, as in Isaac Lab.
class TacSl {
 public:
  /// Throws Error for no point, a value that is not finite or a negative parameter.
  TacSl(std::vector<Vec3> points_P, MarkerDistance object, const TacSlParameters& parameters);

  /// Throws Error for a pose or a velocity that is not finite, or no rotation. No allocation when warm.
  void Read(const Pose& X_WP, const Pose& X_WI, const BodyMotion& pad, const BodyMotion& object,
            TacSlReading* reading) const;

  const TacSlParameters& parameters() const { return parameters_; }
  /// Throws Error for a negative parameter or one that is not finite.
  void set_parameters(const TacSlParameters& parameters);
  const std::vector<Vec3>& points_P() const { return points_P_; }
  const MarkerDistance& object() const { return object_; }

 private:
  std::vector<Vec3> points_P_;
  MarkerDistance object_;
  TacSlParameters parameters_;
};

}  // namespace taxel
