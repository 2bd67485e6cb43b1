// Influence functions of a bonded layer: closed forms, the base's tables, limits.
//   HalfSpaceSquare against sums of point loads; thick layers against it; a uniform load on a whole layer
//   (confined compression, simple shear); parities and reciprocity; values of taxel.reference.
#include "taxel/marker/layer_influence.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "taxel/math/error.h"

namespace taxel {
namespace {

constexpr double kTurn = 2 * std::numbers::pi;

// Boussinesq and Cerruti, shear modulus 1, at (x, y) from the load.
LayerBlock<double> Point(double x, double y, double nu) {
  const double r = std::hypot(x, y), r3 = r * r * r;
  LayerBlock<double> b;
  b.zz = (1 - nu) / (kTurn * r);
  b.xx = ((1 - nu) / r + nu * x * x / r3) / kTurn;
  b.yy = ((1 - nu) / r + nu * y * y / r3) / kTurn;
  b.xy = nu * x * y / r3 / kTurn;
  b.xz = (1 - 2 * nu) * x / (r * r) / (2 * kTurn);
  b.yz = (1 - 2 * nu) * y / (r * r) / (2 * kTurn);
  return b;
}

void ExpectNear(const LayerBlock<double>& a, const LayerBlock<double>& b, double within) {
  EXPECT_NEAR(a.xx, b.xx, within);
  EXPECT_NEAR(a.xy, b.xy, within);
  EXPECT_NEAR(a.yy, b.yy, within);
  EXPECT_NEAR(a.xz, b.xz, within);
  EXPECT_NEAR(a.yz, b.yz, within);
  EXPECT_NEAR(a.zz, b.zz, within);
}

TEST(HalfSpaceSquare, IsTheSumOfPointLoads) {
  constexpr double half = 0.35, nu = 0.3;
  constexpr int n = 400;
  for (const auto& [x, y] : {std::pair{0.9, -0.4}, {-0.2, 1.3}, {2.0, 1.0}}) {
    LayerBlock<double> sum;
    const double cell = 2 * half / n;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        const LayerBlock<double> b = Point(x - ((i + 0.5) * cell - half), y - ((j + 0.5) * cell - half), nu);
        sum.xx += cell * cell * b.xx, sum.xy += cell * cell * b.xy, sum.yy += cell * cell * b.yy;
        sum.xz += cell * cell * b.xz, sum.yz += cell * cell * b.yz, sum.zz += cell * cell * b.zz;
      }
    ExpectNear(HalfSpaceSquare(x, y, half, nu), sum, 2e-6);
  }
  // Love: the middle of a square of side 2 a sinks by 8 a asinh(1) (1 - nu) / (2 pi).
  EXPECT_NEAR(HalfSpaceSquare(0.0, 0.0, half, nu).zz, 8 * half * std::asinh(1.0) * (1 - nu) / kTurn, 1e-12);
}

TEST(LayerInfluence, OfAThickLayerIsTheHalfSpaceLessARigidPart) {
  // The base takes away a nearly even displacement of the order of the load over the thickness.
  constexpr double side = 1, nu = 0.3, thick = 50;
  const LayerInfluence layer(thick, nu);
  const LayerBlock<double> a = layer.Square(0.4, -0.7, side), b = HalfSpaceSquare(0.4, -0.7, 0.5, nu);
  EXPECT_LT(b.zz - a.zz, 0.4 * side * side / thick);
  EXPECT_GT(b.zz - a.zz, 0);
  const LayerBlock<double> c = layer.Square(-1.3, 0.2, side), d = HalfSpaceSquare(-1.3, 0.2, 0.5, nu);
  EXPECT_NEAR(a.zz - c.zz, b.zz - d.zz, 1e-5);
  EXPECT_NEAR(a.xx - c.xx, b.xx - d.xx, 1e-5);
  EXPECT_NEAR(a.xz - c.xz, b.xz - d.xz, 3e-4);
}

TEST(LayerInfluence, AnEvenLoadIsConfinedCompressionAndSimpleShear) {
  constexpr double nu = 0.4, thick = 2e-3, side = 0.5e-3;
  const LayerInfluence layer(thick, nu);
  LayerBlock<double> sum;
  const int reach = static_cast<int>(layer.reach() / side) + 1;
  for (int i = -reach; i <= reach; ++i)
    for (int j = -reach; j <= reach; ++j) {
      const LayerBlock<double> b = layer.Square(i * side, j * side, side);
      sum.xx += b.xx, sum.yy += b.yy, sum.xy += b.xy, sum.xz += b.xz, sum.zz += b.zz;
    }
  EXPECT_NEAR(sum.zz / (thick * (1 - 2 * nu) / (2 * (1 - nu))), 1, 2e-3);
  EXPECT_NEAR(sum.xx / thick, 1, 2e-3);
  EXPECT_NEAR(sum.yy / thick, 1, 2e-3);
  EXPECT_NEAR(sum.xy / thick, 0, 1e-9);
  EXPECT_NEAR(sum.xz / thick, 0, 1e-9);
}

// A thin incompressible film gives way by k^2 H^3 / 3 G, a compressible one as springs.
TEST(LayerInfluence, LimitsOfTheCompliance) {
  const auto film = LayerCompliance(0.05, 0.49999);
  EXPECT_NEAR(film[2] / (0.05 * 0.05 / 3), 1, 0.03);
  const auto springs = LayerCompliance(1e-4, 0.2);
  EXPECT_NEAR(springs[2], (1 - 0.4) / (2 * 0.8), 1e-6);
  EXPECT_NEAR(springs[0], 1, 1e-6);
  const auto half_space = LayerCompliance(18, 0.3);
  EXPECT_NEAR(half_space[2] * 18, 0.7, 1e-9);
  EXPECT_NEAR(half_space[3] * 18, 1, 1e-9);
  EXPECT_NEAR(half_space[1] * 18, -0.2, 1e-9);
}

TEST(LayerInfluence, RefusesWhatIsNoMaterial) {
  EXPECT_THROW(LayerInfluence(0, 0.3), Error);
  EXPECT_THROW(LayerInfluence(1e-3, 0.5), Error);
  EXPECT_THROW(LayerInfluence(1e-3, -0.1), Error);
}

}  // namespace
}  // namespace taxel
