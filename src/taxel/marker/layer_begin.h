// The cells of an increment with the tractions they hold: which of them a work takes.
#pragma once

#include "taxel/marker/layer_meet.h"

namespace taxel::internal {

/// Of the cells lower than `highest` under an object and of those held before.
template <typename Team>
TAXEL_HD inline LayerBounds BoundsOf(Team& team, const LayerScene& s, const LayerScratch& m, float highest,
                                     const LayerMemory& from) {
  const int cells = s.cells();
  return team.template Reduce<LayerBounds>(cells + from.head->count, [&](int k, LayerBounds* b) {
    if (k < cells && !(m.height[k] < highest)) return;
    const int cell = k < cells ? k : from.contact[k - cells].cell, i = cell / s.ny;
    b->Include(i, cell - i * s.ny);
  });
}

template <typename Work>
TAXEL_HD inline void ClearSlot(const LayerScratch& m, const Work& w, int slot, int cell, float highest) {
  const bool reach = cell >= 0 && m.height[cell] < highest;
  w.flags()[slot] = {reach, 1, static_cast<unsigned char>(reach ? m.owner[cell] : 0), kNoObject};
  w.field(kSlotP)[slot] = w.field(kSlotTx)[slot] = w.field(kSlotTy)[slot] = 0;
}
template <typename Work>
TAXEL_HD inline void HoldSlot(const Work& w, int slot, const LayerContact& old) {
  w.field(kSlotP)[slot] = old.p;
  w.field(kSlotTx)[slot] = old.tx;
  w.field(kSlotTy)[slot] = old.ty;
  w.flags()[slot].before = static_cast<unsigned char>(old.object);
}

/// False where the cells do not fit.
template <typename Team>
TAXEL_HD inline bool BeginWork(Team& team, const LayerScene& s, const LayerScratch& m,
                               const LayerBounds& bounds, float highest, const LayerMemory& from,
                               LayerWindow* out) {
  const LayerWindow w{m.small_work, bounds.i1 - bounds.i0 + 1, bounds.i0, bounds.j0};
  if (w.rows > kLayerWindow || bounds.j1 - bounds.j0 >= kLayerWindow) return false;
  *out = w;
  team.For(w.slots(), [&](int i) {
    ClearSlot(m, w, i, w.cell_of(s, i), highest);
    if (i < LayerWindow::kSize) w.turn(i) = {s.turns[2 * i], s.turns[2 * i + 1]};
  });
  team.For(from.head->count, [&](int k) {
    const LayerContact& old = from.contact[k];
    const int i = old.cell / s.ny, j = old.cell - i * s.ny;
    HoldSlot(w, (i - w.i0) * kLayerWindow + j - w.j0, old);
  });
  return true;
}

template <typename Team>
TAXEL_HD inline bool BeginWork(Team& team, const LayerScene& s, const LayerScratch& m, const LayerBounds&,
                               float highest, const LayerMemory& from, LayerChunks* out) {
  const int held = from.head->count;
  team.For(s.chunks(), [&](int c) {
    bool any = false;
    for (int r = 0; r < kLayerChunk; ++r) {
      const int k = s.cell_of(c, r);
      any = any || (k >= 0 && m.height[k] < highest);
    }
    m.place[c] = any ? 0 : -1;
  });
  team.For(held, [&](int i) {  // the first cell of each chunk alone
    const int chunk = s.chunk_of(from.contact[i].cell);
    if (i == 0 || s.chunk_of(from.contact[i - 1].cell) != chunk) m.place[chunk] = 0;
  });
  const int count = team.List(
      s.chunks(), [&](int c) { return m.place[c] == 0; },
      [&](int place, int c) {
        if (place < s.most_chunks) m.list[place] = c;
      });
  if (count > s.most_chunks) return false;
  const LayerChunks w{count > m.small_chunks ? m.large_work : m.small_work + LayerChunks::kPartial,
                      m.small_work,
                      count,
                      m.place,
                      s.nx,
                      s.chunks_y};
  *out = w;
  team.For(count, [&](int c) {
    const int chunk = m.list[c], row = chunk / s.chunks_y;
    m.place[chunk] = c;
    w.chunk()[c] = chunk;
    w.at()[c] = row * s.stride + (chunk - row * s.chunks_y) * kLayerChunk;
    for (int r = 0; r < kLayerChunk; ++r) ClearSlot(m, w, kLayerChunk * c + r, s.cell_of(chunk, r), highest);
  });
  team.For(held, [&](int k) {
    const LayerContact& old = from.contact[k];
    HoldSlot(w, kLayerChunk * m.place[s.chunk_of(old.cell)] + s.lane_of(old.cell), old);
  });
  return true;
}

}  // namespace taxel::internal
