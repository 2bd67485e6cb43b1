// Faces that the pressure's gradient meets edge-on.
#pragma once

#include <algorithm>
#include <cmath>

#include "taxel/contact/surface.h"

namespace taxel::internal {

/// Gradient of the pressure within a face, by Gauss: the boundary integral of p times the outward edge
/// normal.
inline Vec3 PressureGradientWithin(const ContactSurface& s, int face) {
  Vec3 sum;
  const int first = s.face_start[face], last = s.face_start[face + 1];
  for (int i = first; i < last; ++i) {
    const int j = i + 1 == last ? first : i + 1;
    sum += (0.5 * (s.pressures[i] + s.pressures[j])) * cross(s.vertices[j] - s.vertices[i], s.normals[face]);
  }
  return s.areas[face] > 0 ? sum / s.areas[face] : Vec3{};
}

/// 0 up to 0, 1 from 1 on, smooth between.
inline double SmoothStep(double t) {
  t = std::clamp(t, 0.0, 1.0);
  return t * t * (3 - 2 * t);
}

/// 1, fading to 0 for faces that the gradient meets edge-on. The side wall of a block pressed into a pad has
/// force without stiffness; opposite walls cancel, and friction has no hold on them.
/// @param along, within  gradient along the normal and in the face
inline double EdgeOnWeight(double along, double within) {
  const double whole = std::hypot(along, within);
  if (!(whole > 0)) return 1;
  return SmoothStep((along / whole - 0.1) / 0.2);
}

}  // namespace taxel::internal
