// Markers of a gel that is an elastic layer with friction, solved along the path.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "taxel/marker/layer_solver.h"
#include "taxel/marker/object_height.h"

namespace taxel {

namespace internal {
class LayerPath;
}

/// Defaults: silicone of 4 mm on glass.
struct LayerParameters {
  double friction = 0.5;   ///< Coulomb's, between object and gel
  double young = 2e5;      ///< Pa; scales forces, moves no marker
  double poisson = 0.499;  ///< 0 to 0.49999
  double thickness = 0;  ///< of the gel over its rigid back at its highest place, m; 0: the height of a flat
                         ///< pad, of others 4 mm or the height of the pad's shape, whichever is less
  double pixel = 0.065e-3;  ///< m per px of the output
  double marker_depth = 0;  ///< of the markers below the face of the gel, m; below the thickness everywhere
  friend bool operator==(const LayerParameters&, const LayerParameters&) = default;
};
/// Throws Error for a value out of range; `where` opens the message.
void CheckLayerParameters(const LayerParameters& p, const std::string& where);

struct LayerOptions {
  double pitch = 0;    ///< of the cells, m; 0: 0.15 of the thickness, at least 1/64 of the gel's longer side
  double step = 1e-4;  ///< longest motion of a point of an object in one increment, m
  int substeps = 1;    ///< least number of increments of a step
};

/// What is remembered: poses not farther than 2 % of the depth from the last ones, and the tractions of the
/// cells in contact there.
struct LayerState {
  bool started = false;
  std::vector<Pose> X_PI;
  std::vector<int> index;      ///< of the cells in contact, ascending
  std::vector<int> object;     ///< that touches each
  std::vector<Vec3> traction;  ///< on the gel there, along e1, e2 and g of the cell, over the shear modulus
  void ClearCells() { index.clear(), object.clear(), traction.clear(); }
  friend bool operator==(const LayerState&, const LayerState&) = default;
};

struct LayerReading {
  std::vector<Vec3> displacement;     ///< px, one a marker, along the gel's surface, in the pad's frame P
  std::vector<Vec3> dilation;         ///< the part of it that pressure makes; the rest is that of friction
  Vec3 force_P, torque_P;             ///< on the gel; torque about the pad's origin; N, N m
  std::vector<Vec3> points_P;         ///< where cells touch an object, m
  std::vector<Vec3> point_forces_P;   ///< on the gel there, N; their sum is force_P
  std::vector<Vec3> marker_forces_P;  ///< shared among the markers; the same sum
};

/// One pad and one or more objects. Quasi-static and linear: tractions act at the cells of the undeformed
/// surface, the objects are met by their height over each cell along the gel's normal. Per increment
///     p >= 0,  u_n <= height of the object,  p > 0 only where they are equal
///     |t| <= mu p;  slip = motion of the object's point - motion of the gel: none below the bound, along t
///     on it
/// with the compliance of a bonded layer between all cells (layer_influence.h). A cell that closes sticks
/// from where the gel was when it closed; a cell that opens loses its traction.
///
///     LayerField field(GelPad(MarkerDistance(Primitive{Box{{0.02, 0.025, 0.004}}})), markers,
///                      {MarkerDistance(Primitive{Sphere{0.0175}})}, {}, {});
///     field.Step({X_PI}, nullptr, &reading);
///
/// - A first pose in contact is reached along the pad's z from where it just touches.
/// - A step is cut into increments of at most `step`, 64 at most.
/// - Gels that are not flat: local axes, and influences for the thickness of the gel where it is touched.
/// - Deeper than 0.9 of the thickness an object is held to be there.
class LayerField {
 public:
  LayerField(const GelPad& pad, const std::vector<Vec3>& markers_P,
             const std::vector<MarkerDistance>& objects, const LayerParameters& parameters,
             const LayerOptions& options);

  /// Moves the objects to X_PI, one pose each. shift: the gravity pass; the output, not what is remembered,
  /// is that of one more increment to shift * X_PI. Throws Error for a pose that is not finite or no
  /// rotation; nothing has changed then.
  void Step(const std::vector<Pose>& X_PI, const Pose* shift, LayerReading* reading);

  void Reset();
  /// Forgets tangential tractions; pressures stay.
  void ZeroTangential();
  const LayerState& state() const { return state_; }
  /// Throws Error for a state that is not one of this field.
  void set_state(const LayerState& state);
  const LayerParameters& parameters() const { return parameters_; }
  /// Another thickness, Poisson's ratio or depth of the markers makes new tables (some 20 ms); all others
  /// cost nothing. `like`: a field whose tables are taken where they fit, so that equal worlds share them.
  void set_parameters(const LayerParameters& parameters, const LayerField* like = nullptr);
  /// The same gel with other objects, without memory; tables are shared.
  LayerField With(const std::vector<MarkerDistance>& objects) const;
  void set_marker_forces(bool on) { marker_forces_ = on; }

  const LayerCells& cells() const { return scene_->cells; }
  const std::vector<Vec3>& markers_P() const { return scene_->markers_P; }
  std::size_t objects() const { return scene_->objects.size(); }
  double thickness() const { return thickness_; }
  const LayerOptions& options() const { return options_; }
  const GelPad& pad() const { return scene_->pad; }
  const ObjectHeight& object(std::size_t k) const { return scene_->objects[k]; }
  const std::vector<LayerLevel>& levels() const { return *levels_; }
  double force_lambda() const { return scene_->force_lambda; }

  /// Pressure (Pa) of every cell, nx x ny, of the last step (with its shift, if any), as all readings are.
  void Pressure(std::vector<double>* out) const;
  /// Displacement (m, in the pad's frame) of the surface at places on it.
  void Surface(const std::vector<Vec3>& places_P, std::vector<Vec3>* out) const;

 private:
  friend class internal::LayerPath;  // the same steps, solved to the end for their derivatives
  struct Scene {
    Scene(const GelPad& pad, const std::vector<Vec3>& markers, double pitch);
    GelPad pad;
    LayerCells cells;
    std::vector<Vec3> markers_P;
    std::vector<ObjectHeight> objects;
    double force_lambda;
  };
  double ThicknessOf(const LayerParameters& p) const;
  void MakeTables(const LayerField* like);
  void SetObjects(Scene scene, const std::vector<MarkerDistance>& objects);
  double Modulus() const { return parameters_.young / (2 * (1 + parameters_.poisson)); }
  // The longest way of a point of an object that the last Meet found in contact.
  double Way(const std::vector<Pose>& from, const std::vector<Pose>& to);
  int Increments(const std::vector<Pose>& from, const std::vector<Pose>& to);
  // Heights of all objects over the cells they can reach; returns the deepest overlap.
  double Meet(const std::vector<Pose>& X);
  double HeightOf(int object, const Pose& X_IP, int cell) const;
  // How a step is cut: from start_ to X_PI in `count` increments.
  struct Cut {
    double deepest = 0;   // of the overlap at X_PI
    bool lifted = false;  // start_ is X_PI, moved out of the gel along z
    double touch = 0;     // so much of the way before start_ lies above the gel
    int count = 1;
  };
  Cut CutStep(const std::vector<Pose>& X_PI, LayerState* state);
  // A share of the way from start_, to between_.
  void PartWay(const std::vector<Pose>& X_PI, double at);
  // Whether a state at X_PI is remembered by itself.
  bool Remembers(const LayerState& state, const std::vector<Pose>& X_PI, double deepest);
  // state: what is remembered; shown: the tractions at X_PI.
  void Advance(const std::vector<Pose>& X_PI, LayerState* state, LayerState* shown);
  void Increment(const std::vector<Pose>& X, LayerState* state);
  // Tables for the thickness of the gel where it is touched.
  void Blend();
  // What tractions do: along the surface ux_, uy_; along the normal lift_ of those along the surface, sink_
  // of pressures.
  void Images(const LayerSources& t, const std::vector<float>& p);
  // Motion of the objects at the cells, tractions that go on, and which cells were open.
  void Start(const std::vector<Pose>& X, const LayerState& state);
  // The overlap under the friction of now.
  void Lift();
  // What the pressures have come to do along the surface.
  void Spread();
  void SolveFriction(bool fresh_too, double tolerance, int limit, float* way);
  // Of the state that the last Meet belongs to.
  void Read(const LayerState& state, LayerReading* reading);
  void ShareForces(LayerReading* reading);

  std::shared_ptr<const Scene> scene_;
  std::shared_ptr<const std::vector<LayerLevel>> levels_;
  LayerParameters parameters_;
  LayerOptions options_;
  double thickness_ = 0;
  bool marker_forces_ = false;
  LayerState state_;

  // Scratch.
  LayerSolver solver_;
  LayerSources old_;
  std::vector<float> old_p_, blended_;
  std::size_t level_ = 0;
  float share_ = 0;            // of the next level
  std::vector<float> height_;  // by cell
  std::vector<int> owner_, touched_, reachable_;
  LayerSolver::Field ux_, uy_, lift_, sink_, p_, tx_, ty_, bound_, slope_x_, slope_y_, spread_p_, change_p_,
      overlap_, residual_, closed_;
  std::vector<unsigned char> was_open_;
  std::vector<Pose> between_, start_, shifted_, inverse_, change_;
  std::vector<Box3> near_;
  std::vector<float> marker_sums_;
  LayerState shown_, passing_;
};

}  // namespace taxel
