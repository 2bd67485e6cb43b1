// A skin of columns against another body.
#pragma once

#include "taxel/contact/body_data.h"
#include "taxel/contact/column_scratch.h"
#include "taxel/contact/intersect.h"

namespace taxel::internal {

/// The contact of the columns of F with S, one face for each column and flat piece of S over it. A column
/// meets S where S begins above its bone; what of the cell S does not cover is cut away. Where S is soft the
/// two laws share the overlap, each at the same pressure; S is then taken to give way along its normal by
/// its law and its usual length.
void ColumnsAndBody(const Pose& X_WF, const BodyData& F, const Pose& X_FS, const BodyData& S,
                    ColumnScratch* scratch, FaceSink* sink);

}  // namespace taxel::internal
