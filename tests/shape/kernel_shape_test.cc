// Shapes as plain data, against MarkerDistance at random points inside, outside and far away. Cases:
//   - box, sphere, cylinder, capsule, half space in double: equal to rounding; in float to 1e-6 of the size
//   - trilinear and nearest-voxel lattices; beyond the voxels: 1 m
//   - gradients: unit and along the exact one, away from edges; at the middle of a sphere z
#include "taxel/shape/kernel_shape.h"

#include <gtest/gtest.h>

#include <cmath>

#include "taxel/shape/marker_distance.h"
#include "taxel/shape/to_kernel_shape.h"
#include "test_meshes.h"

namespace taxel {
using namespace internal;
namespace {

struct Case {
  Primitive shape;
  KernelShapeKind kind;
  double a, b, c;
};

const Case kCases[] = {
    {Box{{0.02, 0.03, 0.008}}, KernelShapeKind::kBox, 0.01, 0.015, 0.004},
    {Sphere{0.013}, KernelShapeKind::kSphere, 0.013, 0, 0},
    {Cylinder{0.007, 0.03}, KernelShapeKind::kCylinder, 0.007, 0.015, 0},
    {Capsule{0.006, 0.025}, KernelShapeKind::kCapsule, 0.006, 0.0125, 0},
    {HalfSpace{}, KernelShapeKind::kHalfSpace, 0, 0, 0},
};

template <typename T>
KernelShape<T> Make(const Case& c) {
  KernelShape<T> s;
  s.kind = c.kind, s.a = T(c.a), s.b = T(c.b), s.c = T(c.c);
  return s;
}

Vec3 Probe(std::uint64_t i) {
  const double r = i % 5 == 0 ? 0.2 : 0.025;
  return test::UniformInBox(17, i, {-r, -r, -r}, {r, r, r});
}

template <typename T>
Triple<T> At(const Vec3& p) {
  return {T(p.x), T(p.y), T(p.z)};
}

TEST(KernelShape, PrimitivesInDoubleAndFloat) {
  for (const Case& c : kCases) {
    const MarkerDistance exact(c.shape);
    const KernelShape<double> d = Make<double>(c);
    const KernelShape<float> f = Make<float>(c);
    int inside = 0;
    for (std::uint64_t i = 0; i < 4000; ++i) {
      const Vec3 p = Probe(i);
      const double want = exact.Value(p);
      inside += want < 0;
      EXPECT_NEAR(ShapeDistance(d, At<double>(p)), want, 1e-16);
      // float: 6e-8 of coordinates up to 0.35 m, a few times.
      EXPECT_NEAR(ShapeDistance(f, At<float>(p)), want, 1e-7);
    }
    EXPECT_GT(inside, 50);
  }
}

TEST(KernelShape, GradientsPointAwayFromTheSurface) {
  for (const Case& c : kCases) {
    const MarkerDistance exact(c.shape);
    const KernelShape<double> d = Make<double>(c);
    int compared = 0;
    for (std::uint64_t i = 0; i < 4000; ++i) {
      const Vec3 p = Probe(i);
      const Triple<double> g = ShapeGradient(d, At<double>(p));
      EXPECT_NEAR(Dot(g, g), 1, 1e-12);
      // The gradient jumps on the medial surface: skip points within the 20 um of the difference.
      const Vec3 want = exact.Gradient(p);
      bool smooth = true;
      for (int k = 0; k < 3; ++k)
        for (const double h : {-4e-5, 4e-5}) {
          Vec3 q = p;
          q[k] += h;
          smooth = smooth && norm(exact.Gradient(q) - want) < 0.05;
        }
      if (!smooth) continue;
      ++compared;
      // Curvature over 1e-5 m at a distance of 1e-3 m and more: 1e-4.
      EXPECT_LT(norm(Vec3{g.x, g.y, g.z} - want), 1e-3);
    }
    EXPECT_GT(compared, 3000);
  }
  const Triple<double> middle = ShapeGradient(Make<double>(kCases[1]), Triple<double>{});
  EXPECT_EQ(middle.z, 1);
}

TEST(KernelShape, Lattices) {
  const MarkerDistance exact(kCases[0].shape);
  const Vec3 origin{1e-4, -2e-4, 3e-4};
  const MarkerDistance smooth = exact.Trilinear(1.1e-3, 4e-3),
                       voxels = exact.NearestVoxel(1e-3, 5e-3, &origin);
  KernelShape<double> s, v;
  s.kind = KernelShapeKind::kTrilinear, s.lattice = *smooth.lattice();
  v.kind = KernelShapeKind::kNearest, v.lattice = *voxels.lattice();
  int far = 0;
  for (std::uint64_t i = 0; i < 4000; ++i) {
    const Vec3 p = Probe(i);
    EXPECT_EQ(ShapeDistance(s, At<double>(p)), smooth.Value(p));
    double d;
    if (NearestDistance(v.lattice, p.x, p.y, p.z, &d)) {
      EXPECT_EQ(ShapeDistance(v, At<double>(p)), voxels.Value(p));
    } else {
      EXPECT_EQ(ShapeDistance(v, At<double>(p)), 1);
      ++far;
    }
  }
  EXPECT_GT(far, 100);
  const Triple<double> up = ShapeGradient(s, Triple<double>{1e-3, 2e-3, 4.3e-3});
  EXPECT_NEAR(up.z, 1, 1e-12);
}

}  // namespace
}  // namespace taxel
