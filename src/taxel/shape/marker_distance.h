// Signed distance of a gel pad or an indenter, in its own frame.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "taxel/shape/distance_lattice.h"
#include "taxel/shape/primitives.h"
#include "taxel/shape/triangle_mesh.h"

namespace taxel {

class MeshDistance;

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
  /// The mesh behind it; null for a primitive.
  const MeshDistance* mesh() const;
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
