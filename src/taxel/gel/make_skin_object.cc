#include "taxel/gel/make_skin_object.h"

#include <cmath>
#include <limits>

#include "taxel/shape/to_kernel_shape.h"

namespace taxel::internal {

SkinObject ToSkinObject(const MarkerDistance& distance, const std::string& what, double cell) {
  SkinObject s;
  s.shape = ToKernelShape(distance, what);
  s.unit = 1 / cell;
  const Box3& box = distance.inside_box();
  s.center = box.center();
  s.radius = 0.5 * norm(box.size());
  if (!std::isfinite(s.radius)) s.center = {}, s.radius = std::numeric_limits<double>::infinity();
  return s;
}

SkinObject FloorObject(double cell) {
  SkinObject floor = ToSkinObject(MarkerDistance(Primitive{HalfSpace{}}), "gel, the plane of the back", cell);
  floor.floor = true;
  floor.friction = -1;
  return floor;
}

}  // namespace taxel::internal
