#include "taxel/contact/body.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "taxel/contact/body_data.h"
#include "taxel/contact/prepare.h"
#include "taxel/field/fit_depth.h"
#include "taxel/field/layer_modulus.h"
#include "taxel/math/error.h"
#include "taxel/shape/mend_surface.h"
#include "taxel/shape/mesh_cache.h"
#include "taxel/shape/primitive_tets.h"
#include "taxel/shape/signed_distance.h"
#include "taxel/shape/tet_mesher.h"
#include "taxel/shape/watertight.h"

namespace taxel {
using namespace internal;
namespace {

using Kind = BodyData::Kind;

constexpr double kLargestSoft = 10, kLargestRigid = 1000;  // metres
constexpr double kThinnest = 1e-6;                         // of a layer, metres; as in MJCF

void CheckNumber(const std::string& who, const char* what, double value, const char* unit) {
  if (!std::isfinite(value) || value < 0)
    throw Error(who + what + " is " + ToText(value) + "; it must be finite and 0 or more" + unit);
}

void CheckOptions(const BodyOptions& o) {
  const std::string who = "body '" + o.name + "': ";
  if (!std::isfinite(o.modulus) || o.modulus < 0)
    throw Error(who + "modulus is " + ToText(o.modulus) +
                " Pa; give a positive pressure for a soft body (a foam: 3e4, silicone: 1e5 to 1e6), or 0 for "
                "a rigid one");
  CheckNumber(who, "resolution", o.resolution, " (metres; 0 is automatic)");
  CheckNumber(who, "dissipation", o.dissipation, " (s/m)");
  CheckNumber(who, "static_friction", o.static_friction, "");
  CheckNumber(who, "dynamic_friction", o.dynamic_friction, "");
  if (o.dynamic_friction > o.static_friction)
    throw Error(who + "dynamic_friction " + ToText(o.dynamic_friction) + " is greater than static_friction " +
                ToText(o.static_friction) + "; sliding cannot hold better than sticking");
  CheckNumber(who, "thickness", o.field.thickness, " (metres)");
  if (o.field.thickness > 0 && o.field.thickness < kThinnest)
    throw Error(who + "thickness is " + ToText(o.field.thickness) + " m; a layer is at least " +
                ToText(kThinnest) + " m thick (0: from the shape, where it has one)");
  double u = 0, p = 0;
  const std::vector<double>& law = o.field.law;
  for (std::size_t i = 0; i < law.size(); i += 2) {
    const bool pair = i + 1 < law.size();
    if (!pair || law.size() > 2 * kMostPairs || !(law[i] > u && law[i] <= 1) ||
        !(law[i + 1] > p && std::isfinite(law[i + 1])))
      throw Error(
          who + "law has " + std::to_string(law.size()) + " numbers, " +
          (pair
               ? "and its pair " + std::to_string(i / 2) + " is " + ToText(law[i]) + ", " + ToText(law[i + 1])
               : "and its last has no partner") +
          "; give pairs of compression and pressure (in moduli) that both rise from 0, the compression to 1 "
          "at most, at most " +
          std::to_string(kMostPairs) + " pairs");
    u = law[i], p = law[i + 1];
  }
  const double poisson = o.field.poisson;
  if (poisson != -1 && !(poisson >= 0 && poisson <= 0.4999))
    throw Error(
        who + "layer_poisson is " + ToText(poisson) +
        "; give Poisson's ratio of the layer, 0 (foam) to 0.4999 (nearly incompressible), or leave it "
        "out for one stiffness");
  const double start = o.field.stiffening_start, core = o.field.core_fraction;
  if (!(start > 0 && start < 1))
    throw Error(who + "stiffening_start is " + ToText(start) +
                "; it is a compression between 0 and 1 (0.8 is usual)");
  if (!(core > 0 && core < 1))
    throw Error(who + "core_fraction is " + ToText(core) +
                "; it is a part of the greatest depth, between 0 and 1");
  if (!(norm(o.field.exposed) > 0) || !is_finite(o.field.exposed))
    throw Error(
        who +
        "`exposed` has no direction; give the outward normal of the exposed face, for example (0, 0, 1)");
}

// Columns that are laid by a cell: on a flat skin, one rectangle that is there.
void CheckColumnCell(const BodyOptions& o, bool flat) {
  const ColumnCell& c = o.field.column_cell;
  if (!c.given() && !(norm2(c.across_v) > 0)) return;
  const std::string who = "body '" + o.name + "': column_cell ";
  if (o.field.kind != FieldKind::kColumns || o.modulus == 0)
    throw Error(who + "is for a skin of columns; choose field 'columns', or leave it out");
  if (!flat)
    throw Error(who +
                "is for flat skins, a box or a mesh without a thickness; give a resolution (metres) instead");
  if (o.resolution > 0)
    throw Error(who + "and resolution " + ToText(o.resolution) + " m are both given; give one of them");
  for (const Vec3& v : {c.corner, c.across_u, c.across_v})
    if (!is_finite(v)) throw Error(who + "is not finite; give a corner and two sides in metres");
  const double u = norm(c.across_u), v = norm(c.across_v);
  if (!(u > 0 && v > 0) || std::fabs(dot(c.across_u, c.across_v)) > 1e-6 * u * v)
    throw Error(who + "has sides of " + ToText(u) + " and " + ToText(v) +
                " m that make no rectangle; give two sides at a right angle");
}

// Columns that end in the middle of what they stand on, all round.
void CheckBone(const BodyOptions& o, bool round) {
  if (o.field.bone == Bone::kThickness) return;
  const std::string who = "body '" + o.name + "': bone 'middle' ";
  if (o.field.kind != FieldKind::kColumns || o.modulus == 0)
    throw Error(who + "is for a skin of columns; choose field 'columns', or leave it out");
  if (!round)
    throw Error(who +
                "is for a mesh, sphere, capsule or ellipsoid, whose skin goes round it; give a thickness "
                "(metres) instead, or field 'distance'");
}

// An option that would do nothing is an error: the user expects it to.
void CheckUse(const BodyOptions& o, bool half_space) {
  const std::string who = "body '" + o.name + "': ";
  if (o.modulus == 0 && (o.field.kind != FieldKind::kDistance || (o.field.thickness > 0 && !half_space)))
    throw Error(who +
                (o.field.thickness > 0 ? "thickness " + ToText(o.field.thickness) + " m"
                                       : std::string("a pressure field")) +
                " has no effect on a rigid body; give it a modulus (Pa), or leave it out");
  if (!IsLayer(o.field.kind) && !o.field.law.empty())
    throw Error(
        who +
        "a law is for a layer, but the field is another one; choose field 'backed' or 'columns', or leave "
        "the law out");
  if (o.field.poisson >= 0 && (o.modulus == 0 || (!IsLayer(o.field.kind) && !half_space)))
    throw Error(who + "layer_poisson " + ToText(o.field.poisson) +
                " is for a soft layer on something stiff; choose field 'backed' or 'columns' and a modulus "
                "(Pa), or leave it out");
  if (!IsLayer(o.field.kind) && o.field.thickness > 0 && !half_space)
    throw Error(who +
                "thickness is for a backed layer or a half space, but the field is another one; choose field "
                "'backed' or 'columns', or leave the thickness out");
}

void CheckExtent(const std::string& name, const Box3& box, bool soft) {
  const Vec3 size = box.size();
  const double most = std::max({size.x, size.y, size.z}), limit = soft ? kLargestSoft : kLargestRigid;
  if (most > limit)
    throw Error("body '" + name + "': the mesh is " + ToText(most) + " m long, more than " + ToText(limit) +
                " m; taxel works in metres: if the file is in millimetres, scale it by 0.001");
  if (!(most > 0)) throw Error("body '" + name + "': the mesh has no extent: all its vertices are one point");
}

std::shared_ptr<BodyData> Start(const BodyOptions& options, const std::string& fallback_name, bool flat,
                                bool round, bool half_space = false) {
  auto data = std::make_shared<BodyData>();
  data->options = options;
  if (data->options.name.empty()) data->options.name = fallback_name;
  CheckOptions(data->options);
  CheckUse(data->options, half_space);
  CheckColumnCell(data->options, flat);
  CheckBone(data->options, round);
  data->soft = options.modulus > 0;
  if (data->soft && options.field.poisson >= 0) data->softest = SoftestModulus(options.field.poisson);
  return data;
}

// A body with fewer is meshed sooner than it is read.
constexpr std::size_t kWorthKeeping = 2000;

// Meshing takes seconds, and runs on the same meshes day after day.
MeshedInterior MeshedBody(const TriangleMesh& surface, const BodyOptions& options, const std::string& name) {
  MesherOptions mesher;
  mesher.spacing = options.resolution;
  const FieldKind kind = options.field.kind;
  const bool finer = kind == FieldKind::kLaplace && options.resolution == 0;
  const bool fitted = kind == FieldKind::kDistance;
  const MeshCache cache = MeshCache::FromEnvironment();
  const MeshKey key = cache.on() ? KeyOf(surface, mesher,
                                         finer    ? "finer"
                                         : fitted ? "fitted"
                                                  : "plain")
                                 : MeshKey{};
  if (std::optional<MeshedInterior> known = cache.Load(key)) return *std::move(known);
  MeshedInterior meshed = MeshInterior(surface, mesher, name.c_str());
  if (finer) {
    // Laplace's field bends under flat faces too, where the distance, for which the mesh was made, is linear.
    mesher.spacing = meshed.max_depth / 6;
    meshed = MeshInterior(surface, mesher, name.c_str());
  }
  if (fitted) FitDepth(meshed.mesh, MeshDistance(surface), &meshed.depth);
  if (meshed.mesh.tets.size() >= kWorthKeeping) cache.Store(key, meshed);
  return meshed;
}

}  // namespace

Body::Body(const Primitive& shape, const BodyOptions& options) {
  const bool round = std::holds_alternative<Sphere>(shape) || std::holds_alternative<Capsule>(shape) ||
                     std::holds_alternative<Ellipsoid>(shape);
  auto data = Start(options, PrimitiveName(shape), std::holds_alternative<Box>(shape), round,
                    std::holds_alternative<HalfSpace>(shape));
  try {
    CheckPrimitive(shape, data->soft ? kLargestSoft : kLargestRigid);
  } catch (const Error& e) {
    throw Error("body '" + data->options.name + "': " + e.what());
  }
  data->primitive = shape;
  data->box = BoundingBox(shape);
  const bool revolved = !std::holds_alternative<Box>(shape) && !std::holds_alternative<HalfSpace>(shape);
  data->kind = revolved ? Kind::kRevolved : Kind::kPolyhedral;
  if (!data->soft) {
    if (const auto* box = std::get_if<Box>(&shape)) data->facets = BoxFacets(*box);
  } else if (options.field.kind == FieldKind::kLaplace) {
    PrepareLaplacePrimitive(data.get());
  } else {
    PrepareAnalyticField(data.get());
  }
  PrepareMiddle(data.get());
  data->content = ContentHash(*data);
  data_ = std::move(data);
}

Body::Body(const TriangleMesh& given, const BodyOptions& options) {
  auto data = Start(options, "mesh", !UnderTriangles(options.field), true);
  const std::string& name = data->options.name;
  CheckIndices(given, name.c_str());
  CheckExtent(name, BoundingBox(given), data->soft);
  data->is_mesh = true;
  const std::string who = "body '" + name + "': ";
  SurfaceMend mend;
  const TriangleMesh mesh =
      data->soft ? WithoutDuplicates(given, &mend.duplicates) : MendSurface(given, &mend);
  if (mend.duplicates > 0)
    data->warnings.push_back(who + std::to_string(mend.duplicates) +
                             " triangles of the mesh are listed twice and count once; remove them from it");
  if (!data->soft) {
    data->kind = Kind::kTriangles;
    PrepareSurface(mesh, data.get());
    if (mend.parts > 0)
      data->warnings.push_back(who + std::to_string(mend.parts) + " closed part(s) of the mesh, " +
                               std::to_string(mend.turned) +
                               " triangles, faced inwards and were turned; reverse their order in it");
  } else {
    const TriangleMesh surface = MergeVertices(mesh);
    const WatertightReport report = CheckWatertight(surface);
    // Columns stand on the surface and need no more than an inside; tetrahedra follow every edge of it.
    const bool columns = options.field.kind == FieldKind::kColumns;
    if (columns ? !report.closed() : !report.ok())
      throw Error(who + "a soft mesh must be closed. " + report.Describe(name) +
                  (report.closed() ? " Field 'columns' takes it as it is." : ""));
    if (EnclosedVolume(surface) <= 0)
      throw Error("body '" + name + "': the triangles face inwards (volume " +
                  ToText(EnclosedVolume(surface)) + " m3); reverse their order");
    MeshedInterior meshed;
    if (columns) {
      PrepareMeshColumns(mesh, data.get());
    } else {
      meshed = MeshedBody(surface, options, name);
    }
    if (meshed.stopped)
      data->warnings.push_back(
          "body '" + name + "': its surface of " + std::to_string(surface.triangles.size()) +
          " triangles is so uneven that the pressure field was followed only as far as " +
          std::to_string(meshed.mesh.tets.size()) +
          " tetrahedra go; it is coarser than usual in its folds. Smooth the surface, give a "
          "resolution, or mesh it offline with 'taxel mesh IN.obj OUT.vtk'");
    // Layer triangles are numbered on the mesh as given, which is what the user sees.
    if (data->columns.empty())
      PrepareTets(std::move(meshed.mesh), mesh, &meshed.depth, meshed.max_depth, data.get());
  }
  PrepareMiddle(data.get());
  data->content = ContentHash(*data);
  data_ = std::move(data);
}

Body::Body(const TetMesh& mesh, const BodyOptions& options) {
  auto data = Start(options, "tetrahedra", false, true);
  const std::string& name = data->options.name;
  if (data->soft && options.field.kind == FieldKind::kColumns)
    throw Error("body '" + name +
                "': columns stand under a surface, not in tetrahedra; give the triangles of the surface, or "
                "field 'backed'");
  TetMesh tets = mesh;
  CheckAndOrient(&tets, name.c_str());
  CheckExtent(name, BoundingBox(tets), data->soft);
  data->is_mesh = true;
  const TriangleMesh boundary = BoundarySurface(tets);
  if (data->soft) {
    PrepareTets(std::move(tets), boundary, nullptr, 0, data.get());
  } else {
    data->kind = Kind::kTriangles;
    PrepareSurface(boundary, data.get());
  }
  PrepareMiddle(data.get());
  data->content = ContentHash(*data);
  data_ = std::move(data);
}

bool Body::soft() const { return data_->soft; }
const BodyOptions& Body::options() const { return data_->options; }
const std::string& Body::name() const { return data_->options.name; }
const std::vector<std::string>& Body::warnings() const { return data_->warnings; }
const Primitive* Body::primitive() const {
  return data_->is_mesh && !data_->from_primitive ? nullptr : &data_->primitive;
}
const TetMesh* Body::tets() const { return data_->kind == Kind::kTets ? &data_->tets : nullptr; }
const std::vector<double>* Body::vertex_pressures() const {
  return data_->kind == Kind::kTets ? &data_->tet_pressures : nullptr;
}

TriangleMesh Body::Surface(double half_space_size) const {
  if (data_->is_mesh && !data_->from_primitive) return data_->surface;
  if (std::holds_alternative<HalfSpace>(data_->primitive)) {
    const double s = 0.5 * half_space_size;
    return {{{-s, -s, 0}, {s, -s, 0}, {s, s, 0}, {-s, s, 0}, {0, 0, 0}},
            {{0, 1, 4}, {1, 2, 4}, {2, 3, 4}, {3, 0, 4}}};
  }
  const Vec3 size = data_->box.size();
  return PrimitiveSurface(data_->primitive, std::max({size.x, size.y, size.z}) / 40);
}

double Body::PressureAt(const Vec3& p_B) const {
  const BodyData& d = *data_;
  if (!is_finite(p_B))
    throw Error("body '" + name() + "': there is no pressure at (" + ToText(p_B.x) + ", " + ToText(p_B.y) +
                ", " + ToText(p_B.z) + "); give a finite point in metres");
  if (!d.soft) return 0;
  if (d.is_mesh && !d.columns.empty()) {
    const ColumnPlace place = FindColumn(d.columns, p_B);
    if (place.column < 0) return 0;
    const Column& c = d.columns.columns[place.column];
    return c.modulus * PressureOfDepth(d.law, place.depth / c.length);
  }
  if (d.kind == Kind::kTets) return TetPressureAt(d, p_B);
  if (d.kind == Kind::kPolyhedral && !std::holds_alternative<HalfSpace>(d.primitive)) {
    if (SignedDistance(d.primitive, p_B) > 0) return 0;
    for (const Cell& c : d.cells) {
      bool inside = true;
      for (int i = 0; i < c.num_planes && inside; ++i) inside = c.planes[i](p_B) >= -1e-15;
      if (inside) return PressureOfDepth(d.law, c.depth(p_B));
    }
    return 0;
  }
  if (std::holds_alternative<HalfSpace>(d.primitive))
    return PressureOfDepth(d.law, -p_B.z / d.options.field.thickness);
  return PressureOfDepth(d.law, d.depth_scale * RelativeDepth(d.primitive, p_B));
}

}  // namespace taxel
