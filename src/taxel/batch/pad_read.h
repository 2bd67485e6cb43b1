// What is read of pads, in SI units: for host and device.
#pragma once

#include "taxel/batch/cuda_pads.h"
#include "taxel/batch/pad_skin.h"

namespace taxel::internal {

/// One of the contact points without the rim, then the held ones. Hands and areas lie where this runs.
TAXEL_HD inline void ReadPoint(const PadScene& s, const PadReading& r, const KernelPose<double>* hand,
                               int pad, int k) {
  const PadPlan& plan = s.plan;
  const int touched = plan.contact - plan.rim, shown = plan.points - plan.rim;
  const int point = k < touched ? k : k + plan.rim;
  const std::size_t to = 3 * (static_cast<std::size_t>(pad) * shown + k);
  if (r.skin_position || (r.displacement && k < touched)) {
    const Triple<double> x = PlaceOfPoint(s, pad, point);
    if (r.skin_position) {
      r.skin_position[to] = static_cast<float>(r.origin[0] + r.cell * x.x);
      r.skin_position[to + 1] = static_cast<float>(r.origin[1] + r.cell * x.y);
      r.skin_position[to + 2] = static_cast<float>(r.origin[2] + r.cell * x.z);
    }
    if (r.displacement && k < touched) {
      const int p = plan.ride[point], node = plan.cell_node[plan.cell_of[p]];
      const int base[3] = {plan.low[0] + node / plan.plane, plan.low[1] + node % plan.plane / plan.row,
                           plan.low[2] + node % plan.row};
      const Triple<double> q = ApplyInverse(r.hand[pad], x);
      const double now[3] = {q.x, q.y, q.z};
      float* out = r.displacement + 3 * (static_cast<std::size_t>(pad) * touched + k);
      for (int i = 0; i < 3; ++i) {
        const double rest = base[i] + (double(plan.f[static_cast<std::size_t>(i) * plan.particles + p]) +
                                       plan.r0[3 * static_cast<std::size_t>(point) + i]);
        out[i] = static_cast<float>(r.cell * (now[i] - rest));
      }
    }
  }
  const Triple<float> l = s.state.impulse[static_cast<std::size_t>(pad) * plan.points + point];
  if (r.traction && k < touched) {
    float* out = r.traction + 3 * (static_cast<std::size_t>(pad) * touched + k);
    const double share = r.impulse / r.area[k];
    out[0] = static_cast<float>(share * l.x);
    out[1] = static_cast<float>(share * l.y);
    out[2] = static_cast<float>(share * l.z);
  }
  if (r.skin_force) {
    r.skin_force[to] = static_cast<float>(r.impulse * l.x);
    r.skin_force[to + 1] = static_cast<float>(r.impulse * l.y);
    r.skin_force[to + 2] = static_cast<float>(r.impulse * l.z);
  }
}

TAXEL_HD inline void ReadParticle(const PadScene& s, const PadReading& r, int pad, int p) {
  const std::size_t N = static_cast<std::size_t>(s.plan.particles),
                    to = static_cast<std::size_t>(pad) * N + s.plan.number[p];
  if (r.position) {
    const float nothing[3] = {};
    const Triple<double> x = PlaceInGrid(s, pad, p, nothing);
    r.position[3 * to] = static_cast<float>(r.origin[0] + r.cell * x.x);
    r.position[3 * to + 1] = static_cast<float>(r.origin[1] + r.cell * x.y);
    r.position[3 * to + 2] = static_cast<float>(r.origin[2] + r.cell * x.z);
  }
  if (r.deformation) {
    const float* F = s.state.F + 9 * static_cast<std::size_t>(pad) * N + p;
    for (std::size_t k = 0; k < 9; ++k) r.deformation[9 * to + k] = F[k * N] + (k % 4 == 0 ? 1.0f : 0.0f);
  }
}

}  // namespace taxel::internal
