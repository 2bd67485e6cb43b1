#include "taxel/contact/anchors.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include "taxel/math/error.h"
#include "taxel/math/interrupt.h"
#include "taxel/math/lanes.h"
#include "taxel/shape/sample_surface.h"

namespace taxel {
using namespace internal;
namespace {

constexpr double kReach = 1.5;  // R / spacing
constexpr double kFar = 1e30;   // m2
constexpr int kKeep = 64;
constexpr double kFacing = 0.3;  // least cosine between an anchor's normal and that of the contact

// For each of the sixteen sets of four lanes the mask that selects it.
struct LanesOf {
  LaneMask masks[16];
  LanesOf() {
    for (int bits = 0; bits < 16; ++bits)
      for (int l = 0; l < 4; ++l) masks[bits][l] = bits >> l & 1 ? -1 : 0;
  }
};
const LanesOf kLanesOf;

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
  MakeGroups();
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
        const auto needed = [&](int a) {
          return std::all_of(rivals[a].begin(), rivals[a].end(), [&](int b) {
            const double at_middle = norm2(middle - points_[a]) - norm2(middle - points_[b]);
            return at_middle - 2 * dot(cwise_abs(points_[b] - points_[a]), half) < R2;
          });
        };
        for (int g = 0; g < static_cast<int>(groups_.size()); ++g) {
          std::int32_t bits = 0;
          for (int l = 0; l < 4; ++l)
            if (groups_[g].anchor[l] >= 0 && needed(groups_[g].anchor[l])) bits |= 1 << l;
          if (bits) list_.push_back({g, bits});
        }
        start_.push_back(static_cast<std::int32_t>(list_.size()));
      }
  list_.shrink_to_fit();
}

void Anchors::MakeGroups() {
  // Of those left, the first one and the three nearest to it.
  std::vector<char> taken(points_.size(), 0);
  for (int first = 0; first < count(); ++first) {
    if (taken[first]) continue;
    int members[4] = {first}, size = 1;
    taken[first] = 1;
    for (; size < 4; ++size) {
      int nearest = -1;
      double least = kFar;
      for (int a = first + 1; a < count(); ++a) {
        const double r2 = norm2(points_[a] - points_[first]);
        if (!taken[a] && r2 < least) nearest = a, least = r2;
      }
      if (nearest < 0) break;
      taken[nearest] = 1;
      members[size] = nearest;
    }
    Group group{};
    for (int l = 0; l < 4; ++l) {
      const int a = members[std::min(l, size - 1)];
      group.anchor[l] = l < size ? a : -1;
      group.x[l] = points_[a].x, group.y[l] = points_[a].y, group.z[l] = points_[a].z;
      group.nx[l] = normals_[a].x, group.ny[l] = normals_[a].y, group.nz[l] = normals_[a].z;
    }
    groups_.push_back(group);
  }
}

int Anchors::Find(const Vec3& p, const Vec3& n, Weight* weights) const {
  int index[3];
  for (int a = 0; a < 3; ++a)
    index[a] = std::clamp(static_cast<int>((p[a] - box_.lo[a]) * inverse_cell_[a]), 0, cells_[a] - 1);
  const int voxel = (index[2] * cells_[1] + index[1]) * cells_[0] + index[0];
  const Entry* list = list_.data() + start_[voxel];
  const int size = start_[voxel + 1] - start_[voxel];
  // Squared distances of a group; of those that are not needed or look elsewhere far more than any.
  const auto distances = [&](const Entry& e, double least_cosine) {
    const Group& g = groups_[e.group];
    const Lanes dx = p.x - LoadLanes(g.x), dy = p.y - LoadLanes(g.y), dz = p.z - LoadLanes(g.z);
    const Lanes cosine = LoadLanes(g.nx) * n.x + LoadLanes(g.ny) * n.y + LoadLanes(g.nz) * n.z;
    return (kLanesOf.masks[e.needed] & (cosine > least_cosine)) ? dx * dx + dy * dy + dz * dz
                                                                : AllLanes(kFar);
  };
  const double R2 = kReach * kReach * spacing_ * spacing_;
  // First those that face the way the contact does, then any.
  Lanes kept[kKeep];  // distances of the first pass, as far as there is room
  for (const double least_cosine : {kFacing, -2.0}) {
    Lanes nearest = AllLanes(kFar);
    for (int k = 0; k < size; ++k) {
      const Lanes r2 = distances(list[k], least_cosine);
      if (k < kKeep) kept[k] = r2;
      nearest = r2 < nearest ? r2 : nearest;
    }
    const double least = std::min({nearest[0], nearest[1], nearest[2], nearest[3]});
    if (least >= kFar) continue;
    const double reach = (least + R2) * (1 + 1e-12);  // none beyond; who is within is told below
    int written = 0;
    for (int k = 0; k < size; ++k) {
      const Lanes r2 = k < kKeep ? kept[k] : distances(list[k], least_cosine);
      for (int bits = Bits(r2 < reach); bits; bits &= bits - 1) {
        const int l = std::countr_zero(static_cast<unsigned>(bits));
        const double t = 1 - (r2[l] - least) / R2;
        if (t <= 0) continue;
        const Weight weight{groups_[list[k].group].anchor[l], t * t};
        if (written < kMaxWeights) {
          weights[written++] = weight;
          continue;
        }
        // More than there is room for: those of the least numbers, whatever group they are in.
        Weight* last = std::max_element(weights, weights + kMaxWeights,
                                        [](const Weight& x, const Weight& y) { return x.anchor < y.anchor; });
        if (weight.anchor < last->anchor) *last = weight;
      }
    }
    double sum = 0;
    for (int k = 0; k < written; ++k) sum += weights[k].weight;
    if (!(sum > 0)) continue;
    for (int k = 0; k < written; ++k) weights[k].weight /= sum;
    return written;
  }
  return 0;
}

std::vector<int> Anchors::OfColumns(const ColumnSkin& skin) const {
  std::vector<int> out;
  out.reserve(skin.columns.size());
  for (const Column& c : skin.columns) {
    Weight found[kMaxWeights];
    const int n = Find(c.p, c.d, found);
    out.push_back(std::max_element(found, found + n, [](const Weight& a, const Weight& b) {
                    return a.weight < b.weight;
                  })->anchor);
  }
  return out;
}

}  // namespace taxel
