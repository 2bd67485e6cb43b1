// Points of a gel's skin ride on particles and hang on the nodes around them (skin_law.h).
#pragma once

#include <cstdint>
#include <vector>

#include "taxel/gel/particle_blocks.h"
#include "taxel/math/triple.h"
#include "taxel/math/vec3.h"

namespace taxel {

/// A point that rides on a particle below it.
struct SkinRide {
  std::int32_t particle;
  float r0[3];  ///< from the particle at rest, cells
};

/// Each point rides on the particle that is nearest at rest; positions in cells. Throws Error, calling them
/// `what` points, for one farther than a cell from every particle.
std::vector<SkinRide> RideOnNearest(const std::vector<Vec3>& points, const std::vector<Vec3>& particles,
                                    const char* what);

/// The nodes that a point hangs on, and its weights W_is there.
struct SkinNodes {
  std::int32_t node[27];
  float w[27];
  float push[27];  ///< W_is / m_i: what an impulse of 1 does to the node
};

/// W_is of the 27 nodes, the last axis fastest. f: of the particle from the first of them, r: from the
/// particle to the point as the grid sees it.
void SkinWeights(const float f[3], const float r[3], float w[27]);

/// Where a point and its particle are now.
class SkinCarrier {
 public:
  SkinCarrier(const ParticleBlocks& particles, const SkinRide& ride);
  /// Of the point, cells.
  const Vec3& place() const { return place_; }
  /// Outward normal of the point, which was `at_rest`; 0 where the particle has lost it.
  Triple<double> Normal(const Vec3& at_rest) const;
  void Hang(SkinNodes* nodes) const;

 private:
  const GridBlock* block_;
  float x_[3];  // of the particle, from the first node of the block
  float r_[3];  // from the particle to the point, as the grid sees it: F r0, or r0 on a grid at rest
  float F_[9];  // of the particle, less the identity on a grid at rest
  bool at_rest_;
  Vec3 place_;
};

}  // namespace taxel
