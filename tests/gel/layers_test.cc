// Cases: planes of a lattice along an axis and of a turned one; equal slices of scattered points; the pads of
// the paper; refusals.
#include "taxel/gel/layers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "../shape/expect_error.h"
#include "../shape/test_meshes.h"
#include "taxel/gel/fill.h"

namespace taxel {
namespace {

TEST(Layers, PlanesOfALatticeExactly) {
  const Filling f = FillLattice(SolidShape(Box{{0.021, 0.013, 0.007}}), 0.001);
  const auto along_x = LayersOf(f.points, {-2, 0, 0}, 21), along_z = LayersOf(f.points, {0, 0, 1}, 7);
  const Pose X = test::TiltedPose();
  std::vector<Vec3> turned;
  for (const Vec3& p : f.points) turned.push_back(X * p);
  const auto along_turned = LayersOf(turned, X.R * Vec3{0, 1, 0}, 13);
  for (int i = 0, n = 0; i < 21; ++i)
    for (int j = 0; j < 13; ++j)
      for (int k = 0; k < 7; ++k, ++n) {
        ASSERT_EQ(along_x[n], i);
        ASSERT_EQ(along_turned[n], 12 - j);
        ASSERT_EQ(along_z[n], 6 - k);
      }
}

TEST(Layers, EqualSlicesOfScatteredPoints) {
  const Vec3 n = normalized({0.3, -0.7, 0.5});
  std::vector<Vec3> points;
  for (int i = 0; i < 5000; ++i) {
    Vec3 e1, e2;
    MakeFrame(n, &e1, &e2);
    points.push_back(-test::Uniform(1, i, 0, 0.04) * n + test::Uniform(2, i, -0.1, 0.1) * e1);
  }
  const auto layers = LayersOf(points, n, 4);
  for (int i = 0; i < 5000; ++i) {
    const double depth = -dot(points[i], n);
    if (std::fabs(std::remainder(depth, 0.01)) < 2e-5)
      continue;  // the outermost points are not quite at 0 and 40 mm
    EXPECT_EQ(layers[i], static_cast<int>(depth / 0.01));
  }
}

TEST(Layers, PadsOfThePaper) {
  const EipPads pads = MakeEipPads(0.16);
  for (const LayeredPad* pad : {&pads.lower, &pads.upper}) {
    ASSERT_EQ(pad->points.size(), 37210u);
    EXPECT_EQ(pad->count, 10);
    EXPECT_EQ(pad->image, (std::array{61, 61}));
    EXPECT_NEAR(pad->volume_per_point * 37210, 0.24 * 0.04 * 0.24, 1e-15);
    EXPECT_EQ(LayersOf(pad->points, pad->outward, 10), pad->layers);
    for (int layer = 0; layer < 10; ++layer)
      EXPECT_EQ(std::count(pad->layers.begin(), pad->layers.end(), layer), 3721);
  }
  // Contact layers are half a particle behind the faces, 0.16 apart; the same place at the same index.
  EXPECT_NEAR(norm(pads.lower.points[0] - Vec3{0.38 + 0.12 / 61, 0.42 - 0.002, 0.38 + 0.12 / 61}), 0, 1e-12);
  EXPECT_NEAR(norm(pads.upper.points[0] - Vec3{0.38 + 0.12 / 61, 0.58 + 0.002, 0.38 + 0.12 / 61}), 0, 1e-12);
  EXPECT_EQ(pads.lower.outward, (Vec3{0, 1, 0}));
  EXPECT_EQ(pads.upper.outward, (Vec3{0, -1, 0}));
  for (std::size_t i = 0; i < 37210; ++i) {
    const Vec3 sum = pads.lower.points[i] + pads.upper.points[i];
    ASSERT_NEAR(sum.y, 1, 1e-12);
    ASSERT_EQ(pads.lower.points[i].x, pads.upper.points[i].x);
    ASSERT_EQ(pads.lower.points[i].z, pads.upper.points[i].z);
  }
  // Rows along x, columns along z.
  EXPECT_NEAR(pads.lower.points[1].z - pads.lower.points[0].z, 0.24 / 61, 1e-12);
  EXPECT_NEAR(pads.lower.points[61].x - pads.lower.points[0].x, 0.24 / 61, 1e-12);
}

TEST(Layers, PadAlongEachAxis) {
  for (int axis = 0; axis < 3; ++axis)
    for (const int sign : {-1, 1}) {
      const Vec3 size{0.03, 0.02, 0.008}, center{0.1, -0.2, 0.3};
      const LayeredPad pad = MakeLayeredPad(size, {6, 5, 4}, axis, sign, center);
      ASSERT_EQ(pad.points.size(), 120u);
      EXPECT_EQ(pad.count, (std::array{6, 5, 4})[axis]);
      const double face = center[axis] + 0.5 * sign * size[axis];
      EXPECT_NEAR(std::fabs(pad.points[0][axis] - face), 0.5 * size[axis] / pad.count, 1e-12);
      EXPECT_NEAR(std::fabs(pad.points.back()[axis] - face), (1 - 0.5 / pad.count) * size[axis], 1e-12);
      EXPECT_EQ(pad.layers.back(), pad.count - 1);
    }
}

TEST(Layers, Refusals) {
  const std::vector<Vec3> two{{0, 0, 0}, {0.01, 0, 0}};
  ExpectError([&] { LayersOf({}, {0, 0, 1}, 3); }, {"no point"});
  ExpectError([&] { LayersOf(two, {0, 0, 0}, 3); }, {"outward is (0, 0, 0)"});
  ExpectError([&] { LayersOf(two, {1, 0, 0}, 0); }, {"count is 0"});
  ExpectError([&] { LayersOf(two, {0, 0, 1}, 3); }, {"one plane", "not 3"});
  ExpectError([&] { LayersOf({{0, 0, std::nan("")}}, {0, 0, 1}, 3); }, {"point 0", "finite"});
  EXPECT_EQ(LayersOf(two, {0, 0, 1}, 1), (std::vector{0, 0}));
  ExpectError([] { MakeEipPads(-0.1); }, {"gap is -0.1"});
  ExpectError([] { MakeLayeredPad({1, 1, 0}, {2, 2, 2}, 1, 1, {}); }, {"size is (1, 1, 0)"});
  ExpectError([] { MakeLayeredPad({1, 1, 1}, {2, 0, 2}, 1, 1, {}); }, {"count along y is 0"});
  ExpectError([] { MakeLayeredPad({1, 1, 1}, {2, 2, 2}, 3, 1, {}); }, {"axis is 3"});
  ExpectError([] { MakeLayeredPad({1, 1, 1}, {2, 2, 2}, 1, 0, {}); }, {"sign is 0"});
  ExpectError([] { MakeLayeredPad({1, 1, 1}, {2000, 2000, 2000}, 1, 1, {}); }, {"8e+09", "5e+07"});
}

}  // namespace
}  // namespace taxel
