// What a query of columns keeps.
#pragma once

#include <utility>
#include <vector>

#include "taxel/contact/column_meet.h"
#include "taxel/contact/columns.h"

namespace taxel::internal {

/// Kept between queries.
template <typename T>
struct ColumnScratchOf {
  /// What the four samples of a column found: the depth of the deepest face there, and its triangle.
  struct Samples {
    int column = -1;
    T depth[4];
    int triangle[4];
    bool whole;  ///< all on faces that look about the same way
  };
  std::vector<std::pair<int, ColumnMeetingOf<T>>> met;  ///< columns and what they meet of a primitive
  std::vector<int> triangles;
  std::vector<Samples> samples;
  std::vector<int> sampled;  ///< by column, into `samples`; -1: none
  ColumnSkin plane;          ///< columns of a half space, where the other body is
};
using ColumnScratch = ColumnScratchOf<double>;

}  // namespace taxel::internal
