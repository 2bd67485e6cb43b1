#include "taxel/shape/distance_grid.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "taxel/math/error.h"
#include "taxel/math/interrupt.h"

namespace taxel::internal {

DistanceGrid::DistanceGrid(const std::function<double(const Vec3&)>& distance, const Box3& box,
                           double spacing)
    : origin_(box.lo), h_(spacing) {
  if (!std::isfinite(spacing) || spacing <= 0)
    throw Error("distance grid: spacing is " + ToText(spacing) +
                "; it must be finite and greater than 0 (metres)");
  const Vec3 size = box.size();
  if (!is_finite(box.lo) || !is_finite(box.hi) || size.x < 0 || size.y < 0 || size.z < 0)
    throw Error(
        "distance grid: the box is empty or not finite; give finite corners with lo <= hi (a half space has "
        "no finite "
        "box: choose the part that matters)");
  double nodes = 1;
  for (int k = 0; k < 3; ++k) nodes *= std::max(1.0, std::ceil(size[k] / h_)) + 1;
  if (nodes > static_cast<double>(kMaxNodes)) {
    const double finer = h_ * std::cbrt(1.05 * nodes / static_cast<double>(kMaxNodes));
    throw Error("distance grid: spacing " + ToText(h_) + " m over a box of " + ToText(size.x) + " x " +
                ToText(size.y) + " x " + ToText(size.z) + " m makes " + ToText(nodes) + " nodes, more than " +
                std::to_string(kMaxNodes) + "; use a spacing of about " + ToText(finer) +
                " m or a smaller box, or ask MeshDistance directly");
  }
  for (int k = 0; k < 3; ++k) n_[k] = static_cast<int>(std::max(1.0, std::ceil(size[k] / h_))) + 1;
  values_.resize(static_cast<std::size_t>(n_[0]) * n_[1] * n_[2]);
  std::size_t i = 0;
  for (int z = 0; z < n_[2]; ++z)
    for (int y = 0; y < n_[1]; ++y) {
      CheckInterrupt();
      for (int x = 0; x < n_[0]; ++x, ++i) {
        values_[i] = distance(origin_ + h_ * Vec3{1.0 * x, 1.0 * y, 1.0 * z});
        if (!std::isfinite(values_[i]))
          throw Error("distance grid: the distance at node (" + std::to_string(x) + ", " + std::to_string(y) +
                      ", " + std::to_string(z) + ") is not finite; mend the function that was given");
      }
    }
}

DistanceGrid::DistanceGrid(const MeshDistance& distance, const Box3& box, double spacing)
    : DistanceGrid([&](const Vec3& p) { return distance.SignedDistance(p); }, box, spacing) {}

Box3 DistanceGrid::box() const {
  return {origin_, origin_ + h_ * Vec3{n_[0] - 1.0, n_[1] - 1.0, n_[2] - 1.0}};
}

double DistanceGrid::ErrorBound() const { return 0.5 * std::sqrt(3.0) * h_; }

DistanceGrid::Cell DistanceGrid::Locate(const Vec3& p) const {
  Cell cell{};
  const Box3 b = box();
  std::size_t index[3];
  for (int k = 0; k < 3; ++k) {
    cell.nearest[k] = std::clamp(p[k], b.lo[k], b.hi[k]);
    const double s = (cell.nearest[k] - origin_[k]) / h_;
    const int i = std::clamp(static_cast<int>(s), 0, n_[k] - 2);
    index[k] = static_cast<std::size_t>(i);
    cell.at[k] = std::clamp(s - i, 0.0, 1.0);
  }
  cell.first = (index[2] * n_[1] + index[1]) * n_[0] + index[0];
  return cell;
}

namespace {

double Mix(double a, double b, double s) { return a + s * (b - a); }

}  // namespace

double DistanceGrid::Value(const Vec3& p) const {
  if (!is_finite(p)) return std::numeric_limits<double>::quiet_NaN();
  const Cell cell = Locate(p);
  const double* v = &values_[cell.first];
  const std::size_t dy = n_[0], dz = static_cast<std::size_t>(n_[0]) * n_[1];
  const Vec3& s = cell.at;
  const double low = Mix(Mix(v[0], v[1], s.x), Mix(v[dy], v[dy + 1], s.x), s.y);
  const double high = Mix(Mix(v[dz], v[dz + 1], s.x), Mix(v[dz + dy], v[dz + dy + 1], s.x), s.y);
  return Mix(low, high, s.z) + norm(p - cell.nearest);
}

Vec3 DistanceGrid::Gradient(const Vec3& p) const {
  if (!is_finite(p)) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    return {nan, nan, nan};
  }
  const Cell cell = Locate(p);
  const double* v = &values_[cell.first];
  const std::size_t dy = n_[0], dz = static_cast<std::size_t>(n_[0]) * n_[1];
  const Vec3& s = cell.at;
  Vec3 g;
  g.x = Mix(Mix(v[1] - v[0], v[dy + 1] - v[dy], s.y),
            Mix(v[dz + 1] - v[dz], v[dz + dy + 1] - v[dz + dy], s.y), s.z);
  g.y = Mix(Mix(v[dy] - v[0], v[dy + 1] - v[1], s.x),
            Mix(v[dz + dy] - v[dz], v[dz + dy + 1] - v[dz + 1], s.x), s.z);
  g.z = Mix(Mix(v[dz] - v[0], v[dz + 1] - v[1], s.x),
            Mix(v[dz + dy] - v[dy], v[dz + dy + 1] - v[dy + 1], s.x), s.y);
  g = g / h_;
  const Vec3 outward = p - cell.nearest;
  for (int k = 0; k < 3; ++k)
    if (outward[k] != 0) g[k] = 0;
  return g + normalized(outward);
}

}  // namespace taxel::internal
