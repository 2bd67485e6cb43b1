#include "taxel/shape/to_kernel_shape.h"

#include <variant>

#include "taxel/math/error.h"

namespace taxel::internal {
namespace {

// All but the lattice.
template <typename T>
KernelShape<T> Convert(const MarkerDistance& d, const std::string& what) {
  const auto f = [](double v) { return static_cast<T>(v); };
  if (d.lattice())
    return {d.kind() == MarkerDistance::Kind::kTrilinear ? KernelShapeKind::kTrilinear
                                                         : KernelShapeKind::kNearest,
            0,
            0,
            0,
            {}};
  if (const Primitive* p = d.primitive()) {
    if (const auto* s = std::get_if<Box>(p))
      return {KernelShapeKind::kBox, f(0.5 * s->size.x), f(0.5 * s->size.y), f(0.5 * s->size.z), {}};
    if (const auto* s = std::get_if<Sphere>(p)) return {KernelShapeKind::kSphere, f(s->radius), 0, 0, {}};
    if (const auto* s = std::get_if<Cylinder>(p))
      return {KernelShapeKind::kCylinder, f(s->radius), f(0.5 * s->length), 0, {}};
    if (const auto* s = std::get_if<Capsule>(p))
      return {KernelShapeKind::kCapsule, f(s->radius), f(0.5 * s->length), 0, {}};
    if (std::holds_alternative<HalfSpace>(*p)) return {KernelShapeKind::kHalfSpace, 0, 0, 0, {}};
  }
  throw Error(what +
              " has an exact distance (a mesh or an ellipsoid), which no kernel knows; give "
              "MarkerDistance(shape, 'trilinear', spacing=...)");
}

}  // namespace

FloatLattice::FloatLattice(const DistanceLattice<double>& g) {
  const std::size_t n =
      static_cast<std::size_t>(g.nx) * static_cast<std::size_t>(g.ny) * static_cast<std::size_t>(g.nz);
  values_.assign(g.values, g.values + n);
  lattice_ = {values_.data(),
              g.nx,
              g.ny,
              g.nz,
              static_cast<float>(g.ox),
              static_cast<float>(g.oy),
              static_cast<float>(g.oz),
              static_cast<float>(g.spacing)};
}

KernelShape<float> ToKernelShape(const MarkerDistance& d, const std::string& what, FloatLattices* keep) {
  KernelShape<float> out = Convert<float>(d, what);
  if (d.lattice()) {
    keep->push_back(std::make_unique<FloatLattice>(*d.lattice()));
    out.lattice = keep->back()->lattice();
  }
  return out;
}

KernelShape<double> ToKernelShape(const MarkerDistance& d, const std::string& what) {
  KernelShape<double> out = Convert<double>(d, what);
  if (d.lattice()) out.lattice = *d.lattice();
  return out;
}

std::vector<float> FlattenToFloat(const std::vector<Vec3>& points) {
  std::vector<float> out;
  for (const Vec3& p : points)
    for (int k = 0; k < 3; ++k) out.push_back(static_cast<float>(p[k]));
  return out;
}

}  // namespace taxel::internal
