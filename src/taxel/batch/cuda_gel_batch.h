// Gels of particles in many worlds at once, on a GPU.
#pragma once

#include <memory>
#include <vector>

#include "taxel/batch/cuda_gel.h"
#include "taxel/math/pose.h"
#include "taxel/shape/marker_distance.h"

namespace taxel {

/// A rigid object of a press: its shape, and for the mixing of momentum the points it is filled with.
struct CudaGelBody {
  MarkerDistance distance;
  std::vector<Vec3> points;  ///< own units
};

/// Contact layers of all worlds.
struct CudaGelLayers {
  std::vector<float> displacement;  ///< (worlds, pads, layer, 3), cells, less the way of the hand
  std::vector<float> chamfer;       ///< (worlds, pads), cells^2
  std::vector<int> steps;           ///< (worlds)
  std::vector<std::uint8_t> stopped;
};

/// MLS-MPM as GelSolver's, in its units (cells, steps, particles of mass), with the hands of Eq. 8 and the
/// stop of Eq. 12. The same start gives the same bits in every run on the same kind of GPU.
class CudaGel {
 public:
  /// Of `spec` the objects and their points are filled in here. Throws Error when there is no GPU, a size or
  /// a position is out of range, or an object has no kernel (the exact distance of a mesh or an ellipsoid).
  CudaGel(CudaGelSpec spec, const std::vector<CudaGelBody>& objects);

  /// All worlds back to the start. object (worlds): which one, -1: none; X_GO (worlds): its pose in the grid,
  /// cells; hand (worlds, pads, 3): velocities of the hands, cells a step. Empty: none, at rest.
  void Place(const std::vector<int>& object, const std::vector<Pose>& X_GO, const std::vector<float>& hand);
  /// Throws Error, naming world, particle and cure, when a particle blows up or leaves the domain. Ends early
  /// when all worlds have stopped. wait = false: neither waits nor looks, and the result is zero.
  CudaGelStatus Advance(int steps, int sort_every = 0, bool wait = true);
  /// Null: not wanted. (particles, 3), (particles, 3), (particles, 9).
  void Read(int world, double* position, float* velocity, float* deformation) const;
  CudaGelLayers Layers(bool displacement, bool chamfer) const;
  /// Milliseconds of a sort, a scatter, the grid, a gather and a check of the chamfer distance.
  std::vector<float> Profile(int repeats);

  int worlds() const { return worlds_; }
  int particles() const { return particles_; }
  int pads() const { return pads_; }
  int layer() const { return layer_; }

 private:
  int worlds_, particles_, pads_, layer_;
  std::shared_ptr<void> batch_;
};

}  // namespace taxel
