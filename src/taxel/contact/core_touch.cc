#include "taxel/contact/core_touch.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "taxel/contact/approach.h"
#include "taxel/contact/body_data.h"
#include "taxel/contact/edge_on.h"
#include "taxel/shape/signed_distance.h"

namespace taxel {
namespace {

constexpr int kCells = 3;        // along each axis of the patch
constexpr double kAlong = 0.5;   // cosine: faces that look the way of the whole patch
constexpr double kAcross = 0.3;  // cosine: a layer that the patch meets from the side

double CorePressure(const Body& body) {
  if (!body.soft()) return std::numeric_limits<double>::infinity();
  return PressureOfDepth(body.data().law, CoreDepth(body.data().law));
}

// How far a body may still be pressed at a point of pressure p, on a face of this mean pressure whose
// pressure rises by `gradient` (Pa/m). All of a face lies in one layer of the law; a point of it may lie on
// the border of two.
double Left(const Body& body, double p_core, double p, double mean, double gradient) {
  const std::vector<Layer>& law = body.data().law;
  const double left = DepthOfPressure(law, p_core) - DepthOfPressure(law, p);
  return left * LayerOfPressure(law, mean).slope / gradient;
}

}  // namespace

double CorePressure(const Body& A, const Body& B) { return std::min(CorePressure(A), CorePressure(B)); }

void FindCoreTouches(const ContactSurface& surface, const Patch& patch, const Body& A, const Body& B,
                     double reach, std::vector<CoreTouch>* out) {
  out->clear();
  const double p_core = CorePressure(A, B);
  // At least so far, whatever the face.
  const auto least_gap = [&](double p) {
    double gap = 0;
    for (const Body* body : {&A, &B})
      if (body->soft())
        gap += (DepthOfPressure(body->data().law, p_core) - DepthOfPressure(body->data().law, p)) /
               body->data().steepest;
    return gap;
  };
  if (surface.empty() || least_gap(surface.max_pressure) > reach) return;
  const auto backed = [](const Body& body) {
    return body.soft() &&
           (body.data().law.size() > 1 || std::holds_alternative<HalfSpace>(body.data().primitive));
  };
  const bool layered = backed(A) || backed(B);

  for (int f = 0; f < surface.num_faces(); ++f) {
    const int first = surface.face_start[f], last = surface.face_start[f + 1];
    const double most =
        *std::max_element(surface.pressures.begin() + first, surface.pressures.begin() + last);
    if (least_gap(most) > reach) continue;
    const Vec3 n = surface.normals[f], within = PressureGradientWithin(surface, f);
    const Vec3 grad_A = A.soft() ? surface.gradients_A[f] * n + within : Vec3{};
    const Vec3 grad_B = B.soft() ? within - surface.gradients_B[f] * n : Vec3{};
    if ((A.soft() && !(norm(grad_A) > 0)) || (B.soft() && !(norm(grad_B) > 0))) continue;
    Vec3 out_W = A.soft() && B.soft() ? n : normalized(A.soft() ? grad_A : -grad_B);
    if (dot(out_W, patch.mean_normal) < (layered ? kAcross : kAlong)) {
      if (layered || dot(n, patch.mean_normal) < kAlong) continue;
      out_W = n;
    }
    for (int i = first; i < last; ++i) {
      const double p = surface.pressures[i], mean = surface.face_pressures[f];
      const double gap = (A.soft() ? Left(A, p_core, p, mean, norm(grad_A)) : 0.0) +
                         (B.soft() ? Left(B, p_core, p, mean, norm(grad_B)) : 0.0);
      if (gap > reach) continue;
      out->push_back({surface.vertices[i], out_W, gap});
    }
  }
  KeepNearest(patch, out);
}

namespace {

// The direction n of its frame (unit, outwards) leads out of a backed box where it has no field.
bool OnSide(const Body& body, const Vec3& n) {
  const BodyData& data = body.data();
  return body.soft() && data.law.size() > 1 && std::holds_alternative<Box>(data.primitive) &&
         dot(normalized(data.options.field.exposed), n) < kAlong;
}

// How far a body gives way when it is pressed from there.
double Allowance(const Body& body, const Vec3& n) {
  if (!body.soft()) return 0;
  const BodyData& data = body.data();
  if (std::holds_alternative<Ellipsoid>(data.primitive))  // its core is a similar one
    return CoreDepth(data.law) / data.depth_scale * dot(n, SupportPoint(data.primitive, n));
  if (OnSide(body, n))
    return kSideShare * std::min(data.length, dot(cwise_abs(n), std::get<Box>(data.primitive).size));
  return CoreDepth(data.law) * data.length;
}

// What both layers give until their cores meet, m.
double DepthToCore(const Body& A, const Body& B) {
  double depth = 0;
  for (const Body* body : {&A, &B})
    if (body->soft()) depth += CoreDepth(body->data().law) * body->data().length;
  return depth;
}

}  // namespace

double PushBeyondCore(const Body& A, const Body& B, const std::vector<CoreTouch>& touches) {
  double worst = 0;
  for (const CoreTouch& c : touches) worst = std::min(worst, c.gap);
  return std::max(kLeastPush, 1 + 2 * worst / DepthToCore(A, B));
}

bool FindDeepTouch(const ContactSurface& surface, const Body& A, const Pose& X_WA, const Body& B,
                   const Pose& X_WB, double reach, std::vector<CoreTouch>* out) {
  if (A.data().is_mesh || B.data().is_mesh) return false;
  if (!surface.empty() && ContactDepth(surface, A, B) < 0.5 * DepthToCore(A, B)) return false;
  const Pose X_AB = Inverse(X_WA) * X_WB;
  const Approach approach = ApproachOfPrimitives(A.data().primitive, X_AB, B.data().primitive);
  if (approach.separated) return false;
  const Vec3 n_A = approach.n_A, n_W = X_WA.R * n_A, n_B = -TransposeMul(X_WB.R, n_W);
  const double gap = Allowance(A, n_A) + Allowance(B, n_B) - approach.depth;
  if (gap > reach) return false;
  const auto bounded = [](const Body& body) {
    return !std::holds_alternative<HalfSpace>(body.data().primitive);
  };
  const Vec3 p_A = bounded(A) ? X_WA * SupportPoint(A.data().primitive, n_A) : Vec3{};
  const Vec3 p_B = bounded(B) ? X_WB * SupportPoint(B.data().primitive, n_B) : Vec3{};
  const Vec3 at = !bounded(A) ? p_B : !bounded(B) ? p_A : 0.5 * (p_A + p_B);
  out->push_back({at, -n_W, gap});
  // A body stands on several points: those of the smaller one that are farthest along directions round about,
  // where they are inside the other.
  const auto size = [&](const Body& body) { return bounded(body) ? norm(body.data().box.size()) : HUGE_VAL; };
  const bool on_A = size(A) < size(B);
  const Body &body = on_A ? A : B, &other = on_A ? B : A;
  const Pose &X = on_A ? X_WA : X_WB, &X_other = on_A ? X_WB : X_WA;
  const Vec3 n = on_A ? n_A : n_B, tip = X * SupportPoint(body.data().primitive, n);
  Vec3 t1, t2;
  MakeFrame(n, &t1, &t2);
  for (const auto& [a, b] : {std::pair(1, 1), std::pair(1, -1), std::pair(-1, 1), std::pair(-1, -1)}) {
    const Vec3 p = X * SupportPoint(body.data().primitive, n + a * t1 + b * t2);
    const double less = dot(X.R * n, tip - p);
    if (norm(p - at) < 1e-9 || gap + less > reach) continue;
    if (bounded(other) && SignedDistance(other.data().primitive, Inverse(X_other) * p) > 0) continue;
    out->push_back({p, -n_W, gap + less});
  }
  const bool side = OnSide(A, n_A) || OnSide(B, n_B);
  // What got there went through no layer: it is held, and not brought back the shortest way.
  if (side)
    for (CoreTouch& c : *out) c.gap = std::max(c.gap, 0.0);
  return side;
}

double ContactDepth(const ContactSurface& surface, const Body& A, const Body& B) {
  double depth = 0;
  for (const Body* body : {&A, &B})
    if (body->soft()) depth += DepthOfPressure(body->data().law, surface.max_pressure) * body->data().length;
  return depth;
}

void KeepNearest(const Patch& patch, std::vector<CoreTouch>* touches) {
  double u0 = std::numeric_limits<double>::infinity(), u1 = -u0, v0 = u0, v1 = -u0;
  for (const CoreTouch& c : *touches) {
    const double u = dot(patch.axis_u, c.p_W), v = dot(patch.axis_v, c.p_W);
    u0 = std::min(u0, u), u1 = std::max(u1, u), v0 = std::min(v0, v), v1 = std::max(v1, v);
  }
  const auto cell = [](double x, double lo, double hi) {
    return hi > lo ? std::min(static_cast<int>((x - lo) / (hi - lo) * kCells), kCells - 1) : 0;
  };
  CoreTouch best[kCells * kCells];
  bool found[kCells * kCells] = {};
  for (const CoreTouch& c : *touches) {
    const int k = cell(dot(patch.axis_u, c.p_W), u0, u1) * kCells + cell(dot(patch.axis_v, c.p_W), v0, v1);
    if (!found[k] || c.gap < best[k].gap) best[k] = c;
    found[k] = true;
  }
  touches->clear();
  for (int k = 0; k < kCells * kCells; ++k)
    if (found[k]) touches->push_back(best[k]);
}

}  // namespace taxel
