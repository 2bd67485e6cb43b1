#include "taxel/marker/layer_solver.h"

#include <algorithm>
#include <cmath>

namespace taxel {
using namespace internal;
namespace {

std::size_t Index(int i) { return static_cast<std::size_t>(i); }

double Dot(const std::vector<float>& a, const std::vector<float>& b) {
  // Four sums: the order is fixed, and the adds do not wait for each other.
  double sum[4] = {};
  for (std::size_t i = 0; i < a.size(); i += 8)
    for (std::size_t l = 0; l < 8; ++l)
      sum[l % 4] += static_cast<double>(a[i + l]) * static_cast<double>(b[i + l]);
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

}  // namespace

void LayerSolver::Begin(const LayerCells& cells, const std::vector<int>& reachable,
                        const std::vector<float>& tables) {
  cells_ = &cells;
  tables_ = LayerLevel::Split(tables);
  wide_ = 2 * cells.ny - 1;
  cell_.clear();
  chunk_.clear();
  int row = -1, first = 0;
  for (const int k : reachable) {
    const int i = k / cells.ny, j = k % cells.ny;
    if (i != row || j >= first + 8) {
      row = i;
      first = j;
      chunk_.push_back((i + cells.nx - 1) * wide_ + j + cells.ny - 1);
      cell_.insert(cell_.end(), 8, -1);
    }
    cell_[cell_.size() - 8 + Index(j - first)] = k;
  }
}

LayerOffset LayerSolver::SourceOffset(int cell) const {
  return -(cell / cells_->ny) * wide_ - cell % cells_->ny;
}

void LayerSolver::Gather(const Field& a, const Field* b, LayerSources* s) const {
  s->Clear();
  for (std::size_t i = 0; i < cell_.size(); ++i) {
    if (a[i] == 0 && (!b || (*b)[i] == 0)) continue;
    s->offset.push_back(SourceOffset(cell_[i]));
    s->a.push_back(a[i]);
    if (b) s->b.push_back((*b)[i]);
  }
}

void LayerSolver::One(const float* LayerTables::*which, const LayerSources& s,
                      const std::vector<float>& value, Field* out) const {
  out->resize(cell_.size());
  SumOne(tables_.*which, chunk_.data(), static_cast<int>(chunk_.size()), s.offset.data(), value.data(),
         static_cast<int>(s.offset.size()), out->data());
}

void LayerSolver::Tangential(const LayerSources& s, Field* u, Field* v) const {
  u->resize(cell_.size());
  v->resize(cell_.size());
  SumTangential(tables_, chunk_.data(), static_cast<int>(chunk_.size()), s.offset.data(), s.a.data(),
                s.b.data(), static_cast<int>(s.offset.size()), u->data(), v->data());
}

int LayerSolver::SolveNormal(const Field& h, double tolerance, int limit, Field* pressure) {
  Field& p = *pressure;
  const std::size_t n = cell_.size();
  const auto apply = [&](const Field& from, Field* to) {
    Gather(from, nullptr, &sources_);
    One(&LayerTables::zz, sources_, sources_.a, to);
  };
  bool any = false;
  for (std::size_t i = 0; i < n; ++i) any = any || p[i] > 0;
  if (!any) {
    for (std::size_t i = 0; i < n; ++i) p[i] = cell_[i] >= 0 ? std::max(h[i], 0.0f) : 0.0f;
    apply(p, &image_);
    const double curvature = Dot(p, image_);
    const auto scale = static_cast<float>(curvature > 0 ? Dot(p, h) / curvature : 0);
    for (float& x : p) x *= scale;
  }
  direction_.assign(n, 0.0f);
  residual_.resize(n);
  const auto renew = [&] {
    apply(p, &residual_);
    for (std::size_t i = 0; i < n; ++i) residual_[i] = cell_[i] >= 0 ? residual_[i] - h[i] : 0.0f;
  };
  renew();
  double before = 1;
  bool keep = false;
  for (int round = 0; round < limit; ++round) {
    double square = 0, worst = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double r = residual_[i];
      if (p[i] > 0) square += r * r;
      worst = std::max(worst, p[i] > 0 ? std::fabs(r) : -r);
    }
    if (worst <= tolerance) return round;
    const auto beta = static_cast<float>(keep ? square / before : 0);
    for (std::size_t i = 0; i < n; ++i)
      direction_[i] = p[i] > 0 ? -residual_[i] + beta * direction_[i] : 0.0f;
    before = square;
    apply(direction_, &image_);
    const double curvature = Dot(direction_, image_);
    double length;
    if (curvature > 0) {
      length = -Dot(residual_, direction_) / curvature;
    } else {  // nothing active: a step of steepest descent over what overlaps
      for (std::size_t i = 0; i < n; ++i) direction_[i] = std::max(-residual_[i], 0.0f);
      apply(direction_, &image_);
      const double steep = Dot(direction_, image_);
      if (!(steep > 0)) return round;
      length = Dot(direction_, direction_) / steep;
      std::fill(direction_.begin(), direction_.end(), 0.0f);
    }
    bool clipped = false, entered = false;
    const auto step = static_cast<float>(length);
    for (std::size_t i = 0; i < n; ++i) {
      if (p[i] > 0) {
        p[i] += step * direction_[i];
        if (!(p[i] > 0)) p[i] = 0, clipped = true;
      } else if (residual_[i] < 0) {
        p[i] = -step * residual_[i];
        entered = true;
      }
    }
    keep = !entered;
    if (entered || clipped)
      renew();
    else
      for (std::size_t i = 0; i < n; ++i) residual_[i] += cell_[i] >= 0 ? step * image_[i] : 0.0f;
  }
  return limit;
}

int LayerSolver::SolveTangential(const Field& bx, const Field& by, const Field& bound, double tolerance,
                                 int limit, double* last_step, Field* tx, Field* ty) {
  Field &x = *tx, &y = *ty;
  const std::size_t n = cell_.size();
  for (std::size_t i = 0; i < n; ++i) CutToDisc(bound[i], &x[i], &y[i]);
  slope_x_.resize(n);
  slope_y_.resize(n);
  step_x_.resize(n);
  step_y_.resize(n);
  const auto apply = [&](const Field& a, const Field& b) {
    Gather(a, &b, &sources_);
    Tangential(sources_, &image_x_, &image_y_);
  };
  apply(x, y);
  bool moving = false;
  for (std::size_t i = 0; i < n; ++i) {
    slope_x_[i] = bound[i] > 0 ? image_x_[i] - bx[i] : 0.0f;
    slope_y_[i] = bound[i] > 0 ? image_y_[i] - by[i] : 0.0f;
    moving = moving || slope_x_[i] != 0 || slope_y_[i] != 0;
  }
  if (!moving) return 0;
  double& step = *last_step;
  if (!(step > 0)) {
    apply(slope_x_, slope_y_);
    const double first = Dot(slope_x_, image_x_) + Dot(slope_y_, image_y_);
    step = (Dot(slope_x_, slope_x_) + Dot(slope_y_, slope_y_)) / std::max(first, 1e-300);
  }
  for (int round = 0; round < limit; ++round) {
    double worst = 0;
    const auto far = static_cast<float>(step);
    for (std::size_t i = 0; i < n; ++i) {
      float u = x[i] - far * slope_x_[i], v = y[i] - far * slope_y_[i];
      CutToDisc(bound[i], &u, &v);
      step_x_[i] = u - x[i];
      step_y_[i] = v - y[i];
      worst = std::max(
          {worst, std::fabs(static_cast<double>(step_x_[i])), std::fabs(static_cast<double>(step_y_[i]))});
    }
    if (worst <= tolerance * step) return round;
    apply(step_x_, step_y_);
    const double curvature = Dot(step_x_, image_x_) + Dot(step_y_, image_y_);
    if (!(curvature > 0)) return round;
    const double slope = Dot(slope_x_, step_x_) + Dot(slope_y_, step_y_);
    const auto length = static_cast<float>(std::min(1.0, -slope / curvature));
    for (std::size_t i = 0; i < n; ++i) {
      if (!(bound[i] > 0)) continue;
      x[i] += length * step_x_[i];
      y[i] += length * step_y_[i];
      slope_x_[i] += length * image_x_[i];
      slope_y_[i] += length * image_y_[i];
    }
    step = (Dot(step_x_, step_x_) + Dot(step_y_, step_y_)) / curvature;
  }
  return limit;
}

}  // namespace taxel
