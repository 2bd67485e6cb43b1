// Clipping of convex polygons by half spaces, in fixed memory.
#pragma once

#include "taxel/contact/cell.h"

namespace taxel::internal {

/// A flat convex polygon. Clipping by one half space adds at most one vertex; a facet of 4 against two cells
/// of 6 planes and 2 layer bounds each stays below kMax.
struct Polygon {
  static constexpr int kMax = 32;
  int n = 0;
  union {  // not initialised: only the first n count, and a query makes thousands of these
    Vec3 v[kMax];
  };

  TAXEL_HD Polygon() {}
  TAXEL_HD Polygon(const Polygon& other) { *this = other; }
  TAXEL_HD Polygon& operator=(const Polygon& other) {
    n = other.n;
    for (int i = 0; i < n; ++i) v[i] = other.v[i];
    return *this;
  }
};

/// Vertices nearer to a plane than this count as on it. Planes are in metres (unit normal) or in barycentric
/// units.
inline constexpr double kOnPlane = 1e-13;

/// What is left of a polygon.
enum class Clipped { kNothing, kAll, kPart };

/// Keeps the part of `in` with plane(x) >= 0 in *out (untouched unless kPart is returned).
/// A polygon that lies in the plane is kept when its `normal` points into the half space and dropped
/// otherwise: of two cells that share this plane exactly one keeps it.
TAXEL_HD inline Clipped Clip(const Plane& plane, const Vec3& normal, const Polygon& in, Polygon* out) {
  double s[Polygon::kMax];
  bool any_in = false, any_out = false;
  for (int i = 0; i < in.n; ++i) {
    s[i] = plane(in.v[i]);
    any_in |= s[i] > kOnPlane;
    any_out |= s[i] < -kOnPlane;
  }
  if (!any_out) return any_in || dot(normal, plane.n) > 0 ? Clipped::kAll : Clipped::kNothing;
  if (!any_in) return Clipped::kNothing;
  int n = 0;
  for (int i = 0; i < in.n; ++i) {
    const int j = i + 1 == in.n ? 0 : i + 1;
    if (s[i] >= -kOnPlane) out->v[n++] = in.v[i];
    if ((s[i] > kOnPlane && s[j] < -kOnPlane) || (s[i] < -kOnPlane && s[j] > kOnPlane))
      out->v[n++] = in.v[i] + (s[i] / (s[i] - s[j])) * (in.v[j] - in.v[i]);
  }
  out->n = n;
  return n < 3 ? Clipped::kNothing : Clipped::kPart;
}

/// A convex polygon in the coordinates of a plane, and a half plane a x + b y + c >= 0.
template <typename T>
struct FlatPolygonOf {
  int n = 0;
  T x[Polygon::kMax], y[Polygon::kMax];
  TAXEL_HD FlatPolygonOf() {}
};
template <typename T>
struct HalfPlaneOf {
  T a, b, c;
};
using FlatPolygon = FlatPolygonOf<double>;
using HalfPlane = HalfPlaneOf<double>;

/// The same in two dimensions. `keep_if_coplanar` decides for a half plane without direction, whose boundary
/// is the polygon's own plane.
template <typename T>
TAXEL_HD inline Clipped Clip(const HalfPlaneOf<T>& line, bool keep_if_coplanar, const FlatPolygonOf<T>& in,
                             FlatPolygonOf<T>* out) {
  T s[Polygon::kMax];
  bool any_in = false, any_out = false;
  for (int i = 0; i < in.n; ++i) {
    s[i] = line.a * in.x[i] + line.b * in.y[i] + line.c;
    any_in |= s[i] > kOnPlane;
    any_out |= s[i] < -kOnPlane;
  }
  if (!any_out) return any_in || keep_if_coplanar ? Clipped::kAll : Clipped::kNothing;
  if (!any_in) return Clipped::kNothing;
  int n = 0;
  for (int i = 0; i < in.n; ++i) {
    const int j = i + 1 == in.n ? 0 : i + 1;
    if (s[i] >= -kOnPlane) out->x[n] = in.x[i], out->y[n++] = in.y[i];
    if ((s[i] > kOnPlane && s[j] < -kOnPlane) || (s[i] < -kOnPlane && s[j] > kOnPlane)) {
      const T t = s[i] / (s[i] - s[j]);
      out->x[n] = in.x[i] + t * (in.x[j] - in.x[i]);
      out->y[n++] = in.y[i] + t * (in.y[j] - in.y[i]);
    }
  }
  out->n = n;
  return n < 3 ? Clipped::kNothing : Clipped::kPart;
}

/// Clips *current by a half space, using *spare for the result: the two change places. False: nothing is
/// left.
template <class Half, class Tie, class P>
TAXEL_HD inline bool ClipInPlace(const Half& half, const Tie& tie, P** current, P** spare) {
  const Clipped left = Clip(half, tie, **current, *spare);
  if (left == Clipped::kPart) {
    P* const clipped = *spare;
    *spare = *current;
    *current = clipped;
  }
  return left != Clipped::kNothing;
}

}  // namespace taxel::internal
