// Device memory of a batch of gels, and how its particles and blocks are numbered.
#pragma once

#include "taxel/batch/cuda_gel.h"
#include "taxel/math/kernel_pose.h"

namespace taxel::cuda {

inline constexpr int kSide = 4, kBlockNodes3 = kSide * kSide * kSide;
/// Particles may leave their block by a cell before they are sorted again: base cells -1 to 4 along an axis,
/// nodes -1 to 6.
inline constexpr int kBaseSide = 6, kBases3 = kBaseSide * kBaseSide * kBaseSide;
inline constexpr int kReachSide = 8, kReach3 = kReachSide * kReachSide * kReachSide;
/// Cells between a particle and the border of its domain.
inline constexpr int kBorder = 3;
inline constexpr float kMostMotion = 0.5f;

/// 104 bytes a particle in seven arrays.
struct GelState {
  float4* position;  ///< x, y, z from the first node of its stencil, in [0.5, 1.5); bits: that node, packed
  float4* velocity;  ///< x, y, z, cells a step; bits: world * particles + particle
  float4 *a0, *a1;   ///< A = keep C - tau, row-major, entries 0 to 7. Averaged volumes: without the pressure
  float4 *f0, *f1;   ///< F, entries 0 to 7
  float2* tail;      ///< entry 8 of A and of F
};

enum class GelTrouble : int { kNone, kLeftDomain, kTooFast, kLeftReach, kBlocks };

struct GelWatch {
  int step, filled, active, stopped;
  int fastest;  ///< bits of a float >= 0
  int slow;     ///< particles in GelScene::slow
  int trouble, world, particle, at_step;
  float moved;
};

struct GelScene {
  int worlds, particles, total;  ///< total = worlds * particles
  int blocks[3], blocks_a_world;
  int most_filled, most_active;
  GelNumbers numbers;
  bool average_volume;
  float keep, gravity[3];

  GelWatch* watch;
  int* slow;  ///< (total): particles whose stress the gather could not do
  // Blocks: those with particles first, in the order of their keys; then those around them.
  int* start;     ///< (filled + 1): first particle
  int* key;       ///< (active): world * blocks_a_world + (x * by + y) * bz + z
  int* near;      ///< (active, 27): blocks around, x slowest, itself at 13; -1: none
  int* table;     ///< (worlds * blocks_a_world): number of a block; < 0: none
  float4* reach;  ///< (filled, 512): momentum and mass that a block gives to the nodes it reaches
  float4* nodes;  ///< (active, 64): velocity and mass

  // Hands and objects.
  int pads, layer, objects, check_every;
  const unsigned char* pad;
  const float* alpha;
  const float* alpha_slope;  ///< (particles, 3) or null
  float hand_offset;
  const float* hand;              ///< (worlds, pads, 3)
  const int* object_of;           ///< (worlds)
  const KernelPose<float>* X_GO;  ///< (worlds)
  const CudaGelObject* object;
  float unit;
  bool stop_inside;
  const float* still_mass;       ///< (worlds, nodes of the domain), or null
  const int* layer_of;           ///< (particles): pad * layer + place in its contact layer, or -1
  int* layer_slot;               ///< (worlds, pads * layer): where such a particle is
  int* stop_step;                ///< (worlds): step of the stop, -1: goes on
  const float4* start_position;  ///< (particles), as GelState::position
  float stop_chamfer;
  bool chamfer_sum;
  const float4* layer_start;  ///< (pads, layer): centred start
  float4* layer_now;          ///< (worlds, pads, layer): centred
  float* nearest;             ///< (worlds, pads, 2, layer): squared distances
  float* chamfer;             ///< (worlds, pads)
};

TAXEL_HD inline int PackCell(int x, int y, int z) { return x | (y << 10) | (z << 20); }
__device__ inline int3 CellOf(const float4& position) {
  const int c = __float_as_int(position.w);
  return make_int3(c & 1023, (c >> 10) & 1023, (c >> 20) & 1023);
}

struct BlockPlace {
  int world, x, y, z;  ///< coordinates in blocks
};
__device__ inline BlockPlace PlaceOf(const GelScene& s, int key) {
  BlockPlace p;
  p.world = key / s.blocks_a_world;
  int rest = key - p.world * s.blocks_a_world;
  p.z = rest % s.blocks[2];
  rest /= s.blocks[2];
  p.y = rest % s.blocks[1];
  p.x = rest / s.blocks[1];
  return p;
}

__device__ inline bool Stopped(const GelScene& s, int world) { return s.pads > 0 && s.stop_step[world] >= 0; }

/// The first trouble stays.
__device__ inline void Report(const GelScene& s, GelTrouble trouble, int id, float moved) {
  if (atomicCAS(&s.watch->trouble, 0, static_cast<int>(trouble)) != 0) return;
  s.watch->world = id / s.particles;
  s.watch->particle = id % s.particles;
  s.watch->at_step = s.watch->step;
  s.watch->moved = moved;
}

/// Weights of the three nodes of a stencil along an axis.
__device__ inline void AxisWeights(float f, float* w) {
  const float l = 1.5f - f, m = f - 1.0f, r = f - 0.5f;
  w[0] = 0.5f * l * l;
  w[1] = 0.75f - m * m;
  w[2] = 0.5f * r * r;
}

}  // namespace taxel::cuda
