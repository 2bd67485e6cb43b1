// Exact integration over the cells of a plane grid:
//   - the cells sum to force, moment, area and load of the contact, for random objects and poses on all faces
//     of a tilted box
//   - a rectangle with a linear pressure, anywhere over the grid: every cell has its closed form
//   - a contact that leaves the grid: what lies over it, by an integral that does not cut
//   - faces larger than the grid, beside it, with corners on its lines, seen from behind
//   - a flat press on a backed layer is uniform
#include "taxel/skin/plane_cells.h"

#include <gtest/gtest.h>

#include "skin_scenes.h"

namespace taxel {
using namespace internal;
namespace {

using test::At;
using test::Backed;
using test::Press;
using test::Soft;
using test::SumOfCells;
using test::Uniform;

CellLoads Integrate(const Layout& layout, const PressedFaces& faces) {
  CellLoads cells;
  cells.Resize(layout.count());
  IntegratePlaneCells(layout.grid, faces, &cells);
  return cells;
}

std::vector<Body> Objects() {
  return {Body(Sphere{0.008}, {}),
          Body(Box{{0.012, 0.007, 0.01}}, {}),
          Body(Cylinder{0.004, 0.012}, {}),
          Body(Capsule{0.004, 0.008}, {}),
          Body(Ellipsoid{{0.004, 0.007, 0.009}}, {}),
          Body(Sphere{0.008}, Soft(4e4)),
          Body(test::LPrism(0.004, 0.006), {})};
}

// Cells of a random press against the surface's own totals. Rounding: some hundred faces, each a few ulps.
void ExpectTotals(const Layout& layout, const Press& press, double tolerance = 1e-12) {
  const CellLoad sum = SumOfCells(Integrate(layout, press.faces()));
  const ContactSurface& s = press.surface;
  EXPECT_LT(norm(sum.force - press.force_G()), tolerance * s.normal_force);
  EXPECT_NEAR(sum.load, s.normal_force, tolerance * s.normal_force);
  EXPECT_NEAR(sum.area, s.area, tolerance * s.area);
  EXPECT_NEAR(sum.peak, s.max_pressure, tolerance * s.max_pressure);
  const Vec3 center = TransposeMul(press.X_WG.R, s.center_of_pressure - press.X_WG.p);
  EXPECT_LT(norm(sum.center() - center), 1e-13);
}

TEST(PlaneCells, SumToTheContact) {
  const Vec3 size{0.08, 0.06, 0.05};
  const std::vector<Body> objects = Objects();
  int presses = 0;
  for (const char* face : {"+x", "-x", "+y", "-y", "+z", "-z"}) {
    const Layout layout = BoxFaceGrid(size, face, 7, 10);
    for (bool backed : {false, true}) {
      if (backed && std::string(face) != "+z") continue;  // that is the exposed side
      const Body pad(Box{size}, backed ? Backed(5e4) : Soft(5e4));
      for (std::size_t i = 0; i < objects.size(); ++i) {
        // Somewhere over the face, well away from its edges, turned at random, 1 to 2 mm deep.
        const std::uint64_t seed = 100 * i + face[1] + 7 * (face[0] == '-');
        const Pose& F = layout.grid.X_GF;
        const Mat3 R = test::RandomRotation(seed, 3);
        const TriangleMesh shape = objects[i].Surface();
        double lowest = 1;
        for (const Vec3& v : shape.vertices) lowest = std::min(lowest, dot(F.R.col(2), R * v));
        const Vec3 p = F * Vec3{Uniform(seed, 1, -0.008, 0.008), Uniform(seed, 2, -0.006, 0.006),
                                -lowest - Uniform(seed, 4, 0.001, 0.002)};
        const Press press(pad, objects[i], {R, p}, test::RandomPose(seed, 5, 0.5), i % 2 == 0);
        ASSERT_FALSE(press.surface.empty()) << face << " " << i;
        ExpectTotals(layout, press);
        ++presses;
      }
    }
  }
  EXPECT_EQ(presses, 49);
}

TEST(PlaneCells, ARectangleHasAClosedForm) {
  // p = a + b u + c v over a rectangle: over the overlap with a cell it is the pressure at its middle times
  // its area. The face may stand anywhere: inside one cell, over all of them, half outside, in tilted planes.
  PlaneGrid grid;
  grid.X_GF = test::TiltedPose();
  grid.u0 = -0.013, grid.v0 = 0.004, grid.du = 0.0031, grid.dv = 0.0023, grid.rows = 5, grid.cols = 7;
  const double a = 3e4, b = 2e5, c = -4e5;
  for (int trial = 0; trial < 200; ++trial) {
    const double u0 = Uniform(1, trial, -0.02, 0.01), v0 = Uniform(2, trial, -0.002, 0.016);
    const double u1 = u0 + Uniform(3, trial, 1e-5, 0.03), v1 = v0 + Uniform(4, trial, 1e-5, 0.02);
    // Slanting: the height follows u and v, and so does the area.
    const double hu = Uniform(5, trial, -1, 1), hv = Uniform(6, trial, -1, 1);
    const double stretch = std::sqrt(1 + hu * hu + hv * hv);
    std::vector<Vec3> corners;
    std::vector<double> pressures;
    for (const auto& [u, v] : {std::pair{u0, v0}, {u1, v0}, {u1, v1}, {u0, v1}}) {
      corners.push_back(grid.X_GF * Vec3{u, v, hu * u + hv * v - 0.01});
      pressures.push_back(a + b * u + c * v);
    }
    PressedFaces faces;
    const Vec3 inward = grid.X_GF.R * normalized({hu, hv, -1});
    test::AddFace(&faces, corners, pressures, inward);
    CellLoads cells;
    cells.Resize(grid.rows * grid.cols);
    IntegratePlaneCells(grid, faces, &cells);
    for (int r = 0; r < grid.rows; ++r)
      for (int k = 0; k < grid.cols; ++k) {
        const double lo_u = std::max(u0, grid.u0 + k * grid.du),
                     hi_u = std::min(u1, grid.u0 + (k + 1) * grid.du);
        const double lo_v = std::max(v0, grid.v0 + r * grid.dv),
                     hi_v = std::min(v1, grid.v0 + (r + 1) * grid.dv);
        const double area = stretch * std::max(0.0, hi_u - lo_u) * std::max(0.0, hi_v - lo_v);
        const double load = area * (a + 0.5 * b * (lo_u + hi_u) + 0.5 * c * (lo_v + hi_v));
        const CellLoad& cell = cells[r * grid.cols + k];
        EXPECT_NEAR(cell.area, area, 1e-18);
        EXPECT_NEAR(cell.load, load, 1e-13 * 1e-5 * a);
        EXPECT_LT(norm(cell.force - load * inward), 1e-13 * 1e-5 * a);
      }
  }
}

TEST(PlaneCells, WhatLiesBesideIsLeftOut) {
  // A block and a ball over the rim of the grid, and over its corner; a small grid in the middle of a face.
  const Body pad(Box{{0.08, 0.06, 0.02}}, Backed(5e4));
  const Layout layout = BoxFaceGrid({0.08, 0.06, 0.02}, "+z", 4, 6, 0.003, 0.004, 0.005, -0.002);
  const PlaneGrid& g = layout.grid;
  const struct {
    Body object;
    Pose pose;
  } cases[] = {{Body(Sphere{0.02}, {}), At({0.014, 0.001, 0.01 + 0.0185})},
               {Body(Box{{0.01, 0.02, 0.01}}, {}),
                {RotationAbout({0, 0, 1}, 0.4) * RotationAbout({1, 0, 0}, 0.05), {-0.004, 0.006, 0.0142}}}};
  for (const auto& [object, pose] : cases) {
    const Press press(pad, object, pose, test::TiltedPose(), false);
    const CellLoads cells = Integrate(layout, press.faces());
    std::vector<double> specks(layout.count(), 0.0);
    double inside = 0;
    test::ForEachSpeck(press.faces(), 200, [&](const Vec3& p, double pressure, double area, const Vec3&) {
      const Vec3 q = Inverse(g.X_GF) * p;
      const double c = std::floor((q.x - g.u0) / g.du), r = std::floor((q.y - g.v0) / g.dv);
      if (c < 0 || r < 0 || c >= g.cols || r >= g.rows) return;
      specks[static_cast<int>(r) * g.cols + static_cast<int>(c)] += pressure * area;
      inside += pressure * area;
    });
    const CellLoad sum = SumOfCells(cells);
    EXPECT_GT(sum.load, 0.1 * press.surface.normal_force);
    EXPECT_LT(sum.load, 0.9 * press.surface.normal_force);
    // Specks along a line fall to one side or the other: 1/200 of a face, of random sign.
    EXPECT_NEAR(sum.load, inside, 1e-3 * inside);
    for (int i = 0; i < layout.count(); ++i) EXPECT_NEAR(cells[i].load, specks[i], 1e-3 * sum.load) << i;
  }
}

TEST(PlaneCells, OddFaces) {
  PlaneGrid grid;
  grid.u0 = -2, grid.v0 = -1, grid.du = 1, grid.dv = 1, grid.rows = 2, grid.cols = 4;
  const auto press = [&](const std::vector<Vec3>& corners, const Vec3& inward) {
    PressedFaces faces;
    test::AddFace(&faces, corners, std::vector<double>(corners.size(), 10.0), inward);
    CellLoads cells;
    cells.Resize(8);
    IntegratePlaneCells(grid, faces, &cells);
    return cells;
  };
  const Vec3 down{0, 0, -1};
  // Much larger than the grid: every cell is full, nothing else.
  CellLoads cells = press({{-9, -9, 0}, {9, -9, 0}, {9, 9, 0}, {-9, 9, 0}}, down);
  for (int i = 0; i < 8; ++i) EXPECT_NEAR(cells[i].load, 10, 1e-12);
  // Beside it, on either side.
  for (const Vec3& at : {Vec3{5, 0, 0}, Vec3{-5, 0, 0}, Vec3{0, 4, 0}, Vec3{0, -4, 0}, Vec3{4, 4, 0}})
    EXPECT_TRUE(press({at, at + Vec3{1, 0, 0}, at + Vec3{0, 1, 0}}, down).active().empty());
  // Corners on the lines: one cell, exactly.
  cells = press({{-1, 0, 0}, {0, 0, 0}, {0, 1, 0}, {-1, 1, 0}}, down);
  EXPECT_EQ(cells[5].load, 10);
  EXPECT_EQ(SumOfCells(cells).load, 10);
  // A wall, seen edge-on: all its force is along the surface, and it is counted.
  cells = press({{-1.5, -0.5, 0}, {1.5, -0.5, 0}, {1.5, -0.5, -1}, {-1.5, -0.5, -1}}, {0, 1, 0});
  EXPECT_NEAR(SumOfCells(cells).force.y, 30, 1e-12);
  EXPECT_NEAR(cells[1].force.y, 10, 1e-12);
}

TEST(PlaneCells, APressFromBehindIsNotFelt) {
  // A thin plate with taxels on top, pressed from below, and from both sides at once.
  const Body plate(Box{{0.08, 0.06, 0.004}}, Soft(5e4));
  const Layout top = BoxFaceGrid({0.08, 0.06, 0.004}, "+z", 6, 8),
               bottom = BoxFaceGrid({0.08, 0.06, 0.004}, "-z", 6, 8);
  const Body ball(Sphere{0.01}, {});
  for (bool is_A : {true, false}) {
    const Press below(plate, ball, At({0.003, 0.004, -0.002 - 0.01 + 0.0006}), test::TiltedPose(), is_A);
    ASSERT_GT(below.surface.normal_force, 0);
    EXPECT_EQ(SumOfCells(Integrate(top, below.faces())).load, 0);
    ExpectTotals(bottom, below);
    const Press above(plate, ball, At({0.003, 0.004, 0.002 + 0.01 - 0.0006}), test::TiltedPose(), is_A);
    EXPECT_EQ(SumOfCells(Integrate(bottom, above.faces())).load, 0);
    ExpectTotals(top, above);
  }
}

TEST(PlaneCells, AFlatPressOnABackedLayerIsUniform) {
  const Vec3 size{0.08, 0.06, 0.01};
  const Body pad(Box{size}, Backed(5e4));
  const Layout layout = BoxFaceGrid(size, "+z", 12, 16);
  // The block covers the pad: pressure E d / T on every cell.
  const Press press(pad, Body(Box{{0.1, 0.09, 0.02}}, {}), At({0.002, -0.001, 0.005 + 0.01 - 0.001}),
                    test::TiltedPose());
  const CellLoads cells = Integrate(layout, press.faces());
  const double expected = 5e4 * 0.001 / 0.01;
  for (int i = 0; i < layout.count(); ++i) {
    const int r = i / 16, c = i % 16;
    const double p = cells[i].load / layout.areas[i];
    const bool interior = r > 0 && r < 11 && c > 0 && c < 15;
    EXPECT_NEAR(p, expected, (interior ? 1e-12 : 0.005) * expected) << r << " " << c;
  }
}

}  // namespace
}  // namespace taxel
