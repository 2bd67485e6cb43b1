// What is read of pads, in SI units: for host and device.
#pragma once

#include "taxel/batch/cuda_pads.h"
#include "taxel/batch/pad_skin.h"

namespace taxel::internal {

TAXEL_HD inline void Put(const Vec3& v, float* to) {
  for (int k = 0; k < 3; ++k) to[k] = static_cast<float>(v[k]);
}

/// Of a contact point without the rim. Hands and areas lie where this runs.
TAXEL_HD inline void ReadPoint(const PadScene& s, const GelPadReading& r, int pad, int point) {
  const PadPlan& plan = s.plan;
  const std::size_t to = 3 * (static_cast<std::size_t>(pad) * (plan.contact - plan.rim) + point);
  const Vec3 origin{r.origin[0], r.origin[1], r.origin[2]};
  if (r.skin_position || r.displacement) {
    const Triple<double> x = PlaceOfPoint(s, pad, point);
    if (r.skin_position) Put(origin + r.cell * Vec3{x.x, x.y, x.z}, r.skin_position + to);
    if (r.displacement) {
      const Triple<double> q = ApplyInverse(r.hand[pad], x);
      const int p = plan.ride[point];
      int base[3];
      FirstNodeOf(plan, p, base);
      Vec3 rest;
      for (int k = 0; k < 3; ++k)
        rest[k] = base[k] + (double(plan.f[static_cast<std::size_t>(k) * plan.particles + p]) +
                             plan.r0[3 * static_cast<std::size_t>(point) + k]);
      Put(r.cell * (Vec3{q.x, q.y, q.z} - rest), r.displacement + to);
    }
  }
  const Triple<float> l = s.state.impulse[static_cast<std::size_t>(pad) * plan.points + point];
  const Vec3 force = r.impulse * Vec3{l.x, l.y, l.z};
  if (r.skin_force) Put(force, r.skin_force + to);
  if (r.traction) Put((1 / r.area[point]) * force, r.traction + to);
}

TAXEL_HD inline void ReadParticle(const PadScene& s, const GelPadReading& r, int pad, int p) {
  const std::size_t N = static_cast<std::size_t>(s.plan.particles),
                    to = static_cast<std::size_t>(pad) * N + s.plan.number[p];
  if (r.position) {
    const float nothing[3] = {};
    const Triple<double> x = PlaceInGrid(s, pad, p, nothing);
    Put(Vec3{r.origin[0], r.origin[1], r.origin[2]} + r.cell * Vec3{x.x, x.y, x.z}, r.position + 3 * to);
  }
  if (r.deformation) {
    const float* F = s.state.F + 9 * static_cast<std::size_t>(pad) * N + p;
    for (std::size_t k = 0; k < 9; ++k) r.deformation[9 * to + k] = F[k * N] + (k % 4 == 0 ? 1.0f : 0.0f);
  }
}

}  // namespace taxel::internal
