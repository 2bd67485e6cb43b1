// FOTS: marker displacements from the depth at the markers and the planar motion of the object.
#pragma once

#include <array>
#include <vector>

#include "taxel/marker/marker_distance.h"
#include "taxel/math/pose.h"

namespace taxel {

/// Which published form. G is the centre of shear and twist.
enum class FotsVariant {
  kFots,           ///< Zhao et al. 2024, as coded: G is the origin of the object
  kContactCentre,  ///< the same formulas; G is the point of the object at the middle of the first contact
  kHydroShearOriginal,  ///< "FOTS" of the HydroShear release: exp(-lambda |d|), G is the object's origin
  kHydroShearReimpl,    ///< "FOTS (Reimpl.)" there: exp(-lambda |d|), G at the middle of the contact
};

/// Lengths in the plane are pixels here. FotsDefaults has the published numbers.
struct FotsParameters {
  FotsVariant variant = FotsVariant::kFots;
  double pixel = 0.065e-3;                          ///< m
  double lambda_d = 0, lambda_s = 0, lambda_t = 0;  ///< 1/px^2; of the HydroShear variants 1/px
  double dilate_scale = 0;                          ///< px of dilation per m of depth and px of distance
  double max_twist = 0;                             ///< rad
  bool whole_pixels = false;  ///< centre and shear truncated to whole pixels, as FOTS codes it
  Vec3 image_origin_P;        ///< point of the pad's plane with the pixel (0, 0): matters for whole_pixels
};
/// lambda  0.00125, 0.00021, 0.00038 1/px^2, depth in mm, twist up to 50 degrees    (kFots, kContactCentre)
///         5e-6 1/px; 3.08307, 0.71568 1/m; depth in m, 180 degrees                 (kHydroShearOriginal)
///         300, 203.34, 326 1/m; depth in m times 2.5, 180 degrees                  (kHydroShearReimpl)
FotsParameters FotsDefaults(FotsVariant variant, double pixel);

/// A contact: where the object was when it began, and the tracked point of the object.
struct FotsState {
  bool started = false, touching = false;
  Pose X_PI;      ///< at the start of the contact
  Vec3 centre_I;  ///< the tracked point in the object's frame
  std::array<double, 4> quaternion_start{1, 0, 0, 0}, quaternion{1, 0, 0, 0};  ///< w, x, y, z; no sign jumps
  friend bool operator==(const FotsState&, const FotsState&) = default;
};

/// One pad, one object. With the markers M in the plane, the depths h = relu(-phi_I) at them, G at the start
/// of the contact, G' now, theta the turn about z since then:
///     kFots, kContactCentre: chained, each acts on the markers that the one before has moved
///         M <- M + sum h_j (M - C_j) exp(-lambda_d |M - C_j|^2)       C_j: the markers in contact
///         M <- M + (G' - G) exp(-lambda_s |M - G|^2)
///         M <- M + (R(theta) - 1) (M - G') exp(-lambda_t |M - G'|^2)
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
  void Step(const Pose& X_PI, std::vector<Vec3>* displacement);
  void Reset() { state_ = {}; }

  const FotsState& state() const { return state_; }
  void set_state(const FotsState& state) { state_ = state; }
  const FotsParameters& parameters() const { return parameters_; }
  const std::vector<Vec3>& markers_P() const { return markers_P_; }

 private:
  void Follow(const Pose& X_PI);
  void Chained(const Pose& X_PI, std::vector<Vec3>* displacement) const;
  void Added(const Pose& X_PI, std::vector<Vec3>* displacement) const;
  Vec3 ToPixels(const Vec3& p_P) const;

  std::vector<Vec3> markers_P_;
  MarkerDistance object_;
  FotsParameters parameters_;
  bool has_centre_ = false;
  Vec3 given_centre_I_;
  FotsState state_;
  std::vector<double> depth_;  // scratch
};

}  // namespace taxel
