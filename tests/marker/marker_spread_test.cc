// Sums of Gaussians at the markers. Cases:
//   - against the equation of the header, term by term, on random markers with tilted normals
//   - grid path = general path, with grids of 9 x 7, 4 x 4, 1 x 6, unordered, with a hole; what is no grid
//   - unit integral: shear of one source summed over a fine lattice is shear * pull; dilation sums to 0 and
//     its first moment to dilate * push / lambda_d
//   - results lie along the gel; twice as many sources of half the size change nothing; no source: zeros
#include "taxel/marker/marker_spread.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "../shape/test_meshes.h"
#include "marker_scenes.h"

namespace taxel {
using namespace internal;
namespace {

constexpr SpreadScales kScales{37100, 135500, 1.1e7, 28900};
const Vec3 kUp{0, 0, 1};

std::vector<PointSource<double>> Sources(int n, bool flat) {
  std::vector<PointSource<double>> out;
  for (int i = 0; i < n; ++i) {
    const auto k = static_cast<std::uint64_t>(i);
    const double rise = flat ? 0 : 1e-3;
    const Vec3 c = test::UniformInBox(1, k, {-8e-3, -9e-3, 2e-3 - rise}, {8e-3, 9e-3, 2e-3 + rise});
    const Vec3 s = test::UniformInBox(2, k, {-3e-4, -3e-4, flat ? 0 : -3e-4}, {3e-4, 3e-4, flat ? 0 : 3e-4});
    PointSource<double> source;
    source.centre = {c.x, c.y, c.z};
    source.anchor = {c.x + s.x, c.y + s.y, c.z + s.z};
    source.pull = {-3e-7 * s.x, -3e-7 * s.y, -3e-7 * s.z};
    source.push = 3e-7 * test::Uniform(3, k, 0, 1e-3);
    out.push_back(source);
  }
  return out;
}

std::vector<Vec3> Slow(const std::vector<Vec3>& markers, const std::vector<Vec3>& normals,
                       const std::vector<PointSource<double>>& sources, const SpreadScales& k) {
  std::vector<Vec3> out;
  for (std::size_t i = 0; i < markers.size(); ++i) {
    Vec3 u;
    for (const auto& s : sources) {
      const Vec3 d = markers[i] - Vec3{s.centre.x, s.centre.y, s.centre.z},
                 a = markers[i] - Vec3{s.anchor.x, s.anchor.y, s.anchor.z};
      u += (k.dilate * s.push * k.lambda_d / std::numbers::pi * std::exp(-k.lambda_d * norm2(d))) * d;
      u += (k.shear * k.lambda_s / std::numbers::pi * std::exp(-k.lambda_s * norm2(a))) *
           Vec3{s.pull.x, s.pull.y, s.pull.z};
    }
    out.push_back(u - dot(u, normals[i]) * normals[i]);
  }
  return out;
}

double Difference(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
  double worst = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    worst = std::fmax(worst, norm(a[i] - b[i])), size = std::fmax(size, norm(b[i]));
  return worst / size;
}

TEST(MarkerSpread, TermByTerm) {
  std::vector<Vec3> markers, normals;
  for (std::uint64_t i = 0; i < 37; ++i) {
    markers.push_back(test::UniformInBox(6, i, {-8e-3, -9e-3, 1e-3}, {8e-3, 9e-3, 3e-3}));
    normals.push_back(normalized(kUp + 0.4 * test::UniformDirection(7, i)));
  }
  MarkerSpread spread(markers, normals);
  EXPECT_FALSE(spread.is_grid());
  const auto sources = Sources(200, false);
  std::vector<Vec3> u;
  spread.Sum(sources, kScales, &u);
  EXPECT_LT(Difference(u, Slow(markers, normals, sources, kScales)), 1e-13);
  for (std::size_t i = 0; i < u.size(); ++i) EXPECT_LT(std::fabs(dot(u[i], normals[i])), 1e-13);
  spread.Sum({}, kScales, &u);
  for (const Vec3& v : u) EXPECT_EQ(v, Vec3{});
}

TEST(MarkerSpread, GridPathEqualsTheGeneralOne) {
  const auto sources = Sources(150, true);
  std::vector<std::vector<Vec3>> layouts = {test::Grid(9, 7), test::Grid(4, 4), test::Grid(1, 6),
                                            test::Grid(5, 1)};
  layouts.push_back(test::Grid(6, 5));
  std::reverse(layouts.back().begin(), layouts.back().end());
  std::swap(layouts.back()[3], layouts.back()[17]);
  layouts.push_back(test::Grid(9, 7));
  layouts.back().erase(layouts.back().begin() + 30);  // a hole in the middle
  layouts.push_back({{1e-3, 2e-3, 2e-3}});
  for (const auto& markers : layouts) {
    const std::vector<Vec3> up(markers.size(), kUp);
    MarkerSpread grid(markers, up);
    EXPECT_TRUE(grid.is_grid());
    std::vector<Vec3> a;
    grid.Sum(sources, kScales, &a);
    EXPECT_LT(Difference(a, Slow(markers, up, sources, kScales)), 1e-12);
    // One marker higher by a hair: the same numbers the general way.
    std::vector<Vec3> lifted = markers;
    lifted.push_back({0, 0, 2.1e-3});
    MarkerSpread any(lifted, std::vector<Vec3>(lifted.size(), kUp));
    EXPECT_FALSE(any.is_grid());
    std::vector<Vec3> b;
    any.Sum(sources, kScales, &b);
    b.resize(markers.size());
    EXPECT_LT(Difference(a, b), 1e-12);
  }
}

TEST(MarkerSpread, WhatIsNoGrid) {
  std::vector<Vec3> turned, tilted(63, normalized({0.1, 0, 1}));
  for (const Vec3& p : test::Grid()) turned.push_back(RotationAbout(kUp, 0.3) * p);
  const auto sources = Sources(50, true);
  std::vector<Vec3> u;
  MarkerSpread a(turned, std::vector<Vec3>(63, kUp)), b(test::Grid(), tilted);
  EXPECT_FALSE(a.is_grid());
  EXPECT_FALSE(b.is_grid());
  a.Sum(sources, kScales, &u);
  EXPECT_LT(Difference(u, Slow(turned, std::vector<Vec3>(63, kUp), sources, kScales)), 1e-13);
  b.Sum(sources, kScales, &u);
  EXPECT_LT(Difference(u, Slow(test::Grid(), tilted, sources, kScales)), 1e-13);
}

TEST(MarkerSpread, Integrals) {
  // Gaussians of width 1/sqrt(37100) = 5.2 mm on 80 mm with a pitch of 1 mm: the sum is the integral to
  // 1e-14.
  constexpr double kPitch = 1e-3;
  std::vector<Vec3> markers;
  for (int i = -40; i <= 40; ++i)
    for (int j = -40; j <= 40; ++j) markers.push_back({kPitch * i, kPitch * j, 0});
  MarkerSpread spread(markers, std::vector<Vec3>(markers.size(), kUp));
  PointSource<double> s;
  s.centre = {0.3e-3, -0.7e-3, 0}, s.anchor = {0.4e-3, -0.2e-3, 0};
  s.pull = {2e-11, -3e-11, 0};
  std::vector<Vec3> u;
  spread.Sum({s}, kScales, &u);
  Vec3 sum;
  for (const Vec3& v : u) sum += v;
  // The shear's width is 2.7 mm: exp(-pi^2 / (lambda pitch^2)) = 1e-32.
  EXPECT_NEAR(sum.x * kPitch * kPitch / (28900 * 2e-11), 1, 1e-12);
  EXPECT_NEAR(sum.y * kPitch * kPitch / (28900 * -3e-11), 1, 1e-12);
  s.pull = {}, s.push = 2e-10;
  spread.Sum({s}, kScales, &u);
  sum = {};
  double moment = 0;
  for (std::size_t i = 0; i < u.size(); ++i) {
    sum += u[i];
    moment += (u[i].x * (markers[i].x - 0.3e-3) + u[i].y * (markers[i].y + 0.7e-3)) * kPitch * kPitch;
  }
  EXPECT_LT(norm(sum) * kPitch * kPitch, 1e-12 * 1.1e7 * 2e-10 * 5e-3);
  EXPECT_NEAR(moment / (1.1e7 * 2e-10 / 37100), 1, 1e-12);
}

TEST(MarkerSpread, HalvesAddUp) {
  const auto whole = Sources(60, true);
  std::vector<PointSource<double>> halves;
  for (PointSource<double> s : whole) {
    s.push *= 0.5, s.pull = 0.5 * s.pull;
    halves.push_back(s), halves.push_back(s);
  }
  MarkerSpread spread(test::Grid(), std::vector<Vec3>(63, kUp));
  std::vector<Vec3> a, b;
  spread.Sum(whole, kScales, &a);
  spread.Sum(halves, kScales, &b);
  EXPECT_LT(Difference(a, b), 1e-14);
}

}  // namespace
}  // namespace taxel
