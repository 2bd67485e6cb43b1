// Points spread over a triangle surface.
#pragma once

#include <cstdint>
#include <vector>

#include "taxel/shape/triangle_mesh.h"

namespace taxel {

struct SurfaceSample {
  Vec3 point;   ///< on the triangle
  Vec3 normal;  ///< unit, of the triangle
  int triangle = -1;
};

/// `count` independent points, uniform by area. Sample i depends on (mesh, seed, i) alone, so a longer list
/// begins with the shorter one. Triangles without area are never drawn. Throws Error when the mesh is bad
/// (CheckIndices) or has no area, or count is negative.
std::vector<SurfaceSample> UniformSurfaceSamples(const TriangleMesh& mesh, int count, std::uint64_t seed);

/// Poisson-disk samples: blue noise with a least spacing.
///
/// - No two samples whose normals are within 90 degrees (n_i . n_j >= 0) are nearer than `radius` (Euclidean,
/// metres).
///   Samples that face away from each other are not compared, so the two sides of a sheet thinner than
///   `radius` both get their share.
/// - Maximal: the surface is cut into pieces until each is wholly within `radius` of one sample, or has a
/// diameter
///   <= radius / 16 and no room for a sample at its middle. Hence every point of the surface (triangles
///   without area aside) is within 1.05 radius of a sample whose normal is within 90 degrees of its own.
///
/// Method: dart throwing. About 4 uniform candidates per expected sample, accepted when they are free; then
/// the cutting finds what is still bare and fills it. A hash grid finds the neighbours, so the time is
/// proportional to area / radius^2, plus the number of triangles. Same input and seed: same bits.
///
/// Expect about 0.7 area / radius^2 samples. Throws Error when the mesh is bad (CheckIndices) or has no area,
/// when `radius` is not finite and > 0, or when more than kMaxSurfaceSamples would be needed.
std::vector<SurfaceSample> SampleSurface(const TriangleMesh& mesh, double radius, std::uint64_t seed);

inline constexpr double kMaxSurfaceSamples = 1e7;

}  // namespace taxel
