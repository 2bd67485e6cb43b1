// The object that presses into a gel: its distance and the points of its surface that are tracked.
#pragma once

#include <cstdint>
#include <vector>

#include "taxel/contact/body.h"
#include "taxel/shape/marker_distance.h"

namespace taxel {

struct MarkerIndenter {
  MarkerDistance distance;
  std::vector<Vec3> points_I;   ///< on the surface, in the indenter's frame I
  std::vector<Vec3> normals_I;  ///< unit, outward, one a point; may be empty where no normal is needed
  std::vector<double> areas;    ///< of the surface each point stands for, m^2; may be empty likewise
};

/// Poisson-disk points (SampleSurface) on the surface of a body, least spacing `radius`. Curved primitives:
/// moved from their facets onto the true surface, with its normals. Throws Error for a half space, whose
/// surface has no end, and for a mesh that is not closed. With the areas of SampleAreas.
MarkerIndenter SampleIndenter(const Body& body, double radius, std::uint64_t seed);
MarkerIndenter SampleIndenter(const TriangleMesh& mesh, double radius, std::uint64_t seed);

/// The same with each point moved to the middle of its cell, on the surface: sums over points then are exact
/// for what changes linearly over a cell, so that edges and corners, where no sample lies, are not missed.
/// For mode taxel; the published models take the samples themselves.
MarkerIndenter SampleCellMiddles(const Body& body, double radius, std::uint64_t seed);
MarkerIndenter SampleCellMiddles(const TriangleMesh& mesh, double radius, std::uint64_t seed);

/// Areas for points that were given (SampleAreas). Of spheres, boxes, cylinders and capsules they sum to the
/// area of the true surface, not of its facets.
std::vector<double> PointAreas(const Body& body, const std::vector<Vec3>& points_I,
                               const std::vector<Vec3>& normals_I);

}  // namespace taxel
