#include "taxel/gel/chamfer.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "taxel/math/error.h"

namespace taxel {
namespace {

std::vector<Vec3> Centred(const std::vector<Vec3>& points) {
  Vec3 mean;
  for (const Vec3& p : points) mean += p;
  mean = mean / static_cast<double>(points.size());
  std::vector<Vec3> out(points.size());
  for (std::size_t k = 0; k < points.size(); ++k) out[k] = points[k] - mean;
  return out;
}

}  // namespace

void NearestPoints::Assign(const std::vector<Vec3>& points) {
  Vec3 high = points[0];
  low_ = points[0];
  for (const Vec3& p : points) low_ = cwise_min(low_, p), high = cwise_max(high, p);
  const Vec3 size = high - low_;
  // About a point a cell for a sheet, the usual case; never more than four cells a point.
  const double longest = std::max({size.x, size.y, size.z, 1e-300});
  cell_ = longest / std::sqrt(static_cast<double>(points.size()));
  const double most = 4.0 * static_cast<double>(points.size()) + 64;
  for (;; cell_ *= 1.3) {
    double total = 1;
    for (int k = 0; k < 3; ++k) n_[k] = static_cast<int>(size[k] / cell_) + 1, total *= n_[k];
    if (total <= most) break;
  }
  const auto index = [&](const Vec3& p) {
    int at[3];
    for (int k = 0; k < 3; ++k) at[k] = std::clamp(static_cast<int>((p[k] - low_[k]) / cell_), 0, n_[k] - 1);
    return static_cast<std::size_t>((at[0] * n_[1] + at[1]) * n_[2] + at[2]);
  };
  begin_.assign(static_cast<std::size_t>(n_[0]) * n_[1] * n_[2] + 1, 0);
  for (const Vec3& p : points) ++begin_[index(p) + 1];
  for (std::size_t k = 1; k < begin_.size(); ++k) begin_[k] += begin_[k - 1];
  std::vector<int> next(begin_.begin(), begin_.end() - 1);
  points_.resize(points.size());
  number_.resize(points.size());
  for (std::size_t k = 0; k < points.size(); ++k) {
    const std::size_t to = static_cast<std::size_t>(next[index(points[k])]++);
    points_[to] = points[k];
    number_[to] = static_cast<int>(k);
  }
}

double NearestPoints::SquaredDistance(const Vec3& p, int* nearest) const {
  int at[3];
  double beyond2 = 0;  // from p to the box of the cells: what is in no ring is at least that far
  for (int k = 0; k < 3; ++k) {
    const double s = (p[k] - low_[k]) / cell_;
    at[k] = static_cast<int>(std::clamp(s, 0.0, n_[k] - 1.0));
    const double over = std::max({0.0, -s, s - n_[k]}) * cell_;
    beyond2 += over * over;
  }
  double best = std::numeric_limits<double>::infinity();
  const int rings = std::max({n_[0], n_[1], n_[2]});
  for (int ring = 0; ring < rings; ++ring) {
    // Cells of this ring are at least (ring - 1) cells away from p, for p lies in the middle cell or outside.
    const double away = std::max(0, ring - 1) * cell_;
    if (std::max(away * away, ring > 0 ? beyond2 : 0.0) > best) break;
    const int lo[3] = {std::max(0, at[0] - ring), std::max(0, at[1] - ring), std::max(0, at[2] - ring)};
    const int hi[3] = {std::min(n_[0] - 1, at[0] + ring), std::min(n_[1] - 1, at[1] + ring),
                       std::min(n_[2] - 1, at[2] + ring)};
    for (int i = lo[0]; i <= hi[0]; ++i)
      for (int j = lo[1]; j <= hi[1]; ++j) {
        const bool shell = std::abs(i - at[0]) == ring || std::abs(j - at[1]) == ring;
        for (int k = lo[2]; k <= hi[2]; ++k) {
          if (!shell && std::abs(k - at[2]) != ring) continue;
          const std::size_t c = static_cast<std::size_t>((i * n_[1] + j) * n_[2] + k);
          for (int q = begin_[c]; q < begin_[c + 1]; ++q) {
            const double d2 = norm2(points_[static_cast<std::size_t>(q)] - p);
            if (!(d2 < best)) continue;
            best = d2;
            if (nearest) *nearest = number_[static_cast<std::size_t>(q)];
          }
        }
      }
  }
  return best;
}

LayerChamfer::LayerChamfer(const std::vector<Vec3>& start) {
  if (start.empty()) throw Error("chamfer: the layer has no points");
  start_ = Centred(start);
  to_start_.Assign(start_);
}

double LayerChamfer::Distance(const std::vector<Vec3>& now, ChamferForm form) {
  if (now.empty()) throw Error("chamfer: the layer has no points");
  for (const Vec3& p : now)
    if (!is_finite(p)) throw Error("chamfer: a point of the layer is not finite");
  const std::vector<Vec3> centred = Centred(now);
  to_now_.Assign(centred);
  double there = 0, back = 0;
  for (const Vec3& p : centred) there += to_start_.SquaredDistance(p);
  for (const Vec3& q : start_) back += to_now_.SquaredDistance(q);
  if (form == ChamferForm::kSum) return there + back;
  return there / static_cast<double>(centred.size()) + back / static_cast<double>(start_.size());
}

}  // namespace taxel
