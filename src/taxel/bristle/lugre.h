// LuGre friction of one bristle: Eqs. 9 to 13 of the soft-contact paper, and a form of them that is passive.
#pragma once

#include <cmath>

#include "taxel/contact/bristle_law.h"
#include "taxel/math/vec3.h"

namespace taxel {

enum class LuGreForm {
  kPassive,  ///< creates no energy and stays within the friction cone; the same curves otherwise
  kPaper,    ///< as printed
};

/// Of one bristle; all at least 0, sigma0 > 0, static_friction >= dynamic_friction, stribeck_speed > 0.
struct LuGreParameters {
  double sigma0 = 0;     ///< stiffness, N/m
  double sigma1 = 0;     ///< damping of the deflection, N s/m
  double viscosity = 0;  ///< c_t, N s/m
  double static_friction = 0, dynamic_friction = 0;
  double stribeck_speed = 0.01;  ///< x0, m/s
  LuGreForm form = LuGreForm::kPassive;
};

struct LuGreStep {
  Vec3 deflection;  ///< z at the end of the step, m
  Vec3 force;       ///< mean over the step, N: what holds the sliding body back acts along -force
};

/// (1 - exp(-x)) / x and (1 - that) / x for x >= 0, both to 1e-14.
TAXEL_HD inline void ExponentialMeans(double x, double* first, double* second) {
  if (x < 0.03) {  // the next term is 6e-17
    *second =
        1.0 / 2 -
        x * (1.0 / 6 - x * (1.0 / 24 - x * (1.0 / 120 - x * (1.0 / 720 - x * (1.0 / 5040 - x / 40320)))));
    *first = 1 - x * *second;
  } else {
    *first = -std::expm1(-x) / x;
    *second = (1 - *first) / x;
  }
}

TAXEL_HD inline Vec3 NoLongerThan(const Vec3& v, double longest) {
  const double length = norm(v);
  return length > longest ? (longest / length) * v : v;
}

/// Largest s in [0, 1] with |a + s b| <= r, for |a| <= r. Where b points into the ball that is beyond 0 also
/// from its rim.
TAXEL_HD inline double ShareWithin(const Vec3& a, const Vec3& b, double r) {
  const double bb = norm2(b), ab = dot(a, b), rest = r * r - norm2(a), room = rest > 0 ? rest : 0;
  if (bb + 2 * ab <= room) return 1;
  if (!(bb > 0)) return 0;
  const double root = std::sqrt(ab * ab + bb * room);
  const double s = ab > 0 ? room / (ab + root) : (root - ab) / bb;  // neither form cancels
  return s > 1 ? 1 : s;
}

/// Rate at which a deflection is forgotten, sigma0 |v| / g(v) with g = F_n mu(v), 1/s. Infinite where there
/// is motion and no load; 0 at rest (also without load: the bristle as printed keeps what it has).
TAXEL_HD inline double LuGreRate(const LuGreParameters& p, double speed, double load) {
  if (!(speed > 0)) return 0;
  const double g = load * StribeckCoefficient(speed, p.static_friction, p.dynamic_friction, p.stribeck_speed);
  return g > 0 ? p.sigma0 * speed / g : HUGE_VAL;
}

/// One step of  dz/dt = v - sigma0 |v| / g(v) z,  force = sigma0 z + sigma1 dz/dt + c_t v,  at a velocity v
/// (tangential) and a load F_n that are constant over the step. The deflection is solved exactly
///     z' = e z + (1 - e) / a v,   e = exp(-a h),   a = sigma0 |v| / g(v),
/// so no step is too long, no speed too high, and a load of 0 is fine; the force is the exact mean over the
/// step, so its work is that of the continuous law.
///
/// kPassive changes two things. (1) The law as printed keeps its force when the load drops while it is at
/// rest, so the deflection is held to sigma0 |z| <= mu_s F_n first (what it loses is lost to heat). (2)
/// sigma1 dz/dt pushes forward while z shrinks towards its steady value: above a speed this outweighs all
/// losses unless c_t >= sigma1 (mu_s - mu_d) / mu_d. Its part along v may only brake here. Then the damping
/// parts together are cut to what the cone mu_s F_n leaves. So, with U = sigma0 |z|^2 / 2, every step has
///     force . v h >= U' - U   and   |force| <= mu_s F_n,
/// while the steady state (as far as the cone reaches) and the loops below the cone stay those of the law.
/// @pre step > 0, load >= 0.
TAXEL_HD inline LuGreStep AdvanceLuGre(const LuGreParameters& p, const Vec3& deflection, const Vec3& velocity,
                                       double load, double step) {
  const bool passive = p.form == LuGreForm::kPassive;
  const double cone = p.static_friction * load, speed = norm(velocity);
  LuGreStep out;
  if (passive && !(cone > 0)) return out;
  const Vec3 z = passive && p.sigma0 > 0 ? NoLongerThan(deflection, cone / p.sigma0) : deflection;
  const double x = LuGreRate(p, speed, load) * step;
  Vec3 mean, change = -z;
  if (!std::isinf(x)) {  // else forgotten at once
    double first, second;
    ExponentialMeans(x, &first, &second);
    const Vec3 start = step * velocity - x * z;  // h dz/dt at the start
    change = first * start;
    mean = z + second * start;
    out.deflection = z + change;
  }
  Vec3 rate = (1 / step) * change;
  if (!passive) {
    out.force = p.sigma0 * mean + p.sigma1 * rate + p.viscosity * velocity;
    return out;
  }
  const double along = dot(rate, velocity);
  if (along < 0) rate -= (along / (speed * speed)) * velocity;
  const Vec3 spring = NoLongerThan(p.sigma0 * mean, cone), damping = p.sigma1 * rate + p.viscosity * velocity;
  out.force = spring + ShareWithin(spring, damping, cone) * damping;
  return out;
}

/// Steady sliding: F_n mu(v) + c_t |v|.
TAXEL_HD inline double SteadyFriction(const LuGreParameters& p, double speed, double load) {
  const double dry =
      load * StribeckCoefficient(speed, p.static_friction, p.dynamic_friction, p.stribeck_speed);
  const double sum = dry + p.viscosity * speed;
  return p.form == LuGreForm::kPassive && sum > p.static_friction * load ? p.static_friction * load : sum;
}

/// Above this speed the law as printed can create energy over a cycle at a constant load; infinite where it
/// cannot. The best cycle slides on and on in one direction, z swinging narrowly about a value: it grows by
/// dz at a crawl and shrinks by dz at v. With y = sigma0 z / F_n between mu = mu(v) and mu_s, the first takes
///     dz y F_n / (1 - y / mu_s),   the second gives   dz (sigma1 v - (y F_n + c_t v) / (y / mu - 1)).
/// Their difference is least at the best y; it then has the sign of
///     2 mu_s (F_n mu + sqrt(F_n mu (F_n mu + c_t v))) + c_t v mu - sigma1 v (mu_s - mu),
/// which divided by v falls with v. (sigma0 z^2 / 2 counted as if it could all be won back turns negative
/// sooner. Where the load comes and goes there is no such speed: a bristle stretched slowly by z and let go
/// at v pushes sigma1 z v for sigma0 z^2 / 2.)
TAXEL_HD inline double ActiveAbove(const LuGreParameters& p, double load) {
  const double mu_s = p.static_friction, mu_d = p.dynamic_friction;
  if (!(load > 0) || p.sigma1 * (mu_s - mu_d) <= p.viscosity * mu_d) return HUGE_VAL;
  const auto loses = [&](double v) {
    const double mu = StribeckCoefficient(v, mu_s, mu_d, p.stribeck_speed), dry = load * mu;
    return 2 * mu_s * (dry + std::sqrt(dry * (dry + p.viscosity * v))) + p.viscosity * v * mu >=
           p.sigma1 * v * (mu_s - mu);
  };
  double hi = p.stribeck_speed;
  while (loses(hi) && hi < 1e30) hi *= 2;
  double lo = 0;
  for (int i = 0; i < 100; ++i) (loses(0.5 * (lo + hi)) ? lo : hi) = 0.5 * (lo + hi);
  return 0.5 * (lo + hi);
}

}  // namespace taxel
