// Cells of an increment as a window of 20 x 20, and sums of influences over it as products of Fourier
// transforms of 40 x 40.
//
// No two cells of a window are further apart than 19, so nothing comes round from the other side. Two real
// fields a, b are transformed as one z = a + i b; with Z = Z(k) and C = the conjugate of Z(-k)
//     a(k) = (Z + C) / 2     b(k) = -i (Z - C) / 2
// and the two sums u + i v come back as one. Influences along an axis are even or odd, so that the
// transforms of xx, xy, yy and zz are real, those of xz and yz imaginary (layer_spectrum.h).
#pragma once

#include "taxel/marker/layer_direction.h"
#include "taxel/marker/layer_fourier.h"
#include "taxel/marker/layer_work.h"

namespace taxel::internal {

/// Where the memory of a window begins: on a GPU that of the block, which a lane reaches without a pointer.
TAXEL_HD inline char* WindowMemory([[maybe_unused]] void* host) {
#if defined(__CUDA_ARCH__)
  extern __shared__ __align__(16) char taxel_fast[];
  return taxel_fast;
#else
  return static_cast<char*>(host);
#endif
}

/// At most kLayerWindow rows of as many cells, row by row. Its memory (kBytes, at a multiple of 16): the
/// fields, the flags, the places of a transform and its turns.
struct LayerWindow {
  static constexpr int kSize = 2 * kLayerWindow;  ///< of a transform
  static constexpr std::size_t kGridAt = kLayerBytesPerSlot * kLayerWindowSlots,
                               kTurnAt = kGridAt + sizeof(LayerComplex) * kSize * kSize,
                               kBytes = kTurnAt + sizeof(LayerComplex) * kSize;

  void* memory = nullptr;
  int rows = 0, i0 = 0, j0 = 0;  ///< first cell

  TAXEL_HD int slots() const { return kLayerWindow * rows; }
  TAXEL_HD float* field(LayerSlot f) const {
    return reinterpret_cast<float*>(WindowMemory(memory)) + f * kLayerWindowSlots;
  }
  TAXEL_HD LayerFlags* flags() const { return reinterpret_cast<LayerFlags*>(field(kSlotFields)); }
  TAXEL_HD int cell_of(const LayerScene& s, int slot) const {
    const int row = slot / kLayerWindow, j = j0 + slot - row * kLayerWindow;
    return j < s.ny ? (i0 + row) * s.ny + j : -1;
  }
  TAXEL_HD float around(int slot, const float* f) const {
    const int row = slot / kLayerWindow, column = slot - row * kLayerWindow;
    const bool left = column > 0, right = column + 1 < kLayerWindow;
    float near = (left ? f[slot - 1] : 0) + (right ? f[slot + 1] : 0), corner = 0;
    for (int side = -1; side <= 1; side += 2) {
      if (row + side < 0 || row + side >= rows) continue;
      const float* g = f + slot + side * kLayerWindow;
      near += *g;
      corner += (left ? g[-1] : 0) + (right ? g[1] : 0);
    }
    return kLayerNear * near + kLayerCorner * corner;
  }

  /// Places of a transform. Lanes go along rows: each column in a bank of its own.
  TAXEL_HD LayerComplex& at(int i, int j) const {
    return reinterpret_cast<LayerComplex*>(WindowMemory(memory) + kGridAt)[kSize * i + j];
  }
  /// w_40^(n1 k2) at 8 n1 + k2.
  TAXEL_HD LayerComplex& turn(int k) const {
    return reinterpret_cast<LayerComplex*>(WindowMemory(memory) + kTurnAt)[k];
  }
};
static_assert(LayerWindow::kGridAt % 8 == 0);

/// The turns of a piece k2: before its transform there and, as conjugates, after the one back.
struct LayerTurns {
  LayerComplex w[4];
  TAXEL_HD LayerTurns(const LayerWindow& window, int k2) {
    for (int n = 1; n < 5; ++n) w[n - 1] = window.turn(8 * n + k2);
  }
  TAXEL_HD void There(LayerComplex x[5]) const {
    for (int n = 1; n < 5; ++n) x[n] = w[n - 1] * x[n];
  }
  TAXEL_HD void Back(LayerComplex x[5]) const {
    for (int n = 1; n < 5; ++n) x[n] = Conjugate(w[n - 1]) * x[n];
  }
};

/// What one frequency of the tractions (Z and C as above) does: u + i v there and, as its conjugate, at the
/// opposite one. s: the transforms of the components of kSum.
template <LayerSum kSum>
TAXEL_HD inline void SumAtFrequency(const float s[3], LayerComplex* Z, LayerComplex* C) {
  const LayerComplex sum = *Z + *C;
  if constexpr (kSum == LayerSum::kNormal) {
    *Z = *C = s[0] * sum;
  } else if constexpr (kSum == LayerSum::kTangential) {
    const LayerComplex difference = *Z - *C;
    const LayerComplex u = s[0] * sum - s[1] * TimesI(difference),
                       iv = s[1] * TimesI(sum) + s[2] * difference;
    *Z = u + iv, *C = u - iv;
  } else if constexpr (kSum == LayerSum::kLift) {
    const LayerComplex difference = *Z - *C;
    *Z = *C = LayerComplex{} - s[0] * TimesI(sum) - s[1] * difference;
  } else {
    const LayerComplex u = LayerComplex{} - s[0] * TimesI(sum), iv = s[1] * sum;
    *Z = u + iv, *C = u - iv;
  }
}

/// One of each two opposite frequencies along an axis: the places 0 to 2 and 5 to 22 of kLayerHalf.
TAXEL_HD inline bool IsHalf(int place) { return place < 23 && place != 3 && place != 4; }
/// The place of the frequency that is opposite to one of them.
TAXEL_HD inline int OppositePlace(int place) { return place >= 5 ? 44 - place : (5 - place) % 5; }

/// All of a sum but its last part. Of a real field or sum half of the frequencies along y tell the rest.
template <LayerSum kSum, typename Team>
TAXEL_APART TAXEL_HD void TransformWindow(Team& team, const LayerInfluences& t, const LayerWindow& window,
                                          LayerSlot a_field, LayerSlot b_field) {
  const LayerWindow g = window;
  const float *a = g.field(a_field), *b = g.field(b_field), *low = t.low_spectrum, *high = t.high_spectrum;
  const float share = t.share;
  constexpr bool kRealIn = kSum == LayerSum::kNormal || kSum == LayerSum::kSpread,
                 kRealOut = kSum == LayerSum::kNormal || kSum == LayerSum::kLift;
  constexpr int kSize = LayerWindow::kSize, kCount = ComponentsOf(kSum);
  team.For(5 * g.rows, [&](int item) {  // rows, there
    const int i = item / 5, n = item - 5 * i;
    LayerComplex x[4], y[8];
    for (int m = 0; m < 4; ++m) {
      const int slot = kLayerWindow * i + n + 5 * m;
      x[m] = {a[slot], kRealIn ? 0.0f : b[slot]};
    }
    FourierEight(x, y);
    for (int k = 0; k < 8; ++k) g.at(i, n + 5 * k) = y[k];
  });
  team.For(8 * g.rows, [&](int item) {
    const int i = item / 8, k2 = item - 8 * i;
    LayerComplex x[5];
    for (int n = 0; n < 5; ++n) x[n] = g.at(i, 5 * k2 + n);
    LayerTurns(g, k2).There(x);
    FourierFive<false>(x);
    for (int n = 0; n < 5; ++n) g.at(i, 5 * k2 + n) = x[n];
  });
  constexpr int kIn = kRealIn ? kLayerHalf : kSize;
  team.For(5 * kIn, [&](int item) {  // columns, there
    const int n = item / kIn, j = item - n * kIn;
    if (kRealIn && !IsHalf(j)) return;
    LayerComplex x[4], y[8];
    for (int m = 0; m < 4; ++m)
      if (n + 5 * m < g.rows) x[m] = g.at(n + 5 * m, j);
    FourierEight(x, y);
    for (int k2 = 0; k2 < 8; ++k2) g.at(n + 5 * k2, j) = y[k2];
  });
  team.For(kLayerFrequencies, [&](int item) {  // each frequency with the opposite one
    const int k2 = item / kLayerHalf, j = item - k2 * kLayerHalf;
    if (!IsHalf(j)) return;
    const int opposite_j = OppositePlace(j), rows = 5 * k2, opposite_rows = 5 * ((8 - k2) % 8);
    // Two columns are their own opposites.
    if (!(kRealIn && kRealOut) && j == opposite_j && k2 > 4) return;
    const LayerTurns turns(g, k2);
    LayerComplex z[5], c[5];
    for (int n = 0; n < 5; ++n) z[n] = g.at(rows + n, j);
    turns.There(z);
    FourierFive<false>(z);
    if constexpr (kRealIn) {
      for (int n = 0; n < 5; ++n) c[n] = z[n];
    } else {
      for (int n = 0; n < 5; ++n) c[n] = g.at(opposite_rows + n, opposite_j);
      for (int n = 0; n < 5; ++n) c[n] = Conjugate(c[n]);
      turns.There(c);
      FourierFive<false>(c);
    }
    const int first = FirstComponentOf(kSum) * 5 * kLayerFrequencies + item;
    float s[5][3];
    for (int n = 0; n < 5; ++n)
      for (int m = 0; m < kCount; ++m) s[n][m] = LoadNumber(low + first + (5 * m + n) * kLayerFrequencies);
    if (high)
      for (int n = 0; n < 5; ++n)
        for (int m = 0; m < kCount; ++m)
          s[n][m] =
              (1 - share) * s[n][m] + share * LoadNumber(high + first + (5 * m + n) * kLayerFrequencies);
    for (int n = 0; n < 5; ++n) SumAtFrequency<kSum>(s[n], &z[n], &c[n]);
    FourierFive<true>(z);
    turns.Back(z);
    for (int n = 0; n < 5; ++n) g.at(rows + n, j) = z[n];
    if constexpr (kRealOut) {
      // A column that is its own opposite has its other half from here.
      if constexpr (!kRealIn)
        if (j == opposite_j)
          for (int n = 0; n < 5; ++n) g.at(opposite_rows + n, j) = Conjugate(z[n]);
    } else {
      FourierFive<true>(c);
      turns.Back(c);
      for (int n = 0; n < 5; ++n) g.at(opposite_rows + n, opposite_j) = Conjugate(c[n]);
    }
  });
  constexpr int kOut = kRealOut ? kLayerHalf : kSize;
  team.For(5 * kOut, [&](int item) {  // columns, back
    const int n = item / kOut, j = item - n * kOut;
    if (kRealOut && !IsHalf(j)) return;
    LayerComplex y[8], x[4];
    for (int k2 = 0; k2 < 8; ++k2) y[k2] = g.at(n + 5 * k2, j);
    FourierEightBack(y, x);
    for (int m = 0; m < 4; ++m) {
      if (kRealOut) g.at(n + 5 * m, OppositePlace(j)) = Conjugate(x[m]);
      g.at(n + 5 * m, j) = x[m];
    }
  });
  team.For(8 * g.rows, [&](int item) {  // rows, back
    const int i = item / 8, k2 = item - 8 * i;
    LayerComplex x[5];
    for (int n = 0; n < 5; ++n) x[n] = g.at(i, 5 * k2 + n);
    FourierFive<true>(x);
    LayerTurns(g, k2).Back(x);
    for (int n = 0; n < 5; ++n) g.at(i, 5 * k2 + n) = x[n];
  });
}

template <LayerSum kSum, typename T, typename Team, typename Sink>
TAXEL_HD inline T SumOf(Team& team, const LayerInfluences& t, const LayerWindow& w, LayerSlot a, LayerSlot b,
                        const Sink& sink) {
  const LayerPhase phase = team.Mark(LayerPhase::kSums);
  TransformWindow<kSum>(team, t, w, a, b);
  const T out = team.template Reduce<T>(5 * w.rows, [&](int item, T* total) {
    const int i = item / 5, n = item - 5 * i;
    LayerComplex y[8], x[4];
    for (int k = 0; k < 8; ++k) y[k] = w.at(i, n + 5 * k);
    FourierEightBack(y, x);
    for (int m = 0; m < 4; ++m) sink(kLayerWindow * i + n + 5 * m, x[m].x, x[m].y, total);
  });
  team.Mark(phase);
  return out;
}

}  // namespace taxel::internal
