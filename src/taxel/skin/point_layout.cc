#include "taxel/skin/point_layout.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include "taxel/math/error.h"
#include "taxel/shape/mesh_distance.h"
#include "taxel/shape/signed_distance.h"
#include "taxel/shape/triangle_distance.h"
#include "taxel/skin/taxel_area.h"

namespace taxel {
using namespace internal;
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kSamePlace = 1e-9;       // m
constexpr double kHalfSpaceReach = 5e-3;  // m
constexpr double kLargest = 10;           // m; beyond it another unit is suspected

std::string Named(std::size_t i, const Vec3& p) {
  return "taxel " + std::to_string(i) + " at " + ToText(p.x) + " " + ToText(p.y) + " " + ToText(p.z);
}

double CornerAngle(const Vec3& at, const Vec3& a, const Vec3& b) {
  const Vec3 u = a - at, v = b - at;
  return std::atan2(norm(cross(u, v)), dot(u, v));
}

// Mean normal of the triangles that meet at q, a point of the surface, weighted by their angle at q.
Vec3 MeshNormalAt(const MeshDistance& distance, const Vec3& q, double tolerance) {
  const TriangleMesh& mesh = distance.mesh();
  Vec3 sum;
  Walk(
      distance.bvh(),
      [&](const BvhNode& node, int) { return node.box().Distance2(q) <= tolerance * tolerance; },
      [&](int place) {
        const int t = distance.bvh().items[place];
        const Vec3 p[3] = {mesh.corner(t, 0), mesh.corner(t, 1), mesh.corner(t, 2)};
        if (norm(ClosestPointOnTriangle(p[0], p[1], p[2], q) - q) > tolerance) return;
        double angle = 2 * kPi;
        for (int k = 0; k < 3; ++k)
          if (norm(ClosestPointOnSegment(p[k], p[(k + 1) % 3], q) - q) <= tolerance) angle = kPi;
        for (int k = 0; k < 3; ++k)
          if (norm(p[k] - q) <= tolerance) angle = CornerAngle(p[k], p[(k + 1) % 3], p[(k + 2) % 3]);
        sum += angle * normalized(AreaNormal2(mesh, t));
      });
  return sum;
}

// The body's surface as points see it: how far, and which way is out.
class SurfaceOf {
 public:
  explicit SurfaceOf(const Body& body) : shape_(body.primitive()) {
    if (!shape_) mesh_.emplace(body.Surface());
    const Vec3 size = (shape_ ? BoundingBox(*shape_) : BoundingBox(mesh_->mesh())).size();
    longest_ = std::max({size.x, size.y, size.z});
  }
  double reach() const { return std::isfinite(longest_) ? 0.2 * longest_ : kHalfSpaceReach; }
  double Distance(const Vec3& p) const {
    return shape_ ? std::fabs(SignedDistance(*shape_, p)) : mesh_->ClosestPoint(p).distance;
  }
  Vec3 Normal(const Vec3& p) const {
    if (shape_) return SignedDistanceGradient(*shape_, p);
    const MeshDistance::Closest closest = mesh_->ClosestPoint(p);
    const Vec3 mean = MeshNormalAt(*mesh_, closest.point, 1e-9 * longest_);
    // Back to back triangles cancel; then the nearest one decides.
    return normalized(norm(mean) > 1e-6 ? mean : AreaNormal2(mesh_->mesh(), closest.triangle));
  }

 private:
  const Primitive* shape_;
  std::optional<MeshDistance> mesh_;
  double longest_ = 0;
};

// Distance to the nearest other taxel that looks the same way, for each.
std::vector<double> NearestOther(const std::vector<Vec3>& points, const std::vector<Vec3>& normals,
                                 std::vector<int>* which) {
  std::vector<Box3> boxes(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) boxes[i].Include(points[i]);
  const Bvh bvh = BuildBvh(boxes);
  std::vector<double> nearest(points.size(), std::numeric_limits<double>::infinity());
  which->assign(points.size(), -1);
  for (std::size_t i = 0; i < points.size(); ++i)
    Walk(
        bvh,
        [&](const BvhNode& node, int) { return node.box().Distance2(points[i]) <= nearest[i] * nearest[i]; },
        [&](int place) {
          const int j = bvh.items[place];
          const double d = norm(points[j] - points[i]);
          if (j != static_cast<int>(i) && dot(normals[i], normals[j]) > 0 && d < nearest[i])
            nearest[i] = d, (*which)[i] = j;
        });
  return nearest;
}

// The square of a half space that the taxels can see.
TriangleMesh SquareUnder(const std::vector<Vec3>& points, double radius) {
  Box3 box;
  for (const Vec3& p : points) box.Include(p);
  const Vec3 lo{box.lo.x - radius, box.lo.y - radius, 0}, hi{box.hi.x + radius, box.hi.y + radius, 0};
  return {{lo, {hi.x, lo.y, 0}, hi, {lo.x, hi.y, 0}}, {{0, 1, 2}, {0, 2, 3}}};
}

void CheckPoints(const std::vector<Vec3>& points, const std::vector<Vec3>& normals, const Body* body,
                 double radius) {
  if (points.empty()) throw Error("the layout has no point; give at least one");
  if (points.size() > kMaxTaxels)
    throw Error("the layout has " + std::to_string(points.size()) + " points; one sensor has at most " +
                std::to_string(kMaxTaxels) + " taxels: split it");
  if (!normals.empty() && normals.size() != points.size())
    throw Error("the layout has " + std::to_string(points.size()) + " points but " +
                std::to_string(normals.size()) + " normals; give one a point, or none" +
                (body ? " to take them from the surface" : ""));
  if (normals.empty() && !body)
    throw Error("the layout has points without normals and no body to take them from; give the normals");
  if (!std::isfinite(radius) || radius < 0)
    throw Error("radius is " + ToText(radius) + "; it must be finite and at least 0 (metres)");
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Vec3& p = points[i];
    if (!is_finite(p)) throw Error(Named(i, p) + " is not a point; coordinates must be finite");
    if (std::max({std::fabs(p.x), std::fabs(p.y), std::fabs(p.z)}) > kLargest)
      throw Error(Named(i, p) + " m is more than " + ToText(kLargest) +
                  " m from the origin; taxel works in metres: if this was millimetres, divide by 1000");
    if (!normals.empty() && !(is_finite(normals[i]) && norm(normals[i]) > 1e-9))
      throw Error(Named(i, p) + " has the normal " + ToText(normals[i].x) + " " + ToText(normals[i].y) + " " +
                  ToText(normals[i].z) +
                  "; it must be finite and not zero (leave all out to take the surface's)");
  }
}

}  // namespace

Vec3 FreeAxis(const Vec3& normal) {
  const double limit = std::cos(8 * kPi / 180);
  const Vec3 guide = std::fabs(normal.z) > limit ? Vec3{1, 0, 0} : Vec3{0, 0, 1};
  return normalized(guide - dot(guide, normal) * normal);
}

Layout PointLayout(const std::vector<Vec3>& points, const std::vector<Vec3>& normals, const Body* body,
                   double radius) {
  CheckPoints(points, normals, body, radius);
  Layout layout;
  layout.points = points;
  std::optional<SurfaceOf> surface;
  if (body) surface.emplace(*body);
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (surface) {
      const double distance = surface->Distance(points[i]);
      if (!(distance <= surface->reach()))
        throw Error(Named(i, points[i]) + " is " + ToText(distance) + " m from the surface of body '" +
                    body->name() + "'; at most " + ToText(surface->reach()) +
                    " m is allowed: points are in the frame of the geom and in metres");
    }
    layout.normals.push_back(normals.empty() ? surface->Normal(points[i]) : normalized(normals[i]));
    layout.axes.push_back(FreeAxis(layout.normals.back()));
  }
  std::vector<int> other;
  const std::vector<double> nearest = NearestOther(points, layout.normals, &other);
  double sum = 0;
  int pairs = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (nearest[i] <= kSamePlace)
      throw Error(Named(i, points[i]) + " and taxel " + std::to_string(other[i]) +
                  " are at the same place (within " + ToText(kSamePlace) + " m); remove one");
    if (std::isfinite(nearest[i])) sum += nearest[i], ++pairs;
  }
  if (radius == 0 && pairs == 0)
    throw Error("a taxel without neighbours does not tell how large it is; give its radius in m");
  if (radius == 0) radius = 0.75 * sum / pairs;
  if (!body) {
    layout.areas.assign(points.size(), kPi * radius * radius);
    return layout;
  }
  const Primitive* shape = body->primitive();
  const bool endless = shape && std::holds_alternative<HalfSpace>(*shape);
  // Walls at right angles beside a face are not its taxels' business, whatever the rounding of normals.
  layout.areas = TaxelAreas(endless ? SquareUnder(points, radius) : body->Surface(), points, layout.normals,
                            radius, 1e-6);
  for (std::size_t i = 0; i < points.size(); ++i)
    if (!(layout.areas[i] > 0))
      throw Error(
          Named(i, points[i]) + " has no surface of body '" + body->name() + "' within the radius " +
          ToText(radius) + " m that faces its normal " + ToText(layout.normals[i].x) + " " +
          ToText(layout.normals[i].y) + " " + ToText(layout.normals[i].z) +
          " and is nearest to it; normals point out of the body: turn it, move the point, or raise radius");
  return layout;
}

Layout VertexLayout(const TriangleMesh& mesh) {
  CheckIndices(mesh, "mesh of taxels");
  const TriangleMesh merged = MergeVertices(mesh);
  std::vector<Vec3> normals(merged.vertices.size());
  std::vector<double> areas(merged.vertices.size());
  std::vector<bool> used(merged.vertices.size());
  for (int t = 0; t < static_cast<int>(merged.triangles.size()); ++t) {
    const Vec3 n = AreaNormal2(merged, t);
    for (int k = 0; k < 3; ++k) {
      const int v = merged.triangles[t][k];
      used[v] = true;
      areas[v] += norm(n) / 6;
      normals[v] +=
          CornerAngle(merged.corner(t, k), merged.corner(t, (k + 1) % 3), merged.corner(t, (k + 2) % 3)) *
          normalized(n);
    }
  }
  Layout layout;
  for (std::size_t v = 0; v < merged.vertices.size(); ++v) {
    if (!used[v]) continue;
    if (!(norm(normals[v]) > 1e-6 && areas[v] > 0))
      throw Error(
          "vertex " + std::to_string(v) + " of the mesh, at " + ToText(merged.vertices[v].x) + " " +
          ToText(merged.vertices[v].y) + " " + ToText(merged.vertices[v].z) +
          ", has no normal: the triangles round it have no area or lie back to back; repair the mesh or use "
          "layout=\"poisson\"");
    layout.points.push_back(merged.vertices[v]);
    layout.normals.push_back(normalized(normals[v]));
    layout.axes.push_back(FreeAxis(layout.normals.back()));
    layout.areas.push_back(areas[v]);
  }
  if (layout.points.empty()) throw Error("mesh of taxels: every triangle is degenerate; repair the mesh");
  if (layout.count() > kMaxTaxels)
    throw Error("the mesh has " + std::to_string(layout.count()) + " vertices; one sensor has at most " +
                std::to_string(kMaxTaxels) + " taxels: use layout=\"poisson\" or a coarser mesh");
  return layout;
}

}  // namespace taxel
