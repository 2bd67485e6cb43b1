// What the tractions of a gel of mode layer say, by a team of lanes: LayerField::Read.
#pragma once

#include "taxel/marker/layer_increment.h"

namespace taxel::internal {

/// Memory for one gel; what is null is not written.
struct LayerOutput {
  float* displacement = nullptr;   ///< (markers, 3), px
  float* wrench = nullptr;         ///< force, torque about the pad's origin, on the gel
  float* marker_forces = nullptr;  ///< (markers, 3), N
};

struct LayerWrench {
  Vec3 force, torque;
  TAXEL_HD void Join(const LayerWrench& o) { force += o.force, torque += o.torque; }
};

/// Two numbers of a table, which no kernel writes.
TAXEL_HD inline LayerComplex LoadTwo(const float* from) {
#if defined(__CUDA_ARCH__)
  const float2 two = __ldg(reinterpret_cast<const float2*>(from));
  return {two.x, two.y};
#else
  return {from[0], from[1]};
#endif
}

template <typename Team>
TAXEL_HD inline void WriteLost(Team& team, const LayerScene& s, const LayerOutput& out) {
  constexpr float none = std::numeric_limits<float>::quiet_NaN();
  team.For(3 * s.markers, [&](int i) {
    if (out.displacement) out.displacement[i] = none;
    if (out.marker_forces) out.marker_forces[i] = none;
  });
  if (out.wrench) team.For(6, [&](int i) { out.wrench[i] = none; });
}

/// Where an object touches a cell, and the force there.
TAXEL_HD inline void ForceOn(const LayerScene& s, const LayerScratch& m, double modulus,
                             const LayerContact& c, Vec3* touch, Vec3* force) {
  const LayerPlace at = s.place_of(c.cell);
  const double area = s.pitch * s.pitch / at.g.z;
  *force = modulus * area *
           (static_cast<double>(c.tx) * at.e1 + static_cast<double>(c.ty) * at.e2 -
            static_cast<double>(c.p) * at.g);
  // Where the object is: the gel has come down to it.
  *touch = at.p + static_cast<double>(m.height[c.cell]) * at.g;
}

/// Displacements of markers: a lane takes two of them, and several share the cells where they are few.
template <typename Team>
TAXEL_HD inline void WriteMarkers(Team& team, const LayerScene& s, const LayerScratch& m, float per_metre,
                                  const LayerInfluences& t, const LayerMemory& shown, float* out) {
  const int count = shown.head->count, room = s.marker_room, pairs = (s.markers + 1) / 2;
  for (int first = 0; first < pairs; first += kLayerLanes) {
    const int wide = pairs - first < kLayerLanes ? pairs - first : kLayerLanes;
    const int slices = kLayerLanes / wide;
    team.For(wide * slices, [&](int item) {
      const int slice = item / wide, marker = 2 * (first + item - slice * wide);
      LayerComplex x, y;  // of both
      for (int l = 0; l < (t.high ? 2 : 1); ++l) {
        const float w = t.high ? (l == 0 ? 1 - t.share : t.share) : 1.0f;
#if defined(__CUDA_ARCH__)
#pragma unroll 4
#endif
        for (int i = count * slice / slices; i < count * (slice + 1) / slices; ++i) {
          const LayerContact& c = shown.contact[i];
          const float* row = s.to_marker(t.level + l, c.cell) + marker;
          const float a = w * c.tx, b = w * c.ty, p = w * c.p;
          const LayerComplex xy = LoadTwo(row + room);
          x = PlusTimes(PlusTimes(PlusTimes(x, a, LoadTwo(row)), b, xy), -p, LoadTwo(row + 3 * room));
          y = PlusTimes(PlusTimes(PlusTimes(y, a, xy), b, LoadTwo(row + 2 * room)), -p,
                        LoadTwo(row + 4 * room));
        }
      }
      m.marker_sums[item] = {x.x, y.x, x.y, y.y};
    });
    team.For(2 * wide, [&](int k) {
      if (2 * first + k >= s.markers) return;
      float x = 0, y = 0;
      for (int item = k / 2; item < wide * slices; item += wide) {
        const LayerQuad& sum = m.marker_sums[item];
        x += sum.v[k % 2 * 2], y += sum.v[k % 2 * 2 + 1];
      }
      const LayerPlace& at = s.marker[2 * first + k];
      const double per = per_metre;
      const Vec3 u = per * (static_cast<double>(x) * at.e1 + static_cast<double>(y) * at.e2);
      float* to = out + 3 * (2 * first + k);
      to[0] = static_cast<float>(u.x), to[1] = static_cast<float>(u.y), to[2] = static_cast<float>(u.z);
    });
  }
}

/// Each cell's force goes to the markers by their distance, as LayerField::ShareForces does.
template <typename Team>
TAXEL_HD inline void WriteMarkerForces(Team& team, const LayerScene& s, const LayerScratch& m, double modulus,
                                       const LayerMemory& shown, float* out) {
  team.For(3 * s.markers, [&](int i) { out[i] = 0; });
  const int count = shown.head->count;
  const auto distance2 = [&](int marker, const Vec3& touch) { return norm2(s.marker[marker].p - touch); };
  for (int first = 0; first < count; first += kLayerLanes) {
    const int some = count - first < kLayerLanes ? count - first : kLayerLanes;
    team.For(some, [&](int i) {  // the nearest marker, and one over the sum of the weights
      Vec3 touch, force;
      ForceOn(s, m, modulus, shown.contact[first + i], &touch, &force);
      double nearest = distance2(0, touch);
      for (int k = 1; k < s.markers; ++k) {
        const double d = distance2(k, touch);
        nearest = d < nearest ? d : nearest;
      }
      float sum = 0;
      for (int k = 0; k < s.markers; ++k)
        sum += std::exp(static_cast<float>(-s.force_lambda * (distance2(k, touch) - nearest)));
      m.marker_sums[i].v[0] = static_cast<float>(nearest);
      m.marker_sums[i].v[1] = 1 / sum;
    });
    team.For(s.markers, [&](int k) {
      float sum[3] = {};
      for (int i = 0; i < some; ++i) {
        Vec3 touch, force;
        ForceOn(s, m, modulus, shown.contact[first + i], &touch, &force);
        const double far = distance2(k, touch) - static_cast<double>(m.marker_sums[i].v[0]);
        const float w = std::exp(static_cast<float>(-s.force_lambda * far)) * m.marker_sums[i].v[1];
        for (int d = 0; d < 3; ++d) sum[d] += w * static_cast<float>(force[d]);
      }
      for (int d = 0; d < 3; ++d) out[3 * k + d] += sum[d];
    });
  }
}

/// Of tractions `shown` that the last Meet and the influences t belong to.
template <typename Team>
TAXEL_HD inline void WriteReading(Team& team, const LayerScene& s, const LayerScratch& m,
                                  const LayerNumbers& numbers, const LayerInfluences& t,
                                  const LayerMemory& shown, const LayerOutput& out) {
  if (out.displacement) WriteMarkers(team, s, m, numbers.per_metre, t, shown, out.displacement);
  const double modulus = numbers.modulus;
  if (out.wrench) {
    const LayerWrench sum =
        team.template Reduce<LayerWrench>(shown.head->count, [&](int i, LayerWrench* total) {
          Vec3 touch, force;
          ForceOn(s, m, modulus, shown.contact[i], &touch, &force);
          total->force += force;
          total->torque += cross(touch, force);
        });
    team.For(6, [&](int i) { out.wrench[i] = static_cast<float>(i < 3 ? sum.force[i] : sum.torque[i - 3]); });
  }
  if (out.marker_forces) WriteMarkerForces(team, s, m, modulus, shown, out.marker_forces);
}

}  // namespace taxel::internal
