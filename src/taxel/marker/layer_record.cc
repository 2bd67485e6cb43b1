#include "taxel/marker/layer_record.h"

#include <algorithm>
#include <cmath>

#include "taxel/marker/layer_active.h"
#include "taxel/marker/line_span.h"

namespace taxel::internal {
namespace {

using Eigen::Index;
using Mat = Eigen::MatrixXd;
using Vec = Eigen::VectorXd;

std::size_t At(Index i) { return static_cast<std::size_t>(i); }

// As LayerField::Blend.
void Blend(const LayerStage& stage, LayerRecord* r) {
  const std::vector<LayerLevel>& levels = *stage.levels;
  if (levels.size() == 1) return;
  double sum = 0, weight = 0;
  for (Index i = 0; i < r->size(); ++i) {
    const double w = std::max(0.0, -r->height[i]);
    sum += w * (stage.thickness + stage.cells->place[At(r->cell[At(i)])].height);
    weight += w;
  }
  const double thick = weight > 0 ? sum / weight : stage.thickness;
  while (r->level + 2 < levels.size() && levels[r->level + 1].thickness() < thick) ++r->level;
  const double low = levels[r->level].thickness(), high = levels[r->level + 1].thickness();
  r->share = high > low ? std::clamp((thick - low) / (high - low), 0.0, 1.0) : 0.0;
}

// Where the cells are carried, and the part of the increment for which they are closed.
void Start(const LayerStage& stage, LayerRecord* r) {
  const Index n = r->size();
  r->target_x = r->target_y = Vec::Zero(n);
  r->closed = Vec::Ones(n);
  r->touch_before.resize(r->count());
  for (Index i = 0; i < n; ++i) {
    const auto o = static_cast<std::size_t>(r->owner[At(i)]);
    const LayerPlace& at = stage.cells->place[At(r->cell[At(i)])];
    const bool open = r->open(At(i));
    const Vec3 q = at.p + r->u0x[i] * at.e1 + r->u0y[i] * at.e2 + (open ? r->height[i] : r->u0z[i]) * at.g;
    const Vec3 moved = r->to[o] * (Inverse(r->from[o]) * q) - q;
    r->target_x[i] = dot(moved, at.e1);
    r->target_y[i] = dot(moved, at.e2);
    const double after = r->height[i] - r->u0z[i];
    if (!open || !(after < 0)) continue;
    r->touch_before[At(i)] = TouchCell(stage, r->owner[At(i)], r->from[o], r->cell[At(i)]);
    r->closed[i] = ClosedPart(r->touch_before[At(i)].height - r->u0z[i], after);
  }
}

}  // namespace

LayerTouch TouchCell(const LayerStage& stage, int object, const Pose& X_PI, int cell) {
  const LayerPlace& at = stage.cells->place[static_cast<std::size_t>(cell)];
  const Pose X_IP = Inverse(X_PI);
  const double low = -kLayerDeepest * (stage.thickness + at.height);
  const ObjectHeight& shape = *stage.objects[static_cast<std::size_t>(object)];
  LayerTouch out;
  out.height = shape.Along(X_IP * at.p, X_IP.R * at.g, low);
  out.met = out.height < kNoSpan;
  if (!out.met) return out;
  out.place = at.p + out.height * at.g;
  out.deepest = out.height == low;
  if (out.deepest) return out;
  out.normal = X_PI.R * shape.Normal(X_IP * out.place);
  // Along a wall a height has no slope.
  if (std::fabs(dot(out.normal, at.g)) < 1e-9) out.met = false;
  return out;
}

Vec BoundOf(const LayerRecord& r, double friction, const Vec& p, bool fresh_too) {
  Vec out = friction * p;
  for (Index i = 0; i < r.size(); ++i)
    if (!fresh_too && r.open(At(i))) out[i] = 0;
  return out;
}

LayerRecord SolveRecord(const LayerStage& stage, const std::vector<Pose>& from, const std::vector<Pose>& to,
                        const std::vector<int>& held, const std::vector<int>& held_object,
                        const LayerThree& T0, const std::vector<int>& reach, const std::vector<int>& owner,
                        const LayerThree& guess) {
  LayerRecord r;
  r.from = from, r.to = to, r.held = held, r.T0 = T0, r.cell = reach, r.owner = owner;
  const Index n = r.size();
  r.height.resize(n);
  std::size_t k = 0;
  Vec startx = Vec::Zero(n), starty = Vec::Zero(n);
  for (Index i = 0; i < n; ++i) {
    const int cell = reach[At(i)];
    r.touch.push_back(TouchCell(stage, owner[At(i)], to[static_cast<std::size_t>(owner[At(i)])], cell));
    r.height[i] = r.touch.back().height;
    while (k < held.size() && held[k] < cell) ++k;
    const bool same = k < held.size() && held[k] == cell && held_object[k] == owner[At(i)];
    r.before.push_back(same ? static_cast<int>(k) : -1);
    if (same) startx[i] = T0.x(static_cast<Index>(k), 0), starty[i] = T0.y(static_cast<Index>(k), 0);
  }
  Blend(stage, &r);
  const LayerThree u0 =
      LayerDense::OfLevels(*stage.cells, *stage.levels, r.level, r.share, reach, held).Apply(T0);
  r.u0x = u0.x, r.u0y = u0.y, r.u0z = u0.z;
  Start(stage, &r);

  const LayerDense A = LayerDense::OfLevels(*stage.cells, *stage.levels, r.level, r.share, reach, reach);
  Mat sx, sy;
  r.p1 = guess.z;
  SolveActiveNormal(A.zz, A.Lift(startx, starty) - r.height, &r.p1);
  A.Spread(r.p1, &sx, &sy);

  r.free_x = startx, r.free_y = starty;
  r.anchored.assign(r.count(), 0);
  bool any = false;
  for (Index i = 0; i < n; ++i) {
    r.anchored[At(i)] = r.open(At(i)) && r.p1[i] > 0;
    any = any || (r.anchored[At(i)] && r.closed[i] < 1);
  }
  r.anchor_x = r.u0x, r.anchor_y = r.u0y;
  Vec pull_x = r.u0x + r.target_x, pull_y = r.u0y + r.target_y;
  if (any) {
    ActiveFriction free(A, BoundOf(r, stage.friction, r.p1, false));
    free.Solve(pull_x - sx, pull_y - sy, &r.free_x, &r.free_y);
    Mat ux, uy;
    A.Tangential(r.free_x, r.free_y, &ux, &uy);
    for (Index i = 0; i < n; ++i) {
      if (!r.anchored[At(i)]) continue;
      const double c = r.closed[i];
      r.anchor_x[i] += (1 - c) * (ux(i) + sx(i) - r.u0x[i]);
      r.anchor_y[i] += (1 - c) * (uy(i) + sy(i) - r.u0y[i]);
      pull_x[i] = r.anchor_x[i] + c * r.target_x[i];
      pull_y[i] = r.anchor_y[i] + c * r.target_y[i];
    }
  } else {
    r.anchored.assign(r.count(), 0);
  }
  r.t1x = guess.x, r.t1y = guess.y;
  ActiveFriction(A, BoundOf(r, stage.friction, r.p1, true)).Solve(pull_x - sx, pull_y - sy, &r.t1x, &r.t1y);
  r.p2 = r.p1;
  SolveActiveNormal(A.zz, A.Lift(r.t1x, r.t1y) - r.height, &r.p2);
  A.Spread(r.p2, &sx, &sy);
  r.t2x = r.t1x, r.t2y = r.t1y;
  ActiveFriction(A, BoundOf(r, stage.friction, r.p2, true)).Solve(pull_x - sx, pull_y - sy, &r.t2x, &r.t2y);
  return r;
}

}  // namespace taxel::internal
