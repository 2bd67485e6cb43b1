// Many pads of one gel on a grid at rest (GelFrame::kRest) as plain arrays: for host and device.
#pragma once

#include <cstddef>
#include <cstdint>

#include "taxel/gel/gel_law.h"
#include "taxel/gel/skin_memory.h"

namespace taxel {

/// What all pads share and no step changes. Lengths in cells, time in steps, mass in particles (gel_law.h).
///
/// On a grid at rest a particle keeps its nodes and its weights, and so does a point of the skin. Nodes fill
/// a box, the last axis fastest, with a border of two that no particle reaches. Particles are sorted by cell;
/// a cell is called by the first node of its particles' stencils. Nodes sum over the 27 cells, and the points
/// of the skin, that reach them: in a fixed order and without atomics.
struct PadPlan {
  int particles = 0, cells = 0, nodes = 0, tiles = 0;
  int row = 1, plane = 1;               ///< nodes from one to the next along the second and the first axis
  int low[3] = {};                      ///< coordinates of node 0
  const float* f = nullptr;             ///< (3, particles): from the first node, in [0.5, 1.5)
  const int* cell_of = nullptr;         ///< (particles)
  const int* number = nullptr;          ///< (particles): as they were given
  const int* cell_first = nullptr;      ///< (cells + 1): first particle
  const int* cell_node = nullptr;       ///< (cells): first node
  const int* tile_first = nullptr;      ///< (tiles + 1): first cell; a tile has at most kTile particles
  const int* node_cell = nullptr;       ///< (nodes): the cell with that first node, or -1
  const float* inverse_mass = nullptr;  ///< (nodes): 0 where there is no mass

  /// Points of the skin: contact, rim, held (GelSkin).
  int points = 0, contact = 0, rim = 0;  ///< contact: with the rim
  bool normals = false;                  ///< `outward` is known
  const int* ride = nullptr;             ///< (points): particle
  const float* r0 = nullptr;             ///< (points, 3)
  const int* point_node = nullptr;       ///< (points): first node
  const float* weight = nullptr;         ///< (27, points)
  const double* outward = nullptr;       ///< (contact, 3)
  const double* home = nullptr;          ///< (points - contact, 3)
  int skin_nodes = 0;
  const int* skin_node = nullptr;      ///< (skin_nodes): those that points hang on
  const int* node_begin = nullptr;     ///< (nodes + 1) into:
  const int* node_point = nullptr;     ///< the points that hang on a node
  const float* node_weight = nullptr;  ///< and their weights there

  GelNumbers numbers;
  bool average_volume = false;
  int rounds = 2;
  float keep = 1;
  float gravity[3] = {};
  bool floor = false;
  KernelPose<double> floor_at_rest;
};

/// Most particles of a tile: threads of a block.
inline constexpr int kPadTile = 128;

/// Velocity of a node (or an impulse of a point), and a number.
struct alignas(16) PadNode {
  float x = 0, y = 0, z = 0, w = 0;
};

/// What acts on a point in a step.
struct PadTouch : SkinMeeting {
  float row_sum = 0;
  Triple<double> x;
};

/// What a pad remembers, pad by pad.
struct PadState {
  float* F = nullptr;                ///< (pads, 9, particles): F - 1
  float* v = nullptr;                ///< (pads, 3, particles): between calls
  float* C = nullptr;                ///< (pads, 9, particles): between calls
  double* u = nullptr;               ///< (pads, 3, particles): displacements
  Triple<float>* impulse = nullptr;  ///< (pads, points): of the last step
  SkinMemory* memory = nullptr;      ///< (pads, contact)
  /// (pads): steps done << 32 | particle of the first blow-up; all bits: none.
  unsigned long long* trouble = nullptr;
};
inline constexpr unsigned long long kNoTrouble = ~0ull;

struct PadScene {
  int pads = 0, objects = 0;
  PadPlan plan;
  PadState state;
  const SkinObject* object = nullptr;  ///< (objects), then the floor; friction and poses are not read
  const double* friction = nullptr;    ///< (pads, objects); < 0: sticks
  /// (rows, pads, objects + 2): objects, hand, floor. Row 0 is where they begin, and row r where step r ends.
  KernelPose<double>* path = nullptr;

  PadNode* give = nullptr;      ///< (pads, cells, 27): momentum that the particles of a cell give
  PadNode* nodes = nullptr;     ///< (pads, nodes): velocity and A_i of skin_law.h
  PadTouch* touch = nullptr;    ///< (pads, points)
  PadNode* change = nullptr;    ///< (pads, points): of impulses; w: 1 where something acts
  unsigned* fastest = nullptr;  ///< (pads): bits of the greatest motion of the last step, cells

  TAXEL_HD int bodies() const { return objects + 2; }
  TAXEL_HD const KernelPose<double>& pose(int row, int pad, int body) const {
    return path[(static_cast<std::size_t>(row) * pads + pad) * bodies() + body];
  }
  TAXEL_HD double friction_of(int pad, int met) const {
    return met < objects ? friction[static_cast<std::size_t>(pad) * objects + met] : -1;
  }
};

}  // namespace taxel
