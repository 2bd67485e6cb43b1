#include "taxel/marker/marker_indenter.h"

#include <variant>

#include "taxel/math/error.h"
#include "taxel/shape/sample_surface.h"

namespace taxel {

MarkerIndenter SampleIndenter(const Body& body, double radius, std::uint64_t seed) {
  const Primitive* primitive = body.primitive();
  if (!primitive) return SampleIndenter(body.Surface(), radius, seed);
  if (std::holds_alternative<HalfSpace>(*primitive))
    throw Error("indenter '" + body.name() +
                "' is a half space, whose surface has no end; give a box, or points of your own");
  MarkerIndenter out{MarkerDistance(*primitive), {}, {}};
  const bool flat = std::holds_alternative<Box>(*primitive);
  for (const SurfaceSample& s : SampleSurface(body.Surface(), radius, seed)) {
    const Vec3 normal = flat ? s.normal : out.distance.Gradient(s.point);
    out.points_I.push_back(flat ? s.point : s.point - out.distance.Value(s.point) * normal);
    out.normals_I.push_back(normal);
  }
  return out;
}

MarkerIndenter SampleIndenter(const TriangleMesh& mesh, double radius, std::uint64_t seed) {
  MarkerIndenter out{MarkerDistance(mesh, "indenter"), {}, {}};
  for (const SurfaceSample& s : SampleSurface(mesh, radius, seed)) {
    out.points_I.push_back(s.point);
    out.normals_I.push_back(s.normal);
  }
  return out;
}

}  // namespace taxel
