// Particles to the grid and back, one block at a time, eight particles wide (MLS-MPM with APIC; Eqs. 5, 6, 9
// to 11).
#pragma once

#include "taxel/gel/gel_law.h"
#include "taxel/gel/particle_blocks.h"

namespace taxel {

/// Of the nodes a block reaches: momentum (3) and mass, later velocity (3) and mass, 4 floats a node, node
/// ((i kReach) + j) kReach + k for i, j, k from -1.
struct alignas(64) ReachNodes {
  float value[4 * kReachNodes];
};

/// How the paper moves the particles of a hand (Eq. 8) and stops them at the object.
struct HandMotion {
  /// alpha of every lane, as ParticleBlocks::ids; 1: moves with the gel, 0: with the hand.
  const float* alpha = nullptr;
  /// Velocity of the hand of every lane's particle, 3 rows of 8 a group, cells a step.
  const float* hand = nullptr;
  /// Lanes that must not move: 1 a lane that stands inside the object.
  const float* stopped = nullptr;
  /// Gradient of alpha, 3 rows of 8 a group, 1 / cell; null: the deformation follows the grid (Eqs. 9, 11),
  /// not the blended motion.
  const float* slope = nullptr;
  /// Of the hand's velocity, added to the gathered one (the authors' code; not in the paper).
  float offset = 0;
};

struct TransferOptions {
  GelNumbers numbers;
  GelFrame frame = GelFrame::kSpace;
  /// Average J over the particles of a cell in the pressure, so that nearly incompressible gels do not lock:
  /// the pressure is then the gradient of sum over cells lambda/2 V_c (mean J - 1)^2.
  bool average_volume = false;
  /// Of the velocity the particles bring: keep v + rest, keep C.
  float keep = 1, rest[3] = {0, 0, 0};
};

/// Writes what the particles of a block give to the nodes it reaches.
void ScatterBlock(const TransferOptions& options, const ParticleGroup* groups, int count, ReachNodes* out);

/// New velocity, position and deformation of the particles of a block from the velocities of the nodes.
/// Returns the greatest |x_new - x| along an axis, in cells; NaN if any is.
float GatherBlock(const ReachNodes& nodes, const HandMotion* hand, ParticleGroup* groups, int count);

/// The same on a grid that stands at rest: F += C, and `moved` takes the motion instead of x.
float GatherBlockAtRest(const ReachNodes& nodes, ParticleGroup* groups, MovedGroup* moved, int count);

}  // namespace taxel
