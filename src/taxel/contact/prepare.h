// The steps that turn a shape into what a query reads.
#pragma once

#include <vector>

#include "taxel/contact/body_data.h"

namespace taxel::internal {

/// The six faces of a box.
std::vector<Facet> BoxFacets(const Box& box);
/// Radius of the largest inscribed ball; 0 for a half space.
double InscribedRadius(const Primitive& shape);
/// 0 at the surface, 1 at the medial axis, linear between; negative outside. For an ellipsoid 1 - |S^-1 x|,
/// as Drake has it; else distance / inscribed radius. Not for half spaces.
double RelativeDepth(const Primitive& shape, const Vec3& p);

/// Cells, columns and law of a soft primitive with kDistance, kBacked or kColumns.
void PrepareAnalyticField(BodyData* data);
/// Tetrahedra and nodal values of a soft primitive with kLaplace.
void PrepareLaplacePrimitive(BodyData* data);
/// Rigid triangles and their tree.
void PrepareSurface(const TriangleMesh& surface, BodyData* data);
/// Columns under a closed surface, which stays what touches.
void PrepareMeshColumns(const TriangleMesh& surface, BodyData* data);
/// Makes data, whose `surface` was filled anew with triangles that all have an area, a rigid body of them.
/// Keeps the memory of `data` and of `boxes` (scratch).
void RefillSurface(std::vector<Box3>* boxes, BodyData* data);
/// Soft tetrahedra.
/// @param surface   the outer surface as the user knows it (distances and layer faces refer to it)
/// @param depth     distance of each vertex to the surface, or nullptr: `surface` is BoundarySurface(tets),
/// the distance
///                  is measured here, and the greatest is the greatest depth, as Drake does for tetrahedra as
///                  given
void PrepareTets(TetMesh tets, const TriangleMesh& surface, const std::vector<double>* depth,
                 double max_depth, BodyData* data);
/// The cell of a tetrahedron that holds the point, with the given slack in barycentric units; nullptr
/// outside.
const TetCell* TetAt(const BodyData& data, const Vec3& p, double slack);
/// Pressure at a point by the tetrahedron that holds it.
double TetPressureAt(const BodyData& data, const Vec3& p);
/// The point of a mesh's surface nearest to p, and its triangle.
struct SurfacePoint {
  Vec3 p;
  int triangle = -1;
};
SurfacePoint NearestOnSurface(const BodyData& data, const Vec3& p);
/// Finds BodyData::middle, last of all.
void PrepareMiddle(BodyData* data);
/// Hash of shape, meshes and parameters.
std::uint64_t ContentHash(const BodyData& data);

}  // namespace taxel::internal
