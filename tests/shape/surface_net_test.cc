// The net of a surface:
//   - sides and what is across them: closed, border, three sheets, a soup, a collapsed and a doubled triangle
//   - lengths and apexes unfold the triangle
//   - where paths may turn: cube corner no, saddle yes, re-entrant border yes, straight border no, two fans
//   yes
#include "taxel/shape/surface_net.h"

#include <gtest/gtest.h>

#include "test_meshes.h"

namespace taxel {
using namespace internal;
namespace {

int NumAcross(const SurfaceNet& net, int side) { return net.sides[side].end - net.sides[side].begin; }

TEST(SurfaceNet, EverySideOfAClosedSurfaceHasOneAcross) {
  const TriangleMesh mesh = test::Transformed(test::TiltedPose(), test::Torus(9, 7, 0.05, 0.02));
  const SurfaceNet net = BuildSurfaceNet(mesh);
  for (int h = 0; h < static_cast<int>(net.sides.size()); ++h) {
    ASSERT_EQ(NumAcross(net, h), 1);
    const int g = net.across[net.sides[h].begin];
    EXPECT_EQ(net.across[net.sides[g].begin], h);
    EXPECT_EQ(net.corners[h], net.corners[g % 3 == 2 ? g - 2 : g + 1]);
    EXPECT_EQ(net.sides[h].length, net.sides[g].length);
    const int t = h / 3, k = h % 3;
    EXPECT_DOUBLE_EQ(std::hypot(net.sides[h].apex_x, net.sides[h].apex_y),
                     norm(mesh.corner(t, (k + 2) % 3) - mesh.corner(t, k)));
    EXPECT_NEAR(net.sides[h].length * net.sides[h].apex_y, norm(AreaNormal2(mesh, t)), 1e-17);
  }
  for (int v = 0; v < 63; ++v) EXPECT_EQ(net.first_corner[v + 1] - net.first_corner[v], 6);
}

TEST(SurfaceNet, BordersSheetsAndSoups) {
  // Two triangles on the edge 0-1, one of them with corners of its own at the same places; a third on the
  // same edge.
  TriangleMesh mesh{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 0, 1}},
                    {{0, 1, 2}, {4, 3, 5}, {0, 1, 6}, {0, 3, 1}}};
  const SurfaceNet net = BuildSurfaceNet(mesh);
  EXPECT_EQ(net.merged[3], 0);
  EXPECT_EQ(net.merged[4], 1);
  EXPECT_EQ(NumAcross(net, 0), 2);
  EXPECT_EQ(net.across[net.sides[0].begin], 3);
  EXPECT_EQ(net.across[net.sides[0].begin + 1], 6);
  EXPECT_EQ(NumAcross(net, 1), 0);
  for (int h = 9; h < 12; ++h) EXPECT_EQ(NumAcross(net, h), 0);  // two corners in one place: no triangle
  EXPECT_TRUE(net.turning[0]);
  EXPECT_TRUE(net.turning[1]);
}

TEST(SurfaceNet, TrianglesOnTheSameVerticesAreOne) {
  const SurfaceNet net = BuildSurfaceNet({{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {0, 0, 0}},
                                          {{0, 1, 2}, {1, 3, 2}, {2, 1, 4}, {3, 2, 1}}});
  EXPECT_EQ(net.twin, (std::vector<std::int32_t>{0, 1, 0, 1}));
  for (int h = 6; h < 12; ++h) EXPECT_EQ(net.sides[h].length, 0);
  EXPECT_EQ(NumAcross(net, 1), 1);
}

TEST(SurfaceNet, WherePathsMayTurn) {
  const TriangleMesh cube = test::IntegerCube(1);
  for (auto turning : BuildSurfaceNet(cube).turning) EXPECT_FALSE(turning);
  // The L prism has one re-entrant edge; with flat triangles around, 270 + 2 * 90 degrees at both ends.
  const SurfaceNet l = BuildSurfaceNet(test::LPrism(0.03, 0.04));
  for (int v = 0; v < 12; ++v) EXPECT_EQ(l.turning[v], v % 6 == 3) << v;
  // A fan of 270 degrees turns at its middle only; one of 180 nowhere.
  TriangleMesh fan{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {-1, 0, 0}, {0, -1, 0}},
                   {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}}};
  const SurfaceNet wide = BuildSurfaceNet(fan);
  for (int v = 0; v < 5; ++v) EXPECT_EQ(wide.turning[v], v == 0);
  // Two fans that meet in a point: paths between them turn there, however small the angle.
  TriangleMesh bow{{{0, 0, 0}, {1, 0, 0}, {1, 0.1, 0}, {-1, 0, 0}, {-1, -0.1, 0}}, {{0, 1, 2}, {0, 3, 4}}};
  EXPECT_TRUE(BuildSurfaceNet(bow).turning[0]);
  fan.triangles.pop_back();
  for (auto turning : BuildSurfaceNet(fan).turning) EXPECT_FALSE(turning);
}

}  // namespace
}  // namespace taxel
