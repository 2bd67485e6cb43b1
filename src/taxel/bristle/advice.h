// Parameters of bristles from what one can measure, and the time step they bear.
#pragma once

#include <string>

namespace taxel {

/// Eq. 18 of the soft-contact paper, N/m: a foam that is pressed by `compression` (m) under `pressure` (Pa),
/// cut to `area` (m2) and carried by `points` bristles,
///     k = pressure area / (points compression).
/// The paper's example, 9,810 Pa at 2.5 mm on 0.00125 m2 with 84 texels, gives 58.39 N/m (printed: 58.5). Its
/// pressure is a slip: the 304.15 g it speaks of, on 804.25 mm2, are 3,710 Pa, and k is then 22.08 N/m.
/// @throws Error unless all are finite and positive.
double BristleStiffness(double pressure, double area, int points, double compression);

/// k of a bristle that stands for `area` (m2) of a layer with the hydroelastic pressure modulus d / thickness
/// at the penetration d (the distance field):  k = modulus area / thickness.
/// @throws Error unless all are finite and positive.
double StiffnessOfModulus(double modulus, double area, double thickness);

/// What `points` bristles carry: each with a spring and a damper along the normal, and for friction, while
/// they stick, a spring sigma0 and the dampers sigma1 and c_t side by side.
struct BristleLoad {
  double mass = 0;  ///< that moves against them, kg
  int points = 1;   ///< that touch at the same time
  double stiffness = 0, damping = 0;
  double sigma0 = 0, sigma1 = 0, viscosity = 0;
};

/// Of a mass on a spring K and a damper C, and of its motion in steps.
struct StepAdvice {
  /// Longer steps of the semi-implicit Euler method (force, then velocity, then place with the new velocity)
  /// blow up, s. The smaller of those along and across the normal.
  double largest_explicit_step = 0;
  double period = 0;             ///< 2 pi sqrt(m / K) along the normal: the time scale of the contact, s
  double damping_ratio = 0;      ///< C / (2 sqrt(K m)) along the normal; 1 no longer swings
  double good_step = 0;          ///< half the largest, or a twentieth of the period where that is less, s
  bool friction_limits = false;  ///< the largest step is that of the friction
};

/// The largest step. With x the penetration, the method
///     v' = v - h (K x + C v) / m,   x' = x + h v'
/// has, for (x, h v), the matrix [[1 - b, 1 - a], [-b, 1 - a]] with a = h C / m and b = h^2 K / m:
/// determinant 1 - a, trace 2 - a - b. Its eigenvalues lie inside the unit circle exactly when |det| < 1 and
/// |trace| < 1 + det, that is b > 0 and 2 a + b < 4:
///     h < 4 m / (C + sqrt(C^2 + 4 K m)),
/// 2 sqrt(m / K) without damping, 2 m / C without spring. Damping makes it shorter. At half of it a + b = 1:
/// no eigenvalue has a negative real part, so nothing flips from step to step.
/// @pre mass > 0, stiffness and damping >= 0; infinite where both are 0.
double LargestExplicitStep(double mass, double stiffness, double damping);

/// The mass is that of the lightest body that can touch. Between two moving bodies it is m1 m2 / (m1 + m2),
/// and less where the body can turn under the force (a free ball that is pushed sideways: 2/7 of its mass).
/// The limits for bodies that rock or spin on a wide pad are not covered.
/// @throws Error for a number out of its range.
StepAdvice AdviseStep(const BristleLoad& load);

/// The same in words, with what follows for `timestep` (s) where that is positive.
std::string Describe(const StepAdvice& advice, double timestep = 0);

}  // namespace taxel
