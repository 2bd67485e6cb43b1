// Distance on a grid. Cases:
//   linear functions are reproduced; nodes are exact; the grid covers its box
//   error bound: box, sphere and torus mesh never err by more; a point's distance attains it; second order
//   where smooth gradient against differences; outside the box: clamped plus the distance to the box, never
//   far below the truth wrong input: spacing, box, too many nodes, a function that is not finite
#include "taxel/shape/distance_grid.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "taxel/math/error.h"
#include "taxel/shape/signed_distance.h"
#include "test_meshes.h"

namespace taxel {
using namespace internal;
namespace {

using test::UniformInBox;

const Box3 kBox{{-0.05, -0.031, -0.02}, {0.061, 0.04, 0.033}};

TEST(DistanceGrid, LinearFunctionsAreExact) {
  auto plane = [](const Vec3& p) { return dot({0.6, -0.48, 0.64}, p) + 0.01; };
  const DistanceGrid grid(plane, kBox, 0.007);
  EXPECT_GE(grid.box().hi.x, kBox.hi.x);
  EXPECT_LT(grid.box().hi.y, kBox.hi.y + 0.007);
  for (int i = 0; i < 1000; ++i) {
    const Vec3 p = UniformInBox(71, i, kBox.lo, kBox.hi);
    EXPECT_NEAR(grid.Value(p), plane(p), 1e-16);
    EXPECT_LT(norm(grid.Gradient(p) - Vec3{0.6, -0.48, 0.64}), 1e-13);
  }
  const auto [nx, ny, nz] = grid.shape();
  EXPECT_EQ(grid.values().size(), static_cast<std::size_t>(nx * ny * nz));
  EXPECT_EQ(grid.values()[(2 * ny + 3) * nx + 4], plane(kBox.lo + 0.007 * Vec3{4, 3, 2}));
}

TEST(DistanceGrid, ErrsByLessThanTheBound) {
  const MeshDistance torus(test::Transformed(test::TiltedPose(), test::Torus(24, 16, 0.03, 0.01)));
  const Box box{{0.03, 0.02, 0.025}};
  const std::function<double(const Vec3&)> shapes[] = {
      [&](const Vec3& p) { return SignedDistance(box, p); },
      [&](const Vec3& p) {
        return SignedDistance(Sphere{0.018}, p - Vec3{0.001, 0.002, 0.003});
      },
      [&](const Vec3& p) { return torus.SignedDistance(p); }};
  for (const auto& shape : shapes) {
    const DistanceGrid grid(shape, kBox, 0.005);
    EXPECT_DOUBLE_EQ(grid.ErrorBound(), std::sqrt(0.75) * 0.005);
    for (int i = 0; i < 5000; ++i) {
      const Vec3 p = UniformInBox(72, i, kBox.lo, kBox.hi);
      EXPECT_LE(std::fabs(grid.Value(p) - shape(p)), grid.ErrorBound());
    }
  }
  const DistanceGrid from_mesh(torus, kBox, 0.02);
  EXPECT_EQ(from_mesh.values(), DistanceGrid(shapes[2], kBox, 0.02).values());
}

TEST(DistanceGrid, TheBoundIsAttained) {
  const Vec3 centre = kBox.lo + 0.005 * Vec3{2.5, 3.5, 4.5};  // of a cell
  const DistanceGrid grid([&](const Vec3& p) { return norm(p - centre); }, kBox, 0.005);
  EXPECT_NEAR(grid.Value(centre), grid.ErrorBound(), 1e-16);
}

TEST(DistanceGrid, SecondOrderWhereSmooth) {
  auto far_sphere = [](const Vec3& p) {
    return norm(p - Vec3{0.2, 0.1, -0.3}) - 0.05;
  };  // smooth over the whole box
  double error[2] = {};
  for (int k = 0; k < 2; ++k) {
    const double h = 0.008 / (k + 1);
    const DistanceGrid grid(far_sphere, kBox, h);
    for (int i = 0; i < 2000; ++i) {
      const Vec3 p = UniformInBox(73, i, kBox.lo, kBox.hi);
      error[k] = std::max(error[k], std::fabs(grid.Value(p) - far_sphere(p)));
    }
    // |d_xx| + |d_yy| + |d_zz| = 2 / distance to the centre, which is 0.28 m or more here.
    EXPECT_LE(error[k], h * h / 8 * 2 / 0.28);
  }
  EXPECT_NEAR(error[0] / error[1], 4, 0.4);
}

TEST(DistanceGrid, GradientAgreesWithDifferences) {
  const DistanceGrid grid([](const Vec3& p) { return SignedDistance(Cylinder{0.02, 0.03}, p); }, kBox, 0.004);
  const double h = 1e-7;
  int close = 0;
  for (int i = 0; i < 1000; ++i) {
    const Vec3 p = UniformInBox(74, i, 1.5 * kBox.lo, 1.5 * kBox.hi);  // inside and outside
    Vec3 difference;
    for (int k = 0; k < 3; ++k) {
      Vec3 up = p, down = p;
      up[k] += h, down[k] -= h;
      difference[k] = (grid.Value(up) - grid.Value(down)) / (2 * h);
    }
    close += norm(difference - grid.Gradient(p)) < 1e-7;
  }
  EXPECT_GE(close, 990);  // a few straddle a face between cells
}

TEST(DistanceGrid, OutsideItAddsTheDistanceToTheBox) {
  auto sphere = [](const Vec3& p) { return norm(p) - 0.015; };
  const DistanceGrid grid(sphere, kBox, 0.004);
  const Box3 box = grid.box();
  for (int i = 0; i < 2000; ++i) {
    const Vec3 p = UniformInBox(75, i, {-0.3, -0.3, -0.3}, {0.3, 0.3, 0.3});
    EXPECT_GE(grid.Value(p), sphere(p) - grid.ErrorBound());
    const Vec3 q = cwise_min(cwise_max(p, box.lo), box.hi);
    EXPECT_NEAR(grid.Value(p), grid.Value(q) + norm(p - q), 1e-15);
  }
  EXPECT_TRUE(std::isnan(grid.Value({NAN, 0, 0})));
  EXPECT_TRUE(std::isnan(grid.Gradient({0, INFINITY, 0}).x));
  EXPECT_TRUE(std::isfinite(grid.Value({1e9, -1e9, 1e12})));
}

TEST(DistanceGrid, RefusesWrongInput) {
  auto zero = [](const Vec3&) { return 0.0; };
  EXPECT_THROW(DistanceGrid(zero, kBox, 0), Error);
  EXPECT_THROW(DistanceGrid(zero, kBox, -0.1), Error);
  EXPECT_THROW(DistanceGrid(zero, kBox, NAN), Error);
  EXPECT_THROW(DistanceGrid(zero, Box3{}, 0.01), Error);
  EXPECT_THROW(DistanceGrid(zero, BoundingBox(Primitive{HalfSpace{}}), 0.01), Error);
  EXPECT_THROW(DistanceGrid([](const Vec3& p) { return p.x > 0 ? NAN : 1.0; }, kBox, 0.01), Error);
  try {
    DistanceGrid(zero, kBox, 1e-6);
    FAIL();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("use a spacing of about"), std::string::npos) << e.what();
  }
  EXPECT_EQ(DistanceGrid(zero, {{1, 2, 3}, {1, 2, 3}}, 0.1).Value({1, 2, 3}),
            0);  // a box of one point: one cell
}

}  // namespace
}  // namespace taxel
