// What a gel is made with, and what follows from it.
#pragma once

#include <optional>
#include <vector>

#include "taxel/gel/gel_law.h"
#include "taxel/gel/particle_blocks.h"
#include "taxel/math/pose.h"

namespace taxel {

struct GelOptions {
  double cell = 0.5e-3;  ///< of the grid, m
  GelMaterial material;
  /// Time step, s; 0: `cfl` cells of the pressure wave a step.
  double dt = 0;
  double cfl = 0.6;
  /// 1/s: velocities relative to the hand decay as exp(-damping t); pi shear_speed /
  /// height suits slow presses.
  double damping = 0;
  Vec3 gravity;  ///< m/s^2
  /// Average the volume change over cells (for nu > 0.4); see TransferOptions.
  bool average_volume = true;
  GelFrame frame = GelFrame::kRest;
  int rounds = 2;  ///< of the skin's solver in a step
  int threads = 1;
};

namespace internal {

/// s: that of the options, or the automatic one. Throws Error for a wrong material, cell, step or number.
double ChooseStep(const GelOptions& options);
/// Moduli in the solver's units for a step of dt.
GelNumbers NumbersFor(const GelOptions& options, double dt);
/// Where the grid begins, m. Throws Error for no particles, a volume that is not above 0, and positions that
/// are not finite or span more than a million cells.
Vec3 GridOrigin(const GelOptions& options, const std::vector<Vec3>& positions, double particle_volume);
/// The plane of a flat back, z out of the contact face: nothing of the gel passes it. None where it is not
/// flat to a millionth of a cell.
std::optional<Pose> PlaneOfBack(const std::vector<Vec3>& bonded, const std::vector<Vec3>& outward,
                                double cell);

}  // namespace internal
}  // namespace taxel
