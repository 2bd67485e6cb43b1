// How deep two bodies overlap, and in which direction: the scale that sets the facets of curved shapes.
#pragma once

#include "taxel/contact/body_data.h"

namespace taxel::internal {

/// The overlap of A with B lies in the cap {x in A: n . x >= h_A(n) - depth}, h_A the support function of A.
struct Approach {
  bool separated = false;  ///< a plane lies between the bodies: no contact
  Vec3 n_A;                ///< unit, from A towards B, in the frame of A
  double depth = 0;        ///< m
  /// Half the angle under which the overlap is seen from A's core when B is not convex; 0 when the cap bounds
  /// it.
  double spread = 0;
};

/// The point of a bounded primitive that is farthest along `direction` (any length > 0), and that distance.
Vec3 SupportPoint(const Primitive& shape, const Vec3& direction);

/// Two primitives, at most one of them a half space. Minimises the width of the overlap over directions from
/// a handful of starts (centres, face normals) by descent on the support function of A - B. Any direction
/// gives a valid cap; the best one gives a tight one.
Approach ApproachOfPrimitives(const Primitive& A, const Pose& X_AB, const Primitive& B);

/// A sphere, ellipsoid, cylinder or capsule A against the surface triangles of a mesh B: the greatest depth
/// of B's surface in A, and the direction in which it lies. `separated` when no triangle enters A and A's
/// centre is not in B.
Approach ApproachOfMesh(const Primitive& A, const Pose& X_AB, const BodyData& B);

}  // namespace taxel::internal
