// The cells that one increment is about and what each has.
//
// They are the slots of a work: LayerWindow where they lie close together, LayerChunks elsewhere. A work has
//
//     int slots()                        of them; what is no cell is out of reach
//     float* field(LayerSlot)            (slots)
//     LayerFlags* flags()                (slots)
//     int cell_of(const LayerScene&, int slot)    -1 where there is none
//     float around(int slot, const float* field)  what layer_direction.h takes of its eight neighbours; 0 out
//     of
//                                        reach
//
// and SumOf<kSum, T>(team, influences, work, a, b, sink) calls sink(slot, u, v, T*) once for every cell, with
// the sums of the tractions in the fields a, b (any where kSum has no second one), and returns the joined T.
#pragma once

#include <cstddef>

#include "taxel/marker/layer_scene.h"
#include "taxel/marker/layer_team.h"

namespace taxel::internal {

/// Numbers of a slot (a cell, or nothing beyond the gel's rim). Some places are used twice.
enum LayerSlot : int {
  kSlotP,  ///< the tractions
  kSlotTx,
  kSlotTy,
  kSlotSpreadP,  ///< the pressures that the slope is of
  kSlotSlopeX,   ///< motion of the gel less that of the object
  kSlotSlopeY,
  kSlotOverlap,   ///< what T does along the normal less the height of the object; 0 out of reach
  kSlotResidual,  ///< what P does along the normal less the overlap; 0 out of reach
  kSlotClosed,    ///< part of the increment during which a cell that was open is closed
  kSlotStepX,
  kSlotStepY,
  kSlotImageX,
  kSlotImageY,
  kSlotFields,
  kSlotUx = kSlotImageX,  // until the solvers begin
  kSlotUy = kSlotImageY,
  kSlotDirection = kSlotStepX,  // of the normal problem
  kSlotFree = kSlotStepY,
  kSlotImage = kSlotImageX,
  kSlotSharp = kSlotImageY,
};

/// Of a slot: whether an object can reach it, whether it was open before, the object that does, and the one
/// that held it before (255: none).
struct LayerFlags {
  unsigned char reach, open, owner, before;
};
inline constexpr int kNoObject = 255;

inline constexpr std::size_t kLayerBytesPerSlot = sizeof(float) * kSlotFields + sizeof(LayerFlags);

/// Of a table, which no kernel writes.
TAXEL_HD inline float LoadNumber(const float* from) {
#if defined(__CUDA_ARCH__)
  return __ldg(from);
#else
  return *from;
#endif
}

/// Influences for the thickness where a gel is touched: between two levels.
struct LayerInfluences {
  const float *low = nullptr, *high = nullptr;  ///< high: null where there is one level alone
  float share = 0;                              ///< of `high`
  const float *low_spectrum = nullptr, *high_spectrum = nullptr;
  int level = 0;
  int size = 0, middle = 0;  ///< of a component; where (di, dj) = (0, 0) is

  /// What a traction does to its own cell.
  TAXEL_HD float self() const {
    const float a = LoadNumber(low + middle);
    return high ? (1 - share) * a + share * LoadNumber(high + middle) : a;
  }
};

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

/// A T of nothing, and others that Reduce joins.
struct LayerNothing {
  TAXEL_HD void Join(const LayerNothing&) {}
};
struct LayerTotals {
  float a = 0, b = 0;
  TAXEL_HD void Join(const LayerTotals& o) { a += o.a, b += o.b; }
};
struct LayerAny {
  int any = 0;
  TAXEL_HD void Join(const LayerAny& o) { any |= o.any; }
};
struct LayerMost {
  double value = 0;
  TAXEL_HD void Include(double x) { value = x > value ? x : value; }
  TAXEL_HD void Join(const LayerMost& o) { Include(o.value); }
};

}  // namespace taxel::internal
