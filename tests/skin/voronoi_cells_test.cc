// Exact integration by nearest taxel:
//   - on a plane grid every cell is that of the plane's own integration, to 1e-12
//   - all curved primitives, all around and to the poles, and meshes: the cells sum to the contact
//   - each point goes to the nearest taxel that looks its way: against an integral that only measures
//   distances
//   - the rim: on a cylinder sector planes and heights, on a sphere cones from the centre; arrays that nearly
//     close, reach a pole, or have a single row
//   - a thin shell does not feel through itself; limits; faces that cover many taxels; one taxel; reused
//   memory
#include "taxel/skin/voronoi_cells.h"

#include <gtest/gtest.h>

#include "skin_scenes.h"
#include "taxel/shape/signed_distance.h"
#include "taxel/skin/plane_cells.h"

namespace taxel {
using namespace internal;
namespace {

using test::At;
using test::kPi;
using test::Press;
using test::Soft;
using test::SumOfCells;
using test::Uniform;

CellLoads Integrate(const Layout& layout, const PressedFaces& faces, double limit = 0) {
  CellLoads cells;
  cells.Resize(layout.count());
  VoronoiCells::Workspace workspace;
  VoronoiCells(layout, limit).Integrate(faces, &workspace, &cells);
  return cells;
}

void ExpectTotals(const Layout& layout, const Press& press, const std::string& what) {
  const CellLoad sum = SumOfCells(Integrate(layout, press.faces()));
  const ContactSurface& s = press.surface;
  ASSERT_GT(s.normal_force, 0) << what;
  // Rounding of some hundred faces of a few parts each.
  EXPECT_LT(norm(sum.force - press.force_G()), 1e-12 * s.normal_force) << what;
  EXPECT_NEAR(sum.load, s.normal_force, 1e-12 * s.normal_force) << what;
  EXPECT_NEAR(sum.area, s.area, 1e-12 * s.area) << what;
  EXPECT_NEAR(sum.peak, s.max_pressure, 1e-12 * s.max_pressure) << what;
  const Vec3 center = TransposeMul(press.X_WG.R, s.center_of_pressure - press.X_WG.p);
  EXPECT_LT(norm(sum.center() - center), 1e-13) << what;
}

// A ball of 6 mm pressed `depth` into the surface of a primitive, where the ray from the middle meets it.
Pose BallAt(const Primitive& shape, const Vec3& direction, double depth) {
  double lo = 0, hi = 1;
  for (int i = 0; i < 60; ++i) {
    const double t = 0.5 * (lo + hi);
    (SignedDistance(shape, t * direction) < 0.006 - depth ? lo : hi) = t;
  }
  return At(lo * direction);
}
const Body& Ball() {
  static const Body ball(Sphere{0.006}, {});
  return ball;
}

WrapRange Range(double around_from, double around_to) {
  WrapRange range;
  range.around_from = around_from * kPi / 180, range.around_to = around_to * kPi / 180;
  return range;
}
WrapRange Poles() {
  WrapRange range;
  range.along_from = -kPi / 2, range.along_to = kPi / 2;
  return range;
}

// The faces within all the half spaces dot(normal, x) <= offset.
CellLoad Within(const PressedFaces& faces, const std::vector<std::pair<Vec3, double>>& planes) {
  struct Corner {
    Vec3 p;
    double pressure;
  };
  CellLoad sum;
  for (int f = 0; f < faces.count(); ++f) {
    std::vector<Corner> part;
    for (int i = faces.start[f]; i < faces.start[f + 1]; ++i)
      part.push_back({faces.vertices[i], faces.pressures[i]});
    for (const auto& [normal, offset] : planes) {
      std::vector<Corner> kept;
      for (std::size_t i = 0; i < part.size(); ++i) {
        const Corner &a = part[i], &b = part[(i + 1) % part.size()];
        const double da = dot(normal, a.p) - offset, db = dot(normal, b.p) - offset;
        if (da <= 0) kept.push_back(a);
        if ((da < 0 && db > 0) || (da > 0 && db < 0))
          kept.push_back(
              {(db * a.p - da * b.p) / (db - da), (db * a.pressure - da * b.pressure) / (db - da)});
      }
      part = kept;
    }
    if (part.size() > 2) AddPolygon(part.data(), static_cast<int>(part.size()), faces.inward[f], 1, &sum);
  }
  return sum;
}

TEST(VoronoiCells, APlaneGridHasRectangles) {
  const Body pad(Box{{0.08, 0.06, 0.03}}, test::Backed(5e4));
  for (const Layout& layout : {BoxFaceGrid({0.08, 0.06, 0.03}, "+z", 7, 10),
                               BoxFaceGrid({0.08, 0.06, 0.03}, "+z", 1, 5, 0.006, 0.009, 0.01, 0.005),
                               BoxFaceGrid({0.08, 0.06, 0.03}, "+z", 1, 1, 0.02, 0.012)})
    for (const auto& [object, pose] :
         {std::pair{Body(Sphere{0.02}, {}), At({0.011, 0.004, 0.0335})},
          std::pair{Body(Box{{0.03, 0.02, 0.01}}, {}),
                    Pose{RotationAbout(normalized({0.2, 1, 3}), 0.4), {0.001, 0.002, 0.0185}}}}) {
      const PressedFaces faces = Press(pad, object, pose, test::TiltedPose()).faces();
      CellLoads plane;
      plane.Resize(layout.count());
      IntegratePlaneCells(layout.grid, faces, &plane);
      const CellLoads cells = Integrate(layout, faces);
      const double whole = SumOfCells(plane).load;
      ASSERT_GT(whole, 0);
      for (int i = 0; i < layout.count(); ++i) {
        EXPECT_NEAR(cells[i].load, plane[i].load, 1e-12 * whole);
        EXPECT_NEAR(cells[i].area, plane[i].area, 1e-12 * SumOfCells(plane).area);
        EXPECT_LT(norm(cells[i].force - plane[i].force), 1e-12 * whole);
        EXPECT_LT(norm(cells[i].moment - plane[i].moment), 1e-14 * whole);
      }
    }
}

TEST(VoronoiCells, CurvedSkinsSumToTheContact) {
  WrapRange caps = Poles();
  caps.along_from = -0.5 * 0.04 - 0.5 * kPi * 0.012, caps.along_to = -caps.along_from;
  const struct {
    const char* name;
    Primitive shape;
    int rows, cols;
    WrapRange range;
    double steepest;  // |z| of the directions to press along
  } skins[] = {{"cylinder", Cylinder{0.015, 0.06}, 8, 13, {}, 0.6},
               {"cylinder, three columns", Cylinder{0.015, 0.06}, 2, 3, {}, 0.6},
               {"capsule", Capsule{0.012, 0.04}, 9, 12, caps, 1},
               {"sphere", Sphere{0.02}, 8, 12, Poles(), 1},
               {"sphere, odd", Sphere{0.02}, 5, 7, Poles(), 1},
               {"ellipsoid", Ellipsoid{{0.02, 0.014, 0.03}}, 8, 11, Poles(), 1}};
  for (const auto& skin : skins) {
    const Layout layout = WrappedGrid(skin.shape, skin.rows, skin.cols, skin.range);
    const Body body(skin.shape, Soft(5e4));
    for (int i = 0; i < 24; ++i) {
      Vec3 direction = test::UniformDirection(31, i);
      if (skin.steepest == 1 && i < 4) direction = normalized({0.02 * i, -0.01 * i, i % 2 ? -1.0 : 1.0});
      if (std::fabs(direction.z) > skin.steepest)
        direction = normalized({direction.x + 0.3, direction.y, 0.5 * direction.z});
      const Press press(body, Ball(), BallAt(skin.shape, direction, 0.0015), test::RandomPose(7, i, 0.3),
                        i % 2 == 0);
      ExpectTotals(layout, press, std::string(skin.name) + " " + std::to_string(i));
    }
  }
}

TEST(VoronoiCells, MeshesSumToTheContact) {
  BodyOptions options = Soft(5e4);
  options.resolution = 0.005;
  const TriangleMesh ell = test::Transformed(test::TiltedPose(), test::LPrism(0.02, 0.02));
  const Body body(ell, options);
  for (const Layout& layout :
       {VertexLayout(ell), MakeLayout(test::Describe({{"layout", "poisson"}, {"count", "90"}}), body)})
    for (int i = 0; i < 12; ++i) {
      // Against the faces of the prism, and over its edges.
      const Vec3 at = test::TiltedPose() *
                      Vec3{Uniform(1, i, 0, 0.04), Uniform(2, i, 0, 0.02), i % 2 ? 0.02 + 0.0045 : -0.0045};
      ExpectTotals(layout, Press(body, Ball(), At(at), test::RandomPose(3, i, 0.3), i % 3 == 0),
                   std::to_string(i));
    }
}

// What each taxel gets when every speck goes to the nearest one that looks its way.
std::vector<double> Nearest(const Layout& layout, const PressedFaces& faces, int n) {
  std::vector<double> loads(layout.count(), 0.0);
  test::ForEachSpeck(faces, n, [&](const Vec3& p, double pressure, double area, const Vec3& inward) {
    int best = -1;
    for (int i = 0; i < layout.count(); ++i)
      if (dot(layout.normals[i], inward) < 0.39 &&
          (best < 0 || norm2(p - layout.points[i]) < norm2(p - layout.points[best])))
        best = i;
    if (best >= 0) loads[best] += pressure * area;
  });
  return loads;
}

TEST(VoronoiCells, EveryPointGoesToTheNearestTaxel) {
  const Sphere sphere{0.02};
  const Body body(sphere, Soft(5e4));
  // Free points, far from regular, some of them very close together.
  std::vector<Vec3> points;
  for (int i = 0; i < 150; ++i) points.push_back(0.02 * test::UniformDirection(3, i));
  for (int i = 0; i < 50; ++i)
    points.push_back(0.02 * normalized(points[i] + 4e-4 * test::UniformDirection(5, i)));
  const Layout layout = PointLayout(points, {}, &body, 0.01);
  for (int i = 0; i < 6; ++i) {
    const Press press(body, Ball(), BallAt(sphere, test::UniformDirection(9, i), 0.002), test::TiltedPose());
    const CellLoads cells = Integrate(layout, press.faces());
    const std::vector<double> specks = Nearest(layout, press.faces(), 24);
    // Faces of about 0.5 mm, cells of 2: a speck is 1/1000 of a cell, those along a border go either way.
    for (int k = 0; k < layout.count(); ++k)
      EXPECT_NEAR(cells[k].load, specks[k], 1.5e-3 * press.surface.normal_force) << i << " " << k;
  }
}

TEST(VoronoiCells, TheRimOfACylinderIsASector) {
  const Cylinder shape{0.015, 0.06};
  const Body body(shape, Soft(5e4));
  WrapRange range = Range(-40, 65);
  range.along_from = -0.02, range.along_to = 0.011;
  const auto sector = [](double degrees, double sign) {
    const double a = degrees * kPi / 180;
    return std::pair<Vec3, double>{sign * Vec3{-std::sin(a), std::cos(a), 0}, 0.0};
  };
  const std::vector<std::pair<Vec3, double>> rim = {
      sector(65, 1), sector(-40, -1), {{0, 0, 1}, 0.011}, {{0, 0, -1}, 0.02}};
  for (const auto& [rows, cols] : {std::pair{5, 6}, {1, 4}, {2, 2}}) {
    const Layout layout = WrappedGrid(shape, rows, cols, range);
    for (const Vec3& direction : {Vec3{std::cos(1.1), std::sin(1.1), 0.2},
                                  {std::cos(0.6), -std::sin(0.6), 0.1},
                                  Vec3{1, 0.2, 0.7},
                                  Vec3{0.5, 1, 0.75},
                                  Vec3{-1, 0.3, 0}}) {
      const Press press(body, Ball(), BallAt(shape, normalized(direction), 0.002), test::TiltedPose());
      const CellLoad expected = Within(press.faces(), rim);
      const CellLoad sum = SumOfCells(Integrate(layout, press.faces()));
      EXPECT_NEAR(sum.load, expected.load, 1e-12 * press.surface.normal_force) << rows << " " << direction.x;
      EXPECT_LT(norm(sum.force - expected.force), 1e-12 * press.surface.normal_force);
      EXPECT_NEAR(sum.area, expected.area, 1e-12 * press.surface.area);
    }
  }
}

TEST(VoronoiCells, AnArrayThatNearlyClosesLosesNothing) {
  // A gap of 10 degrees between columns of 35 (and of 1 degree): less than half a column.
  const Cylinder shape{0.015, 0.06};
  const Body body(shape, Soft(5e4));
  for (const double end : {350.0, 359.0}) {
    const Layout layout = WrappedGrid(shape, 4, 10, Range(0, end));
    ASSERT_FALSE(layout.wraps);
    // 30 degrees before the end: the contact, 13 degrees wide each way, lies within the array.
    for (const double degrees : {30.0, end - 30}) {
      const double a = degrees * kPi / 180;
      ExpectTotals(layout, Press(body, Ball(), BallAt(shape, {std::cos(a), std::sin(a), 0.1}, 0.001)),
                   std::to_string(degrees));
    }
    // Over the gap: what lies in it belongs to nobody.
    const Press press(body, Ball(), BallAt(shape, {1, 0, 0.1}, 0.001));
    const double a = end * kPi / 180;
    const CellLoad above = Within(press.faces(), {{{0, -1, 0}, 0}}),
                   below = Within(press.faces(), {{{0, 1, 0}, 0}, {{-std::sin(a), std::cos(a), 0}, 0}});
    const CellLoad sum = SumOfCells(Integrate(layout, press.faces()));
    EXPECT_NEAR(sum.load, above.load + below.load, 1e-12 * press.surface.normal_force) << end;
    EXPECT_LT(sum.load, press.surface.normal_force);
  }
}

TEST(VoronoiCells, TheRimOfASphereIsACone) {
  // Rows end at great circles through the rim's latitude at the middle of a column, columns at meridians.
  const Sphere shape{0.02};
  const Body body(shape, Soft(5e4));
  WrapRange range = Range(-60, 90);
  range.along_from = -0.4, range.along_to = 0.9;
  const Layout layout = WrappedGrid(shape, 6, 5, range);
  const Press press(body, Body(Sphere{0.03}, {}),
                    BallAt(Sphere{0.02 + 0.03 - 0.006}, normalized({1, 1.2, 1.3}), 0.0045));
  CellLoad expected;
  for (int c = 0; c < 5; ++c) {
    const double a0 = (-60 + 30 * c) * kPi / 180, a1 = a0 + 30 * kPi / 180, a = 0.5 * (a0 + a1);
    // The normal of a cone's side at latitude s is the direction north there.
    const auto north = [&](double s) {
      return Vec3{-std::sin(s) * std::cos(a), -std::sin(s) * std::sin(a), std::cos(s)};
    };
    const CellLoad column = Within(press.faces(), {{{std::sin(a0), -std::cos(a0), 0}, 0},
                                                   {{-std::sin(a1), std::cos(a1), 0}, 0},
                                                   {north(0.9), 0},
                                                   {-north(-0.4), 0}});
    expected.load += column.load, expected.area += column.area;
  }
  const CellLoad sum = SumOfCells(Integrate(layout, press.faces()));
  ASSERT_GT(expected.load, 0.2 * press.surface.normal_force);
  ASSERT_LT(expected.load, 0.9 * press.surface.normal_force);
  EXPECT_NEAR(sum.load, expected.load, 1e-12 * press.surface.normal_force);
  EXPECT_NEAR(sum.area, expected.area, 1e-12 * press.surface.area);
}

TEST(VoronoiCells, AThinShellDoesNotFeelThroughItself) {
  // Taxels on both sides of a plate of 2 mm, 10 mm apart along it: the nearest one is often on the far side.
  const Vec3 size{0.08, 0.06, 0.002};
  const Body plate(Box{size}, Soft(5e4));
  std::vector<Vec3> points;
  for (int side = 0; side < 2; ++side)
    for (int i = 0; i < 8; ++i)
      for (int j = 0; j < 6; ++j)
        points.push_back(
            {-0.035 + 0.01 * i + 0.004 * side, -0.025 + 0.01 * j - 0.003 * side, side ? 0.001 : -0.001});
  for (Vec3& p : points) p.x = std::min(p.x, 0.0399);
  const Layout layout = PointLayout(points, {}, &plate, 0.008);
  for (bool above : {false, true}) {
    const Press press(plate, Ball(), At({0.003, 0.004, (above ? 1 : -1) * (0.001 + 0.006 - 0.0004)}),
                      test::TiltedPose());
    const CellLoads cells = Integrate(layout, press.faces());
    double near = 0, far = 0;
    for (int i = 0; i < layout.count(); ++i) ((i >= 48) == above ? near : far) += cells[i].load;
    EXPECT_EQ(far, 0);
    EXPECT_NEAR(near, press.surface.normal_force, 1e-12 * near);
  }
}

TEST(VoronoiCells, LimitsEndTheCells) {
  const Body pad(Box{{0.08, 0.06, 0.03}}, test::Backed(5e4));
  const std::vector<Vec3> points = {{-0.012, 0, 0.015}, {0.013, 0.002, 0.015}, {0.001, 0.018, 0.015}};
  const Layout layout = PointLayout(points, {}, &pad, 0.01);
  const Press press(pad, Body(Box{{0.06, 0.05, 0.02}}, {}), At({0, 0, 0.0245}), test::TiltedPose());
  const double limit = 0.0062, p = 5e4 * 0.0005 / 0.03;
  const CellLoads cells = Integrate(layout, press.faces(), limit);
  // Squares about the points, none of which meets another.
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(cells[i].area, 4 * limit * limit, 1e-12 * cells[i].area);
    EXPECT_NEAR(cells[i].load, p * cells[i].area, 1e-9 * cells[i].load);
  }
  // A limit wider than the cells changes nothing.
  const CellLoads open = Integrate(layout, press.faces()), wide = Integrate(layout, press.faces(), 1);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(open[i].load, wide[i].load);
}

TEST(VoronoiCells, OneFaceOverManyTaxels) {
  // More taxels than the nearest 40 meet a single face; specks again.
  const Body pad(Box{{0.08, 0.06, 0.03}}, test::Backed(5e4));
  const Layout layout = MakeLayout(
      test::Describe({{"layout", "poisson"}, {"count", "400"}, {"direction", "0 0 1"}, {"within", "10"}}),
      pad);
  const Press press(pad, Body(Box{{0.05, 0.04, 0.02}}, {}),
                    {RotationAbout({0, 0, 1}, 0.3), {0.001, -0.002, 0.0245}}, test::TiltedPose());
  ExpectTotals(layout, press, "block");
  const CellLoads cells = Integrate(layout, press.faces());
  const std::vector<double> specks = Nearest(layout, press.faces(), 300);
  for (int k = 0; k < layout.count(); ++k)
    EXPECT_NEAR(cells[k].load, specks[k], 2e-4 * press.surface.normal_force) << k;
}

TEST(VoronoiCells, OneTaxelTakesAllAndMemoryIsReused) {
  const Body body(Sphere{0.02}, Soft(5e4));
  const Press press(body, Ball(), BallAt(Sphere{0.02}, {0, 0.6, 0.8}, 0.001));
  const Layout one = PointLayout({{0, 0.012, 0.016}}, {}, &body, 0.02);
  ExpectTotals(one, press, "one");
  // Small and large layouts in turn, and a counter about to run over: same bits as with fresh memory.
  const Layout many = WrappedGrid(Sphere{0.02}, 12, 16, Poles());
  const VoronoiCells a(one, 0), b(many, 0);
  VoronoiCells::Workspace workspace;
  workspace.round = ~0u - 3;
  const CellLoads fresh = Integrate(many, press.faces());
  for (int k = 0; k < 6; ++k) {
    CellLoads cells;
    cells.Resize(many.count());
    (k % 2 ? b : a).Integrate(press.faces(), &workspace, &cells);
    for (int i = 0; k % 2 && i < many.count(); ++i) EXPECT_EQ(cells[i].load, fresh[i].load);
  }
}

}  // namespace
}  // namespace taxel
