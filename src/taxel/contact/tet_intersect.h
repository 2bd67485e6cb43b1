// The kernels once more for tetrahedra, where most of the time goes: slicing and barycentric coordinates
// instead of planes.
#pragma once

#include "taxel/contact/intersect.h"

namespace taxel::internal {

/// What a tetrahedron of one body looks like in the frame of the other.
struct MovedTet {
  Vec3 center;
  Linear depth;

  MovedTet() = default;
  MovedTet(const Pose& X, const TetCell& tet) : center(X * tet.center), depth(Transform(X, tet.depth)) {}
};

/// The points of two tetrahedra, each in its own frame F or S, where both pressures are equal, for linear
/// laws p = slope u.
void EqualPressureOfTets(const Pose& X_WF, const Pose& X_SF, const TetCell& first, const MovedTet& first_S,
                         double slope1, const TetCell& second, const MovedTet& second_F, double slope2,
                         FaceSink* sink);

/// The same for a piece with a linear law, the first, and a tetrahedron, the second, both in the frame K.
void EqualPressureInTet(const Pose& X_WK, const SoftPiece& piece, const TetCell& tet, double slope,
                        FaceSink* sink);

/// The part of a rigid triangle or larger facet inside a tetrahedron, both in the frame K, for a linear law.
void FacetInTet(const Pose& X_WK, const Polygon& facet, const Vec3& n_K, const TetCell& tet, double slope,
                FaceSink* sink);

}  // namespace taxel::internal
