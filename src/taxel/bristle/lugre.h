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

/// Of one bristle; all at least 0, static_friction >= dynamic_friction, stribeck_speed > 0.
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

/// (1 - exp(-x)) / x and (1 - that) / x for x >= 0, exact also near 0.
TAXEL_HD inline void ExponentialMeans(double x, double* first, double* second) {
  if (x < 1e-3) {
    *first = 1 - x * (0.5 - x * (1.0 / 6 - x / 24));
    *second = 0.5 - x * (1.0 / 6 - x * (1.0 / 24 - x / 120));
  } else {
    *first = -std::expm1(-x) / x;
    *second = (1 - *first) / x;
  }
}

TAXEL_HD inline Vec3 NoLongerThan(const Vec3& v, double longest) {
  const double length = norm(v);
  return length > longest ? (longest / length) * v : v;
}

/// Largest s in [0, 1] with |a + s b| <= r, for |a| <= r.
TAXEL_HD inline double ShareWithin(const Vec3& a, const Vec3& b, double r) {
  const double bb = norm2(b), ab = dot(a, b), room = r * r - norm2(a);
  if (bb + 2 * ab <= room) return 1;
  if (!(bb > 0) || !(room > 0)) return 0;
  const double s = room / (ab + std::sqrt(ab * ab + bb * room));
  return s < 0 ? 0 : s > 1 ? 1 : s;
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
  Vec3 mean;
  if (std::isinf(x)) {  // forgotten at once
    out.deflection = {};
  } else {
    double first, second;
    ExponentialMeans(x, &first, &second);
    const Vec3 moved = step * velocity;
    out.deflection = z + first * (moved - x * z);
    mean = z + second * (moved - x * z);
  }
  Vec3 rate = (1 / step) * (out.deflection - z);
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

/// Above this speed the law as printed can create energy; infinite where it cannot. At the start of a slip
/// z is at its greatest, mu_s F_n / sigma0, and shrinks; what is lost then per length is
///     mu_s^2 / mu(v) F_n + sigma1 |v| (1 - mu_s / mu(v)) + c_t |v|,
/// negative first at this speed (found numerically).
TAXEL_HD inline double ActiveAbove(const LuGreParameters& p, double load) {
  const auto loss = [&](double v) {
    const double mu = StribeckCoefficient(v, p.static_friction, p.dynamic_friction, p.stribeck_speed);
    return p.static_friction * p.static_friction / mu * load + p.sigma1 * v * (1 - p.static_friction / mu) +
           p.viscosity * v;
  };
  if (!(p.dynamic_friction > 0) || !(p.static_friction > p.dynamic_friction)) return HUGE_VAL;
  double hi = 1e-6;
  while (hi < 1e6 && loss(hi) >= 0) hi *= 1.25;
  if (hi >= 1e6) return HUGE_VAL;
  double lo = hi / 1.25;
  for (int i = 0; i < 60; ++i) (loss(0.5 * (lo + hi)) >= 0 ? lo : hi) = 0.5 * (lo + hi);
  return 0.5 * (lo + hi);
}

}  // namespace taxel
