// The inner loops of the elastic layer: sums of influences over the cells that carry a traction.
#pragma once

namespace taxel::internal {

/// Eight neighbouring cells along y: where their influences lie in a table of blocks, and where their values
/// lie in arrays of slots (eight times the index of the chunk).
using LayerOffset = int;

/// The blocks of a lattice of cells by difference (di, dj), one table for each of the components below.
struct LayerTables {
  const float *xx, *xy, *yy, *xz, *yz, *zz;
};

/// out[8 c + l] = sum over sources s of table[chunk[c] + source[s] + l] value[s].
void SumOne(const float* table, const LayerOffset* chunks, int chunk_count, const LayerOffset* sources,
            const float* values, int source_count, float* out);
/// (u, v) of tangential tractions (a, b): u = xx a + xy b, v = xy a + yy b.
void SumTangential(const LayerTables& t, const LayerOffset* chunks, int chunk_count,
                   const LayerOffset* sources, const float* a, const float* b, int source_count, float* u,
                   float* v);
/// out += scale table[i] for i < count; count a multiple of 8.
void AddScaled(const float* table, float scale, int count, float* out);

}  // namespace taxel::internal
