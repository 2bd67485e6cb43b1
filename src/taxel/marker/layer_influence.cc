#include "taxel/marker/layer_influence.h"

#include <cmath>
#include <numbers>
#include <vector>

#include "taxel/marker/layer_waves.h"
#include "taxel/math/error.h"

namespace taxel {
using namespace internal;

namespace {

// The two solutions that do not move at the base, at the height s above it (thickness 1), times exp(-k):
// u_r = i U, u_z = W, their derivatives by s, and q = div u / (1 - 2 nu).
struct Columns {
  double U[2], W[2], dU[2], dW[2], q[2];
  double C, S;  // of u_t: cosh(k s), sinh(k s) / k
};

Columns At(double s, double k, double nu) {
  const double x = k * s, up = std::exp(x - k), down = std::exp(-x - k), y = x * x;
  const double C = 0.5 * (up + down);
  double S, P;  // P: (s cosh(k s) - sinh(k s) / k) / (2 k^2)
  if (x < 0.3) {
    const double shrink = std::exp(-k);
    S = s * (1 + y / 6 * (1 + y / 20 * (1 + y / 42 * (1 + y / 72)))) * shrink;
    P = s * s * s * (1.0 / 6 + y * (1.0 / 60 + y * (1.0 / 1680 + y * (1.0 / 90720 + y / 7983360)))) * shrink;
  } else {
    S = 0.5 * (up - down) / k;
    P = (s * C - S) / (2 * (k * k));
  }
  const double q1 = -k / (2 - 2 * nu), dP = 0.5 * s * S, ring = S + s * C;
  return {{S - k * q1 * P, -0.5 * k * s * S},
          {-0.5 * q1 * s * S, (1 - 2 * nu) * S - k * k * P},
          {C - k * q1 * dP, -0.5 * k * ring},
          {-0.5 * q1 * ring, (1 - 2 * nu) * C - k * k * dP},
          {q1 * S, C},
          C,
          S};
}

}  // namespace

LayerCompliances LayerComplianceAt(double depth, double k, double nu) {
  const Columns top = At(1, k, nu), in = depth > 0 ? At(1 - depth, k, nu) : top;
  double shear[2], normal[2];
  for (int i = 0; i < 2; ++i) {
    shear[i] = top.dU[i] + k * top.W[i];
    normal[i] = 2 * nu * top.q[i] + 2 * top.dW[i];
  }
  const double det = shear[0] * normal[1] - shear[1] * normal[0];
  return {(in.U[0] * normal[1] - in.U[1] * normal[0]) / det, (in.U[1] * shear[0] - in.U[0] * shear[1]) / det,
          (in.W[0] * normal[1] - in.W[1] * normal[0]) / det, (in.W[1] * shear[0] - in.W[0] * shear[1]) / det,
          in.S / top.C};
}

std::array<double, 4> LayerCompliance(double k, double nu) {
  const LayerCompliances c = LayerComplianceAt(0, k, nu);
  return {c.rr, c.rz, c.zz, c.tt};
}

void LayerInfluence::Check(double thickness, double poisson) {
  if (!std::isfinite(thickness) || thickness <= 0)
    throw Error("elastic layer: thickness is " + ToText(thickness) + "; give a length in m above 0");
  if (!(poisson >= 0 && poisson <= 0.49999))
    throw Error("elastic layer: poisson is " + ToText(poisson) +
                "; give 0 to 0.49999 (take that for an incompressible material)");
}

LayerInfluence::LayerInfluence(double thickness, double poisson) : thickness_(thickness), poisson_(poisson) {
  Check(thickness, poisson);
  const LayerWaves& waves = Waves();
  constexpr int n = LayerWaves::kCount;
  std::vector<double> zz(n), rz(n), round(n), two(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double k = waves.k[i], w = waves.weight[i] * k / (2 * std::numbers::pi);
    const auto [rr_l, rz_l, zz_l, tt_l] = LayerCompliance(k, poisson);
    const double rr = rr_l - (1 - poisson) / k, tt = tt_l - 1 / k;
    zz[i] = w * (zz_l - (1 - poisson) / k);
    rz[i] = -w * (rz_l + (1 - 2 * poisson) / (2 * k));
    round[i] = 0.5 * w * (rr + tt);
    two[i] = -0.5 * w * (rr - tt);
  }
  table_ = Tabulate(zz, rz, round, two);
}

LayerBlock<double> LayerInfluence::Square(double x, double y, double side) const {
  const double reach = this->reach() - side;  // all of the square is within the table
  if (x * x + y * y > reach * reach) return {};
  LayerBlock<double> out = HalfSpaceSquare(x, y, 0.5 * side, poisson_);
  AddOverSquare(*table_, x, y, side, thickness_, &out);
  return out;
}

}  // namespace taxel
