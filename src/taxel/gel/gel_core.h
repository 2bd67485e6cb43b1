// One explicit step, without what acts on the gel: particles to the grid, the grid to particles, sorting.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "taxel/gel/gel_grid.h"
#include "taxel/gel/thread_crew.h"

namespace taxel {

/// Scatter, then change the velocities of `grid()`, then Gather. In the solver's units (cells, steps,
/// particles).
class GelCore {
 public:
  GelCore(const std::vector<Vec3>& x_cells, const TransferOptions& transfer, int threads);

  /// Throws Error after a blow-up: the particles are no longer in the reach of their blocks. Restore mends
  /// it.
  void Scatter(const float* gravity);
  /// How the particles of a block are moved by a hand; null: by the grid alone. Called on any thread.
  using HandOfBlock = std::function<const HandMotion*(int block, int thread)>;
  /// Throws Error, naming the particle and `advice`, when one moves half a cell or more.
  void Gather(const HandOfBlock& hand, const std::string& advice);
  /// The particles were sorted anew in the last Gather: what is kept by lane or by block must be made again.
  bool sorted() const { return sorted_; }

  ParticleBlocks& particles() { return particles_; }
  const ParticleBlocks& particles() const { return particles_; }
  GelGrid& grid() { return grid_; }
  const GelGrid& grid() const { return grid_; }
  TransferOptions& transfer() { return transfer_; }
  const TransferOptions& transfer() const { return transfer_; }
  ThreadCrew& crew() { return *crew_; }
  int threads() const { return crew_->size(); }
  /// Greatest motion of a particle along an axis in the last step, cells.
  float fastest() const { return fastest_; }
  long steps() const { return steps_; }
  /// Since the last sort, cells; with the particles all that a step depends on.
  float drifted() const { return drifted_; }
  void Restore(const ParticleBlocks& particles, float drifted, float fastest);

 private:
  void Sort();
  void Fit();
  [[noreturn]] void BlowUp(const std::string& advice);

  std::unique_ptr<ThreadCrew> crew_;
  ParticleBlocks particles_;
  GelGrid grid_;
  TransferOptions transfer_;
  std::vector<ReachNodes> scratch_;
  std::vector<float> moved_;
  int filled_ = 0;  // blocks with particles: they come first
  float drifted_ = 0, fastest_ = 0;
  long steps_ = 0;
  bool sorted_ = false, blown_up_ = false;
};

}  // namespace taxel
