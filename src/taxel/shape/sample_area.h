// How much of a surface each of its sample points stands for.
#pragma once

#include <vector>

#include "taxel/shape/triangle_mesh.h"

namespace taxel {

/// Areas, one a point, whose sum is the area of the mesh: the surface is cut into pieces small against the
/// spacing of the points, and each goes to the nearest point whose normal is within 90 degrees of its own (to
/// the nearest of all where there is none). normals may be empty: then the nearest counts.
/// Throws Error for no point, a value that is not finite, or a mesh without area.
struct SampleCells {
  std::vector<double> areas;
  std::vector<Vec3> centroids;  ///< of each cell; the point itself where it has no area
  std::vector<Vec3> normals;    ///< unit, mean over the cell; zero where it has no area
};
/// Throws Error also when more than a tenth of the surface is farther than 8 spacings from every point that
/// faces the same way: such points do not stand for this surface.
SampleCells CellsOfSamples(const TriangleMesh& mesh, const std::vector<Vec3>& points,
                           const std::vector<Vec3>& normals);
std::vector<double> SampleAreas(const TriangleMesh& mesh, const std::vector<Vec3>& points,
                                const std::vector<Vec3>& normals);

}  // namespace taxel
