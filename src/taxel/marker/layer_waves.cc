#include "taxel/marker/layer_waves.h"

#include <math.h>

#include <cmath>
#include <numbers>

namespace taxel::internal {
namespace {

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

}  // namespace

const LayerWaves& Waves() {
  static const LayerWaves waves = [] {
    LayerWaves q;
    std::vector<double> x, w;
    GaussLegendre(LayerWaves::kNodes, &x, &w);
    const double half = 0.5 * LayerWaves::kEnd / LayerWaves::kPanels;
    for (int panel = 0; panel < LayerWaves::kPanels; ++panel)
      for (int i = 0; i < LayerWaves::kNodes; ++i) {
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

std::shared_ptr<const LayerTable> Tabulate(const std::vector<double>& zz, const std::vector<double>& rz,
                                           const std::vector<double>& round, const std::vector<double>& two) {
  const LayerWaves& waves = Waves();
  constexpr int n = LayerWaves::kCount;
  auto table = std::make_shared<LayerTable>();
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
  return table;
}

void AddOverSquare(const LayerTable& table, double x, double y, double side, double thickness,
                   LayerBlock<double>* out) {
  // Two points an axis are exact to the fourth order in side / thickness; a coarse lattice takes four.
  static constexpr double kTwo[] = {-0.5773502691896257, 0.5773502691896257}, kTwoWeights[] = {1, 1};
  static constexpr double kFour[] = {-0.8611363115940526, -0.3399810435848563, 0.3399810435848563,
                                     0.8611363115940526};
  static constexpr double kFourWeights[] = {0.3478548451374538, 0.6521451548625461, 0.6521451548625461,
                                            0.3478548451374538};
  const bool fine = side < 0.4 * thickness;
  const int n = fine ? 2 : 4;
  const double *at = fine ? kTwo : kFour, *weights = fine ? kTwoWeights : kFourWeights;
  const double scale = 0.25 * side * side / thickness;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      const double w = scale * weights[i] * weights[j];
      const LayerBlock<double> b = BaseOfLayer(table.data(), (x - 0.5 * side * at[i]) / thickness,
                                               (y - 0.5 * side * at[j]) / thickness);
      out->xx += w * b.xx;
      out->xy += w * b.xy;
      out->yy += w * b.yy;
      out->xz += w * b.xz;
      out->yz += w * b.yz;
      out->zz += w * b.zz;
    }
}

}  // namespace taxel::internal
