#include "taxel/marker/point_cloud.h"

#include "taxel/math/lanes.h"

namespace taxel {
using namespace internal;

PointCloud::PointCloud(const std::vector<Vec3>& points) : size_(static_cast<int>(points.size())) {
  const std::size_t n = points.size();
  for (std::size_t i = 0; i < (n + 3) / 4 * 4; ++i) {
    const Vec3& p = points[i < n ? i : n - 1];
    x_.push_back(p.x), y_.push_back(p.y), z_.push_back(p.z);
  }
}

void PointCloud::FindInBox(const Pose& X, const Box3& box, std::vector<int>* found) const {
  found->clear();
  const double* m = X.R.m;
  for (int i = 0; i < size_; i += 4) {
    const Lanes x = LoadLanes(&x_[i]), y = LoadLanes(&y_[i]), z = LoadLanes(&z_[i]);
    // In the order of Pose * Vec3, so that both round alike.
    const Lanes oz = m[6] * x + m[7] * y + m[8] * z + X.p.z;
    int inside = Bits(oz >= box.lo.z) & Bits(oz <= box.hi.z);
    if (!inside) continue;
    const Lanes ox = m[0] * x + m[1] * y + m[2] * z + X.p.x, oy = m[3] * x + m[4] * y + m[5] * z + X.p.y;
    inside &= Bits(ox >= box.lo.x) & Bits(ox <= box.hi.x) & Bits(oy >= box.lo.y) & Bits(oy <= box.hi.y);
    for (int k = 0; k < 4; ++k)
      if ((inside >> k & 1) && i + k < size_) found->push_back(i + k);
  }
}

}  // namespace taxel
