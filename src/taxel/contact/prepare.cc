#include "taxel/contact/prepare.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include "taxel/field/backed_layer.h"
#include "taxel/field/laplace.h"
#include "taxel/math/error.h"
#include "taxel/math/interrupt.h"
#include "taxel/shape/mesh_distance.h"
#include "taxel/shape/primitive_tets.h"
#include "taxel/shape/ray.h"
#include "taxel/shape/signed_distance.h"
#include "taxel/shape/triangle_distance.h"

namespace taxel::internal {
namespace {

void BoundByBox(const Vec3& lo, const Vec3& hi, Cell* cell) {
  cell->center = 0.5 * (lo + hi);
  cell->radius = 0.5 * norm(hi - lo);
}

// Box, kDistance: the depth is the least of six linear functions, so each face owns the convex cell of the
// points that are nearest to it. No diagonal of a face means anything.
std::vector<Cell> BoxDistanceCells(const Box& box) {
  const Vec3 h = 0.5 * box.size;
  const double H = std::min({h.x, h.y, h.z});
  std::vector<Cell> cells;
  for (int axis = 0; axis < 3; ++axis)
    for (int side = -1; side <= 1; side += 2) {
      Vec3 n;
      n[axis] = side;
      Cell cell;
      cell.AddPlane({-n, h[axis]});
      cell.depth = {(-1 / H) * n, h[axis] / H};
      cell.max_depth = 1;
      for (int other = 0; other < 3; ++other) {
        if (other == axis) continue;
        for (int s = -1; s <= 1; s += 2) {
          Vec3 m;
          m[other] = s;
          // h_axis - n.x <= h_other - m.x, scaled to a unit normal
          constexpr double kHalfRoot = 0.7071067811865476;
          cell.AddPlane({kHalfRoot * (n - m), kHalfRoot * (h[other] - h[axis])});
        }
      }
      cell.AddPlane({n, 0});
      Vec3 lo = -h, hi = h;
      (side > 0 ? lo : hi)[axis] = side * (h[axis] - H);  // deeper than H nothing is nearest
      BoundByBox(lo, hi, &cell);
      cells.push_back(cell);
    }
  return cells;
}

// Box, kBacked: one cell, from the exposed face through the layer and what carries it to the far face.
Cell BackedBoxCell(const Box& box, int axis, int side, double thickness) {
  const Vec3 h = 0.5 * box.size;
  Vec3 n;
  n[axis] = side;
  Cell cell;
  cell.AddPlane({-n, h[axis]});
  cell.AddPlane({n, h[axis]});
  for (int other = 0; other < 3; ++other)
    for (int s = -1; s <= 1 && other != axis; s += 2) {
      Vec3 m;
      m[other] = s;
      cell.AddPlane({-m, h[other]});
    }
  cell.depth = {(-1 / thickness) * n, h[axis] / thickness};
  cell.max_depth = 2 * h[axis] / thickness;
  BoundByBox(-h, h, &cell);
  return cell;
}

void NodeBoxes(const Bvh& bvh, std::vector<NodeBox>* out) {
  out->clear();
  out->reserve(bvh.nodes.size());
  for (const BvhNode& n : bvh.nodes) {
    NodeBox box{};
    for (int k = 0; k < 3; ++k) {
      box.c[k] = 0.5f * (n.lo[k] + n.hi[k]);
      // Three roundings: a few parts in 1e7 of the largest coordinate cover them.
      const float slack = 1e-6f * std::max(std::fabs(n.lo[k]), std::fabs(n.hi[k]));
      box.h[k] = std::max(n.hi[k] - box.c[k], box.c[k] - n.lo[k]) + slack;
    }
    out->push_back(box);
  }
}

// Beside a sharp edge the middle is at once below the skin.
void WarnOfShortColumns(BodyData* data) {
  constexpr double kShort = 0.25, kMany = 0.05;
  const std::vector<Column>& columns = data->columns.columns;
  const auto few =
      std::count_if(columns.begin(), columns.end(), [](const Column& c) { return c.modulus < kShort; });
  if (static_cast<double>(few) > kMany * static_cast<double>(columns.size()))
    data->warnings.push_back("body '" + data->options.name +
                             "': its middle lies less than a fourth of the thickness under " +
                             std::to_string(few) + " of its " + std::to_string(columns.size()) +
                             " columns, as it does beside sharp edges; it is hard there. Round them, or give "
                             "field 'distance', or a thickness without bone 'middle'");
}

void WarnOfLongColumns(BodyData* data) {
  if (data->options.field.bone == Bone::kMiddle) return WarnOfShortColumns(data);
  const double longest = LongestColumns(data->columns), thickness = data->options.field.thickness;
  if (thickness > 1.05 * longest)
    data->warnings.push_back("body '" + data->options.name + "': its columns are " + ToText(thickness) +
                             " m long under a bend that leaves room for " + ToText(longest) +
                             " m; they meet there and feel what pushes from another side. Give a smaller "
                             "thickness, bone 'middle', or field 'distance' or 'backed'");
}

// The law of a layer.
std::vector<Layer> LayerLaw(const BodyOptions& o) {
  return o.field.law.empty() ? StiffeningLaw(o.modulus, o.field.stiffening_start)
                             : MeasuredLaw(o.modulus, o.field.law);
}

std::string Who(const BodyData& data) { return "body '" + data.options.name + "': "; }

double ShellThickness(const BodyData& data, double greatest, const char* what) {
  const double T = data.options.field.thickness;
  if (T <= 0)
    throw Error(Who(data) + "a backed layer on a " + PrimitiveName(data.primitive) +
                " needs its thickness (metres, at most " + ToText(greatest) + ")");
  if (T > greatest * (1 + 1e-12))
    throw Error(Who(data) + "thickness " + ToText(T) + " m is more than the " + what + ", " +
                ToText(greatest) + " m");
  return T;
}

void BackedPrimitive(BodyData* data) {
  FieldOptions& field = data->options.field;
  if (const auto* box = std::get_if<Box>(&data->primitive)) {
    const Vec3 e = normalized(field.exposed), a = cwise_abs(e);
    const int axis = a.x >= a.y && a.x >= a.z ? 0 : (a.y >= a.z ? 1 : 2);
    if (a[axis] < 1 - 1e-9)
      throw Error(Who(*data) + "`exposed` = (" + ToText(field.exposed.x) + ", " + ToText(field.exposed.y) +
                  ", " + ToText(field.exposed.z) + ") is not along an axis of the box; give +-x, +-y or +-z");
    if (field.thickness == 0) field.thickness = box->size[axis];
    const double T = ShellThickness(*data, box->size[axis], "box is thick");
    data->cells = {BackedBoxCell(*box, axis, e[axis] > 0 ? 1 : -1, T)};
    return;
  }
  if (std::holds_alternative<HalfSpace>(data->primitive)) return;
  // A shell all round a stiff core. An ellipsoid's core is the similar ellipsoid that leaves `thickness` over
  // the shortest semi-axis.
  const double inner = InscribedRadius(data->primitive);
  if (field.bone == Bone::kMiddle && field.thickness == 0) field.thickness = inner;
  data->depth_scale = inner / ShellThickness(*data, inner, "inscribed radius");
}

}  // namespace

std::vector<Facet> BoxFacets(const Box& box) {
  const Vec3 h = 0.5 * box.size;
  std::vector<Facet> facets;
  for (int axis = 0; axis < 3; ++axis)
    for (int side = -1; side <= 1; side += 2) {
      const int u = (axis + 1) % 3, v = (axis + 2) % 3;
      Facet f;
      f.num_vertices = 4;
      const int su[4] = {-1, 1, 1, -1}, sv[4] = {-1, -1, 1, 1};
      for (int k = 0; k < 4; ++k) {
        const int j = side > 0 ? k : 3 - k;
        f.vertices[k][axis] = side * h[axis];
        f.vertices[k][u] = su[j] * h[u];
        f.vertices[k][v] = sv[j] * h[v];
      }
      f.normal[axis] = side;
      f.Bound();
      facets.push_back(f);
    }
  return facets;
}

double InscribedRadius(const Primitive& shape) {
  if (const auto* s = std::get_if<Sphere>(&shape)) return s->radius;
  if (const auto* s = std::get_if<Box>(&shape)) return 0.5 * std::min({s->size.x, s->size.y, s->size.z});
  if (const auto* s = std::get_if<Cylinder>(&shape)) return std::min(s->radius, 0.5 * s->length);
  if (const auto* s = std::get_if<Capsule>(&shape)) return s->radius;
  if (const auto* s = std::get_if<Ellipsoid>(&shape))
    return std::min({s->semi_axes.x, s->semi_axes.y, s->semi_axes.z});
  return 0;
}

double RelativeDepth(const Primitive& shape, const Vec3& p) {
  if (const auto* s = std::get_if<Ellipsoid>(&shape)) return 1 - norm(cwise_div(p, s->semi_axes));
  return -SignedDistance(shape, p) / InscribedRadius(shape);
}

void PrepareAnalyticField(BodyData* data) {
  const BodyOptions& o = data->options;
  const bool backed = IsLayer(o.field.kind);
  data->law = backed ? LayerLaw(o) : LinearLaw(o.modulus);
  if (std::holds_alternative<HalfSpace>(data->primitive) && o.field.thickness <= 0)
    throw Error(Who(*data) +
                "a soft half space needs the thickness over which the pressure rises to the modulus "
                "(metres): p = modulus x depth / thickness");
  if (backed) {
    BackedPrimitive(data);
  } else if (const auto* box = std::get_if<Box>(&data->primitive)) {
    data->cells = BoxDistanceCells(*box);
  }
  data->length = std::holds_alternative<HalfSpace>(data->primitive) ? o.field.thickness
                 : data->cells.empty() ? InscribedRadius(data->primitive) / data->depth_scale
                                       : 1 / norm(data->cells[0].depth.n);
  data->steepest = 1.1 / data->length;  // facets lie a little inside
  if (o.field.kind == FieldKind::kColumns && !std::holds_alternative<HalfSpace>(data->primitive))
    data->columns = MakeColumns(data->primitive, o.field, o.field.thickness, o.resolution, o.name.c_str()),
    WarnOfLongColumns(data);
  if (o.field.bone == Bone::kMiddle) data->steepest = 1.1 / data->columns.shortest;
}

void PrepareSurface(const TriangleMesh& surface, BodyData* data) {
  data->surface = surface;
  auto& triangles = data->surface.triangles;
  std::erase_if(triangles, [&](const auto& t) {  // no area, no normal, no contact
    const Vec3 a = surface.vertices[t[0]], b = surface.vertices[t[1]], c = surface.vertices[t[2]];
    return !(norm2(cross(b - a, c - a)) > 0);
  });
  if (triangles.empty()) throw Error(Who(*data) + "none of its triangles has an area");
  std::vector<Box3> boxes(triangles.size());
  data->surface_normals.clear();
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    for (int v : triangles[t]) boxes[t].Include(surface.vertices[v]);
    data->surface_normals.push_back(normalized(AreaNormal2(data->surface, static_cast<int>(t))));
  }
  data->surface_bvh = BuildBvh(boxes, 2);
  NodeBoxes(data->surface_bvh, &data->surface_boxes);
  data->box = BoundingBox(data->surface);
}

void PrepareMeshColumns(const TriangleMesh& surface, BodyData* data) {
  const BodyOptions& o = data->options;
  data->kind = BodyData::Kind::kTriangles;
  PrepareSurface(surface, data);
  data->columns = MakeMeshColumns(surface, o.field, o.resolution, o.name.c_str());
  data->law = LayerLaw(o);
  double sum = 0;
  for (const Column& c : data->columns.columns) sum += c.length / c.modulus;
  data->length = sum / static_cast<double>(data->columns.columns.size());
  data->steepest = 1.1 / data->columns.shortest;
  WarnOfLongColumns(data);
}

void RefillSurface(std::vector<Box3>* boxes, BodyData* data) {
  data->kind = BodyData::Kind::kTriangles;
  data->is_mesh = true;
  data->surface_normals.clear();
  data->box = {};
  boxes->clear();
  const TriangleMesh& surface = data->surface;
  for (int t = 0; t < static_cast<int>(surface.triangles.size()); ++t) {
    Box3 box;
    for (int k = 0; k < 3; ++k) box.Include(surface.corner(t, k));
    boxes->push_back(box);
    data->box.Include(box);
    data->surface_normals.push_back(normalized(AreaNormal2(surface, t)));
  }
  RebuildBvh(*boxes, 2, &data->surface_bvh);
  NodeBoxes(data->surface_bvh, &data->surface_boxes);
}

// Where the four depths are equal there is no gradient; what the sum leaves is the rounding of it, and its
// direction would cull a face by chance (a zero gradient culls nothing, see Along).
void FlattenIfEven(TetCell* cell) {
  const auto [low, high] = std::minmax_element(cell->u, cell->u + 4);
  if (*high - *low > 1e-12 * std::max(std::fabs(*high), std::fabs(*low))) return;
  cell->depth = {{}, 0.25 * (cell->u[0] + cell->u[1] + cell->u[2] + cell->u[3])};
}

void PrepareTets(TetMesh tets, const TriangleMesh& surface, const std::vector<double>* depth,
                 double max_depth, BodyData* data) {
  const BodyOptions& o = data->options;
  data->kind = BodyData::Kind::kTets;
  PrepareSurface(surface, data);
  std::vector<double> measured;
  if (depth == nullptr && o.field.kind != FieldKind::kBacked) {
    const MeshDistance distance(surface);
    std::vector<char> outer(tets.vertices.size(), 0);
    for (const auto& t : surface.triangles)
      for (int v : t) outer[v] = 1;
    measured.resize(tets.vertices.size());
    for (std::size_t i = 0; i < measured.size(); ++i) {
      CheckInterrupt();
      measured[i] = outer[i] ? 0 : distance.ClosestPoint(tets.vertices[i]).distance;
    }
    depth = &measured;
    max_depth = *std::max_element(measured.begin(), measured.end());
    if (!(max_depth > 0))
      throw Error(Who(*data) +
                  "every vertex of the tetrahedra lies on the surface, so the pressure is zero "
                  "everywhere; refine the mesh until it has inner vertices ('taxel mesh')");
  }
  switch (o.field.kind) {
    case FieldKind::kDistance:
      data->tet_values = *depth;
      for (double& u : data->tet_values) u /= max_depth;
      break;
    case FieldKind::kBacked:
    case FieldKind::kColumns:  // refused before
      data->tet_values = LayerDepth(surface, FindLayerFaces(surface, o.field, o.name.c_str()),
                                    o.field.thickness, tets.vertices);
      break;
    case FieldKind::kLaplace:
      data->tet_values = SolveLaplace(tets, *depth, o.field.core_fraction);
      break;
  }
  data->law = o.field.kind == FieldKind::kBacked ? LayerLaw(o) : LinearLaw(o.modulus);
  for (double u : data->tet_values) data->tet_pressures.push_back(PressureOfDepth(data->law, u));

  std::vector<Box3> boxes(tets.tets.size());
  for (std::size_t t = 0; t < tets.tets.size(); ++t)
    for (int v : tets.tets[t]) boxes[t].Include(tets.vertices[v]);
  data->tet_bvh = BuildBvh(boxes, kTetsPerLeaf);
  NodeBoxes(data->tet_bvh, &data->tet_boxes);
  // Cells in the order of the leaves: a leaf's cells lie side by side.
  for (std::int32_t t : data->tet_bvh.items) {
    TetCell cell{};
    Vec3 v[4];
    for (int k = 0; k < 4; ++k) {
      v[k] = tets.vertices[tets.tets[t][k]];
      cell.x[k] = v[k].x, cell.y[k] = v[k].y, cell.z[k] = v[k].z;
      cell.u[k] = data->tet_values[tets.tets[t][k]];
      cell.center += 0.25 * v[k];
    }
    // The barycentric function of vertex k vanishes on the face of the other three.
    static constexpr int kFace[4][3] = {{1, 3, 2}, {0, 2, 3}, {0, 3, 1}, {0, 1, 2}};
    for (int k = 0; k < 4; ++k) {
      const Vec3 a = v[kFace[k][0]], n = cross(v[kFace[k][1]] - a, v[kFace[k][2]] - a);
      const double height = dot(n, v[k] - a);
      cell.bx[k] = n.x / height, cell.by[k] = n.y / height, cell.bz[k] = n.z / height;
      cell.bd[k] = -dot(n, a) / height;
      cell.steepness[k] = norm(n) / height;
      cell.depth.n += cell.u[k] * cell.bary(k).n;
      cell.depth.d += cell.u[k] * cell.bd[k];
      cell.radius = std::max(cell.radius, norm(v[k] - cell.center));
    }
    FlattenIfEven(&cell);
    data->tet_cells.push_back(cell);
  }
  std::vector<double> steepness;
  for (const TetCell& cell : data->tet_cells) steepness.push_back(norm(cell.depth.n));
  data->steepest = *std::max_element(steepness.begin(), steepness.end());
  std::nth_element(steepness.begin(), steepness.begin() + steepness.size() / 2, steepness.end());
  data->length = 1 / std::max(steepness[steepness.size() / 2], 1e-3 * data->steepest);
  const auto& nodes = data->tet_bvh.nodes;
  data->node_pressure.resize(nodes.size());
  for (int i = static_cast<int>(nodes.size()) - 1; i >= 0; --i) {  // children come after their parent
    auto& range = data->node_pressure[i];
    range = {std::numeric_limits<float>::max(), 0};
    auto include = [&](double lo, double hi) {  // widened by a float's rounding
      range[0] = std::min(range[0], static_cast<float>(lo * (1 - 1e-6)));
      range[1] = std::max(range[1], static_cast<float>(hi * (1 + 1e-6)));
    };
    if (nodes[i].is_leaf()) {
      for (int j = nodes[i].first; j < nodes[i].first + nodes[i].count; ++j)
        for (int v : tets.tets[data->tet_bvh.items[j]])
          include(data->tet_pressures[v], data->tet_pressures[v]);
    } else {
      for (int c = 0; c < 2; ++c) {
        const auto& child = data->node_pressure[nodes[i].first + c];
        include(child[0], child[1]);
      }
    }
  }
  data->tets = std::move(tets);
}

void PrepareLaplacePrimitive(BodyData* data) {
  if (std::holds_alternative<HalfSpace>(data->primitive))
    throw Error(Who(*data) +
                "Laplace's field is not defined for a half space, which has no inside to close; use "
                "field 'distance' with a thickness");
  const double inner = InscribedRadius(data->primitive);
  TetMesh tets =
      PrimitiveTets(data->primitive, data->options.resolution > 0 ? data->options.resolution : inner / 6);
  std::vector<double> depth;
  for (const Vec3& v : tets.vertices) depth.push_back(std::max(0.0, -SignedDistance(data->primitive, v)));
  const TriangleMesh boundary = BoundarySurface(tets);
  data->is_mesh = true;
  data->from_primitive = true;
  PrepareTets(std::move(tets), boundary, &depth, inner, data);
}

const TetCell* TetAt(const BodyData& data, const Vec3& p, double slack) {
  const TetCell* found = nullptr;
  Walk(
      data.tet_bvh, [&](const BvhNode& node, int) { return !found && node.box().Distance2(p) == 0; },
      [&](int i) {
        if (!found && data.tet_cells[i].Contains(p, slack)) found = &data.tet_cells[i];
      });
  return found;
}

double TetPressureAt(const BodyData& data, const Vec3& p) {
  const TetCell* cell = TetAt(data, p, 1e-12);
  return cell ? PressureOfDepth(data.law, cell->depth(p)) : 0;
}

SurfacePoint NearestOnSurface(const BodyData& data, const Vec3& p) {
  double nearest2 = HUGE_VAL;
  SurfacePoint out;
  Walk(
      data.surface_bvh, [&](const BvhNode& node, int) { return node.box().Distance2(p) < nearest2; },
      [&](int i) {
        const int t = data.surface_bvh.items[i];
        const Vec3 q = ClosestPointOnTriangle(data.surface.corner(t, 0), data.surface.corner(t, 1),
                                              data.surface.corner(t, 2), p);
        if (norm2(q - p) < nearest2) nearest2 = norm2(q - p), out = {q, t};
      });
  return out;
}

namespace {

// Of closed triangles: half way through, behind whichever of some faces has the most behind it.
bool MiddleOfTriangles(const BodyData& data, Vec3* middle) {
  constexpr std::size_t kTried = 32;
  const std::size_t count = data.surface.triangles.size(), stride = (count + kTried - 1) / kTried;
  double best = 0;
  for (std::size_t i = 0; i < count; i += stride) {
    const int t = static_cast<int>(i);
    const Vec3 n = data.surface_normals[i];
    const Vec3 c = (data.surface.corner(t, 0) + data.surface.corner(t, 1) + data.surface.corner(t, 2)) / 3.0;
    const double start = 1e-6 * norm(data.box.size());
    const auto hit = CastRay(data.surface, data.surface_bvh, {c, -n, start});
    if (!hit || 0.5 * hit->t <= best) continue;
    const Vec3 p = c - 0.5 * hit->t * n;
    if (CountHits(data.surface, data.surface_bvh, {p, {0.36, 0.48, 0.8}}) % 2 == 0) continue;
    best = 0.5 * hit->t, *middle = p;
  }
  return best > 0;
}

}  // namespace

void PrepareMiddle(BodyData* data) {
  switch (data->kind) {
    case BodyData::Kind::kTriangles:
      data->has_middle = MiddleOfTriangles(*data, &data->middle);
      data->inner_radius = norm(NearestOnSurface(*data, data->middle).p - data->middle);
      return;
    case BodyData::Kind::kTets: {
      // Where a layer lies on a back, the deepest point is on its rim: there it is the tetrahedron next to
      // the centre.
      const bool backed = data->options.field.kind == FieldKind::kBacked;
      double best = -HUGE_VAL;
      for (const TetCell& cell : data->tet_cells) {
        const double score = backed ? -norm2(cell.center - data->box.center()) : cell.depth(cell.center);
        if (score > best) best = score, data->middle = cell.center;
      }
      data->has_middle = true;
      data->inner_radius = norm(NearestOnSurface(*data, data->middle).p - data->middle);
      return;
    }
    default:
      data->has_middle = !std::holds_alternative<HalfSpace>(data->primitive);
      data->inner_radius = InscribedRadius(data->primitive);
  }
}

std::uint64_t ContentHash(const BodyData& data) {
  std::uint64_t h = 1469598103934665603ull;
  auto mix = [&h](const void* bytes, std::size_t n) {
    const auto* b = static_cast<const unsigned char*>(bytes);
    for (std::size_t i = 0; i < n; ++i) h = (h ^ b[i]) * 1099511628211ull;
  };
  auto mix_number = [&](double v) { mix(&v, sizeof v); };
  const BodyOptions& o = data.options;
  mix_number(static_cast<double>(data.kind));
  mix_number(static_cast<double>(data.primitive.index()));
  mix_number(o.modulus);
  mix_number(o.resolution);
  mix_number(static_cast<double>(o.field.kind));
  mix_number(static_cast<double>(o.field.bone));
  mix_number(o.field.thickness);
  mix_number(o.field.stiffening_start);
  mix_number(o.field.poisson);
  for (double v : o.field.law) mix_number(v);
  for (int i = 0; i < 3; ++i) mix_number(o.field.exposed[i]);
  const ColumnCell& cell = o.field.column_cell;
  if (cell.given())
    for (const Vec3& v : {cell.corner, cell.across_u, cell.across_v})
      for (int i = 0; i < 3; ++i) mix_number(v[i]);
  for (int i = 0; i < 3; ++i) mix_number(data.box.lo[i]), mix_number(data.box.hi[i]);
  mix(data.tets.vertices.data(), data.tets.vertices.size() * sizeof(Vec3));
  mix(data.tets.tets.data(), data.tets.tets.size() * sizeof(data.tets.tets[0]));
  mix(data.tet_values.data(), data.tet_values.size() * sizeof(double));
  mix(data.surface.vertices.data(), data.surface.vertices.size() * sizeof(Vec3));
  mix(data.surface.triangles.data(), data.surface.triangles.size() * sizeof(data.surface.triangles[0]));
  return h;
}

}  // namespace taxel::internal
