#include "taxel/contact/core_touch.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "taxel/contact/body_data.h"
#include "taxel/contact/edge_on.h"

namespace taxel {
using namespace internal;
namespace {

constexpr int kCells = 3;        // along each axis of the patch
constexpr double kAlong = 0.5;   // cosine: faces that look the way of the whole patch
constexpr double kAcross = 0.3;  // cosine: a layer that the patch meets from the side

// `modulus`: of a column, in the body's.
double CorePressure(const Body& body, double modulus) {
  if (!body.soft()) return std::numeric_limits<double>::infinity();
  return modulus * PressureOfDepth(body.data().law, CoreDepth(body.data().law));
}

double LeastModulus(const Body& body) { return body.data().columns.softest; }

// Of what a face lies on, in the body's.
double ModulusAt(const ContactSurface& surface, int face, const Body& body, bool is_A) {
  const std::vector<Column>& columns = body.data().columns.columns;  // none of a half space
  if (columns.empty() || surface.columns.empty() || surface.columns_of_A != is_A) return 1;
  return columns[surface.columns[face]].modulus;
}

// How far a body may still be pressed at a point of pressure p, on a face of this mean pressure whose
// pressure rises by `gradient` (Pa/m). All of a face lies in one layer of the law; a point of it may lie on
// the border of two.
double Left(const Body& body, double modulus, double p_core, double p, double mean, double gradient) {
  const std::vector<Layer>& law = body.data().law;
  const double left = DepthOfPressure(law, p_core / modulus) - DepthOfPressure(law, p / modulus);
  return left * modulus * LayerOfPressure(law, mean / modulus).slope / gradient;
}

}  // namespace

double CorePressure(const Body& A, const Body& B) {
  return std::min(CorePressure(A, LeastModulus(A)), CorePressure(B, LeastModulus(B)));
}

double CorePressure(const ContactSurface& surface, int face, const Body& A, const Body& B) {
  return std::min(CorePressure(A, ModulusAt(surface, face, A, true)),
                  CorePressure(B, ModulusAt(surface, face, B, false)));
}

bool CorePressureVaries(const Body& A, const Body& B) { return LeastModulus(A) < 1 || LeastModulus(B) < 1; }

void FindCoreTouches(const ContactSurface& surface, const Patch& patch, const Body& A, const Body& B,
                     double reach, std::vector<CoreTouch>* out) {
  out->clear();
  const double least_core = CorePressure(A, B), factor = surface.size_factor;
  // At least so far, whatever the face.
  const auto least_gap = [&](double p) {
    double gap = 0;
    for (const Body* body : {&A, &B})
      if (body->soft()) {
        const double m = LeastModulus(*body);
        gap +=
            (DepthOfPressure(body->data().law, least_core / m) - DepthOfPressure(body->data().law, p / m)) /
            body->data().steepest;
      }
    return gap;
  };
  if (surface.empty() || least_gap(surface.max_pressure / factor) > reach) return;
  const auto backed = [](const Body& body) {
    return body.soft() &&
           (body.data().law.size() > 1 || std::holds_alternative<HalfSpace>(body.data().primitive));
  };
  const bool layered = backed(A) || backed(B);

  for (int f = 0; f < surface.num_faces(); ++f) {
    const int first = surface.face_start[f], last = surface.face_start[f + 1];
    const double most =
        *std::max_element(surface.pressures.begin() + first, surface.pressures.begin() + last);
    if (least_gap(most / factor) > reach) continue;
    const Vec3 n = surface.normals[f], within = PressureGradientWithin(surface, f);
    const Vec3 grad_A = A.soft() ? surface.gradients_A[f] * n + within : Vec3{};
    const Vec3 grad_B = B.soft() ? within - surface.gradients_B[f] * n : Vec3{};
    if ((A.soft() && !(norm(grad_A) > 0)) || (B.soft() && !(norm(grad_B) > 0))) continue;
    Vec3 out_W = A.soft() && B.soft() ? n : normalized(A.soft() ? grad_A : -grad_B);
    if (dot(out_W, patch.mean_normal) < (layered ? kAcross : kAlong)) {
      if (layered || dot(n, patch.mean_normal) < kAlong) continue;
      out_W = n;
    }
    const double p_core = CorePressure(surface, f, A, B), modulus_A = ModulusAt(surface, f, A, true),
                 modulus_B = ModulusAt(surface, f, B, false);
    for (int i = first; i < last; ++i) {
      const double p = surface.pressures[i] / factor, mean = surface.face_pressures[f] / factor;
      const double gap = (A.soft() ? Left(A, modulus_A, p_core, p, mean, norm(grad_A) / factor) : 0.0) +
                         (B.soft() ? Left(B, modulus_B, p_core, p, mean, norm(grad_B) / factor) : 0.0);
      if (gap > reach) continue;
      out->push_back({surface.vertices[i], out_W, gap});
    }
  }
  KeepNearest(patch, out);
}

double DepthToCore(const Body& A, const Body& B) {
  double depth = 0;
  for (const Body* body : {&A, &B})
    if (body->soft()) depth += CoreDepth(body->data().law) * body->data().length;
  return depth;
}

double PushBeyondCore(const Body& A, const Body& B, const std::vector<CoreTouch>& touches) {
  double worst = 0;
  for (const CoreTouch& c : touches) worst = std::min(worst, c.gap);
  return std::max(kLeastPush, 1 + 2 * worst / DepthToCore(A, B));
}

double ContactDepth(const ContactSurface& surface, const Body& A, const Body& B) {
  double depth = 0;
  for (const Body* body : {&A, &B})
    if (body->soft())
      depth +=
          DepthOfPressure(body->data().law, surface.max_pressure / surface.size_factor) * body->data().length;
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
