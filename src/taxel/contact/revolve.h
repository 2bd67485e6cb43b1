// Curved primitives as facets and cells, made for one query where the bodies meet.
#pragma once

#include <vector>

#include "taxel/contact/approach.h"
#include "taxel/contact/cell.h"

namespace taxel::internal {

/// A sphere, ellipsoid, capsule or cylinder is a curve (the profile) turned about an axis; an ellipsoid is a
/// stretched sphere. Cutting the profile at points k and the circle at angles i gives flat facets (k, i):
/// trapezoids, triangles at the poles. Joined to its part of the medial axis each facet makes a cell in which
/// the distance-based field is linear.
///
///        k=0 ___
///          /  |  \     facet (k, i)
///     k=1 /___|___\    its edge at k = 1
///         \ medial /
///
/// The cuts are fine where the bodies meet (Approach) and grow away from there, so the number of facets does
/// not depend on the depth of the contact: a shallow touch is as accurate, relative to its force, as a deep
/// one.
///
/// An inscribed facet lies inside the true surface by up to s = R a^2 / 2 (a: half its angle), on average by
/// 2 s / 3. All vertices are therefore moved outwards by the factor 1 / sqrt(cos^2 a + sin^2 a / 3), which
/// makes the mean of the squared radius over a facet right: what is left of the error in the force is of
/// higher order in a.
struct RevolveOptions {
  int facets_across = 10;
  double resolution = 0;   ///< facet size, m; 0: from facets_across and the approach
  bool cap_bounds = true;  ///< B is convex: skip what lies outside the cap of the approach
};

/// Cuts for one body; the memory is kept between queries.
class RevolvedShape {
 public:
  /// @param approach seen from this body: n_A in its frame, towards the other.
  /// @param tangent  any direction in the body's frame; fixes where the angle starts on a sphere or
  /// ellipsoid, so that
  ///                 two balls get matching cuts.
  void Cut(const Primitive& shape, const Approach& approach, const Vec3& tangent,
           const RevolveOptions& options);

  /// Appends cells whose depth u runs from 0 at the surface to 1 at the medial axis, times `depth_scale`.
  void AppendCells(double depth_scale, std::vector<Cell>* cells);
  void AppendFacets(std::vector<Facet>* facets);

 private:
  struct ProfilePoint {
    double rho, z;                // outer
    double medial_rho, medial_z;  // where the inward ray from it meets the medial axis
  };

  void CutBall(double radius_of_curvature, double depth_fraction, const Approach& approach,
               const RevolveOptions& options);
  void CutCapsule(const Capsule& shape, const Approach& approach, const RevolveOptions& options);
  void CutCylinder(const Cylinder& shape, const Approach& approach, const RevolveOptions& options);
  /// Angles symmetric about `center`: steps of `step` within +-half, growing beyond.
  void CutCircle(double center, double half, double step, bool uniform);
  void AddProfile(double phi, double z_center, double radius, double kappa);
  /// Fills the corners.
  void Place(bool medial);
  bool InCap(const Vec3& p) const { return dot(cap_n_, p) >= cap_offset_; }

  Mat3 frame_;  // columns: e1, e2, axis, stretched for an ellipsoid
  std::vector<ProfilePoint> profile_;
  std::vector<double> cos_, sin_;  // first and last are the same angle
  std::vector<double> angles_;
  double kappa_theta_ = 1;
  bool squat_ = false;  // cells also end at the medial plane
  double umax_ = 1;
  struct Corner {
    Vec3 outer, medial;
    bool in_cap;  // either of them
  };
  std::vector<Corner> corners_;  // (k, i) at k (N + 1) + i
  std::vector<Vec3> sides_;      // unit normals of the half planes at the angles
  Vec3 cap_n_;
  double cap_offset_ = 0;  // skip what has no corner with cap_n . x >= cap_offset
};

}  // namespace taxel::internal
