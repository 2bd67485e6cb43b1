// A gel of mode layer and what one copy of it remembers, as plain data for host and device.
#pragma once

#include <cstdint>

#include "taxel/marker/layer_lattice.h"
#include "taxel/marker/layer_object.h"
#include "taxel/math/pose.h"

namespace taxel::internal {

/// Cells lie in chunks of four neighbours along y, the first of each at a multiple of four, so that the
/// influences of a chunk on another are seven numbers in a row of a table.
inline constexpr int kLayerChunk = 4;

/// Cells of a contact that lie within so many rows and columns are worked on as a window (layer_window.h).
inline constexpr int kLayerWindow = 20, kLayerWindowSlots = kLayerWindow * kLayerWindow,
                     kLayerHalf = 24,  ///< lanes of a column of frequencies that take one and its opposite
    kLayerFrequencies = 8 * kLayerHalf;

/// The tables of one level have six components (those of LayerBlock) of table_size numbers each. A component
/// has 2 nx - 1 rows of `stride` numbers: that of (di, dj) is at (di + nx - 1) stride + dj + across, with
/// across = 4 chunks_y and stride = 2 across; 0 where dj is beyond the gel.
struct LayerScene {
  int nx = 0, ny = 0, chunks_y = 0;  ///< chunks_y: of a row of cells
  double pitch = 0, x0 = 0, y0 = 0;  ///< middle of the first cell
  double top = 0;                    ///< z of a flat gel
  double highest = 0;                ///< z of the gel's box
  bool flat = true;
  double thickness = 0, poisson = 0, step = 0, force_lambda = 1;
  int substeps = 1;
  int objects = 0, markers = 0, marker_room = 0, levels = 1;
  int stride = 0, table_size = 0;
  const LayerPlace* place = nullptr;        ///< by cell; not read where flat
  const std::uint8_t* valid = nullptr;      ///< by cell; not read where flat
  const LayerPlace* marker = nullptr;       ///< (markers)
  const LayerObject* object = nullptr;      ///< (objects)
  const double* level_thickness = nullptr;  ///< (levels)
  const float* tables = nullptr;            ///< (levels, 6, table_size)
  const float* spectra = nullptr;           ///< (levels, 6, 5, kLayerFrequencies)
  const float* turns = nullptr;             ///< (5, 8, 2), of a LayerWindow
  const float* to_markers = nullptr;        ///< (levels, cells, 6, marker_room)
  int most_chunks = 0;                      ///< that one gel may touch or hold at a time

  static constexpr int kSpectrumSize = 6 * 5 * kLayerFrequencies;

  TAXEL_HD int cells() const { return nx * ny; }
  TAXEL_HD int chunks() const { return nx * chunks_y; }
  TAXEL_HD int across() const { return kLayerChunk * chunks_y; }
  /// Chunk and lane of a cell, and back; -1 where a lane is beyond the gel.
  TAXEL_HD int chunk_of(int cell) const { return cell / ny * chunks_y + cell % ny / kLayerChunk; }
  TAXEL_HD int lane_of(int cell) const { return cell % ny % kLayerChunk; }
  TAXEL_HD int cell_of(int chunk, int lane) const {
    const int j = chunk % chunks_y * kLayerChunk + lane;
    return j < ny ? chunk / chunks_y * ny + j : -1;
  }
  TAXEL_HD bool is_cell(int cell) const { return flat || valid[cell]; }
  TAXEL_HD LayerPlace place_of(int cell) const {
    if (!flat) return place[cell];
    LayerPlace out;
    out.p = {x0 + cell / ny * pitch, y0 + cell % ny * pitch, top};
    out.e1 = {1, 0, 0}, out.e2 = {0, 1, 0}, out.g = {0, 0, 1};
    return out;
  }
  TAXEL_HD const float* to_marker(int level, int cell) const {
    return to_markers + (static_cast<std::size_t>(level) * static_cast<std::size_t>(cells()) +
                         static_cast<std::size_t>(cell)) *
                            6 * static_cast<std::size_t>(marker_room);
  }
};

/// Of one world: friction, shear modulus (Pa), px per m.
struct LayerNumbers {
  float friction = 0, modulus = 1, per_metre = 1;
};

/// A cell in contact: its number, the object that touches it, and the traction on the gel along e1, e2 and
/// -g, over the shear modulus.
struct LayerContact {
  std::int32_t cell, object;
  float tx, ty, p;
};

/// What one gel remembers (LayerState): a head, a pose an object, cells in contact ascending.
struct LayerMemory {
  struct Head {
    std::int32_t started, count;
  };
  Head* head;
  Pose* X_PI;
  LayerContact* contact;

  /// Of a block of Bytes at a multiple of 8.
  TAXEL_HD static LayerMemory At(void* block, int objects) {
    char* b = static_cast<char*>(block);
    Pose* X = reinterpret_cast<Pose*>(b + sizeof(Head));
    return {reinterpret_cast<Head*>(b), X, reinterpret_cast<LayerContact*>(X + objects)};
  }
  static std::size_t Bytes(int objects, int most_chunks) {
    const std::size_t bytes = sizeof(Head) + sizeof(Pose) * static_cast<std::size_t>(objects) +
                              sizeof(LayerContact) * static_cast<std::size_t>(kLayerChunk * most_chunks);
    return (bytes + 15) / 16 * 16;
  }
};

}  // namespace taxel::internal
