// Marker displacements of a camera-based tactile sensor with the memory of the indenter's path (HydroShear).
#pragma once

#include <memory>
#include <vector>

#include "taxel/marker/marker_indenter.h"
#include "taxel/marker/marker_kernel.h"
#include "taxel/marker/point_cloud.h"
#include "taxel/math/pose.h"

namespace taxel {

/// Defaults: the release's for pegs, bins and books.
struct MarkerParameters {
  MarkerMode mode = MarkerMode::kPaper;
  double lambda_d = 20000;    ///< decay of the dilation, 1/m^2
  double lambda_s = 10800;    ///< decay of the shear, 1/m^2
  double friction = 0.5;      ///< mu, between indenter and gel
  double stiffness_area = 1;  ///< K A of Eq. 15; kPaper only
  /// kPaper only. E / K of Eqs. 8 and 9 and the mu of Eq. 14, which tracks where the Gaussians have their
  /// centres (below 0: that of the forces). As long as both are the default, forces are K A times
  /// displacements (Eq. 15) and one tracker does for both; else two run, with twice the memory.
  double young_over_stiffness = 1;
  double tracking_friction = -1;
  /// kPaper only: A_j = the area of each point (MarkerIndenter::areas, m^2) times the A in stiffness_area.
  bool point_areas = false;
  double dilate_scale = 1000 / 0.065;  ///< px per unit of Eq. 3 (m^2)
  double shear_scale = 1000 / 0.065;   ///< px per unit of Eq. 16
  bool cull = true;                    ///< false: all points are looked at, with the same result; a check
  friend bool operator==(const MarkerParameters&, const MarkerParameters&) = default;
};

/// What is remembered between steps: the last pose and the points that were inside the gel at it.
struct MarkerState {
  bool started = false;
  Pose X_PI;
  std::vector<int> index;   ///< of the points inside, ascending
  std::vector<Vec3> f_P;    ///< their tracked displacements, m: from a point back to where it entered
  std::vector<Vec3> g_P;    ///< their forces over K A, m, where these are tracked apart (kPaper); else empty
  std::vector<double> phi;  ///< their signed distances to the gel, below 0
  /// Room for n points.
  void Reserve(std::size_t n) { index.reserve(n), f_P.reserve(n), g_P.reserve(n), phi.reserve(n); }
  /// No point inside; the pose stays.
  void ClearPoints() { index.clear(), f_P.clear(), g_P.clear(), phi.clear(); }
  friend bool operator==(const MarkerState&, const MarkerState&) = default;
};

/// Pixels, one row a marker, in the pad's frame; times the size of a pixel (0.065 mm) they are metres. As
/// printed the model is planar and z is 0.
struct MarkerReading {
  std::vector<Vec3> displacement;  ///< dilation + shear
  std::vector<Vec3> dilation, shear;
};

/// One pad and one indenter. Per step, with o = X_PI o_I the points of the indenter in the pad's frame P
/// (z out of the gel),
///     M_d(i) = s_d sum over markers j inside the indenter  -phi_I(p_j) (p_i - p_j) exp(-lambda_d
///     |p_i-p_j|^2) f_k    = Track(f_k, o_k, o_k before, ...)            (hydroshear_law.h) M_s(i) = s_s sum
///     over points k inside the gel        pull(f_k) exp(-lambda_s |p_i - (o_k + f_k)|^2)
///
///     MarkerField field(pad, markers, SampleIndenter(ball, 0.75e-3, 0), {});
///     MarkerReading reading;
///     field.Step(X_PI, &reading);   // the first call only says where the indenter is
///
/// - A first pose in contact starts with f = 0. Points that leave the gel forget everything.
/// - The path matters: one step has to be short against the contact, as it is at a camera's rate.
/// - A = 1 for each point and each marker, as released: magnitudes grow with their density (but point_areas).
/// - Only points in the box of the gel cost more than a transformation. No allocation after the constructor
///   and one call with the same MarkerReading. Copies share nothing but the immutable shapes.
class MarkerField {
 public:
  /// Throws Error for no marker, a value that is not finite, a parameter out of range, or (kPaper) normals
  /// that are not one a point and of length 1.
  MarkerField(MarkerDistance pad, std::vector<Vec3> markers_P, MarkerIndenter indenter,
              const MarkerParameters& parameters);

  /// Moves the indenter to X_PI. Throws Error for a pose that is not finite or no rotation; the state is then
  /// unchanged.
  ///
  /// shift: the authors' gravity pass. The tracker is run once more, from X_PI to shift * X_PI, and its f
  /// (not stored) replaces f in the shear; points, and depths as printed, stay those of X_PI. In the release
  /// points count that only the shifted pose brings inside.
  void Step(const Pose& X_PI, MarkerReading* reading, const Pose* shift = nullptr);

  /// Forgets poses and displacements.
  void Reset();
  /// Keeps of each f its part along the normal: what the authors do when the gripper has closed.
  void ZeroTangential();

  const MarkerState& state() const { return state_; }
  /// Throws Error for a state that is not one of this field.
  void set_state(const MarkerState& state);

  const MarkerParameters& parameters() const { return parameters_; }
  const std::vector<Vec3>& markers_P() const { return markers_P_; }
  const MarkerIndenter& indenter() const { return object_->indenter; }
  /// The same field, memory included, with other numbers; shapes and points are shared.
  MarkerField With(const MarkerParameters& parameters) const;
  const MarkerDistance& pad() const { return pad_; }
  /// Whether forces and displacements have trackers of their own (MarkerState::g_P).
  bool two_trackers() const {
    const MarkerParameters& p = parameters_;
    return p.mode == MarkerMode::kPaper &&
           (p.young_over_stiffness != 1 || (p.tracking_friction >= 0 && p.tracking_friction != p.friction));
  }

 private:
  void FindPressed(const Pose& X_PI);
  // Points that may be inside the gel at X_PI, ascending.
  void FindCandidates(const Pose& X_PI);
  // Advances from one state to another pose; `to` gets the points inside there.
  void Advance(const MarkerState& from, const Pose& X_PI, MarkerState* to);
  void GatherShear(const MarkerState& now, const MarkerState* shifted);

  MarkerDistance pad_;
  std::vector<Vec3> markers_P_;
  // What copies of a field share.
  struct Object {
    MarkerIndenter indenter;
    PointCloud cloud;
  };
  std::shared_ptr<const Object> object_;
  MarkerParameters parameters_;
  std::shared_ptr<const MarkerKernel> kernel_;
  MarkerState state_;

  // Scratch.
  std::vector<int> candidates_;
  std::vector<PressedMarker> pressed_;
  std::vector<ShearSource> sources_;
  MarkerState next_, shifted_;
};

}  // namespace taxel
