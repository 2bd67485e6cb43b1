// How much of a surface each taxel of a free list stands for.
#pragma once

#include <vector>

#include "taxel/shape/triangle_mesh.h"

namespace taxel::internal {

/// Area of the part of `surface` that belongs to each taxel, m2: the points x with
///     |x - p_i| <= |x - p_j| for all j that face x,   |x - p_i| <= radius,   taxel i faces x,
/// where a taxel faces a triangle of unit normal n when n . n_i >= least_cosine. (So the back of a thin
/// finger does not count for a taxel on its front.)
///
/// Exact for the triangles up to rounding, about 1e-12 of the area: in the plane of a triangle the part
/// nearest to a taxel is a convex polygon, and polygon with disc has a closed form. Big triangles are halved
/// until few taxels compete for a piece; pieces beyond every radius are skipped.
///
/// @param least_cosine 0: normals within 90 degrees. A hair above 0 keeps a taxel on a box's face off the
/// walls
///                     beside it, a hair below 0 gives it its share of them.
/// `radius` may be infinite. Taxels at the same point: the first one gets all.
std::vector<double> TaxelAreas(const TriangleMesh& surface, const std::vector<Vec3>& points,
                               const std::vector<Vec3>& normals, double radius, double least_cosine);

}  // namespace taxel::internal
