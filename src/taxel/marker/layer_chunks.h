// Cells of an increment as chunks of four, and sums of influences between them, one by one: for contacts that
// no window holds.
#pragma once

#include "taxel/marker/layer_direction.h"
#include "taxel/marker/layer_work.h"

namespace taxel::internal {

/// Chunks in ascending order. All of it is one block of memory.
struct LayerChunks {
  static constexpr int kPartial = 8 * kLayerLanes;

  float* base = nullptr;     ///< at a multiple of 16 bytes
  float* partial = nullptr;  ///< (kPartial), of sums
  int chunks = 0;
  const int* place = nullptr;  ///< (chunks of the gel): where each is, -1: nowhere
  int rows = 0, chunks_y = 0;  ///< of the gel

  TAXEL_HD int slots() const { return kLayerChunk * chunks; }
  TAXEL_HD float* field(LayerSlot f) const { return base + f * slots(); }
  TAXEL_HD LayerFlags* flags() const { return reinterpret_cast<LayerFlags*>(base + kSlotFields * slots()); }
  /// Where their influences lie (row times stride plus first column), which of the gel they are, and a list
  /// of those that are sources of a sum.
  TAXEL_HD int* at() const { return reinterpret_cast<int*>(flags() + slots()); }
  TAXEL_HD int* chunk() const { return at() + chunks; }
  TAXEL_HD int* sources() const { return at() + 2 * chunks; }
  TAXEL_HD int cell_of(const LayerScene& s, int slot) const {
    return s.cell_of(chunk()[slot / kLayerChunk], slot % kLayerChunk);
  }
  TAXEL_HD float around(int slot, const float* f) const {
    const int c = chunk()[slot / kLayerChunk], row = c / chunks_y,
              column = kLayerChunk * (c - row * chunks_y) + slot % kLayerChunk;
    float near = 0, corner = 0;
    for (int side = -1; side <= 1; ++side) {
      if (row + side < 0 || row + side >= rows) continue;
      near += side != 0 ? value(f, row + side, column) : 0;
      (side != 0 ? corner : near) += value(f, row + side, column - 1) + value(f, row + side, column + 1);
    }
    return kLayerNear * near + kLayerCorner * corner;
  }

  static constexpr std::size_t kBytes = kLayerChunk * kLayerBytesPerSlot + 4 * sizeof(int);  ///< of one

 private:
  // At a row of the gel and a column, which may lie beyond its ends.
  TAXEL_HD float value(const float* f, int row, int column) const {
    if (column < 0 || column >= kLayerChunk * chunks_y) return 0;
    const int at = place[row * chunks_y + column / kLayerChunk];
    return at < 0 ? 0 : f[kLayerChunk * at + column % kLayerChunk];
  }
};
static_assert(LayerChunks::kBytes % 16 == 0);

struct alignas(16) LayerQuad {
  float v[kLayerChunk];
};

/// Influences of one component between two chunks: seven differences along y.
struct LayerStrip {
  LayerQuad low, high;
  TAXEL_HD float at(int target, int source) const {
    const int k = target - source;
    return k < 0 ? low.v[k + kLayerChunk] : high.v[k];
  }
};

TAXEL_HD inline LayerQuad LoadQuad(const float* from) { return *reinterpret_cast<const LayerQuad*>(from); }

/// Of a table, which no kernel writes.
TAXEL_HD inline LayerQuad LoadTable(const float* from) {
#if defined(__CUDA_ARCH__)
  const float4 q = __ldg(reinterpret_cast<const float4*>(from));
  return {{q.x, q.y, q.z, q.w}};
#else
  return LoadQuad(from);
#endif
}

template <bool kBlend>
TAXEL_HD inline LayerQuad LoadInfluence(const LayerInfluences& t, int component, int at) {
  LayerQuad out = LoadTable(t.low + component * t.size + at);
  if constexpr (kBlend) {
    const LayerQuad more = LoadTable(t.high + component * t.size + at);
    for (int k = 0; k < kLayerChunk; ++k) out.v[k] = (1 - t.share) * out.v[k] + t.share * more.v[k];
  }
  return out;
}

struct LayerPair {
  float u[kLayerChunk] = {}, v[kLayerChunk] = {};
};

/// On one chunk, of the sources from first to last of a list. Neighbours of a row share half a window.
template <LayerSum kSum, bool kBlend>
TAXEL_HD inline LayerPair SumOnChunk(const LayerInfluences& t, const int* at, const int* sources, int first,
                                     int last, int target, const float* a, const float* b) {
  constexpr int kCount = ComponentsOf(kSum), kFirst = FirstComponentOf(kSum);
  constexpr bool kTwo = kSum == LayerSum::kTangential || kSum == LayerSum::kLift;
  LayerPair out;
  LayerStrip window[kCount];
  const int middle = t.middle + at[target];
  int before = -2 * kLayerChunk;
#if defined(__CUDA_ARCH__)
#pragma unroll 1
#endif
  for (int i = first; i < last; ++i) {
    const int s = sources[i], here = at[s];
    const bool next = here == before + kLayerChunk;
    before = here;
    for (int c = 0; c < kCount; ++c) {
      window[c].high = next ? window[c].low : LoadInfluence<kBlend>(t, kFirst + c, middle - here);
      window[c].low = LoadInfluence<kBlend>(t, kFirst + c, middle - here - kLayerChunk);
    }
    const LayerQuad x = LoadQuad(a + kLayerChunk * s);
    LayerQuad y{};
    if constexpr (kTwo) y = LoadQuad(b + kLayerChunk * s);
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
    for (int k = 0; k < kLayerChunk; ++k)
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
      for (int r = 0; r < kLayerChunk; ++r) {
        if constexpr (kSum == LayerSum::kNormal) {
          out.u[r] += x.v[k] * window[0].at(r, k);
        } else if constexpr (kSum == LayerSum::kTangential) {
          // One product a statement: each is one multiply-add on a GPU.
          out.u[r] += x.v[k] * window[0].at(r, k);
          out.u[r] += y.v[k] * window[1].at(r, k);
          out.v[r] += x.v[k] * window[1].at(r, k);
          out.v[r] += y.v[k] * window[2].at(r, k);
        } else if constexpr (kSum == LayerSum::kLift) {
          out.u[r] -= x.v[k] * window[0].at(r, k);
          out.u[r] -= y.v[k] * window[1].at(r, k);
        } else {
          out.u[r] -= x.v[k] * window[0].at(r, k);
          out.v[r] -= x.v[k] * window[1].at(r, k);
        }
      }
  }
  return out;
}

/// Sums of the sources on `count` chunks from the one `first` on, in shares of the sources, into `partial`
/// (8 rows of kLayerLanes numbers). As a function of its own it would spill its registers.
template <LayerSum kSum, bool kBlend, typename Team>
TAXEL_APART TAXEL_HD void SumShares(Team& team, const LayerInfluences& influences, const LayerChunks& w,
                                    int first, int count, int shares, int source_count, const float* a,
                                    const float* b, float* partial) {
  const LayerInfluences t = influences;
  const int *at = w.at(), *sources = w.sources();
  team.For(count * shares, [&](int item) {
    const int share = item / count;
    const LayerPair sum =
        SumOnChunk<kSum, kBlend>(t, at, sources, source_count * share / shares,
                                 source_count * (share + 1) / shares, first + item - share * count, a, b);
    for (int r = 0; r < kLayerChunk; ++r) {
      partial[r * kLayerLanes + item] = sum.u[r];
      partial[(kLayerChunk + r) * kLayerLanes + item] = sum.v[r];
    }
  });
}

/// Few chunks: several lanes share the sources of each.
template <LayerSum kSum, typename T, typename Team, typename Sink>
TAXEL_HD inline T SumOf(Team& team, const LayerInfluences& t, const LayerChunks& w, LayerSlot a_field,
                        LayerSlot b_field, const Sink& sink) {
  constexpr int kMostShares = 16;
  const LayerPhase phase = team.Mark(LayerPhase::kSums);
  const float *a = w.field(a_field), *b = w.field(b_field), *partial = w.partial;
  const int source_count = team.List(
      w.chunks,
      [&](int c) {
        bool any = false;
        for (int i = kLayerChunk * c; i < kLayerChunk * (c + 1); ++i) any = any || a[i] != 0 || b[i] != 0;
        return any;
      },
      [&](int place, int c) { w.sources()[place] = c; });
  T out{};
  for (int first = 0; first < w.chunks; first += kLayerLanes) {
    const int count = w.chunks - first < kLayerLanes ? w.chunks - first : kLayerLanes;
    int shares = kLayerLanes / count;
    shares = shares > kMostShares ? kMostShares : shares;
    if (t.high)
      SumShares<kSum, true>(team, t, w, first, count, shares, source_count, a, b, w.partial);
    else
      SumShares<kSum, false>(team, t, w, first, count, shares, source_count, a, b, w.partial);
    out.Join(team.template Reduce<T>(kLayerChunk * count, [&](int i, T* total) {
      const int r = i / count, target = i - r * count;
      float u = 0, v = 0;
      for (int item = target; item < count * shares; item += count) {
        u += partial[r * kLayerLanes + item];
        v += partial[(kLayerChunk + r) * kLayerLanes + item];
      }
      sink(kLayerChunk * (first + target) + r, u, v, total);
    }));
  }
  team.Mark(phase);
  return out;
}

}  // namespace taxel::internal
