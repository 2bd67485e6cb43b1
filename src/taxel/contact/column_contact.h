// A skin of columns against another body.
#pragma once

#include <utility>
#include <vector>

#include "taxel/contact/body_data.h"
#include "taxel/contact/column_meet.h"
#include "taxel/contact/columns.h"
#include "taxel/contact/intersect.h"

namespace taxel::internal {

/// Kept between queries.
struct ColumnScratch {
  /// What the four samples of a column found: the depth of the deepest face there, and its triangle.
  struct Samples {
    int column = -1;
    double depth[4];
    int triangle[4];
    bool whole;  ///< all on faces that look about the same way
  };
  std::vector<std::pair<int, ColumnMeeting>> met;  ///< columns and what they meet of a primitive
  std::vector<int> triangles;
  std::vector<Samples> samples;
  std::vector<int> sampled;  ///< by column, into `samples`; -1: none
  ColumnSkin plane;          ///< columns of a half space, where the other body is
};

/// The contact of the columns of F with S, one face for each column and flat piece of S over it. A column
/// meets S where S begins above its bone; what of the cell S does not cover is cut away. Where S is soft the
/// two laws share the overlap, each at the same pressure; S is then taken to give way along its normal by
/// its law and its usual length.
void ColumnsAndBody(const Pose& X_WF, const BodyData& F, const Pose& X_FS, const BodyData& S,
                    ColumnScratch* scratch, FaceSink* sink);

}  // namespace taxel::internal
