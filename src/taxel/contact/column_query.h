// What a walk over columns is asked, and the faces that it hands out; both over its scalar.
#pragma once

#include <cmath>

#include "taxel/contact/body_data.h"
#include "taxel/contact/clip.h"
#include "taxel/math/box3.h"
#include "taxel/math/dual_vec3.h"

namespace taxel::internal {

/// A face of the contact in the frame of the columns: counter-clockwise about its normal, which points out of
/// S. Its pressure is linear in space.
template <typename T>
struct ColumnFace {
  int n = 0;
  typename SpaceOf<T>::Vector v[Polygon::kMax];
  typename SpaceOf<T>::Vector normal, pressure_slope;
  T pressure_at_0, gradient_first, gradient_second;
};

// A box seen from another frame.
inline Box3 Seen(const Pose& X, const Box3& box) {
  const Vec3 center = X * box.center(), half = 0.5 * box.size();
  Vec3 reach;
  for (int r = 0; r < 3; ++r)
    reach[r] = std::fabs(X.R(r, 0)) * half.x + std::fabs(X.R(r, 1)) * half.y + std::fabs(X.R(r, 2)) * half.z;
  reach += 1e-12 * (cwise_abs(center) + cwise_abs(X.p) + reach);
  return {center - reach, center + reach};
}

/// The bodies of a query over its scalar. `Motion` is a Pose, or one with derivatives.
template <typename T>
struct ColumnQuery {
  const BodyData &F, &S;
  typename SpaceOf<T>::Motion X_FS;
  Pose at;  ///< the value of X_FS
  // Factors of the moduli and thicknesses: 1, with derivatives where they are wanted.
  T stiffer_F = 1, longer_F = 1, stiffer_S = 1, longer_S = 1;
};

}  // namespace taxel::internal
