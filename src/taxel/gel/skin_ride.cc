#include "taxel/gel/skin_ride.h"

#include <cmath>
#include <string>

#include "taxel/gel/chamfer.h"
#include "taxel/gel/skin_meet.h"
#include "taxel/gel/spline.h"
#include "taxel/math/error.h"

namespace taxel {
using namespace internal;

std::vector<SkinRide> RideOnNearest(const std::vector<Vec3>& points, const std::vector<Vec3>& particles,
                                    const char* what) {
  NearestPoints nearest;
  nearest.Assign(particles);
  std::vector<SkinRide> out;
  for (std::size_t k = 0; k < points.size(); ++k) {
    const Vec3& p = points[k];
    int particle = -1;
    const double d2 = is_finite(p) ? nearest.SquaredDistance(p, &particle) : 2;
    if (!(d2 < 1))
      throw Error(std::string("gel: ") + what + " point " + std::to_string(k) +
                  " is more than a cell away from every particle; take points on the surface of the gel");
    const Vec3 r = p - particles[static_cast<std::size_t>(particle)];
    out.push_back({particle, {static_cast<float>(r.x), static_cast<float>(r.y), static_cast<float>(r.z)}});
  }
  return out;
}

SkinCarrier::SkinCarrier(const ParticleBlocks& particles, const SkinRide& ride) {
  const std::int32_t slot = particles.slot(static_cast<std::size_t>(ride.particle)), lane = slot & 7;
  const ParticleGroup& g = particles.groups()[static_cast<std::size_t>(slot >> 3)];
  block_ = &particles.block_of_slot(slot);
  const Vec3 moved = particles.MovedBy(slot);
  at_rest_ = particles.at_rest();
  for (int k = 0; k < 9; ++k) F_[k] = g.F[k][lane];
  for (int k = 0; k < 3; ++k) {
    x_[k] = g.x[k][lane];
    float r =
        g.F[3 * k][lane] * ride.r0[0] + g.F[3 * k + 1][lane] * ride.r0[1] + g.F[3 * k + 2][lane] * ride.r0[2];
    if (particles.at_rest()) r += ride.r0[k];  // that was F - 1
    r_[k] = particles.at_rest() ? ride.r0[k] : r;
    place_[k] = double(kBlockCells) * block_->at[k] + (moved[k] + (double(x_[k]) + r));
  }
}

void SkinWeights(const float f[3], const float r[3], float* weights) {
  float w[3][3], lean[3][3];  // w_ip along an axis, and 4 (x_i - x_p) r
  for (int k = 0; k < 3; ++k) {
    SplineWeights(f[k], w[k]);
    for (int n = 0; n < 3; ++n) lean[k][n] = 4 * (static_cast<float>(n) - f[k]) * r[k];
  }
  for (int n = 0; n < 27; ++n) {
    const int i = n / 9, j = n / 3 % 3, k = n % 3;
    weights[n] = w[0][i] * w[1][j] * w[2][k] * (1 + lean[0][i] + lean[1][j] + lean[2][k]);
  }
}

Triple<double> SkinCarrier::Normal(const Vec3& at_rest) const {
  return SkinNormal(F_, at_rest_, {at_rest.x, at_rest.y, at_rest.z});
}

void SkinCarrier::Hang(SkinNodes* nodes) const {
  int base[3];
  float f[3];
  for (int k = 0; k < 3; ++k) {
    base[k] = static_cast<int>(std::floor(x_[k] - 0.5f));
    f[k] = x_[k] - static_cast<float>(base[k]);
  }
  SkinWeights(f, r_, nodes->w);
  for (int n = 0; n < 27; ++n) {
    const int i = base[0] + n / 9, j = base[1] + n / 3 % 3, k = base[2] + n % 3;
    const int near = block_->near[9 * ((i >> 2) + 1) + 3 * ((j >> 2) + 1) + (k >> 2) + 1];
    nodes->node[n] = near * kBlockNodes + ((i & 3) * kBlockCells + (j & 3)) * kBlockCells + (k & 3);
  }
}

}  // namespace taxel
