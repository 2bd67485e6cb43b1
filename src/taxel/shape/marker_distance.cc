#include "taxel/shape/marker_distance.h"

#include <cmath>
#include <optional>
#include <utility>

#include "taxel/math/error.h"
#include "taxel/math/interrupt.h"
#include "taxel/shape/distance_grid.h"
#include "taxel/shape/mesh_distance.h"
#include "taxel/shape/signed_distance.h"
#include "taxel/shape/watertight.h"

namespace taxel {
using namespace internal;

struct MarkerDistance::Shape {
  Primitive primitive;
  std::optional<MeshDistance> mesh;
};

namespace {

TriangleMesh Closed(TriangleMesh mesh, const std::string& name) {
  const WatertightReport report = CheckWatertight(mesh);
  if (!report.ok())
    throw Error(
        report.Describe(name) +
        " A marker field asks on which side of the surface a point lies, so the surface must be closed.");
  if (!(EnclosedVolume(mesh) > 0))
    throw Error(name + ": the triangles face inwards (enclosed volume " + ToText(EnclosedVolume(mesh)) +
                " m^3); reverse the order of their corners");
  return mesh;
}

// Lowest node, and the number of nodes, of a lattice through `origin` that covers a box.
void Cover(const Box3& box, const Vec3& origin, double spacing, Vec3* low, int n[3]) {
  double nodes = 1;
  for (int k = 0; k < 3; ++k) {
    const double first = std::floor((box.lo[k] - origin[k]) / spacing + 1e-9),
                 last = std::ceil((box.hi[k] - origin[k]) / spacing - 1e-9);
    nodes *= last - first + 1;
    if (!(nodes <= static_cast<double>(DistanceGrid::kMaxNodes)))
      throw Error("voxel grid: spacing " + ToText(spacing) + " m over a box of " + ToText(box.size().x) +
                  " x " + ToText(box.size().y) + " x " + ToText(box.size().z) + " m needs more than " +
                  std::to_string(DistanceGrid::kMaxNodes) + " voxels; use a wider spacing or less padding");
    (*low)[k] = origin[k] + spacing * first;
    n[k] = static_cast<int>(last - first) + 1;
  }
}

void CheckSpacing(double spacing, double margin, const Box3& box, const char* what, const char* margin_name) {
  const std::string grid = what;
  if (!std::isfinite(spacing) || spacing <= 0)
    throw Error(grid + ": spacing is " + ToText(spacing) + "; give a length in m above 0");
  if (!std::isfinite(margin) || margin < 0)
    throw Error(grid + ": " + margin_name + " is " + ToText(margin) + "; give a length in m, 0 or more");
  if (!is_finite(box.lo) || !is_finite(box.hi))
    throw Error(grid + ": a half space has no finite box to sample; use the exact distance");
}

}  // namespace

MarkerDistance::MarkerDistance(const Primitive& shape) {
  CheckPrimitive(shape);
  shape_ = std::make_shared<Shape>(Shape{shape, {}});
  exact_box_ = inside_box_ = BoundingBox(shape);
}

MarkerDistance::MarkerDistance(TriangleMesh mesh, const std::string& name) {
  CheckIndices(mesh, name.c_str());
  exact_box_ = inside_box_ = BoundingBox(mesh);
  shape_ = std::make_shared<Shape>(Shape{{}, MeshDistance(Closed(std::move(mesh), name))});
}

MarkerDistance MarkerDistance::Trilinear(double spacing, double margin) const {
  CheckSpacing(spacing, margin, exact_box_, "trilinear grid", "margin");
  const Vec3 reach{margin, margin, margin};
  const DistanceGrid grid([this](const Vec3& p) { return Exact(p); },
                          Box3{exact_box_.lo - reach, exact_box_.hi + reach}, spacing);
  MarkerDistance out = *this;
  out.kind_ = Kind::kTrilinear;
  out.values_ = std::make_shared<std::vector<double>>(grid.values());
  const Box3 box = grid.box();
  const auto& n = grid.shape();
  out.lattice_ = {out.values_->data(), n[0], n[1], n[2], box.lo.x, box.lo.y, box.lo.z, spacing};
  // A cell with a value below 0 has a node inside the shape.
  const Vec3 cell{spacing, spacing, spacing};
  out.inside_box_ = {exact_box_.lo - cell, exact_box_.hi + cell};
  return out;
}

MarkerDistance MarkerDistance::NearestVoxel(double spacing, double padding, const Vec3* origin) const {
  CheckSpacing(spacing, padding, exact_box_, "voxel grid", "padding");
  if (origin && !is_finite(*origin)) throw Error("voxel grid: origin is not finite; give a point in m");
  const Vec3 reach{padding, padding, padding};
  const Box3 box{exact_box_.lo - reach, exact_box_.hi + reach};
  Vec3 low;
  int n[3];
  Cover(box, origin ? *origin : box.lo, spacing, &low, n);
  auto values = std::make_shared<std::vector<double>>();
  values->reserve(static_cast<std::size_t>(n[0]) * n[1] * n[2]);
  for (int k = 0; k < n[2]; ++k)
    for (int j = 0; j < n[1]; ++j) {
      CheckInterrupt();
      for (int i = 0; i < n[0]; ++i)
        values->push_back(Exact(low + spacing * Vec3{1.0 * i, 1.0 * j, 1.0 * k}));
    }
  MarkerDistance out = *this;
  out.kind_ = Kind::kNearestVoxel;
  out.lattice_ = {values->data(), n[0], n[1], n[2], low.x, low.y, low.z, spacing};
  out.values_ = std::move(values);
  const double half = 0.5 * spacing * (1 + 1e-9);
  out.inside_box_ = {exact_box_.lo - Vec3{half, half, half}, exact_box_.hi + Vec3{half, half, half}};
  return out;
}

double MarkerDistance::Exact(const Vec3& p) const {
  return shape_->mesh ? shape_->mesh->SignedDistance(p) : SignedDistance(shape_->primitive, p);
}

const MeshDistance* MarkerDistance::mesh() const { return shape_->mesh ? &*shape_->mesh : nullptr; }
const Primitive* MarkerDistance::primitive() const { return shape_->mesh ? nullptr : &shape_->primitive; }

double MarkerDistance::Value(const Vec3& p) const {
  if (kind_ == Kind::kTrilinear && is_finite(p)) return TrilinearDistance(lattice_, p.x, p.y, p.z);
  double d;
  if (kind_ == Kind::kNearestVoxel && NearestDistance(lattice_, p.x, p.y, p.z, &d)) return d;
  return Exact(p);
}

Vec3 MarkerDistance::Gradient(const Vec3& p) const {
  if (!shape_->mesh) return SignedDistanceGradient(shape_->primitive, p);
  const MeshDistance::Closest near = shape_->mesh->ClosestPoint(p);
  const TriangleMesh& mesh = shape_->mesh->mesh();
  if (!(near.distance > 0)) return normalized(AreaNormal2(mesh, near.triangle));
  const double sign = shape_->mesh->Inside(p) ? -1 : 1;
  return (sign / near.distance) * (p - near.point);
}

}  // namespace taxel
