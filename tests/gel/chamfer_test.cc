// Against all pairs of points. Cases: sheets, lines, volumes, one point, points in one place; queries inside,
// on the edge and far outside; layers of other sizes; both forms; a layer that only moves has no distance; no
// points.
#include "taxel/gel/chamfer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "../shape/expect_error.h"
#include "taxel/math/pose.h"
#include "taxel/math/random.h"

namespace taxel {
using namespace internal;
namespace {

std::vector<Vec3> Cloud(std::size_t n, const Vec3& size, std::uint64_t seed) {
  const Mat3 R = RotationAbout(normalized({1, -2, 0.7}), 0.6);
  std::vector<Vec3> out;
  for (std::uint64_t k = 0; k < n; ++k)
    out.push_back(R * cwise_mul(size, Vec3{RandomUniform(seed, 3 * k), RandomUniform(seed, 3 * k + 1),
                                           RandomUniform(seed, 3 * k + 2)}) +
                  Vec3{0.3, -0.1, 7});
  return out;
}
double Nearest(const std::vector<Vec3>& cloud, const Vec3& p) {
  double best = std::numeric_limits<double>::infinity();
  for (const Vec3& q : cloud) best = std::min(best, norm2(q - p));
  return best;
}

TEST(NearestPoints, AreThoseOfAllPairs) {
  const std::vector<std::vector<Vec3>> clouds{Cloud(300, {1, 1, 0}, 1),       Cloud(300, {1, 0.2, 0.01}, 2),
                                              Cloud(200, {1, 1, 1}, 3),       Cloud(150, {1, 0, 0}, 4),
                                              Cloud(1, {1, 1, 1}, 5),         Cloud(2, {1, 1, 1}, 6),
                                              std::vector<Vec3>(9, {2, 3, 4})};
  for (std::size_t c = 0; c < clouds.size(); ++c) {
    NearestPoints nearest;
    nearest.Assign(clouds[c]);
    for (std::uint64_t k = 0; k < 400; ++k) {
      const double far = k % 3 == 0 ? 0.2 : (k % 3 == 1 ? 2 : 40);
      const Vec3 p = clouds[c][k % clouds[c].size()] + far * Vec3{RandomUniform(8, 3 * k) - 0.5,
                                                                  RandomUniform(8, 3 * k + 1) - 0.5,
                                                                  RandomUniform(8, 3 * k + 2) - 0.5};
      const double wanted = Nearest(clouds[c], p);
      int which = -1;
      ASSERT_NEAR(nearest.SquaredDistance(p, &which), wanted, 1e-14 * wanted)
          << "cloud " << c << ", query " << k;
      ASSERT_TRUE(which >= 0 && which < static_cast<int>(clouds[c].size()));
      ASSERT_NEAR(norm2(clouds[c][static_cast<std::size_t>(which)] - p), wanted, 1e-14 * wanted);
    }
    for (const Vec3& p : clouds[c]) ASSERT_EQ(nearest.SquaredDistance(p), 0);
  }
}

TEST(LayerChamfer, BothFormsAreThoseOfAllPairs) {
  const std::vector<Vec3> start = Cloud(170, {1, 0.7, 0.02}, 11), now = Cloud(230, {1, 0.8, 0.1}, 12);
  const auto centred = [](std::vector<Vec3> points) {
    Vec3 mean;
    for (const Vec3& p : points) mean += p;
    for (Vec3& p : points) p -= mean / static_cast<double>(points.size());
    return points;
  };
  const std::vector<Vec3> a = centred(start), b = centred(now);
  double there = 0, back = 0;
  for (const Vec3& p : b) there += Nearest(a, p);
  for (const Vec3& p : a) back += Nearest(b, p);
  LayerChamfer chamfer(start);
  EXPECT_NEAR(chamfer.Distance(now, ChamferForm::kSum), there + back, 1e-12);
  EXPECT_NEAR(chamfer.Distance(now, ChamferForm::kMean), there / 230 + back / 170, 1e-14);
}

TEST(LayerChamfer, MotionAloneIsNoDistance) {
  std::vector<Vec3> layer = Cloud(120, {1, 1, 0}, 21);
  LayerChamfer chamfer(layer);
  EXPECT_EQ(chamfer.Distance(layer, ChamferForm::kSum), 0);
  for (Vec3& p : layer) p += Vec3{0.25, -0.5, 3};
  EXPECT_LT(chamfer.Distance(layer, ChamferForm::kSum), 1e-25);
  layer[7].z += 0.1;  // the centre moves by 0.1 / 120; the point by the rest, unless another is nearer
  EXPECT_GT(chamfer.Distance(layer, ChamferForm::kSum), 1e-4);
}

TEST(LayerChamfer, NoPointsAreRefused) {
  ExpectError([] { LayerChamfer({}); }, {"chamfer", "no points"});
}

}  // namespace
}  // namespace taxel
