#include "taxel/skin/face_grid.h"

#include <cmath>

#include "taxel/math/error.h"

namespace taxel {
namespace {

struct Face {
  const char* name;
  Vec3 normal, columns, rows;
};
constexpr Face kFaces[6] = {
    {"+x", {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},  {"-x", {-1, 0, 0}, {0, -1, 0}, {0, 0, 1}},
    {"+y", {0, 1, 0}, {-1, 0, 0}, {0, 0, 1}}, {"-y", {0, -1, 0}, {1, 0, 0}, {0, 0, 1}},
    {"+z", {0, 0, 1}, {1, 0, 0}, {0, 1, 0}},  {"-z", {0, 0, -1}, {1, 0, 0}, {0, -1, 0}}};

const Face& FaceNamed(const std::string& name) {
  for (const Face& face : kFaces)
    if (name == face.name) return face;
  throw Error("face \"" + name + "\" is not a face of a box; it must be one of +x, -x, +y, -y, +z, -z");
}

// Without the digits that a product adds.
std::string Length(double x) { return ToText(std::round(x * 1e12) / 1e12) + " m"; }
std::string Rectangle(double u, double v) { return Length(u) + " x " + Length(v); }

double ExtentAlong(const Vec3& size, const Vec3& axis) { return dot(size, cwise_abs(axis)); }

void CheckPitch(double pitch, const char* which) {
  if (!std::isfinite(pitch) || pitch <= 0)
    throw Error(std::string("pitch along the ") + which + " is " + ToText(pitch) +
                "; it must be finite and greater than 0 (metres)");
}

Layout LayoutOf(const PlaneGrid& grid) {
  Layout layout;
  layout.rows = grid.rows;
  layout.cols = grid.cols;
  layout.plane = true;
  layout.grid = grid;
  const std::size_t count = static_cast<std::size_t>(grid.rows) * grid.cols;
  layout.normals.assign(count, grid.X_GF.R.col(2));
  layout.axes.assign(count, grid.X_GF.R.col(0));
  layout.areas.assign(count, grid.du * grid.dv);
  layout.points.reserve(count);
  const auto middle = [&](int r, int c) {
    return grid.X_GF * Vec3{grid.u0 + (c + 0.5) * grid.du, grid.v0 + (r + 0.5) * grid.dv, 0};
  };
  for (int r = 0; r < grid.rows; ++r)
    for (int c = 0; c < grid.cols; ++c) layout.points.push_back(middle(r, c));
  for (int c = 0; c < grid.cols; ++c) {
    layout.ghosts.push_back({c, middle(-1, c)});
    layout.ghosts.push_back({(grid.rows - 1) * grid.cols + c, middle(grid.rows, c)});
  }
  for (int r = 0; r < grid.rows; ++r) {
    layout.ghosts.push_back({r * grid.cols, middle(r, -1)});
    layout.ghosts.push_back({(r + 1) * grid.cols - 1, middle(r, grid.cols)});
  }
  return layout;
}

}  // namespace

void CheckGridShape(int rows, int cols, int most) {
  if (rows < 1 || cols < 1 || static_cast<double>(rows) * cols > most)
    throw Error("a grid of " + std::to_string(rows) + " rows x " + std::to_string(cols) +
                " columns cannot be; both must be at least 1 and their product at most " +
                std::to_string(most));
}

Layout BoxFaceGrid(const Vec3& size, const std::string& face, int rows, int cols, double pitch_u,
                   double pitch_v, double center_u, double center_v) {
  CheckGridShape(rows, cols);
  const Face& f = FaceNamed(face);
  if (!is_finite(size) || !(size.x > 0 && size.y > 0 && size.z > 0))
    throw Error("box of size " + ToText(size.x) + " " + ToText(size.y) + " " + ToText(size.z) +
                ": all three must be finite and greater than 0 (metres)");
  const double width = ExtentAlong(size, f.columns), height = ExtentAlong(size, f.rows);
  if (!(std::fabs(center_u) < 0.5 * width && std::fabs(center_v) < 0.5 * height))
    throw Error("center " + ToText(center_u) + " " + ToText(center_v) + " is not on face " + face +
                ", which is " + Rectangle(width, height) + "; it counts from the middle of the face, in m");
  PlaneGrid grid;
  grid.rows = rows;
  grid.cols = cols;
  grid.du = pitch_u == 0 ? (width - 2 * std::fabs(center_u)) / cols : pitch_u;
  grid.dv = pitch_v == 0 ? (height - 2 * std::fabs(center_v)) / rows : pitch_v;
  CheckPitch(grid.du, "columns");
  CheckPitch(grid.dv, "rows");
  constexpr double kRounding = 1 + 1e-9;
  if (2 * std::fabs(center_u) + cols * grid.du > kRounding * width ||
      2 * std::fabs(center_v) + rows * grid.dv > kRounding * height)
    throw Error("the grid does not fit: " + std::to_string(rows) + " rows x " + std::to_string(cols) +
                " columns of pitch " + Rectangle(grid.du, grid.dv) + " are " +
                Rectangle(cols * grid.du, rows * grid.dv) + " about the centre " + ToText(center_u) + " " +
                ToText(center_v) + ", but face " + face + " is " + Rectangle(width, height) +
                " (columns along " + (f.columns.x != 0 ? "x" : "y") + ", rows along " +
                (f.rows.y != 0 ? "y" : "z") +
                "); lessen the pitch, move the centre, or leave the pitch out to fill the face");
  grid.X_GF.R = FromColumns(f.columns, f.rows, f.normal);
  grid.X_GF.p = 0.5 * ExtentAlong(size, f.normal) * f.normal;
  grid.u0 = center_u - 0.5 * cols * grid.du;
  grid.v0 = center_v - 0.5 * rows * grid.dv;
  return LayoutOf(grid);
}

Layout PlaneGridLayout(const Pose& X_GF, int rows, int cols, double pitch_u, double pitch_v) {
  CheckGridShape(rows, cols);
  CheckPitch(pitch_u, "columns");
  CheckPitch(pitch_v, "rows");
  if (!is_finite(X_GF.p) || !(RotationDefect(X_GF.R) < 1e-9))
    throw Error(
        "frame of a plane grid: the rotation must be orthonormal and right-handed to 1e-9 (it is off by " +
        ToText(RotationDefect(X_GF.R)) + ") and the origin finite");
  return LayoutOf({X_GF, -0.5 * cols * pitch_u, -0.5 * rows * pitch_v, pitch_u, pitch_v, rows, cols});
}

}  // namespace taxel
