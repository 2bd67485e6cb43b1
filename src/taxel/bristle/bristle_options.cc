#include "taxel/bristle/bristle_options.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "taxel/math/error.h"

namespace taxel {
namespace {

// Across, where nothing is said: as stiff and as damped as the hydroelastic pads are against shear.
constexpr double kShearRatio = 0.7, kShearDamping = 1e-3;
constexpr double kHuge = 1e9;

[[noreturn]] void Fail(const std::string& where, const char* key, double value, const std::string& allowed) {
  throw Error(where + ": " + key + " is " + ToText(value) + "; it must be " + allowed);
}

void Within(const std::string& where, const char* key, double value, double lo, double hi,
            const std::string& allowed) {
  if (!(value >= lo && value <= hi)) Fail(where, key, value, allowed);
}

void ReadCurve(const Description& d, BristleOptions* o) {
  const std::string allowed =
      "pairs of penetration (m) and force (N), both rising from above 0: \"0.001 0.05 0.003 0.3\"";
  const std::vector<double> n = d.Numbers("curve");
  if (n.size() < 2 || n.size() % 2) d.Fail("curve", allowed);
  o->curve.push_back({0, 0});
  for (std::size_t i = 0; i < n.size(); i += 2) {
    if (!(n[i] > o->curve.back().depth && n[i + 1] > o->curve.back().force)) d.Fail("curve", allowed);
    o->curve.push_back({n[i], n[i + 1]});
  }
  o->stiffness = o->curve[1].force / o->curve[1].depth;
}

}  // namespace

SpringForce ElasticForce(const BristleOptions& o, double penetration) {
  const double d = penetration - o.dead_band;
  if (!(d > 0)) return {};
  if (o.curve.size() < 2) return {o.stiffness * d, o.stiffness};
  std::size_t i = 1;
  while (i + 1 < o.curve.size() && d > o.curve[i].depth) ++i;
  const BristleOptions::CurvePoint &a = o.curve[i - 1], &b = o.curve[i];
  const double slope = (b.force - a.force) / (b.depth - a.depth);
  return {a.force + slope * (d - a.depth), slope};
}

SpringForce ForceAlongNormal(const BristleOptions& o, double penetration, double cosine) {
  if (!o.along_axis) return ElasticForce(o, penetration);
  const SpringForce f = ElasticForce(o, penetration / cosine);
  const double c = std::max(cosine, kSteepest);
  return {f.force / c, f.stiffness / (c * c)};
}

void ReadFriction(const Description& d, double* statics, double* dynamic) {
  const std::vector<double> mu = d.Numbers("friction");
  const std::string allowed = "one coefficient, or static and dynamic friction with static >= dynamic >= 0";
  if (mu.empty() || mu.size() > 2) d.Fail("friction", allowed);
  *statics = mu[0];
  *dynamic = mu.back();
  if (!(*dynamic >= 0) || *statics < *dynamic || *statics > 100) d.Fail("friction", allowed);
}

bool HasBristles(const Description& d) { return d.Has("stiffness") || d.Has("curve"); }

BristleOptions ReadBristles(const Description& d) {
  BristleOptions o;
  if (d.Has("stiffness") && d.Has("curve"))
    throw Error(d.where() + " gives stiffness and curve; a bristle has one of them");
  if (d.Has("curve"))
    ReadCurve(d, &o);
  else if (d.Has("stiffness"))
    o.stiffness = d.Number("stiffness");
  else
    throw Error(d.where() + ": bristles need stiffness=\"...\" (N/m each), or curve");
  o.damping = d.Has("damping") ? d.Number("damping") : DampingRule(o.stiffness);
  if (d.Has("thickness")) o.depth = 2 * d.Number("thickness", 1e-6, 1, "a thickness in m, 1e-6 to 1");
  if (d.Has("depth")) o.depth = d.Number("depth");
  if (o.depth == 0)
    throw Error(d.where() +
                ": bristles need depth=\"...\", the greatest penetration in m (or thickness, of which it is "
                "twice)");
  if (d.Has("dead_band")) o.dead_band = d.Number("dead_band");
  LuGreParameters& f = o.friction;
  if (d.Has("friction")) {
    ReadFriction(d, &f.static_friction, &f.dynamic_friction);
    o.has_friction = true;
  }
  if (d.Has("stribeck_speed")) f.stribeck_speed = d.Number("stribeck_speed");
  f.sigma0 = d.Has("sigma0") ? d.Number("sigma0") : kShearRatio * o.stiffness;
  f.sigma1 = d.Has("sigma1") ? d.Number("sigma1") : kShearDamping * f.sigma0;
  if (d.Has("viscosity")) f.viscosity = d.Number("viscosity");
  if (d.Has("form"))
    f.form = d.Choice("form", {"passive", "paper"}) ? LuGreForm::kPaper : LuGreForm::kPassive;
  if (d.Has("measure")) o.along_axis = d.Choice("measure", {"normal", "axis"}) == 1;
  CheckBristles(o, d.where());
  return o;
}

void CheckBristles(const BristleOptions& o, const std::string& where) {
  Within(where, "stiffness", o.stiffness, 1e-12, kHuge, "a stiffness of one bristle in N/m above 0");
  Within(where, "damping", o.damping, 0, kHuge, "a damping in N s/m, at least 0");
  Within(where, "depth", o.depth, 1e-6, 1, "a length in m, 1e-6 to 1");
  Within(where, "dead_band", o.dead_band, 0, 1, "a penetration in m, at least 0");
  if (!(o.dead_band < o.depth))
    throw Error(where + ": dead_band is " + ToText(o.dead_band) + " m and the probes are " + ToText(o.depth) +
                " m long (depth); no bristle would ever push: make it shorter");
  for (std::size_t i = 1; i < o.curve.size(); ++i)
    if (!(o.curve[i].depth > o.curve[i - 1].depth && o.curve[i].force > o.curve[i - 1].force))
      throw Error(where + ": the curve must rise in penetration and force; it does not at point " +
                  std::to_string(i));
  const LuGreParameters& f = o.friction;
  Within(where, "sigma0", f.sigma0, 1e-12, kHuge, "a stiffness of one bristle in N/m above 0");
  Within(where, "sigma1", f.sigma1, 0, kHuge, "a damping in N s/m, at least 0");
  Within(where, "viscosity", f.viscosity, 0, kHuge, "a damping in N s/m, at least 0");
  Within(where, "stribeck_speed", f.stribeck_speed, 1e-9, 1e3, "a speed in m/s above 0");
  Within(where, "dynamic friction", f.dynamic_friction, 0, 100, "a coefficient, 0 to 100");
  Within(where, "static friction", f.static_friction, 0, 100, "a coefficient, 0 to 100");
  if (f.dynamic_friction > f.static_friction)
    throw Error(where + ": dynamic friction " + ToText(f.dynamic_friction) + " is above static friction " +
                ToText(f.static_friction) + "; sliding never holds more than resting: swap them");
}

}  // namespace taxel
