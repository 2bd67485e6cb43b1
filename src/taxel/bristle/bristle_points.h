// The points of a pad that carry bristles, ordered so that those far from an object cost nothing.
#pragma once

#include <vector>

#include "taxel/math/box3.h"
#include "taxel/skin/layout_data.h"

namespace taxel {

/// Each point is a probe: it starts `depth` below the point, inside the pad, and ends at the point. In the
/// pad's frame P. Immutable; may be shared between threads.
class BristlePoints {
 public:
  BristlePoints() = default;
  /// @throws Error for a layout without points, or a depth that is not finite and positive.
  BristlePoints(Layout layout, double depth);

  const Layout& layout() const { return layout_; }
  int count() const { return layout_.count(); }
  double depth() const { return depth_; }
  const Vec3& tip(int i) const { return layout_.points[i]; }
  const Vec3& direction(int i) const { return layout_.normals[i]; }  ///< out of the pad
  Vec3 base(int i) const { return tip(i) - depth_ * direction(i); }

  /// Points that are near each other: members()[first .. first + count), inside `box` with their whole
  /// probes.
  struct Cluster {
    Box3 box;
    int first, count;
  };
  const std::vector<Cluster>& clusters() const { return clusters_; }
  const std::vector<int>& members() const { return members_; }  ///< a permutation of the points
  const Box3& box() const { return box_; }                      ///< of all probes

 private:
  Layout layout_;
  double depth_ = 0;
  Box3 box_;
  std::vector<Cluster> clusters_;
  std::vector<int> members_;
};

}  // namespace taxel
