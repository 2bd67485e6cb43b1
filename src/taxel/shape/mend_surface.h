// Surfaces that touch from the wrong side, or twice.
#pragma once

#include "taxel/shape/triangle_mesh.h"

namespace taxel::internal {

/// What MendSurface changed.
struct SurfaceMend {
  int duplicates = 0;  ///< triangles that were listed before, with the same corners the same way round
  int parts = 0;       ///< closed parts that faced inwards
  int turned = 0;      ///< their triangles
  bool any() const { return duplicates > 0 || parts > 0; }
};

/// The surface with each triangle once; `count` says how many were listed before, with the same corners (by
/// their places) the same way round.
TriangleMesh WithoutDuplicates(const TriangleMesh& mesh, int* count);

/// The surface as a rigid body can use it. A triangle that is listed twice counts once (its pressure would
/// count double), and a closed part whose triangles face inwards is turned inside out (it would push nothing
/// away). Corners are compared by their places, so that split vertices (STL, seams) do no harm.
///
/// A closed part is what hangs together through edges that two triangles share, in opposite directions; open
/// parts have no inside and stay as they are, and so do the two sides of a sheet. A closed part of negative
/// volume within another closed part is the wall of a cavity, and stays.
TriangleMesh MendSurface(const TriangleMesh& mesh, SurfaceMend* mend);

}  // namespace taxel::internal
