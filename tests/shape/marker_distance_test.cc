// Distances of pads and indenters:
//   - exact: primitives and closed meshes; gradients
//   - trilinear: the same bits as DistanceGrid, also beyond the box; its error bound
//   - nearest voxel: the value of the rounded node, exact beyond; where the lattice lies matters
//   - never below 0 outside inside_box
//   - open meshes, meshes inside out, bad spacings
#include "taxel/shape/marker_distance.h"

#include <gtest/gtest.h>

#include "taxel/math/error.h"
#include "taxel/math/random.h"
#include "taxel/shape/distance_grid.h"
#include "taxel/shape/signed_distance.h"

namespace taxel {
using namespace internal;
namespace {

TriangleMesh Block() {
  TriangleMesh m;
  for (int i = 0; i < 8; ++i)
    m.vertices.push_back({0.01 * (i & 1), 0.02 * (i >> 1 & 1), 0.03 * (i >> 2 & 1)});
  m.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                 {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  return m;
}

Vec3 Probe(int i, double reach) {
  return {reach * (2 * RandomUniform(1, i) - 1), reach * (2 * RandomUniform(2, i) - 1),
          reach * (2 * RandomUniform(3, i) - 1)};
}

TEST(MarkerDistance, IsExactForPrimitivesAndMeshes) {
  const Primitive ball = Sphere{5e-3};
  const MarkerDistance of_ball(ball), of_block(Block(), "block");
  const Box box{{0.01, 0.02, 0.03}};
  const Vec3 middle{0.005, 0.01, 0.015};
  for (int i = 0; i < 3000; ++i) {
    const Vec3 p = Probe(i, 0.03);
    ASSERT_EQ(of_ball.Value(p), SignedDistance(ball, p));
    ASSERT_NEAR(of_block.Value(p), SignedDistance(box, p - middle), 1e-15);
    const Vec3 n = of_block.Gradient(p), want = SignedDistanceGradient(Primitive{box}, p - middle);
    if (std::fabs(of_block.Value(p)) > 1e-4 && norm(n - want) > 1e-9) {
      // Two faces equally near: either normal will do.
      const double step = 1e-7,
                   slope = (of_block.Value(p + step * n) - of_block.Value(p - step * n)) / (2 * step);
      ASSERT_NEAR(slope, 1, 0.51) << p.x << " " << p.y << " " << p.z;
    }
  }
}

TEST(MarkerDistance, TrilinearIsTheDistanceGrid) {
  const Primitive ball = Sphere{5e-3};
  const MarkerDistance grid = MarkerDistance(ball).Trilinear(0.7e-3, 2e-3);
  const Vec3 reach{7e-3, 7e-3, 7e-3};
  const DistanceGrid want([&](const Vec3& p) { return SignedDistance(ball, p); }, {-reach, reach}, 0.7e-3);
  double greatest = 0;
  for (int i = 0; i < 20000; ++i) {
    const Vec3 p = Probe(i, 9e-3);  // some beyond the box
    ASSERT_EQ(grid.Value(p), want.Value(p));
    if (want.box().Distance2(p) == 0)
      greatest = std::fmax(greatest, std::fabs(grid.Value(p) - SignedDistance(ball, p)));
  }
  EXPECT_LE(greatest, want.ErrorBound());
  EXPECT_GT(greatest, 1e-6);
  EXPECT_TRUE(std::isnan(grid.Value({NAN, 0, 0})));
}

TEST(MarkerDistance, NearestVoxelIsTheValueOfTheRoundedNode) {
  const Primitive ball = Sphere{5e-3};
  const Vec3 origin{0.3e-3, -0.2e-3, 0.1e-3};
  const MarkerDistance voxels = MarkerDistance(ball).NearestVoxel(1e-3, 4e-3, &origin);
  for (int i = 0; i < 5000; ++i) {
    const Vec3 p = Probe(i, 8.4e-3);  // within the padded box
    Vec3 node;
    for (int k = 0; k < 3; ++k) node[k] = origin[k] + 1e-3 * std::nearbyint((p[k] - origin[k]) / 1e-3);
    ASSERT_NEAR(voxels.Value(p), SignedDistance(ball, node), 1e-16);
  }
  const Vec3 far{0.02, 0.001, 0};
  EXPECT_EQ(voxels.Value(far), SignedDistance(ball, far));
  // The face of a pad, half a voxel to and fro: the sign just below it hangs on the lattice.
  const MarkerDistance pad(Primitive{Box{{20.75e-3, 25.25e-3, 4e-3}}});
  const Vec3 below{0, 0, 1.9e-3};
  const auto with_origin = [&](double z) {
    const Vec3 o{0, 0, z};
    return pad.NearestVoxel(1e-3, 2e-3, &o).Value(below);
  };
  EXPECT_NEAR(with_origin(0), 0, 1e-12);
  EXPECT_NEAR(with_origin(0.4e-3), 0.4e-3 - 1e-3, 1e-12);
  EXPECT_NEAR(with_origin(0.1e-3), 0.1e-3, 1e-12);
}

TEST(MarkerDistance, IsNeverNegativeOutsideItsBox) {
  const Vec3 origin{0.17e-3, 0.05e-3, -0.4e-3};
  const MarkerDistance exact(Primitive{Cylinder{4e-3, 7e-3}});
  for (const MarkerDistance& d :
       {exact, exact.Trilinear(1.1e-3, 1e-3), exact.NearestVoxel(0.9e-3, 3e-3, &origin)}) {
    int near = 0;
    for (int i = 0; i < 50000; ++i) {
      const Vec3 p = Probe(i, 7e-3);
      if (d.inside_box().Distance2(p) == 0) continue;
      ASSERT_GE(d.Value(p), 0);
      near += d.Value(p) < 2e-3;
    }
    EXPECT_GT(near, 100);
  }
}

TEST(MarkerDistance, SaysWhatIsWrong) {
  TriangleMesh open = Block();
  open.triangles.pop_back();
  EXPECT_THROW(MarkerDistance(open, "block"), Error);
  TriangleMesh inward = Block();
  for (auto& t : inward.triangles) std::swap(t[0], t[1]);
  EXPECT_THROW(MarkerDistance(inward, "block"), Error);
  const MarkerDistance ball(Primitive{Sphere{5e-3}}), half(Primitive{HalfSpace{}});
  EXPECT_THROW(ball.Trilinear(0, 1e-3), Error);
  EXPECT_THROW(ball.Trilinear(1e-3, -1), Error);
  EXPECT_THROW(ball.NearestVoxel(1e-6, 0.1), Error);
  EXPECT_THROW(ball.NearestVoxel(NAN, 0.1), Error);
  EXPECT_THROW(half.Trilinear(1e-3, 1e-3), Error);
  EXPECT_THROW(half.NearestVoxel(1e-3, 0.1), Error);
  const Vec3 nowhere{NAN, 0, 0};
  EXPECT_THROW(ball.NearestVoxel(1e-3, 0.1, &nowhere), Error);
}

}  // namespace
}  // namespace taxel
