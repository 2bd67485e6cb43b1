#include "taxel/skin/samples.h"

#include <algorithm>
#include <cmath>

#include "taxel/math/error.h"
#include "taxel/math/interrupt.h"
#include "taxel/shape/geodesic.h"
#include "taxel/shape/sample_surface.h"

namespace taxel {
using namespace internal;
namespace {

double DefaultWidth(Window window) { return window == Window::kGauss ? 0.4 : 0.3; }

double Weight(const ReadoutOptions& o, double distance, double angle, double radius) {
  if (o.weight) {
    const double w = o.weight(distance, angle);
    if (!(w >= 0) || !std::isfinite(w))
      throw Error("weight: the function gives " + ToText(w) + " at distance " + ToText(distance) +
                  " m; it must be finite and at least 0");
    return w;
  }
  return WindowWeight(o.window, o.window_width > 0 ? o.window_width : DefaultWidth(o.window), distance,
                      radius);
}

[[noreturn]] void NoSample(std::size_t taxel) {
  throw Error("taxel " + std::to_string(taxel) +
              " has no sample in its receptive field; give more samples, or a greater radius or angle");
}

// Collects the fields one taxel after the other.
class Fields {
 public:
  explicit Fields(Samples* samples) : s_(samples) { s_->start.assign(1, 0); }
  void Add(int sample, double weight) {
    if (!(weight > 0)) return;
    s_->sample.push_back(sample);
    s_->weight.push_back(weight);
    sum_ += weight;
  }
  void Close() {
    if (!(sum_ > 0)) NoSample(s_->start.size() - 1);
    for (std::size_t k = s_->start.back(); k < s_->weight.size(); ++k) s_->weight[k] /= sum_;
    s_->scale.push_back(sum_);
    s_->start.push_back(static_cast<int>(s_->weight.size()));
    sum_ = 0;
  }

 private:
  Samples* s_;
  double sum_ = 0;
};

Samples OnPlane(const Layout& layout, const ReadoutOptions& o) {
  const PlaneGrid& g = layout.grid;
  Samples s;
  s.is_lattice = true;
  const int per_u =
      o.density > 0 ? std::max(1, static_cast<int>(std::lround(g.du * std::sqrt(o.density)))) : o.samples;
  const int per_v =
      o.density > 0 ? std::max(1, static_cast<int>(std::lround(g.dv * std::sqrt(o.density)))) : o.samples;
  const double du = g.du / per_u, dv = g.dv / per_v;
  // Receptive fields wider than the cells look beyond the rim of the array.
  const int extra_u =
      o.radius > 0 ? std::max(0, static_cast<int>(std::ceil((o.radius - 0.5 * g.du) / du))) : 0;
  const int extra_v =
      o.radius > 0 ? std::max(0, static_cast<int>(std::ceil((o.radius - 0.5 * g.dv) / dv))) : 0;
  s.lattice = g;
  s.lattice.du = du, s.lattice.dv = dv;
  s.lattice.u0 = g.u0 - extra_u * du, s.lattice.v0 = g.v0 - extra_v * dv;
  s.lattice.cols = g.cols * per_u + 2 * extra_u, s.lattice.rows = g.rows * per_v + 2 * extra_v;
  s.step_u = per_u, s.step_v = per_v;
  s.stencil_cols = per_u + 2 * extra_u, s.stencil_rows = per_v + 2 * extra_v;
  const double radius = o.radius > 0 ? o.radius : 0.5 * std::hypot(g.du, g.dv);
  double sum = 0;
  for (int j = 0; j < s.stencil_rows; ++j)
    for (int i = 0; i < s.stencil_cols; ++i) {
      const double d =
          std::hypot((i - 0.5 * (s.stencil_cols - 1)) * du, (j - 0.5 * (s.stencil_rows - 1)) * dv);
      const double w = o.radius > 0 && d > o.radius ? 0 : Weight(o, d, 0, radius);
      s.stencil.push_back(w);
      sum += w;
    }
  if (!(sum > 0)) NoSample(0);
  for (double& w : s.stencil) w /= sum;
  s.scale.assign(layout.count(), sum);
  return s;
}

}  // namespace

std::vector<Vec3> Samples::Places() const {
  if (!is_lattice) return points;
  std::vector<Vec3> out;
  for (int r = 0; r < lattice.rows; ++r)
    for (int c = 0; c < lattice.cols; ++c)
      out.push_back(lattice.X_GF *
                    Vec3{lattice.u0 + (c + 0.5) * lattice.du, lattice.v0 + (r + 0.5) * lattice.dv, 0});
  return out;
}

Samples MakeSamples(const Layout& layout, const Layout* fine, const Body& body, const ReadoutOptions& o) {
  if (layout.plane && o.spacing == 0) return OnPlane(layout, o);
  Samples s;
  const bool by_cell = fine && o.spacing == 0 && o.density == 0;
  const TriangleMesh surface = body.Surface();
  if (by_cell) {
    s.points = fine->points;
    s.normals = fine->normals;
  } else {
    // A maximal Poisson-disk set holds about 0.7 / r^2 points per area.
    const double spacing = o.spacing > 0 ? o.spacing : o.density > 0 ? std::sqrt(0.7 / o.density) : 0;
    if (spacing == 0)
      throw Error(
          "rays on a layout that is no grid need sample_density (per m2) or sample_spacing (m); `samples` "
          "counts "
          "along the sides of a cell, which it does not have");
    for (const SurfaceSample& p : SampleSurface(surface, spacing, o.seed)) {
      s.points.push_back(p.point);
      s.normals.push_back(p.normal);
    }
  }
  const int n = static_cast<int>(s.points.size());
  Fields fields(&s);
  if (by_cell && o.radius == 0) {
    const int per_v = fine->rows / layout.rows, per_u = fine->cols / layout.cols;
    for (int t = 0; t < layout.count(); ++t) {
      const int r = t / layout.cols, c = t % layout.cols;
      double radius = 0;
      for (int j = r * per_v; j < (r + 1) * per_v; ++j)
        for (int i = c * per_u; i < (c + 1) * per_u; ++i)
          radius = std::max(radius, norm(fine->points[j * fine->cols + i] - layout.points[t]));
      // To the corner of the cell, not to the last sample.
      radius = per_u > 1 ? radius * per_u / (per_u - 1.0) : std::sqrt(0.5 * layout.areas[t]);
      for (int j = r * per_v; j < (r + 1) * per_v; ++j)
        for (int i = c * per_u; i < (c + 1) * per_u; ++i) {
          const int k = j * fine->cols + i;
          const double angle = std::acos(std::clamp(dot(fine->normals[k], layout.normals[t]), -1.0, 1.0));
          // A sample stands for its share of the cell's area.
          if (angle <= o.angle)
            fields.Add(k,
                       fine->areas[k] * Weight(o, norm(fine->points[k] - layout.points[t]), angle, radius));
        }
      fields.Close();
    }
    return s;
  }
  if (o.radius == 0) throw Error("rays on this layout need the receptive radius of a taxel; add radius (m)");
  const GeodesicDistance geodesic(surface);
  std::vector<MeshDistance::Closest> places;
  for (const Vec3& p : s.points) places.push_back(geodesic.Project(p));
  GeodesicField field;
  for (int t = 0; t < layout.count(); ++t) {
    const MeshDistance::Closest from = geodesic.Project(layout.points[t]);
    CheckInterrupt();
    geodesic.From(from.point, from.triangle, o.radius, &field);
    for (int k = 0; k < n; ++k) {
      if (norm2(places[k].point - from.point) > o.radius * o.radius) continue;
      const double angle = std::acos(std::clamp(dot(s.normals[k], layout.normals[t]), -1.0, 1.0));
      if (angle > o.angle) continue;
      const double d = field.At(places[k].point, places[k].triangle);
      if (d <= o.radius) fields.Add(k, Weight(o, d, angle, o.radius));
    }
    fields.Close();
  }
  return s;
}

}  // namespace taxel
