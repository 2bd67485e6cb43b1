// Axis-aligned boxes.
#pragma once

#include <limits>

#include "taxel/math/vec3.h"

namespace taxel {

struct Box3 {
  static constexpr double kInf = std::numeric_limits<double>::infinity();
  Vec3 lo{kInf, kInf, kInf};
  Vec3 hi{-kInf, -kInf, -kInf};

  TAXEL_HD void Include(const Vec3& p) {
    lo = cwise_min(lo, p);
    hi = cwise_max(hi, p);
  }
  TAXEL_HD void Include(const Box3& b) {
    lo = cwise_min(lo, b.lo);
    hi = cwise_max(hi, b.hi);
  }
  TAXEL_HD Vec3 center() const { return 0.5 * (lo + hi); }
  TAXEL_HD Vec3 size() const { return hi - lo; }
  TAXEL_HD bool empty() const { return lo.x > hi.x; }
  TAXEL_HD bool Overlaps(const Box3& b) const {
    return lo.x <= b.hi.x && b.lo.x <= hi.x && lo.y <= b.hi.y && b.lo.y <= hi.y && lo.z <= b.hi.z &&
           b.lo.z <= hi.z;
  }
  /// Squared distance from p to the box; 0 inside.
  TAXEL_HD double Distance2(const Vec3& p) const {
    const Vec3 d = cwise_max(cwise_max(lo - p, p - hi), Vec3{});
    return norm2(d);
  }
};

}  // namespace taxel
