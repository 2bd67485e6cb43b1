// What holds for every layout.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "taxel/skin/layout_data.h"

namespace taxel::test {

inline double SumOfAreas(const Layout& layout) {
  return std::accumulate(layout.areas.begin(), layout.areas.end(), 0.0);
}

/// One of everything a taxel; normals and axes unit and at right angles; areas positive; nothing NaN.
inline void CheckFrames(const Layout& layout) {
  ASSERT_GT(layout.count(), 0);
  const std::size_t count = layout.points.size();
  ASSERT_EQ(layout.normals.size(), count);
  ASSERT_EQ(layout.axes.size(), count);
  ASSERT_EQ(layout.areas.size(), count);
  if (layout.rows > 0) {
    EXPECT_EQ(layout.rows * layout.cols, layout.count());
  }
  for (int i = 0; i < layout.count(); ++i) {
    EXPECT_TRUE(is_finite(layout.points[i]));
    EXPECT_NEAR(norm(layout.normals[i]), 1, 1e-14);
    EXPECT_NEAR(norm(layout.axes[i]), 1, 1e-14);
    EXPECT_NEAR(dot(layout.normals[i], layout.axes[i]), 0, 1e-14);
    EXPECT_LT(norm(cross(layout.axes[i], layout.second_axis(i)) - layout.normals[i]), 1e-14);
    EXPECT_GT(layout.areas[i], 0);
    EXPECT_TRUE(std::isfinite(layout.areas[i]));
  }
}

/// Least distance of two taxels whose normals are within 90 degrees.
inline double LeastSpacing(const Layout& layout) {
  double least = 1e9;
  for (int i = 0; i < layout.count(); ++i)
    for (int j = 0; j < i; ++j)
      if (dot(layout.normals[i], layout.normals[j]) >= 0)
        least = std::min(least, norm(layout.points[i] - layout.points[j]));
  return least;
}

}  // namespace taxel::test
