// Flat grids:
//   - all six faces of a box of three different sizes: the table of axes, right-handed, order of rows and
//     columns, points at the middle of their cells and exactly on the face, areas that fill it
//   - pitch, a centre off the middle, both; the grid's frame describes the points
//   - a grid in a tilted plane
//   - wrong input: face, shape, pitch, centre, size, a grid that does not fit, and one that just does
#include "taxel/skin/face_grid.h"

#include <gtest/gtest.h>

#include <limits>

#include "../shape/expect_error.h"
#include "../shape/test_meshes.h"
#include "layout_checks.h"

namespace taxel {
namespace {

const Vec3 kSize{0.024, 0.035, 0.011};

TEST(BoxFaceGrid, AxesOfAllSixFaces) {
  struct Case {
    const char* face;
    Vec3 normal, columns, rows;
  };
  for (const Case& c : {Case{"+z", {0, 0, 1}, {1, 0, 0}, {0, 1, 0}},
                        {"-z", {0, 0, -1}, {1, 0, 0}, {0, -1, 0}},
                        {"+x", {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                        {"-x", {-1, 0, 0}, {0, -1, 0}, {0, 0, 1}},
                        {"+y", {0, 1, 0}, {-1, 0, 0}, {0, 0, 1}},
                        {"-y", {0, -1, 0}, {1, 0, 0}, {0, 0, 1}}}) {
    SCOPED_TRACE(c.face);
    const Layout layout = BoxFaceGrid(kSize, c.face, 3, 5);
    test::CheckFrames(layout);
    ASSERT_EQ(layout.rows, 3);
    ASSERT_EQ(layout.cols, 5);
    EXPECT_TRUE(layout.plane);
    EXPECT_FALSE(layout.wraps);
    const double width = dot(cwise_abs(c.columns), kSize), height = dot(cwise_abs(c.rows), kSize);
    for (int i = 0; i < 15; ++i) {
      EXPECT_EQ(layout.normals[i], c.normal);
      EXPECT_EQ(layout.axes[i], c.columns);
      EXPECT_EQ(layout.second_axis(i), c.rows);
      EXPECT_EQ(dot(layout.points[i], c.normal),
                0.5 * dot(cwise_abs(c.normal), kSize));  // not a bit off the face
      EXPECT_NEAR(dot(layout.points[i], c.columns), width * ((i % 5 + 0.5) / 5 - 0.5), 1e-16);
      EXPECT_NEAR(dot(layout.points[i], c.rows), height * ((i / 5 + 0.5) / 3 - 0.5), 1e-16);
    }
    EXPECT_NEAR(test::SumOfAreas(layout), width * height, 1e-15 * width * height);
  }
}

TEST(BoxFaceGrid, PitchAndCentre) {
  // Columns along y, rows along z.
  const Layout layout = BoxFaceGrid(kSize, "+x", 2, 4, 0.005, 0.003, -0.004, 0.002);
  const PlaneGrid& g = layout.grid;
  EXPECT_EQ(g.du, 0.005);
  EXPECT_EQ(g.dv, 0.003);
  EXPECT_NEAR(g.u0, -0.014, 1e-17);
  EXPECT_NEAR(g.v0, -0.001, 1e-17);
  EXPECT_EQ(g.rows, 2);
  EXPECT_EQ(g.cols, 4);
  EXPECT_LT(norm(layout.points[0] - Vec3{0.012, -0.0115, 0.0005}), 1e-17);
  EXPECT_LT(norm(layout.points[7] - Vec3{0.012, 0.0035, 0.0035}), 1e-17);
  for (int i = 0; i < 8; ++i) {
    EXPECT_LT(
        norm(g.X_GF * Vec3{g.u0 + (i % 4 + 0.5) * g.du, g.v0 + (i / 4 + 0.5) * g.dv, 0} - layout.points[i]),
        1e-17);
    EXPECT_DOUBLE_EQ(layout.areas[i], 0.005 * 0.003);
  }
}

TEST(BoxFaceGrid, WithoutPitchTheCellsFillWhatTheCentreLeaves) {
  const Layout layout = BoxFaceGrid(kSize, "+z", 2, 3, 0, 0, 0.003, -0.0025);
  EXPECT_NEAR(layout.grid.du, (0.024 - 0.006) / 3, 1e-17);
  EXPECT_NEAR(layout.grid.dv, (0.035 - 0.005) / 2, 1e-17);
  EXPECT_NEAR(layout.grid.u0 + 3 * layout.grid.du, 0.012, 1e-16);  // flush with the nearer edges
  EXPECT_NEAR(layout.grid.v0, -0.0175, 1e-16);
  // One of the two may be given.
  EXPECT_EQ(BoxFaceGrid(kSize, "+z", 2, 3, 0.004).grid.du, 0.004);
  EXPECT_NEAR(BoxFaceGrid(kSize, "+z", 2, 3, 0.004).grid.dv, 0.0175, 1e-17);
}

TEST(PlaneGridLayout, InATiltedPlane) {
  const Pose X = test::TiltedPose();
  const Layout layout = PlaneGridLayout(X, 4, 3, 0.002, 0.005);
  test::CheckFrames(layout);
  EXPECT_TRUE(layout.plane);
  EXPECT_LT(norm(layout.points[0] - X * Vec3{-0.002, -0.0075, 0}), 1e-17);
  EXPECT_LT(norm(layout.points[5] - X * Vec3{0.002, -0.0025, 0}), 1e-17);
  EXPECT_EQ(layout.axes[7], X.R.col(0));
  EXPECT_EQ(layout.normals[7], X.R.col(2));
  EXPECT_LT(norm(layout.second_axis(7) - X.R.col(1)), 1e-15);
  EXPECT_NEAR(test::SumOfAreas(layout), 12 * 1e-5, 1e-18);
}

TEST(FlatGrid, WrongInput) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  ExpectError([] { BoxFaceGrid(kSize, "top", 3, 5); }, {"face \"top\"", "+x, -x, +y, -y, +z, -z"});
  ExpectError([] { BoxFaceGrid(kSize, "+z", 0, 5); }, {"0 rows x 5 columns", "at least 1"});
  ExpectError([] { BoxFaceGrid(kSize, "+z", 257, 256); }, {"257 rows", "at most 65536"});
  ExpectError([] { BoxFaceGrid(kSize, "+z", 3, 5, -0.001); },
              {"pitch along the columns is -0.001", "metres"});
  ExpectError([&] { BoxFaceGrid(kSize, "+z", 3, 5, 0.001, nan); }, {"pitch along the rows is nan"});
  ExpectError(
      [] {
        BoxFaceGrid({0.02, 0, 0.01}, "+z", 3, 5);
      },
      {"box of size 0.02 0 0.01", "greater than 0"});
  ExpectError([] { BoxFaceGrid(kSize, "+z", 3, 5, 0, 0, 0.012); },
              {"center 0.012 0", "face +z", "0.024 m x 0.035 m"});
  ExpectError([&] { BoxFaceGrid(kSize, "+z", 3, 5, 0, 0, nan); }, {"center nan"});
  ExpectError([] { BoxFaceGrid(kSize, "-y", 3, 5, 0.005, 0.003); },
              {"does not fit", "3 rows x 5 columns", "0.005 m x 0.003 m", "0.025 m x 0.009 m",
               "face -y is 0.024 m x 0.011 m", "columns along x, rows along z", "leave the pitch out"});
  ExpectError([] { BoxFaceGrid(kSize, "+z", 3, 4, 0.006, 0.01, 0.002, 0); },
              {"does not fit", "centre 0.002 0"});
  EXPECT_EQ(BoxFaceGrid(kSize, "+z", 7, 3, 0.024 / 3, 0.035 / 7).count(), 21);  // fills it but for rounding
  ExpectError([] { PlaneGridLayout({}, 2, 2, 0, 0.01); }, {"pitch along the columns is 0"});
  Pose skew;
  skew.R(0, 1) = 0.1;
  ExpectError([&] { PlaneGridLayout(skew, 2, 2, 0.01, 0.01); }, {"orthonormal", "0.1"});
}

}  // namespace
}  // namespace taxel
