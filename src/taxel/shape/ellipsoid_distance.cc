#include "taxel/shape/ellipsoid_distance.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace taxel::internal {
namespace {

// One term c / (t + d) of the secular equation; c = 0 has left the sum.
struct Term {
  double c = 0, d = 0;
  double at(double t) const { return c > 0 ? c / (t + d) : 0; }
};

// Greatest t >= 0 with sum (c_i / (t + d_i))^2 = 1; 0 when the sum at 0 does not exceed 1.
double SolveSecular(const Term (&term)[3]) {
  double t = 0;
  for (const Term& k : term)
    if (k.c > 0) t = std::max(t, k.c - k.d);  // this term alone makes G(t) >= 1: left of the root
  for (int step = 0; step < 200; ++step) {
    double g = 0, half_slope = 0;  // G and -G' / 2
    for (const Term& k : term) {
      if (!(k.c > 0)) continue;
      const double q = k.at(t);
      g += q * q;
      half_slope += q * q / (t + k.d);
    }
    if (!(g > 1)) break;  // at the root, or t = 0 and no root
    // h = g^(-1/2), h' = half_slope g^(-3/2): Newton's step (1 - h) / h', written without loss of digits near
    // g = 1.
    const double root = std::sqrt(g);
    const double delta = (g - 1) / (root + 1) * g / half_slope;
    if (!(delta > 0.5 * std::numeric_limits<double>::epsilon() * t)) break;
    t += delta;
  }
  return t;
}

}  // namespace

EllipsoidClosest ClosestPointOnEllipsoid(const Ellipsoid& shape, const Vec3& p_G) {
  const Vec3& e = shape.semi_axes;
  const int least = e.x <= e.y && e.x <= e.z ? 0 : (e.y <= e.z ? 1 : 2);
  const double e2 = e[least];
  Vec3 y = cwise_abs(p_G);
  Term term[3];
  for (int i = 0; i < 3; ++i) {
    if (y[i] < 1e-20 * e[i]) y[i] = 0;
    // r_i z_i with z_i = y_i / e_i: the i-th term of G is the square of x_i / e_i.
    term[i] = {(e[i] / e2) * (y[i] / e2), (e[i] - e2) / e2 * ((e[i] + e2) / e2)};
  }
  const double t = SolveSecular(term);
  Vec3 on_unit;  // x_i / e_i
  double rest = 1;
  for (int i = 0; i < 3; ++i) {
    on_unit[i] = term[i].at(t);
    rest -= on_unit[i] * on_unit[i];
  }
  if (!(term[least].c > 0) && t == 0) on_unit[least] = std::sqrt(std::max(0.0, rest));
  EllipsoidClosest out;
  out.point = cwise_mul(on_unit, e);
  // Gradient x_i / e_i^2, times e_2 to stay near 1.
  out.normal = normalized(cwise_mul(on_unit, {e2 / e.x, e2 / e.y, e2 / e.z}));
  out.distance = norm(y - out.point);
  if (t < 1) out.distance = -out.distance;
  for (int i = 0; i < 3; ++i)
    if (p_G[i] < 0) out.point[i] = -out.point[i], out.normal[i] = -out.normal[i];
  return out;
}

}  // namespace taxel::internal
