// Columns on the faces of the analytic shapes.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <string>

#include "taxel/contact/column_lines.h"
#include "taxel/contact/column_room.h"
#include "taxel/contact/columns.h"
#include "taxel/math/error.h"
#include "taxel/shape/signed_distance.h"

namespace taxel {
using namespace internal;
namespace {

constexpr double kPi = std::numbers::pi;

struct SkinPoint {
  Vec3 p, n;
};

// The cell between corners on a smooth skin. `exact`: its area.
Column MakeCell(const SkinPoint* corner, int count, const Vec3& p, const Vec3& d, const Vec3& u,
                double length, double exact) {
  Column c{};
  c.p = p, c.d = d, c.u = u, c.v = cross(d, u);
  c.length = length;
  c.corners = count;
  double sag = 0, corner_ss = 0;
  for (int i = 0; i < count; ++i) {
    const Vec3 q = corner[i].p - p, m = corner[i].n / dot(corner[i].n, d);
    c.s[i] = dot(q, c.u), c.t[i] = dot(q, c.v);
    c.spread_s[i] = dot(m, c.u), c.spread_t[i] = dot(m, c.v);
    sag -= dot(q, d) / count;
    corner_ss += (c.s[i] * c.s[i] + c.t[i] * c.t[i]) / count;
  }
  c.Finish(exact);
  // The skin falls with the square of the distance from the centre.
  c.sag = corner_ss > 0 ? sag * (c.mean_ss + c.mean_tt) / corner_ss : 0;
  return c;
}

// Rectangles on a face of a box.
void AddBoxFace(const Box& box, const FieldOptions& field, double thickness, double spacing, const char* name,
                ColumnSkin* out) {
  const Vec3 a = cwise_abs(field.exposed);
  const int axis = a.x >= a.y && a.x >= a.z ? 0 : (a.y >= a.z ? 1 : 2);
  const double side = field.exposed[axis] > 0 ? 1 : -1;
  Vec3 d, u;
  d[axis] = side;
  u[(axis + 1) % 3] = 1;
  const Vec3 v = cross(d, u);
  const double width = dot(cwise_abs(u), box.size), height = dot(cwise_abs(v), box.size);
  ColumnLines x = FillWithLines(-0.5 * width, 0.5 * width, spacing),
              y = FillWithLines(-0.5 * height, 0.5 * height, spacing);
  if (field.column_cell.given()) {
    double at, step;
    for (ColumnLines* lines : {&x, &y}) {
      if (!LineAlong(field.column_cell, lines == &x ? u : v, &at, &step))
        throw Error(std::string("body '") + name +
                    "': the sides of column_cell do not lie along the edges of the exposed face; give them "
                    "along the box's axes, or a resolution instead");
      *lines = LinesThrough(lines->lo, lines->hi, at, step);
    }
  }
  const Vec3 middle = 0.5 * box.size[axis] * d;
  out->lattice = {d, u, v, x.start, y.start, x.step, y.step, x.count, y.count, {}, {}};
  for (int j = 0; j < y.count; ++j)
    for (int i = 0; i < x.count; ++i) {
      Column c{};
      c.p = middle + 0.5 * (x.from(i) + x.to(i)) * u + 0.5 * (y.from(j) + y.to(j)) * v;
      c.d = d, c.u = u, c.v = v;
      c.length = thickness;
      c.place = j * x.count + i;
      c.SetRectangle(0.5 * (x.to(i) - x.from(i)), 0.5 * (y.to(j) - y.from(j)));
      out->columns.push_back(c);
    }
}

// A shape of revolution about z is cut into rings, and those into cells. `at` gives the skin at a parameter w
// along its meridian (radius, z, and the normal in the same plane), `area` that of the ring between two
// per radian.
struct Meridian {
  struct Point {
    double r, z;
    double n_r, n_z;
  };
  std::function<Point(double)> at;
  std::function<double(double, double)> area;
  std::function<double(double, double, double, double)> cell_area;  // instead of `area`, between two angles
  double length;                                                    // of the meridian, m
  // How far a ridge is from the point at w, along the meridian; empty: there is none.
  std::function<double(double)> ridge;
};

void AddRings(const Meridian& m, double thickness, double spacing, ColumnSkin* out) {
  const int rings = std::max(1, static_cast<int>(std::lround(m.length / spacing)));
  for (int k = 0; k < rings; ++k) {
    const double w0 = static_cast<double>(k) / rings, w1 = (k + 1.0) / rings;
    const Meridian::Point mid = m.at(0.5 * (w0 + w1));
    const Meridian::Point end[2] = {m.at(w0), m.at(w1)};
    const int around = std::max(4, static_cast<int>(std::lround(2 * kPi * mid.r / spacing)));
    const double width = 2 * kPi / around;
    for (int j = 0; j < around; ++j) {
      const double phi = (j + 0.5 * (k % 2)) * width;
      const auto place = [&](const Meridian::Point& q, double angle) {
        const double c = std::cos(angle), s = std::sin(angle);
        return SkinPoint{{q.r * c, q.r * s, q.z}, {q.n_r * c, q.n_r * s, q.n_z}};
      };
      const SkinPoint centre = place(mid, phi);
      const Vec3 d = normalized(centre.n), u{-std::sin(phi), std::cos(phi), 0};
      // u x v = d with v = d x u; corners counter-clockwise about d.
      SkinPoint corner[4];
      int count = 0;
      const auto add = [&](int e, double angle) { corner[count++] = place(end[e], angle); };
      const double lo = phi - 0.5 * width, hi = phi + 0.5 * width;
      // v = d x u points against the meridian's sense or with it; look.
      const Vec3 v = cross(d, u);
      const bool with = dot(place(end[1], phi).p - place(end[0], phi).p, v) > 0;
      const int low = with ? 0 : 1, high = with ? 1 : 0;
      constexpr double kPole = 1e-9;
      const double r_most = std::max(end[0].r, end[1].r);
      if (end[low].r > kPole * r_most) {
        add(low, lo), add(low, hi);
      } else {
        add(low, phi);
      }
      if (end[high].r > kPole * r_most) {
        add(high, hi), add(high, lo);
      } else {
        add(high, phi);
      }
      const double area = m.cell_area ? m.cell_area(w0, w1, lo, hi) : width * m.area(w0, w1);
      Column cell = MakeCell(corner, count, centre.p, d, u, thickness, area);
      if (m.ridge) {
        // Straight over the ring: meridians that have ridges are straight.
        const double r0 = m.ridge(w0), r1 = m.ridge(w1),
                     step = norm(place(end[1], phi).p - place(end[0], phi).p);
        cell.ridge = 0.5 * (r0 + r1);
        cell.ridge_t = (with ? 1 : -1) * (r1 - r0) / step;
      }
      out->columns.push_back(cell);
    }
  }
}

// From the pole along a circle of this radius about (0, z0): angles from `from` to `to` (0: +z).
Meridian Arc(double radius, double z0, double from, double to) {
  Meridian m;
  m.at = [=](double w) -> Meridian::Point {
    const double a = from + w * (to - from), s = std::sin(a), c = std::cos(a);
    return {radius * s, z0 + radius * c, s, c};
  };
  m.area = [=](double w0, double w1) {
    return radius * radius * std::fabs(std::cos(from + w0 * (to - from)) - std::cos(from + w1 * (to - from)));
  };
  m.length = radius * std::fabs(to - from);
  return m;
}

Meridian Side(double radius, double length) {
  Meridian m;
  m.at = [=](double w) -> Meridian::Point { return {radius, (0.5 - w) * length, 1, 0}; };
  m.area = [=](double w0, double w1) { return radius * length * (w1 - w0); };
  m.length = length;
  return m;
}

// The cap of a cylinder at z, looking along `up`.
Meridian Cap(double radius, double z, double up) {
  Meridian m;
  m.at = [=](double w) -> Meridian::Point { return {w * radius, z, 0, up}; };
  m.area = [=](double w0, double w1) { return 0.5 * radius * radius * (w1 * w1 - w0 * w0); };
  m.length = radius;
  m.ridge = [=](double w) { return (1 - w) * radius; };
  return m;
}

// Area of the ellipsoid between two angles from z and two about it, by Gauss's rule of two points along each.
double EllipsoidArea(const Vec3& a, double from, double to, double lo, double hi) {
  constexpr double kAt = 0.28867513459481288;
  double sum = 0;
  for (const double i : {0.5 - kAt, 0.5 + kAt})
    for (const double j : {0.5 - kAt, 0.5 + kAt}) {
      const double theta = from + i * (to - from), phi = lo + j * (hi - lo);
      const double st = std::sin(theta), ct = std::cos(theta), sp = std::sin(phi), cp = std::cos(phi);
      const Vec3 down{a.x * ct * cp, a.y * ct * sp, -a.z * st}, round{-a.x * st * sp, a.y * st * cp, 0};
      sum += 0.25 * norm(cross(down, round));
    }
  return sum * (to - from) * (hi - lo);
}

// Lattice of a ball, stretched.
void AddEllipsoid(const Vec3& a, double thickness, double spacing, ColumnSkin* out) {
  ColumnSkin ball;
  std::vector<double> areas;
  Meridian circle = Arc(1, 0, 0, kPi);
  circle.cell_area = [&](double w0, double w1, double lo, double hi) {
    areas.push_back(EllipsoidArea(a, w0 * kPi, w1 * kPi, lo, hi));
    return 0.0;  // corners stay on the ball
  };
  AddRings(circle, 1, spacing / std::cbrt(a.x * a.y * a.z), &ball);
  const auto point = [&](const Vec3& n) { return SkinPoint{cwise_mul(a, n), normalized(cwise_div(n, a))}; };
  for (std::size_t k = 0; k < ball.columns.size(); ++k) {
    const Column& c = ball.columns[k];
    SkinPoint corner[4];
    for (int i = 0; i < c.corners; ++i)
      corner[i] = point(c.s[i] * c.u + c.t[i] * c.v + std::sqrt(1 - c.s[i] * c.s[i] - c.t[i] * c.t[i]) * c.d);
    const SkinPoint middle = point(c.p);
    const Vec3 along = cwise_mul(a, c.u), u = normalized(along - dot(along, middle.n) * middle.n);
    // The bone is the similar ellipsoid that leaves `thickness` over the shortest semi-axis.
    const double length = thickness * dot(middle.p, middle.n) / std::min({a.x, a.y, a.z});
    out->columns.push_back(MakeCell(corner, c.corners, middle.p, middle.n, u, length, areas[k]));
  }
}

double SkinArea(const Primitive& shape, const Vec3& exposed) {
  if (const auto* s = std::get_if<Sphere>(&shape)) return 4 * kPi * s->radius * s->radius;
  if (const auto* s = std::get_if<Capsule>(&shape)) return 2 * kPi * s->radius * (2 * s->radius + s->length);
  if (const auto* s = std::get_if<Cylinder>(&shape)) return 2 * kPi * s->radius * (s->radius + s->length);
  if (const auto* s = std::get_if<Ellipsoid>(&shape)) {
    const Vec3 a = s->semi_axes;  // Thomsen's, within 1 %
    const double p = 1.6075, xy = std::pow(a.x * a.y, p), xz = std::pow(a.x * a.z, p),
                 yz = std::pow(a.y * a.z, p);
    return 4 * kPi * std::pow((xy + xz + yz) / 3, 1 / p);
  }
  const Vec3 size = std::get<Box>(shape).size, a = cwise_abs(exposed);
  const int axis = a.x >= a.y && a.x >= a.z ? 0 : (a.y >= a.z ? 1 : 2);
  return size.x * size.y * size.z / size[axis];
}

}  // namespace

double UsualSpacing(const Primitive& shape, const FieldOptions& field) {
  return std::sqrt(SkinArea(shape, field.exposed) /
                   (std::holds_alternative<Box>(shape) ? kUsualColumns : kUsualAround));
}

ColumnSkin MakeColumns(const Primitive& shape, const FieldOptions& field, double thickness, double spacing,
                       const char* name) {
  ColumnSkin out;
  const double area = SkinArea(shape, field.exposed);
  if (field.column_cell.given() && std::holds_alternative<Box>(shape))
    spacing = std::sqrt(norm(field.column_cell.across_u) * norm(field.column_cell.across_v));
  if (spacing <= 0) spacing = UsualSpacing(shape, field);
  if (area / (spacing * spacing) > kMostColumns)
    throw Error(std::string("body '") + name + "': a resolution of " + ToText(spacing) + " m makes " +
                ToText(std::round(area / (spacing * spacing))) + " columns, more than " +
                std::to_string(kMostColumns) + "; give at least " + ToText(std::sqrt(area / kMostColumns)) +
                " m");
  out.spacing = spacing;
  if (const auto* s = std::get_if<Sphere>(&shape)) {
    AddRings(Arc(s->radius, 0, 0, kPi), thickness, spacing, &out);
  } else if (const auto* c = std::get_if<Capsule>(&shape)) {
    AddRings(Arc(c->radius, 0.5 * c->length, 0, 0.5 * kPi), thickness, spacing, &out);
    AddRings(Side(c->radius, c->length), thickness, spacing, &out);
    AddRings(Arc(c->radius, -0.5 * c->length, 0.5 * kPi, kPi), thickness, spacing, &out);
  } else if (const auto* y = std::get_if<Cylinder>(&shape)) {
    AddRings(Cap(y->radius, 0.5 * y->length, 1), thickness, spacing, &out);
    Meridian side = Side(y->radius, y->length);
    const double length = y->length;
    side.ridge = [length](double w) { return std::min(w, 1 - w) * length; };
    AddRings(side, thickness, spacing, &out);
    AddRings(Cap(y->radius, -0.5 * y->length, -1), thickness, spacing, &out);
  } else if (const auto* e = std::get_if<Ellipsoid>(&shape)) {
    AddEllipsoid(e->semi_axes, thickness, spacing, &out);
  } else {
    AddBoxFace(std::get<Box>(shape), field, thickness, spacing, name, &out);
  }
  if (field.bone == Bone::kMiddle)
    EndAtMiddle([&](const Vec3& p) { return -SignedDistance(shape, p); }, thickness, &out);
  out.Finish();
  return out;
}

}  // namespace taxel
