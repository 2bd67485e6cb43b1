// Exact integration over the cells of a plane grid.
#pragma once

#include "taxel/skin/cell_loads.h"
#include "taxel/skin/layout.h"

namespace taxel::internal {

/// Cuts every face along the lines of the grid (planes through them along the grid's normal) and adds the
/// parts to their cells: the cells sum to the force of what lies over the grid, to rounding. Faces that look
/// away from the grid (FacesTaxel) are left out. `loads` must have been cleared.
void IntegratePlaneCells(const PlaneGrid& grid, const PressedFaces& faces, CellLoads* loads);

}  // namespace taxel::internal
