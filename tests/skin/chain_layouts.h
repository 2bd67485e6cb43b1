// Small layouts for the tests of the signal chain: tilted, not square, off the origin.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "taxel/math/pose.h"
#include "taxel/math/random.h"
#include "taxel/skin/layout_data.h"

namespace taxel::chain_test {
using namespace internal;

inline Pose AnyTilt() { return {RotationAbout({0.3, -0.8, 0.5}, 1.1), {0.07, -0.02, 0.11}}; }

/// A plane grid with cells of du by dv metres.
inline Layout TiltedGrid(int rows, int cols, double du = 0.004, double dv = 0.007) {
  const Pose X = AnyTilt();
  Layout layout;
  layout.rows = rows, layout.cols = cols;
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < cols; ++c) {
      layout.points.push_back(X * Vec3{c * du, r * dv, 0});
      layout.normals.push_back(X.R * Vec3{0, 0, 1});
      layout.axes.push_back(X.R * Vec3{1, 0, 0});
      layout.areas.push_back(du * dv);
    }
  return layout;
}

/// Columns all round a cylinder, rows along it.
inline Layout TiltedCylinder(int rows, int cols, double radius = 0.01, double pitch = 0.006) {
  const Pose X = AnyTilt();
  Layout layout;
  layout.rows = rows, layout.cols = cols;
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < cols; ++c) {
      const double a = 2 * M_PI * (c + 0.25) / cols;
      const Vec3 n{std::cos(a), std::sin(a), 0};
      layout.points.push_back(X * (radius * n + Vec3{0, 0, r * pitch}));
      layout.normals.push_back(X.R * n);
      layout.axes.push_back(X.R * Vec3{-n.y, n.x, 0});
      layout.areas.push_back(2 * M_PI * radius / cols * pitch);
    }
  return layout;
}

/// Points at random on a tilted rectangle of 40 by 25 mm, cells of all sizes, no grid.
inline Layout FreePoints(int count) {
  const Pose X = AnyTilt();
  Layout layout;
  for (int i = 0; i < count; ++i) {
    const auto k = static_cast<std::uint64_t>(i);
    layout.points.push_back(X * Vec3{0.04 * RandomUniform(5, 3 * k), 0.025 * RandomUniform(5, 3 * k + 1), 0});
    layout.normals.push_back(X.R * Vec3{0, 0, 1});
    layout.axes.push_back(X.R * Vec3{1, 0, 0});
    layout.areas.push_back(1e-5 * (0.5 + RandomUniform(5, 3 * k + 2)));
  }
  return layout;
}

/// Pressures from 0 to 50 kPa.
inline std::vector<double> AnyLoad(int count, std::uint64_t seed = 1) {
  std::vector<double> load(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < load.size(); ++i) load[i] = 5e4 * RandomUniform(seed, i);
  return load;
}

inline double TotalForce(const Layout& layout, const std::vector<double>& pressure) {
  double sum = 0;
  for (std::size_t i = 0; i < pressure.size(); ++i) sum += layout.areas[i] * pressure[i];
  return sum;
}

}  // namespace taxel::chain_test
