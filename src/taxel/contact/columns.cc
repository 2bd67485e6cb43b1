#include "taxel/contact/columns.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "taxel/math/error.h"

namespace taxel {
namespace {

constexpr int kLargestCluster = 8;

}  // namespace

void Column::Finish(double exact) {
  const auto twice_area = [this](int i) {
    const int j = i + 1 == corners ? 0 : i + 1;
    return s[i] * t[j] - s[j] * t[i];
  };
  double flat = 0;
  for (int i = 0; i < corners; ++i) flat += 0.5 * twice_area(i);
  if (exact > 0 && flat > 0) {
    const double scale = std::sqrt(exact / flat);
    for (int i = 0; i < corners; ++i)
      s[i] *= scale, t[i] *= scale, spread_s[i] *= scale, spread_t[i] *= scale;
    flat = exact;
  }
  area = flat;
  mean_ss = mean_tt = radius = 0;
  tight = HUGE_VAL;
  for (int i = 0; i < corners; ++i) {
    const int j = i + 1 == corners ? 0 : i + 1;
    const double a = 0.5 * twice_area(i) / flat;
    mean_ss += a / 6 * (s[i] * s[i] + s[i] * s[j] + s[j] * s[j]);
    mean_tt += a / 6 * (t[i] * t[i] + t[i] * t[j] + t[j] * t[j]);
    radius = std::max(radius, s[i] * s[i] + t[i] * t[i]);
    const double es = s[j] - s[i], et = t[j] - t[i];
    const double closing = es * (spread_s[j] - spread_s[i]) + et * (spread_t[j] - spread_t[i]);
    if (closing > 0) tight = std::min(tight, (1 - kTightest) * (es * es + et * et) / closing);
  }
  radius = std::sqrt(radius);
}

void Column::SetRectangle(double half_s, double half_t) {
  corners = 4;
  for (int k = 0; k < 4; ++k) {
    s[k] = k == 1 || k == 2 ? half_s : -half_s;
    t[k] = k >= 2 ? half_t : -half_t;
    spread_s[k] = spread_t[k] = 0;
  }
  Finish();
}

Column Column::Quarter(int k) const {
  Column out = *this;
  // From a corner through the middles of its sides: to the centre of a rectangle, or without it of a
  // triangle, whose fourth part is the one in the middle.
  struct Place {
    double s, t, spread_s, spread_t;
  };
  const auto at = [this](int i) -> Place { return {s[i], t[i], spread_s[i], spread_t[i]}; };
  const auto mean = [](const Place& a, const Place& b) -> Place {
    return {0.5 * (a.s + b.s), 0.5 * (a.t + b.t), 0.5 * (a.spread_s + b.spread_s),
            0.5 * (a.spread_t + b.spread_t)};
  };
  Place place[kMaxCorners];
  if (corners == 4) {
    const Place centre = mean(mean(at(0), at(2)), mean(at(1), at(3)));
    place[0] = at(k), place[1] = mean(at(k), at((k + 1) % 4)), place[2] = centre;
    place[3] = mean(at(k), at((k + 3) % 4));
  } else if (k < 3) {
    place[0] = at(k), place[1] = mean(at(k), at((k + 1) % 3)), place[2] = mean(at(k), at((k + 2) % 3));
  } else {
    for (int i = 0; i < 3; ++i) place[i] = mean(at(i), at((i + 1) % 3));
  }
  double s0 = 0, t0 = 0;
  for (int i = 0; i < corners; ++i) s0 += place[i].s / corners, t0 += place[i].t / corners;
  for (int i = 0; i < corners; ++i) {
    out.s[i] = place[i].s - s0, out.t[i] = place[i].t - t0;
    out.spread_s[i] = place[i].spread_s, out.spread_t[i] = place[i].spread_t;
  }
  if (corners == 3) {
    // A quarter of the area, about its own middle; what draws together does so at the same depth.
    out.area = 0.25 * area;
    out.mean_ss = out.mean_tt = 0;
    double farthest = 0;
    for (int i = 0; i < 3; ++i) {
      const double ss = out.s[i] * out.s[i], tt = out.t[i] * out.t[i];
      out.mean_ss += ss / 12, out.mean_tt += tt / 12;
      farthest = std::max(farthest, ss + tt);
    }
    out.radius = std::sqrt(farthest);
  } else {
    out.Finish();
  }
  // A skin that bends falls with the square of the distance from the centre.
  const double bend = mean_ss + mean_tt > 0 ? sag / (mean_ss + mean_tt) : 0;
  out.p = p + s0 * u + t0 * v + (slope_s * s0 + slope_t * t0 - bend * (s0 * s0 + t0 * t0)) * d;
  out.slope_s = slope_s - 2 * bend * s0, out.slope_t = slope_t - 2 * bend * t0;
  out.sag = bend * (out.mean_ss + out.mean_tt);
  out.ridge = ridge + ridge_s * s0 + ridge_t * t0;
  return out;
}

void ColumnSkin::Finish() {
  const auto halve = [this](auto& self, int begin, int end) -> void {
    const auto first = columns.begin() + begin, last = columns.begin() + end;
    if (end - begin <= kLargestCluster) {
      Cluster cluster{{}, {}, 0, begin, end - begin};
      for (auto c = first; c != last; ++c)
        for (int i = 0; i < c->corners; ++i) {
          const double rise = c->slope_s * c->s[i] + c->slope_t * c->t[i] + c->sag;
          const Vec3 top = c->p + c->s[i] * c->u + c->t[i] * c->v;
          cluster.box.Include(top + std::max(rise, 0.0) * c->d);
          cluster.box.Include(top - (c->length + std::max(-rise, 0.0)) * c->d);
        }
      cluster.center = cluster.box.center();
      cluster.radius = 0.5 * norm(cluster.box.size());
      box.Include(cluster.box);
      clusters.push_back(cluster);
      return;
    }
    Box3 points;
    for (auto c = first; c != last; ++c) points.Include(c->p);
    const Vec3 extent = points.size();
    const int axis = extent.x >= extent.y && extent.x >= extent.z ? 0 : (extent.y >= extent.z ? 1 : 2);
    const int middle = begin + (end - begin) / 2;
    // Ties by the other axes: the same order on every library.
    const int b = (axis + 1) % 3, c = (axis + 2) % 3;
    std::nth_element(first, columns.begin() + middle, last, [&](const Column& m, const Column& n) {
      if (m.p[axis] != n.p[axis]) return m.p[axis] < n.p[axis];
      if (m.p[b] != n.p[b]) return m.p[b] < n.p[b];
      return m.p[c] < n.p[c];
    });
    self(self, begin, middle);
    self(self, middle, end);
  };
  clusters.clear();
  box = {};
  shortest = softest = HUGE_VAL, longest = 0;
  for (const Column& c : columns) {
    shortest = std::min(shortest, c.length), longest = std::max(longest, c.length);
    softest = std::min(softest, c.modulus);
  }
  halve(halve, 0, static_cast<int>(columns.size()));
  lattice.column.assign(static_cast<std::size_t>(lattice.cols) * lattice.rows, -1);
  lattice.at.resize(columns.size());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const Vec3& p = columns[i].p;
    if (columns[i].place < 0) continue;
    lattice.column[columns[i].place] = static_cast<int>(i);
    lattice.at[i] = {dot(p, lattice.u), dot(p, lattice.v), dot(p, lattice.d)};
  }
}

void MakePlaneColumns(double x0, double x1, double y0, double y1, double thickness, double spacing,
                      ColumnSkin* out) {
  out->columns.clear();
  out->spacing = spacing;
  const double half = 0.5 * spacing;
  const double i0 = std::floor(x0 / spacing), j0 = std::floor(y0 / spacing);
  ColumnSkin::Lattice& lattice = out->lattice;
  lattice.d = {0, 0, 1}, lattice.u = {1, 0, 0}, lattice.v = {0, 1, 0};
  lattice.u0 = i0 * spacing, lattice.v0 = j0 * spacing;
  lattice.step_u = lattice.step_v = spacing;
  lattice.cols = std::max(1, static_cast<int>(std::ceil(x1 / spacing - i0)));
  lattice.rows = std::max(1, static_cast<int>(std::ceil(y1 / spacing - j0)));
  for (int row = 0; row < lattice.rows; ++row)
    for (int col = 0; col < lattice.cols; ++col) {
      const double i = i0 + col, j = j0 + row;
      Column c{};
      c.place = row * lattice.cols + col;
      c.p = {(i + 0.5) * spacing, (j + 0.5) * spacing, 0};
      c.d = {0, 0, 1}, c.u = {1, 0, 0}, c.v = {0, 1, 0};
      c.length = thickness;
      c.SetRectangle(half, half);
      out->columns.push_back(c);
    }
  if (!out->columns.empty()) out->Finish();
}

double LongestColumns(const ColumnSkin& skin) {
  std::vector<double> tight;
  for (const Column& c : skin.columns) tight.push_back(c.tight);
  if (tight.empty()) return HUGE_VAL;
  const auto at = tight.begin() + static_cast<std::ptrdiff_t>(tight.size() / 10);
  std::nth_element(tight.begin(), at, tight.end());
  return *at;
}

ColumnPlace FindColumn(const ColumnSkin& skin, const Vec3& p) {
  int best = -1;
  double least = HUGE_VAL;
  for (std::size_t i = 0; i < skin.columns.size(); ++i) {
    const Column& c = skin.columns[i];
    const Vec3 q = p - c.p;
    const double tau = dot(q, c.d);
    if (tau < -2 * c.length) continue;  // it belongs to the other side of a closed skin
    // Of columns that end in one place from both sides, the one that holds the point.
    const double past = std::max(0.0, -tau - c.length), away2 = norm2(q) - tau * tau + past * past;
    if (away2 < least) least = away2, best = static_cast<int>(i);
  }
  if (best < 0) return {};
  const Column& c = skin.columns[best];
  const Vec3 q = p - c.p;
  const double s = dot(q, c.u), t = dot(q, c.v), depth = c.slope_s * s + c.slope_t * t - dot(q, c.d);
  if (!(depth > 0) || std::hypot(s, t) > 1.5 * c.radius) return {};
  return {best, depth};
}

}  // namespace taxel
