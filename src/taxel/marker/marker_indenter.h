// The object that presses into a gel: its distance and the points of its surface that are tracked.
#pragma once

#include <cstdint>
#include <vector>

#include "taxel/marker/marker_distance.h"

namespace taxel {

struct MarkerIndenter {
  MarkerDistance distance;
  std::vector<Vec3> points_I;   ///< on the surface, in the indenter's frame I
  std::vector<Vec3> normals_I;  ///< unit, outward, one a point; may be empty where no normal is needed
};

/// Poisson-disk points (SampleSurface) on the surface of a body, least spacing `radius`. Curved primitives:
/// moved from their facets onto the true surface, with its normals. Throws Error for a half space, whose
/// surface has no end, and for a mesh that is not closed.
MarkerIndenter SampleIndenter(const Body& body, double radius, std::uint64_t seed);
MarkerIndenter SampleIndenter(const TriangleMesh& mesh, double radius, std::uint64_t seed);

}  // namespace taxel
