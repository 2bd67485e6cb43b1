// taxel's own model of one point of the indenter: a foundation of springs with friction, and what it does to
// the markers.
#pragma once

#include "taxel/marker/gel_surface.h"

namespace taxel {

/// What one point needs to know of the material. S: float, double or Dual.
template <typename S>
struct PointMaterial {
  S slip;     ///< mu E / K: stretch per depth at which a point slides
  S squeeze;  ///< sideways motion of the free gel per depth and slope
};

/// A point inside the gel after a step.
template <typename S>
struct PointTouch {
  S depth;            ///< below the gel's rest surface, m
  Triple<S> g;        ///< out of the gel, unit
  Triple<S> stretch;  ///< from the point, along the gel's surface, to where its piece of gel would rest, m
};

/// Where a piece of gel under the indenter would go if it could slide: down the slope, away from the deepest
/// place. n: into the indenter. A layer of thickness H that cannot change its volume moves by
/// -(H^2/2G) grad p; with p growing as depth^2 under an indenter of slope -n_t that is squeeze * depth *
/// -n_t.
template <typename S>
TAXEL_HD inline Triple<S> FreeFlow(S squeeze, S depth, const Triple<S>& n, const Triple<S>& g) {
  return (-squeeze * depth) * (n - Dot(n, g) * g);
}

/// Moves a point from o_before to o. n: unit normal into the indenter there and before. False where o is
/// outside the gel; then nothing is remembered. `stretch` counts only where o_before was inside.
///     stretch <- stretch + alpha (o_before - o) + change of FreeFlow       alpha: part of the way inside
///     without its part along g; of its part t along the indenter |t| <= slip depth, the rest slides
/// started = false: there is no step before, and the stretch is 0.
template <typename T, typename S>
TAXEL_HD inline bool MovePoint(const GelSurface<T>& gel, const PointMaterial<S>& m, bool started,
                               const Triple<S>& o_before, const Triple<S>& n_before, const Triple<S>& stretch,
                               const Triple<S>& o, const Triple<S>& n, PointTouch<S>* touch) {
  const S height = HeightAbove(gel, o, &touch->g);
  if (!(ValueOf(height) < 0)) return false;
  touch->depth = -height;
  touch->stretch = {};
  if (!started) return true;
  Triple<S> g_before;
  const S before = HeightAbove(gel, o_before, &g_before);
  Triple<S> s = FreeFlow(m.squeeze, touch->depth, n, touch->g);
  if (ValueOf(before) < 0) {
    s = s + stretch + (o_before - o) - FreeFlow(m.squeeze, -before, n_before, g_before);
  } else {
    s = s + (touch->depth / (touch->depth + before)) * (o_before - o);
  }
  s = s - Dot(s, touch->g) * touch->g;
  const Triple<S> t = s - Dot(s, n) * n;
  const S length = Sqrt(Dot(t, t)), most = m.slip * touch->depth;
  if (ValueOf(length) > ValueOf(most)) s = (most / length) * s;
  touch->stretch = s;
  return true;
}

/// What a point does to the markers: dilation pushes them away from `centre`, shear carries them by `pull`
/// around `anchor`.
template <typename S>
struct PointSource {
  Triple<S> centre, anchor, pull;
  S push;
  Triple<S> force;  ///< on the gel, N
};

/// area: of the indenter's surface that the point stands for; E, K: normal and shear stiffness, Pa/m. A point
/// whose surface faces away from the gel (n . g <= 0: the far side of a thin object) does nothing.
///     push  = A_g depth,  pull = -A_g stretch           A_g = area n.g, the part of the gel it covers
///     force = -area (E depth n + K t)                   t: stretch along the indenter's surface
template <typename S>
TAXEL_HD inline PointSource<S> ToSource(const PointTouch<S>& touch, const Triple<S>& o, const Triple<S>& n,
                                        S area, S E, S K) {
  PointSource<S> out;
  out.centre = o + touch.depth * touch.g;
  out.anchor = out.centre + touch.stretch;
  const S facing = Dot(n, touch.g);
  out.push = S(0);
  out.pull = {};
  out.force = {};
  if (!(ValueOf(facing) > 0)) return out;
  const S covered = area * facing;
  out.push = covered * touch.depth;
  out.pull = -covered * touch.stretch;
  const Triple<S> t = touch.stretch - Dot(touch.stretch, n) * n;
  out.force = (-area) * ((E * touch.depth) * n + K * t);
  return out;
}

}  // namespace taxel
