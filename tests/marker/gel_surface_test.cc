// How deep a point lies in a gel, and which way is out. Cases:
//   - flat: height from the top alone, at the corners and beyond half of the thickness; beside and behind:
//   far
//   - a half space without end
//   - lattice: value and gradient are those of MarkerDistance::Value; the gradient against differences of it
//   - lattice of a ball: height and normal against the exact ones; tilted places; the box holds all of the
//   gel
//   - beside the lattice: the value at its rim and the way to it; derivatives by Dual of both forms
//   - GelPad: which shapes become what; a nearest-voxel distance is refused
#include "taxel/marker/gel_surface.h"

#include <gtest/gtest.h>

#include <cmath>

#include "../shape/expect_error.h"
#include "../shape/test_meshes.h"
#include "marker_scenes.h"
#include "taxel/marker/gel_pad.h"

namespace taxel {
using namespace internal;
namespace {

using T3 = Triple<double>;

double Height(const GelPad& pad, const Vec3& p, Vec3* n = nullptr) {
  T3 g;
  const double out = HeightAbove(pad.surface(), T3{p.x, p.y, p.z}, &g);
  if (n) *n = {g.x, g.y, g.z};
  return out;
}

TEST(GelSurface, FlatMeasuresFromTheTopAlone) {
  const GelPad pad(test::FlatPad());
  EXPECT_TRUE(pad.surface().flat);
  for (const Vec3& p : {Vec3{1e-3, -2e-3, 1.5e-3}, Vec3{-9e-3, 11e-3, -1.9e-3},
                        Vec3{10.375e-3, -12.625e-3, 0}, Vec3{3e-3, 4e-3, -2e-3}, Vec3{0, 0, 0.3}}) {
    Vec3 n;
    EXPECT_EQ(Height(pad, p, &n), p.z - 2e-3);
    EXPECT_EQ(n, (Vec3{0, 0, 1}));
  }
  for (const Vec3& p : {Vec3{10.376e-3, 0, 1e-3}, Vec3{-10.376e-3, 0, 1e-3}, Vec3{0, 12.626e-3, 1e-3},
                        Vec3{0, -12.626e-3, 1e-3}, Vec3{0, 0, -2.001e-3}})
    EXPECT_EQ(Height(pad, p), kBesideGel);
}

TEST(GelSurface, HalfSpaceHasNoEnd) {
  const GelPad pad{MarkerDistance(Primitive{HalfSpace{}})};
  EXPECT_EQ(Height(pad, {1e3, -2e3, -5}), -5);
  EXPECT_EQ(Height(pad, {-7, 3, 0.25}), 0.25);
}

TEST(GelSurface, LatticeIsTheTrilinearDistance) {
  const MarkerDistance ball(Primitive{Sphere{8e-3}});
  const MarkerDistance rough = ball.Trilinear(0.9e-3, 1.5e-3);
  const GelPad pad(rough);
  EXPECT_FALSE(pad.surface().flat);
  for (std::uint64_t i = 0; i < 3000; ++i) {
    const Vec3 p = test::UniformInBox(5, i, {-9.4e-3, -9.4e-3, -9.4e-3}, {9.4e-3, 9.4e-3, 9.4e-3});
    Vec3 n;
    const double h = Height(pad, p, &n);
    EXPECT_NEAR(h, rough.Value(p), 1e-17);
    if (h < 0) {
      EXPECT_TRUE(p.x >= pad.box().lo.x && p.y >= pad.box().lo.y && p.z >= pad.box().lo.z &&
                  p.x <= pad.box().hi.x && p.y <= pad.box().hi.y && p.z <= pad.box().hi.z);
    }
    // Trilinear within a cell: central differences are exact but for rounding; skip the seams.
    Vec3 slope;
    bool seam = false;
    for (int k = 0; k < 3; ++k) {
      const double s = (p[k] - (&pad.surface().lattice.ox)[k]) / 0.9e-3;
      seam = seam || std::fabs(s - std::rint(s)) < 2e-3;
      Vec3 up = p, low = p;
      up[k] += 1e-6, low[k] -= 1e-6;
      slope[k] = (rough.Value(up) - rough.Value(low)) / 2e-6;
    }
    if (!seam) {
      EXPECT_LT(norm(n - normalized(slope)), 1e-9);
    }
  }
}

TEST(GelSurface, NormalOfADomeAgainstTheExactOne) {
  // Ball of 30 mm as the dome: within a cell the normal of a trilinear distance is off by at most about
  // spacing / (2 radius) along each axis, and the height by spacing^2 / (8 radius) times 3.
  constexpr double kR = 30e-3, kH = GelPad::kSpacing;
  const GelPad pad{MarkerDistance(Primitive{Sphere{kR}})};
  for (std::uint64_t i = 0; i < 3000; ++i) {
    const Vec3 out = test::UniformDirection(8, i);
    const double h = test::Uniform(9, i, -1.5e-3, 0.8e-3);
    Vec3 n;
    EXPECT_NEAR(Height(pad, (kR + h) * out, &n), h, kH * kH / kR);
    EXPECT_LT(norm(n - out), kH / kR);
    EXPECT_NEAR(norm(n), 1, 1e-14);
  }
}

TEST(GelSurface, BesideTheLattice) {
  const GelPad pad{MarkerDistance(Primitive{Sphere{8e-3}})};
  Vec3 n;
  // The lattice ends 1 mm above the gel, a cell more or less; then the way to its box is added.
  EXPECT_NEAR(Height(pad, {9.9e-3, 0, 0}, &n), 1.9e-3, 1e-6);
  EXPECT_GT(n.x, 0.999);
  EXPECT_NEAR(Height(pad, {0, 0, -1}), 0.992, 1e-5);
  EXPECT_NEAR(Height(pad, {0, 1e-3, 0.02}), norm(Vec3{0, 1e-3, 0.02}) - 8e-3, 1e-4);
  EXPECT_GT(pad.Normal({0, 0, 1}).z, 0.999);
  const Vec3 side = pad.Normal({8e-3, 0, 0});
  EXPECT_GT(side.x, 0.999);
}

TEST(GelSurface, DerivativesOfHeightAndNormal) {
  using D = Dual<double, 3>;
  const MarkerDistance flat = test::FlatPad(),
                       dome = MarkerDistance(Primitive{Ellipsoid{{9e-3, 12e-3, 5e-3}}});
  for (const GelPad& pad : {GelPad(flat), GelPad(dome, 0.8e-3)}) {
    const Vec3 p{1.23e-3, -3.1e-3, pad.surface().flat ? 1.7e-3 : 4.21e-3};
    Triple<D> g;
    const D h =
        HeightAbove(pad.surface(), Triple<D>{D::Input(p.x, 0), D::Input(p.y, 1), D::Input(p.z, 2)}, &g);
    EXPECT_EQ(h.v, Height(pad, p));
    for (int k = 0; k < 3; ++k) {
      Vec3 up = p, low = p, n_up, n_low;
      up[k] += 1e-7, low[k] -= 1e-7;
      // Heights of 1e-3 rounded to 1e-19 over 2e-7.
      EXPECT_NEAR(h.d[k], (Height(pad, up, &n_up) - Height(pad, low, &n_low)) / 2e-7, 1e-10);
      const Vec3 change = (1 / 2e-7) * (n_up - n_low);
      EXPECT_NEAR(g.x.d[k], change.x, 1e-5);
      EXPECT_NEAR(g.y.d[k], change.y, 1e-5);
      EXPECT_NEAR(g.z.d[k], change.z, 1e-5);
    }
  }
}

TEST(GelPad, RefusesVoxels) {
  ExpectError([] { GelPad(test::FlatPad().NearestVoxel(1e-3, 1e-3)); }, {"nearest-voxel", "trilinear"});
  EXPECT_FALSE(GelPad(test::FlatPad().Trilinear(0.5e-3, 1e-3)).surface().flat);
  EXPECT_FALSE(GelPad(MarkerDistance(Body(Box{{0.02, 0.025, 0.004}}, {}).Surface(), "gel")).surface().flat);
}

}  // namespace
}  // namespace taxel
