// The two quadratic programs of LayerSolver, by a team of lanes; the same iteration, with sums in another
// order. What tractions do is carried along with them, so that a program asks for no sum it has had.
#pragma once

#include "taxel/marker/layer_direction.h"
#include "taxel/marker/layer_work.h"

namespace taxel::internal {

/// Of the residuals of a normal problem.
struct LayerCheck {
  float worst = 0;
  int clipped = 0, entered = 0;
  TAXEL_HD void See(float p, float r) {
    const float off = p > 0 ? (r < 0 ? -r : r) : -r;
    worst = off > worst ? off : worst;
  }
  TAXEL_HD void Join(const LayerCheck& o) {
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
        *image = w.field(kSlotImage), *free = w.field(kSlotFree), *sharp = w.field(kSlotSharp);
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
  const auto see = [&](int i, LayerCheck* c) {
    c->See(p[i], residual[i]);
    free[i] = p[i] > 0 || residual[i] < 0 ? residual[i] : 0.0f;
  };
  const auto renew = [&] {
    return SumOf<LayerSum::kNormal, LayerCheck>(team, t, w, kSlotP, kSlotP,
                                                [&](int i, float u, float, LayerCheck* c) {
                                                  residual[i] = flags[i].reach ? u - h[i] : 0.0f;
                                                  see(i, c);
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
    check = team.template Reduce<LayerCheck>(n, see);
  }
  bool keep = false;
  for (int round = 0; round < limit; ++round) {
    if (check.worst <= tolerance) return round > 0 || !pressed.any;
    ++*rounds;
    const LayerTotals turn = team.template Reduce<LayerTotals>(n, [&](int i, LayerTotals* sum) {
      sharp[i] = p[i] > 0 || free[i] < 0 ? free[i] - w.around(i, free) : 0.0f;
      sum->a += direction[i] * image[i], sum->b += sharp[i] * image[i];
    });
    const float beta = keep && turn.a > 0 ? turn.b / turn.a : 0;
    team.For(n,
             [&](int i) { direction[i] = p[i] > 0 || free[i] < 0 ? beta * direction[i] - sharp[i] : 0.0f; });
    const LayerTotals sum = times();
    if (!(sum.a > 0)) return true;
    const float step = -sum.b / sum.a;
    check = team.template Reduce<LayerCheck>(n, [&](int i, LayerCheck* c) {
      const float before = p[i];
      float now = before + step * direction[i];
      if (now < 0) now = direction[i] = 0, c->clipped = 1;
      if (now > 0 && !(before > 0)) c->entered = 1;
      p[i] = now;
      // Made anew below where a pressure was cut.
      if (flags[i].reach) residual[i] += step * image[i];
      see(i, c);
    });
    keep = !check.entered;
    if (check.clipped) check = renew();
  }
  return true;
}

/// Of a slope: how far from its end, and products that say where to go next.
struct LayerTurn {
  float worst = 0;
  float sharp_image = 0, step_image = 0;  ///< of M g and of the last step with what that step does
  float down = 0, along = 0;              ///< of the same with the slope
  TAXEL_HD void Join(const LayerTurn& o) {
    worst = o.worst > worst ? o.worst : worst;
    sharp_image += o.sharp_image, step_image += o.step_image, down += o.down, along += o.along;
  }
};

/// Tractions within friction times pressure that bring the gel along with the object (LayerSolver::
/// SolveTangential), from those that are there, to which kSlotSlopeX and kSlotSlopeY belong before and after.
/// Cells that were open have no bound but where fresh_too. way: along the first direction, as an earlier
/// problem with these cells has left it, or 0; afterwards the last.
template <typename Team, typename Work>
TAXEL_HD inline void SolveLayerTangential(Team& team, const LayerInfluences& t, const Work& w, float friction,
                                          bool fresh_too, float tolerance, int limit, float* way,
                                          int* rounds) {
  float *x = w.field(kSlotTx), *y = w.field(kSlotTy), *slope_x = w.field(kSlotSlopeX),
        *slope_y = w.field(kSlotSlopeY), *step_x = w.field(kSlotStepX), *step_y = w.field(kSlotStepY),
        *image_x = w.field(kSlotImageX), *image_y = w.field(kSlotImageY);
  const float* p = w.field(kSlotP);
  const LayerFlags* flags = w.flags();
  const int n = w.slots();
  const float self = t.self();
  const auto bound = [&](int i) { return fresh_too || !flags[i].open ? friction * p[i] : 0.0f; };
  // What the bounds of now take away.
  const LayerAny cut = team.template Reduce<LayerAny>(n, [&](int i, LayerAny* any) {
    const float old_x = x[i], old_y = y[i];
    CutToDisc(bound(i), &x[i], &y[i]);
    step_x[i] = x[i] - old_x, step_y[i] = y[i] - old_y;
    image_x[i] = image_y[i] = 0;
    any->any |= step_x[i] != 0 || step_y[i] != 0;
  });
  if (cut.any)
    SumOf<LayerSum::kTangential, LayerNothing>(
        team, t, w, kSlotStepX, kSlotStepY,
        [&](int i, float u, float v, LayerNothing*) { slope_x[i] += u, slope_y[i] += v; });
  float length = 0;  // of the step before, which is taken when the next one is made
  const auto take = [&](int i) {
    x[i] += length * step_x[i];
    y[i] += length * step_y[i];
    slope_x[i] += length * image_x[i];
    slope_y[i] += length * image_y[i];
  };
  if (!(*way > 0)) *way = 1 / self;
  bool go_on = true;
  for (int round = 0; round < limit; ++round) {
    const LayerTurn turn = team.template Reduce<LayerTurn>(n, [&](int i, LayerTurn* sum) {
      if (round > 0) take(i);
      const float most = bound(i);
      if (!(most > 0)) return;
      const float unrest = Unrest(most, x[i], y[i], slope_x[i], slope_y[i], self);
      sum->worst = unrest > sum->worst ? unrest : sum->worst;
      const LayerRim rim(most, x[i], y[i], slope_x[i], slope_y[i], self);
      float a = slope_x[i], b = slope_y[i], last_x = round > 0 ? step_x[i] : 0,
            last_y = round > 0 ? step_y[i] : 0;
      rim.Along(&a, &b);
      rim.Along(&last_x, &last_y);
      sum->sharp_image += rim.ease * (a * image_x[i] + b * image_y[i]);
      sum->step_image += last_x * image_x[i] + last_y * image_y[i];
      sum->down += rim.ease * (a * slope_x[i] + b * slope_y[i]);
      sum->along += last_x * slope_x[i] + last_y * slope_y[i];
    });
    length = 0;
    if (turn.worst <= tolerance) return;
    ++*rounds;
    float beta = turn.step_image > 0 ? turn.sharp_image / turn.step_image : 0;
    if (!go_on || !(beta * turn.along < turn.down)) beta = 0;  // not downhill
    const float far = *way;
    team.For(n, [&](int i) {
      const float most = bound(i);
      if (!(most > 0)) {
        step_x[i] = step_y[i] = 0;
        return;
      }
      const LayerRim rim(most, x[i], y[i], slope_x[i], slope_y[i], self);
      float a = slope_x[i], b = slope_y[i], last_x = round > 0 ? step_x[i] : 0,
            last_y = round > 0 ? step_y[i] : 0;
      rim.Along(&a, &b);
      rim.Along(&last_x, &last_y);
      float u = x[i] + far * (beta * last_x - rim.ease * a), v = y[i] + far * (beta * last_y - rim.ease * b);
      CutToDisc(most, &u, &v);
      step_x[i] = u - x[i];
      step_y[i] = v - y[i];
    });
    const LayerTotals sum = SumOf<LayerSum::kTangential, LayerTotals>(
        team, t, w, kSlotStepX, kSlotStepY, [&](int i, float u, float v, LayerTotals* total) {
          image_x[i] = u;
          image_y[i] = v;
          total->a += step_x[i] * u + step_y[i] * v;
          total->b += slope_x[i] * step_x[i] + slope_y[i] * step_y[i];
        });
    if (!(sum.a > 0)) return;
    const float part = -sum.b / sum.a;
    length = part < 0 ? 0.0f : (part < 1 ? part : 1.0f);
    go_on = GoesOn(part);
    *way = NextWay(far, part, self);
  }
  team.For(n, take);
}

}  // namespace taxel::internal
