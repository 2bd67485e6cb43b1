// One particle of a gel on a grid at rest, to the grid and back: for host and device (Eqs. of
// gel_transfer.h).
#pragma once

#include <cmath>

#include "taxel/batch/pad_scene.h"
#include "taxel/gel/spline.h"

namespace taxel::internal {

struct PadParticle {
  float f[3], w[9];  // from the first node of its stencil; weights along the three axes
  float v[3], C[9];
  GelMatrix<float> F;
  float J;
};

/// Where the grid sees it.
TAXEL_HD inline void PlaceParticle(const PadPlan& plan, int particle, PadParticle* p) {
  for (int k = 0; k < 3; ++k) {
    p->f[k] = plan.f[static_cast<std::size_t>(k) * plan.particles + particle];
    SplineWeights(p->f[k], p->w + 3 * k);
  }
}

/// v and C from the velocities of its nodes. Returns the greatest motion along an axis, cells.
TAXEL_HD inline float GatherParticle(const PadNode* first, int row, int plane, PadParticle* p) {
  Triple<float> v, m[3];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 3; ++k) {
        const PadNode n = first[i * plane + j * row + k];
        const float w = p->w[i] * p->w[3 + j] * p->w[6 + k];
        const Triple<float> part{w * n.x, w * n.y, w * n.z};
        v = v + part;
        if (i > 0) m[0] = m[0] + static_cast<float>(i) * part;
        if (j > 0) m[1] = m[1] + static_cast<float>(j) * part;
        if (k > 0) m[2] = m[2] + static_cast<float>(k) * part;
      }
  for (int k = 0; k < 3; ++k) {
    const Triple<float> c = 4.0f * (m[k] - p->f[k] * v);
    p->C[k] = c.x, p->C[3 + k] = c.y, p->C[6 + k] = c.z;
  }
  p->v[0] = v.x, p->v[1] = v.y, p->v[2] = v.z;
  float most = 0;
  for (int k = 0; k < 3; ++k) {
    const float d = std::fabs(p->v[k]);
    if (!(d <= most)) most = d;  // NaN stays
  }
  return most;
}

/// v and C as the last call left them.
TAXEL_HD inline void LoadMotion(const PadState& s, std::size_t pad, std::size_t N, std::size_t particle,
                                PadParticle* p) {
  for (std::size_t k = 0; k < 3; ++k) p->v[k] = s.v[(3 * pad + k) * N + particle];
  for (std::size_t k = 0; k < 9; ++k) p->C[k] = s.C[(9 * pad + k) * N + particle];
}
TAXEL_HD inline void StoreMotion(const PadState& s, std::size_t pad, std::size_t N, std::size_t particle,
                                 const PadParticle& p) {
  for (std::size_t k = 0; k < 3; ++k) s.v[(3 * pad + k) * N + particle] = p.v[k];
  for (std::size_t k = 0; k < 9; ++k) s.C[(9 * pad + k) * N + particle] = p.C[k];
}

/// F and J; when it `moves`, F and its displacement go on by a step first.
TAXEL_HD inline void Deform(const PadState& s, std::size_t pad, std::size_t N, std::size_t particle,
                            bool moves, PadParticle* p) {
  for (std::size_t k = 0; k < 9; ++k) {
    float& F = s.F[(9 * pad + k) * N + particle];
    p->F.m[k] = F;
    if (moves) F = p->F.m[k] = p->F.m[k] + p->C[k];
  }
  for (std::size_t k = 0; moves && k < 3; ++k) s.u[(3 * pad + k) * N + particle] += double(p->v[k]);
  for (int k = 0; k < 9; k += 4) p->F.m[k] += 1;
  p->J = Determinant(p->F);
}

/// Numbers that a node needs of a particle: what it would get at the first node (3), how that changes from
/// node to node (9), and the weights (9).
inline constexpr int kPadStaged = 21;

/// Jbar: J, or its mean over the cell. rest: of the velocity that the hand brings. Number k goes to
/// staged[k stride].
TAXEL_HD inline void StageParticle(const PadPlan& plan, const float rest[3], const PadParticle& p, float Jbar,
                                   float* staged, int stride) {
  // Damped before the stress is added: a static stress must not lose a share of itself in every step.
  const GelMatrix<float> P = PiolaStress(plan.numbers, p.F, p.J, Jbar);
  for (int i = 0; i < 3; ++i) {
    float q = rest[i] + plan.keep * p.v[i];
    for (int j = 0; j < 3; ++j) {
      const float a = plan.keep * p.C[3 * i + j] - P.m[3 * i + j];
      q -= a * p.f[j];
      staged[(3 + 3 * i + j) * stride] = a;
    }
    staged[i * stride] = q;
  }
  for (int k = 0; k < 9; ++k) staged[(12 + k) * stride] = p.w[k];
}

/// Momentum for node n of the stencil, added to *sum.
TAXEL_HD inline void AddShare(const float* staged, int stride, int n, PadNode* sum) {
  const int i = n / 9, j = n / 3 % 3, k = n % 3;
  const float w = staged[(12 + i) * stride] * staged[(15 + j) * stride] * staged[(18 + k) * stride];
  const float x = static_cast<float>(i), y = static_cast<float>(j), z = static_cast<float>(k);
  const auto give = [&](int axis) {
    const float* a = staged + (3 + 3 * axis) * stride;
    return w * (staged[axis * stride] + a[0] * x + a[stride] * y + a[2 * stride] * z);
  };
  sum->x += give(0), sum->y += give(1), sum->z += give(2);
}

/// Velocity that the hand brings in the step of this row.
TAXEL_HD inline void HandRest(const PadScene& s, int pad, int row, float rest[3]) {
  const KernelPose<double>&now = s.pose(row, pad, s.objects), &then = s.pose(row - 1, pad, s.objects);
  for (int k = 0; k < 3; ++k) rest[k] = static_cast<float>((1 - s.plan.keep) * (now.t[k] - then.t[k]));
}

}  // namespace taxel::internal
