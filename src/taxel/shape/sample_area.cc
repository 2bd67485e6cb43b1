#include "taxel/shape/sample_area.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <unordered_map>

#include "taxel/math/error.h"
#include "taxel/math/interrupt.h"

namespace taxel {
namespace {

// Points in cubes of about their spacing.
class PointGrid {
 public:
  PointGrid(const std::vector<Vec3>& points, double cell) : points_(points), cell_(cell) {
    lo_ = hi_ = points[0];
    for (const Vec3& p : points) lo_ = cwise_min(lo_, p), hi_ = cwise_max(hi_, p);
    for (std::size_t i = 0; i < points.size(); ++i) cubes_[Key(points[i])].push_back(static_cast<int>(i));
    const Vec3 size = hi_ - lo_;
    rings_ = 2 + static_cast<int>(std::max({size.x, size.y, size.z}) / cell_);
  }

  // The nearest point that `allowed` lets pass; -1 for none. Of equally near ones that with the lowest index.
  template <typename Allowed>
  int Nearest(const Vec3& p, const Allowed& allowed) const {
    int best = -1;
    double best2 = std::numeric_limits<double>::infinity();
    const Vec3 q = cwise_min(cwise_max(p, lo_), hi_);  // p may lie beside the cubes
    const double beside2 = norm2(p - q);
    const std::int64_t cx = Cell(q.x, lo_.x), cy = Cell(q.y, lo_.y), cz = Cell(q.z, lo_.z);
    for (int ring = 0; ring <= rings_; ++ring) {
      if (best < 0 && ring > kNearRings) {  // far from all that are allowed: shells of empty cubes cost more
        for (std::size_t i = 0; i < points_.size(); ++i) {
          const double d2 = norm2(points_[i] - p);
          if (d2 < best2 && allowed(static_cast<int>(i))) best = static_cast<int>(i), best2 = d2;
        }
        return best;
      }
      // Whatever lies in this ring is at least (ring - 1) cubes from q, and q is the place of a box of all
      // points nearest to p, so that the angle at q is not below 90 degrees.
      const double least = std::max(ring - 1, 0) * cell_;
      if (best >= 0 && least * least + beside2 > best2) break;
      for (std::int64_t x = cx - ring; x <= cx + ring; ++x)
        for (std::int64_t y = cy - ring; y <= cy + ring; ++y)
          for (std::int64_t z = cz - ring; z <= cz + ring; ++z) {
            if (std::max({std::abs(x - cx), std::abs(y - cy), std::abs(z - cz)}) != ring) continue;
            const auto it = cubes_.find(Join(x, y, z));
            if (it == cubes_.end()) continue;
            for (const int i : it->second) {
              const double d2 = norm2(points_[i] - p);
              if ((d2 < best2 || (d2 == best2 && i < best)) && allowed(i)) best = i, best2 = d2;
            }
          }
    }
    return best;
  }

 private:
  static constexpr int kNearRings = 4;

  std::int64_t Cell(double value, double low) const {
    return static_cast<std::int64_t>(std::floor((value - low) / cell_));
  }
  static std::uint64_t Join(std::int64_t x, std::int64_t y, std::int64_t z) {
    const auto part = [](std::int64_t v) { return static_cast<std::uint64_t>(v + (1 << 20)) & 0x1fffff; };
    return part(x) << 42 | part(y) << 21 | part(z);
  }
  std::uint64_t Key(const Vec3& p) const {
    return Join(Cell(p.x, lo_.x), Cell(p.y, lo_.y), Cell(p.z, lo_.z));
  }

  const std::vector<Vec3>& points_;
  double cell_;
  Vec3 lo_, hi_;
  int rings_ = 0;
  std::unordered_map<std::uint64_t, std::vector<int>> cubes_;
};

}  // namespace

SampleCells CellsOfSamples(const TriangleMesh& mesh, const std::vector<Vec3>& points,
                           const std::vector<Vec3>& normals) {
  CheckIndices(mesh, "sampled surface");
  if (points.empty()) throw Error("areas of sample points: no point; give at least one");
  if (!normals.empty() && normals.size() != points.size())
    throw Error("areas of sample points: " + std::to_string(normals.size()) + " normals for " +
                std::to_string(points.size()) + " points; give one a point or none");
  for (std::size_t i = 0; i < points.size(); ++i)
    if (!is_finite(points[i]))
      throw Error("areas of sample points: point " + std::to_string(i) + " is not finite; give numbers in m");
  const double total = SurfaceArea(mesh);
  if (!(total > 0)) throw Error("areas of sample points: the surface has no area");

  const double spacing = std::sqrt(total / static_cast<double>(points.size()));
  const PointGrid grid(points, std::max(spacing, 1e-7));
  const double piece = spacing / 5;
  SampleCells cells;
  cells.areas.assign(points.size(), 0.0);
  cells.centroids.assign(points.size(), Vec3{});
  cells.normals.assign(points.size(), Vec3{});
  double alone = 0;
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const int tri = static_cast<int>(t);
    const Vec3 a = mesh.corner(tri, 0), b = mesh.corner(tri, 1) - a, c = mesh.corner(tri, 2) - a;
    const Vec3 normal2 = cross(b, c);
    const double area = 0.5 * norm(normal2);
    if (!(area > 0)) continue;
    const double least = 1e-6 * norm(normal2);  // faces at a right angle stay apart, however they are turned
    const double longest = std::max({norm(b), norm(c), norm(b - c)});
    const int k = std::clamp(static_cast<int>(std::ceil(longest / piece)), 1, 4096);
    const double share = area / (static_cast<double>(k) * k), step = 1.0 / k;
    const auto give = [&](double u, double v) {
      const Vec3 p = a + u * b + v * c;
      int i = -1;
      if (!normals.empty())
        i = grid.Nearest(p,
                         [&](int j) { return dot(normals[static_cast<std::size_t>(j)], normal2) > least; });
      if (i < 0) i = grid.Nearest(p, [](int) { return true; });
      const auto at = static_cast<std::size_t>(i);
      cells.areas[at] += share;
      cells.centroids[at] += share * p;
      cells.normals[at] += share * normal2 / norm(normal2);
      if (norm2(points[at] - p) > 64 * spacing * spacing) alone += share;
    };
    // Middles of the k^2 small triangles, upright and upside down.
    for (int i = 0; i < k; ++i) {
      CheckInterrupt();
      for (int j = 0; i + j < k; ++j) {
        give((i + 1.0 / 3) * step, (j + 1.0 / 3) * step);
        if (i + j + 1 < k) give((i + 2.0 / 3) * step, (j + 2.0 / 3) * step);
      }
    }
  }
  if (alone > 0.1 * total)
    throw Error("areas of sample points: " + ToText(std::round(100 * alone / total)) +
                " % of the surface is farther than " + ToText(8 * spacing) +
                " m from every point; spread the points over the whole surface, or give areas of your own");
  for (std::size_t i = 0; i < points.size(); ++i) {
    cells.centroids[i] = cells.areas[i] > 0 ? cells.centroids[i] / cells.areas[i] : points[i];
    cells.normals[i] = normalized(cells.normals[i]);
  }
  return cells;
}

std::vector<double> SampleAreas(const TriangleMesh& mesh, const std::vector<Vec3>& points,
                                const std::vector<Vec3>& normals) {
  return CellsOfSamples(mesh, points, normals).areas;
}

}  // namespace taxel
