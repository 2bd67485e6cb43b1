// Reverse derivatives of taxel's marker model, point by point, for host and device.
#pragma once

#include "taxel/marker/taxel_law.h"

namespace taxel::internal {

/// Derivatives of a number with respect to what a point did to the markers.
template <typename T>
struct SourceCotangent {
  Triple<T> centre, anchor, pull, force, stretch;
  T push = 0;
};

/// ... and with respect to what went into the point's step. n: into the indenter.
template <typename T>
struct PointGradient {
  Triple<T> o, n, o_before, n_before, stretch_before;
  T slip = 0, squeeze = 0, E = 0, K = 0;
};

/// ... and the widths and scales of the sums.
template <typename T>
struct SpreadGradient {
  T lambda_d = 0, lambda_s = 0, dilate = 0, shear = 0;
};

/// Adds what one marker at p, with the derivative u with respect to its displacement (already without its
/// part along the gel's normal), says of a source. Exp: the exponential to use.
template <typename T, typename Exp>
TAXEL_HD inline void AddMarkerCotangent(const PointSource<T>& s, const Triple<T>& p, const Triple<T>& u,
                                        T lambda_d, T lambda_s, T dilate, T shear, const Exp& exp,
                                        SourceCotangent<T>* out, SpreadGradient<T>* spread) {
  constexpr T kPi = T(3.14159265358979323846);
  const Triple<T> d = p - s.centre, a = p - s.anchor;
  const T d2 = Dot(d, d), a2 = Dot(a, a), du = Dot(d, u), pu = Dot(s.pull, u);
  const T gd = lambda_d / kPi * exp(-lambda_d * d2), gs = lambda_s / kPi * exp(-lambda_s * a2);
  out->push += dilate * gd * du;
  out->centre = out->centre + (dilate * s.push * gd) * ((2 * lambda_d * du) * d - u);
  out->pull = out->pull + (shear * gs) * u;
  out->anchor = out->anchor + (2 * lambda_s * shear * gs * pu) * a;
  spread->dilate += s.push * gd * du;
  spread->lambda_d += dilate * s.push * gd * du * (1 / lambda_d - d2);
  spread->shear += gs * pu;
  spread->lambda_s += shear * gs * pu * (1 / lambda_s - a2);
}

/// Takes cotangents of a point's source back to its step; the arguments of MovePoint and ToSource. The point
/// is inside the gel. By forward derivatives of the law itself along its 19 inputs, five at a time.
template <typename T>
TAXEL_HD inline PointGradient<T> PointVjp(const GelSurface<T>& gel, const PointMaterial<T>& m, T area, T E,
                                          T K, bool started, const Triple<T>& o_before,
                                          const Triple<T>& n_before, const Triple<T>& stretch,
                                          const Triple<T>& o, const Triple<T>& n,
                                          const SourceCotangent<T>& c) {
  constexpr int kWide = 5;
  using D = Dual<T, kWide>;
  T all[20];
  for (int first = 0; first < 20; first += kWide) {
    const auto vary = [first](const Triple<T>& v, int at) {
      return Triple<D>{D::Input(v.x, at - first), D::Input(v.y, at + 1 - first),
                       D::Input(v.z, at + 2 - first)};
    };
    const auto fixed = [](const Triple<T>& v) { return Triple<D>{D(v.x), D(v.y), D(v.z)}; };
    const Triple<D> now = vary(o, 0), out = vary(n, 3);
    PointTouch<D> touch;
    const PointMaterial<D> material{D::Input(m.slip, 15 - first), D::Input(m.squeeze, 16 - first)};
    MovePoint(gel, material, started, vary(o_before, 6), vary(n_before, 9), vary(stretch, 12), now, out,
              &touch);
    const PointSource<D> s =
        ToSource(touch, now, out, D(area), D::Input(E, 17 - first), D::Input(K, 18 - first));
    const D sum = Dot(fixed(c.centre), s.centre) + Dot(fixed(c.anchor), s.anchor) +
                  Dot(fixed(c.pull), s.pull) + Dot(fixed(c.force), s.force) +
                  Dot(fixed(c.stretch), touch.stretch) + D(c.push) * s.push;
    for (int k = 0; k < kWide; ++k) all[first + k] = sum.d[k];
  }
  const auto take = [&all](int at) { return Triple<T>{all[at], all[at + 1], all[at + 2]}; };
  return {take(0), take(3), take(6), take(9), take(12), all[15], all[16], all[17], all[18]};
}

/// The friction and the stiffnesses behind slip = mu E / K.
template <typename T>
TAXEL_HD inline void AddMaterialGradient(const PointGradient<T>& g, T mu, T E, T K, T* friction, T* normal,
                                         T* shear) {
  *friction += g.slip * E / K;
  *normal += g.slip * mu / K + g.E;
  *shear += g.K - g.slip * mu * E / (K * K);
}

}  // namespace taxel::internal
