#include "taxel/bristle/meet_primitive.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace taxel::internal {
namespace {

using Kind = ProbeMeeting::Kind;

constexpr double kInf = std::numeric_limits<double>::infinity();

/// t over which a line is inside; empty where near > far.
struct Span {
  double near = -kInf, far = kInf;
};
constexpr Span kEmpty{kInf, -kInf};

// |o + t d| <= r, for vectors of two or three components. With a = d.d, b = o.d, c = o.o - r^2 the
// perpendicular q = o - (b / a) d gives the discriminant as a (r^2 - q.q), without the cancellation of
// b^2 - a c; the root of the smaller magnitude comes from the product of both, c / a.
Span BallSpan(const Vec3& o, const Vec3& d, double r) {
  const double a = norm2(d), b = dot(o, d), c = norm2(o) - r * r;
  const double room = r * r - norm2(o - (b / a) * d);
  if (!(room >= 0)) return kEmpty;
  const double s = std::sqrt(a * room);
  if (b < 0) return {c / (s - b), (s - b) / a};
  if (b + s == 0) return {0, 0};
  return {-(s + b) / a, -c / (s + b)};
}

// lo <= o + t d <= hi.
Span SlabSpan(double o, double d, double lo, double hi) {
  if (d == 0) return o < lo || o > hi ? kEmpty : Span{};
  const double t0 = (lo - o) / d, t1 = (hi - o) / d;
  return t0 < t1 ? Span{t0, t1} : Span{t1, t0};
}

// The line enters at span.near. `inside`: the base lies strictly inside.
bool Enters(const Span& span, bool inside, ProbeMeeting* meeting) {
  if (inside) {
    meeting->kind = Kind::kInside;
    return false;
  }
  if (!(span.near <= span.far && span.near >= 0 && span.near <= 1)) return false;
  meeting->kind = Kind::kEnters;
  meeting->t = span.near;
  return true;
}

struct Meeter {
  Vec3 o, d;

  Vec3 at(double t) const { return o + t * d; }

  ProbeMeeting operator()(const Sphere& s) const {
    ProbeMeeting m;
    if (Enters(BallSpan(o, d, s.radius), norm2(o) < s.radius * s.radius, &m)) m.normal = normalized(at(m.t));
    return m;
  }

  // The unit ball of coordinates divided by the semi-axes.
  ProbeMeeting operator()(const Ellipsoid& s) const {
    const Vec3 unit_o = cwise_div(o, s.semi_axes), unit_d = cwise_div(d, s.semi_axes);
    ProbeMeeting m;
    if (Enters(BallSpan(unit_o, unit_d, 1), norm2(unit_o) < 1, &m))
      m.normal = normalized(cwise_div(unit_o + m.t * unit_d, s.semi_axes));
    return m;
  }

  ProbeMeeting operator()(const Box& s) const {
    const Vec3 h = 0.5 * s.size, a = cwise_abs(o);
    Span span;
    int axis = 0;
    for (int k = 0; k < 3; ++k) {
      const Span slab = SlabSpan(o[k], d[k], -h[k], h[k]);
      if (slab.near > span.near) span.near = slab.near, axis = k;
      span.far = std::min(span.far, slab.far);
    }
    ProbeMeeting m;
    if (Enters(span, a.x < h.x && a.y < h.y && a.z < h.z, &m)) m.normal[axis] = d[axis] > 0 ? -1 : 1;
    return m;
  }

  ProbeMeeting operator()(const Cylinder& s) const {
    const double half = 0.5 * s.length;
    const Span round = RoundSpan(s.radius), flat = SlabSpan(o.z, d.z, -half, half);
    const Span both{std::max(round.near, flat.near), std::min(round.far, flat.far)};
    ProbeMeeting m;
    if (Enters(both, std::fabs(o.z) < half && o.x * o.x + o.y * o.y < s.radius * s.radius, &m))
      m.normal = flat.near >= round.near ? Vec3{0, 0, d.z > 0 ? -1.0 : 1.0} : Sideways(m.t);
    return m;
  }

  // The union of a cylinder and two balls. It is convex, so the first part that is entered is the way in; the
  // ends of the cylinder lie within the balls and never come first.
  ProbeMeeting operator()(const Capsule& s) const {
    const double half = 0.5 * s.length, nearest = std::clamp(o.z, -half, half);
    const bool inside = norm2(Vec3{o.x, o.y, o.z - nearest}) < s.radius * s.radius;
    const Span round = RoundSpan(s.radius), flat = SlabSpan(o.z, d.z, -half, half);
    Span first = {std::max(round.near, flat.near), std::min(round.far, flat.far)};
    if (!(first.near <= first.far)) first = kEmpty;
    double center = 0;
    bool ball = false;
    for (const double z : {-half, half}) {
      const Span span = BallSpan({o.x, o.y, o.z - z}, d, s.radius);
      if (span.near <= span.far && span.near <= first.near) first = span, center = z, ball = true;
    }
    ProbeMeeting m;
    if (Enters(first, inside, &m)) m.normal = ball ? normalized(at(m.t) - Vec3{0, 0, center}) : Sideways(m.t);
    return m;
  }

  ProbeMeeting operator()(const HalfSpace&) const {
    ProbeMeeting m;
    if (Enters({d.z < 0 ? o.z / -d.z : kInf, kInf}, o.z < 0, &m)) m.normal = {0, 0, 1};
    return m;
  }

 private:
  // Within the endless cylinder about z. A probe that moves sideways by less than a rounding of its length
  // runs along the axis.
  Span RoundSpan(double radius) const {
    const Vec3 o_xy{o.x, o.y, 0}, d_xy{d.x, d.y, 0};
    if (norm2(d_xy) <= 1e-32 * norm2(d)) return norm2(o_xy) <= radius * radius ? Span{} : kEmpty;
    return BallSpan(o_xy, d_xy, radius);
  }
  Vec3 Sideways(double t) const {
    const Vec3 p = at(t);
    return normalized({p.x, p.y, 0});
  }
};

}  // namespace

ProbeMeeting MeetPrimitive(const Primitive& shape, const Vec3& base, const Vec3& tip) {
  return std::visit(Meeter{base, tip - base}, shape);
}

}  // namespace taxel::internal
