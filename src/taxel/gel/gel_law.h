// Stress of one particle from its deformation gradient, for one float (host and device) or eight at once.
//
// Everything is in the solver's own units: lengths in cells, time in steps, mass in particles. Then the only
// numbers are the moduli times kappa = 4 dt^2 / (density dx^2), and the force a particle scatters is -tau:
//     momentum of node i += w_ip (v + (C - tau) (x_i - x_p)),      tau = kappa P F^T (Kirchhoff)
// on a grid in space, and on one that stands in the gel at rest (GelFrame), with X the places at rest,
//     momentum of node i += w_ip (v + (C - kappa P) (X_i - X_p)).
#pragma once

#include <cmath>

#include "taxel/gel/gel_material.h"
#include "taxel/math/vec3.h"

namespace taxel {

/// Moduli in the solver's units.
struct GelNumbers {
  float mu = 0, lambda = 0;
  GelLaw law = GelLaw::kCorotated;
};

/// Row-major 3 x 3.
template <typename T>
struct GelMatrix {
  T m[9];
};

template <typename T>
TAXEL_HD inline GelMatrix<T> Cofactor(const GelMatrix<T>& a) {
  return {{a.m[4] * a.m[8] - a.m[5] * a.m[7], a.m[5] * a.m[6] - a.m[3] * a.m[8],
           a.m[3] * a.m[7] - a.m[4] * a.m[6], a.m[2] * a.m[7] - a.m[1] * a.m[8],
           a.m[0] * a.m[8] - a.m[2] * a.m[6], a.m[1] * a.m[6] - a.m[0] * a.m[7],
           a.m[1] * a.m[5] - a.m[2] * a.m[4], a.m[2] * a.m[3] - a.m[0] * a.m[5],
           a.m[0] * a.m[4] - a.m[1] * a.m[3]}};
}

template <typename T>
TAXEL_HD inline T Determinant(const GelMatrix<T>& a) {
  return a.m[0] * (a.m[4] * a.m[8] - a.m[5] * a.m[7]) + a.m[1] * (a.m[5] * a.m[6] - a.m[3] * a.m[8]) +
         a.m[2] * (a.m[3] * a.m[7] - a.m[4] * a.m[6]);
}

/// (1 + C) F
template <typename T>
TAXEL_HD inline GelMatrix<T> Advance(const GelMatrix<T>& C, const GelMatrix<T>& F) {
  GelMatrix<T> out;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      out.m[3 * i + j] =
          F.m[3 * i + j] + (C.m[3 * i] * F.m[j] + C.m[3 * i + 1] * F.m[3 + j] + C.m[3 * i + 2] * F.m[6 + j]);
  return out;
}

/// One step of Newton's iteration for the rotation in F = R S: R <- (R + R^-T) / 2 (Higham 1986). A singular
/// value s goes to (s + 1/s) / 2, whatever the rotation, so 0.5 <= s <= 2 needs four steps in float.
template <typename T>
TAXEL_HD inline GelMatrix<T> PolarStep(const GelMatrix<T>& R) {
  const GelMatrix<T> c = Cofactor(R);
  const T half = T{} + 0.5f, scale = half / (R.m[0] * c.m[0] + R.m[1] * c.m[1] + R.m[2] * c.m[2]);
  GelMatrix<T> out;
  for (int k = 0; k < 9; ++k) out.m[k] = half * R.m[k] + scale * c.m[k];
  return out;
}

/// The rotation nearest to F, whatever F is: where F is inside out, U V^T with the sign on the smallest
/// singular value, so that the energy pushes the particle back through zero (Irving 2004). By the greatest
/// eigenvector of Horn's 4 x 4 matrix (Jacobi's method): the slow way, for the few that Newton cannot do.
TAXEL_HD static inline void RobustRotation(const float* F, float* R) {
  double a[4][4] = {
      {double(F[0]) + F[4] + F[8], double(F[7]) - F[5], double(F[2]) - F[6], double(F[3]) - F[1]},
      {0, double(F[0]) - F[4] - F[8], double(F[1]) + F[3], double(F[6]) + F[2]},
      {0, 0, -double(F[0]) + F[4] - F[8], double(F[5]) + F[7]},
      {0, 0, 0, -double(F[0]) - F[4] + F[8]}};
  double q[4][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < i; ++j) a[i][j] = a[j][i];
  for (int sweep = 0; sweep < 12; ++sweep)
    for (int i = 0; i < 3; ++i)
      for (int j = i + 1; j < 4; ++j) {
        if (!(std::fabs(a[i][j]) > 1e-300)) continue;
        const double theta = (a[j][j] - a[i][i]) / (2 * a[i][j]);
        const double t = (theta < 0 ? -1.0 : 1.0) / (std::fabs(theta) + std::sqrt(1 + theta * theta));
        const double c = 1 / std::sqrt(1 + t * t), s = t * c;
        for (int k = 0; k < 4; ++k) {
          const double u = a[k][i], v = a[k][j];
          a[k][i] = c * u - s * v, a[k][j] = s * u + c * v;
        }
        for (int k = 0; k < 4; ++k) {
          const double u = a[i][k], v = a[j][k];
          a[i][k] = c * u - s * v, a[j][k] = s * u + c * v;
        }
        for (int k = 0; k < 4; ++k) {
          const double u = q[k][i], v = q[k][j];
          q[k][i] = c * u - s * v, q[k][j] = s * u + c * v;
        }
      }
  int top = 0;
  for (int k = 1; k < 4; ++k)
    if (a[k][k] > a[top][top]) top = k;
  const double w = q[0][top], x = q[1][top], y = q[2][top], z = q[3][top];
  const double rotation[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                              2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                              2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
  for (int k = 0; k < 9; ++k) R[k] = static_cast<float>(rotation[k]);
}

/// Newton's iteration is trusted for J above this; below, and where it has not settled, RobustRotation.
inline constexpr float kLeastTrustedJ = 0.05f;
/// The last change of an entry of R after which the next would be below float's rounding (s -> 1 + e^2 / 2).
inline constexpr float kPolarSettled = 3e-4f;
/// The barrier -mu log J goes on as a parabola below this, so that an inverted particle is pushed back.
inline constexpr float kLogBarrierFrom = 0.2f;

/// Rotation of F for one particle.
TAXEL_HD inline GelMatrix<float> Rotation(const GelMatrix<float>& F, float J) {
  GelMatrix<float> R = F;
  if (J > kLeastTrustedJ) {
    for (int k = 0; k < 8; ++k) {
      const GelMatrix<float> next = PolarStep(R);
      float change = 0;
      for (int i = 0; i < 9; ++i) change = std::fmax(change, std::fabs(next.m[i] - R.m[i]));
      R = next;
      if (change < kPolarSettled) return R;
    }
  }
  RobustRotation(F.m, R.m);
  return R;
}

/// Upper triangle xx xy xz yy yz zz of tau. `pressure` is lambda (J - 1) J, with the average of J over a cell
/// where that is wanted (see CellVolumes). R is read by the corotated law only.
template <typename T>
TAXEL_HD inline void CorotatedStress(T mu, const GelMatrix<T>& F, const GelMatrix<T>& R, T pressure, T* tau) {
  GelMatrix<T> D;
  for (int k = 0; k < 9; ++k) D.m[k] = F.m[k] - R.m[k];
  const T two_mu = mu + mu;
  int n = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = i; j < 3; ++j, ++n) {
      const T dot =
          D.m[3 * i] * F.m[3 * j] + D.m[3 * i + 1] * F.m[3 * j + 1] + D.m[3 * i + 2] * F.m[3 * j + 2];
      tau[n] = i == j ? two_mu * dot + pressure : two_mu * dot;
    }
}

/// mu (F F^T - 1) + pressure, and the parabola below kLogBarrierFrom: `barrier` is -J g'(J) / mu, with g the
/// barrier; 1 where J is above.
template <typename T>
TAXEL_HD inline void NeoHookeanStress(T mu, const GelMatrix<T>& F, T barrier, T pressure, T* tau) {
  int n = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = i; j < 3; ++j, ++n) {
      const T dot =
          F.m[3 * i] * F.m[3 * j] + F.m[3 * i + 1] * F.m[3 * j + 1] + F.m[3 * i + 2] * F.m[3 * j + 2];
      tau[n] = i == j ? mu * (dot - barrier) + pressure : mu * dot;
    }
}

TAXEL_HD inline float LogBarrier(float J) {
  return J > kLogBarrierFrom ? 1.0f : J * (2 - J / kLogBarrierFrom) / kLogBarrierFrom;
}

/// kappa P, the same stress on the gel at rest: tau = P F^T. `pressure` is lambda (J - 1) here, without the
/// factor J that the cofactor of F has.
template <typename T>
TAXEL_HD inline GelMatrix<T> CorotatedPiola(T mu, const GelMatrix<T>& F, const GelMatrix<T>& R, T pressure) {
  GelMatrix<T> P = Cofactor(F);
  const T two_mu = mu + mu;
  for (int k = 0; k < 9; ++k) P.m[k] = two_mu * (F.m[k] - R.m[k]) + pressure * P.m[k];
  return P;
}

/// `barrier` is -g'(J) / mu; 1 / J where J is above kLogBarrierFrom.
template <typename T>
TAXEL_HD inline GelMatrix<T> NeoHookeanPiola(T mu, const GelMatrix<T>& F, T barrier, T pressure) {
  GelMatrix<T> P = Cofactor(F);
  const T both = pressure - mu * barrier;
  for (int k = 0; k < 9; ++k) P.m[k] = mu * F.m[k] + both * P.m[k];
  return P;
}

TAXEL_HD inline float LogBarrierSlope(float J) {
  return J > kLogBarrierFrom ? 1 / J : (2 - J / kLogBarrierFrom) / kLogBarrierFrom;
}

/// kappa P of one particle.
TAXEL_HD inline GelMatrix<float> PiolaStress(const GelNumbers& n, const GelMatrix<float>& F, float J,
                                             float Jbar) {
  const float pressure = n.lambda * (Jbar - 1);
  return n.law == GelLaw::kCorotated ? CorotatedPiola(n.mu, F, Rotation(F, J), pressure)
                                     : NeoHookeanPiola(n.mu, F, LogBarrierSlope(J), pressure);
}

/// tau of one particle; Jbar is J or its average over the cell.
TAXEL_HD inline void KirchhoffStress(const GelNumbers& n, const GelMatrix<float>& F, float J, float Jbar,
                                     float* tau) {
  const float pressure = n.lambda * (Jbar - 1) * J;
  if (n.law == GelLaw::kCorotated)
    CorotatedStress(n.mu, F, Rotation(F, J), pressure, tau);
  else
    NeoHookeanStress(n.mu, F, LogBarrier(J), pressure, tau);
}

/// Energy density over kappa-scaled moduli, for the energy balance (double).
TAXEL_HD inline double ElasticEnergy(const GelNumbers& n, const GelMatrix<float>& F, float J, float Jbar) {
  double sum = 0;
  if (n.law == GelLaw::kCorotated) {
    const GelMatrix<float> R = Rotation(F, J);
    for (int k = 0; k < 9; ++k) sum += (double(F.m[k]) - R.m[k]) * (double(F.m[k]) - R.m[k]);
    sum *= n.mu;  // sum (sigma - 1)^2 = |F - R|^2
  } else {
    for (int k = 0; k < 9; ++k) sum += double(F.m[k]) * F.m[k];
    const double j0 = kLogBarrierFrom, d = J - j0;
    const double log_J = J > j0 ? std::log(double(J)) : std::log(j0) + d / j0 - d * d / (2 * j0 * j0);
    sum = n.mu * (0.5 * (sum - 3) - log_J);
  }
  return sum + 0.5 * n.lambda * (double(Jbar) - 1) * (double(Jbar) - 1);
}

}  // namespace taxel
