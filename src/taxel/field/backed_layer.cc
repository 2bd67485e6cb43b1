#include "taxel/field/backed_layer.h"

#include <string>

#include "taxel/math/error.h"
#include "taxel/math/interrupt.h"
#include "taxel/shape/mesh_distance.h"

namespace taxel::internal {
namespace {

void CheckNumbers(const std::vector<int>& numbers, int count, const char* what, const char* name) {
  for (int t : numbers)
    if (t < 0 || t >= count)
      throw Error(std::string("backed layer '") + name + "': " + what + " names triangle " +
                  std::to_string(t) + ", but the surface has triangles 0 to " + std::to_string(count - 1));
}

TriangleMesh Part(const TriangleMesh& surface, const std::vector<int>& numbers) {
  TriangleMesh out;
  out.vertices = surface.vertices;
  for (int t : numbers) out.triangles.push_back(surface.triangles[t]);
  return out;
}

}  // namespace

LayerFaces FindLayerFaces(const TriangleMesh& surface, const FieldOptions& options, const char* name) {
  const int count = static_cast<int>(surface.triangles.size());
  CheckNumbers(options.back_triangles, count, "back_triangles", name);
  CheckNumbers(options.skin_triangles, count, "skin_triangles", name);
  const Vec3 exposed = normalized(options.exposed);
  constexpr double kSkinCosine = 0.5, kBackCosine = 0.7071067811865476;
  LayerFaces faces{options.skin_triangles, options.back_triangles};
  std::vector<char> is_back(count, 0);
  for (int t : options.back_triangles) is_back[t] = 1;
  for (int t : options.skin_triangles)
    if (is_back[t])
      throw Error(std::string("backed layer '") + name + "': triangle " + std::to_string(t) +
                  " is both skin and back; it can be one of them");
  for (int t = 0; t < count; ++t) {
    const double c = dot(normalized(AreaNormal2(surface, t)), exposed);
    if (options.skin_triangles.empty() && c >= kSkinCosine && !is_back[t]) faces.skin.push_back(t);
    if (options.back_triangles.empty() && c <= -kBackCosine) faces.back.push_back(t);
  }
  const std::string direction = "(" + ToText(options.exposed.x) + ", " + ToText(options.exposed.y) + ", " +
                                ToText(options.exposed.z) + ")";
  if (faces.skin.empty())
    throw Error(std::string("backed layer '") + name + "': no face looks along exposed = " + direction +
                " (within 60 degrees); turn `exposed` or give skin_triangles");
  if (faces.back.empty())
    throw Error(std::string("backed layer '") + name + "': no face looks against exposed = " + direction +
                " (within 45 degrees), so nothing is glued; turn `exposed` or give back_triangles");
  return faces;
}

std::vector<double> LayerDepth(const TriangleMesh& surface, const LayerFaces& faces, double thickness,
                               const std::vector<Vec3>& points) {
  const MeshDistance skin(Part(surface, faces.skin)), back(Part(surface, faces.back));
  std::vector<double> u;
  u.reserve(points.size());
  for (const Vec3& p : points) {
    CheckInterrupt();
    const double to_skin = skin.ClosestPoint(p).distance;
    const double full = thickness > 0 ? thickness : to_skin + back.ClosestPoint(p).distance;
    u.push_back(full > 0 ? to_skin / full : 0);
  }
  return u;
}

}  // namespace taxel::internal
