// The part of a line that lies inside a primitive, for host and device.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "taxel/shape/primitives.h"

namespace taxel::internal {

inline constexpr double kNoSpan = std::numeric_limits<double>::infinity();

/// From one place on a line to another; empty where from > to.
struct Span {
  double from = -kNoSpan, to = kNoSpan;
  TAXEL_HD static Span Miss() { return {kNoSpan, -kNoSpan}; }
  TAXEL_HD void Cut(const Span& other) {
    from = std::max(from, other.from);
    to = std::min(to, other.to);
  }
};

/// |o + s d|^2 <= r^2 for the components that are given.
TAXEL_HD inline Span RoundSpan(double dd, double od, double oo, double radius) {
  const double out = oo - radius * radius;
  if (!(dd > 0)) return out <= 0 ? Span{} : Span::Miss();
  const double half = od * od - dd * out;
  if (half < 0) return Span::Miss();
  const double root = std::sqrt(half);
  return {(-od - root) / dd, (-od + root) / dd};
}

TAXEL_HD inline Span SlabSpan(double o, double d, double half) {
  if (d == 0) return std::fabs(o) <= half ? Span{} : Span::Miss();
  const double a = (-half - o) / d, b = (half - o) / d;
  return {std::min(a, b), std::max(a, b)};
}

/// The line o + s d; what it has of a primitive in the frame of both.
struct MeetLine {
  Vec3 o, d;

  TAXEL_HD Span operator()(const Sphere& s) const {
    return RoundSpan(norm2(d), dot(o, d), norm2(o), s.radius);
  }
  TAXEL_HD Span operator()(const Box& b) const {
    Span out = SlabSpan(o.x, d.x, 0.5 * b.size.x);
    out.Cut(SlabSpan(o.y, d.y, 0.5 * b.size.y));
    out.Cut(SlabSpan(o.z, d.z, 0.5 * b.size.z));
    return out;
  }
  TAXEL_HD Span operator()(const Cylinder& c) const {
    Span out = RoundSpan(d.x * d.x + d.y * d.y, o.x * d.x + o.y * d.y, o.x * o.x + o.y * o.y, c.radius);
    out.Cut(SlabSpan(o.z, d.z, 0.5 * c.length));
    return out;
  }
  TAXEL_HD Span operator()(const Capsule& c) const {
    Span out = (*this)(Cylinder{c.radius, c.length});
    for (int end = 0; end < 2; ++end) {
      const Vec3 from{o.x, o.y, o.z - (end == 0 ? -0.5 : 0.5) * c.length};
      const Span cap = RoundSpan(norm2(d), dot(from, d), norm2(from), c.radius);
      if (cap.from > cap.to) continue;
      out = out.from > out.to ? cap : Span{std::min(out.from, cap.from), std::max(out.to, cap.to)};
    }
    return out;
  }
  TAXEL_HD Span operator()(const Ellipsoid& e) const {
    const Vec3 p{o.x / e.semi_axes.x, o.y / e.semi_axes.y, o.z / e.semi_axes.z},
        v{d.x / e.semi_axes.x, d.y / e.semi_axes.y, d.z / e.semi_axes.z};
    return RoundSpan(norm2(v), dot(p, v), norm2(p), 1);
  }
  TAXEL_HD Span operator()(const HalfSpace&) const {
    if (d.z == 0) return o.z <= 0 ? Span{} : Span::Miss();
    return d.z > 0 ? Span{-kNoSpan, -o.z / d.z} : Span{-o.z / d.z, kNoSpan};
  }
};

/// Least s >= low inside a span; infinity where there is none.
TAXEL_HD inline double FirstInside(const Span& span, double low) {
  return span.from > span.to || span.to < low ? kNoSpan : std::max(span.from, low);
}

/// Least s >= low with distance(o + s d) <= 0, by marching a distance that is nowhere much too large; up to
/// `end`.
template <typename Distance>
TAXEL_HD inline double MarchLine(const Vec3& o, const Vec3& d, double low, double end,
                                 const Distance& distance) {
  double s = low, before = low;
  for (int step = 0; step < 200 && s < end; ++step) {
    const double value = distance(o + s * d);
    if (value <= 0) {
      if (step == 0) return low;
      // The lattice's distance may be too large: the surface lies between the last two places.
      for (int round = 0; round < 20 && s - before > 1e-9; ++round) {
        const double middle = 0.5 * (before + s);
        (distance(o + middle * d) > 0 ? before : s) = middle;
      }
      return s;
    }
    if (value < 1e-8) return s;
    before = s;
    s += value;
  }
  return kNoSpan;
}

/// Where a march along a line from o has left the box for good.
TAXEL_HD inline double MarchEnd(const Box3& box, const Vec3& o) {
  return norm(0.5 * (box.lo + box.hi) - o) + norm(box.size());
}

}  // namespace taxel::internal
