// Fixed points on a body's surface that remember friction.
#pragma once

#include <cstdint>
#include <vector>

#include "taxel/contact/columns.h"
#include "taxel/math/box3.h"
#include "taxel/shape/triangle_mesh.h"

namespace taxel {

/// A contact surface is made anew at each step and can carry no history; the skin can. Anchors are
/// Poisson-disk samples of the body's surface, in the body's frame; whatever is known at a point of a contact
/// surface is shared between the anchors near it, with weights that change continuously as the point moves.
///
/// Weights of point x: with r_i the distance to anchor i and r_0 the least of them,
///     w_i ~ max(0, 1 - (r_i^2 - r_0^2) / R^2)^2,   R = 1.5 spacing, sum 1.
/// Over a flat skin r_i^2 - r_0^2 does not depend on the depth of x below the skin, so a deep press does not
/// lose its anchors. Anchors that face away from the contact (the other side of a thin pad) are left out.
class Anchors {
 public:
  struct Weight {
    int anchor;
    double weight;
  };
  static constexpr int kMaxWeights = 32;

  Anchors() = default;
  /// At most `count` anchors, and about as many, on `surface` (its triangles wound outward). Throws Error for
  /// a surface without area or count < 1.
  Anchors(const TriangleMesh& surface, int count, std::uint64_t seed);

  int count() const { return static_cast<int>(points_.size()); }
  double spacing() const { return spacing_; }
  const std::vector<Vec3>& points() const { return points_; }
  const std::vector<Vec3>& normals() const { return normals_; }

  /// The anchors that share the point p (body frame) of a contact whose outward normal, as seen from this
  /// body, is n. Returns how many were written, at least 1.
  int Find(const Vec3& p, const Vec3& n, Weight* weights) const;
  /// For each column of the body the anchor that remembers for it: columns stay where they are on the skin,
  /// so that nothing jumps.
  std::vector<int> OfColumns(const ColumnSkin& skin) const;

 private:
  double spacing_ = 0;
  std::vector<Vec3> points_, normals_;
  // Four neighbours side by side, so that one vector operation looks at all of them.
  struct Group {
    double x[4], y[4], z[4], nx[4], ny[4], nz[4];
    std::int32_t anchor[4];
  };
  // Voxels over the box of the anchors; each lists the groups with anchors that a point in it can need, and
  // which of the four these are.
  struct Entry {
    std::int32_t group;
    std::int32_t needed;  // bit k: the k-th
  };
  void MakeGroups();
  Box3 box_;
  int cells_[3] = {1, 1, 1};
  Vec3 inverse_cell_;
  std::vector<Group> groups_;
  std::vector<std::int32_t> start_;
  std::vector<Entry> list_;
};

}  // namespace taxel
