// Rays into a triangle mesh. Cases:
//   tilted torus, L prism: first hit against a loop over all triangles (Moeller-Trumbore in long double)
//   aimed at vertices and edges of closed meshes from inside: always a hit, and an odd count
//   integer cube: axis-parallel and diagonal rays exactly through vertices and edges, where every product is
//   exact count: odd from inside, even from outside; t_min, t_max; negative side of the origin; direction of
//   any length equal t goes to the least index; a ray within a face; triangles without area wrong input: zero
//   or not finite direction, not finite origin, NaN range
#include "taxel/shape/ray.h"

#include <gtest/gtest.h>

#include <cmath>

#include "taxel/math/error.h"
#include "taxel/shape/mesh_distance.h"
#include "test_meshes.h"

namespace taxel {
namespace {

using test::TiltedPose;
using test::UniformDirection;
using test::UniformInBox;

// First t, or infinity. `margin`: least weight seen (negative: how narrowly it missed).
double ReferenceHit(const TriangleMesh& mesh, const Ray& ray, double* margin) {
  using L = long double;
  double best = INFINITY;
  *margin = INFINITY;
  for (int i = 0; i < static_cast<int>(mesh.triangles.size()); ++i) {
    const Vec3 a = mesh.corner(i, 0), e1 = mesh.corner(i, 1) - a, e2 = mesh.corner(i, 2) - a,
               o = ray.origin - a;
    const Vec3& d = ray.direction;
    auto det = [](const Vec3& u, const Vec3& v, const Vec3& w) {
      return L(u.x) * (L(v.y) * w.z - L(v.z) * w.y) + L(u.y) * (L(v.z) * w.x - L(v.x) * w.z) +
             L(u.z) * (L(v.x) * w.y - L(v.y) * w.x);
    };
    const L all = det(e1, e2, -d);
    if (all == 0) continue;
    const L u = det(o, e2, -d) / all, v = det(e1, o, -d) / all, t = det(e1, e2, o) / all;
    if (t < 0) continue;
    *margin =
        std::min(*margin, static_cast<double>(std::min({std::fabs(u), std::fabs(v), std::fabs(1 - u - v)})));
    if (u >= 0 && v >= 0 && u + v <= 1) best = std::min(best, static_cast<double>(t));
  }
  return best;
}

TEST(Ray, FirstHitAgreesWithALoopOverAllTriangles) {
  for (const TriangleMesh& mesh : {test::Transformed(TiltedPose(), test::Torus(24, 16, 0.05, 0.02)),
                                   test::Transformed(TiltedPose(), test::LPrism(0.03, 0.04))}) {
    const MeshDistance distance(mesh);
    int hits = 0;
    for (int i = 0; i < 3000; ++i) {
      const Ray ray{UniformInBox(41, i, {-0.12, -0.12, -0.1}, {0.12, 0.12, 0.1}),
                    0.7 * UniformDirection(42, i)};
      double margin;
      const double expected = ReferenceHit(mesh, ray, &margin);
      const auto hit = CastRay(mesh, distance.bvh(), ray);
      if (margin < 1e-13) continue;  // undecidable for a method that rounds
      ASSERT_EQ(hit.has_value(), std::isfinite(expected));
      if (!hit) continue;
      ++hits;
      // 0.1 m away, grazing to a milliradian: 1e-16 * 0.1 / 0.7 / 1e-3.
      EXPECT_NEAR(hit->t, expected, 1e-13);
      const int t = hit->triangle;
      const Vec3 x =
          (1 - hit->u - hit->v) * mesh.corner(t, 0) + hit->u * mesh.corner(t, 1) + hit->v * mesh.corner(t, 2);
      EXPECT_LT(norm(x - (ray.origin + hit->t * ray.direction)), 1e-13);
    }
    EXPECT_GT(hits, 150);
  }
}

// From inside a closed surface there is no way out without a hit, wherever the ray is aimed.
TEST(Ray, NothingSlipsThroughVerticesAndEdges) {
  for (const TriangleMesh& mesh : {test::Transformed(TiltedPose(), test::Icosphere(3, 0.07)),
                                   test::Transformed(TiltedPose(), test::Torus(40, 30, 0.05, 0.02)),
                                   test::Transformed(TiltedPose(), test::LPrism(0.03, 0.04))}) {
    const MeshDistance distance(mesh);
    const Box3 box = BoundingBox(mesh);
    for (int k = 0, origins = 0; origins < 20; ++k) {
      const Vec3 o = UniformInBox(43, k, box.lo, box.hi);
      if (!distance.Inside(o)) continue;
      ++origins;
      for (int t = 0; t < static_cast<int>(mesh.triangles.size()); ++t)
        for (int c = 0; c < 3; ++c) {
          const Vec3 a = mesh.corner(t, c), b = mesh.corner(t, (c + 1) % 3);
          for (const Vec3& target : {a, 0.5 * (a + b), a + 0.31 * (b - a)}) {
            const Ray ray{o, target - o};
            ASSERT_TRUE(CastRay(mesh, distance.bvh(), ray).has_value());
            ASSERT_EQ(CountHits(mesh, distance.bvh(), ray) % 2, 1);
          }
        }
    }
  }
}

TEST(Ray, ExactHitsOnTheIntegerCube) {
  const int n = 4;
  const TriangleMesh cube = test::IntegerCube(n);
  const MeshDistance distance(cube);
  for (const Vec3& d : {Vec3{0, 0, 1}, Vec3{0, -1, 0}, Vec3{1, 0, 0}, Vec3{1, 1, 0}, Vec3{-1, 0, 1},
                        Vec3{1, -1, 1}, Vec3{1, 2, -3}, Vec3{-0.0, 0.0, -1}})
    for (int x = -n + 1; x < n; ++x)
      for (int y = -n + 1; y < n; ++y)
        for (int z = -n + 1; z < n; z += 3) {
          const Vec3 o{1.0 * x, 1.0 * y, 0.5 * z};
          const auto hit = CastRay(cube, distance.bvh(), {o, d});
          ASSERT_TRUE(hit.has_value());
          const Vec3 at = o + hit->t * d;
          EXPECT_NEAR(std::max({std::fabs(at.x), std::fabs(at.y), std::fabs(at.z)}), n, 1e-14);
          EXPECT_EQ(CountHits(cube, distance.bvh(), {o, d}), 1);             // inside, convex: one way out
          EXPECT_EQ(CountHits(cube, distance.bvh(), {o - 20.0 * d, d}), 2);  // through the whole cube
          EXPECT_EQ(CountHits(cube, distance.bvh(), {o, d, -INFINITY}), 2);  // the whole line
          EXPECT_EQ(CountHits(cube, distance.bvh(), {o + 20.0 * d, d}), 0);
          const auto from_outside = CastRay(cube, distance.bvh(), {o - 20.0 * d, d});
          ASSERT_TRUE(from_outside.has_value());
          EXPECT_LT(from_outside->t, 20);
        }
}

TEST(Ray, CountTellsInsideFromOutside) {
  const TriangleMesh mesh = test::Transformed(TiltedPose(), test::Torus(24, 16, 0.05, 0.02));
  const MeshDistance distance(mesh);
  for (int i = 0; i < 3000; ++i) {
    const Vec3 o = UniformInBox(44, i, {-0.1, -0.1, -0.1}, {0.1, 0.1, 0.1});
    const Ray ray{o, UniformDirection(45, i)};
    EXPECT_EQ(CountHits(mesh, distance.bvh(), ray) % 2 == 1, distance.Inside(o));
    const auto hits = AllHits(mesh, distance.bvh(), ray);
    EXPECT_EQ(static_cast<int>(hits.size()), CountHits(mesh, distance.bvh(), ray));
    for (std::size_t k = 1; k < hits.size(); ++k) EXPECT_LE(hits[k - 1].t, hits[k].t);
    // Ways in and out alternate.
    for (std::size_t k = 0; k < hits.size(); ++k)
      EXPECT_EQ(dot(AreaNormal2(mesh, hits[k].triangle), ray.direction) > 0, (hits.size() - 1 - k) % 2 == 0);
  }
}

TEST(Ray, RangeOfT) {
  const TriangleMesh cube = test::IntegerCube(1);
  const MeshDistance distance(cube);
  const Vec3 o{-3, 0.3, 0.2}, d{2, 0, 0};  // enters at t = 1, leaves at t = 2
  EXPECT_EQ(CastRay(cube, distance.bvh(), {o, d})->t, 1);
  EXPECT_EQ(CastRay(cube, distance.bvh(), {o, d, 1.5})->t, 2);
  EXPECT_EQ(CastRay(cube, distance.bvh(), {o, d, 1, 1})->t, 1);
  EXPECT_FALSE(CastRay(cube, distance.bvh(), {o, d, 1.1, 1.9}).has_value());
  EXPECT_FALSE(CastRay(cube, distance.bvh(), {o, -d}).has_value());
  EXPECT_EQ(CastRay(cube, distance.bvh(), {o, -d, -10, 0})->t, -2);
  EXPECT_FALSE(CastRay(cube, distance.bvh(), {o, d, 5, 3}).has_value());
}

TEST(Ray, EqualHitsGoToTheLeastIndex) {
  const TriangleMesh cube = test::IntegerCube(2);
  const MeshDistance distance(cube);
  for (const Vec3& v : cube.vertices) {
    const auto hit = CastRay(cube, distance.bvh(), {{}, v});
    ASSERT_TRUE(hit.has_value());
    EXPECT_EQ(hit->t, 1);
    int least = -1;  // first triangle with that corner
    for (int t = 0; least < 0; ++t)
      for (int c = 0; c < 3; ++c)
        if (cube.corner(t, c) == v) least = t;
    EXPECT_EQ(hit->triangle, least);
  }
}

TEST(Ray, WithinAFaceItHitsTheEdgesOfTheOthers) {
  const TriangleMesh cube = test::IntegerCube(1);
  const MeshDistance distance(cube);
  const auto hit = CastRay(cube, distance.bvh(), {{-3, 0.25, 1}, {1, 0, 0}});  // in the plane of the top face
  ASSERT_TRUE(hit.has_value());
  EXPECT_EQ(hit->t, 2);
}

TEST(Ray, TrianglesWithoutAreaAreNeverHit) {
  TriangleMesh mesh;
  mesh.vertices = {{0, 0, 0}, {1, 1, 0}, {2, 2, 0}};
  mesh.triangles = {{0, 1, 2}, {0, 0, 1}, {1, 1, 1}};
  const MeshDistance distance(mesh);
  EXPECT_FALSE(CastRay(mesh, distance.bvh(), {{1, 1, 5}, {0, 0, -1}}).has_value());
  EXPECT_FALSE(CastRay(mesh, Bvh{}, {{1, 1, 5}, {0, 0, -1}}).has_value());
}

TEST(Ray, RefusesWrongInput) {
  const TriangleMesh cube = test::IntegerCube(1);
  const MeshDistance distance(cube);
  EXPECT_THROW(CastRay(cube, distance.bvh(), {{}, {0, 0, 0}}), Error);
  EXPECT_THROW(CastRay(cube, distance.bvh(), {{}, {0, NAN, 1}}), Error);
  EXPECT_THROW(CountHits(cube, distance.bvh(), {{}, {INFINITY, 0, 0}}), Error);
  EXPECT_THROW(AllHits(cube, distance.bvh(), {{NAN, 0, 0}, {1, 0, 0}}), Error);
  EXPECT_THROW(CastRay(cube, distance.bvh(), {{}, {1, 0, 0}, NAN}), Error);
}

}  // namespace
}  // namespace taxel
