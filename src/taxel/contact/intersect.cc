#include "taxel/contact/intersect.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "taxel/math/box3.h"
#include "taxel/math/lanes.h"

namespace taxel::internal {
namespace {

// Faces smaller than this (m2) are rounding noise: a square of 10 nm.
constexpr double kLeastArea = 1e-16;

// The planes that bound one layer of a piece, in units of length as the other planes are: 0, 1 or 2 of them.
// (The first layer starts at the surface, which is a plane of the piece already.)
int LayerPlanes(const Layer& layer, const Linear& depth, Plane* out) {
  int n = 0;
  const double g = norm(depth.n), scale = g > 0 ? 1 / g : 1;
  if (layer.u0 > 0) out[n++] = {scale * depth.n, scale * (depth.d - layer.u0)};
  if (!std::isinf(layer.u1)) out[n++] = {-scale * depth.n, scale * (layer.u1 - depth.d)};
  return n;
}

}  // namespace

FaceSink::FaceSink(const ContactOptions& options, bool flip, ContactSurface* surface)
    : out_(*surface),
      faces_(options.faces),
      flip_(flip),
      cull_cosine_(options.cull ? std::cos(options.cull_angle) : -2),
      backed_cosine_(options.cull ? -1e-6 : -2) {  // walls along the gradient, up to rounding, all stay
  out_.Clear();
  out_.columns_of_A = !flip;
}

void FaceSink::AddFace(const Vec3* v, const double* p, int n, const Vec3& n_W, double gradient_first,
                       double gradient_second) {
  // Fan from vertex 0: area, first moment, and for linear p on a triangle
  //   int p = A/3 sum p_i,   int x p = A/12 (sum x_i p_i + sum x_i sum p_i).
  double area = 0, load = 0;
  Vec3 moment, load_moment;
  for (int i = 1; i + 1 < n; ++i) {
    const double a = 0.5 * dot(cross(v[i] - v[0], v[i + 1] - v[0]), n_W);
    const Vec3 sum_x = v[0] + v[i] + v[i + 1];
    const double sum_p = p[0] + p[i] + p[i + 1];
    area += a;
    load += a / 3 * sum_p;
    moment += a / 3 * sum_x;
    load_moment += a / 12 * (p[0] * v[0] + p[i] * v[i] + p[i + 1] * v[i + 1] + sum_p * sum_x);
  }
  if (!(area > kLeastArea)) return;
  const auto base = out_.vertices.size();
  out_.vertices.resize(base + n);
  out_.pressures.resize(base + n);
  for (int i = 0; i < n; ++i) {
    const int j = flip_ ? n - 1 - i : i;
    out_.vertices[base + i] = v[j];
    out_.pressures[base + i] = p[j];
    out_.max_pressure = std::max(out_.max_pressure, p[j]);
  }
  out_.face_start.push_back(static_cast<std::int32_t>(base) + n);
  out_.normals.push_back(flip_ ? -n_W : n_W);
  out_.areas.push_back(area);
  out_.centroids.push_back(moment / area);
  out_.face_pressures.push_back(load / area);
  out_.gradients_A.push_back(std::max(0.0, flip_ ? gradient_second : gradient_first));
  out_.gradients_B.push_back(std::max(0.0, flip_ ? gradient_first : gradient_second));
  if (column_ >= 0) out_.columns.push_back(column_);
  out_.area += area;
  out_.normal_force += load;
  area_moment_ += moment;
  pressure_moment_ += load_moment;
  force_ += load * n_W;
  torque_ += cross(load_moment, n_W);
}

void FaceSink::Add(const Pose& X_WK, const Polygon& polygon, const Vec3& n_K, const Linear& pressure,
                   double gradient_first, double gradient_second) {
  Polygon world;
  Vec3* v = world.v;
  double p[Polygon::kMax];
  const int n = polygon.n;
  for (int i = 0; i < n; ++i) {
    v[i] = X_WK * polygon.v[i];
    p[i] = std::max(0.0, pressure(polygon.v[i]));
  }
  const Vec3 n_W = X_WK.R * n_K;
  if (faces_ == Faces::kPolygons) return AddFace(v, p, n, n_W, gradient_first, gradient_second);
  // Triangles round the centroid: no diagonal is preferred.
  double area = 0, load = 0;
  Vec3 moment;
  for (int i = 1; i + 1 < n; ++i) {
    const double a = 0.5 * dot(cross(v[i] - v[0], v[i + 1] - v[0]), n_W);
    area += a;
    load += a / 3 * (p[0] + p[i] + p[i + 1]);
    moment += a / 3 * (v[0] + v[i] + v[i + 1]);
  }
  if (!(area > kLeastArea)) return;
  if (n == 3) return AddFace(v, p, n, n_W, gradient_first, gradient_second);
  for (int i = 0; i < n; ++i) {
    const int j = i + 1 == n ? 0 : i + 1;
    const Vec3 tri[3] = {moment / area, v[i], v[j]};
    const double tri_p[3] = {load / area, p[i], p[j]};
    AddFace(tri, tri_p, 3, n_W, gradient_first, gradient_second);
  }
}

void FaceSink::Finish() {
  if (out_.area > 0) out_.centroid = area_moment_ / out_.area;
  out_.center_of_pressure = out_.normal_force > 0 ? pressure_moment_ / out_.normal_force : out_.centroid;
  out_.wrench_on_A = flip_ ? Wrench{-force_, -torque_} : Wrench{force_, torque_};
}

namespace {

// Planes that a polygon of at most four vertices is not wholly inside of, as bits. False: it is wholly
// outside of one. A polygon in a plane counts as cut: Clip knows the rule.
bool FindCuts(const Polygon& facet, const SoftPiece& soft, unsigned* cut) {
  const Vec3 *v = facet.v, &last = v[facet.n - 1];
  const Lanes x{v[0].x, v[1].x, v[2].x, last.x}, y{v[0].y, v[1].y, v[2].y, last.y},
      z{v[0].z, v[1].z, v[2].z, last.z};
  *cut = 0;
  for (int i = 0; i < soft.num_planes; ++i) {
    const Plane& f = soft.planes[i];
    const Lanes s = f.n.x * x + f.n.y * y + f.n.z * z + f.d;
    const bool any_in = Bits(s > kOnPlane) != 0, any_out = Bits(s < -kOnPlane) != 0;
    if (any_out && !any_in) return false;
    if (any_out || !any_in) *cut |= 1u << i;
  }
  return true;
}

}  // namespace

void FacetInCell(const Pose& X_WK, const Polygon& facet, const Vec3& n_K, const SoftPiece& soft,
                 FaceSink* sink) {
  if (!Along(n_K, soft.depth.n, sink->cull_cosine(*soft.law))) return;
  // Which planes cut it; most candidates are wholly beyond one.
  unsigned cut = ~0u;
  if (facet.n <= 4 && !FindCuts(facet, soft, &cut)) return;
  Polygon a, b;
  Polygon *inside = &a, *spare = &b;
  *inside = facet;
  for (int i = 0; i < soft.num_planes; ++i)
    if (cut >> i & 1 && !ClipInPlace(soft.planes[i], n_K, &inside, &spare)) return;
  const double slope = dot(n_K, soft.depth.n);
  constexpr double kRigid = std::numeric_limits<double>::infinity();
  if (soft.law->size() == 1) {
    const Layer& layer = (*soft.law)[0];
    sink->Add(X_WK, *inside, n_K, PressureIn(layer, soft.depth), layer.slope * slope, kRigid);
    return;
  }
  double least = Box3::kInf, most = -Box3::kInf;
  for (int i = 0; i < inside->n; ++i) {
    const double u = soft.depth(inside->v[i]);
    least = std::min(least, u);
    most = std::max(most, u);
  }
  // A facet that lies in the plane between two layers belongs to one of them by the tie rule of Clip;
  // rounding must not keep that layer from being asked.
  constexpr double kMargin = 1e-9;
  for (const Layer& layer : *soft.law) {
    if (layer.u0 > most + kMargin) break;
    if (layer.u1 < least - kMargin) continue;
    // Wholly in this one? The first layer starts at the surface.
    if ((layer.u0 <= 0 || layer.u0 <= least - kMargin) && layer.u1 >= most + kMargin)
      return sink->Add(X_WK, *inside, n_K, PressureIn(layer, soft.depth), layer.slope * slope, kRigid);
    Polygon c, d;
    Polygon *part = &c, *other = &d;
    *part = *inside;
    Plane planes[2];
    const int n = LayerPlanes(layer, soft.depth, planes);
    bool left = true;
    for (int i = 0; i < n && left; ++i) left = ClipInPlace(planes[i], n_K, &part, &other);
    if (left) sink->Add(X_WK, *part, n_K, PressureIn(layer, soft.depth), layer.slope * slope, kRigid);
  }
}

namespace {

// One layer of each piece: p1 = p2 is the plane m . x + o = 0; along m the first's pressure rises against the
// second's.
void EqualPlane(const Pose& X_WK, const SoftPiece& first, const Layer& l1, const SoftPiece& second,
                const Layer& l2, FaceSink* sink) {
  const Linear p1 = PressureIn(l1, first.depth), p2 = PressureIn(l2, second.depth);
  Vec3 m = p1.n - p2.n;
  const double length2 = norm2(m);
  if (!(length2 > 0)) return;
  const double gap = p1.d - p2.d;
  const double g1 = dot(m, first.center) + gap, g2 = dot(m, second.center) + gap;  // |m| times the heights
  const double r1 = first.radius, r2 = second.radius;
  if (g1 * g1 > r1 * r1 * length2 || g2 * g2 > r2 * r2 * length2) return;
  const double scale = 1 / std::sqrt(length2);
  m *= scale;
  if (!Along(m, p1.n, sink->cull_cosine(*first.law)) || !Along(-m, p2.n, sink->cull_cosine(*second.law)))
    return;

  // The plane cuts a disc out of each piece's sphere; the polygon lies in the smaller one.
  const double h1 = g1 * scale, h2 = g2 * scale;
  const double d1 = r1 * r1 - h1 * h1, d2 = r2 * r2 - h2 * h2;
  const Vec3 c1 = first.center - h1 * m, c2 = second.center - h2 * m;
  struct Disc {
    Vec3 center;
    double radius;
  };
  // Within a tube of width w about a line that meets the plane at the cosine k, the cut reaches w / k from
  // the line.
  auto narrow = [&](const SoftPiece& piece, double h, Disc* disc) {
    const double k = dot(piece.axis, m);
    if (piece.width < std::fabs(k) * disc->radius)
      *disc = {piece.center - (h / k) * piece.axis, piece.width / std::fabs(k)};
  };
  Disc disc1{c1, std::sqrt(std::max(0.0, d1))}, disc2{c2, std::sqrt(std::max(0.0, d2))};
  narrow(first, h1, &disc1);
  narrow(second, h2, &disc2);
  const double both = disc1.radius + disc2.radius;
  if (norm2(disc1.center - disc2.center) > both * both) return;
  const Vec3 origin = disc1.radius <= disc2.radius ? disc1.center : disc2.center;
  const double reach = std::min(disc1.radius, disc2.radius), reach2 = reach * reach;

  Vec3 e1, e2;
  MakeFrame(m, &e1, &e2);
  HalfPlane lines[2 * Cell::kMaxPlanes + 4];
  bool keep[2 * Cell::kMaxPlanes + 4];
  int n = 0;
  // A first without pressure: the polygon is the second's own surface, which no other piece of the second
  // has.
  const bool unloaded = norm2(p1.n) == 0;
  auto add = [&](const Plane& plane, bool keep_coplanar = false) {
    const HalfPlane line{dot(plane.n, e1), dot(plane.n, e2), plane(origin)};
    lines[n] = line;
    keep[n++] = keep_coplanar || dot(plane.n, m) > 0;
    // Nothing to clip when the whole square is inside; nothing left when the whole disc is outside.
    if (line.c > kOnPlane + reach * (std::fabs(line.a) + std::fabs(line.b))) --n;
    return line.c >= -kOnPlane || line.c * line.c <= (line.a * line.a + line.b * line.b) * reach2;
  };
  // Neighbours are told apart soonest by taking the sides of both in turn, their surfaces (plane 0) last.
  for (int i = 1; i < std::max(first.num_planes, second.num_planes); ++i) {
    if (i < first.num_planes && !add(first.planes[i])) return;
    if (i < second.num_planes && !add(second.planes[i], unloaded)) return;
  }
  if (!add(first.planes[0]) || !add(second.planes[0], unloaded)) return;
  if (first.law->size() > 1 || second.law->size() > 1) {
    Plane bounds[4];
    int num_bounds = LayerPlanes(l1, first.depth, bounds);
    num_bounds += LayerPlanes(l2, second.depth, bounds + num_bounds);
    for (int i = 0; i < num_bounds; ++i)
      if (!add(bounds[i])) return;
  }

  FlatPolygon a, b;
  FlatPolygon *part = &a, *spare = &b;
  part->n = 4;
  for (int i = 0; i < 4; ++i) {
    part->x[i] = i == 0 || i == 3 ? -reach : reach;
    part->y[i] = i < 2 ? -reach : reach;
  }
  for (int i = 0; i < n; ++i)
    if (!ClipInPlace(lines[i], keep[i], &part, &spare)) return;
  Polygon polygon;
  polygon.n = part->n;
  for (int i = 0; i < part->n; ++i) polygon.v[i] = origin + part->x[i] * e1 + part->y[i] * e2;
  sink->Add(X_WK, polygon, m, p1, dot(m, p1.n), -dot(m, p2.n));
}

}  // namespace

void EqualPressure(const Pose& X_WK, const SoftPiece& first, const SoftPiece& second, FaceSink* sink) {
  if (first.law->size() == 1 && second.law->size() == 1)
    return EqualPlane(X_WK, first, (*first.law)[0], second, (*second.law)[0], sink);
  const double max_p1 = PressureOfDepth(*first.law, first.max_depth);
  const double max_p2 = PressureOfDepth(*second.law, second.max_depth);
  for (const Layer& l1 : *first.law) {
    if (l1.u0 > 0 && (l1.u0 > first.max_depth || l1.slope * l1.u0 + l1.offset > max_p2)) break;
    for (const Layer& l2 : *second.law) {
      if (l2.u0 > 0 && (l2.u0 > second.max_depth || l2.slope * l2.u0 + l2.offset > max_p1)) break;
      EqualPlane(X_WK, first, l1, second, l2, sink);
    }
  }
}

}  // namespace taxel::internal
