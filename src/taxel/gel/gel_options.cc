#include "taxel/gel/gel_options.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "taxel/math/error.h"

namespace taxel::internal {
namespace {

std::string Text(const Vec3& v) { return "(" + ToText(v.x) + ", " + ToText(v.y) + ", " + ToText(v.z) + ")"; }

/// A rotation that takes z to this unit vector.
Mat3 FrameWithZ(const Vec3& up) {
  const Vec3 axis = cross({0, 0, 1}, up);
  const double s = norm(axis);
  if (s < 1e-12) return up.z > 0 ? Mat3{} : RotationAbout({1, 0, 0}, std::numbers::pi);
  return RotationAbout(axis / s, std::atan2(s, up.z));
}

}  // namespace

double ChooseStep(const GelOptions& o) {
  CheckGelMaterial(o.material, "gel");
  if (!(std::isfinite(o.cell) && o.cell > 0))
    throw Error("gel: cell is " + ToText(o.cell) +
                " m; it must be finite and > 0 (a fifth of the gel's thickness or less)");
  if (!(o.cfl > 0 && o.cfl <= 1))
    throw Error("gel: cfl is " + ToText(o.cfl) +
                "; it must lie in 0 to 1 (0.6 for small strains, 0.3 is safe)");
  if (!(std::isfinite(o.dt) && o.dt >= 0))
    throw Error("gel: dt is " + ToText(o.dt) + " s; give 0 for an automatic step");
  if (!(std::isfinite(o.damping) && o.damping >= 0))
    throw Error("gel: damping is " + ToText(o.damping) + " 1/s; it must be finite and >= 0");
  if (!is_finite(o.gravity)) throw Error("gel: gravity is " + Text(o.gravity) + " m/s^2; it must be finite");
  if (o.rounds < 1)
    throw Error("gel: rounds is " + std::to_string(o.rounds) + "; contact needs at least 1 (2 is usual)");
  if (o.threads < 0)
    throw Error("gel: threads is " + std::to_string(o.threads) + "; give 0 for all the machine has");
  const double longest = o.cell / o.material.wave_speed();  // a CFL number of 1
  if (o.dt > longest)
    throw Error(
        "gel: dt is " + ToText(o.dt) + " s; the pressure wave crosses a cell in " + ToText(longest) +
        " s, and the step must be shorter: 0 for an automatic one, a larger cell, or a softer or denser gel");
  return o.dt > 0 ? o.dt : o.cfl * longest;
}

GelNumbers NumbersFor(const GelOptions& o, double dt) {
  const double kappa = 4 * dt * dt / (o.material.density * o.cell * o.cell);
  return {static_cast<float>(kappa * o.material.mu()), static_cast<float>(kappa * o.material.lambda()),
          o.material.law};
}

Vec3 GridOrigin(const GelOptions& options, const std::vector<Vec3>& positions, double particle_volume) {
  if (positions.empty()) throw Error("gel: no particles; fill a shape with FillLattice first");
  if (!(std::isfinite(particle_volume) && particle_volume > 0))
    throw Error("gel: the volume of a particle is " + ToText(particle_volume) +
                " m^3; it must be finite and > 0");
  Vec3 low = positions[0], high = positions[0];
  for (std::size_t p = 0; p < positions.size(); ++p) {
    if (!is_finite(positions[p]))
      throw Error("gel: particle " + std::to_string(p) + " is at " + Text(positions[p]) +
                  " m; it must be finite");
    low = cwise_min(low, positions[p]), high = cwise_max(high, positions[p]);
  }
  const Vec3 span = high - low;
  if (std::max({span.x, span.y, span.z}) / options.cell > 1e6)
    throw Error("gel: the particles span " + Text(span) + " m, more than a million cells of " +
                ToText(options.cell) + " m; take a larger cell");
  // In space nodes lie at whole multiples of the cell in W, whatever the particles: a moved scene keeps its
  // phase. At rest the face of a lattice with eight particles a cell lies midway between nodes: with nodes in
  // its faces a box has soft modes, in which 1 % of a press is left for thousands of steps.
  Vec3 origin;
  for (int k = 0; k < 3; ++k)
    origin[k] = options.frame == GelFrame::kRest ? low[k] - 0.75 * options.cell
                                                 : std::floor(low[k] / options.cell) * options.cell;
  return origin;
}

std::optional<Pose> PlaneOfBack(const std::vector<Vec3>& bonded, const std::vector<Vec3>& outward,
                                double cell) {
  Vec3 up, middle;
  for (const Vec3& n : outward) up += n;
  up = normalized(up);
  for (const Vec3& p : bonded) middle += p / static_cast<double>(bonded.size());
  for (const Vec3& p : bonded)
    if (std::fabs(dot(p - middle, up)) > 1e-6 * cell) return std::nullopt;
  return Pose{FrameWithZ(up), middle};
}

}  // namespace taxel::internal
