// Signed distance of a gel pad or an indenter, in its own frame.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "taxel/contact/body.h"
#include "taxel/shape/primitives.h"
#include "taxel/shape/triangle_mesh.h"

namespace taxel {

/// Distances at the nodes origin + spacing (i, j, k), value (k ny + j) nx + i: plain arrays for kernels.
template <typename T>
struct DistanceLattice {
  const T* values = nullptr;
  int nx = 0, ny = 0, nz = 0;  ///< at least 2 each for TrilinearDistance
  T ox = 0, oy = 0, oz = 0;
  T spacing = 1;
};

/// Value of the node nearest to a point (halves go to the even number). False, and nothing is written, where
/// that node is not on the lattice.
template <typename T>
TAXEL_HD inline bool NearestDistance(const DistanceLattice<T>& g, T x, T y, T z, T* distance) {
  const T i = std::rint((x - g.ox) / g.spacing), j = std::rint((y - g.oy) / g.spacing),
          k = std::rint((z - g.oz) / g.spacing);
  if (!(i >= 0 && j >= 0 && k >= 0 && i < T(g.nx) && j < T(g.ny) && k < T(g.nz))) return false;
  *distance = g.values[(static_cast<std::size_t>(k) * g.ny + static_cast<std::size_t>(j)) * g.nx +
                       static_cast<std::size_t>(i)];
  return true;
}

/// Trilinear interpolation; outside the lattice the value at the nearest point of its box plus the distance
/// to that point (DistanceGrid's rule, and its bits). @pre the point is finite.
template <typename T>
TAXEL_HD inline T TrilinearDistance(const DistanceLattice<T>& g, T x, T y, T z) {
  const T p[3] = {x, y, z}, o[3] = {g.ox, g.oy, g.oz};
  const int n[3] = {g.nx, g.ny, g.nz};
  std::size_t cell[3];
  T at[3], out2 = 0;
  for (int k = 0; k < 3; ++k) {
    const T high = o[k] + g.spacing * T(n[k] - 1);
    const T q = p[k] < o[k] ? o[k] : (p[k] > high ? high : p[k]);
    const T s = (q - o[k]) / g.spacing;
    int i = static_cast<int>(s);
    i = i > n[k] - 2 ? n[k] - 2 : i;
    cell[k] = static_cast<std::size_t>(i);
    at[k] = s - T(i) > 1 ? T(1) : s - T(i);
    out2 += (p[k] - q) * (p[k] - q);
  }
  const std::size_t dy = g.nx, dz = static_cast<std::size_t>(g.nx) * g.ny;
  const T* v = g.values + (cell[2] * g.ny + cell[1]) * g.nx + cell[0];
  const auto mix = [](T a, T b, T s) { return a + s * (b - a); };
  const T low = mix(mix(v[0], v[1], at[0]), mix(v[dy], v[dy + 1], at[0]), at[1]);
  const T up = mix(mix(v[dz], v[dz + 1], at[0]), mix(v[dz + dy], v[dz + dy + 1], at[0]), at[1]);
  return mix(low, up, at[2]) + std::sqrt(out2);
}

/// One signed distance behind three ways to ask for it; negative inside, metres.
///
///     const MarkerDistance pad(Primitive{Box{{0.02, 0.025, 0.004}}});     // exact
///     const MarkerDistance quick = MarkerDistance(mesh, "gel").Trilinear(0.25e-3, 2e-3);
///     const MarkerDistance cached = pad.NearestVoxel(1e-3, 0.1);          // what the HydroShear release
///     asks
///
/// Immutable and cheap to copy; queries are const, take no memory and may run on many threads.
class MarkerDistance {
 public:
  enum class Kind { kExact, kTrilinear, kNearestVoxel };

  /// Throws Error for a size that is not finite and > 0.
  explicit MarkerDistance(const Primitive& shape);
  /// Throws Error, naming `name`, for a mesh that is not closed or faces inwards.
  MarkerDistance(TriangleMesh mesh, const std::string& name);
  /// The primitive of the body, or its surface.
  explicit MarkerDistance(const Body& body);

  /// The exact distance on a grid that reaches `margin` beyond the bounding box; see DistanceGrid for the
  /// error (at most sqrt(3)/2 spacing) and for the value beyond. Throws Error for a half space, a negative
  /// margin, or too many nodes.
  MarkerDistance Trilinear(double spacing, double margin) const;

  /// The exact distance at the nearest voxel centre, without interpolation. Voxel centres lie at
  /// origin + spacing (i, j, k) and reach `padding` beyond the bounding box; farther away the exact distance.
  /// Only where the lattice happens to lie decides on which side of a surface a voxel falls: this is a model
  /// of the published code (spacing 1 mm, padding 100 mm), not a choice for new work. `origin` defaults to
  /// the lower corner of the padded box.
  MarkerDistance NearestVoxel(double spacing, double padding, const Vec3* origin = nullptr) const;

  double Value(const Vec3& p) const;
  /// Unit gradient of the exact distance, whatever the kind: the outward normal at the nearest surface point.
  Vec3 Gradient(const Vec3& p) const;

  /// Outside this box Value is never below 0.
  const Box3& inside_box() const { return inside_box_; }
  Kind kind() const { return kind_; }
  /// The analytic shape behind it; null for a mesh.
  const Primitive* primitive() const;
  /// Of a grid; null for kExact.
  const DistanceLattice<double>* lattice() const { return kind_ == Kind::kExact ? nullptr : &lattice_; }

 private:
  struct Shape;
  double Exact(const Vec3& p) const;

  std::shared_ptr<const Shape> shape_;
  Kind kind_ = Kind::kExact;
  Box3 exact_box_, inside_box_;
  std::shared_ptr<const std::vector<double>> values_;
  DistanceLattice<double> lattice_;
};

}  // namespace taxel
