// Particles kept by blocks of the grid, eight side by side.
#pragma once

#include <cstdint>
#include <vector>

#include "taxel/gel/block_bins.h"
#include "taxel/gel/block_table.h"
#include "taxel/gel/thread_crew.h"
#include "taxel/math/vec3.h"

namespace taxel {

/// Nodes that the particles of a block can reach along an axis: they may leave their block by a cell before
/// they are sorted again, so nodes -1 to 6.
inline constexpr int kReach = 8, kReachNodes = kReach * kReach * kReach;

/// Where the grid stands.
enum class GelFrame {
  kSpace,  ///< in space: particles move through its cells (MPM as published)
  /// In the gel at rest: a particle keeps its nodes and weights, so F is the gradient of the displacement of
  /// the nodes for ever, and nothing is left when the load is gone. For solids that do not break.
  kRest,
};

/// Eight particles. x in cells from the first node of their block (with a grid at rest: at rest), v in cells
/// a step, C (the affine velocity) a step, F row-major (with a grid at rest: F - 1, so that slow strains are
/// not lost to rounding), J = det F.
struct alignas(32) ParticleGroup {
  float x[3][8];
  float v[3][8];
  float C[9][8];
  float F[9][8];
  float J[8];
};
/// How far eight particles have moved from where the grid sees them, cells; less the shift of their block.
struct alignas(32) MovedGroup {
  float u[3][8];
};

inline constexpr int kGroupRows = sizeof(ParticleGroup) / (8 * sizeof(float));

struct GridBlock {
  std::int32_t at[3];      ///< coordinates, in blocks
  std::int32_t group = 0;  ///< first group of its particles
  std::int32_t count = 0;  ///< particles; 0 for a block that only takes what its neighbours scatter
  std::int32_t near[27];   ///< blocks around it, x slowest, itself at 13; -1 where there is none
};

/// State of one particle in plain numbers: position in cells from the origin of the grid.
struct GelParticle {
  double x[3];
  float v[3], C[9], F[9];
};

/// Sorted by block, then by cell, then as they were before: the order depends on the past of the particles
/// alone, so the same scene gives the same bits on any number of threads.
class ParticleBlocks {
 public:
  /// Positions in cells. Velocities and the rest are zero, F = 1.
  void Assign(const std::vector<Vec3>& x_cells);
  /// New blocks for where the particles are now.
  void Sort(ThreadCrew* crew);
  /// From now on the grid stands at rest: x stays, `moved` takes the displacements. No Sort afterwards.
  void StayAtRest();
  /// Whole cells go from the displacements into the shifts of the blocks, so that floats keep their digits
  /// however far the gel is carried.
  void Rebase();
  bool at_rest() const { return !shift_.empty(); }
  /// Empty with a grid in space.
  std::vector<MovedGroup>& moved() { return moved_; }
  const std::vector<MovedGroup>& moved() const { return moved_; }

  std::size_t size() const { return slot_.size(); }
  std::vector<ParticleGroup>& groups() { return groups_; }
  const std::vector<ParticleGroup>& groups() const { return groups_; }
  const std::vector<GridBlock>& blocks() const { return blocks_; }
  /// Of the lane of a group: the particle's number, -1 where the lane is empty.
  const std::vector<std::int32_t>& ids() const { return ids_; }
  /// Where a particle is: 8 group + lane.
  std::int32_t slot(std::size_t particle) const { return slot_[particle]; }
  const GridBlock& block_of_slot(std::int32_t slot) const { return BlockOf(slot >> 3); }
  /// Number of the block with these coordinates; -1 where there is none.
  std::int32_t Find(std::int32_t x, std::int32_t y, std::int32_t z) const { return table_.Find(x, y, z); }
  /// Where the particle of a slot has moved from x, cells; 0 with a grid in space.
  Vec3 MovedBy(std::int32_t slot) const {
    if (!at_rest()) return {};
    const MovedGroup& g = moved_[static_cast<std::size_t>(slot >> 3)];
    const Vec3& shift = shift_[static_cast<std::size_t>(block_of_[static_cast<std::size_t>(slot >> 3)])];
    const int lane = slot & 7;
    return {shift.x + double(g.u[0][lane]), shift.y + double(g.u[1][lane]), shift.z + double(g.u[2][lane])};
  }
  GelParticle Get(std::size_t particle) const;
  void Set(std::size_t particle, const GelParticle& p);  ///< Sort afterwards, before any step

 private:
  const GridBlock& BlockOf(std::int32_t group) const { return blocks_[block_of_[group]]; }
  // The steps of Sort.
  void CountParticles();
  void MoveParticles(const std::vector<GridBlock>& blocks, ThreadCrew* crew);
  void AddNeighbours(std::vector<GridBlock>* blocks);

  std::vector<ParticleGroup> groups_, next_;
  std::vector<std::int32_t> ids_, next_ids_, slot_, block_of_;
  std::vector<std::int32_t> from_;  // of a new slot: the old one of its particle, -1: empty
  std::vector<GridBlock> blocks_;
  std::vector<MovedGroup> moved_;
  std::vector<Vec3> shift_;  // of a block, whole cells
  BlockBins bins_;
  BlockTable table_;
};

}  // namespace taxel
