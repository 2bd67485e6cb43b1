#include "taxel/marker/marker_spread.h"

#include <algorithm>
#include <numbers>

#include "taxel/math/lane_exp.h"

namespace taxel {
using namespace internal;
namespace {

// Distinct values, ascending, of those that differ by more than a rounding.
std::vector<double> Distinct(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  std::vector<double> out;
  for (const double v : values)
    if (out.empty() || v - out.back() > 1e-9) out.push_back(v);
  return out;
}

int Find(const std::vector<double>& sorted, double value) {
  const auto it = std::lower_bound(sorted.begin(), sorted.end(), value - 1e-9);
  return static_cast<int>(it - sorted.begin());
}

void PadToFour(std::vector<double>* values) {
  while (values->size() % 4 != 0) values->push_back(values->back());
}

}  // namespace

MarkerSpread::MarkerSpread(const std::vector<Vec3>& markers_P, const std::vector<Vec3>& normals_P)
    : markers_(markers_P), normals_(normals_P) {
  for (const Vec3& p : markers_) x_.push_back(p.x), y_.push_back(p.y), z_.push_back(p.z);
  for (std::vector<double>* v : {&x_, &y_, &z_}) PadToFour(v);
  FindGrid();
}

void MarkerSpread::FindGrid() {
  for (std::size_t i = 0; i < markers_.size(); ++i)
    if (markers_[i].z != markers_[0].z || !(normals_[i] == Vec3{0, 0, 1})) return;
  std::vector<double> x, y;
  for (const Vec3& p : markers_) x.push_back(p.x), y.push_back(p.y);
  x = Distinct(std::move(x)), y = Distinct(std::move(y));
  // A sparse layout is no grid: its crossings would cost more than its markers.
  if (x.size() * y.size() > markers_.size() + markers_.size() / 4) return;
  const int cols = static_cast<int>(x.size());
  padded_cols_ = (cols + 3) / 4 * 4;
  rows_ = static_cast<int>(y.size());
  for (const Vec3& p : markers_) slot_.push_back(Find(y, p.y) * padded_cols_ + Find(x, p.x));
  grid_x_ = x, grid_y_ = y;
  PadToFour(&grid_x_);
  PadToFour(&grid_y_);
  scratch_.resize(2 * static_cast<std::size_t>(rows_ * padded_cols_) + 3 * grid_x_.size() +
                  3 * grid_y_.size());
}

void MarkerSpread::SumGrid(const std::vector<PointSource<double>>& sources, const SpreadScales& k,
                           Vec3* out) {
  const std::size_t cols = grid_x_.size(), tall = grid_y_.size(),
                    cells = static_cast<std::size_t>(rows_) * cols;
  double* sum_x = scratch_.data();
  double* sum_y = sum_x + cells;
  double *dx = sum_y + cells, *dilate_x = dx + cols, *shear_x = dilate_x + cols;
  double *push_y = shear_x + cols, *dilate_y = push_y + tall, *shear_y = dilate_y + tall;
  std::fill(sum_x, sum_x + 2 * cells, 0.0);
  const double cd = k.dilate * k.lambda_d / std::numbers::pi, cs = k.shear * k.lambda_s / std::numbers::pi;
  for (const PointSource<double>& s : sources) {
    const double push = cd * s.push, pull_x = cs * s.pull.x, pull_y = cs * s.pull.y;
    for (std::size_t c = 0; c < cols; c += 4) {
      const Lanes x = LoadLanes(&grid_x_[c]), d = x - s.centre.x, a = x - s.anchor.x;
      StoreLanes(d, dx + c);
      StoreLanes(ExpLanes(-k.lambda_d * (d * d)), dilate_x + c);
      StoreLanes(ExpLanes(-k.lambda_s * (a * a)), shear_x + c);
    }
    for (std::size_t r = 0; r < tall; r += 4) {
      const Lanes y = LoadLanes(&grid_y_[r]), d = y - s.centre.y, a = y - s.anchor.y;
      const Lanes e = push * ExpLanes(-k.lambda_d * (d * d));
      StoreLanes(e, dilate_y + r);
      StoreLanes(e * d, push_y + r);
      StoreLanes(ExpLanes(-k.lambda_s * (a * a)), shear_y + r);
    }
    for (int r = 0; r < rows_; ++r) {
      double *row_x = sum_x + r * cols, *row_y = sum_y + r * cols;
      const double ey = dilate_y[r], dey = push_y[r], px = pull_x * shear_y[r], py = pull_y * shear_y[r];
      for (std::size_t c = 0; c < cols; c += 4) {
        const Lanes ex = LoadLanes(dilate_x + c), sx = LoadLanes(shear_x + c);
        StoreLanes(LoadLanes(row_x + c) + ey * (LoadLanes(dx + c) * ex) + px * sx, row_x + c);
        StoreLanes(LoadLanes(row_y + c) + dey * ex + py * sx, row_y + c);
      }
    }
  }
  for (std::size_t i = 0; i < markers_.size(); ++i) out[i] = {sum_x[slot_[i]], sum_y[slot_[i]], 0};
}

void MarkerSpread::SumAny(const std::vector<PointSource<double>>& sources, const SpreadScales& k, Vec3* out) {
  const double cd = k.dilate * k.lambda_d / std::numbers::pi, cs = k.shear * k.lambda_s / std::numbers::pi;
  for (std::size_t i = 0; i < x_.size(); i += 4) {
    const Lanes px = LoadLanes(&x_[i]), py = LoadLanes(&y_[i]), pz = LoadLanes(&z_[i]);
    Lanes ux = AllLanes(0), uy = ux, uz = ux;
    for (const PointSource<double>& s : sources) {
      const Lanes dx = px - s.centre.x, dy = py - s.centre.y, dz = pz - s.centre.z;
      const Lanes ax = px - s.anchor.x, ay = py - s.anchor.y, az = pz - s.anchor.z;
      const Lanes push = (cd * s.push) * ExpLanes(-k.lambda_d * (dx * dx + dy * dy + dz * dz));
      const Lanes pull = cs * ExpLanes(-k.lambda_s * (ax * ax + ay * ay + az * az));
      ux += push * dx + s.pull.x * pull;
      uy += push * dy + s.pull.y * pull;
      uz += push * dz + s.pull.z * pull;
    }
    for (std::size_t j = 0; j < 4 && i + j < markers_.size(); ++j) {
      const Vec3 u{ux[j], uy[j], uz[j]};
      out[i + j] = u - dot(u, normals_[i + j]) * normals_[i + j];
    }
  }
}

void MarkerSpread::Sum(const std::vector<PointSource<double>>& sources, const SpreadScales& scales,
                       std::vector<Vec3>* out) {
  out->resize(markers_.size());
  if (is_grid())
    SumGrid(sources, scales, out->data());
  else
    SumAny(sources, scales, out->data());
}

}  // namespace taxel
