// Compiled with fused multiply-adds (CMakeLists.txt): it shares no inline function with other files.
#include "taxel/marker/layer_sums.h"

namespace taxel::internal {
namespace {

typedef float Lanes __attribute__((vector_size(32)));
typedef float Loose __attribute__((vector_size(32), aligned(4)));

Lanes Load(const float* p) { return *reinterpret_cast<const Loose*>(p); }
void Store(float* p, Lanes v) { *reinterpret_cast<Loose*>(p) = v; }

}  // namespace

void SumOne(const float* table, const LayerOffset* chunks, int chunk_count, const LayerOffset* sources,
            const float* values, int source_count, float* out) {
  int c = 0;
  for (; c + 2 <= chunk_count; c += 2) {
    const float *first = table + chunks[c], *second = table + chunks[c + 1];
    Lanes u = {}, v = {};
    for (int s = 0; s < source_count; ++s) {
      const float a = values[s];
      u += a * Load(first + sources[s]);
      v += a * Load(second + sources[s]);
    }
    Store(out + 8 * c, u);
    Store(out + 8 * c + 8, v);
  }
  for (; c < chunk_count; ++c) {
    Lanes u = {};
    for (int s = 0; s < source_count; ++s) u += values[s] * Load(table + chunks[c] + sources[s]);
    Store(out + 8 * c, u);
  }
}

void SumTangential(const LayerTables& t, const LayerOffset* chunks, int chunk_count,
                   const LayerOffset* sources, const float* a, const float* b, int source_count, float* u,
                   float* v) {
  for (int c = 0; c < chunk_count; ++c) {
    const float *xx = t.xx + chunks[c], *xy = t.xy + chunks[c], *yy = t.yy + chunks[c];
    Lanes left = {}, right = {}, more_left = {}, more_right = {};
    for (int s = 0; s < source_count; ++s) {
      const int k = sources[s];
      const Lanes cross = Load(xy + k);
      left += a[s] * Load(xx + k);
      more_left += b[s] * cross;
      right += a[s] * cross;
      more_right += b[s] * Load(yy + k);
    }
    Store(u + 8 * c, left + more_left);
    Store(v + 8 * c, right + more_right);
  }
}

void AddScaled(const float* table, float scale, int count, float* out) {
  for (int i = 0; i < count; i += 8) Store(out + i, Load(out + i) + scale * Load(table + i));
}

}  // namespace taxel::internal
