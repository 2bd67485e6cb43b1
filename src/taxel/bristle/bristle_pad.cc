#include "taxel/bristle/bristle_pad.h"

#include <algorithm>

#include "taxel/math/error.h"

namespace taxel {

BristlePad::BristlePad(BristlePoints points, const BristleOptions& options)
    : points_(std::move(points)), options_(options), memory_(points_.count()), next_(points_.count()) {
  CheckBristles(options_, "bristle pad");
  if (points_.depth() != options_.depth)
    throw Error("bristle pad: the probes are " + ToText(points_.depth()) + " m long and depth is " +
                ToText(options_.depth) + " m; make the points with the same depth");
}

void BristlePad::Reset() { std::fill(memory_.begin(), memory_.end(), AnchorState{}); }

void BristlePad::Press(const ProbeTarget& body, const Pose& X_WP, const Pose& X_WT,
                       const RelativeMotion& motion, double step, PadReading* r, int partner) {
  const std::size_t n = points_.count();
  r->normal.assign(n, 0.0);
  r->friction_P.assign(n, Vec3{});
  r->deflection.assign(n, 0.0);
  r->saturated.assign(n, 0);
  // The body is A, the pad B.
  contact_.Find(points_, options_, X_WP, body, X_WT, false);
  contact_.Explicit(memory_.data(), partner, options_.friction, motion, step);
  std::fill(next_.begin(), next_.end(), AnchorState{});
  contact_.Advance(memory_.data(), partner, options_.friction, motion, step,
                   [&](int point, const AnchorState& state) { next_[point] = state; });
  memory_.swap(next_);
  for (const PressedBristle& b : contact_.bristles()) {
    r->normal[b.point] = b.normal;
    r->friction_P[b.point] = -TransposeMul(X_WP.R, b.friction_W);
    r->deflection[b.point] = norm(memory_[b.point].stretch_O);
    r->saturated[b.point] = b.saturated;
  }
  const Wrench push = contact_.NormalWrench(), rub = contact_.FrictionWrench();
  r->on_body = {push.force + rub.force, push.torque + rub.torque};
}

}  // namespace taxel
