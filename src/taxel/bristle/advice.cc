#include "taxel/bristle/advice.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "taxel/math/error.h"

namespace taxel {

namespace {

// With w h = 2 pi / 20 a swing is too quick by (w h)^2 / 24 = 0.4 %, and by zeta w h / 2 = 16 % of the
// damping ratio.
constexpr double kStepsPerPeriod = 20;

void CheckPositive(double value, const char* name, const char* what) {
  if (!(value > 0) || !std::isfinite(value))
    throw Error(std::string(name) + " is " + ToText(value) + "; give " + what +
                ", finite and greater than 0");
}
void CheckNotNegative(double value, const char* name, const char* what) {
  if (!(value >= 0) || !std::isfinite(value))
    throw Error(std::string(name) + " is " + ToText(value) + "; give " + what + ", finite and 0 or more");
}
void CheckPoints(int points) {
  if (points < 1)
    throw Error("points is " + std::to_string(points) + "; give the number of bristles, 1 or more");
}

std::string Short(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}
std::string Milliseconds(double seconds) { return Short(1e3 * seconds) + " ms"; }

}  // namespace

double BristleStiffness(double pressure, double area, int points, double compression) {
  CheckPositive(pressure, "pressure", "the pressure on the foam in Pa");
  CheckPositive(area, "area", "the area of all bristles together in m2");
  CheckPoints(points);
  CheckPositive(compression, "compression", "the compression under that pressure in m");
  return pressure * area / (points * compression);
}

double StiffnessOfModulus(double modulus, double area, double thickness) {
  CheckPositive(modulus, "modulus", "the modulus in Pa");
  CheckPositive(area, "area", "the area of one bristle in m2");
  CheckPositive(thickness, "thickness", "the thickness of the layer in m");
  return modulus * area / thickness;
}

double LargestExplicitStep(double mass, double stiffness, double damping) {
  // Scaled by the mass, so that no square of a large or small number leaves the range of a double.
  const double k = stiffness / mass, c = damping / mass;
  return 4 / (c + std::hypot(c, 2 * std::sqrt(k)));
}

StepAdvice AdviseStep(const BristleLoad& load) {
  CheckPositive(load.mass, "mass", "the mass on the bristles in kg");
  CheckPoints(load.points);
  CheckPositive(load.stiffness, "stiffness", "the stiffness of one bristle in N/m");
  CheckNotNegative(load.damping, "damping", "the damping of one bristle in N s/m");
  CheckNotNegative(load.sigma0, "sigma0", "the stiffness of its friction in N/m");
  CheckNotNegative(load.sigma1, "sigma1", "the damping of its friction in N s/m");
  CheckNotNegative(load.viscosity, "viscosity", "its viscous friction in N s/m");
  const double n = load.points, m = load.mass;
  const double normal = LargestExplicitStep(m, n * load.stiffness, n * load.damping);
  // Friction is its mean over the step, sigma0 (z + h v / 2) + ...: the spring damps by h sigma0 / 2, too,
  // and weighs double.
  const double across = LargestExplicitStep(m, 2 * n * load.sigma0, n * (load.sigma1 + load.viscosity));
  StepAdvice out;
  out.friction_limits = across < normal;
  out.largest_explicit_step = std::min(normal, across);
  out.period = 2 * std::numbers::pi * std::sqrt(m / load.stiffness / n);
  out.damping_ratio = 0.5 * n * load.damping / std::sqrt(n * load.stiffness * m);
  out.good_step = std::min(0.5 * out.largest_explicit_step, out.period / kStepsPerPeriod);
  return out;
}

std::string Describe(const StepAdvice& advice, double timestep) {
  const double zeta = advice.damping_ratio;
  std::string out = "explicit steps up to " + Milliseconds(advice.largest_explicit_step) + " are stable (" +
                    (advice.friction_limits ? "friction" : "the normal force") + " limits them), " +
                    Milliseconds(advice.good_step) + " is a good one; the contact swings with a period of " +
                    Milliseconds(advice.period) + " and a damping ratio of " + Short(zeta) +
                    (zeta >= 1     ? " (it does not swing)"
                     : zeta < 0.05 ? " (a body bounces for long)"
                                   : "");
  if (timestep > 0)
    out += timestep >= advice.largest_explicit_step
               ? "; a time step of " + Milliseconds(timestep) +
                     " is too long: shorten it, take softer or less damped bristles, or a heavier body"
           : timestep > advice.good_step
               ? "; a time step of " + Milliseconds(timestep) + " is stable, but coarse"
               : "; a time step of " + Milliseconds(timestep) + " is fine";
  return out;
}

}  // namespace taxel
