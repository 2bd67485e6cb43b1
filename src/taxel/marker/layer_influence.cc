#include "taxel/marker/layer_influence.h"

#include <math.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "taxel/math/error.h"

namespace taxel {
namespace {

// Wave numbers with weights; beyond the last the layer is a half space to 1e-14.
struct Quadrature {
  static constexpr int kPanels = 40, kNodes = 10, kCount = kPanels * kNodes;
  static constexpr double kEnd = 20;
  std::vector<double> k, weight;
  std::vector<double> j0, j1, j2;  // kLayerRadii x kCount
};

// Nodes and weights of Gauss and Legendre on -1..1, by Newton's method.
void GaussLegendre(int n, std::vector<double>* x, std::vector<double>* w) {
  for (int i = 0; i < n; ++i) {
    double z = std::cos(std::numbers::pi * (i + 0.75) / (n + 0.5)), slope = 1;
    for (int round = 0; round < 20; ++round) {
      double p = 1, before = 0;
      for (int k = 1; k <= n; ++k) {
        const double older = before;
        before = p;
        p = ((2 * k - 1) * z * before - (k - 1) * older) / k;
      }
      slope = n * (z * p - before) / (z * z - 1);
      z -= p / slope;
    }
    x->push_back(z);
    w->push_back(2 / ((1 - z * z) * slope * slope));
  }
}

// The same for every material.
const Quadrature& Waves() {
  static const Quadrature waves = [] {
    Quadrature q;
    std::vector<double> x, w;
    GaussLegendre(Quadrature::kNodes, &x, &w);
    const double half = 0.5 * Quadrature::kEnd / Quadrature::kPanels;
    for (int panel = 0; panel < Quadrature::kPanels; ++panel)
      for (int i = 0; i < Quadrature::kNodes; ++i) {
        q.k.push_back(half * (2 * panel + 1 + x[static_cast<std::size_t>(i)]));
        q.weight.push_back(half * w[static_cast<std::size_t>(i)]);
      }
    for (int r = 0; r < kLayerRadii; ++r)
      for (const double k : q.k) {
        const double z = k * r * kLayerSpacing, zero = ::j0(z), one = ::j1(z);
        q.j0.push_back(zero);
        q.j1.push_back(one);
        q.j2.push_back(z > 1e-3 ? 2 * one / z - zero : z * z / 8);
      }
    return q;
  }();
  return waves;
}

}  // namespace

std::array<double, 4> LayerCompliance(double k, double nu) {
  const double down = std::exp(-2 * k), y = k * k;
  const double C = 0.5 * (1 + down);
  double S, P;
  if (k < 0.3) {
    const double shrink = std::exp(-k);
    S = (1 + y / 6 * (1 + y / 20 * (1 + y / 42 * (1 + y / 72)))) * shrink;
    P = (1.0 / 6 + y * (1.0 / 60 + y * (1.0 / 1680 + y * (1.0 / 90720 + y / 7983360)))) * shrink;
  } else {
    S = 0.5 * (1 - down) / k;
    P = (C - S) / (2 * y);
  }
  const double q1 = -k / (2 - 2 * nu), dP = 0.5 * S;
  const double U[2] = {S - k * q1 * P, -0.5 * k * S};
  const double W[2] = {-0.5 * q1 * S, (1 - 2 * nu) * S - y * P};
  const double dU[2] = {C - k * q1 * dP, -0.5 * k * (S + C)};
  const double dW[2] = {-0.5 * q1 * (S + C), (1 - 2 * nu) * C - y * dP};
  const double q[2] = {q1 * S, C};
  double shear[2], normal[2];
  for (int i = 0; i < 2; ++i) {
    shear[i] = dU[i] + k * W[i];
    normal[i] = 2 * nu * q[i] + 2 * dW[i];
  }
  const double det = shear[0] * normal[1] - shear[1] * normal[0];
  return {(U[0] * normal[1] - U[1] * normal[0]) / det, (U[1] * shear[0] - U[0] * shear[1]) / det,
          (W[1] * shear[0] - W[0] * shear[1]) / det, S / C};
}

LayerInfluence::LayerInfluence(double thickness, double poisson) : thickness_(thickness), poisson_(poisson) {
  if (!std::isfinite(thickness) || thickness <= 0)
    throw Error("elastic layer: thickness is " + ToText(thickness) + "; give a length in m above 0");
  if (!(poisson >= 0 && poisson <= 0.49999))
    throw Error("elastic layer: poisson is " + ToText(poisson) +
                "; give 0 to 0.49999 (take that for an incompressible material)");
  const Quadrature& waves = Waves();
  constexpr int n = Quadrature::kCount;
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
  auto table = std::make_shared<std::array<double, 4 * kLayerRadii>>();
  for (std::size_t r = 0; r < kLayerRadii; ++r) {
    double sum[4] = {};
    for (std::size_t i = 0; i < n; ++i) {
      const double j0 = waves.j0[r * n + i];
      sum[0] += zz[i] * j0;
      sum[1] += rz[i] * waves.j1[r * n + i];
      sum[2] += round[i] * j0;
      sum[3] += two[i] * waves.j2[r * n + i];
    }
    for (std::size_t c = 0; c < 4; ++c) (*table)[4 * r + c] = sum[c];
  }
  table_ = std::move(table);
}

LayerBlock<double> LayerInfluence::Square(double x, double y, double side) const {
  const double reach = this->reach() - side;  // all of the square is within the table
  if (x * x + y * y > reach * reach) return {};
  LayerBlock<double> out = HalfSpaceSquare(x, y, 0.5 * side, poisson_);
  // Two points an axis are exact to the fourth order in side / thickness; a coarse lattice takes four.
  static constexpr double kTwo[] = {-0.5773502691896257, 0.5773502691896257}, kTwoWeights[] = {1, 1};
  static constexpr double kFour[] = {-0.8611363115940526, -0.3399810435848563, 0.3399810435848563,
                                     0.8611363115940526};
  static constexpr double kFourWeights[] = {0.3478548451374538, 0.6521451548625461, 0.6521451548625461,
                                            0.3478548451374538};
  const bool fine = side < 0.4 * thickness_;
  const int n = fine ? 2 : 4;
  const double *at = fine ? kTwo : kFour, *weights = fine ? kTwoWeights : kFourWeights;
  const double scale = 0.25 * side * side / thickness_;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      const double w = scale * weights[i] * weights[j];
      const LayerBlock<double> b = BaseOfLayer(table_->data(), (x - 0.5 * side * at[i]) / thickness_,
                                               (y - 0.5 * side * at[j]) / thickness_);
      out.xx += w * b.xx;
      out.xy += w * b.xy;
      out.yy += w * b.yy;
      out.xz += w * b.xz;
      out.yz += w * b.yz;
      out.zz += w * b.zz;
    }
  return out;
}

}  // namespace taxel
