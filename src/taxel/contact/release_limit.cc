#include "taxel/contact/release_limit.h"

#include <algorithm>
#include <cmath>

namespace taxel::internal {

double ElasticEnergy(const Patch& patch) {
  double energy = 0;
  for (const PatchBlock& b : patch.blocks) {
    const double k = b.stiffness + ExitStiffness(patch, b);
    if (k > 0) energy += 0.5 * b.force * b.force / k;
  }
  return energy;
}

double FirstBudget(double energy, double force, double speed, double step) {
  return std::max(0.0, energy - force * speed * step);
}

double ReleaseFactor(double budget, const ReleaseStep& s) {
  const double A = s.inverse_mass, h = s.step, v = s.velocity;
  const double most = std::max(s.slow, std::sqrt(v * v + 2 * A * std::max(0.0, budget)));
  const double gain = h * A * s.force, x = s.implicit ? h * h * A * s.stiffness : 0.0;
  if (v + gain <= most * (1 + x)) return 1;
  return std::clamp((most - v) / (gain - x * most), kLeastRelease, 1.0);
}

double NextBudget(double budget, double work_in, double energy, double step, bool held_back) {
  const double next = std::max(0.0, budget + work_in);
  return held_back ? next : next + std::min(1.0, step / kBudgetMemory) * (energy - next);
}

}  // namespace taxel::internal
