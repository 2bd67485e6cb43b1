// Tetrahedra that fill a closed triangle surface and keep its sharp edges and corners.
#pragma once

#include <vector>

#include "taxel/shape/tet_mesh.h"
#include "taxel/shape/triangle_mesh.h"

namespace taxel {

/// Lengths in metres; 0 means: chosen from the body.
struct MesherOptions {
  /// Of the first lattice. Chosen for about 30,000 tetrahedra, but at least 0.5 and at most 1.5 times the
  /// radius of the inscribed balls in the thin parts of the body (thickness.h).
  double spacing = 0;
  double sharp_angle = 30 * 0.017453292519943295;  ///< radians between normals above which an edge is sharp
  /// Greatest distance between the middle of an outer edge and the surface. Chosen: 0.001 * volume^(1/3).
  double surface_tolerance = 0;
  /// An inner edge is split when the depth d at its middle and the mean of its ends differ by more than
  /// field_tolerance * max(d, field_floor * greatest depth).
  double field_tolerance = 0.05;
  double field_floor = 0.06;
  /// Edges below this part of the lattice spacing are not split.
  double shortest_edge = 0.1;
  int max_lattice_points = 4'000'000;
  int max_tets = 1'000'000;
  /// MeshInterior stops splitting, longest edges first, at this number, or at twice what the lattice started
  /// with where that is more, and says so (MeshedInterior::stopped). A noisy surface has creases everywhere,
  /// and no number of tetrahedra would follow them all. 0: never.
  int enough_tets = 150'000;
};

/// A meshed body and the distance of its vertices to the surface.
struct MeshedInterior {
  TetMesh mesh;  ///< all tetrahedra positive; conforming; the outer surface is closed
  /// One a vertex: distance to the input surface; 0 exactly for the vertices of the outer surface.
  std::vector<double> depth;
  double max_depth = 0;  ///< radius of the largest inscribed ball, to 1e-3 of itself; >= every depth
  double spacing = 0;    ///< of the lattice that was used
  bool stopped = false;  ///< enough_tets was reached before every wish for a split was met
  int corners = 0;       ///< sharp corners of the input ...
  int corners_kept = 0;  ///< ... and how many of them are vertices of the mesh, exactly
};

/// Meshes the inside of a closed surface, in three steps.
///
/// First a lattice along the body's favoured directions, its points labelled inside or outside
/// (dual_lattice.h). Then the outer vertices are brought to corners, sharp edges and the surface
/// (fit_surface.h). Last, edges are split (refine_tets.h) where the outer surface strays from the input, and
/// where depth, interpolated linearly on the tetrahedra, strays from the true distance. The latter has
/// creases (near a sharp convex edge it is the lesser of two distances); an edge is split at the crease, so
/// that the faces of the mesh follow it.
///
/// Thin walls need a fine lattice: a body is refused when `max_lattice_points` do not suffice for a cell
/// across a thin part. The volume must come out within 1 % of EnclosedVolume(surface), and the outer surface
/// must be closed; otherwise the spacing is halved, twice at most.
///
/// Measured on one core of a shared machine: the L of tests/data (6 cm, 2 cm thick) 4,800 tetrahedra, 0.03 s;
/// a mesh sphere of 2,000 triangles 22,000 and 0.6 s, of 82,000 triangles 18,000 and 7 s; a cup with a wall
/// of 3 mm 410,000 and 7 s.
///
/// Limits: a sharp edge that follows no lattice direction is kept within the surface tolerance, not exactly
/// everywhere; two corners closer than the spacing may end as one (corners_kept tells); all but a few
/// tetrahedra have quality (tet_edit.h) above 0.02, which is enough for interpolation and Laplace but not for
/// solid mechanics.
///
/// @param name used in messages
/// @throws Error when the surface is open, over-shared or flipped (the report of CheckWatertight), too thin
///         for the budget, or when the volume test fails to the end
MeshedInterior MeshInterior(const TriangleMesh& surface, const MesherOptions& options, const char* name);

/// Splits inner edges of a mesh from elsewhere (fTetWild, a CAD program) as in step 3, so that depth,
/// interpolated linearly, follows the true distance to the mesh's own outer surface. Tetrahedra that ignore
/// the creases of the distance make a body too soft: by a quarter for a dumbbell of 2,400 tetrahedra pressed
/// 1 mm deep. The outer surface stays as it is.
/// @throws Error for wrong options, for what CheckAndOrient refuses, or when `max_tets` do not suffice
MeshedInterior RefineForDepth(const TetMesh& mesh, const MesherOptions& options, const char* name);

}  // namespace taxel
