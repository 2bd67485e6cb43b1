#include "taxel/shape/bvh.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "taxel/math/interrupt.h"

namespace taxel {
namespace {

float RoundDown(double v) {
  const float f = static_cast<float>(v);
  return f > v ? std::nextafterf(f, -INFINITY) : f;
}
float RoundUp(double v) {
  const float f = static_cast<float>(v);
  return f < v ? std::nextafterf(f, INFINITY) : f;
}

double HalfArea(const Box3& b) {
  if (b.empty()) return 0;
  const Vec3 s = b.size();
  return s.x * s.y + s.y * s.z + s.z * s.x;
}

class Builder {
 public:
  Builder(const std::vector<Box3>& boxes, int leaf_size, bool medians, Bvh* out)
      : boxes_(boxes), leaf_(leaf_size), medians_(medians), out_(*out) {}

  void Build(std::int32_t node, int begin, int end, int depth) {
    if (end - begin > 4096) CheckInterrupt();
    Box3 box, centers;
    for (int i = begin; i < end; ++i) {
      box.Include(boxes_[out_.items[i]]);
      centers.Include(boxes_[out_.items[i]].center());
    }
    for (int k = 0; k < 3; ++k) {
      out_.nodes[node].lo[k] = RoundDown(box.lo[k]);
      out_.nodes[node].hi[k] = RoundUp(box.hi[k]);
    }
    if (end - begin <= leaf_) {
      out_.nodes[node].first = begin;
      out_.nodes[node].count = end - begin;
      return;
    }
    const int middle = Split(centers, begin, end, depth);
    const auto left = static_cast<std::int32_t>(out_.nodes.size());
    out_.nodes[node].first = left;
    out_.nodes[node].count = 0;
    out_.nodes.resize(out_.nodes.size() + 2);
    Build(left, begin, middle, depth + 1);
    Build(left + 1, middle, end, depth + 1);
  }

 private:
  static constexpr int kBins = 16;

  // Binned surface area heuristic; deep in the tree or without a useful cut, the median by centre.
  int Split(const Box3& centers, int begin, int end, int depth) {
    const Vec3 extent = centers.size();
    const int axis = extent.x >= extent.y && extent.x >= extent.z ? 0 : (extent.y >= extent.z ? 1 : 2);
    auto begin_it = out_.items.begin() + begin, end_it = out_.items.begin() + end;
    if (!medians_ && depth < 32 && end - begin > 8 && extent[axis] > 0) {
      Box3 bin_box[kBins];
      int bin_count[kBins] = {};
      auto bin_of = [&](int item) {
        const double t = (boxes_[item].center()[axis] - centers.lo[axis]) / extent[axis];
        return std::clamp(static_cast<int>(t * kBins), 0, kBins - 1);
      };
      for (auto it = begin_it; it != end_it; ++it) {
        const int b = bin_of(*it);
        bin_box[b].Include(boxes_[*it]);
        ++bin_count[b];
      }
      double right_cost[kBins] = {};
      Box3 box;
      int count = 0;
      for (int b = kBins - 1; b > 0; --b) {
        box.Include(bin_box[b]);
        count += bin_count[b];
        right_cost[b] = HalfArea(box) * count;
      }
      box = Box3{};
      count = 0;
      int best = -1;
      double best_cost = INFINITY;
      for (int b = 1; b < kBins; ++b) {
        box.Include(bin_box[b - 1]);
        count += bin_count[b - 1];
        const double cost = HalfArea(box) * count + right_cost[b];
        if (count > 0 && count < end - begin && cost < best_cost) best_cost = cost, best = b;
      }
      if (best > 0) {
        const auto it =
            std::stable_partition(begin_it, end_it, [&](int item) { return bin_of(item) < best; });
        const int middle = begin + static_cast<int>(it - begin_it);
        if (middle > begin && middle < end) return middle;
      }
    }
    const int middle = begin + (end - begin) / 2;
    std::nth_element(begin_it, out_.items.begin() + middle, end_it, [&](int a, int b) {
      const double ca = boxes_[a].center()[axis], cb = boxes_[b].center()[axis];
      return ca < cb || (ca == cb && a < b);
    });
    return middle;
  }

  const std::vector<Box3>& boxes_;
  const int leaf_;
  const bool medians_;
  Bvh& out_;
};

void Build(const std::vector<Box3>& boxes, int leaf_size, bool medians, Bvh* bvh) {
  bvh->nodes.clear();
  bvh->items.resize(boxes.size());
  if (boxes.empty()) return;
  std::iota(bvh->items.begin(), bvh->items.end(), 0);
  bvh->nodes.reserve(2 * boxes.size());
  bvh->nodes.resize(1);
  Builder(boxes, std::max(1, leaf_size), medians, bvh).Build(0, 0, static_cast<int>(boxes.size()), 0);
}

}  // namespace

Bvh BuildBvh(const std::vector<Box3>& boxes, int leaf_size) {
  Bvh bvh;
  Build(boxes, leaf_size, false, &bvh);
  bvh.nodes.shrink_to_fit();
  return bvh;
}

void RebuildBvh(const std::vector<Box3>& boxes, int leaf_size, Bvh* bvh) {
  Build(boxes, leaf_size, true, bvh);
}

}  // namespace taxel
