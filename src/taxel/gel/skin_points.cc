#include "taxel/gel/skin_points.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "taxel/math/error.h"
#include "taxel/shape/primitive_tets.h"
#include "taxel/shape/sample_area.h"
#include "taxel/shape/sample_surface.h"
#include "taxel/shape/signed_distance.h"

namespace taxel {
using namespace internal;
namespace {

// Poisson-disk samples of radius r are about 0.7 area / r^2: this radius makes them area / spacing^2.
const double kRadiusOfSpacing = std::sqrt(0.7);
// Facets that stand for a round shape while it is sampled, per its longest side.
constexpr double kFacets = 64;

SkinPoints BoxSkin(const Vec3& size, double spacing) {
  SkinPoints skin;
  for (int face = 0; face < 6; ++face) {
    const int axis = face / 2, sign = face % 2 == 0 ? -1 : 1;
    const int u = axis == 0 ? 1 : 0, v = axis == 2 ? 1 : 2;
    const int nu = std::max(1, static_cast<int>(std::round(size[u] / spacing)));
    const int nv = std::max(1, static_cast<int>(std::round(size[v] / spacing)));
    Vec3 p, n;
    p[axis] = 0.5 * sign * size[axis];
    n[axis] = sign;
    for (int i = 0; i < nu; ++i)
      for (int j = 0; j < nv; ++j) {
        p[u] = ((i + 0.5) / nu - 0.5) * size[u];
        p[v] = ((j + 0.5) / nv - 0.5) * size[v];
        skin.points.push_back(p);
        skin.normals.push_back(n);
        skin.areas.push_back(size[u] / nu * (size[v] / nv));
        skin.faces.push_back(face);
      }
  }
  return skin;
}

// From a facet to the true surface that the facet stands for.
void MoveOntoSurface(const Primitive& shape, Vec3* p, Vec3* n) {
  if (const auto* s = std::get_if<Cylinder>(&shape)) {  // beside a rim the nearest face may be the other one
    if (std::fabs(n->z) > 0.5) {
      *n = {0, 0, n->z > 0 ? 1.0 : -1.0};
      p->z = 0.5 * s->length * n->z;
    } else {
      *n = normalized({p->x, p->y, 0});
      *p = {s->radius * n->x, s->radius * n->y, p->z};
    }
    return;
  }
  *n = SignedDistanceGradient(shape, *p);
  *p -= SignedDistance(shape, *p) * *n;
}

}  // namespace

SkinPoints SampleSkin(const SolidShape& solid, double spacing, std::uint64_t seed) {
  const std::string who = "skin of '" + solid.name() + "': spacing is " + ToText(spacing);
  if (!std::isfinite(spacing) || spacing <= 0)
    throw Error(who + "; it must be finite and greater than 0 (metres)");
  const Vec3 size = solid.box().size();
  const double longest = std::max({size.x, size.y, size.z});
  if (spacing > longest)
    throw Error(who + " m, larger than the shape (" + ToText(longest) + " m); use at most a quarter of that");
  const Primitive* primitive = solid.primitive();
  const double area = primitive ? SurfaceArea(*primitive) : SurfaceArea(solid.mesh()->mesh());
  if (area / (spacing * spacing) > kMaxSurfaceSamples)
    throw Error(who + " m, which gives more than " + ToText(kMaxSurfaceSamples) + " points; use at least " +
                ToText(std::sqrt(area / kMaxSurfaceSamples)) +
                " m (and check the unit of the shape: metres)");
  if (primitive && std::holds_alternative<Box>(*primitive))
    return BoxSkin(std::get<Box>(*primitive).size, spacing);

  const TriangleMesh surface =
      primitive ? PrimitiveSurface(*primitive, longest / kFacets) : solid.mesh()->mesh();
  SkinPoints skin;
  for (const SurfaceSample& s : SampleSurface(surface, kRadiusOfSpacing * spacing, seed)) {
    skin.points.push_back(s.point);
    skin.normals.push_back(s.normal);
  }
  skin.areas = SampleAreas(surface, skin.points, skin.normals);
  skin.faces.assign(skin.points.size(), -1);
  if (!primitive) return skin;
  const double scale = area / std::accumulate(skin.areas.begin(), skin.areas.end(), 0.0);
  for (double& a : skin.areas) a *= scale;
  for (std::size_t i = 0; i < skin.points.size(); ++i)
    MoveOntoSurface(*primitive, &skin.points[i], &skin.normals[i]);
  return skin;
}

std::vector<int> PointsFacing(const SkinPoints& skin, const Vec3& direction, double angle) {
  constexpr double kPi = 3.14159265358979323846;
  if (!is_finite(direction) || direction == Vec3{})
    throw Error("points facing a direction: it is (" + ToText(direction.x) + ", " + ToText(direction.y) +
                ", " + ToText(direction.z) + "); it must be finite and not zero");
  if (!(angle >= 0 && angle <= kPi))
    throw Error("points facing a direction: angle is " + ToText(angle) + "; give radians from 0 to pi");
  const Vec3 d = normalized(direction);
  // By the angle, not its cosine: near 0 the cosine is flat, and a face turned by rounding would be lost.
  std::vector<int> out;
  for (std::size_t i = 0; i < skin.normals.size(); ++i) {
    const Vec3& n = skin.normals[i];
    if (std::atan2(norm(cross(n, d)), dot(n, d)) <= angle + 1e-9) out.push_back(static_cast<int>(i));
  }
  return out;
}

}  // namespace taxel
