// Points on the surface of a solid, with the area each stands for.
#pragma once

#include <cstdint>
#include <vector>

#include "taxel/gel/solid_shape.h"

namespace taxel {

struct SkinPoints {
  std::vector<Vec3> points;   ///< on the surface, frame G
  std::vector<Vec3> normals;  ///< unit, outward
  std::vector<double> areas;  ///< m2; their sum is the area of the surface
  std::vector<int> faces;     ///< box: 0 .. 5 for -x, +x, -y, +y, -z, +z; else -1
};

/// About area / spacing^2 points.
///
/// - Box: each face is cut into round(side / spacing) cells along each of its sides (at least one), with a
///   point in the middle of each; its area is that of the cell. Order: by face, the lower axis slower.
/// - Other primitives: Poisson-disk samples (sample_surface.h), moved onto the true surface; areas of their
///   cells (sample_area.h), scaled to the true area.
/// - Mesh: the same on its triangles; normals are those of the triangles.
///
/// Throws Error for a spacing that is not finite and > 0, larger than the largest side of the bounding box,
/// or so small that more than kMaxSurfaceSamples points result.
SkinPoints SampleSkin(const SolidShape& solid, double spacing, std::uint64_t seed = 0);

/// Indices of the points whose normal is within `angle` (radians, 0 .. pi) of `direction`: the part bonded to
/// the hand, or the contact face. Throws Error for a direction that is zero or not finite and an angle out of
/// range; an empty result is no error.
std::vector<int> PointsFacing(const SkinPoints& skin, const Vec3& direction, double angle);

}  // namespace taxel
