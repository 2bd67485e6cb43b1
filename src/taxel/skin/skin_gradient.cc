#include "taxel/skin/skin_gradient.h"

#include <algorithm>
#include <cmath>

#include "taxel/math/error.h"

namespace taxel {
using namespace internal;
namespace {

using D = ContactDual;
using DVec = DualVec3<D>;

struct Corner {
  DVec p;
  D pressure;
};

// Force of a flat face along its normal.
DVec Force(const std::vector<Corner>& face, const DVec& normal) {
  D load;
  for (std::size_t i = 1; i + 1 < face.size(); ++i) {
    const D area = 0.5 * dot(cross(face[i].p - face[0].p, face[i + 1].p - face[0].p), normal);
    load += area / 3 * (face[0].pressure + face[i].pressure + face[i + 1].pressure);
  }
  return load * normal;
}

// The part of a face where along . p >= from.
void Cut(const Vec3& along, double from, const std::vector<Corner>& in, std::vector<Corner>* out) {
  out->clear();
  for (std::size_t i = 0; i < in.size(); ++i) {
    const Corner &a = in[i], &b = in[i + 1 == in.size() ? 0 : i + 1];
    const D s = dot(a.p, along) - from, t = dot(b.p, along) - from;
    if (s >= 0) out->push_back(a);
    if ((s > 0 && t < 0) || (s < 0 && t > 0)) {
      const D at = s / (s - t);
      out->push_back({a.p + at * (b.p - a.p), a.pressure + at * (b.pressure - a.pressure)});
    }
  }
}

// Shares faces among the cells of a flat grid.
class GridShares {
 public:
  GridShares(const PlaneGrid& grid, std::vector<DVec>* forces)
      : g_(grid), u_(grid.X_GF.R.col(0)), v_(grid.X_GF.R.col(1)), forces_(*forces) {}

  void Add(const std::vector<Corner>& face, const DVec& normal) {
    double lo[2] = {HUGE_VAL, HUGE_VAL}, hi[2] = {-HUGE_VAL, -HUGE_VAL};
    for (const Corner& c : face) {
      const Vec3 q = c.p.value() - g_.X_GF.p;
      const double at[2] = {(dot(q, u_) - g_.u0) / g_.du, (dot(q, v_) - g_.v0) / g_.dv};
      for (int k = 0; k < 2; ++k) lo[k] = std::min(lo[k], at[k]), hi[k] = std::max(hi[k], at[k]);
    }
    const auto first = [](double x) { return std::max(0, static_cast<int>(std::floor(x))); };
    const auto last = [](double x, int n) { return std::min(n - 1, static_cast<int>(std::floor(x))); };
    const double u0 = dot(g_.X_GF.p, u_) + g_.u0, v0 = dot(g_.X_GF.p, v_) + g_.v0;
    for (int c = first(lo[0]); c <= last(hi[0], g_.cols); ++c) {
      Cut(u_, u0 + c * g_.du, face, &a_), Cut(-u_, -(u0 + (c + 1) * g_.du), a_, &column_);
      for (int r = first(lo[1]); r <= last(hi[1], g_.rows) && column_.size() > 2; ++r) {
        Cut(v_, v0 + r * g_.dv, column_, &a_), Cut(-v_, -(v0 + (r + 1) * g_.dv), a_, &b_);
        if (b_.size() > 2) forces_[r * g_.cols + c] += Force(b_, normal);
      }
    }
  }

 private:
  const PlaneGrid& g_;
  const Vec3 u_, v_;
  std::vector<DVec>& forces_;
  std::vector<Corner> a_, b_, column_;
};

}  // namespace

void ReadGradient(const Skin& skin, const ColumnFaceGradients& faces, SkinGradient* out) {
  const ReadoutOptions& options = skin.options();
  const Layout& layout = skin.layout();
  if (options.method == Readout::kRays)
    throw Error("skin: taxels that are read by rays have no derivatives; leave out readout=\"rays\"");
  if (options.aggregate != Aggregate::kMean && options.aggregate != Aggregate::kForce)
    throw Error(
        "skin: derivatives are those of mean pressures and forces; give aggregate \"mean\" or \"force\"");
  const ColumnTaxels& taxels = skin.column_taxels();
  const bool grid = layout.plane && !(options.limit > 0);
  if (taxels.empty() && !grid)
    throw Error(
        "skin: the taxels cut through columns and lie in no flat grid, so their derivatives are not known; "
        "lay "
        "the columns by the taxels (columns_by_taxels)");
  const int n = layout.count();
  std::vector<DVec> forces(n);
  GridShares shares(layout.grid, &forces);
  std::vector<Corner> face;
  for (int f = 0; f < faces.num_faces(); ++f) {
    face.clear();
    for (int i = faces.face_start[f]; i < faces.face_start[f + 1]; ++i)
      face.push_back({faces.vertices[i], faces.pressures[i]});
    if (taxels.empty()) {
      shares.Add(face, faces.normals[f]);
      continue;
    }
    if (faces.columns[f] >= taxels.columns())
      throw Error(
          "skin: the contact has columns that the skin's body has not; give the contact of that body");
    const int first = taxels.start[faces.columns[f]], last = taxels.start[faces.columns[f] + 1];
    const DVec force = Force(face, faces.normals[f]);
    for (int i = first; i < last; ++i) forces[taxels.of[i].taxel] += D(taxels.of[i].part) * force;
  }
  out->values.assign(n, 0.0);
  out->by.assign(static_cast<std::size_t>(n) * kContactInputs, 0.0);
  for (int t = 0; t < n; ++t) {
    const D pressing = -dot(forces[t], layout.normals[t]);
    const double scale = options.aggregate == Aggregate::kForce ? 1 : 1 / layout.areas[t];
    out->values[t] = scale * pressing.v;
    for (int k = 0; k < kContactInputs; ++k) out->by[t * kContactInputs + k] = scale * pressing.d[k];
  }
}

}  // namespace taxel
