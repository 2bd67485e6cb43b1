// An elastic solid of particles, and rigid objects that press it: explicit MLS-MPM.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "taxel/gel/gel_core.h"
#include "taxel/gel/gel_options.h"
#include "taxel/gel/gel_skin.h"
#include "taxel/shape/marker_distance.h"

namespace taxel {

/// A rigid object in the scene's frame W.
struct GelObject {
  MarkerDistance distance;
  Pose X_WO;
  double friction = 0;  ///< Coulomb's coefficient; infinity: sticks
};

struct GelEnergy {
  double kinetic = 0, elastic = 0;  ///< J
};

/// Forces over the last call of Advance, averaged over its steps: on the object, N and N m about the origin
/// of W, or on the hand.
struct GelLoad {
  Vec3 force, torque;
};

/// All that a gel remembers: what comes after is the same, bit by bit.
struct GelState {
  ParticleBlocks particles;
  GelSkin skin;
  std::vector<Pose> X_WO;
  Pose X_WH;
  double time = 0;
  float drifted = 0, fastest = 0;
  std::vector<GelLoad> loads;
  GelLoad hand_load;
  double dt = 0;  ///< the step whose units the velocities and impulses are in
};

class GelSolver {
 public:
  /// Positions in W (m); all particles have the volume `particle_volume` (m^3). Throws Error for no
  /// particles, for a wrong material or step, and for positions that are not finite or span more than a
  /// million cells.
  GelSolver(const GelOptions& options, const std::vector<Vec3>& positions, double particle_volume);
  ~GelSolver();
  GelSolver(GelSolver&&) noexcept;
  GelSolver& operator=(GelSolver&&) noexcept;

  /// Points of the surface that can be touched, and those that the hand holds (frame W at the start, m).
  /// `outward`: unit normals of the contact points of a gel that turns with its hand, or none. With them
  /// walls at the edges of objects pass over the skin instead of pushing it (FindTouch). `rim`: points of the
  /// sides, which an object that presses the gel flat must not pass; they count in the loads alone. Throws
  /// Error for another number of normals than of points, and for a rim without normals.
  void SetSkin(const std::vector<Vec3>& contact, const std::vector<Vec3>& bonded,
               const std::vector<Vec3>& outward = {}, const std::vector<Vec3>& rim = {});
  /// Throws Error for a friction below 0, a pose that is not finite and a shape without a kernel; then all is
  /// as before. Friction keeps its grip on an object that is still the same and where it was.
  void SetObjects(const std::vector<GelObject>& objects);
  /// Throws Error for another number than of particles, and for values that are not finite.
  void SetVelocities(const std::vector<Vec3>& velocities);
  /// Deformation gradients, row-major 3 x 3 a particle.
  void SetDeformations(const double* F, std::size_t n);
  /// Another time step from now on, s; nothing moves. A gel that is pressed flat bulges at its rims, and
  /// where it is stretched by s the wave crosses a cell s times as fast: it needs shorter steps than at rest.
  /// Throws Error for more than a CFL number of 1.
  void SetStep(double dt);
  GelState Save() const;
  /// Throws Error for a state of another gel.
  void Restore(const GelState& state);

  /// `steps` steps in which the objects and the hand go from where they are to these poses on straight lines:
  /// at constant speed, or `smooth`ly from rest to rest, 1.875 times as fast in the middle. Throws Error,
  /// naming the particle, when one moves half a cell or more in a step; then only Restore goes on. 0 steps
  /// put them there without a motion, and friction lets go of objects that were elsewhere. Interrupted
  /// (math/interrupt.h) it stands after a whole step, with the poses of that step.
  void Advance(int steps, const std::vector<Pose>& X_WO, const Pose& X_WH, bool smooth = false);
  /// Objects and hand at rest.
  void Advance(int steps);

  const GelOptions& options() const { return options_; }
  double dt() const { return dt_; }
  double time() const { return time_; }
  double cfl() const;    ///< wave speed dt / cell
  double speed() const;  ///< greatest of a particle in the last step, m/s
  double mach() const;   ///< that over the wave speed
  std::size_t size() const;
  Vec3 position(std::size_t particle) const;
  Vec3 velocity(std::size_t particle) const;
  GelMatrix<float> deformation(std::size_t particle) const;
  GelEnergy energy() const;
  Vec3 momentum() const;  ///< kg m/s

  std::size_t contact_points() const;
  std::size_t skin_points() const;
  Vec3 skin_position(std::size_t point) const;
  Vec3 skin_force(std::size_t point) const;  ///< on the gel in the last step, N
  const std::vector<GelLoad>& loads() const { return loads_; }
  const GelLoad& hand_load() const { return hand_load_; }
  const std::vector<Pose>& poses() const { return poses_; }
  const Pose& hand() const { return hand_; }

 private:
  void Step();
  void UseStep();  // what follows from dt_
  KernelPose<double> ToGrid(const Pose& X) const;
  std::size_t Point(std::size_t skin_point) const;  // in skin_, which has the rim between contact and held

  GelOptions options_;
  double dt_, time_ = 0, particle_mass_;
  Vec3 origin_;
  std::unique_ptr<GelCore> core_;
  GelSkin skin_;
  std::vector<Vec3> start_;  // cells
  std::vector<SkinObject> objects_;
  std::vector<SkinObject> floor_;   // one, or none
  std::vector<SkinObject> acting_;  // both in a step
  Pose floor_at_rest_;
  std::vector<MarkerDistance> distances_;
  std::vector<Pose> poses_;
  Pose hand_;
  Vec3 hand_velocity_;  // cells a step
  std::string advice_;  // for a blow-up
  std::vector<GelSkinLoad> step_loads_;
  GelSkinLoad step_hand_;
  std::vector<GelLoad> loads_;
  GelLoad hand_load_;
};

}  // namespace taxel
