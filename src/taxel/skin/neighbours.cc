#include "taxel/skin/neighbours.h"

#include <cmath>
#include <limits>

namespace taxel::internal {
namespace {

constexpr int kBits = 20;  // of a coordinate of a cell, plus one for the cells beside the outermost

std::pair<Vec3, Vec3> Bounds(const std::vector<Vec3>& points) {
  if (points.empty()) return {};
  Vec3 lo = points[0], hi = points[0];
  for (const Vec3& p : points) lo = cwise_min(lo, p), hi = cwise_max(hi, p);
  return {lo, hi};
}

}  // namespace

NearPoints::NearPoints(const std::vector<Vec3>& points, double radius) : points_(&points), radius_(radius) {
  const auto [lo, hi] = Bounds(points);
  const Vec3 extent = hi - lo;
  width_ = std::max(radius, std::ldexp(std::max({extent.x, extent.y, extent.z}), 1 - kBits));
  corner_ = lo;
  entries_.reserve(points.size());
  for (std::size_t i = 0; i < points.size(); ++i)
    entries_.emplace_back(Key(CellOf(points[i])), static_cast<int>(i));
  std::sort(entries_.begin(), entries_.end());
}

NearPoints::Cell NearPoints::CellOf(const Vec3& p) const {
  const Vec3 q = (p - corner_) / width_;
  const auto cell = [](double x) { return static_cast<std::int64_t>(std::floor(x)) + 1; };
  return {cell(q.x), cell(q.y), cell(q.z)};
}

std::uint64_t NearPoints::Key(const Cell& c) {
  return static_cast<std::uint64_t>(c.z << (2 * kBits + 2) | c.y << (kBits + 1) | c.x);
}

double MeanSpacing(const std::vector<Vec3>& points) {
  const std::size_t n = points.size();
  if (n < 2) return 0;
  const auto [lo, hi] = Bounds(points);
  const double extent = norm(hi - lo);
  if (extent == 0) return 0;
  std::vector<double> nearest(n, std::numeric_limits<double>::infinity());
  // A square grid has its neighbours within this; whoever is more alone looks farther.
  double radius = extent / std::sqrt(static_cast<double>(n));
  for (bool alone = true; alone; radius *= 2) {
    alone = false;
    const NearPoints near(points, radius);
    for (std::size_t i = 0; i < n; ++i) {
      if (std::isfinite(nearest[i])) continue;
      near.ForEach(static_cast<int>(i), [&](int, double d) { nearest[i] = std::min(nearest[i], d); });
      alone = alone || !std::isfinite(nearest[i]);
    }
  }
  double sum = 0;
  for (double d : nearest) sum += d;
  return sum / static_cast<double>(n);
}

}  // namespace taxel::internal
