#include "taxel/contact/anchors.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "taxel/math/error.h"
#include "taxel/math/interrupt.h"
#include "taxel/shape/sample_surface.h"

namespace taxel {
namespace {

constexpr double kReach = 1.5;   // R / spacing
constexpr double kFacing = 0.3;  // least cosine between an anchor's normal and that of the contact

}  // namespace

Anchors::Anchors(const TriangleMesh& surface, int count, std::uint64_t seed) {
  if (count < 1)
    throw Error("anchors: the number of anchors is " + std::to_string(count) + "; it must be at least 1");
  // A maximal Poisson-disk set holds about 0.7 area / r^2 points; never more than was asked for.
  double radius = std::sqrt(0.7 * SurfaceArea(surface) / count);
  std::vector<SurfaceSample> samples = SampleSurface(surface, radius, seed);
  for (int attempt = 0; attempt < 6 && static_cast<int>(samples.size()) > count; ++attempt) {
    radius *= 1.005 * std::sqrt(static_cast<double>(samples.size()) / count);
    samples = SampleSurface(surface, radius, seed);
  }
  if (static_cast<int>(samples.size()) > count)
    samples.resize(count);  // a closed surface needs more than a few
  for (const SurfaceSample& s : samples) {
    points_.push_back(s.point);
    normals_.push_back(s.normal);
  }
  spacing_ = radius;

  box_ = Box3{};
  for (const Vec3& p : points_) box_.Include(p);
  const Vec3 size = box_.size();
  for (int a = 0; a < 3; ++a) {
    cells_[a] = std::clamp(static_cast<int>(std::ceil(2 * size[a] / spacing_)), 1, 64);
    inverse_cell_[a] = size[a] > 0 ? cells_[a] / size[a] : 0.0;
  }
  // Anchor a can serve a point x when r_a^2 - r_b^2 < R^2 for every other b that faces the same way. The
  // difference is linear in x, so its least value over a voxel is at a corner; the near b decide.
  const double R2 = kReach * kReach * spacing_ * spacing_;
  std::vector<std::vector<int>> rivals(points_.size());
  for (int a = 0; a < this->count(); ++a) {
    CheckInterrupt();
    for (int b = 0; b < this->count(); ++b)
      if (a != b && dot(normals_[a], normals_[b]) > 0.96 && norm(points_[a] - points_[b]) < 2.5 * spacing_)
        rivals[a].push_back(b);
  }
  start_.push_back(0);
  for (int k = 0; k < cells_[2]; ++k)
    for (int j = 0; j < cells_[1]; ++j)
      for (int i = 0; i < cells_[0]; ++i) {
        CheckInterrupt();
        Vec3 half, middle;
        const int index[3] = {i, j, k};
        for (int a = 0; a < 3; ++a) {
          half[a] = 0.5 * size[a] / cells_[a];
          middle[a] = box_.lo[a] + (2 * index[a] + 1) * half[a];
        }
        for (int a = 0; a < this->count(); ++a) {
          const bool needed = std::all_of(rivals[a].begin(), rivals[a].end(), [&](int b) {
            const double at_middle = norm2(middle - points_[a]) - norm2(middle - points_[b]);
            return at_middle - 2 * dot(cwise_abs(points_[b] - points_[a]), half) < R2;
          });
          if (needed) list_.push_back(a);
        }
        start_.push_back(static_cast<std::int32_t>(list_.size()));
      }
}

int Anchors::Find(const Vec3& p, const Vec3& n, Weight* weights) const {
  int index[3];
  for (int a = 0; a < 3; ++a)
    index[a] = std::clamp(static_cast<int>((p[a] - box_.lo[a]) * inverse_cell_[a]), 0, cells_[a] - 1);
  const int voxel = (index[2] * cells_[1] + index[1]) * cells_[0] + index[0];
  const std::int32_t* list = list_.data() + start_[voxel];
  const int size = start_[voxel + 1] - start_[voxel];
  // First those that face the way the contact does, then any.
  for (const double least_cosine : {kFacing, -2.0}) {
    double least = std::numeric_limits<double>::infinity();
    for (int k = 0; k < size; ++k)
      if (dot(normals_[list[k]], n) > least_cosine) least = std::min(least, norm2(p - points_[list[k]]));
    const double R2 = kReach * kReach * spacing_ * spacing_;
    int written = 0;
    double sum = 0;
    for (int k = 0; k < size && written < kMaxWeights; ++k) {
      const int a = list[k];
      const double t = 1 - (norm2(p - points_[a]) - least) / R2;
      if (t <= 0 || dot(normals_[a], n) <= least_cosine) continue;
      weights[written++] = {a, t * t};
      sum += t * t;
    }
    if (!(sum > 0)) continue;
    for (int k = 0; k < written; ++k) weights[k].weight /= sum;
    return written;
  }
  return 0;
}

}  // namespace taxel
