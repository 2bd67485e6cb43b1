// The two quadratic programs of LayerSolver, by a team of lanes; the same iteration, with sums in another
// order.
#pragma once

#include "taxel/marker/layer_work.h"

namespace taxel::internal {

/// Of the residuals of a normal problem.
struct LayerCheck {
  double square = 0;
  double worst = 0;
  int clipped = 0, entered = 0;
  TAXEL_HD void See(float p, float residual) {
    const double r = residual;
    if (p > 0) square += r * r;
    const double off = p > 0 ? (r < 0 ? -r : r) : -r;
    worst = off > worst ? off : worst;
  }
  TAXEL_HD void Join(const LayerCheck& o) {
    square += o.square;
    worst = o.worst > worst ? o.worst : worst;
    clipped |= o.clipped, entered |= o.entered;
  }
};

/// The pressures of w that keep the gel out of kSlotOverlap, from those that are there (LayerSolver::
/// SolveNormal). Leaves the list of chunks with pressure in w.sources(); returns their number.
template <typename Team>
TAXEL_HD inline int SolveLayerNormal(Team& team, const LayerInfluences& t, const LayerWork& w, float* partial,
                                     double tolerance, int limit, int* rounds) {
  float *p = w.field(kSlotP), *h = w.field(kSlotOverlap), *residual = w.field(kSlotResidual),
        *direction = w.field(kSlotDirection), *image = w.field(kSlotImage);
  const LayerFlags* flags = w.flags();
  const LayerChunks all{nullptr, w.chunks};
  const int n = w.slots();
  const auto list = [&](const float* field) {
    return ListChunks(team, w, w.sources(), [&](int i) { return field[i] != 0; });
  };
  const auto times = [&](float* field,
                         int sources) {  // image = A field; field.image, field.h, field.residual
    return SumOn<LayerSum::kNormal, LayerTotals>(
        team, t, w, all, sources, field, field, partial, [&](int i, float u, float, LayerTotals* sum) {
          image[i] = u;
          const double f = field[i];
          sum->a += f * u, sum->b += f * h[i], sum->c += f * residual[i];
        });
  };
  const auto renew = [&](int sources) {
    return SumOn<LayerSum::kNormal, LayerCheck>(team, t, w, all, sources, p, p, partial,
                                                [&](int i, float u, float, LayerCheck* check) {
                                                  residual[i] = flags[i].reach ? u - h[i] : 0.0f;
                                                  check->See(p[i], residual[i]);
                                                });
  };
  team.For(n, [&](int i) { direction[i] = residual[i] = 0; });
  int active = list(p);
  if (active == 0) {
    team.For(n, [&](int i) { p[i] = flags[i].reach && h[i] > 0 ? h[i] : 0.0f; });
    active = list(p);
    const LayerTotals sum = times(p, active);
    const float scale = static_cast<float>(sum.a > 0 ? sum.b / sum.a : 0);
    team.For(n, [&](int i) { p[i] *= scale; });
    if (!(scale > 0)) active = list(p);
  }
  LayerCheck check = renew(active);
  double before = 1;
  bool keep = false;
  for (int round = 0; round < limit; ++round) {
    if (check.worst <= tolerance) return active;
    ++*rounds;
    const float beta = static_cast<float>(keep ? check.square / before : 0);
    team.For(n, [&](int i) { direction[i] = p[i] > 0 ? -residual[i] + beta * direction[i] : 0.0f; });
    before = check.square;
    LayerTotals sum = times(direction, active);
    double length;
    const bool steep = !(sum.a > 0);
    if (!steep) {
      length = -sum.c / sum.a;
    } else {  // nothing active: a step of steepest descent over what overlaps
      team.For(n, [&](int i) { direction[i] = residual[i] < 0 ? -residual[i] : 0.0f; });
      sum = times(direction, list(direction));
      active = list(p);
      if (!(sum.a > 0)) return active;
      length = -sum.c / sum.a;  // residual . direction = -direction . direction
    }
    const float step = static_cast<float>(length);
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
    if (check.entered || check.clipped) {
      active = list(p);
      check = renew(active);
    }
  }
  return active;
}

/// Of one step of the tangential problem.
struct LayerMove {
  double worst = 0;
  TAXEL_HD void See(float x, float y) {
    const double a = x < 0 ? -x : x, b = y < 0 ? -y : y, most = a > b ? a : b;
    worst = most > worst ? most : worst;
  }
  TAXEL_HD void Join(const LayerMove& o) { worst = o.worst > worst ? o.worst : worst; }
};

/// Tractions kSlotTx, kSlotTy within friction times pressure that bring the gel to kSlotFreeX, kSlotFreeY
/// (LayerSolver::SolveTangential); cells that were open have no bound but where fresh_too. image_known: what
/// the tractions do is in kSlotImageX, kSlotImageY, and they lie within the bounds.
template <typename Team>
TAXEL_HD inline void SolveLayerTangential(Team& team, const LayerInfluences& t, const LayerWork& w,
                                          float* partial, float friction, bool fresh_too, bool image_known,
                                          double tolerance, int limit, int* rounds) {
  float *x = w.field(kSlotTx), *y = w.field(kSlotTy), *slope_x = w.field(kSlotSlopeX),
        *slope_y = w.field(kSlotSlopeY), *step_x = w.field(kSlotStepX), *step_y = w.field(kSlotStepY),
        *image_x = w.field(kSlotImageX), *image_y = w.field(kSlotImageY);
  const float *p = w.field(kSlotP), *bx = w.field(kSlotFreeX), *by = w.field(kSlotFreeY);
  const LayerFlags* flags = w.flags();
  const auto bound = [&](int i) { return fresh_too || !flags[i].open ? friction * p[i] : 0.0f; };
  const int count = ListChunks(team, w, w.sources(), [&](int i) { return bound(i) > 0; });
  const LayerChunks held{w.sources(), count};
  const auto slot = [&](int i) { return kLayerChunk * held[i / kLayerChunk] + i % kLayerChunk; };
  team.For(w.slots(), [&](int i) { CutToDisc(bound(i), &x[i], &y[i]); });
  const auto begin = [&](int i, float u, float v, LayerTotals* sum) {
    const bool in = bound(i) > 0;
    slope_x[i] = in ? u - bx[i] : 0.0f;
    slope_y[i] = in ? v - by[i] : 0.0f;
    const double a = slope_x[i], b = slope_y[i];
    sum->a += a * a + b * b;
  };
  const LayerTotals start =
      image_known ? team.template Reduce<LayerTotals>(kLayerChunk * count,
                                                      [&](int k, LayerTotals* sum) {
                                                        const int i = slot(k);
                                                        begin(i, image_x[i], image_y[i], sum);
                                                      })
                  : SumOn<LayerSum::kTangential, LayerTotals>(team, t, w, held, count, x, y, partial, begin);
  if (!(start.a > 0)) return;
  const LayerTotals first = SumOn<LayerSum::kTangential, LayerTotals>(
      team, t, w, held, count, slope_x, slope_y, partial, [&](int i, float u, float v, LayerTotals* sum) {
        sum->a += static_cast<double>(slope_x[i]) * u + static_cast<double>(slope_y[i]) * v;
      });
  double step = start.a / (first.a > 1e-300 ? first.a : 1e-300);
  float length = 0;  // of the step before, which is taken when the next one is made
  const auto take = [&](int i) {
    if (!(bound(i) > 0)) return;
    x[i] += length * step_x[i];
    y[i] += length * step_y[i];
    slope_x[i] += length * image_x[i];
    slope_y[i] += length * image_y[i];
  };
  for (int round = 0; round < limit; ++round) {
    const float far = static_cast<float>(step);
    const LayerMove move = team.template Reduce<LayerMove>(kLayerChunk * count, [&](int k, LayerMove* m) {
      const int i = slot(k);
      if (round > 0) take(i);
      float u = x[i] - far * slope_x[i], v = y[i] - far * slope_y[i];
      CutToDisc(bound(i), &u, &v);
      step_x[i] = u - x[i];
      step_y[i] = v - y[i];
      m->See(step_x[i], step_y[i]);
    });
    if (move.worst <= tolerance * step) return;
    ++*rounds;
    const LayerTotals sum = SumOn<LayerSum::kTangential, LayerTotals>(
        team, t, w, held, count, step_x, step_y, partial, [&](int i, float u, float v, LayerTotals* total) {
          image_x[i] = u;
          image_y[i] = v;
          const double a = step_x[i], b = step_y[i];
          total->a += a * u + b * v;
          total->b += slope_x[i] * a + slope_y[i] * b;
          total->c += a * a + b * b;
        });
    if (!(sum.a > 0)) return;
    const double reach = -sum.b / sum.a;
    length = static_cast<float>(reach < 1 ? reach : 1.0);
    step = sum.c / sum.a;
  }
  team.For(kLayerChunk * count, [&](int k) { take(slot(k)); });
}

}  // namespace taxel::internal
