// Which taxel a point belongs to:
//   - flat grids: rows and columns, off-centre and on any face of a box; beyond the rim none, on it the last
//   - seen from the other side of the skin: none
//   - the points of a layout belong to their own taxels, on every kind of layout
//   - wrapped grids, and lists: the nearest that looks the same way; beyond the rim of a wrapped grid none;
//     across the seam of one that goes all around
//   - limit: a cell ends there, in flat grids too, along its own axes
#include "taxel/skin/taxel_at.h"

#include <gtest/gtest.h>

#include <cmath>

#include "skin_scenes.h"

namespace taxel {
using namespace internal;
namespace {

using test::Describe;
using test::kPi;
using test::Uniform;

TEST(TaxelAt, FlatGridByRowsAndColumns) {
  const Body box(Box{{0.04, 0.03, 0.02}}, {});
  for (const char* face : {"+z", "-z", "+x", "-y"}) {
    const Layout layout = MakeLayout(
        Describe({{"shape", "3 5"}, {"face", face}, {"pitch", "0.002 0.003"}, {"center", "0.001 -0.002"}}),
        box);
    ASSERT_TRUE(layout.plane);
    const Vec3 u = layout.axes[0], v = layout.second_axis(0), n = layout.normals[0];
    const Vec3 corner = layout.points[0] - 0.001 * u - 0.0015 * v;
    int inside = 0;
    for (int i = 0; i < 500; ++i) {
      const double x = Uniform(1, i, -0.004, 0.014), y = Uniform(2, i, -0.004, 0.013);
      const int col = static_cast<int>(std::floor(x / 0.002)), row = static_cast<int>(std::floor(y / 0.003));
      const bool in = col >= 0 && col < 5 && row >= 0 && row < 3;
      inside += in;
      // The depth below the skin does not matter, nor does a normal that leans.
      const Vec3 p = corner + x * u + y * v - Uniform(3, i, -0.001, 0.004) * n;
      const Vec3 leaning = normalized(n + Uniform(4, i, -2, 2) * u + Uniform(5, i, -2, 2) * v);
      EXPECT_EQ(TaxelAt(layout, p, leaning, 0), in ? 5 * row + col : -1) << face << " " << x << " " << y;
      EXPECT_EQ(TaxelAt(layout, p, -leaning, 0), -1);
    }
    EXPECT_GT(inside, 100);
    // On the rim of the whole grid: rounding must not lose what presses there.
    EXPECT_EQ(TaxelAt(layout, corner, n, 0), 0);
    EXPECT_EQ(TaxelAt(layout, corner - 1e-14 * u, n, 0), 0);
    EXPECT_EQ(TaxelAt(layout, corner + 0.01 * u + 0.009 * v, n, 0), 14);
    EXPECT_EQ(TaxelAt(layout, corner + (0.01 + 1e-14) * u + 0.009 * v, n, 0), 14);
    EXPECT_EQ(TaxelAt(layout, corner + 0.0101 * u, n, 0), -1);
  }
}

TEST(TaxelAt, TheirOwnPoints) {
  const Body box(Box{{0.04, 0.03, 0.02}}, {}), ball(Sphere{0.01}, {}), rod(Cylinder{0.008, 0.04}, {}),
      pill(Capsule{0.006, 0.02}, {}), egg(Ellipsoid{{0.01, 0.007, 0.012}}, {});
  const TriangleMesh l = test::LPrism(0.01, 0.02);
  const std::vector<std::pair<const Body*, Description::Entries>> all = {
      {&box, {{"shape", "6 7"}}},
      {&box, {{"layout", "poisson"}, {"count", "60"}}},
      {&box, {{"points", "0.02 0 0 -0.02 0.001 0 0 0.015 0.003"}, {"radius", "0.004"}}},
      {&ball, {{"shape", "5 12"}}},
      {&ball, {{"shape", "4 5"}, {"around", "20 130"}, {"along", "-20 50"}}},
      {&rod, {{"shape", "6 16"}}},
      {&pill, {{"shape", "5 9"}}},
      {&egg, {{"shape", "5 11"}}}};
  for (const auto& [body, entries] : all) {
    const Layout layout = MakeLayout(Describe(entries), *body);
    for (int i = 0; i < layout.count(); ++i) {
      EXPECT_EQ(TaxelAt(layout, layout.points[i], layout.normals[i], 0), i) << entries[0].second;
      EXPECT_EQ(TaxelAt(layout, layout.points[i], layout.normals[i], 1e-4), i) << entries[0].second;
    }
  }
  const Body mesh(l, {});
  const Layout corners = MakeLayout(Describe({{"layout", "vertices"}}), mesh);
  for (int i = 0; i < corners.count(); ++i)
    EXPECT_EQ(TaxelAt(corners, corners.points[i], corners.normals[i], 0), i);
}

TEST(TaxelAt, WrappedGridEndsHalfACellBeyondItsRim) {
  const double R = 0.01;
  const Body rod(Cylinder{R, 0.06}, {});
  const Layout layout =
      MakeLayout(Describe({{"shape", "4 6"}, {"around", "30 120"}, {"along", "-0.01 0.014"}}), rod);
  // Columns of 15 degrees, rows of 6 mm.
  int inside = 0;
  for (int i = 0; i < 400; ++i) {
    const double angle = Uniform(1, i, 0, 360), z = Uniform(2, i, -0.025, 0.028);
    const double c = (angle - 30) / 15, r = (z + 0.01) / 0.006;
    // Near a border or the corner of the grid "nearest" and "row and column" may differ.
    if (std::fabs(c - std::round(c)) < 0.02 || std::fabs(r - std::round(r)) < 0.02) continue;
    const bool in = c > 0 && c < 6 && r > 0 && r < 4;
    if (!in && c > -3 && c < 9 && r > -1.5 && r < 5.5 && !(c > 0 && c < 6) && !(r > 0 && r < 4)) continue;
    const double a = angle * kPi / 180;
    const Vec3 n{std::cos(a), std::sin(a), 0};
    const int found = TaxelAt(layout, R * n + Vec3{0, 0, z}, n, 0);
    inside += in;
    EXPECT_EQ(found, in ? 6 * static_cast<int>(r) + static_cast<int>(c) : -1) << angle << " " << z;
  }
  EXPECT_GT(inside, 15);
}

TEST(TaxelAt, AcrossTheSeam) {
  const Body ball(Sphere{0.01}, {});
  const Layout layout = MakeLayout(Describe({{"shape", "1 8"}, {"along", "-10 10"}}), ball);
  ASSERT_TRUE(layout.wraps);
  for (double angle = -179.7; angle < 360; angle += 0.9) {
    const double a = angle * kPi / 180;
    const Vec3 n{std::cos(a), std::sin(a), 0};
    const int expected = (static_cast<int>(std::floor(angle / 45)) + 8) % 8;
    if (std::fabs(angle / 45 - std::round(angle / 45)) < 1e-6) continue;
    EXPECT_EQ(TaxelAt(layout, 0.01 * n, n, 0), expected) << angle;
    EXPECT_EQ(TaxelAt(layout, 0.009 * n, n, 0), expected) << angle;
  }
}

TEST(TaxelAt, AThinPadFeelsEachSideByItself) {
  // Points on both faces of a sheet of 1 mm; a point pressed 0.8 mm deep is nearer to the other face.
  Layout layout;
  for (const double side : {1.0, -1.0})
    for (const double x : {-0.004, 0.004}) {
      layout.points.push_back({x, 0, 0.0005 * side});
      layout.normals.push_back({0, 0, side});
      layout.axes.push_back({1, 0, 0});
      layout.areas.push_back(1e-5);
    }
  EXPECT_EQ(TaxelAt(layout, {0.003, 0.001, -0.0003}, {0, 0.1, 1}, 0), 1);
  EXPECT_EQ(TaxelAt(layout, {0.003, 0.001, 0.0003}, {0, 0.1, -1}, 0), 3);
  EXPECT_EQ(TaxelAt(layout, {0.003, 0.001, 0}, {1, 0, 0}, 0), -1);  // along the sheet: nobody's
  EXPECT_EQ(TaxelAt(Layout{}, {0, 0, 0}, {0, 0, 1}, 0), -1);
}

TEST(TaxelAt, TheLimitIsAlongTheAxes) {
  const Body box(Box{{0.04, 0.03, 0.02}}, {});
  const Layout layout = MakeLayout(Describe({{"shape", "3 5"}, {"pitch", "0.006"}}), box);
  const Vec3 c = layout.points[7], n{0, 0, 1};
  for (int i = 0; i < 200; ++i) {
    const double x = Uniform(1, i, -0.003, 0.003), y = Uniform(2, i, -0.003, 0.003);
    const bool in = std::fabs(x) < 0.002 && std::fabs(y) < 0.002;
    EXPECT_EQ(TaxelAt(layout, c + Vec3{x, y, -0.003}, n, 0.002), in ? 7 : -1) << x << " " << y;
  }
}

}  // namespace
}  // namespace taxel
