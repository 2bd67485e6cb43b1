// Bodies, poses and closed forms that the contact tests share.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include "../shape/test_meshes.h"
#include "taxel/contact/body.h"
#include "taxel/contact/contact.h"

namespace taxel::test {

inline constexpr double kPi = std::numbers::pi;

inline BodyOptions Soft(double modulus) {
  BodyOptions o;
  o.modulus = modulus;
  return o;
}
inline BodyOptions Backed(double modulus, double thickness = 0) {
  BodyOptions o = Soft(modulus);
  o.field.kind = FieldKind::kBacked;
  o.field.thickness = thickness;
  return o;
}
inline BodyOptions Laplace(double modulus) {
  BodyOptions o = Soft(modulus);
  o.field.kind = FieldKind::kLaplace;
  return o;
}

inline Pose At(const Vec3& p) { return {Mat3{}, p}; }
inline Mat3 RandomRotation(std::uint64_t seed, std::uint64_t i) {
  return RotationAbout(UniformDirection(seed, i), Uniform(seed + 1, i, 0, 2 * kPi));
}
inline Pose RandomPose(std::uint64_t seed, std::uint64_t i, double reach) {
  return {RandomRotation(seed, i),
          UniformInBox(seed + 2, i, {-reach, -reach, -reach}, {reach, reach, reach})};
}

struct ForceAndArea {
  double force = 0, area = 0;
};
/// A sphere with p = E (1 - r/R) pressed d deep on a flat plate, or a plate with the same field on a sphere:
/// with h = R - d, a^2 = R^2 - h^2,
///     F = int_0^a 2 pi s E (1 - sqrt(s^2 + h^2) / R) ds = 2 pi E (a^2/2 - (R^3 - h^3) / (3 R)).
inline ForceAndArea SphereOnPlane(double E, double R, double d) {
  const double h = R - d, a2 = R * R - h * h;
  return {2 * kPi * E * (a2 / 2 - (R * R * R - h * h * h) / (3 * R)), kPi * a2};
}

/// The box |x| <= size / 2 as 12 triangles.
inline TriangleMesh BoxMesh(const Vec3& size) {
  TriangleMesh m;
  for (int i = 0; i < 8; ++i)
    m.vertices.push_back(
        {(i & 1 ? 0.5 : -0.5) * size.x, (i & 2 ? 0.5 : -0.5) * size.y, (i & 4 ? 0.5 : -0.5) * size.z});
  m.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                 {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  return m;
}

}  // namespace taxel::test
