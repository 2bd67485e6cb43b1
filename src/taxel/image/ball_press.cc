#include "taxel/image/ball_press.h"

#include <cmath>

#include "taxel/math/error.h"

namespace taxel {
namespace {

// K_n(x) = integral over t from 0 of exp(-x cosh t) cosh(n t); the trapezoidal rule converges exponentially
// because the integrand and all its odd derivatives vanish at both ends.
double BesselK(int n, double x) {
  const double step = 0.125;
  double sum = 0.5 * std::exp(-x);
  for (int k = 1;; ++k) {
    const double t = k * step, power = x * std::cosh(t);
    if (power > 700) break;
    const double term = std::exp(-power) * (n == 0 ? 1.0 : std::cosh(t));
    sum += term;
    if (term < 1e-17 * sum && power > 1) break;
  }
  return step * sum;
}

}  // namespace

double BesselK0(double x) { return BesselK(0, x); }
double BesselK1(double x) { return BesselK(1, x); }

BallPress::BallPress(double ball_radius, double contact_radius, double decay_length)
    : ball_radius_(ball_radius), contact_radius_(contact_radius), decay_length_(decay_length) {
  if (!(contact_radius > 0 && contact_radius < ball_radius) || !std::isfinite(ball_radius))
    throw Error("ball press: a contact of radius " + ToText(contact_radius) + " with a ball of radius " +
                ToText(ball_radius) + "; the contact must be positive and smaller than the ball");
  if (!(decay_length > 0) || !std::isfinite(decay_length))
    throw Error("ball press: decay_length " + ToText(decay_length) + " must be positive");
  const double across = std::sqrt(ball_radius * ball_radius - contact_radius * contact_radius);
  k0_ = BesselK0(contact_radius / decay_length);
  k1_ = BesselK1(contact_radius / decay_length);
  rim_slope_ = contact_radius / across;
  // Far smaller than the contact the decay length makes both vanish; their ratio tends to 1.
  rim_ = decay_length * rim_slope_ * (k1_ > 0 ? k0_ / k1_ : 1.0);
  depth_ = rim_ + ball_radius - across;
}

double BallPress::Height(double r) const {
  if (r <= contact_radius_) return depth_ - ball_radius_ + std::sqrt(ball_radius_ * ball_radius_ - r * r);
  return k0_ > 0 ? rim_ * BesselK0(r / decay_length_) / k0_ : 0.0;
}

double BallPress::Slope(double r) const {
  if (r <= contact_radius_) return r / std::sqrt(ball_radius_ * ball_radius_ - r * r);
  return k1_ > 0 ? rim_slope_ * BesselK1(r / decay_length_) / k1_ : 0.0;
}

}  // namespace taxel
