#include "taxel/gel/solid_shape.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "taxel/gel/column_scan.h"
#include "taxel/math/error.h"
#include "taxel/shape/signed_distance.h"
#include "taxel/shape/watertight.h"

namespace taxel {
using namespace internal;
namespace {

constexpr double kPi = 3.14159265358979323846;

// A unit vector n on the sphere goes to E n, and a piece of the sphere of solid angle w to the area
// |cofactor(E) n| w. Midpoints in n_z and in the angle about z.
double EllipsoidArea(const Vec3& e) {
  constexpr int kRings = 400, kTurns = 400;
  double sum = 0;
  for (int i = 0; i < kRings; ++i) {
    const double nz = -1 + (i + 0.5) * 2 / kRings, r = std::sqrt(1 - nz * nz);
    for (int j = 0; j < kTurns; ++j) {
      const double phi = (j + 0.5) * 2 * kPi / kTurns;
      sum += norm({e.y * e.z * r * std::cos(phi), e.z * e.x * r * std::sin(phi), e.x * e.y * nz});
    }
  }
  return sum * 4 * kPi / (kRings * kTurns);
}

// Where the winding number of a closed mesh is neither 0 nor 1.
struct Overlap {
  double excess = 0;    // m3 that EnclosedVolume counts beyond once
  double negative = 0;  // m3 with a winding number below zero
  Vec3 example;         // of these
};

Overlap FindOverlap(const TriangleMesh& mesh, const Box3& box) {
  constexpr int kColumns = 256;
  const Vec3 size = box.size();
  const double step = std::max(size.x, size.y) / kColumns;
  ColumnLattice lattice{box.lo.x + 0.5 * step, box.lo.y + 0.5 * step, step, 1, 1};
  lattice.nx = std::max(1, static_cast<int>(std::round(size.x / step)));
  lattice.ny = std::max(1, static_cast<int>(std::round(size.y / step)));
  const ColumnScan scan(mesh, lattice);
  Overlap out;
  for (int i = 0; i < lattice.nx; ++i)
    for (int j = 0; j < lattice.ny; ++j) {
      const auto column = scan.column(i, j);
      int winding = 0;
      for (std::size_t c = 0; c + 1 < column.size(); ++c) {
        winding += column[c].turn;
        const double part = (column[c + 1].z - column[c].z) * step * step;
        out.excess += (winding - (winding > 0 ? 1 : 0)) * part;
        if (winding >= 0) continue;
        if (out.negative == 0)
          out.example = {lattice.x(i), lattice.y(j), 0.5 * (column[c].z + column[c + 1].z)};
        out.negative += part;
      }
    }
  return out;
}

// Folds of a surface leave thin parts with a negative winding number; a piece turned inside out is more.
constexpr double kMostNegativePart = 0.01;

}  // namespace

double Volume(const Primitive& shape) {
  if (const auto* s = std::get_if<Sphere>(&shape)) return 4.0 / 3 * kPi * s->radius * s->radius * s->radius;
  if (const auto* s = std::get_if<Box>(&shape)) return s->size.x * s->size.y * s->size.z;
  if (const auto* s = std::get_if<Cylinder>(&shape)) return kPi * s->radius * s->radius * s->length;
  if (const auto* s = std::get_if<Capsule>(&shape))
    return kPi * s->radius * s->radius * (s->length + 4.0 / 3 * s->radius);
  if (const auto* s = std::get_if<Ellipsoid>(&shape))
    return 4.0 / 3 * kPi * s->semi_axes.x * s->semi_axes.y * s->semi_axes.z;
  return Box3::kInf;
}

double SurfaceArea(const Primitive& shape) {
  if (const auto* s = std::get_if<Sphere>(&shape)) return 4 * kPi * s->radius * s->radius;
  if (const auto* s = std::get_if<Box>(&shape))
    return 2 * (s->size.x * s->size.y + s->size.y * s->size.z + s->size.z * s->size.x);
  if (const auto* s = std::get_if<Cylinder>(&shape)) return 2 * kPi * s->radius * (s->radius + s->length);
  if (const auto* s = std::get_if<Capsule>(&shape)) return 2 * kPi * s->radius * (2 * s->radius + s->length);
  if (const auto* s = std::get_if<Ellipsoid>(&shape)) return EllipsoidArea(s->semi_axes);
  return Box3::kInf;
}

SolidShape::SolidShape(const Primitive& shape, double largest)
    : name_(PrimitiveName(shape)), primitive_(shape), box_(BoundingBox(shape)), volume_(Volume(shape)) {
  if (std::holds_alternative<HalfSpace>(shape))
    throw Error("solid to fill: a half space has no end; give a box of the size that is needed");
  CheckPrimitive(shape, largest);
}

SolidShape::SolidShape(const TriangleMesh& mesh, const std::string& name) : name_(name) {
  CheckIndices(mesh, name.c_str());
  TriangleMesh merged = MergeVertices(mesh);
  // Parts may touch along an edge: there is a winding number all the same.
  if (const WatertightReport report = CheckWatertight(merged); !report.closed())
    throw Error("solid to fill: the mesh must be closed. " + report.Describe(name) +
                " Voxel carving fills open meshes too.");
  box_ = BoundingBox(merged);
  volume_ = EnclosedVolume(merged);
  // A closed mesh without volume leaves a rounding error of either sign.
  const Vec3 size = box_.size();
  if (volume_ < -1e-12 * norm(size) * norm2(size))
    throw Error("solid to fill: the triangles of '" + name + "' face inwards (volume " + ToText(volume_) +
                " m3); reverse the order of their corners");
  if (volume_ <= 1e-12 * norm(size) * norm2(size))
    throw Error("solid to fill: '" + name + "' encloses no volume (" + ToText(volume_) +
                " m3 in a box of diagonal " + ToText(norm(size)) + " m); it is flat, or its pieces cancel");
  const Overlap overlap = FindOverlap(merged, box_);
  if (overlap.negative > kMostNegativePart * volume_)
    throw Error("solid to fill: a piece of '" + name + "' faces inwards and lies in no other (at " +
                ToText(overlap.example.x) + ", " + ToText(overlap.example.y) + ", " +
                ToText(overlap.example.z) + " m, about " + ToText(overlap.negative) +
                " m3); reverse the order of its triangles' corners");
  volume_ -= overlap.excess;
  mesh_ = std::make_shared<const MeshDistance>(std::move(merged));
}

bool SolidShape::Inside(const Vec3& p_G) const {
  if (mesh_) return mesh_->Inside(p_G);
  if (const auto* s = std::get_if<Ellipsoid>(&primitive_)) return norm2(cwise_div(p_G, s->semi_axes)) < 1;
  return SignedDistance(primitive_, p_G) < 0;
}

}  // namespace taxel
