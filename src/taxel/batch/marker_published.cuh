// What the published modes share: points are followed through distances to pad and object (hydroshear_law.h).
#pragma once

#include "taxel/batch/marker_step.cuh"
#include "taxel/marker/hydroshear_law.h"

namespace taxel::cuda {

/// One point over one step; whether it is inside at its end.
template <MarkerMode kLaw>
__device__ inline bool TrackPublished(const Scene& s, float mu, bool started, const Pose32& before,
                                      const Pose32& now, const F3& p, const F3& n_I, F3* f, float* phi) {
  const F3 o = Apply(now, p);
  *phi = ShapeDistance(s.pad, o);
  if (!(*phi < 0)) {
    *f = {};
    return false;
  }
  const F3 o_before = started ? Apply(before, p) : o;
  const float phi_before = started ? ShapeDistance(s.pad, o_before) : *phi;
  if (!started || !(phi_before < 0)) *f = {};
  const F3 n = Rotate(now, n_I);
  *f = Track(kLaw, *f, o, *phi, o_before, phi_before, F3{-n.x, -n.y, -n.z}, mu);
  return true;
}

/// Shear of the points, and dilation of markers by markers inside the object. kFlatGel: nothing moves along
/// z.
template <MarkerMode kLaw, bool kFlatGel>
struct PublishedModel {
  static constexpr bool kPush = false, kFlat = kFlatGel, kForces = false;
  float lambda_d, lambda_s, mu, stiffness, dilate, shear;

  __device__ PublishedModel(const Scene&, const float* par)
      : lambda_d(par[kLambdaD]),
        lambda_s(par[kLambdaS]),
        mu(par[kFriction]),
        stiffness(par[kNormalStiffness]),
        dilate(par[kDilateScale]),
        shear(par[kShearScale]) {}

  __device__ void Dilate(const Scene& s, int object, const Pose32& now, const float* marker, float* depth,
                         float* sums) const {
    const int tid = threadIdx.x;
    for (int i = tid; i < s.markers; i += kThreads) {
      const F3 p{marker[3 * i], marker[3 * i + 1], marker[3 * i + 2]};
      depth[i] = fmaxf(0.f, -ShapeDistance(s.shape[object], ApplyInverse(now, p)));
    }
    __syncthreads();
    for (int i = tid; i < s.markers; i += kThreads) {
      const F3 p{marker[3 * i], marker[3 * i + 1], marker[3 * i + 2]};
      F3 u{};
      for (int j = 0; j < s.markers; ++j)
        if (depth[j] > 0)
          u = u + DilationTerm(kLaw, lambda_d, p, F3{marker[3 * j], marker[3 * j + 1], marker[3 * j + 2]},
                               depth[j]);
      sums[3 * i] += dilate * u.x, sums[3 * i + 1] += dilate * u.y, sums[3 * i + 2] += dilate * u.z;
    }
  }

  __device__ bool Move(const Scene& s, const Motion& m, const F3& p, const F3& n_I, float, float* stretch,
                       bool, Wrench*, PointSource<float>* out) const {
    F3 held{stretch[0], stretch[1], stretch[2]};
    float phi, phi_later;
    bool inside = TrackPublished<kLaw>(s, mu, m.started, m.path[0], m.now, p, n_I, &held, &phi);
    if (inside) stretch[0] = held.x, stretch[1] = held.y, stretch[2] = held.z;
    if (m.shifted) inside = TrackPublished<kLaw>(s, mu, true, m.now, m.later, p, n_I, &held, &phi_later);
    out->pull = shear * ShearPull(kLaw, held, phi, stiffness);
    out->anchor = Apply(m.now, p) + held;
    out->centre = {};
    out->push = 0;
    return inside;
  }

  __device__ F3 Along(const Scene&, int, const F3& u) const { return u; }
};

}  // namespace taxel::cuda
