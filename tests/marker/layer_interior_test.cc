// A bonded layer below its surface.
//   HalfSpaceInterior against sums of point loads (Boussinesq, Cerruti); depth 0 is the surface; a thick
//   layer is the half space less a smooth part; an even load on a whole layer moves it linearly from face to
//   base; compliances against taxel.reference; markers at a depth against a sum over the cells; wrong depths.
#include "taxel/marker/layer_interior.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "taxel/marker/layer_field.h"
#include "taxel/math/error.h"

namespace taxel {
using namespace internal;
namespace {

using Member = double InteriorBlock::*;
constexpr Member kAll[] = {&InteriorBlock::xx, &InteriorBlock::xy, &InteriorBlock::yy, &InteriorBlock::xz,
                           &InteriorBlock::yz, &InteriorBlock::zz, &InteriorBlock::zx, &InteriorBlock::zy};

// Johnson 1985, 3.19 and 3.75, z out of the solid; shear modulus 1.
InteriorBlock Point(double x, double y, double z, double nu) {
  const double r = std::sqrt(x * x + y * y + z * z), r3 = r * r * r, e = 1 - 2 * nu, f = r * (r + z);
  const double unit = 0.25 / std::numbers::pi;
  InteriorBlock b;
  b.xx = unit * (1 / r + x * x / r3 + e * (1 / (r + z) - x * x / (f * (r + z))));
  b.yy = unit * (1 / r + y * y / r3 + e * (1 / (r + z) - y * y / (f * (r + z))));
  b.xy = unit * (x * y / r3 - e * x * y / (f * (r + z)));
  b.xz = unit * (e * x / f - x * z / r3);
  b.yz = unit * (e * y / f - y * z / r3);
  b.zx = -unit * (e * x / f + x * z / r3);
  b.zy = -unit * (e * y / f + y * z / r3);
  b.zz = unit * (z * z / r3 + 2 * (1 - nu) / r);
  return b;
}

TEST(HalfSpaceInterior, IsTheSumOfPointLoads) {
  constexpr double half = 0.35;
  constexpr int n = 300;
  for (const double nu : {0.0, 0.3, 0.499})
    for (const auto& [x, y, z] : {Triple<double>{0.9, -0.4, 0.2},
                                  {-0.2, 0.1, 0.3},
                                  {0.35, 0.35, 0.5},
                                  {0, 0, 0.15},
                                  {-0.6, 0, 2.0}}) {
      InteriorBlock sum;
      const double cell = 2 * half / n;
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
          const InteriorBlock b = Point(x - ((i + 0.5) * cell - half), y - ((j + 0.5) * cell - half), z, nu);
          for (const Member m : kAll) sum.*m += cell * cell * b.*m;
        }
      const InteriorBlock found = HalfSpaceInterior(x, y, z, half, nu);
      for (const Member m : kAll) EXPECT_NEAR(found.*m, sum.*m, 1e-6);  // the sum's own error: 4e-7
    }
}

TEST(HalfSpaceInterior, GoesToTheSurface) {
  for (const auto& [x, y] : {std::pair{0.4, 0.2}, {0.0, 0.0}, {-1.3, 0.35}, {0.35, -0.35}}) {
    const LayerBlock<double> b = HalfSpaceSquare(x, y, 0.35, 0.3);
    for (const double depth : {0.0, 1e-9}) {
      const InteriorBlock a = HalfSpaceInterior(x, y, depth, 0.35, 0.3);
      EXPECT_NEAR(a.xx, b.xx, 1e-8);
      EXPECT_NEAR(a.xy, b.xy, 1e-8);
      EXPECT_NEAR(a.yy, b.yy, 1e-8);
      EXPECT_NEAR(a.xz, b.xz, 1e-8);
      EXPECT_NEAR(a.yz, b.yz, 1e-8);
      EXPECT_NEAR(a.zz, b.zz, 1e-8);
      EXPECT_NEAR(a.zx, -b.xz, 1e-8);
      EXPECT_NEAR(a.zy, -b.yz, 1e-8);
    }
  }
}

TEST(LayerInterior, AtTheSurfaceIsLayerInfluence) {
  constexpr double thick = 3e-3, nu = 0.47, side = 0.5e-3;
  const LayerInfluence face(thick, nu);
  const LayerInterior below(thick, nu, 0), barely(thick, nu, 1e-9);
  for (const auto& [x, y] : {std::pair{0.3e-3, -1.1e-3}, {0.0, 0.0}, {4e-3, 2e-3}, {-0.2e-3, 9e-3}}) {
    const LayerBlock<double> b = face.Square(x, y, side);
    for (const LayerInterior* one : {&below, &barely}) {
      const InteriorBlock a = one->Square(x, y, side);
      // 1e-9 m of depth move a place by 2e-6 of what the load does: its strain.
      EXPECT_NEAR(a.xx, b.xx, 1e-5 * side);
      EXPECT_NEAR(a.xy, b.xy, 1e-5 * side);
      EXPECT_NEAR(a.xz, b.xz, 1e-5 * side);
      EXPECT_NEAR(a.zz, b.zz, 1e-5 * side);
      EXPECT_NEAR(a.zx, -b.xz, 1e-5 * side);
      EXPECT_NEAR(a.zy, -b.yz, 1e-5 * side);
    }
  }
}

TEST(LayerInterior, OfAThickLayerIsTheHalfSpaceLessASmoothPart) {
  constexpr double side = 1, nu = 0.3, thick = 50, depth = 0.8;
  const LayerInterior layer(thick, nu, depth);
  const InteriorBlock a = layer.Square(0.4, -0.7, side), b = HalfSpaceInterior(0.4, -0.7, depth, 0.5, nu),
                      c = layer.Square(-1.3, 0.2, side), d = HalfSpaceInterior(-1.3, 0.2, depth, 0.5, nu);
  EXPECT_NEAR(a.zz - c.zz, b.zz - d.zz, 1e-5);
  EXPECT_NEAR(a.xx - c.xx, b.xx - d.xx, 1e-5);
  EXPECT_NEAR(a.xy - c.xy, b.xy - d.xy, 1e-5);
  // Odd in x, so that the smooth part falls off only linearly.
  EXPECT_NEAR(a.xz - c.xz, b.xz - d.xz, 3e-4);
  EXPECT_NEAR(a.zx - c.zx, b.zx - d.zx, 3e-4);
}

TEST(LayerInterior, AnEvenLoadMovesItLinearlyFromFaceToBase) {
  constexpr double thick = 2e-3, side = 0.5e-3;
  for (const double nu : {0.2, 0.45})
    for (const double part : {0.1, 0.35, 0.8}) {
      const LayerInterior layer(thick, nu, part * thick);
      InteriorBlock sum;
      const int reach = static_cast<int>(12 * thick / side) + 1;
      for (int i = -reach; i <= reach; ++i)
        for (int j = -reach; j <= reach; ++j) {
          const InteriorBlock b = layer.Square(i * side, j * side, side);
          for (const Member m : kAll) sum.*m += b.*m;
        }
      EXPECT_NEAR(sum.xx / thick, 1 - part, 2e-3);
      EXPECT_NEAR(sum.yy / thick, 1 - part, 2e-3);
      EXPECT_NEAR(sum.zz / (thick * (1 - 2 * nu) / (2 * (1 - nu))), 1 - part, 4e-3);
      EXPECT_NEAR(sum.xy / thick, 0, 1e-9);
      EXPECT_NEAR(sum.xz / thick, 0, 1e-9);
      EXPECT_NEAR(sum.zx / thick, 0, 1e-9);
    }
}

TEST(LayerInterior, CompliancesAreThoseOfTheReference) {
  const struct {
    double nu, k, depth;
    LayerCompliances c;
  } rows[] = {
      {0.3, 1.7, 0.4, {0.0874889456537, 0.0628640399945, -0.067827703489, 0.159471780618, 0.250887213266}},
      {0.499,
       0.2,
       0.25,
       {0.695980618165, 0.0868246745106, 0.0513544226334, 0.00931221979861, 0.738006274208}},
      {0.45,
       6.0,
       0.1,
       {0.0228268597412, 0.0229146673234, -0.0319234228801, 0.0776414303357, 0.0914661781139}}};
  for (const auto& row : rows) {
    const LayerCompliances c = LayerComplianceAt(row.depth, row.k, row.nu);
    EXPECT_NEAR(c.rr, row.c.rr, 1e-11);
    EXPECT_NEAR(c.rz, row.c.rz, 1e-11);
    EXPECT_NEAR(c.zr, row.c.zr, 1e-11);
    EXPECT_NEAR(c.zz, row.c.zz, 1e-11);
    EXPECT_NEAR(c.tt, row.c.tt, 1e-11);
  }
  const LayerCompliances face = LayerComplianceAt(0, 1.3, 0.4), base = LayerComplianceAt(1, 1.3, 0.4);
  EXPECT_NEAR(face.rz, face.zr, 1e-14);
  for (const double c : {base.rr, base.rz, base.zr, base.zz, base.tt}) EXPECT_NEAR(c, 0, 1e-14);
}

TEST(LayerInterior, RefusesADepthOutsideTheLayer) {
  for (const double depth : {-1e-9, 1e-3, 2e-3, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_THROW(LayerInterior(1e-3, 0.3, depth), Error);
  EXPECT_THROW(LayerInterior(1e-3, 0.5, 0), Error);
}

class MarkersBelow : public ::testing::Test {
 protected:
  MarkersBelow()
      : field(GelPad(MarkerDistance(Primitive{Box{{0.02, 0.024, 4e-3}}})),
              {{0.3e-3, -0.7e-3, 2e-3}, {-2e-3, 1.1e-3, 2e-3}, {4e-3, 3e-3, 2e-3}},
              {MarkerDistance(Primitive{Sphere{8e-3}})}, {.friction = 0.7, .poisson = 0.45}, {}) {}
  // Tilted path: down, and across.
  LayerReading Press() {
    LayerReading reading;
    Pose X;
    for (const Vec3& p : {Vec3{0.4e-3, 0.1e-3, 10.1e-3}, {0.5e-3, 0, 9.6e-3}, {0.9e-3, -0.3e-3, 9.4e-3}}) {
      X.p = p;
      field.Step({X}, nullptr, &reading);
    }
    return reading;
  }
  LayerField field;
};

TEST_F(MarkersBelow, AreTheSumOverTheCells) {
  LayerParameters p = field.parameters();
  p.marker_depth = 0.7e-3;
  field.set_parameters(p);
  const LayerReading reading = Press();
  ASSERT_GT(field.state().index.size(), 20u);
  const LayerInterior below(4e-3, 0.45, p.marker_depth);
  for (std::size_t m = 0; m < 3; ++m) {
    double x = 0, y = 0;
    for (std::size_t i = 0; i < field.state().index.size(); ++i) {
      const Vec3& q = field.cells().place[static_cast<std::size_t>(field.state().index[i])].p;
      const Vec3 &t = field.state().traction[i], &at = field.markers_P()[m];
      const InteriorBlock b = below.Square(at.x - q.x, at.y - q.y, field.cells().pitch);
      x += b.xx * t.x + b.xy * t.y + b.xz * t.z;
      y += b.xy * t.x + b.yy * t.y + b.yz * t.z;
    }
    EXPECT_NEAR(reading.displacement[m].x, x / p.pixel, 1e-4);
    EXPECT_NEAR(reading.displacement[m].y, y / p.pixel, 1e-4);
    EXPECT_EQ(reading.displacement[m].z, 0);
  }
}

TEST_F(MarkersBelow, ChangeNothingButMarkers) {
  const LayerReading face = Press();
  LayerParameters p = field.parameters();
  p.marker_depth = 1e-3;
  field.set_parameters(p);
  field.Reset();
  const LayerReading below = Press();
  EXPECT_EQ(norm(face.force_P - below.force_P), 0);
  EXPECT_GT(norm(face.displacement[0] - below.displacement[0]), 0.5);
  p.marker_depth = 0;
  field.set_parameters(p);
  field.Reset();
  const LayerReading again = Press();
  for (std::size_t m = 0; m < 3; ++m) EXPECT_EQ(norm(face.displacement[m] - again.displacement[m]), 0);
}

TEST_F(MarkersBelow, WrongDepthsAreRefusedAndLeaveTheFieldAsItWas) {
  for (const double depth : {-1e-4, 4e-3, 5e-3, std::numeric_limits<double>::quiet_NaN()}) {
    LayerParameters p = field.parameters();
    p.marker_depth = depth;
    try {
      field.set_parameters(p);
      FAIL() << depth;
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find("marker_depth"), std::string::npos) << e.what();
    }
    EXPECT_EQ(field.parameters().marker_depth, 0);
  }
}

}  // namespace
}  // namespace taxel
