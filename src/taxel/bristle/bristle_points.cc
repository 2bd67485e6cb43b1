#include "taxel/bristle/bristle_points.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "taxel/math/error.h"

namespace taxel {
namespace {

// Halving ends here, so clusters hold 17 to 32 points (fewer only where a pad has fewer).
constexpr int kLargestCluster = 32;

std::string Text(const Vec3& v) { return ToText(v.x) + " " + ToText(v.y) + " " + ToText(v.z); }

void Check(const Layout& layout, double depth) {
  if (layout.points.empty())
    throw Error("bristles: the layout has no points; give at least one, or leave the bristles out");
  if (layout.count() > kMaxTaxels)
    throw Error("bristles: the layout has " + std::to_string(layout.count()) + " points, more than " +
                std::to_string(kMaxTaxels) + ": make it coarser, or split the pad");
  if (layout.normals.size() != layout.points.size())
    throw Error("bristles: the layout has " + std::to_string(layout.count()) + " points but " +
                std::to_string(layout.normals.size()) + " normals; give one normal a point");
  if (!std::isfinite(depth) || !(depth > 0))
    throw Error("bristles: depth is " + ToText(depth) +
                "; it must be finite and greater than 0 (metres): the greatest penetration, at most the "
                "thickness of the pad");
  for (int i = 0; i < layout.count(); ++i) {
    const std::string who = "bristles: point " + std::to_string(i);
    if (!is_finite(layout.points[i]))
      throw Error(who + " is at " + Text(layout.points[i]) + "; it must be finite (metres)");
    // Negated so that NaN fails too. Layouts are unit to 1e-14; files may come rounded.
    if (!(std::fabs(norm(layout.normals[i]) - 1) < 1e-6))
      throw Error(who + " has the normal " + Text(layout.normals[i]) + " of length " +
                  ToText(norm(layout.normals[i])) + "; divide it by its length");
  }
}

}  // namespace

BristlePoints::BristlePoints(Layout layout, double depth) : layout_(std::move(layout)), depth_(depth) {
  Check(layout_, depth_);
  members_.resize(layout_.points.size());
  std::iota(members_.begin(), members_.end(), 0);
  const auto halve = [&](auto& self, int begin, int end) -> void {
    const auto first = members_.begin() + begin, last = members_.begin() + end;
    if (end - begin <= kLargestCluster) {
      std::sort(first, last);
      Cluster cluster{{}, begin, end - begin};
      for (auto i = first; i != last; ++i) {
        cluster.box.Include(tip(*i));
        cluster.box.Include(base(*i));
      }
      box_.Include(cluster.box);
      clusters_.push_back(cluster);
      return;
    }
    Box3 tips;
    for (auto i = first; i != last; ++i) tips.Include(tip(*i));
    const Vec3 extent = tips.size();
    const int axis = extent.x >= extent.y && extent.x >= extent.z ? 0 : (extent.y >= extent.z ? 1 : 2);
    const int middle = begin + (end - begin) / 2;
    std::nth_element(first, members_.begin() + middle, last, [&](int a, int b) {
      const double xa = tip(a)[axis], xb = tip(b)[axis];
      return xa < xb || (xa == xb && a < b);  // by index where equal: the same on every library
    });
    self(self, begin, middle);
    self(self, middle, end);
  };
  halve(halve, 0, count());
}

}  // namespace taxel
