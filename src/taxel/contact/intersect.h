// The two kernels: a facet in a cell, and two cells with equal pressure; and the sink that collects their
// faces.
#pragma once

#include <algorithm>
#include <vector>

#include "taxel/contact/clip.h"
#include "taxel/contact/contact_options.h"
#include "taxel/contact/surface.h"
#include "taxel/field/stiffening.h"

namespace taxel::internal {

/// The pressure in one layer of a piece with the given depth.
inline Linear PressureIn(const Layer& layer, const Linear& depth) {
  return {layer.slope * depth.n, layer.slope * depth.d + layer.offset};
}

/// Whether the angle between the unit vector n and a gradient has at least this cosine. A zero gradient has
/// no direction to disagree with. Squared, because a square root per candidate shows in the profile.
inline bool Along(const Vec3& n, const Vec3& gradient, double cosine) {
  const double along = dot(n, gradient), bound2 = cosine * cosine * norm2(gradient);
  if (bound2 == 0) return cosine < 0 || along > 0 || norm2(gradient) == 0;
  return cosine < 0 ? along >= 0 || along * along < bound2 : along > 0 && along * along > bound2;
}

/// Unit normal of the plane {p1 = p2}, along which the first's pressure rises against the second's, for
/// linear laws with gradients g1, g2. False: there is no plane, or the face is culled.
inline bool EqualNormal(const Vec3& g1, const Vec3& g2, double cull_cosine, Vec3* m) {
  *m = g1 - g2;
  const double length2 = norm2(*m);
  if (!(length2 > 0)) return false;
  *m = *m / std::sqrt(length2);
  return Along(*m, g1, cull_cosine) && Along(-*m, g2, cull_cosine);
}

/// A convex piece of a soft body in the frame K of the kernel.
struct SoftPiece {
  const Plane* planes;
  int num_planes;
  Linear depth;  ///< u(x)
  Vec3 center;   ///< sphere around what can be touched
  double radius;
  const std::vector<Layer>* law;
  double max_depth;  ///< of u there
  Vec3 axis = {};    ///< of the tube (cell.h)
  double width = 0;
};

/// Collects faces in the world frame. "First" is the soft body (or the first of two), n points out of the
/// second into the first; `flip` turns everything round when the caller's A is the second.
class FaceSink {
 public:
  FaceSink(const ContactOptions& options, bool flip, ContactSurface* surface);

  /// @param X_WK     pose of the kernel's frame
  /// @param polygon  in K, counter-clockwise about the unit normal n_K
  /// @param pressure linear function in K
  void Add(const Pose& X_WK, const Polygon& polygon, const Vec3& n_K, const Linear& pressure,
           double gradient_first, double gradient_second);
  /// What is added from now on belongs to this column of the first.
  void SetColumn(int column) { column_ = column; }
  /// ContactSurface::beyond.
  void SetBeyond() { out_.beyond = true; }
  /// Totals from what was added.
  void Finish();

  /// Least cosine between a face's normal and a body's pressure gradient, for linear laws and for any. A
  /// layer that is glued down (a law with several layers) can push, but not pull: whatever looks the other
  /// way in it is dropped, so its force is never attractive.
  double linear_cull_cosine() const { return cull_cosine_; }
  double cull_cosine(const std::vector<Layer>& law) const {
    return law.size() > 1 ? std::max(cull_cosine_, backed_cosine_) : cull_cosine_;
  }

 private:
  void AddFace(const Vec3* p_W, const double* p, int n, const Vec3& n_W, double gradient_first,
               double gradient_second);

  ContactSurface& out_;
  const Faces faces_;
  const bool flip_;
  const double cull_cosine_, backed_cosine_;
  int column_ = -1;
  Vec3 area_moment_, pressure_moment_, force_, torque_;
};

/// The part of a rigid facet (polygon with outward normal n_K) inside a soft piece, with its pressure.
void FacetInCell(const Pose& X_WK, const Polygon& facet, const Vec3& n_K, const SoftPiece& soft,
                 FaceSink* sink);

/// The points of two soft pieces where both pressures are equal.
void EqualPressure(const Pose& X_WK, const SoftPiece& first, const SoftPiece& second, FaceSink* sink);

}  // namespace taxel::internal
