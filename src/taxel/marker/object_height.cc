#include "taxel/marker/object_height.h"

#include "taxel/marker/line_span.h"
#include "taxel/math/error.h"
#include "taxel/shape/mesh_distance.h"
#include "taxel/shape/ray.h"

namespace taxel {
using namespace internal;

ObjectHeight::ObjectHeight(const MarkerDistance& distance, const std::string& name) : distance_(distance) {
  if (distance.kind() == MarkerDistance::Kind::kNearestVoxel)
    throw Error(name +
                " is a nearest-voxel distance, which has steps; mode 'layer' needs the shape itself or a "
                "trilinear distance");
}

double ObjectHeight::Along(const Vec3& origin, const Vec3& direction, double low) const {
  if (distance_.kind() == MarkerDistance::Kind::kTrilinear) return March(origin, direction, low);
  if (!distance_.primitive()) return CastMesh(origin, direction, low);
  return FirstInside(std::visit(MeetLine{origin, direction}, *distance_.primitive()), low);
}

Vec3 ObjectHeight::Normal(const Vec3& place) const {
  if (distance_.kind() != MarkerDistance::Kind::kTrilinear) {
    if (distance_.primitive()) return distance_.Gradient(place);
    // The place lies on a triangle to rounding, so its way to the nearest point has no direction.
    const MeshDistance& mesh = *distance_.mesh();
    return normalized(AreaNormal2(mesh.mesh(), mesh.ClosestPoint(place).triangle));
  }
  // Of the interpolated distance, which Along has met: linear along each axis within a cell.
  constexpr double kStep = 1e-7;
  Vec3 out;
  for (int k = 0; k < 3; ++k) {
    Vec3 up = place, down = place;
    up[k] += kStep;
    down[k] -= kStep;
    out[k] = distance_.Value(up) - distance_.Value(down);
  }
  return normalized(out);
}

double ObjectHeight::CastMesh(const Vec3& origin, const Vec3& direction, double low) const {
  const MeshDistance& mesh = *distance_.mesh();
  const std::optional<RayHit> hit =
      CastRay(mesh.mesh(), mesh.bvh(), {origin + low * direction, direction, 0, kNoSpan});
  if (!hit) return kNoSpan;
  const auto& corners = mesh.mesh().triangles[static_cast<std::size_t>(hit->triangle)];
  const auto at = [&](int k) { return mesh.mesh().vertices[static_cast<std::size_t>(corners[k])]; };
  // Out through its back: the line was inside from the start, or it grazes an edge.
  if (dot(cross(at(1) - at(0), at(2) - at(0)), direction) > 0 &&
      distance_.Value(origin + low * direction) < 0)
    return low;
  return low + hit->t;
}

double ObjectHeight::March(const Vec3& origin, const Vec3& direction, double low) const {
  return MarchLine(origin, direction, low, MarchEnd(distance_.inside_box(), origin),
                   [&](const Vec3& p) { return distance_.Value(p); });
}

}  // namespace taxel
