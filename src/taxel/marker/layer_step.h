// One step of a gel of mode layer, by a team of lanes: LayerField::Step.
#pragma once

#include "taxel/marker/layer_increment.h"
#include "taxel/marker/layer_output.h"
#include "taxel/math/kernel_pose.h"

namespace taxel::internal {

struct LayerBox {
  Box3 box;
  TAXEL_HD void Join(const LayerBox& o) { box.Include(o.box); }
};
struct LayerAny {
  int any = 0;
  TAXEL_HD void Join(const LayerAny& o) { any |= o.any; }
};

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

enum class LayerOutcome { kGood, kNotFinite, kOverflow };

/// rounds: two numbers that go on by the rounds of the normal and the tangential solver.
template <typename Team>
class LayerStep {
 public:
  TAXEL_HD LayerStep(Team* team, const LayerScene& scene, const LayerScratch& scratch,
                     const LayerNumbers& numbers, int* rounds)
      : team_(*team),
        s_(scene),
        m_(scratch),
        numbers_(numbers),
        increment_(team, scene, scratch, numbers, rounds) {}

  /// Moves the objects to X (objects poses in memory that all lanes see); shift: of the gravity pass, or
  /// null. Where the outcome is not good the output is NaN and the memory as it was (but for chunks that do
  /// not fit in the gravity pass alone).
  TAXEL_HD LayerOutcome Run(const Pose* X, const Vec3* shift, const LayerMemory& kept,
                            const LayerOutput& out) {
    const LayerAny lost = team_.template Reduce<LayerAny>(
        s_.objects, [&](int o, LayerAny* a) { a->any |= !IsFinitePose(X[o]); });
    if (lost.any || (shift && !IsFinitePose({{}, *shift}))) {
      WriteLost(team_, s_, out);
      return LayerOutcome::kNotFinite;
    }
    // The memory itself changes last: what does not fit leaves it as it was.
    Copy(kept, m_.passing);
    bool moves = false, fits = Advance(X, m_.passing, &moves);
    if (fits && !shift) Copy(moves ? m_.shown : m_.passing, kept);
    if (fits && shift) {
      // Both passes work in `passing`; what is remembered is that of the first.
      Copy(moves ? m_.shown : m_.passing, kept);
      Copy(m_.shown, m_.passing);
      team_.For(s_.objects, [&](int o) { m_.shifted[o] = Pose{{}, *shift} * X[o]; });
      fits = Advance(m_.shifted, m_.passing, &moves);
    }
    if (!fits) {
      WriteLost(team_, s_, out);
      return LayerOutcome::kOverflow;
    }
    WriteReading(team_, s_, m_, numbers_, increment_.influences(), m_.shown, out);
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

  TAXEL_HD double Meet(const Pose* X) { return MeetObjects(team_, s_, m_, X); }

  // Boxes around the cells where objects overlap the gel, of the last Meet.
  TAXEL_HD void Nearby() {
    for (int o = 0; o < s_.objects; ++o) {
      const LayerBox near = team_.template Reduce<LayerBox>(s_.cells(), [&](int k, LayerBox* b) {
        if (m_.height[k] < 0 && m_.owner[k] == o) b->box.Include(s_.place_of(k).p);
      });
      team_.For(1, [&](int) { m_.near[o] = near.box; });
    }
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

  // From `state` to X in increments: the tractions there in `shown`, those before the last increment in
  // `state`. moves: whether what is shown is to be remembered. False where chunks do not fit.
  TAXEL_HD bool Advance(const Pose* X, const LayerMemory& state, bool* moves) {
    const bool started = state.head->started != 0;
    const int held = state.head->count;
    const double deepest = Meet(X);
    if (deepest > 0) Nearby();
    team_.For(s_.objects, [&](int o) {
      if (!started) {
        state.X_PI[o] = X[o];
        state.X_PI[o].p.z += deepest;
        if (o == 0) state.head->started = 1;
      }
      m_.start[o] = state.X_PI[o];
    });
    int count = deepest > 0 ? Increments(m_.start, X) : 1;
    bool met = true;
    if (count > s_.substeps && held == 0) {
      // Whatever happened above the gel does not matter: from where it is touched first.
      double above = 0, inside = 1;
      for (int round = 0; round < 12; ++round) {
        const double middle = 0.5 * (above + inside);
        Part(X, middle);
        (Meet(m_.part) > 0 ? inside : above) = middle;
      }
      Part(X, above);
      team_.For(s_.objects, [&](int o) { m_.start[o] = state.X_PI[o] = m_.part[o]; });
      count = Increments(m_.start, X);
      met = false;
    }
    for (int i = 1; i < count; ++i) {
      Part(X, 1.0 * i / count);
      if (!increment_.Solve(m_.part, Meet(m_.part), state, state)) return false;
      met = false;
    }
    if (!met) Meet(X);
    if (!increment_.Solve(X, deepest, state, m_.shown)) return false;
    // A way shorter than the solver can tell is not remembered by itself, or a slow motion would be lost bit
    // by bit: the next step then solves for all of it, from the same tractions.
    *moves = !(deepest > 0) || Way(state.X_PI, X) >= kLayerLeast * deepest;
    return true;
  }

  Team& team_;
  const LayerScene& s_;
  const LayerScratch& m_;
  const LayerNumbers& numbers_;
  LayerIncrement<Team> increment_;
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
