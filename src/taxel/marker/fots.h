// FOTS: marker displacements from the depth at the markers and the planar motion of the object.
#pragma once

#include <vector>

#include "taxel/marker/fots_law.h"
#include "taxel/math/pose.h"
#include "taxel/shape/marker_distance.h"

namespace taxel {

/// Lengths in the plane are pixels here. FotsDefaults has the published numbers.
struct FotsParameters {
  FotsVariant variant = FotsVariant::kFots;
  double pixel = 0.065e-3;                          ///< m
  double lambda_d = 0, lambda_s = 0, lambda_t = 0;  ///< 1/px^2; of the HydroShear variants 1/px
  double dilate_scale = 0;                          ///< px of dilation per m of depth and px of distance
  double max_twist = 0;                             ///< rad
  /// As FOTS codes it: centre, shear and pressed markers truncated to whole pixels (WholePixel).
  bool whole_pixels = false;
  /// Where the twist has its centre: false, where the tracked point is now, as the code of the paper has it
  /// (Rancho-zhao/FOTS up to cc24d58); true, where the contact began, as that repository has it since April
  /// 2024. The HydroShear variants twist about the start, whatever this says.
  bool twist_about_start = false;
  Vec3 image_origin_P;  ///< point of the pad's plane with the pixel (0, 0): matters for whole_pixels
};
/// lambda  0.00125, 0.00021, 0.00038 1/px^2, depth in mm, twist up to 50 degrees    (kFots, kContactCentre)
///         5e-6 1/px; 3.08307, 0.71568 1/m; depth in m, 180 degrees                 (kHydroShearOriginal)
///         300, 203.3439, 326 1/m; depth in m times 2.5, 180 degrees                  (kHydroShearReimpl)
FotsParameters FotsDefaults(FotsVariant variant, double pixel);

/// The parts of the parameters for kernels.
template <typename T>
FotsRule<T> ToFotsRule(const FotsParameters& p, const Vec3* centre_I) {
  const auto convert = [](const Vec3& v) {
    return Triple<T>{static_cast<T>(v.x), static_cast<T>(v.y), static_cast<T>(v.z)};
  };
  return {p.variant,
          static_cast<T>(p.pixel),
          static_cast<T>(p.max_twist),
          p.whole_pixels,
          centre_I != nullptr,
          convert(p.image_origin_P),
          convert(centre_I ? *centre_I : Vec3{}),
          p.twist_about_start};
}
template <typename T>
FotsRates<T> ToFotsRates(const FotsParameters& p) {
  return {static_cast<T>(p.lambda_d), static_cast<T>(p.lambda_s), static_cast<T>(p.lambda_t),
          static_cast<T>(p.dilate_scale)};
}

/// One pad, one object. With the markers M in the plane, the depths h = relu(-phi_I) at them, G at the start
/// of the contact, G' now, theta the turn about z since then:
///     kFots, kContactCentre: chained, each acts on the markers that the one before has moved
///         M <- M + sum h_j (M - C_j) exp(-lambda_d |M - C_j|^2)       C_j: the markers in contact
///         M <- M + (G' - G) exp(-lambda_s |M - G|^2)
///         M <- M + (R(theta) - 1) (M - G') exp(-lambda_t |M - G'|^2)  G for G' with twist_about_start
///     the HydroShear variants: all three of the markers at rest, added, about G, exp(-lambda |d|); dilation
///         with distances in space and a z of its own
/// The contact begins with the first step that presses a marker (kFots, kContactCentre) or with the last one
/// that did not (the HydroShear release); it ends when none is pressed. The turn is atan2 of R' R^T, or the
/// difference of the z of two rotation vectors (the HydroShear release, where it means little once the object
/// tilts). Not taken over: the release's false start quaternion.
class Fots {
 public:
  /// Throws Error for no marker or a parameter out of range. centre_I: the tracked point of the object, where
  /// it is known beforehand; else the object's origin or the mean of the first markers in contact.
  Fots(std::vector<Vec3> markers_P, MarkerDistance object, const FotsParameters& parameters,
       const Vec3* centre_I = nullptr);

  /// Displacements in pixels, one a marker; z is 0 but for the dilation of the HydroShear variants. Throws
  /// Error for a pose that is not finite or no rotation.
  /// shift: gravity, as HydroShear's gravity pass does it: the tracked point is taken to have moved on by
  /// this vector of the pad's frame [m] for this output alone. So G' and the shear G' - G move by its x and y
  /// in pixels; depths, twist and what is remembered do not. Without a touched marker it does nothing.
  void Step(const Pose& X_PI, std::vector<Vec3>* displacement, const Vec3* shift = nullptr);
  void Reset() { state_ = {}; }

  const FotsState<>& state() const { return state_; }
  void set_state(const FotsState<>& state) { state_ = state; }
  const FotsParameters& parameters() const { return parameters_; }
  /// Throws Error for a parameter out of range; what is remembered stays.
  void set_parameters(const FotsParameters& parameters);
  const std::vector<Vec3>& markers_P() const { return markers_P_; }
  const MarkerDistance& object() const { return object_; }
  const FotsRule<double>& rule() const { return rule_; }

 private:
  std::vector<Vec3> markers_P_;
  MarkerDistance object_;
  FotsParameters parameters_;
  FotsRule<double> rule_;
  FotsState<> state_;
  std::vector<Triple<double>> places_, moved_;  // markers_P_; scratch
  std::vector<FotsSource<double>> sources_;     // scratch
  std::vector<double> depth_;                   // scratch
};

}  // namespace taxel
