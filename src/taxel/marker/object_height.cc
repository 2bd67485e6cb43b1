#include "taxel/marker/object_height.h"

#include <algorithm>
#include <cmath>

#include "taxel/math/error.h"
#include "taxel/shape/mesh_distance.h"
#include "taxel/shape/ray.h"

namespace taxel {
namespace {

constexpr double kNone = std::numeric_limits<double>::infinity();

// The part of a line that is inside something convex; empty where from > to.
struct Span {
  double from = -kNone, to = kNone;
  void Cut(const Span& other) {
    from = std::max(from, other.from);
    to = std::min(to, other.to);
  }
};
constexpr Span kMiss{kNone, -kNone};

// |o + s d|^2 <= r^2 for the components that are given.
Span Round(double dd, double od, double oo, double radius) {
  const double out = oo - radius * radius;
  if (!(dd > 0)) return out <= 0 ? Span{} : kMiss;
  const double half = od * od - dd * out;
  if (half < 0) return kMiss;
  const double root = std::sqrt(half);
  return {(-od - root) / dd, (-od + root) / dd};
}

Span Slab(double o, double d, double half) {
  if (d == 0) return std::fabs(o) <= half ? Span{} : kMiss;
  const double a = (-half - o) / d, b = (half - o) / d;
  return {std::min(a, b), std::max(a, b)};
}

struct Meet {
  Vec3 o, d;

  Span operator()(const Sphere& s) const { return Round(norm2(d), dot(o, d), norm2(o), s.radius); }
  Span operator()(const Box& b) const {
    Span out = Slab(o.x, d.x, 0.5 * b.size.x);
    out.Cut(Slab(o.y, d.y, 0.5 * b.size.y));
    out.Cut(Slab(o.z, d.z, 0.5 * b.size.z));
    return out;
  }
  Span operator()(const Cylinder& c) const {
    Span out = Round(d.x * d.x + d.y * d.y, o.x * d.x + o.y * d.y, o.x * o.x + o.y * o.y, c.radius);
    out.Cut(Slab(o.z, d.z, 0.5 * c.length));
    return out;
  }
  Span operator()(const Capsule& c) const {
    Span out = (*this)(Cylinder{c.radius, c.length});
    for (const double side : {-0.5, 0.5}) {
      const Vec3 from{o.x, o.y, o.z - side * c.length};
      const Span cap = Round(norm2(d), dot(from, d), norm2(from), c.radius);
      if (cap.from > cap.to) continue;
      out = out.from > out.to ? cap : Span{std::min(out.from, cap.from), std::max(out.to, cap.to)};
    }
    return out;
  }
  Span operator()(const Ellipsoid& e) const {
    const Vec3 p{o.x / e.semi_axes.x, o.y / e.semi_axes.y, o.z / e.semi_axes.z},
        v{d.x / e.semi_axes.x, d.y / e.semi_axes.y, d.z / e.semi_axes.z};
    return Round(norm2(v), dot(p, v), norm2(p), 1);
  }
  Span operator()(const HalfSpace&) const {
    if (d.z == 0) return o.z <= 0 ? Span{} : kMiss;
    return d.z > 0 ? Span{-kNone, -o.z / d.z} : Span{-o.z / d.z, kNone};
  }
};

}  // namespace

ObjectHeight::ObjectHeight(const MarkerDistance& distance, const std::string& name) : distance_(distance) {
  if (distance.kind() == MarkerDistance::Kind::kNearestVoxel)
    throw Error(name +
                " is a nearest-voxel distance, which has steps; mode 'layer' needs the shape itself or a "
                "trilinear distance");
}

double ObjectHeight::Along(const Vec3& origin, const Vec3& direction, double low) const {
  if (distance_.kind() == MarkerDistance::Kind::kTrilinear) return March(origin, direction, low);
  if (!distance_.primitive()) return CastMesh(origin, direction, low);
  const Span span = std::visit(Meet{origin, direction}, *distance_.primitive());
  return span.from > span.to || span.to < low ? kNone : std::max(span.from, low);
}

double ObjectHeight::CastMesh(const Vec3& origin, const Vec3& direction, double low) const {
  const MeshDistance& mesh = *distance_.mesh();
  const std::optional<RayHit> hit =
      CastRay(mesh.mesh(), mesh.bvh(), {origin + low * direction, direction, 0, kNone});
  if (!hit) return kNone;
  const auto& corners = mesh.mesh().triangles[static_cast<std::size_t>(hit->triangle)];
  const auto at = [&](int k) { return mesh.mesh().vertices[static_cast<std::size_t>(corners[k])]; };
  // Out through its back: the line was inside from the start, or it grazes an edge.
  if (dot(cross(at(1) - at(0), at(2) - at(0)), direction) > 0 &&
      distance_.Value(origin + low * direction) < 0)
    return low;
  return low + hit->t;
}

double ObjectHeight::March(const Vec3& origin, const Vec3& direction, double low) const {
  const Box3& box = distance_.inside_box();
  const double end = norm(0.5 * (box.lo + box.hi) - origin) + norm(box.size());
  double s = low, before = low;
  for (int step = 0; step < 200 && s < end; ++step) {
    const double d = distance_.Value(origin + s * direction);
    if (d <= 0) {
      if (step == 0) return low;
      // The lattice's distance may be too large: the surface lies between the last two places.
      for (int round = 0; round < 20 && s - before > 1e-9; ++round) {
        const double middle = 0.5 * (before + s);
        (distance_.Value(origin + middle * direction) > 0 ? before : s) = middle;
      }
      return s;
    }
    if (d < 1e-8) return s;
    before = s;
    s += d;
  }
  return kNone;
}

}  // namespace taxel
