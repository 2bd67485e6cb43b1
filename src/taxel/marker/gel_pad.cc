#include "taxel/marker/gel_pad.h"

#include <limits>

#include "taxel/math/error.h"

namespace taxel {

GelPad::GelPad(const MarkerDistance& distance, double spacing) : kept_(distance) {
  if (distance.kind() == MarkerDistance::Kind::kNearestVoxel)
    throw Error(
        "marker field: the pad is a nearest-voxel distance, which has steps and no gradient; mode 'taxel' "
        "needs the shape itself or a trilinear distance");
  const Primitive* primitive = distance.primitive();
  if (primitive && distance.kind() == MarkerDistance::Kind::kExact) {
    if (const Box* box = std::get_if<Box>(primitive)) {
      const Vec3 half = 0.5 * box->size;
      surface_ = {true, half.x, half.y, -half.z, half.z, {}};
      box_ = {-half, half};
      return;
    }
    if (std::holds_alternative<HalfSpace>(*primitive)) {
      constexpr double kEnd = std::numeric_limits<double>::max();
      surface_ = {true, kEnd, kEnd, -kEnd, 0, {}};
      box_ = {{-kEnd, -kEnd, -kEnd}, {kEnd, kEnd, 0}};
      return;
    }
  }
  if (distance.kind() == MarkerDistance::Kind::kExact) kept_ = distance.Trilinear(spacing, 1e-3);
  surface_.flat = false;
  surface_.lattice = *kept_.lattice();
  box_ = kept_.inside_box();
}

Vec3 GelPad::Normal(const Vec3& p) const {
  Triple<double> g;
  HeightAbove(surface_, Triple<double>{p.x, p.y, p.z}, &g);
  return {g.x, g.y, g.z};
}

}  // namespace taxel
