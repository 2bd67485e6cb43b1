// The cells that one increment is about, as chunks of four, and sums of influences between them.
#pragma once

#include <cstddef>

#include "taxel/marker/layer_scene.h"
#include "taxel/marker/layer_team.h"

namespace taxel::internal {

/// Numbers of a slot (a cell of a chunk, or nothing beyond the gel's rim). Some places are used twice.
enum LayerSlot : int {
  kSlotP,
  kSlotTx,
  kSlotTy,
  kSlotUx,
  kSlotUy,
  kSlotTargetX,
  kSlotTargetY,
  kSlotSpreadX,
  kSlotSpreadY,
  kSlotFreeX,
  kSlotFreeY,
  kSlotClosed,
  kSlotHeight,
  kSlotSlopeX,
  kSlotSlopeY,
  kSlotStepX,
  kSlotStepY,
  kSlotImageX,
  kSlotImageY,
  kSlotFields,
  kSlotUz = kSlotSlopeX,        // until the solvers begin
  kSlotOverlap = kSlotFreeX,    // of the normal problem
  kSlotResidual = kSlotSlopeX,  // of the normal problem
  kSlotDirection = kSlotStepX,
  kSlotImage = kSlotImageX,
};

/// Of a slot: whether an object can reach it, whether it was open before, the object that does, and the one
/// that held it before (255: none).
struct LayerFlags {
  unsigned char reach, open, owner, before;
};
inline constexpr int kNoObject = 255;

/// Chunks in ascending order. All of it is one block of memory.
struct LayerWork {
  float* base = nullptr;  ///< at a multiple of 16 bytes
  int chunks = 0;

  TAXEL_HD int slots() const { return kLayerChunk * chunks; }
  TAXEL_HD float* field(LayerSlot f) const { return base + f * slots(); }
  TAXEL_HD LayerFlags* flags() const { return reinterpret_cast<LayerFlags*>(base + kSlotFields * slots()); }
  /// Where its influences lie: row times stride plus first column.
  TAXEL_HD int* at() const { return reinterpret_cast<int*>(flags() + slots()); }
  TAXEL_HD int* chunk() const { return at() + chunks; }  ///< which of the gel it is
  /// Lists of chunks by their place here: which carry pressure, which are sources of a sum.
  TAXEL_HD int* contact() const { return at() + 2 * chunks; }
  TAXEL_HD int* sources() const { return at() + 3 * chunks; }

  static constexpr std::size_t kBytesPerChunk =
      kLayerChunk * (sizeof(float) * kSlotFields + sizeof(LayerFlags)) + 4 * sizeof(int);
};

/// Influences for the thickness where a gel is touched: between two levels.
struct LayerInfluences {
  const float *low = nullptr, *high = nullptr;  ///< high: null where there is one level alone
  float share = 0;                              ///< of `high`
  int level = 0;
  int size = 0, middle = 0;  ///< of a component; where (di, dj) = (0, 0) is
};

struct alignas(16) LayerQuad {
  float v[kLayerChunk];
};

/// Influences of one component between two chunks: seven differences along y.
struct LayerWindow {
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

/// What tractions (a, b) do:
enum class LayerSum {
  kNormal,      ///< u = zz a
  kTangential,  ///< u = xx a + xy b, v = xy a + yy b
  kLift,        ///< u = -xz a - yz b
  kSpread,      ///< u = -xz a, v = -yz a
};

TAXEL_HD constexpr int ComponentsOf(LayerSum sum) {
  return sum == LayerSum::kNormal ? 1 : (sum == LayerSum::kTangential ? 3 : 2);
}
/// Of LayerBlock: xx, xy, yy, xz, yz, zz.
TAXEL_HD constexpr int FirstComponentOf(LayerSum sum) {
  return sum == LayerSum::kNormal ? 5 : (sum == LayerSum::kTangential ? 0 : 3);
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
  LayerWindow window[kCount];
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

/// Chunks by their place in a LayerWork; null list: the first `count`.
struct LayerChunks {
  const int* list = nullptr;
  int count = 0;
  TAXEL_HD int operator[](int i) const { return list ? list[i] : i; }
};

/// Sums of the sources on `count` targets from the one `first` on, in shares of the sources, into `partial`
/// (8 rows of kLayerLanes numbers). The inner loop of mode layer: as a function of its own it would spill its
/// registers, and there is no first-level cache beside the shared memory that a gel works in.
template <LayerSum kSum, bool kBlend, typename Team>
TAXEL_HD void SumShares(Team& team, const LayerInfluences& influences, const LayerWork& w,
                        const LayerChunks& targets, int first, int count, int shares, int source_count,
                        const float* a, const float* b, float* partial) {
  const LayerInfluences t = influences;
  const int *at = w.at(), *sources = w.sources();
  team.For(count * shares, [&](int item) {
    const int share = item / count;
    const LayerPair sum = SumOnChunk<kSum, kBlend>(t, at, sources, source_count * share / shares,
                                                   source_count * (share + 1) / shares,
                                                   targets[first + item - share * count], a, b);
    for (int r = 0; r < kLayerChunk; ++r) {
      partial[r * kLayerLanes + item] = sum.u[r];
      partial[(kLayerChunk + r) * kLayerLanes + item] = sum.v[r];
    }
  });
}

/// Calls sink(slot, u, v, T*) once for every slot of the targets, with the sums over the sources; the joined
/// T. Few targets: several lanes share the sources of each.
template <LayerSum kSum, typename T, typename Team, typename Sink>
TAXEL_HD inline T SumOn(Team& team, const LayerInfluences& t, const LayerWork& w, const LayerChunks& targets,
                        int source_count, const float* a, const float* b, float* partial, const Sink& sink) {
  constexpr int kMostShares = 16;
  T out{};
  for (int first = 0; first < targets.count; first += kLayerLanes) {
    const int count = targets.count - first < kLayerLanes ? targets.count - first : kLayerLanes;
    int shares = kLayerLanes / count;
    shares = shares > kMostShares ? kMostShares : shares;
    if (t.high)
      SumShares<kSum, true>(team, t, w, targets, first, count, shares, source_count, a, b, partial);
    else
      SumShares<kSum, false>(team, t, w, targets, first, count, shares, source_count, a, b, partial);
    out.Join(team.template Reduce<T>(kLayerChunk * count, [&](int i, T* total) {
      const int r = i / count, target = i - r * count;
      float u = 0, v = 0;
      for (int item = target; item < count * shares; item += count) {
        u += partial[r * kLayerLanes + item];
        v += partial[(kLayerChunk + r) * kLayerLanes + item];
      }
      sink(kLayerChunk * targets[first + target] + r, u, v, total);
    }));
  }
  return out;
}

/// A T of nothing, and others that Reduce joins.
struct LayerNothing {
  TAXEL_HD void Join(const LayerNothing&) {}
};
struct LayerTotals {
  double a = 0, b = 0, c = 0;
  TAXEL_HD void Join(const LayerTotals& o) { a += o.a, b += o.b, c += o.c; }
};
struct LayerMost {
  double value = 0;
  TAXEL_HD void Include(double x) { value = x > value ? x : value; }
  TAXEL_HD void Join(const LayerMost& o) { Include(o.value); }
};

/// Lists the chunks where any slot has wanted(slot).
template <typename Team, typename Wanted>
TAXEL_HD inline int ListChunks(Team& team, const LayerWork& w, int* to, const Wanted& wanted) {
  return team.List(
      w.chunks,
      [&](int c) {
        bool any = false;
        for (int r = 0; r < kLayerChunk; ++r) any = any || wanted(kLayerChunk * c + r);
        return any;
      },
      [&](int place, int c) { to[place] = c; });
}

}  // namespace taxel::internal
