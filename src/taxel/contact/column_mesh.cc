// Columns under the surface of a mesh.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "taxel/contact/column_lines.h"
#include "taxel/contact/column_room.h"
#include "taxel/contact/columns.h"
#include "taxel/field/backed_layer.h"
#include "taxel/math/error.h"
#include "taxel/math/interrupt.h"
#include "taxel/shape/bvh.h"
#include "taxel/shape/mesh_distance.h"
#include "taxel/shape/ray.h"
#include "taxel/shape/triangle_pairs.h"

namespace taxel {
using namespace internal;
namespace {

std::string Who(const char* name) { return std::string("body '") + name + "': "; }

void CheckCount(double area, double spacing, const char* name) {
  if (area / (spacing * spacing) > kMostColumns)
    throw Error(Who(name) + "a resolution of " + ToText(spacing) + " m makes " +
                ToText(std::round(area / (spacing * spacing))) + " columns, more than " +
                std::to_string(kMostColumns) + "; give at least " + ToText(std::sqrt(area / kMostColumns)) +
                " m");
}

// A pad seen along `exposed`: where its skin is over a place of the back, and how thick it is there.
class HeightMap {
 public:
  HeightMap(const TriangleMesh& surface, const Vec3& out) : surface_(surface), out_(out) {
    std::vector<Box3> boxes(surface.triangles.size());
    for (std::size_t t = 0; t < boxes.size(); ++t)
      for (int v : surface.triangles[t])
        boxes[t].Include(surface.vertices[v]), box_.Include(surface.vertices[v]);
    bvh_ = BuildBvh(boxes);
    far_ = norm(box_.size());
  }

  struct Place {
    double top, thickness;
    Vec3 normal;
  };
  std::optional<Place> At(const Vec3& p) const {
    const Vec3 origin = p + (far_ + std::fabs(dot(p, out_))) * out_;
    const std::vector<RayHit> hits = AllHits(surface_, bvh_, {origin, -out_});
    if (hits.size() < 2) return {};
    const double start = dot(origin, out_);
    return Place{start - hits[0].t, hits[1].t - hits[0].t,
                 normalized(AreaNormal2(surface_, hits[0].triangle))};
  }

 private:
  const TriangleMesh& surface_;
  Vec3 out_;
  Bvh bvh_;
  Box3 box_;
  double far_ = 0;
};

// A pad as seen along `exposed`: axes along the sides of the given cell, else along the body's where they lie
// in that plane; and the rectangle that holds it.
struct Outline {
  Vec3 d, u, v;
  double lo[2] = {HUGE_VAL, HUGE_VAL}, hi[2] = {-HUGE_VAL, -HUGE_VAL};

  Outline(const TriangleMesh& surface, const FieldOptions& field) : d(normalized(field.exposed)) {
    MakeFrame(d, &u, &v);
    const Vec3 a = cwise_abs(d);
    for (int axis = 0; axis < 3; ++axis)
      if (a[axis] > 1 - 1e-9) {
        u = v = {};
        u[(axis + 1) % 3] = 1;
        v = cross(d, u);
      }
    if (field.column_cell.given()) {
      const Vec3 along = field.column_cell.across_u - dot(field.column_cell.across_u, d) * d;
      if (norm2(along) > 0) u = normalized(along), v = cross(d, u);
    }
    for (const auto& t : surface.triangles)
      for (int k : t) {
        const double x = dot(surface.vertices[k], u), y = dot(surface.vertices[k], v);
        lo[0] = std::min(lo[0], x), hi[0] = std::max(hi[0], x);
        lo[1] = std::min(lo[1], y), hi[1] = std::max(hi[1], y);
      }
  }
  double area() const { return (hi[0] - lo[0]) * (hi[1] - lo[1]); }
};

// A lattice over the back.
ColumnSkin HeightMapColumns(const TriangleMesh& surface, const FieldOptions& field, double spacing,
                            const char* name) {
  FindLayerFaces(surface, field, name);  // for what it refuses
  const Outline pad(surface, field);
  const Vec3 &d = pad.d, &u = pad.u, &v = pad.v;
  const ColumnCell& cell = field.column_cell;
  if (cell.given()) spacing = std::sqrt(norm(cell.across_u) * norm(cell.across_v));
  if (spacing <= 0) spacing = std::sqrt(pad.area() / kUsualColumns);
  CheckCount(pad.area(), spacing, name);
  ColumnLines lines[2];
  for (int k = 0; k < 2; ++k) {
    lines[k] = FillWithLines(pad.lo[k], pad.hi[k], spacing);
    double at, step;
    if (!cell.given()) continue;
    if (!LineAlong(cell, k == 0 ? u : v, &at, &step))
      throw Error(Who(name) +
                  "the sides of column_cell do not lie in the plane across `exposed`, at a right angle; give "
                  "them so, or a resolution instead");
    lines[k] = LinesThrough(pad.lo[k], pad.hi[k], at, step);
  }
  const double hu = lines[0].step, hv = lines[1].step;
  const int nu = lines[0].count, nv = lines[1].count;
  const HeightMap map(surface, d);
  ColumnSkin out;
  out.spacing = spacing;
  out.lattice = {d, u, v, lines[0].start, lines[1].start, hu, hv, nu, nv, {}, {}};
  constexpr int kFine = 6;  // rays along the side of a cell
  for (int j = 0; j < nv; ++j) {
    CheckInterrupt();
    for (int i = 0; i < nu; ++i) {
      const double x = lines[0].start + (i + 0.5) * hu, y = lines[1].start + (j + 0.5) * hv;
      // What the pad covers of the cell, with the mean of its height, its slopes and its thickness.
      double n = 0, sx = 0, sy = 0, sxx = 0, syy = 0, sxy = 0, h = 0, hx = 0, hy = 0, thick = 0;
      for (int b = 0; b < kFine; ++b)
        for (int c = 0; c < kFine; ++c) {
          const double s = ((c + 0.5) / kFine - 0.5) * hu, t = ((b + 0.5) / kFine - 0.5) * hv;
          const auto place = map.At((x + s) * u + (y + t) * v);
          if (!place || dot(place->normal, d) < 0.1) continue;
          ++n, sx += s, sy += t, sxx += s * s, syy += t * t, sxy += s * t;
          h += place->top, hx += place->top * s, hy += place->top * t, thick += place->thickness;
        }
      if (n < 3) continue;
      sx /= n, sy /= n, h /= n, thick /= n;
      const double vxx = sxx / n - sx * sx, vyy = syy / n - sy * sy, vxy = sxy / n - sx * sy;
      const double cx = hx / n - h * sx, cy = hy / n - h * sy, det = vxx * vyy - vxy * vxy;
      Column column{};
      column.d = d, column.u = u, column.v = v;
      // The plane of least squares has the mean height at the middle: the sag is in it.
      column.p = (x + sx) * u + (y + sy) * v + h * d;
      column.slope_s = det > 1e-9 * vxx * vyy ? (cx * vyy - cy * vxy) / det : 0;
      column.slope_t = det > 1e-9 * vxx * vyy ? (cy * vxx - cx * vxy) / det : 0;
      column.length = thick;
      column.place = j * nu + i;
      const double share = n / (kFine * kFine);
      // A cell that is cut by the outline is a smaller one of the same form about the middle of what is left.
      column.SetRectangle(0.5 * hu * std::sqrt(share), 0.5 * hv * std::sqrt(share));
      out.columns.push_back(column);
    }
  }
  if (out.columns.empty()) throw Error(Who(name) + "no column stands on it; give a finer resolution");
  return out;
}

struct Corner {
  Vec3 p, n;  // on the skin, and its normal there
};

Corner Between(const Corner& a, const Corner& b) { return {0.5 * (a.p + b.p), normalized(a.n + b.n)}; }

// The column under a triangle or a quadrilateral of two, whose mean height and normal it has.
Column CellColumn(const Corner* corner, int count, double length) {
  Column c{};
  Vec3 face, sum;
  double area = 0;
  for (int k = 1; k + 1 < count; ++k) {
    const Vec3 n = cross(corner[k].p - corner[0].p, corner[k + 1].p - corner[0].p);
    face += n;
    area += norm(n);
    c.p += norm(n) / 3 * (corner[0].p + corner[k].p + corner[k + 1].p);
  }
  if (!(area > 0)) return c;
  c.p = c.p / area;
  face = normalized(face);
  for (int i = 0; i < count; ++i) sum += corner[i].n;
  c.d = normalized(sum);
  // On a crease the mean of the corners may look far from the face.
  if (!(dot(c.d, face) >= 0.8)) c.d = face;
  const Vec3 along = corner[1].p - corner[0].p;
  c.u = normalized(along - dot(along, c.d) * c.d);
  c.v = cross(c.d, c.u);
  c.length = length;
  c.corners = count;
  const double up = dot(face, c.d);
  c.slope_s = -dot(face, c.u) / up, c.slope_t = -dot(face, c.v) / up;
  for (int i = 0; i < count; ++i) {
    const Vec3 m = corner[i].n / std::max(0.5, dot(corner[i].n, c.d));
    c.s[i] = dot(corner[i].p - c.p, c.u), c.t[i] = dot(corner[i].p - c.p, c.v);
    c.spread_s[i] = dot(m, c.u), c.spread_t[i] = dot(m, c.v);
  }
  c.Finish();
  return c;
}

// Under each triangle, or two that were cut from one cell, divided by four until they are small.
class ShellCells {
 public:
  ShellCells(double spacing, double length, const char* name, ColumnSkin* out)
      : spacing_(spacing), length_(length), name_(name), out_(*out) {}

  void Add(const Corner (&c)[3]) {
    if (Longest(c, 3) <= 2 * spacing_) return AddColumn(c, 3);
    const Corner m[3] = {Between(c[0], c[1]), Between(c[1], c[2]), Between(c[2], c[0])};
    Add({c[0], m[0], m[2]});
    Add({m[0], c[1], m[1]});
    Add({m[2], m[1], c[2]});
    Add({m[0], m[1], m[2]});
  }
  void Add(const Corner (&c)[4]) {
    // About as much area as of a triangle with sides of twice the spacing.
    if (Longest(c, 4) <= 1.5 * spacing_) return AddColumn(c, 4);
    const Corner m[4] = {Between(c[0], c[1]), Between(c[1], c[2]), Between(c[2], c[3]), Between(c[3], c[0])};
    const Corner middle = Between(Between(m[0], m[2]), Between(m[1], m[3]));
    Add({c[0], m[0], middle, m[3]});
    Add({m[0], c[1], m[1], middle});
    Add({middle, m[1], c[2], m[2]});
    Add({m[3], middle, m[2], c[3]});
  }

 private:
  static double Longest(const Corner* c, int count) {
    double longest = 0;
    for (int k = 0; k < count; ++k) longest = std::max(longest, norm(c[(k + 1) % count].p - c[k].p));
    return longest;
  }
  void AddColumn(const Corner* c, int count) {
    if (static_cast<int>(out_.columns.size()) >= kMostColumns)
      throw Error(Who(name_) + "its skin has more than " + std::to_string(kMostColumns) +
                  " columns; give a mesh of fewer triangles, or a greater resolution");
    const Column made = CellColumn(c, count, length_);
    if (made.area > 0) out_.columns.push_back(made);
  }

  const double spacing_, length_;
  const char* name_;
  ColumnSkin& out_;
};

// The triangles that columns stand under.
std::vector<int> SkinTriangles(const TriangleMesh& surface, const FieldOptions& field, const char* name) {
  const Vec3 exposed = normalized(field.exposed);
  std::vector<int> skin = field.skin_triangles;
  const int count = static_cast<int>(surface.triangles.size());
  for (int t : skin)
    if (t < 0 || t >= count)
      throw Error(Who(name) + "skin_triangles names triangle " + std::to_string(t) +
                  ", but the surface has triangles 0 to " + std::to_string(count - 1));
  constexpr double kBackCosine = 0.7071067811865476;
  if (skin.empty())
    for (int t = 0; t < count; ++t)
      if (dot(normalized(AreaNormal2(surface, t)), exposed) > -kBackCosine) skin.push_back(t);
  if (skin.empty()) throw Error(Who(name) + "no triangle is skin; turn `exposed` or give skin_triangles");
  return skin;
}

ColumnSkin ShellColumns(const TriangleMesh& surface, const FieldOptions& field, double spacing,
                        const char* name) {
  const std::vector<int> skin = SkinTriangles(surface, field, name);
  double area = 0;
  std::vector<Vec3> normals(surface.vertices.size());
  for (int t : skin) {
    const Vec3 n = AreaNormal2(surface, t);
    area += 0.5 * norm(n);
    for (int k = 0; k < 3; ++k) {
      const Vec3 a = surface.corner(t, (k + 1) % 3) - surface.corner(t, k),
                 b = surface.corner(t, (k + 2) % 3) - surface.corner(t, k);
      const double angle = std::atan2(norm(cross(a, b)), dot(a, b));
      normals[surface.triangles[t][k]] += angle * normalized(n);
    }
  }
  for (Vec3& n : normals)
    if (norm2(n) > 0) n = normalized(n);
  if (spacing <= 0) spacing = std::sqrt(area / kUsualAround);
  CheckCount(area, spacing, name);
  ColumnSkin out;
  out.spacing = spacing;
  ShellCells cells(spacing, field.thickness, name, &out);
  const auto at = [&](int v) { return Corner{surface.vertices[v], normals[v]}; };
  constexpr double kOneCell = 0.97;  // cosine: two triangles that bend by less than 14 degrees
  for (const auto& k : PairTriangles(surface, skin, kOneCell)) {
    CheckInterrupt();
    if (k[3] < 0)
      cells.Add({at(k[0]), at(k[1]), at(k[2])});
    else
      cells.Add({at(k[0]), at(k[1]), at(k[2]), at(k[3])});
  }
  if (field.bone == Bone::kMiddle) {
    // What the glued triangles cut off has no columns to meet.
    TriangleMesh part{surface.vertices, {}};
    for (int t : skin) part.triangles.push_back(surface.triangles[t]);
    const MeshDistance distance(std::move(part));
    EndAtMiddle([&](const Vec3& p) { return distance.ClosestPoint(p).distance; }, field.thickness, &out);
  }
  return out;
}

}  // namespace

double UsualSpacing(const TriangleMesh& surface, const FieldOptions& field) {
  if (!UnderTriangles(field)) return std::sqrt(Outline(surface, field).area() / kUsualColumns);
  return std::sqrt(SurfaceArea(surface) / kUsualAround);
}

ColumnSkin MakeMeshColumns(const TriangleMesh& surface, const FieldOptions& field, double spacing,
                           const char* name) {
  ColumnSkin out = UnderTriangles(field) ? ShellColumns(surface, field, spacing, name)
                                         : HeightMapColumns(surface, field, spacing, name);
  out.Finish();
  return out;
}

}  // namespace taxel
