#include "taxel/contact/approach.h"

#include <algorithm>

#include "taxel/contact/prepare.h"
#include "taxel/shape/triangle_distance.h"

namespace taxel::internal {
namespace {

struct SupportVisitor {
  Vec3 d;
  Vec3 operator()(const Sphere& s) const { return s.radius * normalized(d); }
  Vec3 operator()(const Box& s) const {
    return 0.5 *
           Vec3{std::copysign(s.size.x, d.x), std::copysign(s.size.y, d.y), std::copysign(s.size.z, d.z)};
  }
  Vec3 operator()(const Cylinder& s) const {
    const double r = std::hypot(d.x, d.y), k = r > 0 ? s.radius / r : 0;
    return {k * d.x, k * d.y, std::copysign(0.5 * s.length, d.z)};
  }
  Vec3 operator()(const Capsule& s) const {
    return s.radius * normalized(d) + Vec3{0, 0, std::copysign(0.5 * s.length, d.z)};
  }
  Vec3 operator()(const Ellipsoid& s) const {
    const Vec3 Sd = cwise_mul(s.semi_axes, d);
    return cwise_mul(s.semi_axes, Sd) / norm(Sd);
  }
  Vec3 operator()(const HalfSpace&) const { return {}; }
};

// Nearest point of what remains of a shape when its roundness is taken away (a ball: its centre; a capsule:
// its segment) or, where there is none, of the shape itself. Good enough to guess a direction from.
struct NearestVisitor {
  Vec3 p;
  Vec3 operator()(const Sphere&) const { return {}; }
  Vec3 operator()(const Box& s) const { return cwise_max(-0.5 * s.size, cwise_min(p, 0.5 * s.size)); }
  Vec3 operator()(const Cylinder& s) const {
    const double r = std::hypot(p.x, p.y), k = r > s.radius ? s.radius / r : 1;
    return {k * p.x, k * p.y, std::clamp(p.z, -0.5 * s.length, 0.5 * s.length)};
  }
  Vec3 operator()(const Capsule& s) const { return {0, 0, std::clamp(p.z, -0.5 * s.length, 0.5 * s.length)}; }
  Vec3 operator()(const Ellipsoid& s) const {
    const double r = norm(cwise_div(p, s.semi_axes));
    return r > 1 ? p / r : p;
  }
  Vec3 operator()(const HalfSpace&) const { return {}; }
};

// Support point w and value n . w of A - B in the direction n.
struct Difference {
  const Primitive& A;
  const Primitive& B;
  const Pose& X_AB;

  double operator()(const Vec3& n, Vec3* w) const {
    *w = SupportPoint(A, n) - X_AB * SupportPoint(B, -TransposeMul(X_AB.R, n));
    return dot(n, *w);
  }
};

// Rotates n by `angle` towards the tangent t (t perpendicular to n, any length > 0).
Vec3 Turn(const Vec3& n, const Vec3& t, double angle) {
  return std::cos(angle) * n + (std::sin(angle) / norm(t)) * t;
}

}  // namespace

Vec3 SupportPoint(const Primitive& shape, const Vec3& direction) {
  return std::visit(SupportVisitor{direction}, shape);
}

Approach ApproachOfPrimitives(const Primitive& A, const Pose& X_AB, const Primitive& B) {
  Approach out;
  if (std::holds_alternative<HalfSpace>(B)) {
    out.n_A = -X_AB.R.col(2);
    out.depth = dot(out.n_A, SupportPoint(A, out.n_A) - X_AB.p);
    out.separated = out.depth <= 0;
    return out;
  }
  if (std::holds_alternative<HalfSpace>(A)) {
    out.n_A = {0, 0, 1};
    out.depth = -(X_AB * SupportPoint(B, -TransposeMul(X_AB.R, out.n_A))).z;
    out.separated = out.depth <= 0;
    return out;
  }
  const Difference difference{A, B, X_AB};
  Vec3 w, best_w;
  double best = Box3::kInf;
  auto consider = [&](Vec3 n) {
    const double length = norm(n);
    if (!(length > 0)) return false;
    n = n / length;
    const double h = difference(n, &w);
    if (h < best) best = h, out.n_A = n, best_w = w;
    return h <= 0;
  };
  // Edge against edge: cross products of axes, as in the separating axis theorem.
  auto has_edges = [](const Primitive& p) {
    return std::holds_alternative<Box>(p) || std::holds_alternative<Cylinder>(p);
  };
  const bool edges = has_edges(A) && has_edges(B);
  const Vec3 c = X_AB.p;
  const Vec3 z_B = X_AB.R.col(2);
  bool apart = consider(c) || consider(Vec3{c.x, c.y, 0}) || consider(c - dot(c, z_B) * z_B);
  // Alternating projections find the right corner or edge.
  Vec3 a, b = c;
  for (int k = 0; k < 4; ++k) {
    b = X_AB * std::visit(NearestVisitor{TransposeMul(X_AB.R, a - X_AB.p)}, B);
    a = std::visit(NearestVisitor{b}, A);
  }
  if (norm2(b - a) > 1e-16 * norm2(c)) apart = apart || consider(b - a);
  for (int k = 0; k < 3 && !apart; ++k) {
    Vec3 axis;
    axis[k] = 1;
    apart = consider(axis) || consider(-axis) || consider(X_AB.R.col(k)) || consider(-X_AB.R.col(k));
    for (int j = 0; j < 3 && edges && !apart; ++j) {
      const Vec3 across = cross(axis, X_AB.R.col(j));
      apart = consider(across) || consider(-across);
    }
  }
  const Vec3 size = BoundingBox(A).size();
  const double scale = std::max({size.x, size.y, size.z});
  // An angle error a widens the cap by about scale a^2 / 2; stop when that is a hundredth of the depth.
  // The support function has creases where edges meet; there steepest descent sticks, so sideways steps are
  // tried too.
  double step = 0.4;
  for (int i = 0; i < 60 && !apart && step * step * scale > 0.02 * best; ++i) {
    const Vec3 n = out.n_A, t = best_w - dot(best_w, n) * n;
    if (norm2(t) <= 1e-24 * scale * scale) break;
    const double before = best;
    apart = consider(Turn(n, -t, step));
    if (best == before && !apart) {
      const Vec3 side = cross(n, t);
      apart = consider(Turn(n, side, step)) || consider(Turn(n, -side, step));
    }
    step *= best < before ? 1.25 : 0.4;
  }
  out.depth = best;
  out.separated = apart || best <= 0;
  return out;
}

namespace {

// A's core: the point or segment on the z axis that the depth is measured from, after scaling to radius 1.
struct Core {
  Vec3 inverse_scale{1, 1, 1};  ///< x -> coordinates in which A has radius 1 about its core
  double half_length = 0;       ///< of the core, scaled
  double unit = 1;              ///< metres per unit of depth

  Vec3 Nearest(const Vec3& y) const { return {0, 0, std::clamp(y.z, -half_length, half_length)}; }
};

struct CoreVisitor {
  static Core Round(double radius, double length) {
    const double k = 1 / radius;
    return {{k, k, k}, 0.5 * length * k, radius};
  }
  Core operator()(const Sphere& s) const { return Round(s.radius, 0); }
  Core operator()(const Cylinder& s) const { return Round(s.radius, s.length); }
  Core operator()(const Capsule& s) const { return Round(s.radius, s.length); }
  Core operator()(const Ellipsoid& s) const {
    const Vec3 a = s.semi_axes;
    return {{1 / a.x, 1 / a.y, 1 / a.z}, 0, std::min({a.x, a.y, a.z})};
  }
  Core operator()(const Box&) const { return {}; }
  Core operator()(const HalfSpace&) const { return {}; }
};

// The point of the triangle nearest to the core segment: at an end of the segment, on an edge, or where the
// segment goes through.
Vec3 NearestToAxis(const Vec3& a, const Vec3& b, const Vec3& c, const Core& core) {
  const double h = core.half_length;
  Vec3 best = ClosestPointOnTriangle(a, b, c, {0, 0, -h});
  auto consider = [&](const Vec3& q) {
    if (norm2(q - core.Nearest(q)) < norm2(best - core.Nearest(best))) best = q;
  };
  consider(ClosestPointOnTriangle(a, b, c, {0, 0, h}));
  const Vec3 corners[3] = {a, b, c};
  for (int k = 0; k < 3; ++k) {
    // Nearest approach of an edge to the axis as a line, seen along it; beyond the ends the corners above
    // hold.
    const Vec3 p = corners[k], d = corners[(k + 1) % 3] - p;
    const double flat2 = d.x * d.x + d.y * d.y;
    if (flat2 > 0) consider(p + std::clamp(-(p.x * d.x + p.y * d.y) / flat2, 0.0, 1.0) * d);
  }
  const Vec3 n = cross(b - a, c - a);
  if (n.z != 0) consider(ClosestPointOnTriangle(a, b, c, {0, 0, std::clamp(dot(n, a) / n.z, -h, h)}));
  return best;
}

}  // namespace

Approach ApproachOfMesh(const Primitive& A, const Pose& X_AB, const BodyData& B) {
  const Core core = std::visit(CoreVisitor{}, A);
  const double longest = std::max({core.inverse_scale.x, core.inverse_scale.y, core.inverse_scale.z});
  double least = 1;  // scaled distance from the core; 1 is A's surface
  Vec3 deepest;
  bool touched = false;
  auto scaled = [&](const Vec3& p_B) { return cwise_mul(core.inverse_scale, X_AB * p_B); };
  auto each_triangle = [&](auto&& visit) {
    Walk(
        B.surface_bvh,
        [&](const BvhNode& node, int) {
          const Box3 box = node.box();
          const Vec3 y = scaled(box.center());
          return norm(y - core.Nearest(y)) - 0.5 * norm(box.size()) * longest < 1;
        },
        [&](int i) {
          const auto& t = B.surface.triangles[B.surface_bvh.items[i]];
          const Vec3 a = scaled(B.surface.vertices[t[0]]), b = scaled(B.surface.vertices[t[1]]),
                     c = scaled(B.surface.vertices[t[2]]);
          const Vec3 q =
              core.half_length > 0 ? NearestToAxis(a, b, c, core) : ClosestPointOnTriangle(a, b, c, Vec3{});
          visit(q, norm(q - core.Nearest(q)));
        });
  };
  each_triangle([&](const Vec3& q, double r) {
    if (r < least) least = r, deepest = q, touched = true;
  });
  Approach out;
  const bool center_inside = B.kind == BodyData::Kind::kTets && TetAt(B, Inverse(X_AB).p, 0) != nullptr;
  out.separated = !touched && !center_inside;
  out.depth = (center_inside ? 1 : 1 - least) * core.unit;
  const Vec3 direction = deepest - core.Nearest(deepest);
  // A surface through the core itself gives no direction but rounding.
  out.n_A = norm2(direction) > 1e-18 ? direction : (norm2(X_AB.p) > 0 ? X_AB.p : Vec3{0, 0, 1});
  // In scaled space the gradient of the depth; back to a normal of A.
  out.n_A = normalized(cwise_mul(core.inverse_scale, out.n_A));
  const Vec3 axis = normalized(norm2(direction) > 1e-18 ? direction : Vec3{0, 0, 1});
  each_triangle([&](const Vec3& q, double r) {
    if (r >= 1 || r <= 0) return;
    out.spread = std::max(out.spread, std::acos(std::clamp(dot(q - core.Nearest(q), axis) / r, -1.0, 1.0)));
  });
  return out;
}

}  // namespace taxel::internal
