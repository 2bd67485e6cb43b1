// Lines against objects: each primitive against its own signed distance, meshes and lattices beside them.
#include "taxel/marker/object_height.h"

#include <gtest/gtest.h>

#include <cmath>

#include "taxel/contact/body.h"
#include "taxel/contact/body_distance.h"
#include "taxel/math/error.h"

namespace taxel {
namespace {

const Vec3 kUp = normalized(Vec3{0.2, -0.35, 1});

// The place found lies on the surface, and nothing before it is inside.
void CheckEntry(const MarkerDistance& shape, const ObjectHeight& height, double within) {
  int hits = 0;
  for (int i = -6; i <= 6; ++i)
    for (int j = -6; j <= 6; ++j) {
      const Vec3 from{i * 1.1e-3 + 1e-4, j * 0.9e-3 - 2e-4, -8e-3};
      constexpr double kLow = -9e-3;
      const double s = height.Along(from, kUp, kLow);
      double first = s;
      for (double t = kLow; t < 0.04; t += 5e-5)
        if (shape.Value(from + t * kUp) < -within) {
          first = t;
          break;
        }
      if (std::isinf(s)) {
        EXPECT_TRUE(std::isinf(first)) << i << " " << j;
        continue;
      }
      ++hits;
      EXPECT_NEAR(shape.Value(from + s * kUp), 0, within);
      EXPECT_LT(s, first + 6e-5);
    }
  EXPECT_GT(hits, 20);
}

TEST(ObjectHeight, PrimitivesAreMetWhereTheirDistanceEnds) {
  for (const Primitive& p :
       {Primitive{Sphere{5e-3}}, Primitive{Box{{8e-3, 6e-3, 10e-3}}}, Primitive{Cylinder{4e-3, 9e-3}},
        Primitive{Capsule{3e-3, 6e-3}}, Primitive{Ellipsoid{{6e-3, 4e-3, 3e-3}}}}) {
    SCOPED_TRACE(PrimitiveName(p));
    const MarkerDistance exact(p);
    CheckEntry(exact, ObjectHeight(exact, "object"), 1e-6);
    CheckEntry(exact, ObjectHeight(exact.Trilinear(0.2e-3, 2e-3), "object"), 1e-4);
  }
}

TEST(ObjectHeight, AMeshIsMetByRays) {
  const MarkerDistance mesh(Body(Primitive{Box{{8e-3, 6e-3, 10e-3}}}, {}).Surface(), "box");
  CheckEntry(mesh, ObjectHeight(mesh, "object"), 1e-9);
}

TEST(ObjectHeight, ALineThatBeginsInsideIsMetAtItsStart) {
  const MarkerDistance ball(Primitive{Sphere{5e-3}});
  EXPECT_EQ(ObjectHeight(ball, "o").Along({0, 0, 0}, {0, 0, 1}, -1e-3), -1e-3);
  const MarkerDistance mesh(Body(Primitive{Box{{8e-3, 6e-3, 10e-3}}}, {}).Surface(), "box");
  EXPECT_EQ(ObjectHeight(mesh, "o").Along({1e-4, 2e-4, 0}, {0, 0, 1}, -1e-3), -1e-3);
}

// The height's own slopes, across the line, say which way the surface looks.
TEST(ObjectHeight, NormalsAreSlopesOfHeights) {
  Vec3 e1, e2;
  MakeFrame(kUp, &e1, &e2);
  const auto check = [&](const MarkerDistance& shape, double step, double within) {
    const ObjectHeight height(shape, "object");
    int hits = 0;
    for (int i = -6; i <= 6; ++i)
      for (int j = -6; j <= 6; ++j) {
        const Vec3 from{i * 0.61e-3 + 1e-4, j * 0.53e-3 - 2e-4, -8e-3};
        const auto at = [&](const Vec3& aside) { return height.Along(from + aside, kUp, -9e-3); };
        const double s = at({});
        const double x = at(step * e1) - at(-step * e1), y = at(step * e2) - at(-step * e2);
        if (!std::isfinite(s) || !std::isfinite(x) || !std::isfinite(y)) continue;
        const Vec3 n = height.Normal(from + s * kUp);
        const double bend = std::fabs(at(step * e1) + at(-step * e1) - 2 * s) +
                            std::fabs(at(step * e2) + at(-step * e2) - 2 * s);
        if (bend > 0.1 * step) continue;  // an edge between them
        ++hits;
        EXPECT_NEAR(norm(n), 1, 1e-12);
        EXPECT_LT(dot(n, kUp), 0);
        EXPECT_NEAR(-dot(n, e1) / dot(n, kUp), x / (2 * step), within * (1 + std::fabs(x / step)));
        EXPECT_NEAR(-dot(n, e2) / dot(n, kUp), y / (2 * step), within * (1 + std::fabs(y / step)));
      }
    EXPECT_GT(hits, 40);
  };
  for (const Primitive& p :
       {Primitive{Sphere{5e-3}}, Primitive{Box{{8e-3, 6e-3, 10e-3}}}, Primitive{Cylinder{4e-3, 9e-3}},
        Primitive{Capsule{3e-3, 6e-3}}, Primitive{Ellipsoid{{6e-3, 4e-3, 3e-3}}}}) {
    SCOPED_TRACE(PrimitiveName(p));
    check(MarkerDistance(p), 1e-7, 1e-5);
    check(MarkerDistance(p).Trilinear(0.4e-3, 2e-3), 1e-6, 0.02);  // heights are known to 1e-8 m
  }
  check(MarkerDistance(Body(Primitive{Ellipsoid{{6e-3, 4e-3, 3e-3}}}, {}).Surface(), "egg"), 1e-7, 1e-5);
}

TEST(ObjectHeight, AHalfSpaceTurnedOver) {
  const ObjectHeight plane(MarkerDistance(Primitive{HalfSpace{}}), "plane");
  EXPECT_DOUBLE_EQ(plane.Along({0, 0, 1e-3}, {0, 0, -1}, -5e-3), 1e-3);
  EXPECT_DOUBLE_EQ(plane.Along({0, 0, -1e-3}, {0, 0, 1}, -5e-3), -5e-3);
}

TEST(ObjectHeight, VoxelsAreRefused) {
  const MarkerDistance ball(Primitive{Sphere{5e-3}});
  EXPECT_THROW(ObjectHeight(ball.NearestVoxel(1e-3, 5e-3), "object"), Error);
}

}  // namespace
}  // namespace taxel
