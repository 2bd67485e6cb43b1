// One increment of a gel of mode layer, by a team of lanes: LayerField::Increment.
#pragma once

#include "taxel/marker/layer_begin.h"
#include "taxel/marker/layer_program.h"

namespace taxel::internal {

/// Of a point of the gel that an object carries from one pose to the next.
TAXEL_HD inline Vec3 CarriedBy(const Pose& change, const Vec3& p) { return change * p - p; }

/// kOverflow: more cells than one gel works with. kWide: more than a window holds, where nothing else is
/// asked for.
enum class LayerOutcome { kGood, kNotFinite, kOverflow, kWide };

/// What a memory holds after an increment to the poses X.
template <typename Team>
TAXEL_HD inline void Remember(Team& team, const LayerScene& s, const Pose* X, int count,
                              const LayerMemory& to) {
  team.For(s.objects, [&](int o) {
    to.X_PI[o] = X[o];
    if (o == 0) *to.head = {1, count};
  });
}

/// An increment to the poses X, which the last Meet was about, with the cells of a work.
template <typename Team, typename Work>
class LayerIncrement {
 public:
  TAXEL_HD LayerIncrement(Team* team, const LayerScene& scene, const LayerScratch& scratch,
                          const LayerNumbers& numbers, const Work& work, LayerInfluences* influences,
                          int* rounds)
      : team_(*team), s_(scene), m_(scratch), numbers_(numbers), w_(work), t_(*influences), rounds_(rounds) {}

  /// From and to memories, which may be the same; the tractions of the first are in the work. False where
  /// the cells do not fit; what is in `to` is worth nothing then.
  TAXEL_APART TAXEL_HD bool Solve(const Pose* X, double deepest, const LayerMemory& from,
                                  const LayerMemory& to) {
    Blend();
    Images();
    Start(X, from);
    for (int sweep = 0; sweep < kLayerSweeps; ++sweep) {
      const float slack = static_cast<float>(SlackOf(sweep, numbers_.friction > 0, deepest));
      team_.Mark(LayerPhase::kPressure);
      if (sweep > 0) Lift();
      if (SolveLayerNormal(team_, t_, w_, slack, sweep == 0 ? kLayerPressureRounds : kLayerPressureRounds / 2,
                           rounds_))
        Spread();
      if (!(numbers_.friction > 0)) break;
      team_.Mark(LayerPhase::kFriction);
      if (sweep == 0) {
        Friction(false, slack, kLayerFreeRounds);
        Follow();
      }
      Friction(true, slack, kLayerFrictionRounds);
    }
    team_.Mark(LayerPhase::kOther);
    const float *p = w_.field(kSlotP), *tx = w_.field(kSlotTx), *ty = w_.field(kSlotTy);
    const LayerFlags* flags = w_.flags();
    const int room = kLayerChunk * s_.most_chunks;
    const int count = team_.List(
        w_.slots(), [&](int i) { return flags[i].reach && p[i] > 0; },
        [&](int place, int i) {
          if (place < room) to.contact[place] = {w_.cell_of(s_, i), flags[i].owner, tx[i], ty[i], p[i]};
        });
    if (count > room) return false;
    Remember(team_, s_, X, count, to);
    return true;
  }

 private:
  // Tables for the thickness of the gel where it is touched.
  TAXEL_HD void Blend() {
    LayerInfluences& t = t_;
    t = {};
    t.size = s_.table_size, t.middle = (s_.nx - 1) * s_.stride + s_.across();
    t.low = s_.tables, t.low_spectrum = s_.spectra;
    if (s_.levels == 1) return;
    const LayerTotals sum = team_.template Reduce<LayerTotals>(w_.slots(), [&](int i, LayerTotals* total) {
      if (!w_.flags()[i].reach) return;
      const int cell = w_.cell_of(s_, i);
      const float over = -m_.height[cell];
      if (!(over > 0)) return;
      total->a += over * static_cast<float>(s_.place_of(cell).height);
      total->b += over;
    });
    const double thick =
        sum.b > 0 ? s_.thickness + static_cast<double>(sum.a) / static_cast<double>(sum.b) : s_.thickness;
    int level = 0;
    while (level + 2 < s_.levels && s_.level_thickness[level + 1] < thick) ++level;
    const double low = s_.level_thickness[level], high = s_.level_thickness[level + 1];
    const double share = high > low ? (thick - low) / (high - low) : 0;
    t.level = level;
    t.low += static_cast<std::size_t>(level) * 6 * static_cast<std::size_t>(t.size);
    t.high = t.low + 6 * static_cast<std::size_t>(t.size);
    t.low_spectrum += level * LayerScene::kSpectrumSize;
    t.high_spectrum = t.low_spectrum + LayerScene::kSpectrumSize;
    t.share = static_cast<float>(share < 0 ? 0.0 : (share > 1 ? 1.0 : share));
  }

  template <LayerSum kSum, typename Sink>
  TAXEL_HD void Sum(LayerSlot a, LayerSlot b, const Sink& sink) {
    SumOf<kSum, LayerNothing>(team_, t_, w_, a, b,
                              [&](int i, float u, float v, LayerNothing*) { sink(i, u, v); });
  }

  // What the tractions do: along the surface in Ux, Uy; along the normal T in Overlap, P in Residual.
  TAXEL_HD void Images() {
    float *ux = w_.field(kSlotUx), *uy = w_.field(kSlotUy), *lift = w_.field(kSlotOverlap),
          *sink = w_.field(kSlotResidual);
    Sum<LayerSum::kTangential>(kSlotTx, kSlotTy, [&](int i, float u, float v) { ux[i] = u, uy[i] = v; });
    Sum<LayerSum::kSpread>(kSlotP, kSlotP, [&](int i, float u, float v) { ux[i] += u, uy[i] += v; });
    Sum<LayerSum::kNormal>(kSlotP, kSlotP, [&](int i, float u, float) { sink[i] = u; });
    Sum<LayerSum::kLift>(kSlotTx, kSlotTy, [&](int i, float u, float) { lift[i] = u; });
  }

  // Motion of the objects at the cells, tractions that go on, and which cells were open.
  TAXEL_HD void Start(const Pose* X, const LayerMemory& from) {
    team_.For(s_.objects, [&](int o) {
      m_.before[o] = Inverse(from.X_PI[o]);
      m_.change[o] = X[o] * m_.before[o];
    });
    float *slope_x = w_.field(kSlotSlopeX), *slope_y = w_.field(kSlotSlopeY);
    const LayerAny dropped = team_.template Reduce<LayerAny>(w_.slots(), [&](int i, LayerAny* drops) {
      LayerFlags& f = w_.flags()[i];
      float target_x = 0, target_y = 0, closed = 1;
      const bool goes_on = f.reach && f.before == f.owner;
      f.open = !goes_on;
      if (!goes_on && w_.field(kSlotP)[i] > 0) {  // friction needs pressure
        drops->any = 1;
        w_.field(kSlotP)[i] = w_.field(kSlotTx)[i] = w_.field(kSlotTy)[i] = 0;
      }
      const float ux = w_.field(kSlotUx)[i], uy = w_.field(kSlotUy)[i];
      if (f.reach) {
        const int cell = w_.cell_of(s_, i);
        const LayerPlace at = s_.place_of(cell);
        const double height = m_.height[cell], uz = w_.field(kSlotOverlap)[i] - w_.field(kSlotResidual)[i];
        const Vec3 moved = CarriedBy(m_.change[f.owner], at.p + static_cast<double>(ux) * at.e1 +
                                                             static_cast<double>(uy) * at.e2 +
                                                             (f.open ? height : uz) * at.g);
        target_x = static_cast<float>(dot(moved, at.e1));
        target_y = static_cast<float>(dot(moved, at.e2));
        const double after = height - uz;
        if (f.open && after < 0)
          closed = static_cast<float>(
              ClosedPart(HeightOver(s_, s_.object[f.owner], m_.before[f.owner], at) - uz, after));
      }
      slope_x[i] = -target_x - ux;
      slope_y[i] = -target_y - uy;
      w_.field(kSlotClosed)[i] = closed;
    });
    if (dropped.any) Images();
    team_.For(w_.slots(), [&](int i) {
      slope_x[i] += w_.field(kSlotUx)[i];
      slope_y[i] += w_.field(kSlotUy)[i];
      w_.field(kSlotSpreadP)[i] = w_.field(kSlotP)[i];
      const bool reach = w_.flags()[i].reach;
      float &overlap = w_.field(kSlotOverlap)[i], &residual = w_.field(kSlotResidual)[i];
      overlap = reach ? overlap - m_.height[w_.cell_of(s_, i)] : 0.0f;
      residual = reach ? residual - overlap : 0.0f;
    });
  }

  // The overlap under the friction of now.
  TAXEL_HD void Lift() {
    float *overlap = w_.field(kSlotOverlap), *residual = w_.field(kSlotResidual);
    const LayerFlags* flags = w_.flags();
    Sum<LayerSum::kLift>(kSlotTx, kSlotTy, [&](int i, float u, float) {
      if (!flags[i].reach) return;
      const float now = u - m_.height[w_.cell_of(s_, i)];
      residual[i] += overlap[i] - now;
      overlap[i] = now;
    });
  }

  // What the pressures have come to do along the surface.
  TAXEL_HD void Spread() {
    float *p = w_.field(kSlotP), *before = w_.field(kSlotSpreadP), *change = w_.field(kSlotStepX),
          *slope_x = w_.field(kSlotSlopeX), *slope_y = w_.field(kSlotSlopeY);
    team_.For(w_.slots(), [&](int i) {
      change[i] = p[i] - before[i];
      before[i] = p[i];
    });
    Sum<LayerSum::kSpread>(kSlotStepX, kSlotStepX,
                           [&](int i, float u, float v) { slope_x[i] += u, slope_y[i] += v; });
  }

  TAXEL_HD void Friction(bool fresh_too, float tolerance, int limit) {
    SolveLayerTangential(team_, t_, w_, numbers_.friction, fresh_too, tolerance, limit, &way_, rounds_ + 1);
  }

  // Cells that close only now stick from where the gel was then: with u where it would go without them and c
  // the part of the increment during which they are closed,
  //     u - (u_before + (1 - c) (u - u_before) + c target) = c (u - u_before - target)
  TAXEL_HD void Follow() {
    float *slope_x = w_.field(kSlotSlopeX), *slope_y = w_.field(kSlotSlopeY);
    const float *p = w_.field(kSlotP), *closed = w_.field(kSlotClosed);
    const LayerFlags* flags = w_.flags();
    team_.For(w_.slots(), [&](int i) {
      if (!flags[i].open || !(p[i] > 0)) return;
      slope_x[i] *= closed[i];
      slope_y[i] *= closed[i];
    });
  }

  Team& team_;
  const LayerScene& s_;
  const LayerScratch& m_;
  const LayerNumbers& numbers_;
  const Work w_;
  LayerInfluences& t_;
  int* rounds_;
  float way_ = 0;  // of the solver of friction
};

/// An increment from one memory to another, which may be the same, to the poses X, which the last Meet was
/// about and `deepest` comes from. influences: what it was solved with. Where the outcome is not good, what
/// is in `to` is worth nothing.
/// @tparam kChunks whether contacts that no window holds are solved, too
template <bool kChunks, typename Team>
TAXEL_HD inline LayerOutcome SolveIncrement(Team& team, const LayerScene& s, const LayerScratch& m,
                                            const LayerNumbers& numbers, const Pose* X, double deepest,
                                            const LayerMemory& from, const LayerMemory& to,
                                            LayerInfluences* influences, int* rounds) {
  if (!(deepest > 0)) {
    Remember(team, s, X, 0, to);
    return LayerOutcome::kGood;
  }
  team.Mark(LayerPhase::kBegin);
  const float highest = static_cast<float>(kLayerBulge * deepest);
  const LayerBounds bounds = BoundsOf(team, s, m, highest, from);
  LayerWindow window;
  bool fits = BeginWork(team, s, m, bounds, highest, from, &window);
  if (fits) {
    fits = LayerIncrement<Team, LayerWindow>(&team, s, m, numbers, window, influences, rounds)
               .Solve(X, deepest, from, to);
  } else if constexpr (kChunks) {
    LayerChunks chunks;
    fits = BeginWork(team, s, m, bounds, highest, from, &chunks) &&
           LayerIncrement<Team, LayerChunks>(&team, s, m, numbers, chunks, influences, rounds)
               .Solve(X, deepest, from, to);
  } else {
    return LayerOutcome::kWide;
  }
  return fits ? LayerOutcome::kGood : LayerOutcome::kOverflow;
}

}  // namespace taxel::internal
