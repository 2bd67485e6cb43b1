// taxel's own marker model: displacements that do not depend on how points and markers were drawn, forces in
// newtons, any gel, several objects.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "taxel/marker/gel_pad.h"
#include "taxel/marker/marker_field.h"
#include "taxel/marker/marker_spread.h"

namespace taxel {

/// Defaults: a gel of 4 mm bonded to glass, E = 0.2 MPa, nu = 0.499, and px of 0.065 mm; fitted to the
/// elastic layer of docs/theory/layer-reference.md.
struct TaxelParameters {
  double lambda_d = 37100;           ///< width of the dilation, 1/m^2
  double lambda_s = 135500;          ///< width of the shear, 1/m^2
  double friction = 0.5;             ///< mu, between object and gel
  double normal_stiffness = 1.63e8;  ///< E: pressure per depth, Pa/m
  double shear_stiffness = 5.7e7;    ///< K: shear stress per stretch, Pa/m
  double squeeze = 4.08;             ///< sideways motion of the free gel per depth and slope
  double dilate_scale = 1.1e7;       ///< px per m^2
  double shear_scale = 28900;        ///< px per m
  double creep = 0;                  ///< part of the markers' motion that comes late, 0 to 1
  double creep_time = 0.1;           ///< its time constant, s
  friend bool operator==(const TaxelParameters&, const TaxelParameters&) = default;
};
/// Throws Error for a value out of range; `where` opens the message.
void CheckTaxelParameters(const TaxelParameters& p, const std::string& where);

/// What is remembered: one state an object (f_P: the stretches, phi: minus the depths), and the late part of
/// the markers' motion, px.
struct TaxelState {
  std::vector<MarkerState> objects;
  std::vector<Vec3> late;
  friend bool operator==(const TaxelState&, const TaxelState&) = default;
};

struct TaxelReading {
  std::vector<Vec3> displacement;     ///< px, one a marker, along the gel's surface, in the pad's frame P
  Vec3 force_P, torque_P;             ///< on the gel; torque about the pad's origin; N, N m
  std::vector<Vec3> points_P;         ///< where objects touch, m
  std::vector<Vec3> point_forces_P;   ///< on the gel there, N; their sum is force_P
  std::vector<Vec3> marker_forces_P;  ///< shared among the markers; the same sum
};

/// One pad and one or more objects. The law of a point is taxel_law.h's, the sums marker_spread.h's.
///
///     TaxelField field(GelPad(MarkerDistance(Primitive{Box{{0.02, 0.025, 0.004}}})), markers,
///                      {SampleIndenter(ball, 0.75e-3, 0)}, {}, 1);
///     field.Step({X_PI}, 0, nullptr, &reading);
///
/// - Markers lie on the gel: on a flat one they are moved to its top, on others they should be on the
/// surface.
/// - A first pose in contact starts without stretch. Points that leave the gel forget everything.
/// - Between two poses the object turns about one axis while its origin goes straight (InterpolatePose), in
///   `substeps` equal parts.
/// - creep > 0: u <- (1 - creep) u + creep late, where `late` follows u with creep_time: the compliance of a
///   standard linear solid. Forces have none.
/// - The friction of points is local: there is no elastic coupling between them, so a ball under a
///   tangential load Q sticks within c/a = (1 - Q / (mu P))^(1/4), not Mindlin's 1/3 (with squeeze 0).
class TaxelField {
 public:
  /// Throws Error for no marker or object, a value that is not finite, points without normals (unit) or areas
  /// (> 0 in sum, none negative), a parameter out of range, substeps outside 1..64.
  TaxelField(GelPad pad, const std::vector<Vec3>& markers_P, std::vector<MarkerIndenter> objects,
             const TaxelParameters& parameters, int substeps);

  /// Moves the objects to X_PI, one pose each. dt (s) is read with creep alone. shift: the gravity pass; the
  /// stretches of the output, not those remembered, are carried on from X_PI to shift * X_PI in one part;
  /// depths stay. Throws Error for a pose that is not finite or no rotation, or a dt below 0; nothing has
  /// changed then.
  void Step(const std::vector<Pose>& X_PI, double dt, const Pose* shift, TaxelReading* reading);

  /// The dilation in the displacement of the last Step, px; the rest of it (but for creep) is shear.
  void Dilation(std::vector<Vec3>* out);

  void Reset();
  /// Forgets all stretches; depths stay.
  void ZeroTangential();

  const TaxelState& state() const { return state_; }
  /// Throws Error for a state that is not one of this field.
  void set_state(const TaxelState& state);
  const TaxelParameters& parameters() const { return parameters_; }
  void set_parameters(const TaxelParameters& parameters);
  /// Whether Step shares forces among the markers (costs two exponentials a point and marker).
  void set_marker_forces(bool on) { marker_forces_ = on; }

  const GelPad& pad() const { return scene_->pad; }
  const std::vector<Vec3>& markers_P() const { return spread_.markers(); }
  const MarkerSpread& spread() const { return spread_; }
  const std::vector<MarkerIndenter>& objects() const { return scene_->objects; }
  double force_lambda() const { return force_lambda_; }
  int substeps() const { return substeps_; }

 private:
  // Stretches of `object` at X from those of `from`; `to` gets the points inside there.
  void Advance(int object, const MarkerState& from, const Pose& X, int substeps, MarkerState* to);
  void Gather(int object, const MarkerState& now, const MarkerState* shifted, TaxelReading* reading);
  void ShareForces(TaxelReading* reading);

  // What copies of a field share.
  struct Scene {
    GelPad pad;
    std::vector<MarkerIndenter> objects;
    std::vector<PointCloud> clouds;
  };

  std::shared_ptr<const Scene> scene_;
  TaxelParameters parameters_;
  int substeps_;
  bool marker_forces_ = false;
  double force_lambda_ = 0;
  MarkerSpread spread_;
  TaxelState state_;

  // Scratch.
  std::vector<int> candidates_;
  std::vector<PointSource<double>> sources_;
  std::vector<Pose> path_;
  MarkerState next_, shifted_;
};

/// Interpolate (kernel_pose.h) of poses.
Pose InterpolatePose(const Pose& from, const Pose& to, double at);

/// A width for sharing forces among markers: 1/d^2 with d the median distance to the nearest other marker.
double ForceLambda(const std::vector<Vec3>& markers);

}  // namespace taxel
