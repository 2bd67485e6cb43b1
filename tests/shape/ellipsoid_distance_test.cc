// Nearest point of an ellipsoid. Cases:
//   construction: a surface point moved along its normal (short of the focal surface) must come back
//   spheres and spheroids as special ellipsoids; order of the axes does not matter
//   centre, axes, coordinate planes, the medial disc and points a hair off it, against dense search
//   needles and discs at the limits CheckPrimitive allows; far points
#include "taxel/shape/ellipsoid_distance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "taxel/math/error.h"
#include "test_meshes.h"

namespace taxel {
using namespace internal;
namespace {

using test::Uniform;

const Vec3 kAxes[] = {{0.05, 0.03, 0.02}, {0.02, 0.05, 0.03}, {0.03, 0.02, 0.05}, {0.04, 0.04, 0.01},
                      {0.01, 0.04, 0.04}, {0.04, 0.01, 0.01}, {0.03, 0.03, 0.03}, {1, 0.001, 0.01}};

Vec3 OnSurface(const Vec3& e, std::uint64_t i) { return cwise_mul(e, test::UniformDirection(21, i)); }

double Greatest(const Vec3& e) { return std::max({e.x, e.y, e.z}); }
double Least(const Vec3& e) { return std::min({e.x, e.y, e.z}); }

// Nearest of the surface points, found by refining a search over two angles.
double SearchDistance(const Vec3& e, const Vec3& p) {
  double best = std::numeric_limits<double>::infinity(), best_u = 0, best_v = 0, step = 0.05;
  auto try_at = [&](double u, double v) {
    const Vec3 x{e.x * std::cos(u) * std::cos(v), e.y * std::sin(u) * std::cos(v), e.z * std::sin(v)};
    const double d = norm(p - x);
    if (d < best) best = d, best_u = u, best_v = v;
  };
  for (double u = 0; u < 6.3; u += step)
    for (double v = -1.6; v < 1.6; v += step) try_at(u, v);
  while (step > 1e-9) {
    const double u = best_u, v = best_v;
    for (int i = -2; i <= 2; ++i)
      for (int j = -2; j <= 2; ++j) try_at(u + 0.5 * step * i, v + 0.5 * step * j);
    if (best_u == u && best_v == v) step *= 0.5;
  }
  return best;
}

TEST(EllipsoidDistance, PointsMovedAlongTheNormalComeBack) {
  for (const Vec3& e : kAxes)
    for (int i = 0; i < 2000; ++i) {
      const Vec3 x = OnSurface(e, i);
      const Vec3 n = normalized(cwise_div(x, cwise_mul(e, e)));
      // Least radius of curvature of the whole surface: least^2 / greatest. Moving in by less keeps x the
      // nearest.
      const double inward = Least(e) * Least(e) / Greatest(e);
      const double d = i % 2 == 0 ? Uniform(22, i, 0, 2 * Greatest(e)) : -Uniform(22, i, 0, 0.99 * inward);
      const EllipsoidClosest closest = ClosestPointOnEllipsoid({e}, x + d * n);
      EXPECT_NEAR(closest.distance, d, 1e-12 * Greatest(e));
      // Where the normal turns fast the point is less certain than the distance.
      EXPECT_LT(norm(closest.point - x), 1e-9 * Greatest(e));
      EXPECT_NEAR(norm(closest.normal), 1, 1e-14);
      EXPECT_GT(dot(closest.normal, n), 1 - 1e-9);
    }
}

TEST(EllipsoidDistance, SphereIsExact) {
  for (int i = 0; i < 1000; ++i) {
    const Vec3 p = test::UniformInBox(23, i, {-0.1, -0.1, -0.1}, {0.1, 0.1, 0.1});
    EXPECT_NEAR(ClosestPointOnEllipsoid({{0.03, 0.03, 0.03}}, p).distance, norm(p) - 0.03, 1e-16);
  }
}

TEST(EllipsoidDistance, InnerPointsAgreeWithASearch) {
  for (const Vec3& e :
       {Vec3{0.05, 0.03, 0.02}, Vec3{0.02, 0.05, 0.03}, Vec3{0.04, 0.04, 0.01}, Vec3{0.01, 0.04, 0.04}})
    for (int i = 0; i < 40; ++i) {
      Vec3 p = cwise_mul(Uniform(24, i, 0, 1) * e, test::UniformDirection(25, i));
      for (int k = 0; k < 3; ++k)  // also on planes, axes, and a hair off them
        if (i % 4 == k + 1) p[k] = i % 8 < 4 ? 0 : 1e-14 * p[k];
      // The search stops at angles of 1e-9; at a minimum the distance errs by the square of that.
      EXPECT_NEAR(-ClosestPointOnEllipsoid({e}, p).distance, SearchDistance(e, p), 1e-12);
    }
}

TEST(EllipsoidDistance, CentreAndAxes) {
  for (const Vec3& e : kAxes) {
    const EllipsoidClosest centre = ClosestPointOnEllipsoid({e}, {});
    EXPECT_NEAR(centre.distance, -Least(e), 1e-16);
    EXPECT_NEAR(norm(centre.normal), 1, 1e-15);
    EXPECT_NEAR(norm(cwise_div(centre.point, e)), 1, 1e-15);
    for (int k = 0; k < 3; ++k)
      for (double side : {-1.0, 1.0}) {
        Vec3 p;
        p[k] = side * 2.5 * e[k];
        const EllipsoidClosest outer = ClosestPointOnEllipsoid({e}, p);
        EXPECT_NEAR(outer.distance, 1.5 * e[k], 1e-15 * Greatest(e));
        EXPECT_DOUBLE_EQ(outer.normal[k], side);
        p[k] = side * e[k];
        EXPECT_NEAR(ClosestPointOnEllipsoid({e}, p).distance, 0, 1e-16 * Greatest(e));
      }
  }
}

TEST(EllipsoidDistance, MedialDiscOfAnOblateSpheroid) {
  // In the plane z = 0 at radius rho < (a^2 - c^2) / a the nearest points have x = rho a^2 / (a^2 - c^2), and
  // the squared distance is c^2 (1 - rho^2 / (a^2 - c^2)).
  const double a = 0.04, c = 0.01, foci2 = a * a - c * c;
  for (double rho : {1e-30, 1e-9, 0.003, 0.02, 0.9 * foci2 / a, foci2 / a * (1 - 1e-12)})
    for (double off : {0.0, 1e-22, 1e-18, -1e-14}) {  // moves the distance by no more than itself
      const Vec3 p{0.6 * rho, -0.8 * rho, off};
      EXPECT_NEAR(ClosestPointOnEllipsoid({{a, a, c}}, p).distance, -c * std::sqrt(1 - rho * rho / foci2),
                  1e-12 * a);
    }
  // Beyond the disc the nearest point lies on the rim.
  EXPECT_NEAR(ClosestPointOnEllipsoid({{a, a, c}}, {0.6 * 0.039, 0.8 * 0.039, 0}).distance, -0.001, 1e-16);
}

TEST(EllipsoidDistance, ExtremeShapes) {
  for (const Vec3& e : {Vec3{10, 1e-6, 1e-6}, Vec3{10, 10, 1e-6}, Vec3{1e-6, 10, 1e-3}})
    for (int i = 0; i < 500; ++i) {
      const Vec3 x = OnSurface(e, i);
      const Vec3 n = normalized(cwise_div(x, cwise_mul(e, e)));
      const double d = Uniform(26, i, 0, 10);
      const double found = ClosestPointOnEllipsoid({e}, x + d * n).distance;
      EXPECT_NEAR(found, d, 1e-12 * 10);
    }
}

TEST(EllipsoidDistance, FarPoints) {
  const Vec3 e{0.05, 0.03, 0.02}, far = 1e6 * normalized({0.3, -0.5, 0.8});
  // From afar the distance is |p| less the support of the ellipsoid along p, up to size^2 / |p| = 2.5e-9.
  const double support = norm(cwise_mul(e, normalized(far)));
  EXPECT_NEAR(ClosestPointOnEllipsoid({e}, far).distance, 1e6 - support, 5e-9);
}

}  // namespace
}  // namespace taxel
