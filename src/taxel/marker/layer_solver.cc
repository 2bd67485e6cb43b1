#include "taxel/marker/layer_solver.h"

#include <algorithm>
#include <cmath>

#include "taxel/marker/layer_direction.h"

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
  if (cells_ != &cells || slot_.size() != Index(cells.count())) slot_.assign(Index(cells.count()), -1);
  for (const int k : cell_)
    if (k >= 0 && k < cells.count()) slot_[Index(k)] = -1;
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
    const std::size_t slot = cell_.size() - 8 + Index(j - first);
    cell_[slot] = k;
    slot_[Index(k)] = static_cast<int>(slot);
  }
  constexpr int kAround[8][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}, {-1, -1}, {-1, 1}, {1, -1}, {1, 1}};
  around_.assign(8 * cell_.size(), slots());
  for (std::size_t n = 0; n < cell_.size(); ++n) {
    if (cell_[n] < 0) continue;
    const int i = cell_[n] / cells.ny, j = cell_[n] % cells.ny;
    for (std::size_t k = 0; k < 8; ++k) {
      const int a = i + kAround[k][0], b = j + kAround[k][1];
      if (a < 0 || a >= cells.nx || b < 0 || b >= cells.ny) continue;
      const int other = slot_[Index(a * cells.ny + b)];
      if (other >= 0) around_[8 * n + k] = other;
    }
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

void LayerSolver::AddOne(const float* LayerTables::*which, const LayerSources& s,
                         const std::vector<float>& value, float sign, Field* out) {
  One(which, s, value, &more_);
  for (std::size_t i = 0; i < out->size(); ++i) (*out)[i] += sign * more_[i];
}

void LayerSolver::Tangential(const LayerSources& s, Field* u, Field* v) const {
  u->resize(cell_.size());
  v->resize(cell_.size());
  SumTangential(tables_, chunk_.data(), static_cast<int>(chunk_.size()), s.offset.data(), s.a.data(),
                s.b.data(), static_cast<int>(s.offset.size()), u->data(), v->data());
}

bool LayerSolver::SolveNormal(const Field& h, double tolerance, int limit, Field* pressure, Field* residual) {
  Field &p = *pressure, &r = *residual;
  const std::size_t n = cell_.size();
  const auto apply = [&](const Field& from, Field* to) {
    Gather(from, nullptr, &sources_);
    One(&LayerTables::zz, sources_, sources_.a, to);
  };
  const auto renew = [&] {
    apply(p, &r);
    for (std::size_t i = 0; i < n; ++i) r[i] = cell_[i] >= 0 ? r[i] - h[i] : 0.0f;
  };
  bool any = false;
  for (std::size_t i = 0; i < n; ++i) any = any || p[i] > 0;
  if (!any) {
    // As much of the overlap as fits it best.
    for (std::size_t i = 0; i < n; ++i) p[i] = cell_[i] >= 0 ? std::max(h[i], 0.0f) : 0.0f;
    apply(p, &image_);
    const double curvature = Dot(p, image_);
    const auto scale = static_cast<float>(curvature > 0 ? Dot(p, h) / curvature : 0);
    for (float& x : p) x *= scale;
    renew();
  }
  direction_.assign(n, 0.0f);
  image_.assign(n, 0.0f);
  sharp_.resize(n);
  free_.assign(n + 1, 0.0f);  // the last: of neighbours that there are not
  bool keep = false;
  for (int round = 0; round < limit; ++round) {
    double worst = 0;
    for (std::size_t i = 0; i < n; ++i) {
      worst = std::max(worst, static_cast<double>(p[i] > 0 ? std::fabs(r[i]) : -r[i]));
      free_[i] = p[i] > 0 || r[i] < 0 ? r[i] : 0.0f;
    }
    if (worst <= tolerance) return round > 0 || !any;
    for (std::size_t i = 0; i < n; ++i) {
      const int* k = &around_[8 * i];
      const auto at = [&](int m) { return free_[Index(k[m])]; };
      const float near = (at(0) + at(1)) + (at(2) + at(3)), corner = (at(4) + at(5)) + (at(6) + at(7));
      sharp_[i] = p[i] > 0 || free_[i] < 0 ? free_[i] - (kLayerNear * near + kLayerCorner * corner) : 0.0f;
    }
    const double bent = keep ? Dot(direction_, image_) : 0;
    const auto beta = static_cast<float>(bent > 0 ? Dot(sharp_, image_) / bent : 0);
    for (std::size_t i = 0; i < n; ++i)
      direction_[i] = p[i] > 0 || free_[i] < 0 ? beta * direction_[i] - sharp_[i] : 0.0f;
    apply(direction_, &image_);
    const double curvature = Dot(direction_, image_);
    if (!(curvature > 0)) return true;
    const auto step = static_cast<float>(-Dot(direction_, r) / curvature);
    bool clipped = false, entered = false;
    for (std::size_t i = 0; i < n; ++i) {
      const float before = p[i];
      p[i] += step * direction_[i];
      if (p[i] < 0) p[i] = direction_[i] = 0, clipped = true;
      entered = entered || (p[i] > 0 && !(before > 0));
      if (cell_[i] >= 0) r[i] += step * image_[i];
    }
    keep = !entered;
    if (clipped) renew();
  }
  return true;
}

void LayerSolver::SolveTangential(const Field& bound, double tolerance, int limit, float* way, Field* tx,
                                  Field* ty, Field* slope_x, Field* slope_y) {
  Field &x = *tx, &y = *ty, &sx = *slope_x, &sy = *slope_y;
  const std::size_t n = cell_.size();
  for (Field* f : {&step_x_, &step_y_, &image_x_, &image_y_}) f->assign(n, 0.0f);
  const auto apply = [&] {
    Gather(step_x_, &step_y_, &sources_);
    Tangential(sources_, &image_x_, &image_y_);
  };
  const auto take = [&](float length) {
    for (std::size_t i = 0; i < n; ++i) {
      x[i] += length * step_x_[i];
      y[i] += length * step_y_[i];
      sx[i] += length * image_x_[i];
      sy[i] += length * image_y_[i];
    }
  };
  // What the bounds of now take away.
  bool cut = false;
  for (std::size_t i = 0; i < n; ++i) {
    const float old_x = x[i], old_y = y[i];
    CutToDisc(bound[i], &x[i], &y[i]);
    step_x_[i] = x[i] - old_x, step_y_[i] = y[i] - old_y;
    cut = cut || step_x_[i] != 0 || step_y_[i] != 0;
  }
  if (cut) {
    apply();
    for (std::size_t i = 0; i < n; ++i) sx[i] += image_x_[i], sy[i] += image_y_[i];
    for (Field* f : {&step_x_, &step_y_, &image_x_, &image_y_}) f->assign(n, 0.0f);
  }
  const float self = tables_.xx[(cells_->nx - 1) * wide_ + cells_->ny - 1];
  if (!(*way > 0)) *way = 1 / self;
  bool go_on = true;
  for (int round = 0; round < limit; ++round) {
    double worst = 0, sharp_image = 0, step_image = 0, down = 0, along = 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (!(bound[i] > 0)) continue;
      worst = std::max(worst, static_cast<double>(Unrest(bound[i], x[i], y[i], sx[i], sy[i], self)));
      const LayerRim rim(bound[i], x[i], y[i], sx[i], sy[i], self);
      float a = sx[i], b = sy[i], last_x = step_x_[i], last_y = step_y_[i];
      rim.Along(&a, &b);
      rim.Along(&last_x, &last_y);
      sharp_image += static_cast<double>(rim.ease * (a * image_x_[i] + b * image_y_[i]));
      step_image += static_cast<double>(last_x * image_x_[i] + last_y * image_y_[i]);
      down += static_cast<double>(rim.ease * (a * sx[i] + b * sy[i]));
      along += static_cast<double>(last_x * sx[i] + last_y * sy[i]);
    }
    if (worst <= tolerance) return;
    double beta = step_image > 0 ? sharp_image / step_image : 0;
    if (!go_on || !(beta * along < down)) beta = 0;  // not downhill
    const auto keep = static_cast<float>(beta);
    const float far = *way;
    for (std::size_t i = 0; i < n; ++i) {
      if (!(bound[i] > 0)) {
        step_x_[i] = step_y_[i] = 0;
        continue;
      }
      const LayerRim rim(bound[i], x[i], y[i], sx[i], sy[i], self);
      float a = sx[i], b = sy[i], last_x = step_x_[i], last_y = step_y_[i];
      rim.Along(&a, &b);
      rim.Along(&last_x, &last_y);
      float u = x[i] + far * (keep * last_x - rim.ease * a), v = y[i] + far * (keep * last_y - rim.ease * b);
      CutToDisc(bound[i], &u, &v);
      step_x_[i] = u - x[i];
      step_y_[i] = v - y[i];
    }
    apply();
    const double curvature = Dot(step_x_, image_x_) + Dot(step_y_, image_y_);
    if (!(curvature > 0)) return;
    const auto part = static_cast<float>(-(Dot(sx, step_x_) + Dot(sy, step_y_)) / curvature);
    take(std::clamp(part, 0.0f, 1.0f));
    go_on = GoesOn(part);
    *way = NextWay(far, part, self);
  }
}

}  // namespace taxel
