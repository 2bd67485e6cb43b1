// One step of a gel of mode layer, by a team of lanes: LayerField::Step.
#pragma once

#include "taxel/marker/layer_increment.h"
#include "taxel/marker/layer_output.h"
#include "taxel/math/kernel_pose.h"

namespace taxel::internal {

/// As InterpolatePose.
TAXEL_HD inline Pose PoseBetween(const Pose& from, const Pose& to, double at) {
  KernelPose<double> a, b;
  for (int i = 0; i < 9; ++i) a.r[i] = from.R.m[i], b.r[i] = to.R.m[i];
  for (int i = 0; i < 3; ++i) a.t[i] = from.p[i], b.t[i] = to.p[i];
  const KernelPose<double> c = Interpolate(a, b, at);
  Pose out;
  for (int i = 0; i < 9; ++i) out.R.m[i] = c.r[i];
  out.p = {c.t[0], c.t[1], c.t[2]};
  return out;
}

TAXEL_HD inline bool IsFinitePose(const Pose& X) {
  double sum = X.p.x + X.p.y + X.p.z;
  for (int i = 0; i < 9; ++i) sum += X.R.m[i];
  return sum - sum == 0;
}

/// rounds: two numbers that go on by the rounds of the normal and the tangential solver.
/// @tparam kChunks whether contacts that no window holds are stepped, too; without, there is no gravity pass
template <typename Team, bool kChunks = true>
class LayerStep {
 public:
  TAXEL_HD LayerStep(Team* team, const LayerScene& scene, const LayerScratch& scratch,
                     const LayerNumbers& numbers, int* rounds)
      : team_(*team), s_(scene), m_(scratch), numbers_(numbers), rounds_(rounds) {}

  /// Moves the objects to X (objects poses in memory that all lanes see); shifted: with a gravity pass, by
  /// the shifts in `shifted` of the scratch. Where the outcome is not good the memory is as it was (but for
  /// cells that do not fit in the gravity pass alone) and the output NaN; where it is kWide nothing is
  /// written.
  TAXEL_HD LayerOutcome Run(const Pose* X, bool shifted, const LayerMemory& kept, const LayerOutput& out) {
    const LayerAny lost = team_.template Reduce<LayerAny>(s_.objects, [&](int o, LayerAny* a) {
      a->any |= !IsFinitePose(X[o]) || (shifted && !IsFinitePose(m_.shifted[o]));
    });
    if (lost.any) {
      WriteLost(team_, s_, out);
      return LayerOutcome::kNotFinite;
    }
    // The memory itself changes last: what does not fit leaves it as it was.
    Advanced done = Advance(X, kept);
    if (done.outcome == LayerOutcome::kWide) return done.outcome;
    const bool fits = done.outcome == LayerOutcome::kGood;
    if (fits && done.moves)
      Copy(m_.shown, kept);
    else if (fits && done.passes)
      Copy(m_.passing, kept);
    if (fits && shifted) {
      // What is remembered is that of the first pass.
      Copy(m_.shown, m_.passing);
      team_.For(s_.objects, [&](int o) { m_.shifted[o] = m_.shifted[o] * X[o]; });
      done = Advance(m_.shifted, m_.passing);
    }
    if (done.outcome != LayerOutcome::kGood) {
      WriteLost(team_, s_, out);
      return done.outcome;
    }
    team_.Mark(LayerPhase::kOutput);
    WriteReading(team_, s_, m_, numbers_, influences_, m_.shown, out);
    team_.Mark(LayerPhase::kOther);
    return LayerOutcome::kGood;
  }

 private:
  TAXEL_HD void Copy(const LayerMemory& from, const LayerMemory& to) {
    const int count = from.head->count;
    team_.For(count, [&](int i) { to.contact[i] = from.contact[i]; });
    team_.For(s_.objects, [&](int o) {
      to.X_PI[o] = from.X_PI[o];
      if (o == 0) *to.head = {from.head->started, count};
    });
  }

  TAXEL_HD double Meet(const Pose* X) {
    team_.Mark(LayerPhase::kMeet);
    const double deepest = MeetObjects(team_, s_, m_, X);
    team_.Mark(LayerPhase::kOther);
    return deepest;
  }

  TAXEL_HD LayerOutcome Increment(const Pose* X, double deepest, const LayerMemory& from,
                                  const LayerMemory& to) {
    return SolveIncrement<kChunks>(team_, s_, m_, numbers_, X, deepest, from, to, &influences_, rounds_);
  }

  // The longest way of a point of an object in contact.
  TAXEL_HD double Way(const Pose* from, const Pose* to) {
    return team_
        .template Reduce<LayerMost>(4 * s_.objects,
                                    [&](int i, LayerMost* most) {
                                      const int o = i / 4, corner = i % 4;
                                      const Box3& b = m_.near[o];
                                      if (b.empty()) return;
                                      const Vec3 p{corner & 1 ? b.hi.x : b.lo.x, corner & 2 ? b.hi.y : b.lo.y,
                                                   0.5 * (b.lo.z + b.hi.z)};
                                      most->Include(norm(CarriedBy(to[o] * Inverse(from[o]), p)));
                                    })
        .value;
  }
  TAXEL_HD int Increments(const Pose* from, const Pose* to) {
    const double parts = std::ceil(Way(from, to) / s_.step - 1e-6);
    const int count = parts < kLayerMostIncrements ? static_cast<int>(parts) : kLayerMostIncrements;
    return count < s_.substeps ? s_.substeps : count;
  }
  TAXEL_HD void Part(const Pose* X, double at) {
    team_.For(s_.objects, [&](int o) { m_.part[o] = PoseBetween(m_.start[o], X[o], at); });
  }

  // moves: whether `shown` is to be remembered; passes: whether what comes before the last increment is no
  // longer what was kept, but in `passing`.
  struct Advanced {
    LayerOutcome outcome;
    bool moves, passes;
  };
  // From a memory to X in increments: the tractions there in `shown`.
  TAXEL_APART TAXEL_HD Advanced Advance(const Pose* X, const LayerMemory& kept) {
    const bool started = kept.head->started != 0;
    const int held = kept.head->count;
    const double deepest = Meet(X);
    if (deepest > 0) BoxOverlaps(team_, s_, m_);
    team_.For(s_.objects, [&](int o) {
      m_.start[o] = started ? kept.X_PI[o] : X[o];
      if (!started) m_.start[o].p.z += deepest;
    });
    int count = deepest > 0 ? Increments(m_.start, X) : 1;
    bool met = true;
    Advanced out{LayerOutcome::kGood, false, !started || count > 1};
    if (count > s_.substeps && held == 0) {
      // Whatever happened above the gel does not matter: from where it is touched first.
      double above = 0, inside = 1;
      for (int round = 0; round < 12; ++round) {
        const double middle = 0.5 * (above + inside);
        Part(X, middle);
        (Meet(m_.part) > 0 ? inside : above) = middle;
      }
      Part(X, above);
      team_.For(s_.objects, [&](int o) { m_.start[o] = m_.part[o]; });
      count = Increments(m_.start, X);
      met = false;
      out.passes = true;
    }
    LayerMemory state = kept;
    if (out.passes) {
      Copy(kept, m_.passing);
      state = m_.passing;
      team_.For(s_.objects, [&](int o) {
        state.X_PI[o] = m_.start[o];
        if (o == 0) state.head->started = 1;
      });
    }
    for (int i = 1; i < count; ++i) {
      Part(X, 1.0 * i / count);
      out.outcome = Increment(m_.part, Meet(m_.part), state, state);
      if (out.outcome != LayerOutcome::kGood) return out;
      met = false;
    }
    if (!met) Meet(X);
    out.outcome = Increment(X, deepest, state, m_.shown);
    if (out.outcome != LayerOutcome::kGood) return out;
    // A way shorter than the solver can tell is not remembered by itself, or a slow motion would be lost bit
    // by bit: the next step then solves for all of it, from the same tractions.
    out.moves = !(deepest > 0) || Way(state.X_PI, X) >= kLayerLeast * deepest;
    return out;
  }

  Team& team_;
  const LayerScene& s_;
  const LayerScratch& m_;
  const LayerNumbers& numbers_;
  LayerInfluences influences_;
  int* rounds_;
};

/// Forgets; keep_normal: the tangential tractions alone.
template <typename Team>
TAXEL_HD inline void ResetLayer(Team& team, const LayerScene& s, bool keep_normal, const LayerMemory& kept) {
  if (keep_normal) {
    team.For(kept.head->count, [&](int i) { kept.contact[i].tx = kept.contact[i].ty = 0; });
    return;
  }
  team.For(s.objects, [&](int o) {
    kept.X_PI[o] = Pose{};
    if (o == 0) *kept.head = {0, 0};
  });
}

}  // namespace taxel::internal
