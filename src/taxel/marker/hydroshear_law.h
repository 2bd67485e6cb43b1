// What HydroShear does with one point of the indenter and one marker, as printed and as released.
#pragma once

#include <cmath>

#include "taxel/math/triple.h"

namespace taxel {

/// Two readings of the same model; docs/guide/markers.md puts them side by side.
enum class MarkerMode {
  kPaper,    ///< Eqs. 3 to 17 as printed: normals of the indenter, distances in the plane, weight -phi_E
  kRelease,  ///< the authors' code: z of the pad as the normal, distances in space, weight f_n
};

/// The part of a step from `before` to `now` (signed distances to the gel) that was inside:
///     alpha = (relu(-now) - relu(-before)) / (before - now),
/// in [0, 1]. Where both are equal that is 0/0: 1 inside, 0 outside (a distance of 0 is outside). Eq. 6 has
/// the other sign, and Eq. 7 then multiplies it with o_t - o_{t-1}; the product is the same.
template <typename T>
TAXEL_HD inline T EntryFraction(T now, T before) {
  const T in_now = now < 0 ? -now : T(0), in_before = before < 0 ? -before : T(0), change = before - now;
  if (change != 0) return (in_now - in_before) / change;
  return now < 0 ? T(1) : T(0);
}

/// Eqs. 8 to 11 with K = A = 1 and E as given (they are homogeneous: f of any K and A is K A times that of
/// E / K, 1 and 1): f, the tracked displacement of a point back to where it entered, after
/// the point moved on by -moved inside the gel (moved = alpha (o_{t-1} - o_t)).
/// n: unit normal of the indenter at the point, into the indenter; with d along o_{t-1} - o_t an outward one
/// would make every pressing force negative, and the ReLU of Eq. 10 would remove it. The components of the
/// old f are taken along the new n.
template <typename T>
TAXEL_HD inline Triple<T> TrackAsPrinted(const Triple<T>& f, const Triple<T>& moved, const Triple<T>& n, T mu,
                                         T young = 1) {
  const T f_n = Dot(f, n), d_n = Dot(moved, n);
  Triple<T> t = (f - f_n * n) + (moved - d_n * n);
  const T sum = f_n + young * d_n, normal = sum > 0 ? sum : T(0), length = std::sqrt(Dot(t, t)),
          most = mu * normal;
  if (length > most) t = (most / length) * t;
  return normal * n + t;
}

/// The same as released: the normal is z of the pad. The 1e-8 m in the clip lets a sticking point lose about
/// 1e-8 m a step.
template <typename T>
TAXEL_HD inline Triple<T> TrackAsReleased(const Triple<T>& f, const Triple<T>& moved, T mu) {
  const Triple<T> g = f + moved;
  const T normal = g.z > 0 ? g.z : T(0), length = std::sqrt(g.x * g.x + g.y * g.y), most = mu * normal;
  const T share = (most < length ? most : length) / (length + T(1e-8));
  return {share * g.x, share * g.y, normal};
}

/// A point's displacement after a step; the zero vector where it is not inside (phi < 0).
/// n: as in TrackAsPrinted; not read as released.
template <typename T>
TAXEL_HD inline Triple<T> Track(MarkerMode mode, const Triple<T>& f, const Triple<T>& o, T phi,
                                const Triple<T>& o_before, T phi_before, const Triple<T>& n, T mu,
                                T young = 1) {
  if (!(phi < 0)) return {};
  const Triple<T> moved = EntryFraction(phi, phi_before) * (o_before - o);
  return mode == MarkerMode::kPaper ? TrackAsPrinted(f, moved, n, mu, young) : TrackAsReleased(f, moved, mu);
}

/// exp(-lambda |d|^2), of the components in the plane alone as printed.
template <typename T>
TAXEL_HD inline T MarkerGaussian(MarkerMode mode, T lambda, const Triple<T>& d) {
  const T plane = d.x * d.x + d.y * d.y;
  return std::exp(-lambda * (mode == MarkerMode::kPaper ? plane : plane + d.z * d.z));
}

/// One term of Eq. 3: what a marker q, pressed in by `depth`, adds at a marker p. As printed without z.
template <typename T>
TAXEL_HD inline Triple<T> DilationTerm(MarkerMode mode, T lambda, const Triple<T>& p, const Triple<T>& q,
                                       T depth) {
  const Triple<T> v = p - q;
  const Triple<T> term = (depth * MarkerGaussian(mode, lambda, v)) * v;
  return mode == MarkerMode::kPaper ? Triple<T>{term.x, term.y, 0} : term;
}

/// The factor of the Gaussian in a term of Eq. 16: what one point inside the gel pulls with.
///     as printed:  -(-phi) K A f, of which x and y (f^xy of Eq. 16 read as the coordinates in the sensor
///                  plane, as in Eqs. 4, 13 and 17; "shear is due to tangential translation or rotation",
///                  so a straight press, f = (0, 0, d), must give none)
///     as released: -f_z f, with all three components
template <typename T>
TAXEL_HD inline Triple<T> ShearPull(MarkerMode mode, const Triple<T>& f, T phi, T stiffness_area) {
  if (mode == MarkerMode::kRelease) return -f.z * f;
  const T weight = phi < 0 ? phi * stiffness_area : T(0);
  return {weight * f.x, weight * f.y, 0};
}

/// One term of Eq. 16 at a marker p, of a point with the centre c = o + f.
template <typename T>
TAXEL_HD inline Triple<T> ShearTerm(MarkerMode mode, T lambda, const Triple<T>& p, const Triple<T>& c,
                                    const Triple<T>& pull) {
  return MarkerGaussian(mode, lambda, p - c) * pull;
}

}  // namespace taxel
