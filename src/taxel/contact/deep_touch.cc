#include "taxel/contact/deep_touch.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "taxel/contact/approach.h"
#include "taxel/contact/body_data.h"
#include "taxel/contact/prepare.h"
#include "taxel/shape/ray.h"
#include "taxel/shape/signed_distance.h"

namespace taxel::internal {
namespace {

constexpr double kAlong = 0.5;  // cosine: out by the exposed face of a backed box
constexpr double kBehind =
    0.7071067811865476;  // cosine: glued triangles (columns.h), and what comes from behind

bool Bounded(const Body& body) {
  return body.data().is_mesh || !std::holds_alternative<HalfSpace>(body.data().primitive);
}

bool BackedBox(const BodyData& data) {
  return data.soft && !data.is_mesh && data.law.size() > 1 && std::holds_alternative<Box>(data.primitive);
}

// Soft to its middle, by columns.
bool AtMiddle(const BodyData& data) { return data.options.field.bone == Bone::kMiddle; }

// A layer with a back: its core is the back, and it may well lie about what presses into it.
bool IsPad(const BodyData& data) {
  return BackedBox(data) || (data.soft && data.is_mesh && data.law.size() > 1 && !AtMiddle(data));
}

// The direction n of its frame (unit, outwards) leads out of a backed box where it has no field.
bool OnSide(const Body& body, const Vec3& n) {
  return BackedBox(body.data()) && dot(normalized(body.data().options.field.exposed), n) < kAlong;
}

// How far a body gives way when it is pressed from there.
double Allowance(const Body& body, const Vec3& n) {
  if (!body.soft()) return 0;
  const BodyData& data = body.data();
  if (AtMiddle(data)) return CoreDepth(data.law) * data.columns.shortest;
  if (!data.is_mesh && std::holds_alternative<Ellipsoid>(data.primitive))  // its core is a similar one
    return CoreDepth(data.law) / data.depth_scale * dot(n, SupportPoint(data.primitive, n));
  if (OnSide(body, n))
    return kSideShare * std::min(data.length, dot(cwise_abs(n), std::get<Box>(data.primitive).size));
  return CoreDepth(data.law) * data.length;
}

// How much of a body lies beyond its middle along n, at the least: the ball about it. The core of an
// ellipsoid is a similar one.
double Beyond(const Body& body, const Vec3& n) {
  const BodyData& data = body.data();
  if (!data.is_mesh && std::holds_alternative<Ellipsoid>(data.primitive))
    return dot(n, SupportPoint(data.primitive, n));
  return data.inner_radius;
}

WayOut OfTriangles(const BodyData& data, const Vec3& p) {
  const SurfacePoint nearest = NearestOnSurface(data, p);
  if (nearest.triangle < 0 || dot(nearest.p - p, data.surface_normals[nearest.triangle]) <= 0) return {};
  const double depth = norm(nearest.p - p);
  const Vec3 out = (nearest.p - p) / depth;
  // A point before a reflex edge sees the back of a face; a ray tells.
  if (CountHits(data.surface, data.surface_bvh, {p, out}) % 2 == 0) return {};
  return {depth, out};
}

WayOut OfColumns(const BodyData& data, const Vec3& p) {
  const ColumnPlace place = FindColumn(data.columns, p);
  if (place.column < 0) return {};
  const Column& c = data.columns.columns[place.column];
  return {place.depth, c.d, CoreDepth(data.law) * c.length};
}

void TouchByMiddle(const Body& body, const Pose& X_WS, const Body& other, const Pose& X_WL, bool is_A,
                   double reach, std::vector<CoreTouch>* out) {
  const BodyData& data = body.data();
  if (!data.has_middle || IsPad(data)) return;
  const Vec3 middle_W = X_WS * data.middle;
  const WayOut way = FindWayOut(other, Inverse(X_WL) * middle_W);
  if (!(way.depth > 0)) return;
  const Vec3 out_W = X_WL.R * way.out, in_S = -TransposeMul(X_WS.R, out_W);
  const double layer = way.layer > 0 ? way.layer : Allowance(other, way.out);
  const double gap = layer + Allowance(body, in_S) - way.depth - Beyond(body, in_S);
  if (gap <= reach) out->push_back({middle_W, is_A ? out_W : -out_W, gap});
}

// The back of a meshed pad on a plane: its lowest points in five directions.
void TouchByBack(const Body& pad, const Pose& X_WS, const Body& plane, const Pose& X_WL, bool is_A,
                 double reach, std::vector<CoreTouch>* out) {
  const BodyData& data = pad.data();
  if (!(IsPad(data) || AtMiddle(data)) || !data.is_mesh || Bounded(plane)) return;
  const Pose X_LS = Inverse(X_WL) * X_WS;
  const double core = CoreDepth(data.law);
  constexpr int kWays[5][2] = {{0, 0}, {1, 1}, {1, -1}, {-1, 1}, {-1, -1}};
  double least[5], height[5];
  Vec3 at[5];
  std::fill(least, least + 5, HUGE_VAL);
  const auto look = [&](const Vec3& place) {
    const Vec3 p = X_LS * place;
    if (p.z > reach) return;
    for (int k = 0; k < 5; ++k) {
      const double value = p.z + kWays[k][0] * p.x + kWays[k][1] * p.y;
      if (value < least[k]) least[k] = value, height[k] = p.z, at[k] = p;
    }
  };
  for (const Column& c : data.columns.columns)
    for (int i = 0; i < c.corners; ++i)
      look(c.p + (c.s[i] - core * c.length * c.spread_s[i]) * c.u +
           (c.t[i] - core * c.length * c.spread_t[i]) * c.v - core * c.length * c.d);
  // What it is glued by is hard where the plane comes from behind. Else its rim would sink in, and the
  // columns beside it would be met from within when it tilts.
  if (!data.columns.empty() && UnderTriangles(data.options.field) &&
      data.options.field.skin_triangles.empty()) {
    const Vec3 exposed = normalized(data.options.field.exposed), up = TransposeMul(X_LS.R, {0, 0, 1});
    for (std::size_t t = 0; t < data.surface.triangles.size(); ++t)
      if (dot(data.surface_normals[t], exposed) <= -kBehind && dot(data.surface_normals[t], up) < -kBehind)
        for (int k = 0; k < 3; ++k) look(data.surface.corner(static_cast<int>(t), k));
  }
  for (std::size_t i = 0; i < data.tets.vertices.size(); ++i)
    if (data.tet_values[i] >= core) look(data.tets.vertices[i]);
  const double allowance = Allowance(plane, {0, 0, 1});
  const Vec3 up_W = X_WL.R * Vec3{0, 0, 1};
  for (int k = 0; k < 5; ++k) {
    if (least[k] == HUGE_VAL || std::find(at, at + k, at[k]) != at + k) continue;
    if (height[k] + allowance <= reach)
      out->push_back({X_WL * at[k], is_A ? up_W : -up_W, height[k] + allowance});
  }
}

}  // namespace

WayOut FindWayOut(const Body& body, const Vec3& p) {
  const BodyData& data = body.data();
  if (Bounded(body) && data.box.Distance2(p) > 0) return {};
  if (data.is_mesh && !data.columns.empty()) return OfColumns(data, p);
  if (data.kind == BodyData::Kind::kTriangles) return OfTriangles(data, p);
  if (data.kind == BodyData::Kind::kTets) {
    const TetCell* cell = TetAt(data, p, 0);
    if (!cell || !(norm2(cell->depth.n) > 0)) return {};
    return {cell->depth(p) * data.length, -normalized(cell->depth.n)};
  }
  const double distance = SignedDistance(data.primitive, p);
  if (distance >= 0) return {};
  if (!BackedBox(data)) return {-distance, SignedDistanceGradient(data.primitive, p)};
  const Vec3 face = normalized(data.options.field.exposed);
  return {dot(face, SupportPoint(data.primitive, face) - p), face};
}

void FindMiddleTouches(const Body& A, const Pose& X_WA, const Body& B, const Pose& X_WB, double reach,
                       std::vector<CoreTouch>* out) {
  TouchByMiddle(A, X_WA, B, X_WB, true, reach, out);
  TouchByMiddle(B, X_WB, A, X_WA, false, reach, out);
  TouchByBack(A, X_WA, B, X_WB, true, reach, out);
  TouchByBack(B, X_WB, A, X_WA, false, reach, out);
}

bool FindDeepTouch(const ContactSurface& surface, const Body& A, const Pose& X_WA, const Body& B,
                   const Pose& X_WB, double reach, std::vector<CoreTouch>* out) {
  if (A.data().is_mesh || B.data().is_mesh) return false;
  if (!surface.empty() && !surface.beyond && surface.max_pressure < surface.size_factor * CorePressure(A, B))
    return false;
  const Pose X_AB = Inverse(X_WA) * X_WB;
  const Approach approach = ApproachOfPrimitives(A.data().primitive, X_AB, B.data().primitive);
  if (approach.separated) return false;
  const Vec3 n_A = approach.n_A, n_W = X_WA.R * n_A, n_B = -TransposeMul(X_WB.R, n_W);
  const double gap = Allowance(A, n_A) + Allowance(B, n_B) - approach.depth;
  if (gap > reach) return false;
  const Vec3 p_A = Bounded(A) ? X_WA * SupportPoint(A.data().primitive, n_A) : Vec3{};
  const Vec3 p_B = Bounded(B) ? X_WB * SupportPoint(B.data().primitive, n_B) : Vec3{};
  const Vec3 at = !Bounded(A) ? p_B : !Bounded(B) ? p_A : 0.5 * (p_A + p_B);
  out->push_back({at, -n_W, gap});
  // A body stands on several points: those of the smaller one that are farthest along directions round about,
  // where they are inside the other.
  const auto size = [&](const Body& body) { return Bounded(body) ? norm(body.data().box.size()) : HUGE_VAL; };
  const bool on_A = size(A) < size(B);
  const Body &body = on_A ? A : B, &other = on_A ? B : A;
  const Pose &X = on_A ? X_WA : X_WB, &X_other = on_A ? X_WB : X_WA;
  const Vec3 n = on_A ? n_A : n_B, tip = X * SupportPoint(body.data().primitive, n);
  Vec3 t1, t2;
  MakeFrame(n, &t1, &t2);
  for (const auto& [a, b] : {std::pair(1, 1), std::pair(1, -1), std::pair(-1, 1), std::pair(-1, -1)}) {
    const Vec3 p = X * SupportPoint(body.data().primitive, n + a * t1 + b * t2);
    const double less = dot(X.R * n, tip - p);
    if (norm(p - at) < 1e-9 || gap + less > reach) continue;
    if (Bounded(other) && SignedDistance(other.data().primitive, Inverse(X_other) * p) > 0) continue;
    out->push_back({p, -n_W, gap + less});
  }
  const bool side = OnSide(A, n_A) || OnSide(B, n_B);
  // What got there went through no layer: it is held, and not brought back the shortest way.
  if (side)
    for (CoreTouch& c : *out) c.gap = std::max(c.gap, 0.0);
  return side;
}

}  // namespace taxel::internal
