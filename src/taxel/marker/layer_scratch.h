// Memory that a team works in while it steps a gel of mode layer.
#pragma once

#include "taxel/marker/layer_chunks.h"
#include "taxel/marker/layer_window.h"

namespace taxel::internal {

/// Cells that an object may reach.
struct LayerRange {
  int i0, i1, j0, j1;
};

/// What a team works in; nothing of it outlives a step.
struct LayerScratch {
  float* height;        ///< (cells) of the nearest object over each; infinity where there is none
  std::uint8_t* owner;  ///< (cells)
  int* place;           ///< (chunks of the gel): where each is in `work`, -1: nowhere
  int* list;            ///< (most_chunks)
  float* small_work;    ///< of a LayerWindow, or of LayerChunks: sums and small_chunks; begins fast memory
  float* large_work;    ///< of most_chunks
  int small_chunks;
  Pose* X_IP;          ///< (objects), of the last Meet
  Pose* before;        ///< (objects), inverse poses that a state belongs to
  Pose* change;        ///< (objects), from there to now
  LayerRange* range;   ///< (objects)
  Pose *start, *part;  ///< (objects), of a step
  Pose* shifted;       ///< (objects), of the gravity pass; from the caller: the shift of each
  Box3* near;          ///< (objects), of the cells where it overlaps the gel
  Pose* X;             ///< (objects), for the caller
  LayerMemory shown, passing;
  LayerQuad* marker_sums;  ///< (kLayerLanes); used when `small_work` is not

  /// Of small_work.
  TAXEL_HD static constexpr std::size_t SmallBytes(int small_chunks) {
    const std::size_t chunks =
        sizeof(float) * LayerChunks::kPartial + LayerChunks::kBytes * static_cast<std::size_t>(small_chunks);
    return LayerWindow::kBytes > chunks ? LayerWindow::kBytes : chunks;
  }
  /// Bytes in fast and in slow memory; both start at a multiple of 16.
  static std::size_t FastBytes(const LayerScene& s, int small_chunks) {
    return SmallBytes(small_chunks) +
           (7 * sizeof(Pose) + sizeof(Box3) + sizeof(LayerRange)) * static_cast<std::size_t>(s.objects);
  }
  static std::size_t SlowBytes(const LayerScene& s, int small_chunks) {
    const std::size_t most = static_cast<std::size_t>(s.most_chunks),
                      large = s.most_chunks > small_chunks ? LayerChunks::kBytes * most : 0;
    const std::size_t bytes = large + 2 * LayerMemory::Bytes(s.objects, s.most_chunks) +
                              sizeof(int) * (static_cast<std::size_t>(s.chunks()) + most) +
                              (sizeof(float) + 1) * static_cast<std::size_t>(s.cells());
    return (bytes + 255) / 256 * 256;
  }
  TAXEL_HD static LayerScratch Carve(const LayerScene& s, int small_chunks, std::size_t memory_bytes,
                                     void* fast, void* slow) {
    LayerScratch out{};
    char* f = static_cast<char*>(fast);
    out.small_chunks = small_chunks;
    out.small_work = reinterpret_cast<float*>(f);
    out.marker_sums = reinterpret_cast<LayerQuad*>(f);
    f += SmallBytes(small_chunks);
    Pose* X = reinterpret_cast<Pose*>(f);
    out.X_IP = X, out.before = X + s.objects, out.change = X + 2 * s.objects, out.start = X + 3 * s.objects;
    out.part = X + 4 * s.objects, out.shifted = X + 5 * s.objects, out.X = X + 6 * s.objects;
    out.near = reinterpret_cast<Box3*>(X + 7 * s.objects);
    out.range = reinterpret_cast<LayerRange*>(out.near + s.objects);
    char* g = static_cast<char*>(slow);
    out.large_work = reinterpret_cast<float*>(g);
    if (s.most_chunks > small_chunks) g += LayerChunks::kBytes * static_cast<std::size_t>(s.most_chunks);
    out.shown = LayerMemory::At(g, s.objects);
    out.passing = LayerMemory::At(g + memory_bytes, s.objects);
    out.height = reinterpret_cast<float*>(g + 2 * memory_bytes);
    out.place = reinterpret_cast<int*>(out.height + s.cells());
    out.list = out.place + s.chunks();
    out.owner = reinterpret_cast<std::uint8_t*>(out.list + s.most_chunks);
    return out;
  }
};
static_assert(LayerWindow::kBytes % 16 == 0);

}  // namespace taxel::internal
