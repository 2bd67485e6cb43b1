// The elastomer: what it is made of, and what that means for the explicit step.
#pragma once

#include <cmath>
#include <string>

namespace taxel {

enum class GelLaw {
  kCorotated,   ///< fixed corotated: mu sum (sigma_i - 1)^2 + lambda/2 (J - 1)^2 (Stomakhin 2012; Eq. 3)
  kNeoHookean,  ///< mu/2 (tr F F^T - 3) - mu log J + lambda/2 (J - 1)^2
};

/// SI units; the unit domain of the paper works as well (lengths in domains, E = 3, density 2).
struct GelMaterial {
  double young = 2e5;     ///< E, Pa
  double poisson = 0.45;  ///< nu, in [0, 0.4999]
  double density = 1000;  ///< kg/m^3
  GelLaw law = GelLaw::kCorotated;

  double mu() const { return young / (2 * (1 + poisson)); }
  double lambda() const { return young * poisson / ((1 + poisson) * (1 - 2 * poisson)); }
  /// Of a pressure wave, sqrt((lambda + 2 mu) / density), m/s.
  double wave_speed() const { return std::sqrt((lambda() + 2 * mu()) / density); }
  /// Of a shear wave, sqrt(mu / density), m/s.
  double shear_speed() const { return std::sqrt(mu() / density); }
  friend bool operator==(const GelMaterial&, const GelMaterial&) = default;
};

/// Throws Error for E <= 0, density <= 0, nu outside [0, 0.4999], or values that are not finite.
void CheckGelMaterial(const GelMaterial& m, const std::string& where);

}  // namespace taxel
