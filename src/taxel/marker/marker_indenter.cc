#include "taxel/marker/marker_indenter.h"

#include <cmath>
#include <numbers>
#include <variant>

#include "taxel/math/error.h"
#include "taxel/shape/sample_area.h"
#include "taxel/shape/sample_surface.h"

namespace taxel {
namespace {

// 0 where there is no closed form.
double TrueArea(const Primitive& shape) {
  constexpr double kPi = std::numbers::pi;
  if (const auto* s = std::get_if<Sphere>(&shape)) return 4 * kPi * s->radius * s->radius;
  if (const auto* s = std::get_if<Cylinder>(&shape)) return 2 * kPi * s->radius * (s->radius + s->length);
  if (const auto* s = std::get_if<Capsule>(&shape)) return 2 * kPi * s->radius * (2 * s->radius + s->length);
  return 0;
}

// A radius of the size of the object is a slip of units.
void CheckRadius(double radius, const Box3& box) {
  const Vec3 size = box.size();
  const double largest = std::fmax(size.x, std::fmax(size.y, size.z));
  if (radius > 0.5 * largest)
    throw Error("indenter: a spacing of " + ToText(radius) + " m between points of an object of " +
                ToText(largest) +
                " m leaves a handful of them; give a spacing in m, a tenth of the contact or less");
}

// smooth: onto the true surface, with its normals.
void MoveToMiddles(const TriangleMesh& surface, bool smooth, MarkerIndenter* indenter) {
  const SampleCells cells = CellsOfSamples(surface, indenter->points_I, indenter->normals_I);
  for (std::size_t i = 0; i < indenter->points_I.size(); ++i) {
    if (!(cells.areas[i] > 0)) continue;
    Vec3 p = cells.centroids[i], n = cells.normals[i];
    // A cell that bends has its centroid below the surface; twice, for the gradient is that of the first
    // place.
    for (int k = 0; k < 2; ++k) {
      const double d = indenter->distance.Value(p);
      if (std::fabs(d) < 1e-9) break;
      const Vec3 g = indenter->distance.Gradient(p);
      p -= d * g;
      if (smooth) n = g;
    }
    if (smooth) n = indenter->distance.Gradient(p);
    indenter->points_I[i] = p;
    indenter->normals_I[i] = n;
  }
}

}  // namespace

std::vector<double> PointAreas(const Body& body, const std::vector<Vec3>& points_I,
                               const std::vector<Vec3>& normals_I) {
  const TriangleMesh surface = body.Surface();
  std::vector<double> areas = SampleAreas(surface, points_I, normals_I);
  const double exact = body.primitive() ? TrueArea(*body.primitive()) : 0;
  if (exact > 0)
    for (double& a : areas) a *= exact / SurfaceArea(surface);
  return areas;
}

MarkerIndenter SampleIndenter(const Body& body, double radius, std::uint64_t seed) {
  const Primitive* primitive = body.primitive();
  if (!primitive) return SampleIndenter(body.Surface(), radius, seed);
  if (std::holds_alternative<HalfSpace>(*primitive))
    throw Error("indenter '" + body.name() +
                "' is a half space, whose surface has no end; give a box, or points of your own");
  CheckRadius(radius, BoundingBox(*primitive));
  MarkerIndenter out{MarkerDistance(*primitive), {}, {}, {}};
  const bool flat = std::holds_alternative<Box>(*primitive);
  for (const SurfaceSample& s : SampleSurface(body.Surface(), radius, seed)) {
    const Vec3 normal = flat ? s.normal : out.distance.Gradient(s.point);
    out.points_I.push_back(flat ? s.point : s.point - out.distance.Value(s.point) * normal);
    out.normals_I.push_back(normal);
  }
  out.areas = PointAreas(body, out.points_I, out.normals_I);
  return out;
}

MarkerIndenter SampleCellMiddles(const Body& body, double radius, std::uint64_t seed) {
  MarkerIndenter out = SampleIndenter(body, radius, seed);
  MoveToMiddles(body.Surface(), body.primitive() && !std::holds_alternative<Box>(*body.primitive()), &out);
  return out;
}

MarkerIndenter SampleCellMiddles(const TriangleMesh& mesh, double radius, std::uint64_t seed) {
  MarkerIndenter out = SampleIndenter(mesh, radius, seed);
  MoveToMiddles(mesh, false, &out);
  return out;
}

MarkerIndenter SampleIndenter(const TriangleMesh& mesh, double radius, std::uint64_t seed) {
  MarkerIndenter out{MarkerDistance(mesh, "indenter"), {}, {}, {}};
  CheckRadius(radius, BoundingBox(mesh));
  for (const SurfaceSample& s : SampleSurface(mesh, radius, seed)) {
    out.points_I.push_back(s.point);
    out.normals_I.push_back(s.normal);
  }
  out.areas = SampleAreas(mesh, out.points_I, out.normals_I);
  return out;
}

}  // namespace taxel
