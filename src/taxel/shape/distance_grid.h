// A signed distance sampled on a grid and interpolated.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <vector>

#include "taxel/shape/mesh_distance.h"

namespace taxel::internal {

/// Trilinear interpolant f of a signed distance d on a grid of cubes with edge h.
///
/// Node (i, j, k) lies at origin + h (i, j, k) and is stored at values[(k ny + j) nx + i]. The grid covers
/// the box asked for and reaches at most h beyond it on the upper sides.
///
/// **Error.** f(p) = sum w_n d(x_n) over the 8 nodes of the cell, w_n >= 0, sum w_n = 1, sum w_n x_n = p. As
/// d is 1-Lipschitz, |f(p) - d(p)| <= sum w_n |d(x_n) - d(p)| <= sum w_n |x_n - p|, and by Jensen's
/// inequality
///     (sum w_n |x_n - p|)^2 <= sum w_n |x_n - p|^2 = h^2 (a (1 - a) + b (1 - b) + c (1 - c)) <= 3/4 h^2,
/// with a, b, c in [0, 1] the place of p in its cell: each axis adds the variance of a two-point
/// distribution. So
///     |f - d| <= sqrt(3)/2 h,
/// half the cell's diagonal. It is tight: d(p) = |p - cell centre| attains it at the centre. Where d is twice
/// differentiable over the cell, the error is at most h^2 / 8 (|d_xx| + |d_yy| + |d_zz|): second
/// order.
///
/// **Outside the grid's box**, with q the nearest point of the box: Value(p) = f(q) + |p - q|. This is
/// continuous, never less than d(p) less ErrorBound() (d is 1-Lipschitz), and equal to d only along rays that
/// leave the box straight away from the shape. Keep a margin around the shape when far values matter.
///
/// A point that is not finite gives NaN.
class DistanceGrid {
 public:
  /// Greatest number of nodes: 512 MiB of doubles.
  static constexpr std::size_t kMaxNodes = std::size_t{1} << 26;

  /// Samples `distance` at every node. Throws Error for an empty or not finite box, a spacing that is not
  /// finite and > 0, more than kMaxNodes nodes, or a sample that is not finite.
  DistanceGrid(const std::function<double(const Vec3&)>& distance, const Box3& box, double spacing);
  DistanceGrid(const MeshDistance& distance, const Box3& box, double spacing);

  double Value(const Vec3& p) const;
  /// Gradient of Value: of the trilinear polynomial inside a cell (on a face between cells, of the upper
  /// one); outside the box (p - q) / |p - q| plus the components of grad f(q) along the box's face. It is
  /// close to a unit vector, but is not normalised.
  Vec3 Gradient(const Vec3& p) const;
  /// sqrt(3)/2 h: |Value(p) - d(p)| is never more for p in the box.
  double ErrorBound() const;

  double spacing() const { return h_; }
  Box3 box() const;
  const std::array<int, 3>& shape() const { return n_; }
  const std::vector<double>& values() const { return values_; }

 private:
  struct Cell {
    std::size_t first;  // index of the cell's lowest node
    Vec3 at;            // place in the cell, [0, 1]^3
    Vec3 nearest;       // the point of the box nearest to p
  };
  Cell Locate(const Vec3& p) const;

  Vec3 origin_;
  double h_ = 0;
  std::array<int, 3> n_{};  // nodes along x, y, z; at least 2
  std::vector<double> values_;
};

}  // namespace taxel::internal
