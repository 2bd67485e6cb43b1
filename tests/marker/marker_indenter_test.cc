// Points of an indenter: on the true surface, with its normals, as far apart as asked for.
#include "taxel/marker/marker_indenter.h"

#include <gtest/gtest.h>

#include "marker_scenes.h"

namespace taxel {
namespace {

TEST(SampleIndenter, LiesOnTheSurface) {
  const double radius = 1e-3;
  for (const Primitive& shape :
       {Primitive{Sphere{6e-3}}, Primitive{Box{{0.01, 0.008, 0.012}}}, Primitive{Cylinder{5e-3, 0.01}},
        Primitive{Capsule{4e-3, 0.01}}, Primitive{Ellipsoid{{5e-3, 7e-3, 4e-3}}}}) {
    const MarkerIndenter made = SampleIndenter(Body(shape, {}), radius, 2);
    ASSERT_EQ(made.points_I.size(), made.normals_I.size());
    ASSERT_GT(made.points_I.size(), 200u) << PrimitiveName(shape);
    for (std::size_t i = 0; i < made.points_I.size(); ++i) {
      const Vec3 &p = made.points_I[i], &n = made.normals_I[i];
      ASSERT_NEAR(made.distance.Value(p), 0, 1e-12) << PrimitiveName(shape);
      ASSERT_NEAR(norm(n), 1, 1e-12);
      // Outward: a step along the normal leads away by as much.
      ASSERT_NEAR(made.distance.Value(p + 1e-5 * n), 1e-5, 1e-8) << PrimitiveName(shape);
      for (std::size_t j = 0; j < i; ++j)  // moving onto a curved surface changes little
        if (dot(n, made.normals_I[j]) > 0.01) {
          ASSERT_GT(norm(p - made.points_I[j]), 0.95 * radius) << PrimitiveName(shape);
        }
    }
  }
}

}  // namespace
}  // namespace taxel
