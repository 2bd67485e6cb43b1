#include "taxel/marker/layer_object.h"

#include <variant>

#include "taxel/math/error.h"

namespace taxel::internal {
namespace {

struct Convert {
  LayerObject* out;
  void Set(LayerObjectKind kind, const Vec3& sizes) const { out->kind = kind, out->sizes = sizes; }
  void operator()(const Sphere& s) const { Set(LayerObjectKind::kSphere, {s.radius, 0, 0}); }
  void operator()(const Box& b) const { Set(LayerObjectKind::kBox, b.size); }
  void operator()(const Cylinder& c) const { Set(LayerObjectKind::kCylinder, {c.radius, c.length, 0}); }
  void operator()(const Capsule& c) const { Set(LayerObjectKind::kCapsule, {c.radius, c.length, 0}); }
  void operator()(const Ellipsoid& e) const { Set(LayerObjectKind::kEllipsoid, e.semi_axes); }
  void operator()(const HalfSpace&) const { Set(LayerObjectKind::kHalfSpace, {}); }
};

}  // namespace

LayerObject ToLayerObject(const MarkerDistance& distance, const std::string& name) {
  LayerObject out;
  out.box = distance.inside_box();
  out.endless = !is_finite(out.box.lo) || !is_finite(out.box.hi);
  if (distance.kind() == MarkerDistance::Kind::kTrilinear) {
    out.kind = LayerObjectKind::kTrilinear;
    out.lattice = *distance.lattice();
    return out;
  }
  if (distance.kind() == MarkerDistance::Kind::kNearestVoxel)
    throw Error(name +
                " is a nearest-voxel distance, which has steps; mode 'layer' needs the shape itself or a "
                "trilinear distance");
  if (!distance.primitive())
    throw Error(name +
                " is a mesh, whose rays no kernel of mode 'layer' casts; give "
                "MarkerDistance(mesh, 'trilinear', spacing=...), or device 'cpu'");
  std::visit(Convert{&out}, *distance.primitive());
  return out;
}

}  // namespace taxel::internal
