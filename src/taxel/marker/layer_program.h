// The two quadratic programs of LayerSolver, by a team of lanes; the same iteration, with sums in another
// order. What tractions do is carried along with them, so that a program asks for no sum it has had.
#pragma once

#include "taxel/marker/layer_work.h"

namespace taxel::internal {

/// Of the residuals of a normal problem.
struct LayerCheck {
  float square = 0;
  float worst = 0;
  int clipped = 0, entered = 0;
  TAXEL_HD void See(float p, float r) {
    if (p > 0) square += r * r;
    const float off = p > 0 ? (r < 0 ? -r : r) : -r;
    worst = off > worst ? off : worst;
  }
  TAXEL_HD void Join(const LayerCheck& o) {
    square += o.square;
    worst = o.worst > worst ? o.worst : worst;
    clipped |= o.clipped, entered |= o.entered;
  }
};

/// The pressures that keep the gel out of kSlotOverlap, from those that are there, to which kSlotResidual
/// belongs before and after (LayerSolver::SolveNormal). Whether they have changed.
template <typename Team, typename Work>
TAXEL_HD inline bool SolveLayerNormal(Team& team, const LayerInfluences& t, const Work& w, float tolerance,
                                      int limit, int* rounds) {
  float *p = w.field(kSlotP), *residual = w.field(kSlotResidual), *direction = w.field(kSlotDirection),
        *image = w.field(kSlotImage);
  const float* h = w.field(kSlotOverlap);
  const LayerFlags* flags = w.flags();
  const int n = w.slots();
  const auto times = [&] {  // image = A direction
    return SumOf<LayerSum::kNormal, LayerTotals>(
        team, t, w, kSlotDirection, kSlotDirection, [&](int i, float u, float, LayerTotals* sum) {
          image[i] = u;
          sum->a += direction[i] * u, sum->b += direction[i] * residual[i];
        });
  };
  const auto renew = [&] {
    return SumOf<LayerSum::kNormal, LayerCheck>(team, t, w, kSlotP, kSlotP,
                                                [&](int i, float u, float, LayerCheck* c) {
                                                  residual[i] = flags[i].reach ? u - h[i] : 0.0f;
                                                  c->See(p[i], residual[i]);
                                                });
  };
  const LayerAny pressed = team.template Reduce<LayerAny>(n, [&](int i, LayerAny* any) {
    any->any |= p[i] > 0;
    direction[i] = image[i] = 0;
  });
  LayerCheck check;
  if (!pressed.any) {
    // As much of the overlap as fits it best: residual = -h here.
    team.For(n, [&](int i) { direction[i] = flags[i].reach && h[i] > 0 ? h[i] : 0.0f; });
    const LayerTotals sum = times();
    const float scale = sum.a > 0 ? -sum.b / sum.a : 0;
    team.For(n, [&](int i) { p[i] = scale * direction[i]; });
    check = renew();
  } else {
    check = team.template Reduce<LayerCheck>(n, [&](int i, LayerCheck* c) { c->See(p[i], residual[i]); });
  }
  float before = 1;
  bool keep = false;
  for (int round = 0; round < limit; ++round) {
    if (check.worst <= tolerance) return round > 0 || !pressed.any;
    ++*rounds;
    const float beta = keep ? check.square / before : 0;
    team.For(n, [&](int i) { direction[i] = p[i] > 0 ? -residual[i] + beta * direction[i] : 0.0f; });
    before = check.square;
    LayerTotals sum = times();
    const bool steep = !(sum.a > 0);
    if (steep) {  // nothing active: a step of steepest descent over what overlaps
      team.For(n, [&](int i) { direction[i] = residual[i] < 0 ? -residual[i] : 0.0f; });
      sum = times();
      if (!(sum.a > 0)) return true;
    }
    const float step = -sum.b / sum.a;
    check = team.template Reduce<LayerCheck>(n, [&](int i, LayerCheck* c) {
      const float r = residual[i];
      if (p[i] > 0) {
        p[i] += step * (steep ? 0.0f : direction[i]);
        if (!(p[i] > 0)) p[i] = 0, c->clipped = 1;
      } else if (r < 0) {
        p[i] = -step * r;
        c->entered = 1;
      }
      if (steep) direction[i] = 0;
      // Made anew below where a cell has come in or gone.
      residual[i] = flags[i].reach ? r + step * image[i] : 0.0f;
      c->See(p[i], residual[i]);
    });
    keep = !check.entered;
    if (check.entered || check.clipped) check = renew();
  }
  return true;
}

/// Of one step of the tangential problem.
struct LayerMove {
  float worst = 0;
  TAXEL_HD void See(float x, float y) {
    const float a = x < 0 ? -x : x, b = y < 0 ? -y : y, most = a > b ? a : b;
    worst = most > worst ? most : worst;
  }
  TAXEL_HD void Join(const LayerMove& o) { worst = o.worst > worst ? o.worst : worst; }
};

/// Tractions within friction times pressure that bring the gel along with the object (LayerSolver::
/// SolveTangential), from those that are there, to which kSlotSlopeX and kSlotSlopeY belong before and after.
/// Cells that were open have no bound but where fresh_too. last_step: the first step, as an earlier problem
/// with these cells has left it, or 0; afterwards the last.
template <typename Team, typename Work>
TAXEL_HD inline void SolveLayerTangential(Team& team, const LayerInfluences& t, const Work& w, float friction,
                                          bool fresh_too, float tolerance, int limit, float* last_step,
                                          int* rounds) {
  float *x = w.field(kSlotTx), *y = w.field(kSlotTy), *slope_x = w.field(kSlotSlopeX),
        *slope_y = w.field(kSlotSlopeY), *step_x = w.field(kSlotStepX), *step_y = w.field(kSlotStepY),
        *image_x = w.field(kSlotImageX), *image_y = w.field(kSlotImageY);
  const float* p = w.field(kSlotP);
  const LayerFlags* flags = w.flags();
  const int n = w.slots();
  const auto bound = [&](int i) { return fresh_too || !flags[i].open ? friction * p[i] : 0.0f; };
  const auto square = [&](int i, LayerTotals* sum) {
    if (bound(i) > 0) sum->a += slope_x[i] * slope_x[i] + slope_y[i] * slope_y[i];
  };
  // What the bounds of now take away.
  const LayerMove cut = team.template Reduce<LayerMove>(n, [&](int i, LayerMove* m) {
    const float old_x = x[i], old_y = y[i];
    CutToDisc(bound(i), &x[i], &y[i]);
    step_x[i] = x[i] - old_x, step_y[i] = y[i] - old_y;
    image_x[i] = image_y[i] = 0;
    m->See(step_x[i], step_y[i]);
  });
  const LayerTotals start =
      cut.worst > 0
          ? SumOf<LayerSum::kTangential, LayerTotals>(team, t, w, kSlotStepX, kSlotStepY,
                                                      [&](int i, float u, float v, LayerTotals* sum) {
                                                        slope_x[i] += u, slope_y[i] += v;
                                                        square(i, sum);
                                                      })
          : team.template Reduce<LayerTotals>(n, [&](int i, LayerTotals* sum) { square(i, sum); });
  if (!(start.a > 0)) return;
  float step = *last_step;
  if (!(step > 0)) {
    team.For(n, [&](int i) {
      const bool in = bound(i) > 0;
      step_x[i] = in ? slope_x[i] : 0.0f, step_y[i] = in ? slope_y[i] : 0.0f;
    });
    const LayerTotals first = SumOf<LayerSum::kTangential, LayerTotals>(
        team, t, w, kSlotStepX, kSlotStepY,
        [&](int i, float u, float v, LayerTotals* sum) { sum->a += step_x[i] * u + step_y[i] * v; });
    step = *last_step = start.a / (first.a > 1e-37f ? first.a : 1e-37f);
  }
  float length = 0;  // of the step before, which is taken when the next one is made
  const auto take = [&](int i) {
    x[i] += length * step_x[i];
    y[i] += length * step_y[i];
    slope_x[i] += length * image_x[i];
    slope_y[i] += length * image_y[i];
  };
  for (int round = 0; round < limit; ++round) {
    const LayerMove move = team.template Reduce<LayerMove>(n, [&](int i, LayerMove* m) {
      if (round > 0) take(i);
      const float most = bound(i);
      if (!(most > 0)) {
        step_x[i] = step_y[i] = 0;
        return;
      }
      float u = x[i] - step * slope_x[i], v = y[i] - step * slope_y[i];
      CutToDisc(most, &u, &v);
      step_x[i] = u - x[i];
      step_y[i] = v - y[i];
      m->See(step_x[i], step_y[i]);
    });
    if (move.worst <= tolerance * step) return;
    ++*rounds;
    const LayerTotals sum = SumOf<LayerSum::kTangential, LayerTotals>(
        team, t, w, kSlotStepX, kSlotStepY, [&](int i, float u, float v, LayerTotals* total) {
          image_x[i] = u;
          image_y[i] = v;
          const float a = step_x[i], b = step_y[i];
          total->a += a * u + b * v;
          total->b += slope_x[i] * a + slope_y[i] * b;
          total->c += a * a + b * b;
        });
    if (!(sum.a > 0)) return;
    const float reach = -sum.b / sum.a;
    length = reach < 1 ? reach : 1.0f;
    step = *last_step = sum.c / sum.a;
  }
  team.For(n, take);
}

}  // namespace taxel::internal
